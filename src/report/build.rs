//! Ledger in, document out.
//!
//! Everything is put into an order here that does not depend on how the ledger was
//! filled, so that the same capture gives the same document.

pub(in crate::report) mod capture;
mod findings;
mod lost;
pub(in crate::report) mod receivers;
pub(in crate::report) mod rows;
mod throughput;
mod timeline;
mod witness;

use super::document::{Options, Report, SCHEMA_VERSION, Tool};
use crate::account::Ledger;
use crate::diagnose::{Given, diagnose};
use crate::host::Interface;
use crate::model::Counters;
use crate::receiver::{Forecast, NotModelled};
use crate::source::FileFacts;
use crate::witness::{Benchmark, KernelCounters};

/// What a document is built from.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// What was counted.
    pub ledger: &'a Ledger,
    /// What the receivers made of the fragments.
    pub forecasts: &'a [Forecast],
    /// Fragments that no forecast was made of.
    pub not_modelled: NotModelled,
    /// What a benchmark printed of the same traffic.
    pub benchmark: Option<&'a Benchmark>,
    /// What the receiver's kernel counted meanwhile.
    pub kernel: Option<&'a KernelCounters>,
    /// The interfaces of the host that captures, if that is this one.
    pub interfaces: &'a [Interface],
    /// Names of those that are captured on.
    pub captured_on: &'a [String],
    /// What is known of the inputs, in reading order.
    pub files: &'a [FileFacts],
    /// Sentences against the capture as a whole.
    pub warnings: &'a [String],
}

impl<'a> Parts<'a> {
    /// Of what was counted, and nothing besides.
    pub fn of(ledger: &'a Ledger, forecasts: &'a [Forecast], not_modelled: NotModelled) -> Self {
        Self {
            ledger,
            forecasts,
            not_modelled,
            benchmark: None,
            kernel: None,
            interfaces: &[],
            captured_on: &[],
            files: &[],
            warnings: &[],
        }
    }
}

/// Lays the ledger out as the document of the report.
pub fn build(parts: &Parts<'_>, options: Options) -> Report {
    let ledger = parts.ledger;
    let (flows, keys) = rows::flows(ledger, &options);
    let tunnels = rows::tunnels(ledger, &options);
    let diagnosis = diagnose(Given {
        ledger,
        forecasts: parts.forecasts,
        dropped_frames: FileFacts::dropped_frames_of(parts.files),
        is_filtered: options.filter.is_some(),
        benchmark: parts.benchmark,
        kernel: parts.kernel,
        interfaces: parts.interfaces,
        captured_on: parts.captured_on,
    });
    let mut totals = Counters::default();
    totals += flows.totals;
    totals += tunnels.totals;
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool::THIS,
        capture: capture::capture(parts, &options),
        totals,
        throughput: throughput::of_all(ledger, &flows.totals),
        flows_total: flows.seen,
        flows_omitted: flows.seen - flows.listed.len() as u64,
        flows: flows.listed,
        tunnels_omitted: tunnels.seen - tunnels.listed.len() as u64,
        tunnels: tunnels.listed,
        receivers: receivers::receivers(parts.forecasts),
        lost_datagrams: lost::lost_datagrams(ledger, &keys, parts.files),
        timeline: timeline::timeline(&ledger.timeline),
        findings: findings::findings(&diagnosis.findings, &keys, parts.files),
        explanation: diagnosis.explanation.as_ref().map(findings::explanation),
        benchmark: parts
            .benchmark
            .map(|given| witness::benchmark(given, &diagnosis.runs, &keys)),
        kernel_counters: witness::counters(&diagnosis.counters),
        options,
    }
}
