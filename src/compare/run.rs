//! The story in one place: captures are read and decoded side by side, what was seen is
//! brought into one order of time, and matched.

use super::aligned::{Aligned, align};
use super::between::Between;
use super::blocks::file_of;
use super::book::{Account, Book, Series};
use super::clock::Clock;
use super::content::HEAD_BYTES;
use super::damage::{Examined, examine};
use super::delay::Delays;
use super::feeds::Feeds;
use super::flight::{Flight, pairs};
use super::in_host;
use super::intake::Intake;
use super::merge::merge;
use super::observer::Manner;
use super::one_sided;
use super::outcome::{ClockFacts, FlowFacts, Outcome, PointFacts, Stranger};
use super::reader::{End, Reader, read_through};
use super::side_by_side::SideBySide;
use super::told::{self, Told};
use super::views::through::Through;
use crate::decode::DecodeOptions;
use crate::model::{Duration, ScopeSet};
use crate::reassemble::Limits;
use crate::receiver::Settings;
use crate::source::{FilterSet, Progress, Source};
use hashbrown::HashMap;
use std::ops::ControlFlow;
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
    /// Shortest step of losses over time that is shown; what they look like does not rest on it.
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

impl Read {
    /// Of one capture alone.
    pub(super) fn of(read: Progress, frames: u64) -> Self {
        Self {
            bytes: read.bytes,
            total_bytes: read.total_bytes,
            frames,
        }
    }
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
    let mut hairpins = vec![false; captures];
    loop {
        let compared = compare_with(&mut hairpins, open, options, flow);
        if let Some(outcome) = compared {
            return outcome;
        }
    }
}

