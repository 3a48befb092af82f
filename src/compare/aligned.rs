//! What is known before anything is matched: of each capture so much is read as it takes to
//! know how their clocks are apart.

use super::align::{Common, Sample};
use super::content::HEAD_BYTES;
use super::conversations::Conversations;
use super::observer::{Manner, Observer};
use super::order::{Known, Leads};
use super::outcome::OrderFacts;
use super::run::{Open, Options, Order, Pass, Read, learn};
use super::sighting::Sighting;
use crate::model::{Addresses, Duration};
use crate::source::{Block, Source};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::thread;

/// How captures hang together.
pub(super) struct Aligned {
    /// Captures in the order of the path.
    pub order: Vec<usize>,
    /// Captures that show nothing of those.
    pub strangers: Vec<Unmet>,
    /// What is known of it.
    pub told: OrderFacts,
    /// How far clocks are ahead of that of the first point, by place in that order.
    pub rough: Vec<Duration>,
    /// Whether that is known.
    pub is_known: Vec<bool>,
    pub backward: HashMap<(usize, Addresses), bool>,
    pub head_bytes: usize,
    pub keeps_ids: bool,
    /// Whether some have datagrams of UDP that others have as several.
    pub joins_udp: bool,
}

/// A capture that shows nothing of those of the path.
pub(super) struct Unmet {
    pub capture: usize,
    /// Packets that were seen in it.
    pub packets: u64,
    /// Packets besides these of which too little was captured to tell them from others.
    pub too_short: u64,
    /// Others of these that show the same.
    pub met: Vec<usize>,
}

/// Sightings of each capture that are looked at first; then twice as many.
const FIRST_LOOK: usize = 1 << 13;

/// Bytes of a capture that are read for each of these, at most: frames may be of 64 KiB, and tell no
/// more than others.
const BYTES_EACH: u64 = 1 << 12;

/// Blocks that are read before somebody is asked whether to go on.
const TURN: usize = 32;

/// Reads captures until it is known how their clocks are apart, or `flow` breaks; and learns which
/// of them have [hairpins](super::views::hairpin).
pub(super) fn align(
    hairpins: &mut [bool],
    open: Open<'_>,
    options: &Options,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> Aligned {
    let captures = hairpins.len();
    let mut manner = options.manner();
    let begin = |manner: &Manner, hairpins: &[bool]| -> Vec<Sampler> {
        let captures = hairpins.iter().enumerate();
        let sampler = |(capture, has_hairpins): (usize, &bool)| {
            let manner = Manner {
                has_hairpins: *has_hairpins,
                ..manner.clone()
            };
            Sampler::new(open(capture, Pass::Sample), &manner)
        };
        captures.map(sampler).collect()
    };
    let mut samplers = begin(&manner, hairpins);
    let mut wanted = FIRST_LOOK;
    loop {
        let was_broken = read(&mut samplers, wanted, flow).is_break();
        settle(&mut samplers);
        if was_broken {
            let path = (0..captures).collect();
            return conclude(Commons::of(&samplers), path, options.order, &manner);
        }
        let with_hairpins =
            (0..captures).filter(|capture| samplers[*capture].observer.has_hairpins());
        if learn(hairpins, with_hairpins) {
            samplers = begin(&manner, hairpins);
            continue;
        }
        // What one of them has cut can be compared as far as that alone.
        let shortest = shortest_head(samplers.iter());
        if shortest < manner.head_bytes {
            manner.head_bytes = shortest;
            samplers = begin(&manner, hairpins);
            continue;
        }
        let mut commons = Commons::of(&samplers);
        let by_ids = largest_group(captures, |one, other| commons.by_ids(one, other).is_some());
        if by_ids.len() == captures {
            return conclude(commons, by_ids, options.order, &manner);
        }
        let without_ids = largest_group(captures, |one, other| commons.are_without_ids(one, other));
        if manner.keeps_ids && without_ids.len() > by_ids.len() {
            manner.keeps_ids = false;
            samplers = begin(&manner, hairpins);
            continue;
        }
        let together = largest_group(captures, |one, other| commons.of_two(one, other).is_some());
        if together.len() == captures {
            return conclude(commons, together, options.order, &manner);
        }
        if samplers.iter().all(|sampler| sampler.has_ended) {
            // Where none hang together, there is no path.
            let path = match together.len() {
                0 | 1 => (0..captures).collect(),
                _ => together,
            };
            return conclude(commons, path, options.order, &manner);
        }
        wanted = wanted.saturating_mul(2);
    }
}

/// Reads so much of each capture, all of them at once.
fn read(
    samplers: &mut [Sampler],
    wanted: usize,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while samplers.iter().any(|sampler| sampler.is_short_of(wanted)) {
        flow(Read::default())?;
        thread::scope(|scope| {
            let short = samplers
                .iter_mut()
                .filter(|sampler| sampler.is_short_of(wanted));
            for sampler in short {
                scope.spawn(|| sampler.read(wanted));
            }
        });
    }
    ControlFlow::Continue(())
}

/// Puts in order what was read, of all captures at once.
fn settle(samplers: &mut [Sampler]) {
    thread::scope(|scope| {
        for sampler in samplers {
            scope.spawn(|| sampler.sample.settle());
        }
    });
}

/// One capture while it is sampled.
struct Sampler {
    source: Box<dyn Source>,
    observer: Observer,
    block: Block,
    sample: Sample,
    /// For what is seen next.
    room: Vec<Sighting>,
    seen: usize,
    has_ended: bool,
    /// Fewest bytes that were captured of a payload that was cut.
    head_bytes: usize,
}

impl Sampler {
    fn new(source: Box<dyn Source>, manner: &Manner) -> Self {
        Self {
            source,
            observer: Observer::new(manner),
            block: Block::default(),
            sample: Sample::new(manner.head_bytes),
            room: Vec::new(),
            seen: 0,
            has_ended: false,
            head_bytes: HEAD_BYTES,
        }
    }

    fn is_short_of(&self, wanted: usize) -> bool {
        let most = BYTES_EACH.saturating_mul(wanted as u64);
        self.seen < wanted && self.source.progress().bytes < most && !self.has_ended
    }

    /// Reads so much, or as much of it as there is a turn for.
    fn read(&mut self, wanted: usize) {
        for _ in 0..TURN {
            if !self.is_short_of(wanted) {
                return;
            }
            if !self.source.fill(&mut self.block) {
                self.has_ended = true;
                return;
            }
            self.observer.observe(&self.block);
            let batch = self.observer.batch(std::mem::take(&mut self.room));
            self.seen += batch.sightings.len();
            self.sample.take(&batch.lanes, &batch.sightings);
            self.room = batch.sightings;
            self.room.clear();
            self.head_bytes = self.head_bytes.min(self.observer.shortest_head());
        }
    }
}

/// Fewest bytes of a payload that all have captured.
fn shortest_head<'a>(samplers: impl Iterator<Item = &'a Sampler>) -> usize {
    let heads = samplers.map(|sampler| sampler.head_bytes);
    heads.min().unwrap_or(HEAD_BYTES)
}

