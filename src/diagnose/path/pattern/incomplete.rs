//! Losses where something puts datagrams together: of one that entered with fragments missing
//! nothing leaves, whichever of its fragments came; and of one of which a fragment is lost in front
//! of that, but behind where it was seen, nothing does either.

use super::{BY_CHANCE, Described, ENOUGH, FlowLoss, Look, Losses, Lossy, NEARLY_ALL, told};
use crate::compare::{Count, InFragments, Runs};
use crate::model::number;

/// Runs of losses that begin and end with datagrams: an outage does so by chance.
const ENOUGH_RUNS: u64 = 8;
/// Datagrams in a row that are told of.
const ENOUGH_IN_A_ROW: u64 = 16;
/// Times as long as chance would have runs of datagrams: in longer ones, something else drops them.
const LONG_RUNS: f64 = 2.0;

/// What of losses is so because what was sent is put together in between: all, if nearly all is
/// of datagrams of which nothing left, else that of those that were incomplete.
pub fn lost_as_incomplete(lossy: &Lossy<'_>) -> Count {
    let losses = Losses::of(lossy);
    if !losses.are_put_together() {
        return Count::default();
    }
    match losses.are_of_datagrams() {
        true => lossy.between.lost(),
        false => lossy.between.in_fragments[0].incomplete.none,
    }
}

impl Losses<'_> {
    /// All fragments of datagrams of which some were missing before, and of no other but all.
    pub(super) fn as_incomplete(&self) -> Option<Described> {
        let is_it = self.are_put_together() && self.are_of_datagrams();
        is_it.then(|| {
            let what = put_together(&self.lossy.between.in_fragments[0]);
            told(Look::Incomplete, None, what)
        })
    }

    /// All fragments of some datagrams, now and then one, and hardly any part of others.
    pub(super) fn by_datagram(&self) -> Option<Described> {
        let sent = &self.lossy.between.in_fragments[0];
        let (gone, in_part) = (sent.none(), sent.whole.some + sent.incomplete.some);
        let are_whole = self.are_of_datagrams()
            && gone.packets >= 2 * gone.datagrams
            && in_part as f64 <= (1.0 - NEARLY_ALL) * gone.datagrams as f64;
        let scattered = Scattered::of(sent, &self.lossy.between.shape.runs[0]);
        let is_it = are_whole && scattered.runs >= ENOUGH_RUNS && scattered.are_single();
        is_it.then(|| {
            let part = match in_part {
                0 => "none".to_owned(),
                some => number::count(some),
            };
            let what = format!(
                "all fragments of {} of {} were lost ({}), and a part of {part}: as where they \
                 are put together in between, and one lost fragment takes all; {} of fragments \
                 lost in front of that would do it{}",
                number::count(gone.datagrams),
                number::counted(scattered.entered + scattered.in_a_row, "datagram"),
                number::percent(gone.datagrams, scattered.entered + scattered.in_a_row),
                number::share(scattered.of_fragments()),
                scattered.besides(),
            );
            told(Look::ByDatagram, None, what)
        })
    }

    /// Whether nearly all is of datagrams of which nothing left.
    fn are_of_datagrams(&self) -> bool {
        self.is_nearly_all(self.lossy.between.in_fragments[0].none().packets)
    }

    /// Whether nothing leaves of what entered incomplete, and chance would hardly have it so. Of
    /// what left each datagram might have been an incomplete one, however long nothing at all did:
    /// so that an outage is not taken for it.
    fn are_put_together(&self) -> bool {
        let incomplete = &self.lossy.between.in_fragments[0].incomplete;
        let gone = incomplete.none.datagrams;
        let are_gone = gone as f64 >= NEARLY_ALL * incomplete.entered() as f64;
        gone >= ENOUGH && are_gone && chance(&telling(&self.lossy.flows)) < BY_CHANCE
    }
}

/// Datagrams that are lost now and then, but for the most that are in a row: these may be lost
/// for something else, as for want of memory.
struct Scattered {
    runs: u64,
    in_a_row: u64,
    entered: u64,
    gone: u64,
    fragments_of_each: f64,
}

impl Scattered {
    fn of(sent: &InFragments, runs: &Runs) -> Self {
        let gone = sent.none();
        let fragments_of_each = gone.packets as f64 / gone.datagrams.max(1) as f64;
        let in_a_row = (runs.longest as f64 / fragments_of_each.max(1.0)).round() as u64;
        let in_a_row = in_a_row.min(gone.datagrams);
        Self {
            runs: runs.runs.saturating_sub(1),
            in_a_row,
            entered: sent.whole.entered() + sent.incomplete.entered() - in_a_row,
            gone: gone.datagrams - in_a_row,
            fragments_of_each,
        }
    }

    fn share(&self) -> f64 {
        self.gone as f64 / self.entered.max(1) as f64
    }

