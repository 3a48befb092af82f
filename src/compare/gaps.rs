//! What all points take next where some left out some of it. Between two gaps are few packets, and to
//! take these alone would take longer than to look at them: what is the same everywhere is gathered
//! across gaps, and taken together.

use super::feed::Feed;
use super::flight::Flight;
use super::group::Group;
use super::run::MAX_POINTS;
use super::sighting::{Form, Sighting};
use super::slab::NONE;
use crate::model::Timestamp;

/// So many in a row may be missing elsewhere, to be seen at once.
pub(super) const MISSING: usize = 8;
/// What is late by so many is not missing.
const LATE: usize = 16;

/// What each point has next.
pub(super) type Next<'a> = [&'a [Sighting]; MAX_POINTS];

/// What each point has at hand.
#[inline(always)]
pub(super) fn at_hand(feeds: &[Feed]) -> Next<'_> {
    let mut next: Next<'_> = [&[]; MAX_POINTS];
    for (next, feed) in next.iter_mut().zip(feeds) {
        *next = feed.at_hand();
    }
    next
}

/// Takes what all points have next, and what some have in between, as far as it comes until some time;
/// says how much of it was the same everywhere, `None` if there was nothing of either. Nothing is in
/// the group before, nor then.
pub(super) fn take_across(
    group: &mut Group,
    flight: &mut Flight,
    feeds: &mut [Feed],
    until: Timestamp,
) -> Option<usize> {
    let points = feeds.len();
    let hands = at_hand(feeds);
    let comes_in_time = |(point, hand): (usize, &&[Sighting])| {
        hand.last()
            .is_some_and(|last| flight.time_of(point, last) <= until)
    };
    if !hands[..points].iter().enumerate().all(comes_in_time) {
        return None;
    }
    let (mut next, mut all) = (hands, 0);
    while next[..points].iter().all(|next| !next.is_empty()) {
        let same = gather(group, flight, &mut next[..points]);
        all += same;
        if let Some(point) = left_out(flight, &next[..points]) {
            let sighting = &next[point][0];
            let flow = flight.paths.bound_to(point, sighting.lane);
            if group.has(flow) {
                // Within its flow everything is taken in its order.
                group.take(flight);
            }
            flight.leave_out(point, sighting, flight.time_of(point, sighting));
            next[point] = &next[point][1..];
        } else if same == 0 || group.room() > 0 {
            break;
        }
    }
    group.take(flight);
    let left = next.map(<[Sighting]>::len);
    let taken = hands.map(<[Sighting]>::len);
    for (feed, (taken, left)) in feeds.iter_mut().zip(taken.into_iter().zip(left)) {
        feed.advance(taken - left, flight);
    }
    (taken != left).then_some(all)
}

/// Gathers what all points have next, as long as that is the same and there is room; says how many
/// these were. Without room what was gathered is taken.
#[inline(always)]
fn gather(group: &mut Group, flight: &mut Flight, next: &mut [&[Sighting]]) -> usize {
    if group.room() == 0 {
        group.take(flight);
    }
    let lengths = next.iter().map(|next| next.len());
    let most = lengths.min().unwrap_or(0).min(group.room());
    let mut same = 0;
    while same < most
        && let Some(flow) = flow_of_same(flight, next, same)
    {
        group.add(1, flow);
        same += 1;
    }
    for (gathered, next) in group.sightings().iter_mut().zip(next) {
        gathered.extend_from_slice(&next[..same]);
        *next = &next[same..];
    }
    same
}

/// The flow of what all points have at a place, if that is one packet that surely is new.
#[inline(always)]
fn flow_of_same(flight: &Flight, next: &[&[Sighting]], place: usize) -> Option<u32> {
    let first = &next[0][place];
    let flow = flight.paths.bound_to(0, first.lane);
    let mut is_same = flow != NONE && first.form != Form::Piece;
    for (point, next) in next.iter().enumerate() {
        let theirs = &next[place];
        is_same &= theirs.is_new_here()
            && (point == 0
                || theirs.is_same_as(first) && flight.paths.bound_to(point, theirs.lane) == flow);
    }
    is_same.then_some(flow)
}

