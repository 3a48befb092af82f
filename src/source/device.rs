//! One interface that is captured on.

use super::block::{Block, Layout};
use super::filter::reason_of;
use super::live::{LiveCounts, LiveError, LiveOptions, LiveStatus};
use super::pcap::PcapLayout;
use super::problem::{FileFacts, Problem, Severity, printable};
use crate::model::{FrameId, LinkType};
use pcap::{Active, Capture, Error, Linktype, Packet, Precision, Stat};

/// How long frames may stay in the ring before they are to be read, in milliseconds.
const RETIRE_MS: i32 = 100;
/// Frames that are looked for at once in what is left of a block are this long.
const USUAL_FRAME: usize = 2048;
/// Bytes of the header of a record.
const RECORD_HEADER: usize = 16;
/// The interface that stands for all.
const ANY: &str = "any";
/// More is not kept of what happens to an interface that comes and goes.
const MAX_PROBLEMS: usize = 100;

/// One interface that is captured on, or was.
pub(super) struct Device {
    name: String,
    index: u32,
    capture: Option<Capture<Active>>,
    layout: PcapLayout,
    /// Length of a frame, with its header: as in the last block, where frames were longer
    /// than usual.
    usual_frame: usize,
    /// Why nothing comes any longer.
    gone: Option<String>,
    counts: LiveCounts,
    /// libpcap's own when they were looked at last; they begin anew with each opening.
    latest: Stat,
    facts: FileFacts,
}

impl Device {
    pub fn open(index: u32, name: &str, options: &LiveOptions) -> Result<Self, LiveError> {
        let capture = open(name, options)?;
        let link_type = link_type_of(&capture);
        Ok(Self {
            name: name.to_owned(),
            index,
            layout: PcapLayout::of_nanoseconds(link_type),
            capture: Some(capture),
            usual_frame: USUAL_FRAME,
            gone: None,
            counts: LiveCounts::default(),
            latest: NOTHING,
            facts: FileFacts {
                path: printable(name),
                format: Some("live"),
                link_types: vec![link_type],
                snaplen: Some(options.snaplen),
                dropped_frames: Some(0),
                is_live: true,
                ..FileFacts::default()
            },
        })
    }

    pub fn capture(&self) -> Option<&Capture<Active>> {
        self.capture.as_ref()
    }

    /// Copies what is in the ring, at most `most` frames and about `bytes`; how many came.
    pub fn fill(&mut self, block: &mut Block, bytes: usize, most: u64) -> u64 {
        let Some(capture) = &mut self.capture else {
            return 0;
        };
        block.hold(&[], bytes);
        let mut filled = Filled::default();
        let ended = loop {
            let room = bytes.saturating_sub(filled.bytes) / self.usual_frame;
            let is_full = filled.bytes >= bytes;
            let wanted = (most - filled.frames).min(room.max(1) as u64) as usize;
            if wanted == 0 || is_full {
                break None;
            }
            let buffer = &mut block.buffer;
            match capture.dispatch(Some(wanted), |packet| filled.add(buffer, &packet)) {
                Ok(0) => break None,
                Ok(_) => {}
                Err(error) => break Some(error),
            }
        };
        if let Some(error) = ended {
            self.lose(&error);
        }
        self.hand_out(block, &filled)
    }

    /// Numbers the frames that came.
    fn hand_out(&mut self, block: &mut Block, filled: &Filled) -> u64 {
        if filled.frames == 0 {
            return 0;
        }
        block.records = 0..filled.bytes;
        block.frames = filled.frames;
        block.first = FrameId {
            file: self.index,
            number: self.counts.frames + 1,
        };
        block.layout = Some(Layout::Pcap(self.layout));
        self.counts.frames += filled.frames;
        let mean = filled.bytes / usize::try_from(filled.frames).unwrap_or(1);
        self.usual_frame = mean.max(USUAL_FRAME);
        self.facts.frames = self.counts.frames;
        self.facts.bytes += filled.bytes as u64;
        if self.facts.first_timestamp.is_none() {
            self.facts.first_timestamp = block.frames().next().map(|frame| frame.timestamp);
        }
        filled.frames
    }

    /// Adds what libpcap counted since it was asked before.
    pub fn count(&mut self) {
        let Some(stat) = self
            .capture
            .as_mut()
            .and_then(|capture| capture.stats().ok())
        else {
            return;
        };
        // libpcap's counters have 32 bits.
        let added = |now: u32, before: u32| u64::from(now.wrapping_sub(before));
        self.counts.received += added(stat.received, self.latest.received);
        self.counts.dropped += added(stat.dropped, self.latest.dropped);
        self.counts.interface_dropped += added(stat.if_dropped, self.latest.if_dropped);
        self.latest = stat;
        self.facts.dropped_frames = Some(self.counts.dropped + self.counts.interface_dropped);
    }