    /// Whether they are about as many at a time as chance has, which tells them from outages.
    fn are_single(&self) -> bool {
        let by_chance = 1.0 / (1.0 - self.share());
        self.gone as f64 <= LONG_RUNS * by_chance * self.runs as f64
    }

    /// The share of fragments that must be lost at random for so many datagrams to miss one.
    fn of_fragments(&self) -> f64 {
        1.0 - (1.0 - self.share()).powf(1.0 / self.fragments_of_each)
    }

    fn besides(&self) -> String {
        match self.in_a_row {
            0..ENOUGH_IN_A_ROW => String::new(),
            many => format!(
                "; {} of them were lost in a row, as where the memory for that is full",
                number::count(many)
            ),
        }
    }
}

/// What was sent of flows of which anything passes: what is blocked says nothing of the others.
fn telling(flows: &[FlowLoss]) -> InFragments {
    let mut sum = InFragments::default();
    for flow in flows {
        let sent = &flow.in_fragments;
        let passed = sent.whole.passed() + sent.incomplete.passed();
        let entered = sent.whole.entered() + sent.incomplete.entered();
        if passed > 0 || entered == 1 {
            sum += *sent;
        }
    }
    sum
}

/// How likely so few of the datagrams that left were incomplete, if they passed as others do: no
/// more than that, by Chernoff's bound.
fn chance(sent: &InFragments) -> f64 {
    let entered = (sent.whole.entered() + sent.incomplete.entered()) as f64;
    let passed = (sent.whole.passed() + sent.incomplete.passed()) as f64;
    let expected = sent.incomplete.entered() as f64 / entered.max(1.0);
    let found = sent.incomplete.passed() as f64 / passed.max(1.0);
    if found >= expected {
        return 1.0;
    }
    let part = |found: f64, expected: f64| match found > 0.0 {
        true => found * (found / expected).ln(),
        false => 0.0,
    };
    let divergence = part(found, expected) + part(1.0 - found, 1.0 - expected);
    (-passed * divergence).exp()
}