/// What each two samples have in common.
struct Commons<'a> {
    samplers: &'a [Sampler],
    /// By identifications; to find that out takes long, and it is asked again.
    by_ids: BTreeMap<(usize, usize), Option<Common<'a>>>,
}

impl<'a> Commons<'a> {
    fn of(samplers: &'a [Sampler]) -> Self {
        Self {
            samplers,
            by_ids: BTreeMap::new(),
        }
    }

    fn samples(&self, one: usize, other: usize) -> [&'a Sample; 2] {
        [one, other].map(|capture| &self.samplers[capture].sample)
    }

    fn by_ids(&mut self, one: usize, other: usize) -> Option<&Common<'a>> {
        let [mine, others] = self.samples(one, other);
        let known = self.by_ids.entry((one, other));
        known.or_insert_with(|| mine.common_by_ids(others)).as_ref()
    }

    fn of_two(&mut self, one: usize, other: usize) -> Option<Common<'a>> {
        let [mine, others] = self.samples(one, other);
        let by_ids = self.by_ids(one, other).cloned();
        by_ids.or_else(|| mine.common_otherwise(others))
    }

    /// Whether any of these show datagrams of UDP that others have as several.
    fn are_joined(&self, captures: &[usize]) -> bool {
        captures.iter().enumerate().any(|(place, one)| {
            let others = &captures[..place];
            others.iter().any(|other| {
                let [mine, others] = self.samples(*one, *other);
                mine.are_joined(others)
            })
        })
    }

    /// Whether they have something in common if identifications are not looked at.
    fn are_without_ids(&self, one: usize, other: usize) -> bool {
        let [mine, others] = self.samples(one, other);
        mine.common_without_ids(others).is_some()
    }
}

/// Captures that hang together, most of all, in the order they were given; a single one where
/// none do.
fn largest_group(captures: usize, are_met: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
    let groups = groups(captures, are_met).into_iter();
    // Of those that are as many the first.
    groups.rev().max_by_key(Vec::len).unwrap_or_default()
}

