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
/// says how much of it was the same everywhere, `None` if there was nothing of either.
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
        group.note(flow);
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
    let goes_on = |(other, theirs): (usize, &&[Sighting])| {
        let is_same = |theirs: &Sighting, mine: &Sighting| {
            let flow = |point: usize, lane: u32| flight.paths.bound_to(point, lane);
            theirs.is_same_as(mine) && flow(other, theirs.lane) == flow(point, mine.lane)
        };
        let is_soon =
            |theirs: &Sighting| soon.iter().take(MISSING).any(|mine| is_same(theirs, mine));
        let is_late = || {
            theirs
                .iter()
                .take(LATE)
                .any(|theirs| is_same(theirs, first))
        };
        theirs.first().is_some_and(is_soon) && !is_late()
    };
    let mut others = next.iter().enumerate();
    others.any(|(other, theirs)| other != point && goes_on((other, theirs)))
}
