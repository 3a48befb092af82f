//! What qperf prints of `udp_bw` and `tcp_bw`.
//!
//! ```text
//! udp_bw:
//!     send_bw   =  534 MB/sec
//!     recv_bw   =  460 MB/sec
//!     msg_size  =   32 KiB (32,768)
//! ```
//!
//! A sweep (`-oo msg_size:1:64K:*2`) prints one such block for each size, and says the
//! size only with `-vu` or `-vv`. Prefixes stand for powers of 1,000, but with an `i`
//! for powers of 1,024; `--use_bits_per_sec` turns `B` into `b`. Figures have three
//! digits unless a whole multiple of 1,024 is repeated in brackets.

use super::figures::{grouped, prefix, rounded, times};
use super::run::Runs;
use super::{Run, Transport, Unreadable};

/// Reads every block of a bandwidth test.
pub(super) fn read(text: &str) -> Result<Option<Runs>, Unreadable> {
    let mut runs = Runs::default();
    let mut block = None;
    let mut is_qperf = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_suffix(':').filter(|name| is_test(name)) {
            is_qperf = true;
            finish(block.take(), &mut runs)?;
            block = transport(name).map(Run::new);
        } else if let Some(run) = &mut block {
            let _ = value(run, line);
        }
    }
    finish(block, &mut runs)?;
    Ok(is_qperf.then_some(runs))
}

fn is_test(name: &str) -> bool {
    name == "conf" || name.ends_with("_bw") || name.ends_with("_lat")
}

fn transport(name: &str) -> Option<Transport> {
    match name {
        "udp_bw" => Some(Transport::Udp),
        "tcp_bw" => Some(Transport::Tcp),
        _ => None,
    }
}

/// A block without a rate was cut off.
fn finish(block: Option<Run>, runs: &mut Runs) -> Result<(), Unreadable> {
    let is_whole = |run: &Run| run.received.bits_per_second.is_some();
    block.filter(is_whole).map_or(Ok(()), |run| runs.push(run))
}

/// Takes over one `name = value unit (exact)`; `None` if it is nothing of interest.
fn value(run: &mut Run, line: &str) -> Option<()> {
    let (name, value) = line.split_once('=')?;
    let words: Vec<&str> = value.split_whitespace().take(3).collect();
    let (number, unit) = match words.as_slice() {
        [number] => (*number, ""),
        [number, unit] => (*number, *unit),
        [_, _, exact] => (bracketed(exact)?, "bytes"),
        _ => return None,
    };
    let number = grouped(number)?;
    match name.trim() {
        "send_bw" => run.sent.bits_per_second = rate(number, unit),
        "recv_bw" | "bw" => run.received.bits_per_second = rate(number, unit),
        "send_bytes" | "loc_send_bytes" | "rem_send_bytes" => run.sent.bytes = bytes(number, unit),
        "recv_bytes" | "loc_recv_bytes" | "rem_recv_bytes" => {
            run.received.bytes = bytes(number, unit);
        }
        "send_msgs" | "loc_send_msgs" | "rem_send_msgs" => {
            run.sent.messages = messages(number, unit);
        }
        "recv_msgs" | "loc_recv_msgs" | "rem_recv_msgs" => {
            run.received.messages = messages(number, unit);
        }
        "msg_size" => run.message_bytes = bytes(number, unit),
        "time" => run.seconds = seconds(number, unit),
        _ => {}
    }
    Some(())
}

fn bracketed(word: &str) -> Option<&str> {
    word.strip_prefix('(')?.strip_suffix(')')
}

fn rate(number: f64, unit: &str) -> Option<f64> {
    let unit = unit.strip_suffix("/sec")?;
    match unit {
        "bytes" => times(number, 8.0),
        "bits" => times(number, 1.0),
        _ if unit.ends_with('B') => times(number, prefix(unit.strip_suffix('B')?, 1000.0)? * 8.0),
        _ => times(number, prefix(unit.strip_suffix('b')?, 1000.0)?),
    }
}

fn bytes(number: f64, unit: &str) -> Option<u64> {
    let factor = match unit {
        "bytes" => 1.0,
        _ if unit.ends_with("iB") => prefix(unit.strip_suffix("iB")?, 1024.0)?,
        _ => prefix(unit.strip_suffix('B')?, 1000.0)?,
    };
    rounded(number * factor)
}

fn messages(number: f64, unit: &str) -> Option<u64> {
    let factor = match unit {
        "" => 1.0,
        "million" => 1e6,
        "billion" => 1e9,
        "trillion" => 1e12,
        _ => return None,
    };
    rounded(number * factor)
}

fn seconds(number: f64, unit: &str) -> Option<f64> {
    let factor = match unit {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "sec" => 1.0,
        _ => return None,
    };
    times(number, factor)
}
