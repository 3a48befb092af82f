//! How far the clocks of captures are apart, which way traffic goes, and which of two points
//! lies in front: from a sample of packets, the same at every point.

use super::clock::Slope;
use super::content::hash;
use super::conversations::Conversations;
use super::flight::SUPER_BYTES;
use super::marks::{Mark, Marks, Met};
use super::order::Lead;
use super::sighting::{Form, Sighting, TELLING_BYTES};
use crate::model::{Addresses, Duration, FlowKey, Protocol, Timestamp};
use foldhash::quality::FixedState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

/// Differences of clocks that agree so far are one.
const AGREE_WITHIN: Duration = Duration::from_millis(250);
/// Copies made on the way come so soon; what comes again later may be another that is alike.
const COPIED_WITHIN: Duration = Duration::from_millis(10);
/// Packets that have to agree, unless the captures have fewer.
const ENOUGH: usize = 8;
/// Clocks that are closer than this are taken to be set by one time.
const SET_ALIKE: Duration = Duration::from_secs(1);

/// Stretches of time of which each tells once how far clocks are apart.
const STRETCHES: usize = 64;

/// Samples of the packets of one point: with the names of their flows, without these, without
/// all that NAT and NICs may change, of datagrams that may be in fragments elsewhere what their
/// first fragment shows of them, and without identifications.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// Bytes of payloads that tell packets apart.
    head_bytes: usize,
    lanes: Vec<FlowKey>,
    named: Marks,
    strict: Marks,
    loose: Marks,
    begun: Marks,
    /// With names and without identifications, which something on the way may write anew; and
    /// without either.
    unnumbered: Marks,
    bare: Marks,
}

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
                last: sighting.time,
                addresses: lane.addresses,
                hop_limit: sighting.look.hop_limit,
                bytes: sighting.ip_bytes,
                is_udp: sighting.form == Form::Whole && sighting.protocol == Protocol::UDP,
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
            let is_of_stream = sighting.form == Form::Segment;
            if is_telling && !is_of_stream && sighting.bytes >= TELLING_BYTES {
                let bare = Sighting {
                    is_renumbered: true,
                    ..*sighting
                };
                let content = bare.content();
                self.unnumbered.take(hash(&[content, name]), mark);
                self.bare.take(hash(&[content]), mark);
            }
            if is_telling {
                let beginning = match sighting.begins_datagram() {
                    true => sighting.head,
                    false => sighting.beginning(),
                };
                self.loose.take(hash(&[beginning]), mark);
            }
            if sighting.begins_datagram() {
                let addresses = FixedState::with_seed(0).hash_one(lane.addresses);
                let protocol = u64::from(sighting.protocol.0);
                let begun = hash(&[addresses, protocol, id, sighting.head]);
                self.begun.take(begun, mark);
            }
        }
    }

    /// Before anything is asked.
    pub fn settle(&mut self) {
        let all = [
            &mut self.named,
            &mut self.strict,
            &mut self.loose,
            &mut self.begun,
            &mut self.unnumbered,
            &mut self.bare,
        ];
        all.into_iter().for_each(Marks::settle);
    }

    /// What this has in common with another by identifications; `None` if that could be chance.
    /// What goes by the same names at both tells more than what has the same bytes: many flows
    /// may have those.
    pub fn common_by_ids<'a>(&'a self, other: &'a Self) -> Option<Common<'a>> {
        if let Some(named) = self.named.common(&other.named) {
            return Some(named.and_others(self.strict.met(&other.strict)));
        }
        let strictly = self.strict.common(&other.strict);
        strictly.or_else(|| self.begun.common(&other.begun))
    }

    /// The same, where there is none by those as they are.
    pub fn common_otherwise<'a>(&'a self, other: &'a Self) -> Option<Common<'a>> {
        let loosely = self.loose.common(&other.loose);
        loosely.or_else(|| self.named.in_crowds(&other.named))
    }

    /// Whether one has datagrams of UDP that begin as shorter ones of the other do, and are longer
    /// than packets are: what is joined, or not yet cut.
    pub fn are_joined(&self, other: &Self) -> bool {
        let met = self.loose.met(&other.loose);
        met.iter().any(|(one, other)| {
            let sizes = [one.bytes, other.bytes].map(|bytes| bytes > SUPER_BYTES);
            one.is_udp && other.is_udp && sizes[0] != sizes[1]
        })
    }

    /// The same, if identifications are not looked at. Without names, only bytes that are
    /// nowhere else tell something.
    pub fn common_without_ids<'a>(&'a self, other: &'a Self) -> Option<Common<'a>> {
        let unnumbered = self.unnumbered.common(&other.unnumbered);
        unnumbered.or_else(|| {
            let bare = self.bare.common(&other.bare)?;
            let singles = bare.pairs.iter().filter(|met| is_single(met)).count();
            (singles >= ENOUGH).then_some(bare)
        })
    }
}

