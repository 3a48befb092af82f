//! Classic pcap: little endian, microseconds, Ethernet.

/// What a capture file begins with: magic, version 2.4, no time zone, snaplen
/// 262,144, link type 1.
pub const FILE_HEADER: [u8; 24] = [
    0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
];

/// In front of each frame.
pub(super) const HEADER_BYTES: usize = 16;

/// 2026-01-01 00:00:00 UTC.
const BEGIN_SECONDS: u64 = 1_767_225_600;

const PICOS_PER_MICRO: u64 = 1_000_000;
const MICROS_PER_SECOND: u64 = 1_000_000;

/// What a bit takes at 10 Gbit/s, the rate all traffic is sent at without a pause.
const PICOS_PER_BIT: u64 = 100;

/// Preamble, frame check sequence and gap of an Ethernet frame.
const AROUND_FRAME_BYTES: usize = 24;
/// Shorter frames are padded to this, frame check sequence excluded. Captured where
/// they are sent, they are still short.
const LEAST_FRAME_BYTES: usize = 60;

/// The clock of the capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Records {
    picos: u64,
}

/// When a frame was captured: microseconds since the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Time(u64);

impl Records {
    pub(super) fn new() -> Self {
        Self { picos: 0 }
    }

    /// When all so far has been sent.
    pub(super) fn now(&self) -> Time {
        Time(self.picos / PICOS_PER_MICRO)
    }

    /// When a frame of this length has been sent after all before it.
    pub(super) fn after(&mut self, frame_bytes: usize) -> Time {
        let bytes = frame_bytes.max(LEAST_FRAME_BYTES) + AROUND_FRAME_BYTES;
        self.picos += bytes as u64 * 8 * PICOS_PER_BIT;
        self.now()
    }
}

impl Time {
    pub(super) fn later(self, micros: u64) -> Self {
        Self(self.0 + micros)
    }

    /// Appends the header of the record.
    pub(super) fn put_header(self, frame_bytes: usize, out: &mut Vec<u8>) {
        let length = frame_bytes as u32;
        let mut header = [0; HEADER_BYTES];
        for (field, value) in header.as_chunks_mut::<4>().0.iter_mut().zip([
            (BEGIN_SECONDS + self.0 / MICROS_PER_SECOND) as u32,
            (self.0 % MICROS_PER_SECOND) as u32,
            length,
            length,
        ]) {
            *field = value.to_le_bytes();
        }
        out.extend_from_slice(&header);
    }
}
