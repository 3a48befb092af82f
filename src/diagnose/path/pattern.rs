//! What losses have in common.

use crate::compare::{Between, Fate, Fates, SIZES, Series};
use crate::model::number;

/// What losses have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing.
    Random,
    /// They are fragments that are not the first.
    OnlyFirstPasses,
    /// They are first fragments.
    FirstLost,
    /// They are last fragments.
    LastLost,
    /// They are fragments beyond some number of each datagram.
    Beyond,
    /// Each k-th packet of a flow is one.
    EveryKth,
    /// They are large.
    Large,
    /// They are small.
    Small,
    /// They come in runs.
    Bursts,
    /// They are all there was.
    All,
    /// They are all there was from some time on.
    FromTimeOn,
    /// There are too few to say.
    TooFew,
}

/// What losses look like, in words too.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// What they have in common.
    pub pattern: Look,
    /// k, or how many fragments pass.
    pub number: Option<u64>,
    /// A sentence.
    pub described: String,
}

/// Losses it takes to say what they have in common.
const ENOUGH: u64 = 8;
/// Nearly all.
const NEARLY_ALL: f64 = 0.95;
/// Times as long as chance would have runs.
const LONG_RUNS: f64 = 3.0;

/// Losses by what they may have in common.
struct Losses<'a> {
    between: &'a Between,
    series: Option<&'a Series>,
    sent: u64,
    lost: u64,
}

/// What the losses between two points look like.
pub fn of(between: &Between, series: Option<&Series>) -> Described {
    let sent = between.front.packets;
    let losses = Losses {
        between,
        series,
        sent,
        lost: sent - between.front_passed.packets,
    };
    losses.described()
}

