//! Classic pcap: little endian, microseconds, Ethernet.

/// What a capture file begins with: magic, version 2.4, no time zone, snaplen
/// 262,144, link type 1.
pub const FILE_HEADER: [u8; 24] = [
    0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
];

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

/// When a frame was captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    seconds: u32,
    micros: u32,
}

impl Records {
    pub(super) fn new() -> Self {
        Self { picos: 0 }
    }

    /// When a frame of this length has been sent after all before it.
    pub(super) fn after(&mut self, frame_bytes: usize) -> Time {
        let bytes = frame_bytes.max(LEAST_FRAME_BYTES) + AROUND_FRAME_BYTES;
        self.picos += bytes as u64 * 8 * PICOS_PER_BIT;
        let micros = self.picos / PICOS_PER_MICRO;
        Time {
            seconds: (BEGIN_SECONDS + micros / MICROS_PER_SECOND) as u32,
            micros: (micros % MICROS_PER_SECOND) as u32,
        }
    }
}

impl Time {
    /// Appends the header of the record.
    pub(super) fn put_header(self, frame_bytes: usize, out: &mut Vec<u8>) {
        let length = frame_bytes as u32;
        let mut header = [0; 16];
        for (field, value) in header.as_chunks_mut::<4>().0.iter_mut().zip([
            self.seconds,
            self.micros,
            length,
            length,
        ]) {
            *field = value.to_le_bytes();
        }
        out.extend_from_slice(&header);
    }
}
