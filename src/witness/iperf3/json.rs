//! What iperf3 writes with `-J`, and line by line with `--json-stream`.
//!
//! The sums under `end` are used. In newer versions (seen in 3.12) UDP has `sum_sent`
//! and `sum_received` as TCP always had; in older ones (seen in 3.9) it has only `sum`,
//! with the bytes that were sent and the datagrams that were missed. `--bidir` adds the
//! same names again with `_bidir_reverse`, but for UDP in older versions, where the
//! second `sum` hides the first.

use super::super::figures::{finite, rounded};
use super::super::run::Runs;
use super::super::{Run, Side, Transport, Unreadable};
use super::{Datagrams, forget_zeros};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// `None` if no document of iperf3 is in the text. Lines between documents, such as
/// warnings, are passed over.
pub(super) fn read(text: &str) -> Result<Option<Runs>, Unreadable> {
    if !text.contains("\"iperf 3") {
        return Ok(None);
    }
    let mut reader = Reader::default();
    let (mut at, mut line) = (0, 1);
    while let Some(begin) = next_document(text, at) {
        line = lines_between(text, at, begin).saturating_add(line);
        let (document, length) = parse(text, begin, line)?;
        reader.document(document, line)?;
        at = begin.saturating_add(length);
        line = lines_between(text, begin, at).saturating_add(line);
    }
    Ok(Some(reader.runs))
}

#[derive(Deserialize)]
struct Document {
    start: Option<Value>,
    end: Option<Value>,
    error: Option<IgnoredAny>,
    event: Option<String>,
    data: Option<Value>,
}

#[derive(Default)]
struct Reader {
    runs: Runs,
    /// From the last event that began a test.
    start: Value,
}

impl Reader {
    fn document(&mut self, document: Document, line: usize) -> Result<(), Unreadable> {
        let data = document.data.unwrap_or_default();
        match document.event.as_deref() {
            Some("error") => return Err(Unreadable::Failed { line }),
            Some("start") => self.start = data,
            Some("end") => return push_runs(&mut self.runs, &self.start, &data),
            Some(_) => {}
            None if document.error.is_some() => return Err(Unreadable::Failed { line }),
            None => {
                let start = document.start.unwrap_or_default();
                let end = document.end.unwrap_or_default();
                return push_runs(&mut self.runs, &start, &end);
            }
        }
        Ok(())
    }
}

/// Where the next line begins with a brace.
fn next_document(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let is_begin = |at: usize| {
        let before = text.get(..from.saturating_add(at)).unwrap_or_default();
        before.is_empty() || before.ends_with(['\n', '\r'])
    };
    let mut braces = rest.match_indices('{').map(|(at, _)| at);
    let at = braces.find(|at| is_begin(*at))?;
    Some(from.saturating_add(at))
}

/// The document that begins in a line, and its length in bytes.
fn parse(text: &str, begin: usize, line: usize) -> Result<(Document, usize), Unreadable> {
    let rest = text.get(begin..).unwrap_or_default();
    let mut documents = serde_json::Deserializer::from_str(rest).into_iter();
    match documents.next() {
        Some(Ok(document)) => Ok((document, documents.byte_offset())),
        Some(Err(error)) => Err(Unreadable::BadJson {
            line: line.saturating_add(error.line().saturating_sub(1)),
        }),
        None => Err(Unreadable::BadJson { line }),
    }
}

fn lines_between(text: &str, from: usize, to: usize) -> usize {
    let between = text.get(from..to).unwrap_or_default();
    between.matches('\n').count()
}

/// What the names under `end` end in for what the server sends in a test of both
/// directions.
const REVERSE: &str = "_bidir_reverse";

fn push_runs(runs: &mut Runs, start: &Value, end: &Value) -> Result<(), Unreadable> {
    let Some(test) = start.get("test_start") else {
        return Ok(());
    };
    let transport = match test.get("protocol").and_then(Value::as_str) {
        Some("UDP") => Transport::Udp,
        Some("TCP") => Transport::Tcp,
        _ => return Ok(()),
    };
    for direction in ["", REVERSE] {
        if let Some(mut run) = run(transport, direction, end) {
            run.message_bytes = count(test, "blksize");
            forget_far_end(&mut run, start, direction);
            forget_zeros(&mut run);
            runs.push(run)?;
        }
    }
    Ok(())
}

fn run(transport: Transport, direction: &str, end: &Value) -> Option<Run> {
    let sum = |name: &str| end.get(format!("{name}{direction}"));
    let mut run = Run::new(transport);
    let (sent, received) = (sum("sum_sent"), sum("sum_received"));
    let heard = received.or_else(|| sum("sum"));
    if let Some(sent) = sent.or_else(|| sum("sum")) {
        run.sent = side(sent);
        run.seconds = figure(sent, "seconds");
    }
    if let Some(received) = received {
        run.received = side(received);
    }
    if sent.is_none() && heard.is_none() {
        return None;
    }
    if let Some(datagrams) = heard.and_then(datagrams) {
        datagrams.apply(&mut run);
    }
    Some(run)
}

/// A server is not told what its client counted, and writes zeros.
fn forget_far_end(run: &mut Run, start: &Value, direction: &str) {
    if start.get("accepted_connection").is_none() {
        return;
    }
    let test = start.get("test_start");
    let is_reverse = test.and_then(|test| count(test, "reverse")) == Some(1);
    if is_reverse || direction == REVERSE {
        run.received = Side::UNKNOWN;
        run.lost_messages = None;
    } else {
        run.sent = Side::UNKNOWN;
    }
}

fn side(sum: &Value) -> Side {
    Side {
        messages: count(sum, "packets"),
        bytes: count(sum, "bytes"),
        bits_per_second: figure(sum, "bits_per_second"),
    }
}

fn datagrams(sum: &Value) -> Option<Datagrams> {
    Some(Datagrams {
        lost: count(sum, "lost_packets")?,
        total: count(sum, "packets")?,
    })
}

/// A whole number, which old versions write with an exponent if it is large.
fn count(object: &Value, name: &str) -> Option<u64> {
    let value = object.get(name)?;
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
        rounded(number)
    })
}

fn figure(object: &Value, name: &str) -> Option<f64> {
    finite(object.get(name)?.as_f64()?)
}
