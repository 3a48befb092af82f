//! What a point on the path sees: packets with their times, and what happens to them on
//! the way to the next.

use crate::cases::wire::sum;
use crate::findings::capture::{Capture, MICROSECOND, SECOND};
use crate::findings::packet::{A_TO_B, B_TO_A, Path, Sum, UDP, cut, noise, udp, whole};
use std::collections::HashSet;

/// When the first packet is sent: late enough for clocks that are a day behind.
pub const BEGIN: u64 = 48 * 3_600 * SECOND;
/// How long beats go on before and after everything else: longer than packets may take, so
/// that no end of a capture is near to what is counted.
pub const EDGE: u64 = 12 * SECOND;
const BEAT: u64 = 200_000 * MICROSECOND;
/// Port that beats go to.
pub const BEATS: u16 = 7;

/// An IPv4 packet when it passes.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Nanoseconds.
    pub time: u64,
    pub ip: Vec<u8>,
    /// Port that its datagram goes to.
    pub port: u16,
    /// Which datagram of that port it is, or is a piece of.
    pub datagram: u32,
    /// Which piece.
    pub index: u32,
    pub is_last: bool,
}

impl Packet {
    pub fn is_fragment(&self) -> bool {
        self.index > 0 || !self.is_last
    }

    /// What it is, wherever it is seen.
    pub fn identity(&self) -> (u16, u32, u32) {
        (self.port, self.datagram, self.index)
    }

    /// Changes the IPv4 header, whose checksum is right again afterwards.
    pub fn with_header(mut self, change: impl FnOnce(&mut [u8])) -> Self {
        const HEADER: usize = 20;
        const CHECKSUM: std::ops::Range<usize> = 10..12;
        let header = &mut self.ip[..HEADER];
        change(header);
        header[CHECKSUM].fill(0);
        let checksum = !sum(header);
        header[CHECKSUM].copy_from_slice(&checksum.to_be_bytes());
        self
    }

    /// As a router leaves it.
    pub fn routed(self) -> Self {
        self.with_header(|header| header[8] -= 1)
    }
}

/// What the payloads of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// No two are alike.
    Noise,
    /// Those of the same number are the same in all streams.
    Shared,
    /// All are zeros.
    Zeros,
}

/// What the IP identifications of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// From this on.
    From(u32),
    /// All are 0, as Linux has it where nothing may be fragmented.
    None,
}

/// UDP datagrams of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub path: Path,
    pub port: u16,
    /// UDP payload of each.
    pub bytes: usize,
    pub mtu: usize,
    pub datagrams: u32,
    /// When the first is sent.
    pub begin: u64,
    /// How much later the next.
    pub gap: u64,
    pub content: Content,
    pub ids: Ids,
}

impl Stream {
    /// Small datagrams to a port, 1 ms apart, all different.
    pub fn to(port: u16, path: Path) -> Self {
        Self {
            path,
            port,
            bytes: 100,
            mtu: 1500,
            datagrams: 2_000,
            begin: BEGIN,
            gap: 1_000 * MICROSECOND,
            content: Content::Noise,
            ids: Ids::From(1),
        }
    }

    /// The same, each in six fragments.
    pub fn fragmented(port: u16, path: Path) -> Self {
        Self {
            bytes: 8_000,
            ..Self::to(port, path)
        }
    }

    /// As many that come back to this port, each 5 ms after one of these.
    pub fn back_to(self, port: u16) -> Self {
        Self {
            path: B_TO_A,
            port,
            begin: self.begin + 5_000 * MICROSECOND,
            ..self
        }
    }

    fn end(&self) -> u64 {
        self.begin + u64::from(self.datagrams) * self.gap
    }

    fn packets(self) -> impl Iterator<Item = Packet> {
        (0..self.datagrams).flat_map(move |datagram| self.datagram(datagram))
    }

    /// Its pieces leave at the speed of a link, 1 µs apart.
    fn datagram(&self, number: u32) -> impl Iterator<Item = Packet> + use<> {
        let data = match self.content {
            Content::Noise => noise(self.bytes, u64::from(self.port) << 32 | u64::from(number)),
            Content::Shared => noise(self.bytes, number.into()),
            Content::Zeros => vec![0; self.bytes],
        };
        let datagram = udp(self.path, self.port, &data, Sum::Right);
        let pieces = match self.ids {
            Ids::From(first) => {
                let id = (first + number) & 0xffff;
                cut(self.path, UDP, id, &datagram, self.mtu)
            }
            Ids::None => vec![whole(self.path, UDP, &datagram)],
        };
        let (port, begin) = (self.port, self.begin + u64::from(number) * self.gap);
        let last = pieces.len() - 1;
        let numbered = pieces.into_iter().enumerate();
        numbered.map(move |(index, ip)| Packet {
            time: begin + index as u64 * MICROSECOND,
            ip,
            port,
            datagram: number,
            index: index as u32,
            is_last: index == last,
        })
    }
}

/// All that passes a point.
#[derive(Clone, Default)]
pub struct Sight(pub Vec<Packet>);

impl Sight {
    /// Streams alone.
    pub fn only(streams: &[Stream]) -> Self {
        let packets = streams.iter().flat_map(|stream| stream.packets());
        Self(packets.collect()).in_order()
    }