impl Marks {
    fn common<'a>(&'a self, other: &'a Self) -> Option<Common<'a>> {
        let reach = self.reach().min(other.reach());
        let mut pairs = self.met(other);
        // What there are many of says little about when.
        let many: Vec<Met<'a>> = match pairs.iter().any(is_single) {
            true => pairs.extract_if(.., |met| !is_single(met)).collect(),
            false => Vec::new(),
        };
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
        let common = Common {
            // The fastest: so what was seen in front comes first where times are compared.
            ahead: ahead(&pairs[0]),
            pairs,
        };
        Some(common.and_others(many))
    }

    /// Packets that are all alike do not tell how clocks are apart. But what goes by one name
    /// again and again with the same bytes, at both at the same time as their clocks have it, is
    /// the same.
    fn in_crowds<'a>(&'a self, other: &'a Self) -> Option<Common<'a>> {
        let mut pairs = self.met(other);
        pairs.retain(|(one, other)| {
            let are_many = one.count.min(other.count) as usize >= ENOUGH;
            are_many && one.time <= other.last && other.time <= one.last
        });
        (!pairs.is_empty()).then_some(Common {
            ahead: Duration(0),
            pairs,
        })
    }
}

fn is_single((one, other): &Met<'_>) -> bool {
    one.count == 1 && other.count == 1
}

/// Whether all that are alike came at one time.
fn is_at_once((one, other): &Met<'_>) -> bool {
    let is_soon = |mark: &Mark| mark.last - mark.time <= COPIED_WITHIN;
    is_soon(one) && is_soon(other)
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
    /// The same, and what goes between addresses of which nothing is known: renamed ones, and
    /// those of which all is copied.
    fn and_others(mut self, met: Vec<Met<'a>>) -> Self {
        let known: BTreeSet<Addresses> = self.pairs.iter().map(|(one, _)| one.addresses).collect();
        let is_other = |met: &Met<'_>| {
            let apart = (ahead(met) - self.ahead).0.saturating_abs();
            is_at_once(met) && apart <= AGREE_WITHIN.0 && !known.contains(&met.0.addresses)
        };
        let others = met.into_iter().filter(is_other);
        self.pairs.extend(others);
        self
    }

    /// Which addresses go from the second to the first, as the first and as the second
    /// see them.
    pub fn backward(&self) -> [Vec<(Addresses, bool)>; 2] {
        let trend = self.trend();
        let begin = self.pairs.first().map_or(Timestamp(0), |(one, _)| one.time);
        let mut ways: BTreeMap<Addresses, Way> = BTreeMap::new();
        for (one, other) in &self.pairs {
            let way = ways.entry(one.addresses).or_default();
            let drifted = (one.time - begin).0 as f64 * trend;
            way.steps += i64::from(steps(one, other));
            way.ahead += i128::from((other.time - one.time).0) - i128::from(drifted as i64);
            way.packets += 1;
            way.there = Some(other.addresses);
        }
        let turn = turn(&ways);
        let mut told = [Vec::new(), Vec::new()];
        for (addresses, way) in &ways {
            let is_backward = way.is_backward(ways.get(&addresses.reversed()));
            let Some(is_backward) = is_backward.or_else(|| Some(way.mean() < turn?)) else {
                continue;
            };
            told[0].push((*addresses, is_backward));
            told[1].extend(way.there.map(|there| (there, is_backward)));
        }
        told
    }

    /// How much faster the second clock runs, by what most packets are of: what comes early and
    /// what comes late would seem to go different ways otherwise.
    fn trend(&self) -> f64 {
        let mut ways: BTreeMap<Addresses, Vec<Met<'_>>> = BTreeMap::new();
        for met in &self.pairs {
            ways.entry(met.0.addresses).or_default().push(*met);
        }
        let Some(mut most) = ways.into_values().max_by_key(Vec::len) else {
            return 0.0;
        };
        most.sort_unstable_by_key(|(one, _)| one.time);
        let each = most.len().div_ceil(STRETCHES).max(1);
        let points: Vec<(i64, i64)> = most.chunks_mut(each).map(median).collect();
        let slope = Slope::along(&points).filter(Slope::is_shown);
        slope.map_or(0.0, |slope| slope.tilt)
    }

    /// By what addresses the same packets go at the two.
    pub fn tell(&self, conversations: &mut Conversations) {
        for (one, other) in &self.pairs {
            conversations.join(one.addresses, other.addresses);
        }
    }

    /// Who lies in front, as far as that can be told: of each two hosts by what goes between
    /// them, whichever way.
    pub fn leads(&self, conversations: &Conversations) -> BTreeMap<Addresses, Lead> {
        let are_set_alike = self.ahead.0.saturating_abs() < SET_ALIKE.0;
        let mut leads: BTreeMap<Addresses, Lead> = BTreeMap::new();
        for (one, other) in &self.pairs {
            let (hosts, is_turned) = conversations.of(one.addresses);
            let by_time = match are_set_alike {
                true => (other.time - one.time).0.signum(),
                false => 0,
            };
            let lead = leads.entry(hosts).or_default();
            lead.take(one.bytes, steps(one, other).into(), by_time, is_turned);
        }
        leads
    }
}

