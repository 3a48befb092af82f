//! The story in one place: every capture is read and decoded by a thread of its own, what
//! was seen is brought into one order of time, and matched.

use super::align::{Common, Sample, in_order};
use super::book::{Account, Book};
use super::clock::Clock;
use super::content::HEAD_BYTES;
use super::damage::{Examined, examine};
use super::feed::{Feed, Sent};
use super::flight::{Flight, pairs};
use super::merge::merge;
use super::observer::{Manner, Observer};
use super::outcome::{ClockFacts, FlowFacts, Outcome, PointFacts};
use crate::decode::DecodeOptions;
use crate::model::{Addresses, Duration, ScopeSet};
use crate::reassemble::Limits;
use crate::receiver::{Forecast, NotModelled, Settings};
use crate::source::{Block, FileFacts, FilterSet, Source};
use hashbrown::HashMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Most points of one path.
pub const MAX_POINTS: usize = 16;

/// How captures are compared.
#[derive(Clone)]
pub struct Options {
    /// Frames that do not match are left out.
    pub filter: Option<FilterSet>,
    /// How frames are decoded.
    pub decode: DecodeOptions,
    /// Bounds of reassembly, for outer fragments that carry tunnels.
    pub reassembly: Limits,
    /// What is assumed of the hosts that fragments go to.
    pub receiver: Settings,
    /// Longest time that a packet may take from one end of the path to the other.
    pub window: Duration,
    /// Shortest step of losses over time.
    pub step: Duration,
    /// Whether the points are put in order.
    pub order: Order,
    /// Matched packets after which clocks are known so well that packets which come to all
    /// points in the same order are done with at once; see [`MARCH_AFTER`].
    pub march_after: u64,
}

/// Bytes that are best read at once: what is seen in so many is still in a cache when it is
/// matched.
pub const BLOCK_BYTES: usize = 128 * 1024;

/// A few thousand: as exact as clocks get, and soon over.
pub const MARCH_AFTER: u64 = 1 << 12;

/// In which order the points lie along the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As given.
    Given,
    /// As TTLs and clocks tell.
    Found,
}

/// How far the comparison has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    /// Bytes read of all captures.
    pub bytes: u64,
    /// Bytes there are.
    pub total_bytes: Option<u64>,
    /// Frames read.
    pub frames: u64,
}

/// Which reading of a capture it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// As far as it takes to know how clocks are apart.
    Sample,
    /// To its end.
    Whole,
}

/// Opens a capture from its beginning, by its place among those given.
pub type Open<'a> = &'a (dyn Fn(usize, Pass) -> Box<dyn Source> + Sync);