/// What becomes of datagrams that are put together in between, in words.
pub fn put_together(sent: &InFragments) -> String {
    let incomplete = number::counted(sent.incomplete.none.datagrams, "datagram");
    let others = match (sent.incomplete.passed(), sent.whole.none.datagrams) {
        (0, 0) => String::new(),
        (0, gone) => format!(
            ", nor of {} of {} that had entered whole",
            number::count(gone),
            number::count(sent.whole.entered())
        ),
        (passed, _) => format!(", and something of {}", number::count(passed)),
    };
    format!(
        "nothing left of {incomplete} that had entered with fragments missing{others}: datagrams \
         are put together in between, and what does not become whole there is lost"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Between, Fate, Left, Place};

    fn left(all: u64, some: u64, none: u64) -> Left {
        Left {
            all,
            some,
            none: Count {
                datagrams: none,
                packets: none * 5,
                fragments: none * 5,
                bytes: none * 7_000,
            },
        }
    }

    /// A flow of which so much was lost besides.
    fn flow(whole: Left, incomplete: Left, besides: u64) -> Between {
        let mut between = Between::default();
        between.in_fragments[0] = InFragments { whole, incomplete };
        let some = 3 * (whole.some + incomplete.some);
        let passed = 6 * whole.all + 5 * incomplete.all + some;
        let none = between.in_fragments[0].none();
        between.front_passed.packets = passed;
        between.front.packets = passed + none.packets + some + besides;
        between.front.bytes = none.bytes;
        between
    }

    /// Packets that are lost for it, of all that are.
    fn explained(flows: &[Between]) -> (u64, u64) {
        let mut sum = Between::default();
        flows.iter().for_each(|flow| sum.add(flow));
        let lossy = Lossy {
            between: &sum,
            series: None,
            flows: flows.iter().map(FlowLoss::of).collect(),
        };
        (lost_as_incomplete(&lossy).packets, sum.lost().packets)
    }

    #[test]
    fn what_is_whole_passes_and_what_is_not_does_not() {
        let node = flow(left(966, 0, 0), left(0, 0, 259), 0);
        assert_eq!(explained(&[node]), (1_295, 1_295));
        let with_full_memory = flow(left(966, 0, 301), left(0, 0, 259), 0);
        assert_eq!(explained(&[with_full_memory]), (2_800, 2_800));
        // As of 3 % of fragments lost, 45 of each.
        let nearly_always_full = flow(left(7, 0, 6_000), left(0, 0, 18_000), 0);
        assert_eq!(explained(&[nearly_always_full]), (120_000, 120_000));
        let hardly_any_lost = flow(left(990, 0, 0), left(0, 0, 10), 0);
        assert_eq!(explained(&[hardly_any_lost]), (50, 50));
    }

    #[test]
    fn what_is_lost_besides_is_not_explained() {
        let and_at_random = flow(left(700, 266, 0), left(0, 0, 259), 0);
        assert_eq!(explained(&[and_at_random]), (1_295, 1_295 + 798));
        let and_others = flow(left(966, 0, 0), left(0, 0, 259), 900);
        assert_eq!(explained(&[and_others]), (1_295, 2_195));
    }

    #[test]
    fn loss_without_regard_to_datagrams_is_something_else() {
        let at_random = flow(left(700, 267, 0), left(200, 59, 0), 0);
        let outage = flow(left(600, 1, 366), left(160, 1, 98), 0);
        let few = flow(left(990, 0, 0), left(0, 0, 7), 0);
        let all = flow(left(0, 0, 900), left(0, 0, 100), 0);
        let soon_over = flow(left(6, 0, 966), left(0, 0, 259), 0);
        for between in [at_random, outage, few, all, soon_over] {
            assert_eq!(
                explained(std::slice::from_ref(&between)).0,
                0,
                "{between:?}"
            );
        }
    }

    /// What is said of a flow that loses these of its datagrams, of six fragments each.
    fn look(is_lost: impl Fn(u32) -> bool, in_part: u64) -> Described {
        let gone = (0..1_000).filter(|number| is_lost(*number)).count() as u64;
        let whole = left(1_000 - gone - in_part, in_part, 0);
        let mut between = flow(whole, left(0, 0, 0), 3 * in_part);
        between.in_fragments[0].whole.none = Count {
            datagrams: gone,
            packets: 6 * gone,
            fragments: 6 * gone,
            bytes: 8_220 * gone,
        };
        between.front.packets += 6 * gone;
        for order in 0..6_000 {
            let (datagram, number) = (order / 6, order % 6);
            let fate = match is_lost(datagram) {
                true => Fate::Front,
                false => Fate::Both,
            };
            let place = Place {
                number,
                of: Some((number * 1_480, 8_200)),
                is_last: number == 5,
            };
            let ip_bytes = if number == 5 { 820 } else { 1_500 };
            between.shape.count(fate, ip_bytes, Some(place));
            if is_lost(datagram) {
                between.shape.lose(fate, order);
            }
        }
        super::super::of(&Lossy::of_flow(&between))
    }

    #[test]
    fn whole_datagrams_now_and_then_are_put_together_behind_the_loss() {
        let single = look(|number| number % 7 == 3 || number % 11 == 2, 0);
        let told = "all fragments of 221 of 1,000 datagrams were lost (22.1 %), and a part of \
                    none: as where they are put together in between, and one lost fragment takes \
                    all; 4.0 % of fragments lost in front of that would do it";
        assert_eq!(
            (single.pattern, &single.described[..]),
            (Look::ByDatagram, told)
        );
    }

    #[test]
    fn full_memory_besides_is_told() {
        let with_more = look(|number| number % 7 == 3 || (500..700).contains(&number), 0);
        let told = "2.5 % of fragments lost in front of that would do it; 200 of them were lost \
                    in a row, as where the memory for that is full";
        assert_eq!(with_more.pattern, Look::ByDatagram);
        assert!(
            with_more.described.ends_with(told),
            "{}",
            with_more.described
        );
    }

    #[test]
    fn parts_of_datagrams_and_outages_are_something_else() {
        let in_part = look(|number| number % 7 == 3 || number % 11 == 2, 40);
        let outages = look(|number| number % 100 < 20, 0);
        let one_outage = look(|number| (300..520).contains(&number), 0);
        let all = look(|number| number > 2, 0);
        for look in [in_part, outages, one_outage, all] {
            assert_ne!(look.pattern, Look::ByDatagram, "{}", look.described);
        }
    }

    #[test]
    fn a_blocked_flow_that_lost_before_is_something_else() {
        let blocked = flow(left(0, 0, 800), left(0, 0, 200), 0);
        let other = flow(left(1_000, 0, 0), left(0, 0, 0), 0);
        assert_eq!(explained(&[blocked, other]).0, 0);
        let single = |is_whole: bool| match is_whole {
            true => flow(left(1, 0, 0), left(0, 0, 0), 0),
            false => flow(left(0, 0, 0), left(0, 0, 1), 0),
        };
        let flows: Vec<Between> = (0..400).map(|number| single(number % 8 > 0)).collect();
        assert_eq!(explained(&flows), (250, 250));
    }

    #[test]
    fn what_becomes_of_them_is_told_with_figures() {
        let sent = InFragments {
            whole: left(966, 0, 301),
            incomplete: left(0, 0, 259),
        };
        let told = "nothing left of 259 datagrams that had entered with fragments missing, nor \
                    of 301 of 1,267 that had entered whole: datagrams are put together in \
                    between, and what does not become whole there is lost";
        assert_eq!(put_together(&sent), told);
    }
}
