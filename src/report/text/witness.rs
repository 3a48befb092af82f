//! What a benchmark and a kernel counted, beside what the capture shows.

use super::page::{Page, Tone};
use crate::model::number;
use crate::report::document::{Benchmark, BenchmarkRun, KernelCounter, Report};
use std::io::{self, Write};

/// Runs that are shown; JSON has all.
const SHOWN: usize = 20;

pub(super) fn write(report: &Report, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if let Some(benchmark) = &report.benchmark {
        write_benchmark(benchmark, Held::Against, page)?;
    }
    write_counters(&report.kernel_counters, page)
}

/// The same where no capture is held against the benchmark.
pub(in crate::report) fn write_as_said(
    benchmark: Option<&Benchmark>,
    counters: &[KernelCounter],
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    if let Some(benchmark) = benchmark {
        write_benchmark(benchmark, Held::AsSaid, page)?;
    }
    write_counters(counters, page)
}

/// Whether what a benchmark printed is held against a capture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Against,
    AsSaid,
}

fn write_benchmark(
    benchmark: &Benchmark,
    held: Held,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let runs = &benchmark.runs;
    let remark = match runs.len() {
        1 => benchmark.program.to_owned(),
        many => format!("{}, {many} runs", benchmark.program),
    };
    page.heading("Benchmark", &remark)?;
    for run in runs.iter().take(SHOWN) {
        let label = run.message_bytes.map_or_else(
            || run.transport.to_owned(),
            |bytes| format!("{} B", number::count(bytes)),
        );
        page.field(&label, &said(run), Tone::Normal)?;
        if held == Held::Against {
            page.field("", &shown(run), Tone::Normal)?;
        }
    }
    if let Some(more @ 1..) = runs.len().checked_sub(SHOWN) {
        let more = number::counted(more as u64, "more run");
        page.field(
            "",
            &format!("and {more}; --format json has all"),
            Tone::Normal,
        )?;
    }
    Ok(())
}

/// What the program printed.
fn said(run: &BenchmarkRun) -> String {
    let about = if run.is_estimated { "about " } else { "" };
    let side = |messages: Option<u64>, rate: Option<f64>| {
        let messages = messages.map(|messages| format!("{about}{}", number::count(messages)));
        let rate = rate.map(number::bit_rate);
        match (messages, rate) {
            (Some(messages), Some(rate)) => format!("{messages} ({rate})"),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => number::ABSENT.to_owned(),
        }
    };
    format!(
        "sent {}, received {}",
        side(run.sent_messages, run.sent_bits_per_second),
        side(run.received_messages, run.received_bits_per_second)
    )
}

/// What the capture has of it.
fn shown(run: &BenchmarkRun) -> String {
    let (Some(seen), Some(whole), Some(predicted)) = (
        run.seen_messages,
        run.whole_messages,
        run.predicted_messages,
    ) else {
        return match run.transport {
            "tcp" => "TCP has no messages to hold against the capture".to_owned(),
            _ => "nothing in the capture looks like it".to_owned(),
        };
    };
    let share = run.sent_messages.map_or_else(String::new, |sent| {
        format!(" ({})", number::percent(seen, sent))
    });
    let mut line = format!(
        "in the capture {}{share}, whole {}, delivered by a Linux receiver {}",
        number::count(seen),
        number::count(whole),
        number::count(predicted)
    );
    match run.unexplained_messages {
        None if run.seen_messages > run.sent_messages => line.push_str(
            "; more than were sent: the capture has packets more than once, or other flows of \
             that size",
        ),
        None => line.push_str("; too few of those sent to say what is unexplained"),
        Some(0) => line.push_str("; nothing unexplained"),
        Some(missing @ 1..) => {
            let missing = number::count(missing.unsigned_abs());
            line.push_str(&format!("; {missing} lost behind this point, unexplained"));
        }
        Some(more) => {
            let more = number::count(more.unsigned_abs());
            line.push_str(&format!("; {more} more were received than predicted"));
        }
    }
    line
}

fn write_counters(counters: &[KernelCounter], page: &mut Page<'_, impl Write>) -> io::Result<()> {
    if counters.is_empty() {
        return Ok(());
    }
    let is_difference = counters.iter().all(|counter| counter.is_difference);
    let remark = if is_difference {
        "what the receiver's kernel counted meanwhile, and what the capture predicts"
    } else {
        "what the receiver's kernel counted, since it started unless before and after were given"
    };
    page.heading("Kernel", remark)?;
    for counter in counters {
        let predicted = counter.capture.map_or_else(String::new, |capture| {
            format!(", the capture {}", number::count(capture))
        });
        let line = format!(
            "the kernel says {}{predicted}",
            number::count(counter.kernel)
        );
        page.line(&format!("  {:<17}{line}", counter.name), Tone::Normal)?;
    }
    Ok(())
}