/// Captures by what hangs together, each with another of its group.
fn groups(captures: usize, are_met: impl FnMut(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut are_met = are_met;
    let mut groups = Vec::new();
    let mut left: Vec<usize> = (0..captures).collect();
    while let Some(first) = left.first().copied() {
        groups.push(group_of(first, &mut left, &mut are_met));
    }
    groups
}

/// Takes out of those that are left what hangs together with one of them, each with one that
/// is known.
fn group_of(
    first: usize,
    left: &mut Vec<usize>,
    are_met: &mut impl FnMut(usize, usize) -> bool,
) -> Vec<usize> {
    left.retain(|capture| *capture != first);
    let mut group = vec![first];
    let mut asked = 0;
    while let Some(known) = group.get(asked).copied() {
        group.extend(left.extract_if(.., |capture| are_met(known, *capture)));
        asked += 1;
    }
    group.sort_unstable();
    group
}

fn conclude(commons: Commons<'_>, together: Vec<usize>, order: Order, manner: &Manner) -> Aligned {
    let mut commons = commons;
    let samplers = commons.samplers;
    let captures = together.len();
    let pairs = (0..captures).flat_map(|one| (one + 1..captures).map(move |other| (one, other)));
    // Where the order is given, only neighbours are asked whether they contradict it.
    let is_asked = |(one, other): &(usize, usize)| order == Order::Found || other - one == 1;
    let neighbours = pairs.filter(is_asked).filter_map(|(one, other)| {
        let common = commons.of_two(together[one], together[other])?;
        Some(((one, other), common))
    });
    let leads = leads(&neighbours.collect::<Vec<_>>());
    let known = Known::of(captures, &leads);
    let found: Vec<usize> = match order {
        Order::Given => (0..captures).collect(),
        Order::Found => known.in_order(),
    };
    let strangers = (0..samplers.len()).filter(|capture| !together.contains(capture));
    let strangers: Vec<usize> = strangers.collect();
    let mut aligned = Aligned {
        told: OrderFacts {
            was_wanted: order == Order::Found,
            unknown: match order {
                Order::Given => Vec::new(),
                Order::Found => known.untold(&found),
            },
            contradicted: known.contradicted(&found),
        },
        rough: vec![Duration(0); captures],
        is_known: vec![false; captures],
        backward: HashMap::new(),
        keeps_ids: manner.keeps_ids,
        joins_udp: commons.are_joined(&together),
        head_bytes: shortest_head(together.iter().map(|capture| &samplers[*capture])),
        order: found.into_iter().map(|place| together[place]).collect(),
        strangers: unmet(&mut commons, &strangers),
    };
    aligned.hang_together(&mut commons);
    aligned
}

fn unmet(commons: &mut Commons<'_>, strangers: &[usize]) -> Vec<Unmet> {
    let are_met =
        |one: usize, other: usize| commons.of_two(strangers[one], strangers[other]).is_some();
    let groups = groups(strangers.len(), are_met);
    let others_in = |group: &[usize], one: usize| -> Vec<usize> {
        let others = group.iter().filter(|other| **other != one);
        others.map(|other| strangers[*other]).collect()
    };
    let all = strangers.iter().enumerate().map(|(place, capture)| Unmet {
        capture: *capture,
        packets: commons.samplers[*capture].seen as u64,
        too_short: commons.samplers[*capture].observer.too_short(),
        met: groups
            .iter()
            .find(|group| group.contains(&place))
            .map_or(Vec::new(), |group| others_in(group, place)),
    });
    all.collect()
}

/// Who lies in front, by what any two points have in common.
fn leads(commons: &[((usize, usize), Common<'_>)]) -> Leads {
    let mut conversations = Conversations::default();
    for (_, common) in commons {
        common.tell(&mut conversations);
    }
    let leads = commons.iter();
    leads
        .map(|(pair, common)| (*pair, common.leads(&conversations)))
        .collect()
}

impl Aligned {
    /// Finds the clocks of all points from the first one on, each from one that is known.
    fn hang_together(&mut self, commons: &mut Commons<'_>) {
        let points = self.order.len();
        let mut known: Vec<usize> = (points > 0).then_some(0).into_iter().collect();
        let mut waiting: Vec<usize> = (1..points).collect();
        loop {
            let found = waiting.iter().enumerate().find_map(|(place, point)| {
                let nearest = known.iter().rev().find_map(|other| {
                    let common = commons.of_two(self.order[*other], self.order[*point])?;
                    Some((*other, common))
                })?;
                Some((place, *point, nearest))
            });
            let Some((place, point, (other, common))) = found else {
                return;
            };
            waiting.remove(place);
            known.push(point);
            let ahead = self.rough[other].0.saturating_add(common.ahead.0);
            self.rough[point] = Duration(ahead);
            (self.is_known[point], self.is_known[other]) = (true, true);
            self.learn_ways(other, point, &common);
        }
    }

    fn learn_ways(&mut self, one: usize, other: usize, common: &Common<'_>) {
        let is_turned = one > other;
        for (point, ways) in [one, other].into_iter().zip(common.backward()) {
            for (addresses, is_backward) in ways {
                self.backward
                    .insert((point, addresses), is_backward != is_turned);
            }
        }
    }
}
