//! What losses may have in common that holds for nearly all of them, and for nearly nothing else.

use super::classes::{Class, Spread};
use super::over_time;
use super::spread::Ways;
use super::{BY_CHANCE, Described, ENOUGH, FlowLoss, Look, Losses, NEARLY_ALL, lost, sent, told};
use crate::compare::{Fate, Fates, Lengths, SIZES, Series};
use crate::model::number;

/// What segments of super-frames are not longer than, but on networks with jumbo frames.
const LONGEST_OF_SEGMENTS: u32 = 1_518;
/// Of others than dead flows so many times less is lost.
const FAR_LESS: f64 = 5.0;
/// Times as long as chance would have runs.
const LONG_RUNS: f64 = 3.0;
/// Losses in a row that chance must have for their absence to say something.
const ROWS_BY_CHANCE: f64 = 20.0;
/// What is told of one in so many must be so near to what was lost.
const NEAR: f64 = 0.05;

impl Losses<'_> {
    /// From some step on nothing passed, and before that nothing was lost.
    pub(super) fn since(&self) -> Option<Described> {
        let scales = over_time::scales(self.series()?);
        scales.iter().find_map(|series| self.since_step(series))
    }

    fn since_step(&self, series: &Series) -> Option<Described> {
        let numbered = series.steps.iter().enumerate();
        let steps: Vec<(usize, &Fates)> = numbered.filter(|(_, fates)| sent(fates) > 0).collect();
        let first = steps
            .iter()
            .position(|(_, fates)| fates.of(Fate::Both) == 0 && lost(fates) > 0)?;
        let (before, after) = steps.split_at(first);
        let passed_after: u64 = after.iter().map(|(_, fates)| fates.of(Fate::Both)).sum();
        let lost_before: u64 = before.iter().map(|(_, fates)| lost(fates)).sum();
        let is_it =
            first > 0 && passed_after == 0 && after.len() >= 2 && lost_before * 20 < self.lost;
        is_it.then(|| {
            let steps = after[0].0 - before[0].0;
            let at = series.width.as_secs_f64() * steps as f64;
            told(
                Look::FromTimeOn,
                None,
                format!(
                    "everything from about {} after the first packet on was lost",
                    number::duration(at)
                ),
            )
        })
    }

    /// One run of a flow, or of several, up to its end.
    pub(super) fn to_the_end(&self) -> Option<Described> {
        let is_cut_off = |flow: &&FlowLoss| flow.is_end && flow.lost >= ENOUGH;
        let cut_off: Vec<&FlowLoss> = self.lossy.flows.iter().filter(is_cut_off).collect();
        let lost: u64 = cut_off.iter().map(|flow| flow.lost).sum();
        if (lost as f64) < NEARLY_ALL * self.lost as f64 {
            return None;
        }
        let what = match cut_off[..] {
            [flow] => {
                let passed = number::counted(flow.sent - flow.lost, "packet");
                match self.lossy.flows.len() {
                    1 => format!("everything behind the first {passed} was lost"),
                    _ => format!("everything of one flow behind its first {passed} was lost"),
                }
            }
            _ => format!(
                "everything of {} was lost from some packet of each on",
                number::counted(cut_off.len() as u64, "flow")
            ),
        };
        Some(told(Look::FromTimeOn, None, what))
    }

    /// Fragments by their place in the datagram.
    pub(super) fn by_place(&self) -> Option<Described> {
        let shape = &self.lossy.between.shape;
        let [first, _, last] = &shape.ends;
        let of_fragments: u64 = shape.ends.iter().map(lost).sum();
        if !self.is_nearly_all(of_fragments) || sent(first) == 0 {
            return None;
        }
        let passed = shape.passed_up_to.map_or(0, |number| number + 1);
        if let Some(from) = shape.lost_from[0].filter(|from| *from >= passed) {
            return Some(beyond(from));
        }
        let (place, look, name) = match lost(first) >= lost(last) {
            true => (0, Look::FirstLost, "first"),
            false => (2, Look::LastLost, "last"),
        };
        let losses = lost(&shape.ends[place]);
        (self.is_nearly_all(losses) && self.stands_out(place)).then(|| {
            let what = format!(
                "{} {name} fragments were lost, and hardly any other",
                number::count(losses)
            );
            told(look, None, what)
        })
    }

    pub(super) fn is_nearly_all(&self, losses: u64) -> bool {
        losses as f64 >= NEARLY_ALL * self.lost as f64
    }

    /// Whether that first or last fragments alone are lost is more than that others are hardly
    /// sent, as where a filter has taken them away.
    fn stands_out(&self, end: usize) -> bool {
        let ends: Vec<Class> = self
            .lossy
            .between
            .shape
            .ends
            .iter()
            .map(Class::of)
            .collect();
        match Spread::of(&ends, self.clumped()) {
            Spread::Uneven(contrast) => contrast.is_inside[end] && contrast.is_clear(2.0),
            Spread::Unknown | Spread::Even | Spread::Doubtful => false,
        }
    }

    /// Distances between losses, if as many are lost as these tell.
    pub(super) fn by_distance(&self) -> Option<Described> {
        let period = self.period()?;
        let sent = self.sent_of_lossy() as f64;
        let told_of = (period * self.lost) as f64;
        let is_near = (sent - told_of).abs() <= NEAR * sent + period as f64;
        is_near.then(|| {
            let mut what = self.every(period, self.sent as f64 > told_of * (1.0 + NEAR));
            // Of datagrams in as many fragments each it is always the same one, too.
            if let Some(place) = Ways::of_places(self).most() {
                what = format!("{what}; by place: {}", place.described);
            }
            told(Look::EveryKth, Some(period), what)
        })
    }

    /// Where many packets are of flows that lose nothing, how many flows do is told.
    fn every(&self, period: u64, are_some: bool) -> String {
        let period = number::ordinal(period);
        let lossy = self.lossy.flows.iter().filter(|flow| flow.lost > 0);
        match are_some {
            false => format!("every {period} packet of a flow was lost"),
            true => format!(
                "every {period} packet of {} of {} flows was lost",
                number::count(lossy.count() as u64),
                number::count(self.lossy.flows.len() as u64)
            ),
        }
    }

    pub(super) fn period(&self) -> Option<u64> {
        self.lossy.between.shape.runs[0].period().map(u64::from)
    }

    /// What was sent of the flows that lose something.
    fn sent_of_lossy(&self) -> u64 {
        let lossy = self.lossy.flows.iter().filter(|flow| flow.lost > 0);
        match lossy.map(|flow| flow.sent).sum() {
            0 => self.sent,
            sent => sent,
        }
    }

    /// All above a size, or below, and no other; or nearly all and hardly any other.
    pub(super) fn by_size(&self) -> Option<Described> {
        // What a length tells is exact.
        let by_length = self.by_length();
        let is_exact = by_length.is_some();
        let mut look = by_length.or_else(|| self.by_size_class())?;
        let some_flows = || self.by_dead_flow().or_else(|| Ways::by_flow(self));
        let by_flow = self.by_flow().or_else(|| match is_exact {
            true => None,
            false => some_flows(),
        });
        if let Some(flows) = by_flow {
            look.described = format!("{}; by flow: {}", look.described, flows.described);
        }
        Some(look)
    }

    /// The longest that passed is shorter than all that were lost, or the other way round.
    fn by_length(&self) -> Option<Described> {
        let of = |fate: Fate| self.lossy.between.shape.lengths[fate as usize];
        let (passed, gone): (Lengths, Lengths) = (of(Fate::Both), of(Fate::Front));
        if self.sent - self.lost < ENOUGH {
            return None;
        }
        let all = number::counted(self.lost, "packet");
        let bytes = |length: u32| number::count(length.into());
        if passed.most < gone.least && self.lost_on_wire() >= ENOUGH {
            let (from, to) = (bytes(gone.least), bytes(passed.most));
            let what =
                format!("all {all} of {from} bytes and more were lost, and none of up to {to}");
            return Some(told(Look::Large, Some(passed.most.into()), what));
        }
        (gone.most < passed.least).then(|| {
            let (to, from) = (bytes(gone.most), bytes(passed.least));
            let what =
                format!("all {all} of up to {to} bytes were lost, and none of {from} and more");
            told(Look::Small, Some(gone.most.into()), what)
        })
    }

    fn by_size_class(&self) -> Option<Described> {
        let sizes = self.sizes_on_wire();
        for (place, upper) in SIZES.iter().enumerate().take(sizes.len() - 1) {
            let (below, above) = sizes.split_at(place + 1);
            let rates = [below, above].map(rate);
            match rates {
                [Some(low), Some(high)] if high >= NEARLY_ALL && low <= 1.0 - NEARLY_ALL => {
                    let what = format!(
                        "nearly all packets above {} bytes were lost, and hardly any other",
                        number::count((*upper).into())
                    );
                    return Some(told(Look::Large, Some((*upper).into()), what));
                }
                [Some(low), Some(high)] if low >= NEARLY_ALL && high <= 1.0 - NEARLY_ALL => {
                    let what = format!(
                        "nearly all packets of up to {} bytes were lost, and hardly any other",
                        number::count((*upper).into())
                    );
                    return Some(told(Look::Small, Some((*upper).into()), what));
                }
                _ => {}
            }
        }
        None
    }

    /// By IP length, what is one packet on the wire: a super-frame that is cut up is many, so that
    /// any loss there takes it more often than a packet, however long it is.
    pub(super) fn sizes_on_wire(&self) -> &[Fates] {
        let between = self.lossy.between;
        match between.segmented + between.coalesced {
            0 => &between.shape.sizes,
            _ => {
                let short = SIZES.iter().filter(|upper| **upper <= LONGEST_OF_SEGMENTS);
                &between.shape.sizes[..short.count()]
            }
        }
    }

    fn lost_on_wire(&self) -> u64 {
        self.sizes_on_wire().iter().map(lost).sum()
    }

    /// The same, where others lose as well, but far less.
    pub(super) fn by_dead_flow(&self) -> Option<Described> {
        let is_dead = |flow: &&FlowLoss| flow.lost >= ENOUGH && is_blocked(flow);
        let (dead, others): (Vec<_>, Vec<_>) = self.lossy.flows.iter().partition(is_dead);
        let (inside, outside) = (sum(&dead), sum(&others));
        let is_it = inside.lost * 2 >= self.lost
            && outside.sent >= ENOUGH
            && outside.share() * FAR_LESS <= inside.share()
            && self.fare_as_flows(&dead, &[]);
        is_it.then(|| {
            told(
                Look::ByFlow,
                None,
                self.of_flows(dead.len(), inside, outside),
            )
        })
    }

    fn of_flows(&self, flows: usize, inside: Class, outside: Class) -> String {
        format!(
            "{} packets of {} of {} flows were lost{}, and {} of the others{}",
            inside.amount(),
            number::count(flows as u64),
            number::count(self.lossy.flows.len() as u64),
            inside.in_percent(),
            outside.amount(),
            outside.in_percent(),
        )
    }

    /// All of some flows, and hardly anything of others.
    pub(super) fn by_flow(&self) -> Option<Described> {
        let flows = self.lossy.flows.iter();
        let (blocked, others): (Vec<_>, Vec<_>) = flows.partition(|flow| is_blocked(flow));
        let (inside, outside) = (sum(&blocked), sum(&others));
        let is_it = self.is_nearly_all(inside.lost)
            && outside.sent >= ENOUGH
            && outside.share() <= 1.0 - NEARLY_ALL
            && self.fare_as_flows(&blocked, &others);
        is_it.then(|| {
            told(
                Look::ByFlow,
                None,
                self.of_flows(blocked.len(), inside, outside),
            )
        })
    }

    /// Whether chance would hardly have it that packets of a flow all fare as its first does. One
    /// that is alone tells nothing of that, so that most losses must be of flows with more.
    fn fare_as_flows(&self, blocked: &[&FlowLoss], others: &[&FlowLoss]) -> bool {
        let further = |flows: &[&FlowLoss]| -> f64 {
            let further = flows.iter().map(|flow| flow.sent.saturating_sub(1));
            further.sum::<u64>() as f64
        };
        let share = self.lost as f64 / self.sent as f64;
        let chance = share.powf(further(blocked)) * (1.0 - share).powf(further(others));
        let alone = blocked.iter().filter(|flow| flow.sent == 1).count() as u64;
        chance < BY_CHANCE && alone * 2 <= self.lost
    }

    pub(super) fn in_runs(&self) -> Option<Described> {
        let runs = &self.lossy.between.shape.runs[0];
        let mean = self.mean_run();
        let is_long = mean > LONG_RUNS * self.mean_by_chance() && runs.longest >= 4;
        is_long.then(|| {
            let runs_of = match runs.runs {
                1 => "in a row".to_owned(),
                several => format!(
                    "in {} runs, {mean:.1} at a time and {} at most",
                    number::count(several),
                    number::count(runs.longest)
                ),
            };
            let what = format!(
                "{} lost {runs_of}: random loss of this rate would have runs of {:.2}",
                number::counted(self.lost, "packet"),
                self.mean_by_chance(),
            );
            told(Look::Bursts, None, what)
        })
    }

    fn mean_run(&self) -> f64 {
        let runs = &self.lossy.between.shape.runs[0];
        runs.losses as f64 / runs.runs.max(1) as f64
    }

    fn mean_by_chance(&self) -> f64 {
        1.0 / (1.0 - self.lost as f64 / self.sent as f64)
    }

    /// How many times as much as of chance counts of losses vary: they come in longer runs.
    pub(super) fn clumped(&self) -> f64 {
        let varies = |mean: f64| 2.0 * mean - 1.0;
        (varies(self.mean_run()) / varies(self.mean_by_chance())).max(1.0)
    }

    /// Losses keep apart from each other in a way that chance does not have.
    pub(super) fn apart(&self) -> Option<Described> {
        let runs = &self.lossy.between.shape.runs[0];
        let rows = runs.losses - runs.runs;
        let expected = self.rows_by_chance();
        if expected < ROWS_BY_CHANCE || rows as f64 * 3.0 > expected {
            return None;
        }
        Some(self.one_of_all(rows).unwrap_or_else(|| {
            let what = format!(
                "{} of {} lost ({}), further apart than by chance, as where a rate is limited: {} \
                 two of a flow in a row, where chance would have {}",
                number::count(self.lost),
                number::counted(self.sent, "packet"),
                number::percent(self.lost, self.sent),
                times(rows),
                number::count(expected.round() as u64),
            );
            told(Look::Regular, None, what)
        }))
    }

    /// Losses that chance has right behind another of their flow.
    fn rows_by_chance(&self) -> f64 {
        let rows = self.lossy.flows.iter().map(|flow| {
            let lost = flow.lost as f64;
            lost * (lost - 1.0).max(0.0) / flow.sent as f64
        });
        rows.sum()
    }

    /// Exactly one of so many packets, or fragments: a counter that flows share.
    fn one_of_all(&self, rows: u64) -> Option<Described> {
        let lossy = self.lossy.flows.iter().filter(|flow| flow.lost > 0);
        if lossy.count() < 2 || self.period().is_some() {
            return None;
        }
        let front = &self.lossy.between.front;
        let fragments = front.fragments - self.lossy.between.front_passed.fragments;
        let (sent, noun) = match fragments == self.lost {
            true => (front.fragments, "fragment"),
            false => (self.sent, "packet"),
        };
        let period = (sent + self.lost / 2) / self.lost;
        (period >= 2 && sent.abs_diff(period * self.lost) <= period).then(|| {
            let what = format!(
                "exactly one of every {period} {noun}s was lost ({} of {}), {} two of a flow in a \
                 row: as if every {} of all flows together was",
                number::count(self.lost),
                number::count(sent),
                times(rows),
                number::ordinal(period),
            );
            told(Look::EveryKth, Some(period), what)
        })
    }
}

fn is_blocked(flow: &FlowLoss) -> bool {
    flow.lost as f64 >= NEARLY_ALL * flow.sent as f64
}

fn sum(flows: &[&FlowLoss]) -> Class {
    Class {
        sent: flows.iter().map(|flow| flow.sent).sum(),
        lost: flows.iter().map(|flow| flow.lost).sum(),
    }
}

fn times(rows: u64) -> String {
    match rows {
        0 => "never".to_owned(),
        rows => number::counted(rows, "time"),
    }
}

fn beyond(from: u32) -> Described {
    match from {
        0 => told(Look::All, None, "all fragments were lost".to_owned()),
        1 => told(
            Look::OnlyFirstPasses,
            Some(1),
            "only first fragments pass: every other was lost".to_owned(),
        ),
        from => told(
            Look::Beyond,
            Some(from.into()),
            format!(
                "only the first {from} fragments of a datagram pass: every one beyond was lost"
            ),
        ),
    }
}

fn rate(classes: &[Fates]) -> Option<f64> {
    let classes: Vec<Class> = classes.iter().map(Class::of).collect();
    let all = Class::sum(&classes);
    (all.sent >= ENOUGH).then(|| all.share())
}
