//! What came of a comparison.

use super::between::{Between, Pair, Shown};
use super::book::{Account, Missed, Series, Tally};
use super::clock::Clock;
use super::damage::{Damage, DamageLook, Examined, place_in_common};
use super::delay::Delays;
use super::in_host::InHost;
use super::side_by_side::SideBySide;
use super::told::DropsTold;
use super::wrong_times::WrongTimes;
use crate::model::{Duration, FlowKey, Protocol, ScopeSet, Timestamp};
use crate::receiver::{Forecast, NotModelled};
use crate::source::FileFacts;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// What came of a comparison.
pub struct Outcome {
    /// Points, in the order of the path.
    pub points: Vec<PointFacts>,
    /// Captures that are no points of the path.
    pub strangers: Vec<Stranger>,
    /// What is known of that order.
    pub order: OrderFacts,
    /// Which points do not lie one behind the other.
    pub side_by_side: SideBySide,
    /// Flows; the one without a number is all that are beyond the bound.
    pub flows: Vec<FlowFacts>,
    /// What ICMP errors say of packets that were dropped, what is most frequent first.
    pub drops_told: Vec<DropsTold>,
    /// What hosts lose themselves, of points that show all of their interfaces.
    pub in_hosts: Vec<InHost>,
    /// Packets over time and how long they took, by pair of points: neighbours, then the
    /// two ends if there are others between them.
    pub series: Vec<(Series, Option<Delays>)>,
    /// Longest time that a packet was waited for.
    pub window: Duration,
    /// Tunnels and VLANs.
    pub scopes: ScopeSet,
    /// Flows that share one account.
    pub flows_shared: u64,
    /// Packets that were given up before their time for want of room.
    pub crowded_out: u64,
    /// Times at which a clock went back.
    pub clocks_set_back: u64,
    /// Whether an end was asked for before all was read.
    pub ended_early: bool,
    pub(super) clocks: Vec<Clock>,
    pub(super) examined: Examined,
    pub(super) wrong_times: WrongTimes,
}

/// One point.
pub struct PointFacts {
    /// Its place among the captures given.
    pub given: usize,
    /// Its capture.
    pub file: FileFacts,
    /// Frames read.
    pub frames: u64,
    /// Frames of which not everything was captured.
    pub truncated_frames: u64,
    /// First and last frame, by its own clock.
    pub span: Option<(Timestamp, Timestamp)>,
    /// What was seen here.
    pub tally: Tally,
    /// When something passed unseen.
    pub missed: Missed,
    /// Packets and fragments that passed at points beside it: not missed here.
    pub passed_beside: u64,
    /// Its clock.
    pub clock: ClockFacts,
    /// What the kernels of hosts make of the fragments seen here.
    pub forecasts: Vec<Forecast>,
    /// Fragments that no forecast was made of.
    pub not_modelled: NotModelled,
    /// Packets left out because what tells them apart was not captured.
    pub too_short: u64,
    /// Packets that the point showed more than once, as they passed it, beyond the first.
    pub seen_again: u64,
    /// Packets left out because there were too many flows.
    pub flows_refused: u64,
    /// Tunnel packets that were not opened, for want of room.
    pub tunnels_unopened: u64,
    /// ICMP errors of which no more is known, for want of room.
    pub errors_refused: u64,
}

/// What is known of the order in which points lie.
#[derive(Clone, Debug, Default)]
pub struct OrderFacts {
    /// Whether it was looked for.
    pub was_wanted: bool,
    /// Places of points that may as well lie behind the next, if it was.
    pub unknown: Vec<usize>,
    /// Places of points that lie behind the next, as TTLs tell.
    pub contradicted: Vec<usize>,
}

impl OrderFacts {
    /// Whether any of it was found.
    pub fn is_found(&self, points: usize) -> bool {
        self.was_wanted && self.unknown.len() + 1 < points
    }
}

/// A capture that shows nothing of the others, or next to nothing: other traffic, another
/// time, or all of it was lost in front of it. Nothing can be said of what is between it and
/// others, and so those are neighbours that it was given between.
pub struct Stranger {
    /// Its place among the captures given.
    pub given: usize,
    /// Its capture.
    pub file: FileFacts,
    /// Packets that were seen in it.
    pub packets: u64,
    /// Packets besides these of which too little was captured to tell them from others.
    pub too_short: u64,
    /// Others of these that show the same traffic as it, by their places among those given.
    pub met: Vec<usize>,
}

