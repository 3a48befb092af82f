//! What others counted, as rows.

use super::findings::listed;
use crate::diagnose::{Compared, Reconciled};
use crate::model::FlowKey;
use crate::report::document::{Benchmark, BenchmarkRun, KernelCounter};
use crate::witness::{self, Transport};

/// The benchmark; `keys` are those of the flows that are listed.
pub(super) fn benchmark(
    given: &witness::Benchmark,
    runs: &[Reconciled],
    keys: &[FlowKey],
) -> Benchmark {
    Benchmark {
        program: given.program.name(),
        runs: runs.iter().map(|run| row(run, keys)).collect(),
    }
}

fn row(reconciled: &Reconciled, keys: &[FlowKey]) -> BenchmarkRun {
    let run = &reconciled.run;
    let messages = reconciled.messages;
    BenchmarkRun {
        transport: match run.transport {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
        },
        message_bytes: run.message_bytes,
        seconds: run.seconds,
        is_estimated: reconciled.is_estimated,
        sent_messages: run.sent.messages,
        sent_bits_per_second: run.sent.bits_per_second,
        received_messages: run.received.messages,
        received_bits_per_second: run.received.bits_per_second,
        flows: listed(&reconciled.flows, keys),
        seen_messages: messages.map(|messages| messages.seen),
        whole_messages: messages.map(|messages| messages.whole),
        predicted_messages: messages.map(|messages| messages.predicted),
        not_seen_messages: reconciled.not_seen(),
        unexplained_messages: reconciled.unexplained(),
    }
}

/// The kernel's counters.
pub(super) fn counters(compared: &[Compared]) -> Vec<KernelCounter> {
    compared
        .iter()
        .map(|compared| KernelCounter {
            name: compared.name,
            kernel: compared.kernel,
            is_difference: compared.is_difference,
            capture: compared.capture,
        })
        .collect()
}
