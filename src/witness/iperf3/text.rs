//! What iperf3 prints to a terminal.
//!
//! ```text
//! [ ID] Interval           Transfer     Bitrate         Total Datagrams
//! [  5]   0.00-1.00   sec   119 MBytes   999 Mbits/sec  1907
//! - - - - - - - - - - - - - - - - - - - - - - - - -
//! [ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
//! [  5]   0.00-2.00   sec   238 MBytes  1000 Mbits/sec  0.000 ms  0/3815 (0%)  sender
//! [  5]   0.00-2.00   sec  9.75 MBytes  40.9 Mbits/sec  0.037 ms  47/203 (23%)  receiver
//! ```
//!
//! Parallel streams have a `[SUM]`, the directions of `--bidir` a role (`[TX-C]`).
//! Before version 3.2 a UDP summary is one line with neither `sender` nor `receiver`:
//! the bytes the sender sent, and the datagrams the receiver missed. It is told from an
//! interval by the header that follows the dashes.

use super::super::figures::{count, figure, prefix, rounded, times};
use super::super::run::Runs;
use super::super::{Run, Side, Transport, Unreadable};
use super::{Datagrams, forget_zeros};

/// More than a test has: iperf3 allows 128 in each direction.
const MAX_STREAMS: usize = 512;

/// `None` if there is no table of iperf3.
pub(super) fn read(text: &str) -> Result<Option<Runs>, Unreadable> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line(index.saturating_add(1), line.trim())?;
    }
    reader.finish()
}

#[derive(Default)]
struct Reader<'a> {
    runs: Runs,
    test: Test<'a>,
    is_iperf3: bool,
    /// The line of the first complaint.
    failed: Option<usize>,
}

/// The test that is being read.
#[derive(Default)]
struct Test<'a> {
    section: Section,
    is_udp: bool,
    message_bytes: Option<u64>,
    streams: Vec<(Label<'a>, Run)>,
}

/// Where in a test a line stands.
#[derive(Clone, Copy, Default, PartialEq)]
enum Section {
    #[default]
    Intervals,
    /// After the dashes: intervals, unless a header follows.
    Dashes,
    Summary,
    /// What the server printed, which is the same run again.
    ServerOutput,
}

/// What stands in brackets at the begin of a line.
#[derive(Clone, Copy, PartialEq)]
struct Label<'a> {
    /// A number, or `SUM`.
    stream: &'a str,
    /// Empty unless the test has two directions.
    role: &'a str,
}

impl<'a> Reader<'a> {
    fn line(&mut self, number: usize, line: &'a str) -> Result<(), Unreadable> {
        if line.contains("iperf3: error") || line.contains("iperf3: interrupt") {
            self.is_iperf3 = true;
            self.failed.get_or_insert(number);
        }
        if self.test.section == Section::ServerOutput {
            if ends_server_output(line) {
                self.begin()?;
            }
            return Ok(());
        }
        if begins_test(line) {
            self.is_iperf3 = true;
            return self.begin();
        }
        self.in_test(line)
    }

    fn in_test(&mut self, line: &'a str) -> Result<(), Unreadable> {
        let test = &mut self.test;
        if line == "Server output:" {
            test.section = Section::ServerOutput;
        } else if line.contains("- - - - -") {
            test.section = Section::Dashes;
        } else if let Some(size) = block_size(line) {
            test.message_bytes = Some(size);
        } else if line.contains("[ ID]") {
            test.header(line);
        } else if let Some((label, rest)) = labelled(line) {
            return self.labelled(label, rest);
        }
        Ok(())
    }

    fn labelled(&mut self, label: Label<'a>, rest: &str) -> Result<(), Unreadable> {
        self.test.enter_row();
        if let Some(sent) = datagrams_sent(rest) {
            self.test.set_sent(label, sent);
        } else if let Some(row) = Row::parse(rest, self.test.section) {
            self.is_iperf3 = true;
            if self.test.has(label, row.whose) || self.test.is_full() {
                self.begin_like_this()?;
            }
            self.test.summary(label, row);
        }
        Ok(())
    }

    /// Another test of which nothing but the summary is in the text.
    fn begin_like_this(&mut self) -> Result<(), Unreadable> {
        let Test {
            section, is_udp, ..
        } = self.test;
        self.begin()?;
        self.test.section = section;
        self.test.is_udp = is_udp;
        Ok(())
    }