/// When half of some packets that are in order of time had passed, and how far the second clock
/// was ahead for half of them.
fn median(some: &mut [Met<'_>]) -> (i64, i64) {
    let middle = some.len() / 2;
    let at = some[middle].0.time.0;
    let (_, median, _) = some.select_nth_unstable_by_key(middle, ahead);
    (at, ahead(median).0)
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
        Some(self.mean() < reverse?.mean())
    }

    /// How far the other clock is ahead of this, in the mean.
    fn mean(&self) -> i128 {
        self.ahead / self.packets.max(1)
    }
}

/// How far the other clock is ahead of what goes there at most as fast as of what comes back:
/// what is further ahead than that goes there. Nothing where it is not known of both.
fn turn(ways: &BTreeMap<Addresses, Way>) -> Option<i128> {
    let known = ways.iter().filter_map(|(addresses, way)| {
        let is_backward = way.is_backward(ways.get(&addresses.reversed()))?;
        Some((is_backward, way.mean()))
    });
    let (back, there): (Vec<_>, Vec<_>) = known.partition(|(is_backward, _)| *is_backward);
    let fastest = there.iter().map(|(_, mean)| *mean).min()?;
    let fastest_back = back.iter().map(|(_, mean)| *mean).max()?;
    (fastest > fastest_back).then(|| (fastest + fastest_back) / 2)
}