    /// Opens it again if it is gone.
    pub fn reopen(&mut self, options: &LiveOptions) {
        if self.capture.is_some() {
            return;
        }
        match open(&self.name, options) {
            Ok(capture) => {
                let link_type = link_type_of(&capture);
                self.layout = PcapLayout::of_nanoseconds(link_type);
                if !self.facts.link_types.contains(&link_type) {
                    self.facts.link_types.push(link_type);
                }
                self.latest = NOTHING;
                self.capture = Some(capture);
                self.gone = None;
                self.note(Severity::Note, "capturing goes on");
            }
            Err(why) => self.gone = Some(format!("it is gone, and cannot be opened again: {why}")),
        }
    }

    pub fn status(&self) -> LiveStatus {
        LiveStatus {
            gone: self.gone.clone(),
            counts: self.counts,
            facts: self.facts(),
        }
    }

    pub fn facts(&self) -> FileFacts {
        self.facts.clone()
    }

    pub fn bytes(&self) -> u64 {
        self.facts.bytes
    }

    fn lose(&mut self, error: &Error) {
        self.count();
        self.capture = None;
        let why = reason_of(error);
        self.note(Severity::CutOff, &why);
        self.gone = Some(why);
    }

    fn note(&mut self, severity: Severity, what: &str) {
        let after = self.counts.frames;
        let text = format!("after frame {after}: {what}");
        if self.facts.problems.len() < MAX_PROBLEMS {
            let problem = Problem::new(severity, text);
            self.facts.problems.push(problem);
        }
    }
}

const NOTHING: Stat = Stat {
    received: 0,
    dropped: 0,
    if_dropped: 0,
};

/// What was put into a block.
#[derive(Default)]
struct Filled {
    bytes: usize,
    frames: u64,
}

impl Filled {
    /// Adds a record as in a pcap file of nanoseconds.
    #[inline]
    fn add(&mut self, buffer: &mut Vec<u8>, packet: &Packet<'_>) {
        let end = self.bytes + RECORD_HEADER + packet.data.len();
        if buffer.len() < end {
            buffer.resize(end.next_power_of_two(), 0);
        }
        let Some((header, data)) = buffer
            .get_mut(self.bytes..end)
            .and_then(|record| record.split_at_mut_checked(RECORD_HEADER))
        else {
            return;
        };
        let words = [
            packet.header.ts.tv_sec as u32,
            // Nanoseconds, by the precision that was asked for.
            packet.header.ts.tv_usec as u32,
            packet.data.len() as u32,
            packet.header.len,
        ];
        for (place, word) in header.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        data.copy_from_slice(packet.data);
        self.bytes = end;
        self.frames += 1;
    }
}

fn open(name: &str, options: &LiveOptions) -> Result<Capture<Active>, LiveError> {
    let unavailable = |error: Error| LiveError::Unavailable {
        interface: printable(name),
        reason: reason_of(&error),
    };
    let snaplen = i32::try_from(options.snaplen).unwrap_or(i32::MAX);
    let buffer = i32::try_from(options.buffer_bytes).unwrap_or(i32::MAX);
    let mut capture = Capture::from_device(name)
        .map_err(unavailable)?
        .buffer_size(buffer)
        .snaplen(snaplen)
        .timeout(RETIRE_MS)
        .immediate_mode(false)
        .precision(Precision::Nano)
        .promisc(options.promiscuous && name != ANY)
        .open()
        .map_err(unavailable)?;
    if name == ANY {
        // Which says of each frame the interface; older kernels have but the first.
        let cooked = Linktype(LinkType::LINUX_SLL2.0 as i32);
        let _ = capture.set_datalink(cooked);
    }
    if let Some(expression) = &options.filter {
        let refused = |error: Error| LiveError::Filter {
            expression: expression.clone(),
            reason: reason_of(&error),
        };
        capture.filter(expression, true).map_err(refused)?;
    }
    capture.setnonblock().map_err(unavailable)
}

/// libpcap's DLT numbers are the link types of files but for raw IP, which the decoder
/// knows by both.
fn link_type_of(capture: &Capture<Active>) -> LinkType {
    LinkType(u32::try_from(capture.get_datalink().0).unwrap_or_default())
}