/// Compares captures until `flow` breaks.
pub fn compare(
    captures: usize,
    open: Open<'_>,
    options: &Options,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> Outcome {
    let captures = captures.min(MAX_POINTS);
    let aligned = align(captures, open, options, flow);
    let mut flight = Flight::new(
        aligned.rough.iter().copied().map(Clock::new).collect(),
        options.window,
        Book::new(captures, options.step),
        aligned.backward.clone(),
        options.march_after,
    );
    let manner = Manner {
        head_bytes: aligned.head_bytes,
        ..options.manner()
    };
    let mut ended_early = false;
    let ends = thread::scope(|scope| {
        let mut feeds = Vec::new();
        let mut ends = Vec::new();
        for capture in &aligned.order {
            let (send, receive) = sync_channel(BATCHES);
            let (manner, capture) = (manner.clone(), *capture);
            ends.push(scope.spawn(move || watch(open(capture, Pass::Whole), &manner, &send)));
            feeds.push(Feed::new(feeds.len(), receive));
        }
        ended_early = merge(&mut flight, &mut feeds, flow).is_break();
        drop(feeds);
        let ends = ends.into_iter().map(thread::ScopedJoinHandle::join);
        ends.map(|end| match end {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        })
        .collect::<Vec<End>>()
    });
    flight.finish();
    let mut outcome = conclude(flight, ends, &aligned, ended_early);
    outcome.examined = examine(&outcome, open, &options.decode);
    outcome
}

impl Options {
    fn manner(&self) -> Manner {
        Manner {
            filter: self.filter.clone(),
            decode: self.decode.clone(),
            reassembly: self.reassembly,
            receiver: self.receiver,
            head_bytes: HEAD_BYTES,
        }
    }
}

/// Batches of each point that wait to be matched.
const BATCHES: usize = 10;

/// What is left of a point once it was read.
struct End {
    file: FileFacts,
    frames: u64,
    truncated: u64,
    refused: u64,
    unopened: u64,
    scopes: ScopeSet,
    forecasts: Vec<Forecast>,
    not_modelled: NotModelled,
}

/// Reads one capture to its end, or until nobody listens.
fn watch(mut source: Box<dyn Source>, manner: &Manner, send: &SyncSender<Sent>) -> End {
    let mut observer = Observer::new(manner);
    let mut block = Block::default();
    let mut from = None;
    while source.fill(&mut block) {
        from = from.or_else(|| block.frames().next().map(|frame| frame.timestamp));
        let sent = Sent {
            batch: observer.observe(&block),
            read: source.progress(),
            frames: observer.frames,
            from,
        };
        if send.send(sent).is_err() {
            break;
        }
    }
    let (forecasts, not_modelled) = observer.forecasts();
    End {
        file: source.files().into_iter().next().unwrap_or_default(),
        frames: observer.frames,
        truncated: observer.truncated,
        refused: observer.refused(),
        unopened: observer.unopened(),
        forecasts,
        not_modelled,
        scopes: observer.into_scopes(),
    }
}

/// What is known before anything is matched.
struct Aligned {
    /// Captures in the order of the path.
    order: Vec<usize>,
    /// Whether it is another than was given.
    is_found: bool,
    /// How far clocks are ahead of that of the first point, by place in that order.
    rough: Vec<Duration>,
    /// Whether that is known.
    is_known: Vec<bool>,
    backward: HashMap<(usize, Addresses), bool>,
    head_bytes: usize,
}

/// Sightings of each capture that are looked at first; then twice as many.
const FIRST_LOOK: usize = 1 << 13;

/// Reads captures until it is known how their clocks are apart.
fn align(
    captures: usize,
    open: Open<'_>,
    options: &Options,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> Aligned {
    let manner = options.manner();
    let mut samplers: Vec<Sampler> = (0..captures)
        .map(|capture| Sampler::new(open(capture, Pass::Sample), &manner))
        .collect();
    let mut wanted = FIRST_LOOK;
    loop {
        for sampler in &mut samplers {
            sampler.read(wanted, flow);
        }
        let is_all_read = samplers.iter().all(|sampler| sampler.has_ended);
        if is_all_read || spanning(&samplers).is_some() || flow(Read::default()).is_break() {
            return conclude_alignment(&samplers, options.order);
        }
        wanted = wanted.saturating_mul(2);
    }
}

/// One capture while it is sampled.
struct Sampler {
    source: Box<dyn Source>,
    observer: Observer,
    block: Block,
    sample: Sample,
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
            sample: Sample::default(),
            seen: 0,
            has_ended: false,
            head_bytes: HEAD_BYTES,
        }
    }

    fn read(&mut self, wanted: usize, flow: &dyn Fn(Read) -> ControlFlow<()>) {
        while self.seen < wanted && !self.has_ended && flow(Read::default()).is_continue() {
            if !self.source.fill(&mut self.block) {
                self.has_ended = true;
                return;
            }
            let batch = self.observer.observe(&self.block);
            self.seen += batch.sightings.len();
            self.sample.take(&batch.lanes, &batch.sightings);
            self.head_bytes = self.head_bytes.min(self.observer.shortest_head());
        }
    }
}

/// How each capture but one hangs together with one before it; `None` if some do not.
fn spanning(samplers: &[Sampler]) -> Option<()> {
    let mut known = vec![0];
    while known.len() < samplers.len() {
        let next = (0..samplers.len()).find(|capture| {
            !known.contains(capture)
                && known.iter().any(|other| {
                    let common = samplers[*other].sample.common(&samplers[*capture].sample);
                    common.is_some()
                })
        })?;
        known.push(next);
    }
    Some(())
}