/// A clock, seen from that of the first point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockFacts {
    /// Whether packets of this point were found at another.
    pub is_known: bool,
    /// How far it is ahead where the comparison begins.
    pub offset: Duration,
    /// How much faster it runs, and how sure that is, in millionths.
    pub drift_ppm: Option<(f64, f64)>,
    /// Packets both rest on, forward and back.
    pub matched: [u64; 2],
}

/// One flow.
pub struct FlowFacts {
    /// As what it was seen at each point.
    pub keys: Vec<Option<FlowKey>>,
    /// Whether it goes from the last point to the first.
    pub is_backward: bool,
    /// What is known of it.
    pub account: Account,
}

impl FlowFacts {
    /// Adds what is known of a flow that turned out to be the same.
    pub(super) fn add(&mut self, other: &Account) {
        let account = &mut self.account;
        for (mine, others) in account.between.iter_mut().zip(&other.between) {
            mine.add(others);
        }
        for (mine, others) in account.at.iter_mut().zip(&other.at) {
            mine.add(others);
        }
        account.is_carrier |= other.is_carrier;
        account.span = match (account.span, other.span) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
    }

    /// Whether no router behind a point passes it on: by its addresses, or as a message to
    /// neighbours, which is one by a hop limit that nothing has that was passed on.
    pub fn stays_on_link(&self, point: usize) -> bool {
        let Some(key) = &self.keys[point] else {
            return false;
        };
        let hop_limit = self.account.at.get(point).map(|at| at.hop_limit);
        let is_to_neighbours = key.protocol == Protocol::ICMPV6 && hop_limit == Some(u8::MAX);
        is_to_neighbours || key.addresses.are_of_one_link()
    }

    /// Packets that are lost between two points, in the direction it went.
    pub fn lost_between(&self, pair: usize) -> u64 {
        let between = &self.account.between[pair];
        let lost = match self.is_backward {
            true => between.appeared(),
            false => between.lost(),
        };
        lost.packets
    }

    /// What happened between two points, in the direction it went.
    pub fn between(&self, pair: usize) -> Between {
        let between = &self.account.between[pair];
        match self.is_backward {
            true => between.reversed(),
            false => between.clone(),
        }
    }
}

impl Outcome {
    /// How long packets took between a pair of points at most, if that is so near to the longest that
    /// they were waited for that others may have taken longer.
    pub fn nearly_too_late(&self, pair: usize) -> Option<Duration> {
        let (_, delays) = self.series.get(pair)?;
        let figures = delays.as_ref()?.figures()?;
        let longest = i64::try_from(figures.max).ok()?;
        (longest > self.window.0 / 2).then_some(Duration(longest))
    }

    /// Times that were far from those before and behind them, and were set right.
    pub fn times_wrong(&self) -> u64 {
        self.wrong_times.count
    }

    /// When a frame was seen, as its capture says it.
    pub fn as_captured(&self, shown: &Shown) -> Timestamp {
        self.wrong_times.as_captured(shown)
    }

    /// How one packet differs, and whether the pair goes back; `None` if the frames could
    /// not be read again.
    pub fn damage(&self, pair: &Pair) -> Option<(&Damage, bool)> {
        let sides = [&pair.front, &pair.back].map(|shown| (shown.point, shown.frame));
        let is_backward = sides[0].0 > sides[1].0;
        let mut key = sides;
        key.sort_unstable();
        Some((self.examined.get(&key)?, is_backward))
    }

    /// Where the first packets of a stretch that are damaged all differ, if that is the same
    /// place in all of them: bytes from the beginning of the IP payload.
    pub fn damage_in_common(&self, between: &Between) -> Option<Range<u32>> {
        let damaged = between.damaged.iter();
        let examined = damaged.filter_map(|pair| self.damage(pair));
        place_in_common(examined.map(|(damage, _)| damage))
    }

    /// What the first of them look like that were read again, with how many do, the most
    /// frequent first.
    pub fn damage_looks(&self, between: &Between) -> Vec<(DamageLook, u64)> {
        let mut looks: BTreeMap<DamageLook, u64> = BTreeMap::new();
        let damaged = between.damaged.iter();
        for (damage, is_backward) in damaged.filter_map(|pair| self.damage(pair)) {
            *looks.entry(damage.look(is_backward)).or_default() += 1;
        }
        let mut looks: Vec<(DamageLook, u64)> = looks.into_iter().collect();
        looks.sort_by_key(|(_, packets)| Reverse(*packets));
        looks
    }

    /// A time of a point by the clock of the first.
    pub fn to_reference(&self, point: usize, time: Timestamp) -> Timestamp {
        self.clocks[point].to_reference(time)
    }
}
