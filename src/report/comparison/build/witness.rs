//! What others counted, as rows.

use crate::compare::Outcome;
use crate::diagnose::path::Sums;
use crate::report::document::{Benchmark, BenchmarkRun, KernelCounter};
use crate::witness::{self, KernelCounters, Transport};

/// What a benchmark printed, as it printed it.
pub(super) fn benchmark(given: &witness::Benchmark) -> Benchmark {
    Benchmark {
        program: given.program.name(),
        runs: given.runs.iter().map(row).collect(),
    }
}

fn row(run: &witness::Run) -> BenchmarkRun {
    BenchmarkRun {
        transport: match run.transport {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
        },
        message_bytes: run.message_bytes,
        seconds: run.seconds,
        is_estimated: run.sent.messages.is_none() && run.received.messages.is_none(),
        sent_messages: run.sent.messages,
        sent_bits_per_second: run.sent.bits_per_second,
        received_messages: run.received.messages,
        received_bits_per_second: run.received.bits_per_second,
        flows: Vec::new(),
        seen_messages: None,
        whole_messages: None,
        predicted_messages: None,
        not_seen_messages: None,
        unexplained_messages: None,
    }
}

/// The counters of reassembly of the receiver's kernel, beside what its model says.
pub(super) fn counters(
    kernel: Option<&KernelCounters>,
    outcome: &Outcome,
    sums: &Sums,
) -> Vec<KernelCounter> {
    let Some(kernel) = kernel else {
        return Vec::new();
    };
    let forecasts = sums.forecasts(outcome);
    let predicted = |of: fn(&crate::receiver::Predicted) -> u64| {
        let values = forecasts.iter().map(|forecast| of(&forecast.predicted));
        values.sum::<u64>()
    };
    let rows: [(&'static str, u64); 3] = [
        ("IpReasmReqds", predicted(|model| model.fragments)),
        ("IpReasmOKs", predicted(|model| model.reassembled)),
        ("IpReasmFails", predicted(|model| model.failed)),
    ];
    rows.into_iter()
        .filter_map(|(name, capture)| {
            Some(KernelCounter {
                name,
                kernel: kernel.growth(name)?,
                is_difference: kernel.is_difference(name),
                capture: Some(capture),
            })
        })
        .collect()
}
