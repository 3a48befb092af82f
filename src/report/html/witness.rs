//! What a benchmark and a kernel counted, beside what the capture shows.

use super::bounds::{COUNTERS, RUNS};
use super::section::{Part, Section};
use super::table::{Cell, Table, count, figure, words};
use crate::model::number;
use crate::report::document::{Benchmark, BenchmarkRun, KernelCounter, Report};

const RUN: [&str; 11] = [
    "transport",
    "#message bytes",
    "#seconds",
    "#sent",
    "#sent at",
    "#received",
    "#received at",
    "#in the capture",
    "#whole",
    "#delivered by a Linux receiver",
    "#unexplained",
];

/// Columns of what the benchmark itself says.
const SAID: usize = 7;

/// The runs of a benchmark.
pub(super) fn benchmark(report: &Report) -> Option<Section> {
    let benchmark = report.benchmark.as_ref()?;
    let held = "printed, and what the capture has of it";
    Some(runs(benchmark, held, RUN.len()))
}

/// The same where no capture is held against it.
pub(in crate::report) fn as_said(benchmark: Option<&Benchmark>) -> Option<Section> {
    Some(runs(benchmark?, "printed", SAID))
}

fn runs(benchmark: &Benchmark, held: &str, columns: usize) -> Section {
    let caption = format!("What {} {held}", benchmark.program);
    let mut table = Table::new("benchmark-runs", caption, &RUN[..columns]);
    for run in benchmark.runs.iter().take(RUNS) {
        let mut cells = cells(run);
        cells.truncate(columns);
        table.push(cells);
    }
    let estimated = benchmark.runs.iter().any(|run| run.is_estimated);
    let lead = if estimated {
        "Figures with ~ are what its rates come to: it counted no messages."
    } else {
        ""
    };
    let table = table.of(benchmark.runs.len() as u64, "run");
    let part = Part::Table(Box::new(table));
    Section::of("benchmark", "Benchmark", lead.to_owned(), part)
}

fn cells(run: &BenchmarkRun) -> Vec<Cell> {
    let about = if run.is_estimated { "~" } else { "" };
    let said = |messages: Option<u64>| {
        figure(messages.map(|messages| messages as f64), |_| {
            number::or_absent(messages, |messages| {
                format!("{about}{}", number::count(messages))
            })
        })
    };
    let seen = |messages: Option<u64>| {
        figure(messages.map(|messages| messages as f64), |_| {
            number::or_absent(messages, number::count)
        })
    };
    let rate = |bits| figure(bits, number::bit_rate);
    let unexplained = run.unexplained_messages;
    vec![
        words(run.transport),
        seen(run.message_bytes),
        figure(run.seconds, |seconds| format!("{seconds:.2}")),
        said(run.sent_messages),
        rate(run.sent_bits_per_second),
        said(run.received_messages),
        rate(run.received_bits_per_second),
        seen(run.seen_messages),
        seen(run.whole_messages),
        seen(run.predicted_messages),
        figure(unexplained.map(|messages| messages as f64), |_| {
            number::or_absent(unexplained, signed)
        }),
    ]
}

fn signed(value: i64) -> String {
    let sign = if value < 0 { "−" } else { "" };
    format!("{sign}{}", number::count(value.unsigned_abs()))
}

/// The counters of a kernel.
pub(in crate::report) fn counters(counters: &[KernelCounter]) -> Option<Section> {
    if counters.is_empty() {
        return None;
    }
    let columns = ["counter", "#the kernel says", "#the capture says"];
    let mut table = Table::new(
        "kernel-counters",
        "Counters of the receiver's kernel",
        &columns,
    );
    for counter in counters.iter().take(COUNTERS) {
        let capture = counter.capture;
        table.push(vec![
            words(counter.name),
            count(counter.kernel),
            figure(capture.map(|count| count as f64), |_| {
                number::or_absent(capture, number::count)
            }),
        ]);
    }
    let lead = if counters.iter().all(|counter| counter.is_difference) {
        "What it counted meanwhile, and what the capture predicts."
    } else {
        "What it counted, since it started unless before and after were given."
    };
    let table = table.of(counters.len() as u64, "counter");
    let part = Part::Table(Box::new(table));
    Some(Section::of("kernel", "Kernel", lead.to_owned(), part))
}