    /// Ends the test before and begins another.
    fn begin(&mut self) -> Result<(), Unreadable> {
        let test = std::mem::take(&mut self.test);
        let has_sum = test.streams.iter().any(|(label, _)| label.is_sum());
        for (label, mut run) in test.streams {
            if label.is_sum() || !has_sum {
                run.message_bytes = test.message_bytes;
                forget_zeros(&mut run);
                self.runs.push(run)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Option<Runs>, Unreadable> {
        self.begin()?;
        match self.failed {
            Some(line) if self.runs.last_mut().is_none() => Err(Unreadable::Failed { line }),
            _ => Ok(self.is_iperf3.then_some(self.runs)),
        }
    }
}

impl<'a> Test<'a> {
    fn header(&mut self, line: &str) {
        self.section = match self.section {
            Section::Dashes | Section::Summary => Section::Summary,
            _ => Section::Intervals,
        };
        self.is_udp = line.contains("Datagrams");
    }

    /// Rows right after dashes are of another interval.
    fn enter_row(&mut self) {
        if self.section == Section::Dashes {
            self.section = Section::Intervals;
        }
    }

    fn set_sent(&mut self, label: Label<'a>, messages: u64) {
        if let Some(run) = self.run_mut(label) {
            run.sent.messages = Some(messages);
        }
    }

    /// True if this end of the stream has its row already.
    fn has(&self, label: Label<'a>, whose: Whose) -> bool {
        let mut streams = self.streams.iter();
        let stream = streams.find(|(known, _)| *known == label);
        stream.is_some_and(|(_, run)| {
            let side = match whose {
                Whose::Receiver => run.received,
                Whose::Sender | Whose::Both => run.sent,
            };
            side.bits_per_second.is_some()
        })
    }

    fn is_full(&self) -> bool {
        self.streams.len() >= MAX_STREAMS
    }

    fn summary(&mut self, label: Label<'a>, row: Row) {
        self.is_udp |= row.datagrams.is_some();
        if let Some(run) = self.run_mut(label) {
            return row.apply(run);
        }
        let transport = if self.is_udp {
            Transport::Udp
        } else {
            Transport::Tcp
        };
        let mut run = Run::new(transport);
        row.apply(&mut run);
        self.streams.push((label, run));
    }

    fn run_mut(&mut self, label: Label<'a>) -> Option<&mut Run> {
        let mut streams = self.streams.iter_mut();
        let (_, run) = streams.find(|(known, _)| *known == label)?;
        Some(run)
    }
}

impl Label<'_> {
    fn is_sum(&self) -> bool {
        self.stream == "SUM"
    }
}

/// Whose figures a row has.
#[derive(Clone, Copy, PartialEq)]
enum Whose {
    Sender,
    Receiver,
    /// The bytes of the sender and the losses of the receiver.
    Both,
}

/// A row of a summary.
struct Row {
    whose: Whose,
    seconds: f64,
    side: Side,
    datagrams: Option<Datagrams>,
}

impl Row {
    /// `0.00-2.00 sec 238 MBytes 1000 Mbits/sec 0.000 ms 0/3815 (0%) sender`
    fn parse(rest: &str, section: Section) -> Option<Self> {
        let words: Vec<&str> = rest.split_whitespace().take(16).collect();
        let [
            interval,
            "sec",
            bytes,
            bytes_unit,
            rate,
            rate_unit,
            more @ ..,
        ] = words.as_slice()
        else {
            return None;
        };
        let datagrams = more.iter().find_map(|word| lost_of_total(word));
        let whose = match more.last() {
            Some(&"sender") => Whose::Sender,
            Some(&"receiver") => Whose::Receiver,
            _ if section == Section::Summary && datagrams.is_some() => Whose::Both,
            _ => return None,
        };
        let (begin, end) = interval.split_once('-')?;
        Some(Self {
            whose,
            seconds: (figure(end)? - figure(begin)?).max(0.0),
            side: Side {
                messages: None,
                bytes: rounded(figure(bytes)? * byte_unit(bytes_unit)?),
                bits_per_second: times(figure(rate)?, rate_in_bits(rate_unit)?),
            },
            datagrams,
        })
    }

    fn apply(self, run: &mut Run) {
        match self.whose {
            Whose::Sender => {
                run.sent = self.side;
                run.sent.messages = self.datagrams.map(|datagrams| datagrams.total);
                run.seconds = Some(self.seconds);
                return;
            }
            Whose::Receiver => run.received = self.side,
            Whose::Both => run.sent = self.side,
        }
        run.seconds.get_or_insert(self.seconds);
        if let Some(datagrams) = self.datagrams {
            datagrams.apply(run);
        }
    }
}

fn begins_test(line: &str) -> bool {
    line.contains("Connecting to host") || line.contains("Accepted connection from")
}

fn ends_server_output(line: &str) -> bool {
    line.contains("iperf Done") || line.contains("Connecting to host")
}

/// `Starting Test: protocol: UDP, 1 streams, 1398 byte blocks, ...`
fn block_size(line: &str) -> Option<u64> {
    let (_, test) = line.split_once("Starting Test:")?;
    let (before, _) = test.split_once(" byte blocks")?;
    count(before.rsplit(' ').next()?)
}

/// `[  5][TX-C]   0.00-1.00 ...`, also after a time of day.
fn labelled(line: &str) -> Option<(Label<'_>, &str)> {
    let (_, line) = line.split_once('[')?;
    let (stream, rest) = line.split_once(']')?;
    let with_role = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (role, rest) = with_role.unwrap_or(("", rest));
    let stream = stream.trim();
    Some((Label { stream, role }, rest))
}

/// `Sent 159 datagrams`
fn datagrams_sent(rest: &str) -> Option<u64> {
    let number = rest
        .trim()
        .strip_prefix("Sent ")?
        .strip_suffix(" datagrams")?;
    count(number)
}

/// `47/203`
fn lost_of_total(word: &str) -> Option<Datagrams> {
    let (lost, total) = word.split_once('/')?;
    let (lost, total) = (count(lost)?, count(total)?);
    Some(Datagrams { lost, total })
}

/// Bytes are counted in powers of 1,024, also in rates.
fn byte_unit(unit: &str) -> Option<f64> {
    prefix(unit.strip_suffix("Bytes")?, 1024.0)
}

/// Bits are counted in powers of 1,000.
fn rate_in_bits(unit: &str) -> Option<f64> {
    let unit = unit.strip_suffix("/sec")?;
    match unit.strip_suffix("bits") {
        Some(bits) => prefix(bits, 1000.0),
        None => times(byte_unit(unit)?, 8.0),
    }
}