    /// Streams between beats, which begin long before them and end long after.
    pub fn of(streams: &[Stream]) -> Self {
        let path = streams[0].path;
        let begin = streams.iter().map(|stream| stream.begin).min();
        let end = streams.iter().map(Stream::end).max();
        let (begin, end) = (begin.unwrap_or(BEGIN) - EDGE, end.unwrap_or(BEGIN) + EDGE);
        let beats = Stream {
            begin,
            gap: BEAT,
            datagrams: ((end - begin) / BEAT) as u32,
            ids: Ids::From(40_000),
            ..Stream::to(BEATS, path)
        };
        Self::only(&[streams, &[beats]].concat())
    }

    /// Packets made elsewhere, from one host to another, between such beats.
    pub fn between_beats(packets: impl Iterator<Item = Packet>) -> Self {
        let beats = Self::of(&[Stream {
            datagrams: 1,
            begin: BEGIN + EDGE / 4,
            ..Stream::to(9, A_TO_B)
        }]);
        beats.and(&Self(packets.collect()))
    }

    fn in_order(mut self) -> Self {
        self.0.sort_by_key(|packet| packet.time);
        self
    }

    /// Each packet as something makes it.
    pub fn map(&self, change: impl FnMut(Packet) -> Packet) -> Self {
        Self(self.0.iter().cloned().map(change).collect()).in_order()
    }

    /// Each packet as what becomes of it: several, or nothing.
    pub fn flat_map<I: IntoIterator<Item = Packet>>(&self, of: impl FnMut(&Packet) -> I) -> Self {
        Self(self.0.iter().flat_map(of).collect()).in_order()
    }

    /// Everything later by so many nanoseconds: the way to the next point.
    pub fn later(&self, delay: u64) -> Self {
        self.map(|packet| Packet {
            time: packet.time + delay,
            ..packet
        })
    }

    /// Without those that something is true of. Beats stay.
    pub fn without(&self, is_lost: impl FnMut(&Packet) -> bool) -> Self {
        let mut is_lost = is_lost;
        let kept = self.0.iter();
        let kept = kept.filter(|packet| packet.port == BEATS || !is_lost(packet));
        Self(kept.cloned().collect())
    }

    /// What is seen between two moments.
    pub fn between(&self, from: u64, to: u64) -> Self {
        let within = self.0.iter();
        let within = within.filter(|packet| (from..to).contains(&packet.time));
        Self(within.cloned().collect())
    }

    /// As a clock shows it that is ahead by so many nanoseconds at the begin and runs
    /// faster by so many millionths.
    pub fn by_clock(&self, ahead: i64, ppm: i64) -> Self {
        self.map(|packet| {
            let gained = (packet.time as i64 - BEGIN as i64) * ppm / 1_000_000;
            Packet {
                time: (packet.time as i64 + ahead + gained) as u64,
                ..packet
            }
        })
    }

    /// Both of two.
    pub fn and(&self, other: &Self) -> Self {
        Self([&self.0[..], &other.0].concat()).in_order()
    }

    /// What is here and not at another point.
    pub fn missing_in(&self, other: &Self) -> Self {
        let there: HashSet<_> = other.0.iter().map(Packet::identity).collect();
        let missing = self.0.iter();
        let missing = missing.filter(|packet| !there.contains(&packet.identity()));
        Self(missing.cloned().collect())
    }

    /// How many datagrams, packets, fragments and bytes these are.
    pub fn counted(&self) -> Counted {
        let datagrams: HashSet<_> = self.0.iter().map(|one| (one.port, one.datagram)).collect();
        let fragments = self.0.iter().filter(|packet| packet.is_fragment());
        Counted {
            datagrams: datagrams.len() as u64,
            packets: self.0.len() as u64,
            fragments: fragments.count() as u64,
            bytes: self.0.iter().map(|packet| packet.ip.len() as u64).sum(),
        }
    }

    /// Number of a packet in a capture of all of them, from 1.
    pub fn frame_of(&self, packet: &Packet) -> u64 {
        let identity = packet.identity();
        let at = self.0.iter().position(|one| one.identity() == identity);
        at.expect("it is seen here") as u64 + 1
    }

    /// Frames of a capture, not yet in a file.
    pub fn capture(&self) -> Capture {
        let frame = |capture: Capture, packet: &Packet| capture.at(packet.time).packet(&packet.ip);
        self.0.iter().fold(Capture::new(), frame)
    }

    /// A file with Ethernet frames.
    pub fn pcap(&self) -> Vec<u8> {
        self.capture().pcap()
    }

    /// pcapng that says until when was captured.
    pub fn pcapng_until(&self, until: u64) -> Vec<u8> {
        self.capture().pcapng_until(0, Some(until))
    }
}

/// Numbers of packets, as the comparison has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub datagrams: u64,
    pub packets: u64,
    pub fragments: u64,
    pub bytes: u64,
}

/// By chance, but the same in every run.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Whether it happens, so often of 1,000 times.
    pub fn per_mille(&mut self, often: u64) -> bool {
        self.below(1_000) < often
    }

    /// SplitMix64.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