/// 1 if TTL or hop limit went down from one to the other, -1 if it went up.
fn steps(one: &Mark, other: &Mark) -> i32 {
    (i32::from(one.hop_limit) - i32::from(other.hop_limit)).signum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;
    use crate::model::ScopeTag;

    fn lane(from: u32) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4(from.to_be_bytes(), [10, 0, 0, 2]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    /// What two samples have in common, in whatever way.
    fn common<'a>(one: &'a Sample, other: &'a Sample) -> Common<'a> {
        let by_ids = one.common_by_ids(other);
        by_ids.or_else(|| one.common_otherwise(other)).unwrap()
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
        sample.settle();
        sample
    }

    #[test]
    fn flows_that_have_the_same_bytes_are_told_apart_by_their_names() {
        let (one, other) = (sample(20, 3), sample(20, 17));
        let bytes_alone = one.strict.common(&other.strict).unwrap();
        assert_eq!(bytes_alone.ahead, Duration::from_millis(14));
        assert_eq!(common(&one, &other).ahead, Duration(0));
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
            sample.settle();
            sample
        };
        let (one, other) = (sample([lane(1), lane(5)]), sample([lane(1), lane(6)]));
        let common = common(&one, &other);
        let renamed = |(one, other): &&Met<'_>| one.addresses != other.addresses;
        assert_eq!(common.pairs.iter().filter(renamed).count(), 10);
        assert_eq!(common.pairs.len(), 20);
    }

    /// So many packets, as one point sees them: whole at one, the first fragments at another.
    fn datagrams(form: Form, later: i64) -> Sample {
        let mut sample = Sample::new(16);
        let sightings = (1..=50).map(|number| Sighting {
            time: Timestamp(i64::from(number) * 1_000_000 + later),
            form,
            bytes: if form == Form::Piece { 1_480 } else { 8_000 },
            ip_bytes: 8_020,
            more: form == Form::Piece,
            ..example(number)
        });
        sample.take(&[lane(1)], &sightings.collect::<Vec<_>>());
        sample.settle();
        sample
    }

    #[test]
    fn a_datagram_is_met_by_its_first_fragment() {
        let (cut, whole) = (datagrams(Form::Piece, 0), datagrams(Form::Whole, 7_000));
        let met = common(&cut, &whole);
        assert_eq!((met.ahead, met.pairs.len()), (Duration(7_000), 50));
        assert_eq!(common(&whole, &cut).ahead, Duration(-7_000));
        let others = datagrams(Form::Whole, 3_600_000_000_000);
        assert_eq!(common(&cut, &others).pairs.len(), 50);
    }

    /// Most goes there all the time; of what goes back, all comes early. A clock that loses time
    /// makes what comes early seem to be further ahead.
    #[test]
    fn a_clock_that_drifts_turns_nothing_around() {
        let back = lane(1).addresses.reversed();
        let lanes = [
            lane(1),
            FlowKey {
                addresses: back,
                ..lane(1)
            },
        ];
        for ppm in [-200, -50, 0, 50, 200] {
            let seen = |is_there: bool| {
                let mut sample = Sample::new(16);
                let sightings = (1..3_000).map(|number| {
                    let goes_back = number < 100 && number % 10 == 0;
                    let sent = i64::from(number) * 1_000_000;
                    let took = if goes_back { -2_000 } else { 2_000 };
                    let here = sent + sent / 1_000_000 * ppm + took;
                    Sighting {
                        time: Timestamp(if is_there { here } else { sent }),
                        lane: goes_back.into(),
                        ..example(number)
                    }
                });
                sample.take(&lanes, &sightings.collect::<Vec<_>>());
                sample.settle();
                sample
            };
            let (here, there) = (seen(false), seen(true));
            let [ways, _] = common(&here, &there).backward();
            for (addresses, is_backward) in ways {
                assert_eq!(is_backward, addresses == back, "{ppm} ppm");
            }
        }
    }

    /// A host gets all that goes there twice.
    #[test]
    fn a_way_of_which_all_is_copied_is_known() {
        let there = lane(1);
        let back = FlowKey {
            addresses: there.addresses.reversed(),
            ..there
        };
        let seen = |at_host: bool| {
            let mut sample = Sample::new(16);
            sample.take(&[there, back], &[]);
            for number in 1..100_u32 {
                let goes_back = number.is_multiple_of(2);
                let sent = i64::from(number) * 1_000_000;
                let took = if goes_back { -20_000 } else { 20_000 };
                let first = Sighting {
                    time: Timestamp(sent + if at_host { took } else { 0 }),
                    lane: goes_back.into(),
                    ..example(number)
                };
                let copy = Sighting {
                    time: first.time + Duration(30_000),
                    ..first
                };
                let is_copied = at_host && !goes_back;
                sample.take(&[], &[first, copy][..1 + usize::from(is_copied)]);
            }
            sample.settle();
            sample
        };
        let (here, host) = (seen(false), seen(true));
        let ways = common(&here, &host).backward();
        for told in ways {
            assert_eq!(told.len(), 2);
            for (addresses, is_backward) in told {
                assert_eq!(is_backward, addresses == back.addresses);
            }
        }
    }
}