/// A point that has something next that the others left out.
#[inline(always)]
fn left_out(flight: &Flight, next: &[&[Sighting]]) -> Option<usize> {
    (0..next.len()).find(|point| {
        is_left_out(flight, next, *point) && flight.may_leave_out(*point, &next[*point][0])
    })
}

/// Whether another point goes on with what a point takes soon, and has what that takes next
/// not soon: it is lost there, or late, and most likely nowhere at hand.
pub(super) fn is_left_out(flight: &Flight, next: &[&[Sighting]], point: usize) -> bool {
    let Some((first, soon)) = next[point].split_first() else {
        return false;
    };
    let soon = up_to(soon, MISSING);
    let mut others = next.iter().enumerate();
    others.any(|(other, theirs)| {
        let is_it =
            |theirs: &Sighting, mine: &Sighting| is_same(flight, (other, theirs), (point, mine));
        let goes_on = |theirs: &Sighting| soon.iter().any(|mine| is_it(theirs, mine));
        let is_late = || {
            up_to(theirs, LATE)
                .iter()
                .any(|theirs| is_it(theirs, first))
        };
        other != point && theirs.first().is_some_and(goes_on) && !is_late()
    })
}

/// Whether two points saw one packet, as far as anybody can tell.
#[inline(always)]
pub(super) fn is_same(
    flight: &Flight,
    (point, sighting): (usize, &Sighting),
    (other, theirs): (usize, &Sighting),
) -> bool {
    let flow = |point: usize, sighting: &Sighting| flight.paths.bound_to(point, sighting.lane);
    sighting.is_same_as(theirs) && flow(point, sighting) == flow(other, theirs)
}

