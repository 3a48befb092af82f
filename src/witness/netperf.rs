//! netperf's classic tables.
//!
//! ```text
//! MIGRATED UDP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 192.0.2.2 () port 0 AF_INET
//! Socket  Message  Elapsed      Messages
//! Size    Size     Time         Okay Errors   Throughput
//! bytes   bytes    secs            #      #   10^6bits/sec
//!
//! 212992   65507   60.00      119410      0    1042.95
//! 212992           60.00          70              0.61
//! ```
//!
//! The first row is the sender's, the second the receiver's. TCP tests print one row,
//! `receive socket, send socket, message, seconds, rate`: what the host that ran
//! netperf sent, or received if the test is `TCP_MAERTS`. `-c` and `-C` add columns at
//! the end.

use super::figures::{count, figure, prefix, times};
use super::run::Runs;
use super::{Run, Side, Transport, Unreadable};

/// Reads every run whose table has its header.
pub(super) fn read(text: &str) -> Result<Option<Runs>, Unreadable> {
    let mut runs = Runs::default();
    let mut table = None;
    let mut is_netperf = false;
    for line in text.lines() {
        if is_title(line) {
            is_netperf = true;
            table = Some(Table::titled(line));
        }
        let words: Vec<&str> = line.split_whitespace().take(MOST_WORDS).collect();
        if let Some(columns) = Columns::of_header(&words) {
            is_netperf = true;
            table.get_or_insert_default().columns = Some(columns);
        } else if let Some(table) = &mut table {
            table.row(&words, &mut runs)?;
        }
    }
    Ok(is_netperf.then_some(runs))
}

/// More words than any row has.
const MOST_WORDS: usize = 16;

fn is_title(line: &str) -> bool {
    let is_test = |kind: &str| line.contains(kind) && line.contains(" TEST ");
    ["UDP STREAM", "TCP STREAM", "TCP MAERTS", "TCP SENDFILE"]
        .iter()
        .any(|kind| is_test(kind))
        || is_test("UDP UNIDIRECTIONAL SEND")
        || is_test("REQUEST/RESPONSE")
}

/// The end whose figure a TCP test prints.
#[derive(Clone, Copy, Default, PartialEq)]
enum End {
    #[default]
    Sender,
    Receiver,
}

/// The table that is being read.
#[derive(Default)]
struct Table {
    end: End,
    columns: Option<Columns>,
    /// The row before was a UDP sender's.
    awaits_receiver: bool,
}

impl Table {
    fn titled(line: &str) -> Self {
        let end = if line.contains("MAERTS") {
            End::Receiver
        } else {
            End::Sender
        };
        Self {
            end,
            ..Self::default()
        }
    }

    fn row(&mut self, words: &[&str], runs: &mut Runs) -> Result<(), Unreadable> {
        let Some(Columns { transport, unit }) = self.columns else {
            return Ok(());
        };
        if transport == Transport::Tcp {
            return tcp_run(words, unit, self.end).map_or(Ok(()), |run| runs.push(run));
        }
        if let Some(run) = udp_run(words, unit) {
            self.awaits_receiver = true;
            return runs.push(run);
        }
        if self.awaits_receiver
            && let Some(run) = runs.last_mut()
            && let Some(received) = udp_receiver(words, unit, run.message_bytes)
        {
            run.received = received;
            self.awaits_receiver = false;
        }
        Ok(())
    }
}

/// What the last line of a header says.
#[derive(Clone, Copy)]
struct Columns {
    transport: Transport,
    /// Bits per second that a rate of 1 is; `None` for a unit that is not known.
    unit: Option<f64>,
}

impl Columns {
    fn of_header(words: &[&str]) -> Option<Self> {
        let (transport, rate) = match words {
            ["bytes", "bytes", "secs", "#", "#", rate, ..] => (Transport::Udp, rate),
            ["bytes", "bytes", "bytes", "secs.", rate, ..] => (Transport::Tcp, rate),
            _ => return None,
        };
        let unit = bits_per_second(rate);
        Some(Self { transport, unit })
    }

    fn rate(unit: Option<f64>, word: &str) -> Option<f64> {
        times(figure(word)?, unit?)
    }
}

/// Bytes are counted in powers of 1,024, bits in powers of 1,000. The header of TCP
/// with `-c` has no room for the last letters of `sec`.
fn bits_per_second(unit: &str) -> Option<f64> {
    match unit.split_once('/')?.0 {
        "10^3bits" => Some(1e3),
        "10^6bits" => Some(1e6),
        "10^9bits" => Some(1e9),
        bytes => times(prefix(bytes.strip_suffix("Bytes")?, 1024.0)?, 8.0),
    }
}

/// Always printed with a point, which tells a row from the tables of `-v 2`.
fn elapsed(word: &str) -> Option<f64> {
    figure(word).filter(|_| word.contains('.'))
}

fn udp_run(words: &[&str], unit: Option<f64>) -> Option<Run> {
    let [socket, message, seconds, messages, errors, rate, ..] = words else {
        return None;
    };
    count(socket)?;
    count(errors)?;
    let message_bytes = count(message)?;
    Some(Run {
        message_bytes: Some(message_bytes),
        seconds: Some(elapsed(seconds)?),
        sent: side(
            count(messages)?,
            Some(message_bytes),
            Columns::rate(unit, rate),
        ),
        ..Run::new(Transport::Udp)
    })
}

fn udp_receiver(words: &[&str], unit: Option<f64>, message_bytes: Option<u64>) -> Option<Side> {
    let [socket, seconds, messages, rate, ..] = words else {
        return None;
    };
    count(socket)?;
    elapsed(seconds)?;
    Some(side(
        count(messages)?,
        message_bytes,
        Columns::rate(unit, rate),
    ))
}

/// All messages of a run are of one size, so their bytes are known too.
fn side(messages: u64, message_bytes: Option<u64>, bits_per_second: Option<f64>) -> Side {
    Side {
        messages: Some(messages),
        bytes: message_bytes.and_then(|each| messages.checked_mul(each)),
        bits_per_second,
    }
}

fn tcp_run(words: &[&str], unit: Option<f64>, end: End) -> Option<Run> {
    let [receive_socket, send_socket, message, seconds, rate, ..] = words else {
        return None;
    };
    count(receive_socket)?;
    count(send_socket)?;
    figure(rate)?;
    let mut run = Run {
        message_bytes: Some(count(message)?),
        seconds: Some(elapsed(seconds)?),
        ..Run::new(Transport::Tcp)
    };
    let side = match end {
        End::Sender => &mut run.sent,
        End::Receiver => &mut run.received,
    };
    side.bits_per_second = Columns::rate(unit, rate);
    Some(run)
}
