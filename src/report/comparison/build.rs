//! What came of a comparison in, document out.

mod flows;
mod icmp;
mod loss;
mod points;
mod segment;
mod witness;

use super::document::{
    Common, CompareOptions, Comparison, Direction, OneWay, PathFlow, Relation, SCHEMA_VERSION,
    Segment,
};
use crate::compare::{Between, FlowFacts, MAX_ACCOUNTS, MAX_LANES, Outcome};
use crate::diagnose::path;
use crate::model::Timestamp;
use crate::report::build::receivers;
use crate::report::document::{Problem, Severity, Time, Tool};
use crate::witness::{Benchmark, KernelCounters};
use std::collections::BTreeMap;

/// What a document is built from.
#[derive(Clone, Copy)]
pub struct ComparedParts<'a> {
    /// What came of the comparison.
    pub outcome: &'a Outcome,
    /// What a benchmark printed of the same traffic.
    pub benchmark: Option<&'a Benchmark>,
    /// What the receiver's kernel counted meanwhile.
    pub kernel: Option<&'a KernelCounters>,
    /// Sentences against the comparison as a whole.
    pub warnings: &'a [String],
}

/// Lays what came of a comparison out as a document.
pub fn build(parts: &ComparedParts<'_>, options: CompareOptions) -> Comparison {
    let outcome = parts.outcome;
    let sums = path::Sums::of(outcome);
    let diagnosis = path::diagnose(&path::Given {
        outcome,
        sums: &sums,
        benchmark: parts.benchmark,
        kernel: parts.kernel,
    });
    let all: Vec<Segment> = (0..outcome.series.len())
        .map(|pair| segment::of_all(outcome, &sums, pair))
        .collect();
    let (segments, whole) = split(all);
    let rows = flows::rows(outcome, false, options.top);
    let carriers = flows::rows(outcome, true, options.top);
    Comparison {
        schema_version: SCHEMA_VERSION,
        kind: "comparison",
        tool: Tool::THIS,
        relation: relation(outcome),
        points: points::points(outcome),
        off_path: points::off_path(outcome),
        side_by_side: points::side_by_side(outcome),
        common: common(outcome),
        segments,
        path: whole,
        directions: directions(outcome, &sums),
        flows_total: rows.total,
        flows_omitted: rows.total - rows.listed.len() as u64,
        findings: points::findings(&diagnosis, &rows.numbers),
        flows: rows.listed,
        carriers: carriers.listed,
        icmp_errors: icmp::errors(outcome),
        receivers: receivers::receivers(&sums.forecasts(outcome)),
        explanation: diagnosis.explanation.as_ref().map(points::explanation),
        benchmark: parts.benchmark.map(witness::benchmark),
        kernel_counters: witness::counters(parts.kernel, outcome, &sums),
        limits: limits(outcome),
        problems: problems(parts, options.filter.is_some()),
        options,
    }
}

/// Both directions apart, where there is traffic in both.
fn directions(outcome: &Outcome, sums: &path::Sums) -> Vec<OneWay> {
    let ways = [
        (Direction::Forward, &sums.forward),
        (Direction::Backward, &sums.backward),
    ];
    let is_used = |between: &Between| between.front.packets + between.back.packets > 0;
    if !ways.iter().all(|(_, way)| way.iter().any(is_used)) {
        return Vec::new();
    }
    let rows = ways.into_iter().map(|(direction, way)| {
        let is_backward = direction == Direction::Backward;
        let (segments, path) = split(segment::of_one_way(outcome, way, is_backward));
        OneWay {
            direction,
            segments,
            path,
        }
    });
    rows.collect()
}

/// The pairs of neighbours, and that of the two ends, which is the only one of two points.
fn split(mut all: Vec<Segment>) -> (Vec<Segment>, Segment) {
    let whole = match all.len() {
        0 => Segment::default(),
        1 => all[0].clone(),
        _ => all.pop().unwrap_or_default(),
    };
    (all, whole)
}

fn relation(outcome: &Outcome) -> Relation {
    let matched = outcome.points.iter().filter(|p| p.tally.matched > 0);
    match matched.count() {
        0 => Relation::Unrelated,
        all if all == outcome.points.len() + outcome.strangers.len() => Relation::Same,
        _ => Relation::Partly,
    }
}

/// The time in which all points captured.
fn common(outcome: &Outcome) -> Option<Common> {
    let spans = outcome.points.iter().enumerate().map(|(place, point)| {
        let (from, until) = point.span?;
        Some((
            outcome.to_reference(place, from),
            outcome.to_reference(place, until),
        ))
    });
    let spans: Vec<(Timestamp, Timestamp)> = spans.collect::<Option<_>>()?;
    let from = spans.iter().map(|(from, _)| *from).max()?;
    let until = spans.iter().map(|(_, until)| *until).min()?;
    let is_matched = outcome.points.iter().all(|point| point.tally.matched > 0);
    (is_matched && from <= until).then(|| Common {
        first_timestamp: Time(from),
        last_timestamp: Time(until),
        duration_seconds: (until - from).as_secs_f64(),
    })
}

fn limits(outcome: &Outcome) -> BTreeMap<String, u64> {
    let of_points =
        |count: fn(&crate::compare::PointFacts) -> u64| outcome.points.iter().map(count).sum();
    let all: [(String, u64); 9] = [
        (
            "packets_cut_too_short".to_owned(),
            of_points(|point| point.too_short),
        ),
        ("times_set_right".to_owned(), outcome.times_wrong()),
        (
            format!("packets_of_flows_beyond_{MAX_LANES}"),
            of_points(|point| point.flows_refused),
        ),
        (
            format!("flows_added_up_beyond_{MAX_ACCOUNTS}"),
            outcome.flows_shared,
        ),
        ("packets_given_up_early".to_owned(), outcome.crowded_out),
        (
            "tunnels_not_opened".to_owned(),
            of_points(|point| point.tunnels_unopened),
        ),
        (
            "icmp_errors_not_kept".to_owned(),
            of_points(|point| point.errors_refused),
        ),
        (
            "fragments_without_forecast".to_owned(),
            of_points(|point| point.not_modelled.fragments),
        ),
        (
            "receivers_given_up".to_owned(),
            of_points(|point| point.not_modelled.hosts_given_up),
        ),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).collect()
}

fn problems(parts: &ComparedParts<'_>, is_filtered: bool) -> Vec<Problem> {
    let told = parts.warnings.iter().cloned();
    let texts = told.chain(points::objections(parts.outcome, is_filtered));
    texts
        .map(|message| Problem {
            severity: Severity::Warning,
            message,
        })
        .collect()
}

/// A flow with its number in the outcome.
struct Rows {
    listed: Vec<PathFlow>,
    /// By place in the list.
    numbers: Vec<usize>,
    total: u64,
}

/// Whether a flow has a key of its own.
fn is_named(flow: &FlowFacts) -> bool {
    flow.keys.iter().any(Option::is_some)
}