/// So many at most.
fn up_to(some: &[Sighting], most: usize) -> &[Sighting] {
    some.get(..most).unwrap_or(some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::content::hash;
    use crate::compare::feed::of_memory::{lane, seen, sent};
    use crate::compare::feeds::Feeds;
    use crate::compare::flight::of_two_points;
    use crate::compare::intake::Intake;
    use crate::compare::merge::merge;
    use crate::model::Duration;
    use proptest::prelude::*;
    use std::ops::ControlFlow;

    /// So many come in one batch of a point.
    const BATCH: usize = 700;
    /// How much later packets come to the second point.
    const LATER: Duration = Duration(50_000);

    /// Some packets in a row: how many, and which points saw them.
    type Stretch = (usize, [bool; 2]);

    fn stretches() -> impl Strategy<Value = Vec<Stretch>> {
        let stretch = prop_oneof![
            6 => (1..60_usize, Just([true, true])),
            1 => (300..900_usize, Just([true, true])),
            6 => (1..12_usize, Just([true, false])),
            2 => (1..12_usize, Just([false, true])),
            1 => (1..1_500_usize, Just([true, false])),
            1 => (1..900_usize, Just([false, true])),
        ];
        prop::collection::vec(stretch, 1..60)
    }

    /// The packets of some flows that are sent, so many at a time, and who saw each.
    fn packets(
        all: &[Stretch],
        (flows, at_a_time): (u32, usize),
        is_numbered: bool,
    ) -> Vec<(Sighting, [bool; 2])> {
        let mut ids = vec![0; flows as usize];
        let seen_by = all
            .iter()
            .flat_map(|(many, by)| std::iter::repeat_n(*by, *many));
        let packet = |(place, by): (usize, [bool; 2])| {
            let flow = (hash(&[place as u64]) % u64::from(flows)) as u32;
            ids[flow as usize] += 1;
            let packet = seen(flow, ids[flow as usize], (place / at_a_time) as i64);
            let packet = match is_numbered {
                true => packet,
                false => Sighting {
                    id: 0,
                    head: hash(&[place as u64, 1]),
                    is_numbered,
                    is_fresh: false,
                    ..packet
                },
            };
            (packet, by)
        };
        seen_by.enumerate().map(packet).collect()
    }

    /// Of each flow, by point: what that alone saw, in how many runs, and the longest.
    type Alone = Vec<[(u64, u64, u64); 2]>;

    /// What is told of them: how many each point saw, how many both, and what one alone.
    fn told(packets: &[(Sighting, [bool; 2])], flows: u32) -> ([u64; 3], Alone) {
        let mut flight = of_two_points();
        let of_point = |point: usize| {
            let lanes: Vec<_> = (0..flows).map(|flow| lane(flow as u8)).collect();
            let seen = packets.iter().filter(|(_, by)| by[point]);
            let seen = seen.map(|(packet, _)| Sighting {
                time: packet.time + Duration(point as i64 * LATER.0),
                ..*packet
            });
            let seen: Vec<Sighting> = seen.collect();
            let batch = |(place, seen): (usize, &[Sighting])| {
                let lanes = if place == 0 {
                    lanes.clone()
                } else {
                    Vec::new()
                };
                let mut batch = sent(lanes, seen.to_vec());
                batch.from = Some(Timestamp(0));
                batch.batch.until = seen.last().map_or(Timestamp(0), |last| last.time);
                batch
            };
            seen.chunks(BATCH).enumerate().map(batch).collect()
        };
        let intake = Intake::of([0, 1].into_iter().map(of_point));
        let mut feeds = Feeds::new(2, &intake);
        let is_over = merge(&mut flight, &mut feeds, &|_| ControlFlow::Continue(()));
        assert!(is_over.is_continue());
        flight.finish();
        let book = flight.take_book();
        let tally = |point: usize| &book.tallies[point];
        let all = [tally(0).datagrams, tally(1).datagrams, tally(0).matched];
        let (accounts, _) = book.into_accounts();
        let of_account = |account: &crate::compare::Account| {
            let runs = &account.between[0].shape.runs;
            [0, 1].map(|side| (runs[side].losses, runs[side].runs, runs[side].longest))
        };
        (all, sorted(accounts.iter().map(of_account)))
    }

    fn sorted(all: impl Iterator<Item = [(u64, u64, u64); 2]>) -> Alone {
        let mut all: Alone = all.collect();
        all.sort_unstable();
        all
    }

    /// The same by counting.
    fn counted(packets: &[(Sighting, [bool; 2])], flows: u32) -> ([u64; 3], Alone) {
        let of_flow = |flow: u32| {
            let of_flow = packets.iter().filter(|(packet, _)| packet.lane == flow);
            let by: Vec<[bool; 2]> = of_flow.map(|(_, by)| *by).collect();
            [0, 1].map(|point| {
                let seen = by.iter().filter(|by| by[point]);
                let are_alone: Vec<bool> = seen.map(|by| !by[1 - point]).collect();
                let runs = are_alone.split(|is_alone| !is_alone).map(<[bool]>::len);
                let runs: Vec<usize> = runs.filter(|run| *run > 0).collect();
                let longest = runs.iter().max().copied().unwrap_or_default();
                let all: usize = runs.iter().sum();
                (all as u64, runs.len() as u64, longest as u64)
            })
        };
        let are_any = |flow: &u32| packets.iter().any(|(packet, _)| packet.lane == *flow);
        let seen_by = |is_it: fn(&[bool; 2]) -> bool| {
            let seen = packets.iter().filter(|(_, by)| is_it(by));
            seen.count() as u64
        };
        let all = [
            seen_by(|by| by[0]),
            seen_by(|by| by[1]),
            seen_by(|by| by[0] && by[1]),
        ];
        (all, sorted((0..flows).filter(are_any).map(of_flow)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_points_left_out_is_told_as_it_is(
            all in stretches(),
            flows in prop::sample::select(vec![1_u32, 3, 60]),
            at_a_time in prop::sample::select(vec![1_usize, 2, 17, 300]),
            is_numbered in any::<bool>(),
        ) {
            // What is no part of the path, or beyond the end of a capture, is not counted.
            let known = |many: usize| vec![(many, [true, true])];
            let all = [known(10 * flows as usize + 30 + at_a_time), all, known(2_000)].concat();
            let packets = packets(&all, (flows, at_a_time), is_numbered);
            let (told, counted) = (told(&packets, flows), counted(&packets, flows));
            prop_assert_eq!(told.0, counted.0);
            // What looks like others of its flow, as far as is known of those, is in no run.
            prop_assert!(!is_numbered || told.1 == counted.1);
        }
    }
}