/// Compares them if it is known which of them have [hairpins](super::views::hairpin); `None` if
/// others turned out to have some, which are known from then on. They rarely begin behind what
/// is looked at first.
fn compare_with(
    hairpins: &mut [bool],
    open: Open<'_>,
    options: &Options,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> Option<Outcome> {
    let aligned = align(hairpins, open, options, flow);
    let mut flight = Flight::new(
        aligned.rough.iter().copied().map(Clock::new).collect(),
        options.window,
        Book::new(aligned.order.len(), options.step),
        aligned.backward.clone(),
        options.march_after,
    );
    if aligned.joins_udp {
        flight.expect_joined();
    }
    let manner = |capture: usize| Manner {
        head_bytes: aligned.head_bytes,
        keeps_ids: aligned.keeps_ids,
        has_hairpins: hairpins[capture],
        ..options.manner()
    };
    let order = aligned.order.iter();
    let readers = order.map(|capture| Reader::new(open(*capture, Pass::Whole), &manner(*capture)));
    let intake = Intake::new(readers);
    let (mut merged, frames) = read_and_merge(&intake, &mut flight, flow);
    let ends = intake.into_ends();
    let seen = aligned.order.iter().zip(&ends);
    let with_hairpins = seen.filter_map(|(capture, end)| end.has_hairpins.then_some(*capture));
    if merged.is_continue() && learn(hairpins, with_hairpins) {
        return None;
    }
    flight.finish();
    let mut outcome = conclude(flight, ends, &frames, &aligned, options.window);
    for stranger in aligned.strangers {
        let mut source = open(stranger.capture, Pass::Whole);
        if merged.is_continue() {
            merged = read_through(source.as_mut(), flow);
        }
        outcome.strangers.push(Stranger {
            given: stranger.capture,
            file: file_of(source.as_ref()),
            packets: stranger.packets,
            too_short: stranger.too_short,
            met: stranger.met,
        });
    }
    outcome.ended_early = merged.is_break();
    if merged.is_continue() {
        outcome.examined = examine(&outcome, open, &options.decode, flow);
    }
    Some(outcome)
}

/// Notes of which captures something is so; whether that was not known of any.
pub(super) fn learn(known: &mut [bool], found: impl Iterator<Item = usize>) -> bool {
    found.fold(false, |is_new, capture| {
        is_new | !std::mem::replace(&mut known[capture], true)
    })
}

/// Matches what comes of all captures, until `flow` breaks; gives how many frames were of
/// each.
fn read_and_merge(
    intake: &Intake,
    flight: &mut Flight,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> (ControlFlow<()>, Vec<u64>) {
    let points = flight.points;
    thread::scope(|scope| {
        // However it ends, nobody waits for room any more.
        let _closing = intake.closing();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..points.min(cores.saturating_sub(1)) {
            scope.spawn(|| intake.help());
        }
        let mut feeds = Feeds::new(points, intake);
        let merged = merge(flight, &mut feeds, flow);
        (merged, feeds.frames().collect())
    })
}

impl Options {
    pub(super) fn manner(&self) -> Manner {
        Manner {
            filter: self.filter.clone(),
            decode: self.decode.clone(),
            reassembly: self.reassembly,
            receiver: self.receiver,
            head_bytes: HEAD_BYTES,
            keeps_ids: true,
            has_hairpins: false,
        }
    }
}

/// What is known once all was matched; of each point are given how many frames were.
fn conclude(
    flight: Flight,
    ends: Vec<End>,
    frames: &[u64],
    aligned: &Aligned,
    window: Duration,
) -> Outcome {
    let mut flight = flight;
    for clock in &mut flight.clocks {
        clock.fit();
    }
    let mut ends = ends;
    let scopes = scopes_of(&mut ends);
    let book = flight.take_book();
    let mut book = book;
    let (tallies, shared) = (book.tallies.clone(), book.shared);
    let mut missed = std::mem::take(&mut book.missed).into_iter();
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
    let (mut flows, places) = flows(&flight, accounts);
    let of_flows = flows.iter_mut().flat_map(|flow| &mut flow.account.between);
    of_flows.for_each(Between::tell_few_apart);
    one_sided::set_apart(
        &flight,
        &mut flows,
        &places,
        &scopes,
        series.iter_mut().map(|(series, _)| series),
    );
    let told = ends.iter_mut().map(|end| std::mem::take(&mut end.told));
    let told: Vec<Told> = told.collect();
    let through = ends.iter_mut().map(|end| std::mem::take(&mut end.through));
    let through: Vec<Vec<Through>> = through.collect();
    let mut points = Vec::new();
    for ((place, end), frames) in ends.into_iter().enumerate().zip(frames) {
        let clock = &flight.clocks[place];
        points.push(PointFacts {
            given: aligned.order[place],
            file: end.file,
            frames: *frames,
            truncated_frames: end.truncated,
            span: flight.spans[place],
            tally: tallies[place],
            missed: missed.next().unwrap_or_default(),
            passed_beside: 0,
            clock: ClockFacts {
                is_known: aligned.is_known[place],
                offset: clock.offset(),
                drift_ppm: clock.drift_ppm(),
                matched: clock.matched,
            },
            forecasts: end.forecasts,
            not_modelled: end.not_modelled,
            too_short: end.too_short,
            seen_again: end.seen_again,
            flows_refused: end.refused,
            tunnels_unopened: end.unopened,
            errors_refused: told[place].refused,
        });
    }
    let side_by_side = side_by_side(&flight, &mut flows, &mut points, &mut series);
    Outcome {
        points,
        side_by_side,
        strangers: Vec::new(),
        order: aligned.told.clone(),
        drops_told: told::gather(&flows, &told),
        in_hosts: in_host::gather(&flows, &through),
        flows,
        series,
        window,
        clocks: flight.clocks,
        examined: Examined::new(),
        scopes,
        flows_shared: shared,
        crowded_out: flight.crowded_out,
        wrong_times: flight.wrong_times,
        clocks_set_back: flight.clocks_set_back,
        ended_early: false,
    }
}

/// Which points lie side by side. What passes one of them is not missed at the other; and if that is
/// an end, nothing is said of what would be between the two, nor of the whole path.
fn side_by_side(
    flight: &Flight,
    flows: &mut [FlowFacts],
    points: &mut [PointFacts],
    series: &mut [(Series, Option<Delays>)],
) -> SideBySide {
    let spans = flight.spans.iter().zip(&flight.clocks);
    let spans = spans.map(|(span, clock)| {
        let (from, until) = (*span)?;
        Some((clock.to_reference(from), clock.to_reference(until)))
    });
    let spans: Vec<_> = spans.collect();
    let timed = series.iter().map(|(_, delays)| delays.as_ref());
    let timed = timed.map(|delays| delays.map_or(0, Delays::packets));
    let timed: Vec<u64> = timed.collect();
    let found = SideBySide::find(flows, &spans, &timed);
    found.forgive(flows, points);
    let at_ends: Vec<usize> = found
        .neighbours()
        .filter(|front| found.is_at_end(*front))
        .collect();
    let whole = (!at_ends.is_empty()).then_some(series.len() - 1);
    for pair in at_ends.into_iter().chain(whole) {
        let accounts = flows.iter_mut().map(|flow| &mut flow.account);
        accounts.for_each(|account| account.between[pair] = Between::default());
        series[pair].0.steps.clear();
        series[pair].1 = None;
    }
    found
}

/// The scopes of all points.
fn scopes_of(ends: &mut [End]) -> ScopeSet {
    let mut scopes = ScopeSet::default();
    for end in ends {
        scopes.merge(std::mem::take(&mut end.scopes));
    }
    scopes.settle();
    scopes
}

/// The flows with what is known of them, and of each account which of them it is of; those that
/// turned out to be one are one.
fn flows(flight: &Flight, accounts: Vec<Account>) -> (Vec<FlowFacts>, Vec<usize>) {
    let mut by_flow: HashMap<Option<u32>, usize> = HashMap::new();
    let mut flows: Vec<FlowFacts> = Vec::new();
    let mut places = Vec::with_capacity(accounts.len());
    for account in accounts {
        let flow = account.flow.map(|flow| flight.paths.resolve(flow));
        match by_flow.get(&flow) {
            Some(place) => {
                places.push(*place);
                flows[*place].add(&account);
            }
            None => {
                places.push(flows.len());
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
    (flows, places)
}
