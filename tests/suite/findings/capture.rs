//! Captures in memory, frame by frame.

use super::packet::{Way, cooked, ethernet};

const ETHERNET: u32 = 1;
const COOKED: u32 = 113;
const SNAPLEN: u32 = 262_144;
/// When captures begin, in nanoseconds.
pub const START: u64 = 1_704_164_645_000_000_000;

pub const MICROSECOND: u64 = 1_000;
pub const MILLISECOND: u64 = 1_000 * MICROSECOND;
pub const SECOND: u64 = 1_000 * MILLISECOND;

/// Frames with their times. What is added next comes `step` after the last.
#[derive(Clone)]
pub struct Capture {
    link: u32,
    step: u64,
    now: u64,
    frames: Vec<(u64, Vec<u8>)>,
}

impl Capture {
    /// Ethernet frames, 1 ms apart.
    pub fn new() -> Self {
        Self {
            link: ETHERNET,
            step: MILLISECOND,
            now: START,
            frames: Vec::new(),
        }
    }

    /// Frames of another link type.
    pub fn of_link(link: u32) -> Self {
        Self {
            link,
            ..Self::new()
        }
    }

    /// The same with another distance between frames.
    pub fn every(step: u64) -> Self {
        Self {
            step,
            ..Self::new()
        }
    }

    /// Of all interfaces of a host, which notes which way each packet went.
    pub fn cooked(way: Way, packets: &[Vec<u8>], step: u64) -> Self {
        let capture = Self {
            step,
            ..Self::of_link(COOKED)
        };
        let frames = packets.iter().map(|packet| cooked(way, packet));
        frames.fold(capture, Self::frame)
    }

    /// One more frame.
    pub fn frame(mut self, frame: Vec<u8>) -> Self {
        self.frames.push((self.now, frame));
        self.now += self.step;
        self
    }

    /// One more packet.
    pub fn packet(self, packet: &[u8]) -> Self {
        self.frame(ethernet(packet))
    }

    /// More packets, in this order.
    pub fn packets<'p>(self, packets: impl IntoIterator<Item = &'p Vec<u8>>) -> Self {
        packets
            .into_iter()
            .fold(self, |capture, packet| capture.packet(packet))
    }

    /// A pause until this long after the begin.
    pub fn at(mut self, time: u64) -> Self {
        self.now = START + time;
        self
    }

    /// A pause.
    pub fn pause(mut self, time: u64) -> Self {
        self.now += time;
        self
    }

    /// Time of a frame, counted from 1, in nanoseconds.
    pub fn time_of(&self, frame: u64) -> Option<u64> {
        let index = usize::try_from(frame.checked_sub(1)?).ok()?;
        self.frames.get(index).map(|(time, _)| *time)
    }

    /// As a file with nanoseconds.
    pub fn pcap(&self) -> Vec<u8> {
        self.pcap_cut(SNAPLEN)
    }

    /// The same with so many bytes of each frame at most.
    pub fn pcap_cut(&self, snaplen: u32) -> Vec<u8> {
        let head = [0xa1b2_3c4d, 0x0004_0002, 0, 0, snaplen, self.link];
        let mut bytes: Vec<u8> = head
            .iter()
            .flat_map(|word: &u32| word.to_le_bytes())
            .collect();
        for (time, frame) in &self.frames {
            let length = frame.len() as u64;
            let held = length.min(snaplen.into());
            for word in [time / SECOND, time % SECOND, held, length] {
                bytes.extend((word as u32).to_le_bytes());
            }
            bytes.extend(&frame[..held as usize]);
        }
        bytes
    }

    /// As a pcapng file that says how many frames the capturing host lost.
    pub fn pcapng(&self, dropped: u64) -> Vec<u8> {
        self.pcapng_until(dropped, None)
    }

    /// The same, with when capturing ended, seen from the beginning of time here.
    pub fn pcapng_until(&self, dropped: u64, until: Option<u64>) -> Vec<u8> {
        let mut file = pcapng_of(&[self]);
        let time = words(&[0, (self.now >> 32) as u32, self.now as u32]);
        let mut options = [&[5, 0, 8, 0][..], &dropped.to_le_bytes()].concat();
        if let Some(until) = until.map(|until| START + until) {
            options.extend([3, 0, 8, 0]);
            options.extend(words(&[(until >> 32) as u32, until as u32]));
        }
        options.extend([0; 4]);
        file.extend(block(5, &[&time, &options]));
        file
    }
}

/// A pcapng file of several interfaces.
pub fn pcapng_of(interfaces: &[&Capture]) -> Vec<u8> {
    let mut file = block(0x0a0d_0d0a, &[&words(&[0x1a2b_3c4d, 1]), &[0xff; 8]]);
    for interface in interfaces {
        let nanoseconds = [9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0];
        file.extend(block(1, &[&words(&[interface.link, 0]), &nanoseconds]));
    }
    let all = (0..).zip(interfaces);
    let frames = all.flat_map(|(number, of)| of.frames.iter().map(move |frame| (number, frame)));
    let mut frames: Vec<(u32, &(u64, Vec<u8>))> = frames.collect();
    frames.sort_by_key(|(_, (time, _))| *time);
    for (number, (time, frame)) in frames {
        let length = frame.len() as u32;
        let head = words(&[number, (time >> 32) as u32, *time as u32, length, length]);
        let padding = vec![0; frame.len().next_multiple_of(4) - frame.len()];
        file.extend(block(6, &[&head, frame, &padding]));
    }
    file
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn block(kind: u32, parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    let length = words(&[12 + body.len() as u32]);
    [&words(&[kind]), &length, &body, &length]
        .map(Vec::as_slice)
        .concat()
}
