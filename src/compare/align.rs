//! How far the clocks of captures are apart, which way traffic goes, and in which order
//! the points lie: from a sample of packets, the same at every point.
//!
//! Of each capture those packets are kept whose hash is smallest. Whatever two captures
//! have in common is then in both samples, however long they are (A. Broder, "On the
//! resemblance and containment of documents", 1997).

use super::content::hash;
use super::sighting::{Form, Sighting};
use crate::model::{Addresses, Duration, FlowKey, Timestamp};
use foldhash::quality::FixedState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

/// Packets of a sample.
const SAMPLE: usize = 1 << 13;
/// Differences of clocks that agree so far are one.
const AGREE_WITHIN: Duration = Duration::from_millis(250);
/// Packets that have to agree, unless the captures have fewer.
const ENOUGH: usize = 8;
/// Clocks that are closer than this are taken to be set by one time.
const SET_ALIKE: Duration = Duration::from_secs(1);

/// Samples of the packets of one point: with the names of their flows, without these, and
/// without all that NAT and NICs may change.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// Bytes of payloads that tell packets apart.
    head_bytes: usize,
    lanes: Vec<FlowKey>,
    named: Marks,
    strict: Marks,
    loose: Marks,
}

/// Packets by hash, the smallest ones.
#[derive(Debug, Default)]
struct Marks {
    marks: BTreeMap<u64, Mark>,
    is_full: bool,
}

/// A packet of a sample.
#[derive(Clone, Copy, Debug)]
struct Mark {
    time: Timestamp,
    addresses: Addresses,
    hop_limit: u8,
    bytes: u32,
    /// Packets like it.
    count: u32,
}

/// A packet of two samples.
type Met<'a> = (&'a Mark, &'a Mark);

/// What two samples have in common.
#[derive(Clone, Debug)]
pub(super) struct Common<'a> {
    /// How far the clock of the second is ahead.
    pub ahead: Duration,
    pairs: Vec<Met<'a>>,
}

impl Sample {
    /// An empty one of what so many bytes of payloads tell apart.
    pub fn new(head_bytes: usize) -> Self {
        Self {
            head_bytes,
            ..Self::default()
        }
    }

    /// Takes in lanes and sightings of the point.
    pub fn take(&mut self, lanes: &[FlowKey], sightings: &[Sighting]) {
        self.lanes.extend_from_slice(lanes);
        for sighting in sightings {
            if sighting.form == Form::Whole && sighting.bytes == 0 {
                continue;
            }
            let Some(lane) = self.lanes.get(sighting.lane as usize) else {
                continue;
            };
            let mark = Mark {
                time: sighting.time,
                addresses: lane.addresses,
                hop_limit: sighting.look.hop_limit,
                bytes: sighting.ip_bytes,
                count: 1,
            };
            let id = u64::from(sighting.id);
            // Without payload, packets of other flows look the same.
            let is_telling = self.head_bytes > 0 || sighting.form == Form::Segment;
            let flow = match is_telling {
                true => 0,
                false => FixedState::with_seed(0).hash_one(lane.addresses),
            };
            let content = sighting.content();
            self.strict.take(hash(&[content, id, flow]), mark);
            let name = FixedState::with_seed(0).hash_one((lane.addresses, lane.ports));
            self.named.take(hash(&[content, id, name]), mark);
            if is_telling {
                self.loose.take(hash(&[sighting.beginning()]), mark);
            }
        }
    }

    /// What this has in common with another; `None` if that could be chance. What goes by the
    /// same names at both tells more than what has the same bytes: many flows may have those.
    pub fn common<'a>(&'a self, other: &'a Self) -> Option<Common<'a>> {
        if let Some(named) = self.named.common(&other.named) {
            return Some(named.and_renamed(self.strict.met(&other.strict)));
        }
        let strictly = self.strict.common(&other.strict);
        strictly.or_else(|| self.loose.common(&other.loose))
    }
}

impl Marks {
    fn take(&mut self, key: u64, mark: Mark) {
        if self.is_full
            && let Some((largest, _)) = self.marks.last_key_value()
            && key > *largest
        {
            return;
        }
        let known = self.marks.entry(key).or_insert(Mark { count: 0, ..mark });
        known.count += 1;
        if self.marks.len() > SAMPLE {
            self.marks.pop_last();
            self.is_full = true;
        }
    }

