//! A run of whole records, and the frames in it.

use super::pcap::PcapLayout;
use super::section::Section;
use super::walk::Record;
use crate::model::{Frame, FrameId, Timestamp};
use std::sync::Arc;

/// Least a buffer grows by when a record does not fit in it.
const GROWTH_BYTES: usize = 64 * 1024;

/// A run of whole records of one input, with all it takes to read them: blocks can
/// be decoded in any order, on any thread.
///
/// Meant to be kept and filled again; its memory is reused.
#[derive(Debug, Default)]
pub struct Block {
    /// Read into; all of it stays initialised from one fill to the next, so that
    /// no fill pays for zeroing.
    pub(super) buffer: Vec<u8>,
    /// Where in `buffer` the records are.
    pub(super) records: std::ops::Range<usize>,
    /// How to read them; `None` in a block that was never filled.
    pub(super) layout: Option<Layout>,
    /// Place of the first frame.
    pub(super) first: FrameId,
    /// How many frames.
    pub(super) frames: u64,
}

/// How the records of a block are read.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    Pcap(PcapLayout),
    Pcapng {
        section: Arc<Section>,
        /// Time of the packet before the block.
        clock: Timestamp,
    },
}

impl Block {
    /// The frames in order. Reading one allocates nothing and copies nothing.
    pub fn frames(&self) -> Frames<'_> {
        let rest = self.buffer.get(self.records.clone()).unwrap_or_default();
        let records = match &self.layout {
            None => Records::None,
            Some(Layout::Pcap(layout)) => Records::Pcap { layout, rest },
            Some(Layout::Pcapng { section, clock }) => Records::Pcapng {
                section,
                rest,
                clock: *clock,
            },
        };
        Frames {
            records,
            id: self.first,
            left: self.frames,
        }
    }

    /// How many frames it holds.
    pub fn frame_count(&self) -> u64 {
        self.frames
    }

    /// Whether its frames may be of several interfaces, as its file numbers them.
    pub fn has_several_interfaces(&self) -> bool {
        match &self.layout {
            Some(Layout::Pcapng { section, .. }) => section.has_several_interfaces(),
            Some(Layout::Pcap(_)) | None => false,
        }
    }

    /// Place of its first frame.
    pub fn first(&self) -> FrameId {
        self.first
    }

    /// The memory that frames of this block are borrowed from.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Where in [`Block::bytes`] `part`, which was borrowed from it, begins.
    pub fn offset_of(&self, part: &[u8]) -> usize {
        part.as_ptr()
            .addr()
            .wrapping_sub(self.buffer.as_ptr().addr())
    }

    /// Forgets the records and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.records = 0..0;
        self.layout = None;
        self.frames = 0;
    }

    /// Starts with these bytes, and has room for `bytes` in all.
    pub(super) fn hold(&mut self, start: &[u8], bytes: usize) {
        let length = bytes.max(start.len());
        // One long record may have made it large; it does not stay so.
        if self.buffer.len() / 2 > length + GROWTH_BYTES {
            self.buffer.truncate(length);
            self.buffer.shrink_to_fit();
        }
        if self.buffer.len() < length {
            self.buffer.resize(length, 0);
        }
        if let Some(space) = self.buffer.get_mut(..start.len()) {
            space.copy_from_slice(start);
        }
    }

    /// Puts bytes in front of those at `place`; gives where they begin, and how far those
    /// behind were moved for want of room.
    pub(super) fn put_before(&mut self, place: usize, bytes: &[u8]) -> (usize, usize) {
        if let Some(start) = place.checked_sub(bytes.len()) {
            if let Some(space) = self.buffer.get_mut(start..place) {
                space.copy_from_slice(bytes);
            }
            return (start, 0);
        }
        let moved = bytes.len() - place;
        self.buffer.splice(..place, bytes.iter().copied());
        (0, moved)
    }

    /// Makes the buffer longer than `filled`, in steps towards `wanted` that follow
    /// the bytes really there: a length that only claims to be large costs nothing.
    pub(super) fn make_room(&mut self, filled: usize, wanted: usize) {
        if filled >= self.buffer.len() {
            let step = filled.max(GROWTH_BYTES);
            let length = wanted.max(filled + 1).min(filled + step);
            self.buffer.resize(length, 0);
        }
    }
}

/// The frames of a block, in the order of the file.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    records: Records<'a>,
    /// Place of the next frame.
    id: FrameId,
    left: u64,
}

#[derive(Clone, Debug)]
enum Records<'a> {
    None,
    Pcap {
        layout: &'a PcapLayout,
        rest: &'a [u8],
    },
    Pcapng {
        section: &'a Section,
        rest: &'a [u8],
        /// Time of the last packet.
        clock: Timestamp,
    },
}

impl<'a> Records<'a> {
    #[inline(always)]
    fn next(&mut self) -> Option<Record<'a>> {
        match self {
            Self::None => None,
            Self::Pcap { layout, rest } => layout.next(rest),
            Self::Pcapng {
                section,
                rest,
                clock,
            } => section.next(rest, clock),
        }
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Frame<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Frame<'a>> {
        let record = self.records.next()?;
        let id = self.id;
        self.id.number += 1;
        self.left = self.left.saturating_sub(1);
        Some(Frame {
            id,
            timestamp: record.timestamp,
            wire_bytes: record.wire_bytes,
            link_type: record.link_type,
            interface: record.interface,
            data: record.data,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.left as usize;
        (left, Some(left))
    }
}
