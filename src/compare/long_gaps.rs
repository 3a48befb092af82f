//! Much that one point left out in a row, as a capture does that cannot keep up, or a link that fails:
//! where it goes on is far behind in what others have at hand.

use super::content::hash;
use super::feed::Feed;
use super::flight::Flight;
use super::gaps::{at_hand, is_same};
use super::run::MAX_POINTS;
use super::sighting::Sighting;
use super::slab::NONE;
use crate::model::{Duration, Timestamp};

/// So far is looked for what another point goes on with.
const FAR: usize = 1 << 13;
/// What is late by so many is not missing.
const LATE: usize = 1 << 9;
/// Where that was not there it is not looked for again so often, at most.
const MOST_WAIT: u32 = 1 << 10;

/// What comes so much later than all that a point has at hand is not among what it took before: that
/// would be late by so much.
const LATER: Duration = Duration(50_000);

/// Looks for long gaps, ever less where there are none.
#[derive(Debug, Default)]
pub(super) struct LongGaps {
    wait: u32,
    waits: u32,
    /// By point: what was looked for last, and in what, without being there, and whether it may be
    /// behind that.
    missed: [(u64, bool); MAX_POINTS],
}

/// Up to where another point left out what a point has next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// There it goes on.
    At(usize),
    /// It goes on later than all that is at hand.
    Behind(usize),
    /// It may do so, or have gone on with what was taken before.
    Open,
    /// What is next is no gap, as far as anybody can tell.
    None,
    /// The same was asked before, or need not be asked.
    Known,
}

impl LongGaps {
    /// Gives what one point has in front of what all others go on with, as far as it comes until some
    /// time; says whether there was any.
    pub fn take(&mut self, flight: &mut Flight, feeds: &mut [Feed], until: Timestamp) -> bool {
        if self.waits > 0 {
            self.waits -= 1;
            return false;
        }
        let mut is_none = false;
        for point in 0..feeds.len() {
            match self.end(flight, feeds, point) {
                End::At(place) | End::Behind(place) => {
                    self.missed[point] = Default::default();
                    if take_up_to(flight, &mut feeds[point], (place, until)) {
                        self.wait = 0;
                        return true;
                    }
                }
                End::Open => self.missed[point].1 = true,
                End::None => is_none = true,
                End::Known => {}
            }
        }
        if is_none && !self.is_any_open() {
            self.wait = (2 * self.wait + 1).min(MOST_WAIT);
            self.waits = self.wait;
        }
        false
    }

    /// Whether what is next may be in a gap that ends behind all that is at hand.
    pub fn is_any_open(&self) -> bool {
        self.missed.iter().any(|(_, is_open)| *is_open)
    }

    /// Up to where others left out what a point has next.
    fn end(&mut self, flight: &Flight, feeds: &[Feed], point: usize) -> End {
        let next = at_hand(feeds);
        let next = &next[..feeds.len()];
        let others = || next.iter().enumerate().filter(|(other, _)| *other != point);
        let ahead = feeds[point].ahead(FAR);
        let (Some(first), Some(last)) = (ahead.first(), ahead.last()) else {
            return End::None;
        };
        if !is_in_front(flight, point, first) {
            return End::Known;
        }
        // What is in a gap comes before what is behind that.
        let since = flight.time_of(point, first);
        let comes_later = |(other, theirs): (usize, &&[Sighting])| {
            theirs
                .first()
                .is_some_and(|theirs| flight.time_of(other, theirs) + LATER >= since)
        };
        if !others().all(comes_later) {
            self.missed[point].1 = false;
            return End::Known;
        }
        let asked = others().filter_map(|(_, theirs)| Some(theirs.first()?.frame));
        let asked = asked.fold(last.frame, |asked, frame| hash(&[asked, frame]));
        if self.missed[point].0 == asked {
            return End::Known;
        }
        self.missed[point] = (asked, false);
        let comes_late = |(other, _): (usize, _)| {
            let mut theirs = feeds[other].ahead(LATE).iter();
            theirs.any(|theirs| is_same(flight, (other, theirs), (point, first)))
        };
        if !flight.may_be_abreast(first) || others().any(comes_late) {
            return End::None;
        }
        let goes_on = |(other, theirs): (usize, &&[Sighting])| {
            let theirs = theirs.first()?;
            let mut places = ahead.iter();
            places.position(|mine| is_same(flight, (other, theirs), (point, mine)))
        };
        if let Some(behind) = others().find_map(goes_on) {
            return End::At(feeds[point].place() + behind);
        }
        let end = flight.time_of(point, last);
        let goes_on = |(other, theirs): (usize, &&[Sighting])| {
            let theirs = theirs.first()?;
            let later = flight.time_of(other, theirs) - end;
            let is_sure = later > LATER && !flight.is_expected(other, theirs);
            (later > Duration(0)).then_some(is_sure)
        };
        let goes_on: Option<Vec<bool>> = others().map(goes_on).collect();
        match goes_on {
            None => End::None,
            Some(are_sure) if are_sure.contains(&false) => End::Open,
            Some(_) => End::Behind(feeds[point].place() + ahead.len()),
        }
    }
}

/// Whether a point is the first to which a packet comes: others take nothing before that did. Else
/// what was overtaken would have come against its way.
fn is_in_front(flight: &Flight, point: usize, sighting: &Sighting) -> bool {
    let flow = flight.paths.bound_to(point, sighting.lane);
    let is_first = |is_backward: bool| match is_backward {
        true => point + 1 == flight.points,
        false => point == 0,
    };
    flow != NONE && is_first(flight.is_backward(flow))
}

/// Gives what a point has in front of a place, and until some time; says whether there was any.
fn take_up_to(flight: &mut Flight, feed: &mut Feed, (place, until): (usize, Timestamp)) -> bool {
    let begin = feed.place();
    while feed.place() < place
        && let Some((next, time)) = feed.next()
        && time <= until
        && is_in_front(flight, feed.point(), next)
        && flight.may_leave_out(feed.point(), next)
    {
        flight.leave_out(feed.point(), next, time);
        feed.advance(1, flight);
    }
    feed.place() > begin
}