    /// The hash up to which it has all there were.
    fn reach(&self) -> u64 {
        let largest = self.marks.last_key_value().map(|(largest, _)| *largest);
        largest.filter(|_| self.is_full).unwrap_or(u64::MAX)
    }

    fn below(&self, reach: u64) -> usize {
        self.marks.range(..=reach).count()
    }

    fn common<'a>(&'a self, other: &'a Self) -> Option<Common<'a>> {
        let reach = self.reach().min(other.reach());
        let mut pairs = self.met(other);
        // What there are many of says little about when.
        if pairs.iter().any(is_single) {
            pairs.retain(is_single);
        }
        pairs.sort_unstable_by_key(ahead);
        let agreeing = densest(&pairs);
        let (all, agreed) = (pairs.len(), agreeing.len());
        let smaller = self.below(reach).min(other.below(reach));
        let is_enough = agreed >= ENOUGH && agreed * 5 >= all;
        let is_all_there_is = agreed > 0 && agreed == all && agreed * 2 >= smaller;
        if !(is_enough || is_all_there_is) {
            return None;
        }
        let pairs = pairs[agreeing].to_vec();
        Some(Common {
            // The fastest: so what was seen in front comes first where times are compared.
            ahead: ahead(&pairs[0]),
            pairs,
        })
    }

    /// What both have.
    fn met<'a>(&'a self, other: &'a Self) -> Vec<Met<'a>> {
        let mut theirs = other.marks.iter().peekable();
        let pairs = self.marks.iter().filter_map(|(key, mine)| {
            while theirs.next_if(|(their, _)| *their < key).is_some() {}
            let (_, same) = theirs.next_if(|(their, _)| *their == key)?;
            Some((mine, same))
        });
        pairs.collect()
    }
}

fn is_single((one, other): &Met<'_>) -> bool {
    one.count == 1 && other.count == 1
}

fn ahead((one, other): &Met<'_>) -> Duration {
    other.time - one.time
}

/// The longest stretch of pairs that agree.
fn densest(pairs: &[Met<'_>]) -> std::ops::Range<usize> {
    let mut best = 0..0;
    let mut first = 0;
    for last in 0..pairs.len() {
        while ahead(&pairs[last]) - ahead(&pairs[first]) > AGREE_WITHIN {
            first += 1;
        }
        if last + 1 - first > best.len() {
            best = first..last + 1;
        }
    }
    best
}

impl<'a> Common<'a> {
    /// The same, and what goes by names of which nothing is known.
    fn and_renamed(mut self, met: Vec<Met<'a>>) -> Self {
        let known: BTreeSet<Addresses> = self.pairs.iter().map(|(one, _)| one.addresses).collect();
        let is_renamed = |met: &Met<'_>| {
            let apart = (ahead(met) - self.ahead).0.saturating_abs();
            is_single(met) && apart <= AGREE_WITHIN.0 && !known.contains(&met.0.addresses)
        };
        let renamed = met.into_iter().filter(is_renamed);
        self.pairs.extend(renamed);
        self
    }

    /// Which addresses go from the second to the first, as the first and as the second
    /// see them.
    pub fn backward(&self) -> [Vec<(Addresses, bool)>; 2] {
        let mut ways: BTreeMap<Addresses, Way> = BTreeMap::new();
        for (one, other) in &self.pairs {
            let way = ways.entry(one.addresses).or_default();
            way.steps += i64::from(steps(one, other));
            way.ahead += i128::from((other.time - one.time).0);
            way.packets += 1;
            way.there = Some(other.addresses);
        }
        let mut told = [Vec::new(), Vec::new()];
        for (addresses, way) in &ways {
            let Some(is_backward) = way.is_backward(ways.get(&addresses.reversed())) else {
                continue;
            };
            told[0].push((*addresses, is_backward));
            told[1].extend(way.there.map(|there| (there, is_backward)));
        }
        told
    }

    /// How much more goes from the first to the second than back, as far as that can be
    /// told: more than 0 if the first lies in front.
    pub fn lead(&self) -> i64 {
        let are_set_alike = self.ahead.0.saturating_abs() < SET_ALIKE.0;
        let leads = self.pairs.iter().map(|(one, other)| {
            let by_time = match are_set_alike {
                true => (other.time - one.time).0.signum(),
                false => 0,
            };
            let sign = match steps(one, other) {
                0 => by_time,
                steps => i64::from(steps),
            };
            sign * i64::from(one.bytes)
        });
        leads.sum()
    }
}