fn conclude_alignment(samplers: &[Sampler], order: Order) -> Aligned {
    let captures = samplers.len();
    let common = |one: usize, other: usize| samplers[one].sample.common(&samplers[other].sample);
    let found = match order {
        Order::Given => (0..captures).collect(),
        Order::Found => in_order(captures, |one, other| match common(one, other) {
            Some(common) => common.lead(),
            None => 0,
        }),
    };
    let mut aligned = Aligned {
        is_found: order == Order::Found,
        rough: vec![Duration(0); captures],
        is_known: vec![false; captures],
        backward: HashMap::new(),
        head_bytes: samplers
            .iter()
            .map(|sampler| sampler.head_bytes)
            .min()
            .unwrap_or(HEAD_BYTES),
        order: found,
    };
    aligned.hang_together(common);
    aligned
}

impl Aligned {
    /// Finds the clocks of all points from the first one on, each from one that is known.
    fn hang_together(&mut self, common: impl Fn(usize, usize) -> Option<Common>) {
        let points = self.order.len();
        let mut known: Vec<usize> = (points > 0).then_some(0).into_iter().collect();
        let mut waiting: Vec<usize> = (1..points).collect();
        loop {
            let found = waiting.iter().enumerate().find_map(|(place, point)| {
                let nearest = known.iter().rev().find_map(|other| {
                    let common = common(self.order[*other], self.order[*point])?;
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

    fn learn_ways(&mut self, one: usize, other: usize, common: &Common) {
        let is_turned = one > other;
        for (point, ways) in [one, other].into_iter().zip(common.backward()) {
            for (addresses, is_backward) in ways {
                self.backward
                    .insert((point, addresses), is_backward != is_turned);
            }
        }
    }
}

fn conclude(flight: Flight, ends: Vec<End>, aligned: &Aligned, ended_early: bool) -> Outcome {
    let mut flight = flight;
    for clock in &mut flight.clocks {
        clock.fit();
    }
    let book = flight.take_book();
    let (tallies, shared) = (book.tallies.clone(), book.shared);
    let (mut accounts, mut series) = book.into_accounts();
    for (pair, (front, back)) in pairs(flight.points).enumerate() {
        if [front, back]
            .iter()
            .any(|point| tallies[*point].matched == 0)
        {
            accounts
                .iter_mut()
                .for_each(|account| account.unjudge(pair));
            series[pair].0.steps.clear();
        }
    }
    let mut scopes = ScopeSet::default();
    let mut points = Vec::new();
    for (place, end) in ends.into_iter().enumerate() {
        let clock = &flight.clocks[place];
        scopes.merge(end.scopes);
        points.push(PointFacts {
            given: aligned.order[place],
            file: end.file,
            frames: end.frames,
            truncated_frames: end.truncated,
            span: flight.spans[place],
            tally: tallies[place],
            clock: ClockFacts {
                is_known: aligned.is_known[place],
                offset: clock.offset(),
                drift_ppm: clock.drift_ppm(),
                matched: clock.matched,
            },
            forecasts: end.forecasts,
            not_modelled: end.not_modelled,
            flows_refused: end.refused,
            tunnels_unopened: end.unopened,
        });
    }
    scopes.settle();
    Outcome {
        points,
        is_order_found: aligned.is_found,
        flows: flows(&flight, accounts),
        series,
        clocks: flight.clocks,
        examined: Examined::new(),
        scopes,
        flows_shared: shared,
        crowded_out: flight.crowded_out,
        times_wrong: flight.times_wrong,
        clocks_set_back: flight.clocks_set_back,
        ended_early,
    }
}

/// The flows with what is known of them; those that turned out to be one are one.
fn flows(flight: &Flight, accounts: Vec<Account>) -> Vec<FlowFacts> {
    let mut by_flow: HashMap<Option<u32>, usize> = HashMap::new();
    let mut flows: Vec<FlowFacts> = Vec::new();
    for account in accounts {
        let flow = account.flow.map(|flow| flight.paths.resolve(flow));
        match by_flow.get(&flow) {
            Some(place) => flows[*place].add(&account),
            None => {
                by_flow.insert(flow, flows.len());
                let keys = (0..flight.points).map(|point| {
                    let flow = flow?;
                    flight.paths.key_at(flow, point).copied()
                });
                flows.push(FlowFacts {
                    keys: keys.collect(),
                    is_backward: flow.is_some_and(|flow| flight.is_backward(flow)),
                    account,
                });
            }
        }
    }
    debug_assert!(
        flows
            .iter()
            .all(|flow| { flow.account.between.len() == pairs(flight.points).count() })
    );
    flows
}