impl Losses<'_> {
    fn described(&self) -> Described {
        if self.lost == self.sent {
            let what = format!("all {} were lost", number::counted(self.sent, "packet"));
            return told(Look::All, None, what);
        }
        if self.lost < ENOUGH {
            return told(Look::TooFew, None, self.few());
        }
        let known: [fn(&Self) -> Option<Described>; 7] = [
            Self::since,
            Self::to_the_end,
            Self::by_place,
            Self::by_distance,
            Self::by_size,
            Self::in_runs,
            |losses| Some(losses.evenly()),
        ];
        known
            .iter()
            .find_map(|look| look(self))
            .unwrap_or_else(|| self.evenly())
    }

    fn few(&self) -> String {
        format!(
            "{} of {} lost: too few to say what they have in common",
            number::count(self.lost),
            number::counted(self.sent, "packet")
        )
    }

    /// From some step on nothing passed, and before that nothing was lost.
    fn since(&self) -> Option<Described> {
        let series = self.series?;
        let steps: Vec<&Fates> = series
            .steps
            .iter()
            .filter(|fates| sent(fates) > 0)
            .collect();
        let first = steps
            .iter()
            .position(|fates| fates.of(Fate::Both) == 0 && lost(fates) > 0)?;
        let (before, after) = steps.split_at(first);
        let passed_after: u64 = after.iter().map(|fates| fates.of(Fate::Both)).sum();
        let lost_before: u64 = before.iter().map(|fates| lost(fates)).sum();
        let is_it =
            first > 0 && passed_after == 0 && after.len() >= 2 && lost_before * 20 < self.lost;
        is_it.then(|| {
            let at = series.width.as_secs_f64() * first as f64;
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

    /// One run of a flow, up to its end.
    fn to_the_end(&self) -> Option<Described> {
        let runs = &self.between.shape.runs[0];
        let is_it = runs.runs == 1
            && runs.losses == self.lost
            && runs
                .latest()
                .is_some_and(|latest| u64::from(latest) + 1 == self.sent);
        is_it.then(|| {
            let passed = number::counted(self.sent - self.lost, "packet");
            let what = format!("everything behind the first {passed} was lost");
            told(Look::FromTimeOn, None, what)
        })
    }

    /// Fragments by their place in the datagram.
    fn by_place(&self) -> Option<Described> {
        let shape = &self.between.shape;
        let [first, middle, last] = &shape.ends;
        let of_fragments = lost(first) + lost(middle) + lost(last);
        if (of_fragments as f64) < NEARLY_ALL * self.lost as f64 || sent(first) == 0 {
            return None;
        }
        let passed = shape.passed_up_to.map_or(0, |number| number + 1);
        if let Some(from) = shape.lost_from[0].filter(|from| *from >= passed) {
            return Some(beyond(from));
        }
        let is_nearly = |part: u64| part as f64 >= NEARLY_ALL * self.lost as f64;
        if is_nearly(lost(first)) {
            let what = format!(
                "{} first fragments were lost, and hardly any other",
                number::count(lost(first))
            );
            return Some(told(Look::FirstLost, None, what));
        }
        is_nearly(lost(last)).then(|| {
            let what = format!(
                "{} last fragments were lost, and hardly any other",
                number::count(lost(last))
            );
            told(Look::LastLost, None, what)
        })
    }

    fn by_distance(&self) -> Option<Described> {
        let period = self.between.shape.runs[0].period()?;
        let what = format!(
            "every {} packet of a flow was lost",
            number::ordinal(period.into())
        );
        Some(told(Look::EveryKth, Some(period.into()), what))
    }

    /// Nearly all above a size, or below, and hardly any other.
    fn by_size(&self) -> Option<Described> {
        let sizes = &self.between.shape.sizes;
        for (place, upper) in SIZES.iter().enumerate() {
            let (below, above) = sizes.split_at(place + 1);
            let rates = [below, above].map(rate);
            match rates {
                [Some(low), Some(high)] if high >= NEARLY_ALL && low <= 1.0 - NEARLY_ALL => {
                    let what = format!(
                        "nearly all packets above {upper} bytes were lost, and hardly any other"
                    );
                    return Some(told(Look::Large, Some((*upper).into()), what));
                }
                [Some(low), Some(high)] if low >= NEARLY_ALL && high <= 1.0 - NEARLY_ALL => {
                    let what = format!(
                        "nearly all packets of up to {upper} bytes were lost, and hardly any other"
                    );
                    return Some(told(Look::Small, Some((*upper).into()), what));
                }
                _ => {}
            }
        }
        None
    }

    fn in_runs(&self) -> Option<Described> {
        let runs = &self.between.shape.runs[0];
        let mean = runs.losses as f64 / runs.runs.max(1) as f64;
        let is_long = mean > LONG_RUNS * self.mean_by_chance() && runs.longest >= 4;
        is_long.then(|| {
            let what = format!(
                "{} lost in {}, {mean:.1} at a time and {} at most: random loss of this rate \
                 would have runs of {:.2}",
                number::counted(self.lost, "packet"),
                number::counted(runs.runs, "run"),
                number::count(runs.longest),
                self.mean_by_chance(),
            );
            told(Look::Bursts, None, what)
        })
    }

    fn mean_by_chance(&self) -> f64 {
        1.0 / (1.0 - self.lost as f64 / self.sent as f64)
    }

    fn evenly(&self) -> Described {
        let has_fragments = self.between.shape.ends.iter().any(|end| sent(end) > 0);
        let over = match has_fragments {
            true => "evenly over positions in the datagram, sizes and time",
            false => "evenly over sizes and time",
        };
        let what = format!(
            "{} of {} lost ({}), {over}",
            number::count(self.lost),
            number::counted(self.sent, "packet"),
            number::percent(self.lost, self.sent),
        );
        told(Look::Random, None, what)
    }
}

fn told(pattern: Look, number: Option<u64>, described: String) -> Described {
    Described {
        pattern,
        number,
        described,
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

fn lost(fates: &Fates) -> u64 {
    fates.of(Fate::Front)
}

fn sent(fates: &Fates) -> u64 {
    fates.of(Fate::Both) + lost(fates)
}

fn rate(classes: &[Fates]) -> Option<f64> {
    let all: u64 = classes.iter().map(sent).sum();
    let gone: u64 = classes.iter().map(lost).sum();
    (all >= ENOUGH).then(|| gone as f64 / all as f64)
}

/// Steps it takes to say how losses go with the rate.
const STEPS: usize = 8;

/// The correlation of the share lost with packets sent, over steps of time.
pub fn with_rate(series: &Series) -> Option<f64> {
    let steps = series.steps.iter().filter(|fates| sent(fates) > 0);
    let steps: Vec<(f64, f64)> = steps
        .map(|fates| {
            let all = sent(fates) as f64;
            (all, lost(fates) as f64 / all)
        })
        .collect();
    if steps.len() < STEPS {
        return None;
    }
    let count = steps.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| steps.iter().map(of).sum::<f64>() / count;
    let (mean_sent, mean_share) = (mean(|step| step.0), mean(|step| step.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        steps
            .iter()
            .map(|(all, share)| of(all - mean_sent, share - mean_share))
            .sum::<f64>()
    };
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
}