/// Which way some addresses go.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    steps: i64,
    ahead: i128,
    packets: i128,
    there: Option<Addresses>,
}

impl Way {
    /// By TTL; else by who comes earlier by the other clock than what goes the other way.
    fn is_backward(&self, reverse: Option<&Self>) -> Option<bool> {
        if self.steps != 0 {
            return Some(self.steps < 0);
        }
        let reverse = reverse?;
        let mean = |way: &Self| way.ahead / way.packets.max(1);
        Some(mean(self) < mean(reverse))
    }
}

/// 1 if TTL or hop limit went down from one to the other, -1 if it went up.
fn steps(one: &Mark, other: &Mark) -> i32 {
    (i32::from(one.hop_limit) - i32::from(other.hop_limit)).signum()
}

/// The points in the order of the path; `leads` says of two how much more goes from the
/// first to the second. What cannot be told stays as it was given.
pub(super) fn in_order(points: usize, leads: impl Fn(usize, usize) -> i64) -> Vec<usize> {
    let behind = |point: usize| {
        let others = (0..points).filter(|other| *other != point);
        others
            .map(|other| leads(other, point).signum())
            .sum::<i64>()
    };
    let mut order: Vec<usize> = (0..points).collect();
    order.sort_by_key(|point| behind(*point));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;
    use crate::model::{Protocol, ScopeTag};

    #[test]
    fn points_are_put_in_order_and_stay_where_nothing_is_known() {
        let place = [2_i64, 0, 3, 1];
        let known = |one: usize, other: usize| (place[other] - place[one]) * 100;
        assert_eq!(in_order(4, known), [1, 3, 0, 2]);
        assert_eq!(in_order(4, |_, _| 0), [0, 1, 2, 3]);
    }

    fn lane(from: u32) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4(from.to_be_bytes(), [10, 0, 0, 2]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// Packets of so many flows, which have the same bytes; of each point another is ahead of all
    /// others by ten packets, by as many milliseconds.
    fn sample(flows: u32, leader: u32) -> Sample {
        let mut sample = Sample::new(16);
        let lanes: Vec<FlowKey> = (0..flows).map(lane).collect();
        sample.take(&lanes, &[]);
        for (number, lane) in
            (0..60_u32).flat_map(|number| (0..flows).map(move |lane| (number, lane)))
        {
            let is_first = lane == leader;
            if number < 50 || is_first {
                let time = i64::from(number) * 1_000_000 + i64::from(lane) * 1_000_000;
                let sighting = Sighting {
                    time: Timestamp(time),
                    lane,
                    ..example(number)
                };
                sample.take(&[], &[sighting]);
            }
        }
        sample
    }

    #[test]
    fn flows_that_have_the_same_bytes_are_told_apart_by_their_names() {
        let (one, other) = (sample(20, 3), sample(20, 17));
        let bytes_alone = one.strict.common(&other.strict).unwrap();
        assert_eq!(bytes_alone.ahead, Duration::from_millis(14));
        assert_eq!(one.common(&other).unwrap().ahead, Duration(0));
    }

    #[test]
    fn flows_that_go_by_other_names_are_met_too() {
        let sample = |lanes: [FlowKey; 2]| {
            let mut sample = Sample::new(16);
            let sightings = (0..20).map(|number| Sighting {
                time: Timestamp(i64::from(number)),
                lane: number % 2,
                ..example(number)
            });
            sample.take(&lanes, &sightings.collect::<Vec<_>>());
            sample
        };
        let (one, other) = (sample([lane(1), lane(5)]), sample([lane(1), lane(6)]));
        let common = one.common(&other).unwrap();
        let renamed = |(one, other): &&Met<'_>| one.addresses != other.addresses;
        assert_eq!(common.pairs.iter().filter(renamed).count(), 10);
        assert_eq!(common.pairs.len(), 20);
    }
}
