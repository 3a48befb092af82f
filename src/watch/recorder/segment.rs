//! Frames one behind the other in one piece of memory.

use crate::model::{Frame, FrameId, LinkType, Timestamp};

/// What stands before the data of a frame: file(4) number(8) time(8) wire length(4)
/// link type(4) data length(4), as this machine has them.
const HEADER_BYTES: usize = 32;

/// A run of frames in the order they came.
#[derive(Debug, Default)]
pub(super) struct Segment {
    bytes: Vec<u8>,
    frames: u64,
    /// Times of the first and the last frame.
    first: Timestamp,
    last: Timestamp,
    /// Its place in the ring's row of segments, from 0.
    pub(super) sequence: u64,
}

/// Bytes that a frame takes in a segment.
pub(super) fn bytes_of(frame: &Frame<'_>) -> usize {
    HEADER_BYTES + frame.data.len()
}

impl Segment {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            ..Self::default()
        }
    }

    /// Forgets its frames and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.frames = 0;
    }

    /// Gives back memory beyond its frames if it is much. It cannot be filled again then.
    pub(super) fn shrink_if_half_empty(&mut self) {
        if self.room() > self.bytes.len() {
            self.bytes.shrink_to_fit();
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Bytes that more frames can take without more memory.
    pub(super) fn room(&self) -> usize {
        self.bytes.capacity() - self.bytes.len()
    }

    /// Bytes its frames take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn frame_count(&self) -> u64 {
        self.frames
    }

    pub(super) fn first(&self) -> Timestamp {
        self.first
    }

    pub(super) fn last(&self) -> Timestamp {
        self.last
    }

    /// Copies a frame; takes no memory if there was [`Segment::room`].
    #[inline]
    pub(super) fn push(&mut self, frame: &Frame<'_>) {
        // A frame of 4 GiB cannot come from any source.
        let length = u32::try_from(frame.data.len()).unwrap_or(u32::MAX);
        let data = frame.data.get(..length as usize).unwrap_or(frame.data);
        self.bytes.extend_from_slice(&header(frame, length));
        self.bytes.extend_from_slice(data);
        if self.frames == 0 {
            self.first = frame.timestamp;
        }
        self.last = frame.timestamp;
        self.frames += 1;
    }

    pub(super) fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || next(&mut rest))
    }
}

#[inline]
fn header(frame: &Frame<'_>, length: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[0..4].copy_from_slice(&frame.id.file.to_ne_bytes());
    header[4..12].copy_from_slice(&frame.id.number.to_ne_bytes());
    header[12..20].copy_from_slice(&frame.timestamp.0.to_ne_bytes());
    header[20..24].copy_from_slice(&frame.wire_bytes.to_ne_bytes());
    header[24..28].copy_from_slice(&frame.link_type.0.to_ne_bytes());
    header[28..32].copy_from_slice(&length.to_ne_bytes());
    header
}

/// Takes one frame off the front.
fn next<'a>(rest: &mut &'a [u8]) -> Option<Frame<'a>> {
    let (file, after) = rest.split_first_chunk()?;
    let (number, after) = after.split_first_chunk()?;
    let (timestamp, after) = after.split_first_chunk()?;
    let (wire_bytes, after) = after.split_first_chunk()?;
    let (link_type, after) = after.split_first_chunk()?;
    let (length, after) = after.split_first_chunk()?;
    let (data, after) = after.split_at_checked(u32::from_ne_bytes(*length) as usize)?;
    *rest = after;
    Some(Frame {
        id: FrameId {
            file: u32::from_ne_bytes(*file),
            number: u64::from_ne_bytes(*number),
        },
        timestamp: Timestamp(i64::from_ne_bytes(*timestamp)),
        wire_bytes: u32::from_ne_bytes(*wire_bytes),
        link_type: LinkType(u32::from_ne_bytes(*link_type)),
        // A source that is live has one an input.
        interface: 0,
        data,
    })
}
