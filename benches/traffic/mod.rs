//! Traffic made up for measuring: deterministic, as long as one likes, with every
//! checksum right, so that what must be counted is known.
//!
//! Shared by the generator of large captures, which writes it to a file, and by the
//! benches, which keep a little of it in memory. It uses nothing of the crate it
//! measures.

mod packet;
pub mod point;
mod random;
mod record;

use packet::{Address, Datagram, Endpoints, Ip, Protocol};
use point::Arrivals;
use random::Random;
use record::{Records, Time};

pub use point::Point;
pub use record::FILE_HEADER;

/// The shapes of traffic that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One flow of 65,507-byte UDP messages, the longest there are, in 47 fragments
    /// each: 46 with an IP length of 1,444 and one of 31, as Linux cuts them at an
    /// MTU of 1,450.
    Netperf,
    /// The same; 3 of 100 fragments are missing.
    NetperfLoss,
    /// 8 KiB messages, fragmented at an MTU of 1,450, each fragment in a VXLAN packet
    /// of its own, without outer UDP checksum as Linux sends it.
    VxlanInner,
    /// 1,472-byte messages in IP packets of 1,500 bytes; each in a VXLAN packet that is
    /// therefore too long for an MTU of 1,500 and sent as two fragments, with an outer
    /// UDP checksum.
    VxlanOuter,
    /// UDP packets of 60 bytes, Ethernet header included.
    Small,
    /// The same; half of them are answers.
    Answered,
    /// UDP packets of 60, 590 and 1,514 bytes, 7 to 4 to 1, with DF and without an
    /// identification.
    Mixed,
    /// TCP: twelve segments of 1,448 bytes in a row, and an acknowledgement of them.
    Stream,
}

/// How the messages of a kind are sent.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Payloads of UDP, of which each is as likely as the others.
    message_bytes: &'static [usize],
    /// Longest IP packet of a flow.
    mtu: usize,
    tunnel: Option<Tunnel>,
    /// Of 1,000 frames, those that are not captured.
    lost_per_mille: u64,
    is_answered: bool,
    has_ids: bool,
    is_stream: bool,
}

#[derive(Clone, Copy, Debug)]
struct Tunnel {
    checksum: packet::UdpChecksum,
}

/// MTU of the network below tunnels.
const UNDERLAY_MTU: usize = 1500;

/// Hosts that tunnels begin at; several, so that the identifications of one are not
/// used again while its last datagrams are still known.
const TUNNEL_HOSTS: usize = 10;

/// A segment, and how many are sent in a row.
const SEGMENT_BYTES: usize = 1448;
const BURST: usize = 12;

const SINK: Address = [192, 168, 0, 9];
const TUNNEL_SINK: Address = [172, 16, 0, 200];
const PORT: u16 = 5001;
const VXLAN_PORT: u16 = 4789;

impl Kind {
    fn shape(self) -> Shape {
        let plain = Shape {
            message_bytes: &[65_507],
            mtu: 1450,
            tunnel: None,
            lost_per_mille: 0,
            is_answered: false,
            has_ids: true,
            is_stream: false,
        };
        match self {
            Self::Netperf => plain,
            Self::NetperfLoss => Shape {
                lost_per_mille: 30,
                ..plain
            },
            Self::VxlanInner => Shape {
                message_bytes: &[8192],
                tunnel: Some(Tunnel {
                    checksum: packet::UdpChecksum::Absent,
                }),
                ..plain
            },
            Self::VxlanOuter => Shape {
                message_bytes: &[1472],
                mtu: 1500,
                tunnel: Some(Tunnel {
                    checksum: packet::UdpChecksum::Present,
                }),
                ..plain
            },
            Self::Small | Self::Answered => Shape {
                message_bytes: &[18],
                is_answered: self == Self::Answered,
                ..plain
            },
            Self::Mixed => Shape {
                message_bytes: &[18, 18, 18, 18, 18, 18, 18, 548, 548, 548, 548, 1472],
                mtu: 1500,
                has_ids: false,
                ..plain
            },
            Self::Stream => Shape {
                message_bytes: &[BURST * SEGMENT_BYTES],
                mtu: 1500,
                is_stream: true,
                ..plain
            },
        }
    }

    /// Flows, where nothing else is asked for.
    pub fn usual_flows(self) -> u32 {
        match self {
            Self::Netperf | Self::NetperfLoss => 1,
            Self::VxlanInner | Self::VxlanOuter => 100,
            Self::Stream => 200,
            Self::Small | Self::Answered | Self::Mixed => 1000,
        }
    }
}

/// What was made so far: what an analysis has to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// UDP messages sent, or TCP segments.
    pub messages: u64,
    /// Those of which nothing is missing.
    pub whole: u64,
    /// Frames captured.
    pub frames: u64,
    /// Fragments among their IP packets, inner and outer.
    pub fragments: u64,
}

/// An endless stream of messages.
#[derive(Debug)]
pub struct Traffic {
    shape: Shape,
    random: Random,
    made: Made,
    /// Bytes of all records, those lost included.
    sent: u64,
    /// Whether what is sent comes by where it is captured.
    comes_by: bool,
    records: Records,
    arrivals: Arrivals,
    /// The next IP identification of each flow, and of its answers.
    ids: Vec<[u16; 2]>,
    /// How much of its stream each flow has sent.
    streams: Vec<u32>,
    outer_ids: [u16; TUNNEL_HOSTS],
    /// The message, and the tunnel packet around a piece of it.
    message: Datagram,
    wrapped: Datagram,
}

impl Traffic {
    /// The same for the same arguments, always.
    pub fn at(point: Point, kind: Kind, flows: u32, seed: u64) -> Self {
        Self {
            shape: kind.shape(),
            random: Random::new(seed),
            made: Made::default(),
            sent: 0,
            comes_by: true,
            records: Records::new(),
            arrivals: Arrivals::at(point),
            ids: vec![[0; 2]; flows.max(1) as usize],
            streams: vec![0; flows.max(1) as usize],
            outer_ids: [0; TUNNEL_HOSTS],
            message: Datagram::default(),
            wrapped: Datagram::default(),
        }
    }

    /// What was made so far.
    pub fn made(&self) -> Made {
        self.made
    }

    /// Bytes of what was sent so far, where that was: the same wherever it is captured.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Appends the records of the next message, of a flow chosen at random; of what is
    /// captured later, those that are there by now.
    pub fn message(&mut self, out: &mut Vec<u8>) {
        let flow = self.random.below(self.ids.len() as u64) as usize;
        if self.shape.is_stream {
            return self.burst(flow, out);
        }
        let is_answer = self.shape.is_answered && self.random.below(2) == 1;
        let id = &mut self.ids[flow][usize::from(is_answer)];
        let endpoints = endpoints(Protocol::Udp, flow, self.shape.has_ids.then_some(*id));
        *id = id.wrapping_add(1);
        self.comes_by = self.arrivals.has(flow);
        let endpoints = match is_answer {
            true => endpoints.answering(),
            false => endpoints,
        };
        let ip = endpoints.ip;
        let mut message = std::mem::take(&mut self.message);
        let payload = message.payload(self.length());
        self.random.fill(payload);
        message.seal(&endpoints, packet::UdpChecksum::Present);

        let mut arrived = Some(self.records.now());
        for piece in message.pieces(self.shape.mtu) {
            let time = match self.shape.tunnel {
                None => self.send(&ip, &piece, out),
                Some(tunnel) => self.send_inside(tunnel, flow, &ip, &piece, out),
            };
            arrived = arrived.and(time);
        }
        if let Some(time) = arrived.filter(|_| self.arrivals.are_put_together()) {
            self.capture(time, &ip, &message.whole(), out);
        }
        self.message = message;
        self.made.messages += 1;
        self.made.whole += u64::from(arrived.is_some());
    }

    /// The same of some segments of a stream, and of their acknowledgement.
    fn burst(&mut self, flow: usize, out: &mut Vec<u8>) {
        self.comes_by = self.arrivals.has(flow);
        let mut bytes = vec![0; self.length()];
        self.random.fill(&mut bytes);
        let sent = self.streams[flow];
        let acknowledged = sent.wrapping_add(bytes.len() as u32);
        self.streams[flow] = acknowledged;
        let [first_id, ack_id] = self.ids[flow];
        let times = self.send_segments(flow, sent, &bytes, out);
        let mut segment = std::mem::take(&mut self.message);
        let mut arrived = times.iter().flatten().count() as u64;
        if let Some(is_first) = self.arrivals.joined() {
            let time = if is_first { times[0] } else { times[BURST - 1] };
            arrived = u64::from(time.is_some());
            if let Some(time) = time {
                let endpoints = endpoints(Protocol::Tcp, flow, Some(first_id));
                segment.segment(&endpoints, [sent, 0], &bytes);
                self.capture(time, &endpoints.ip, &segment.whole(), out);
            }
        }
        let answering = endpoints(Protocol::Tcp, flow, Some(ack_id)).answering();
        segment.segment(&answering, [0, acknowledged], &[]);
        arrived += u64::from(self.send(&answering.ip, &segment.whole(), out).is_some());
        self.ids[flow] = [first_id.wrapping_add(BURST as u16), ack_id.wrapping_add(1)];
        self.message = segment;
        self.made.messages += BURST as u64 + 1;
        self.made.whole += arrived;
    }

    /// Sends these bytes of a stream in segments, each of which is captured unless they are joined;
    /// says when each was sent, unless it was lost.
    fn send_segments(
        &mut self,
        flow: usize,
        sent: u32,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> [Option<Time>; BURST] {
        let mut segment = std::mem::take(&mut self.message);
        let mut times = [None; BURST];
        let (mut id, mut from) = (self.ids[flow][0], sent);
        for (time, bytes) in times.iter_mut().zip(bytes.chunks(SEGMENT_BYTES)) {
            let endpoints = endpoints(Protocol::Tcp, flow, Some(id));
            segment.segment(&endpoints, [from, 0], bytes);
            *time = self.pass(&endpoints.ip, &segment.whole());
            if let (Some(time), None) = (*time, self.arrivals.joined()) {
                self.capture(time, &endpoints.ip, &segment.whole(), out);
            }
            (id, from) = (id.wrapping_add(1), from.wrapping_add(bytes.len() as u32));
        }
        self.message = segment;
        times
    }

    /// The length of the next message.
    fn length(&mut self) -> usize {
        match self.shape.message_bytes {
            [length] => *length,
            lengths => lengths[self.random.below(lengths.len() as u64) as usize],
        }
    }

    /// Appends the records of what is under way still.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        while self.arrivals.arrive(out) {}
    }

    /// Appends the records of a piece inside a VXLAN packet; says when the last was sent, if none is
    /// missing.
    fn send_inside(
        &mut self,
        tunnel: Tunnel,
        flow: usize,
        inner: &Ip,
        piece: &packet::Piece<'_>,
        out: &mut Vec<u8>,
    ) -> Option<Time> {
        let host = flow % TUNNEL_HOSTS;
        let id = self.outer_ids[host];
        self.outer_ids[host] = id.wrapping_add(1);
        let ip = Ip {
            source: [172, 16, 0, 1 + host as u8],
            destination: TUNNEL_SINK,
            id: Some(id),
            protocol: Protocol::Udp,
        };
        let endpoints = Endpoints {
            ip,
            // What the flow inside hashes to.
            source_port: 32_768 + (flow * 7919 % 28_000) as u16,
            destination_port: VXLAN_PORT,
        };
        let mut wrapped = std::mem::take(&mut self.wrapped);
        packet::vxlan(wrapped.empty(), 1 + host as u32, inner, piece);
        wrapped.seal(&endpoints, tunnel.checksum);
        let mut arrived = Some(self.records.now());
        for piece in wrapped.pieces(UNDERLAY_MTU) {
            let time = self.pass(&ip, &piece);
            arrived = arrived.and(time);
            if let Some(time) = time.filter(|_| !self.arrivals.is_inside()) {
                self.capture(time, &ip, &piece, out);
            }
        }
        self.wrapped = wrapped;
        match arrived {
            Some(_) if self.arrivals.are_put_together() => {}
            Some(time) if self.arrivals.is_inside() => self.capture(time, inner, piece, out),
            Some(_) => self.made.fragments += u64::from(piece.is_fragment()),
            None => {}
        }
        arrived
    }

    /// Appends the record of an IP packet; says when it was sent, unless it was lost.
    fn send(&mut self, ip: &Ip, piece: &packet::Piece<'_>, out: &mut Vec<u8>) -> Option<Time> {
        let time = self.pass(ip, piece);
        if let Some(time) = time.filter(|_| !self.arrivals.are_put_together()) {
            self.capture(time, ip, piece, out);
        }
        time
    }

    /// Sends a frame; says when, unless it is lost.
    fn pass(&mut self, ip: &Ip, piece: &packet::Piece<'_>) -> Option<Time> {
        let frame_bytes = frame_bytes(piece);
        self.sent += (record::HEADER_BYTES + frame_bytes) as u64;
        let time = self.records.after(frame_bytes);
        let lost = self.shape.lost_per_mille;
        let is_lost = lost > 0 && self.random.below(1000) < lost;
        let comes = !is_lost && !self.arrivals.loses(ip.is_answer());
        (comes && self.comes_by).then_some(time)
    }

    fn capture(&mut self, time: Time, ip: &Ip, piece: &packet::Piece<'_>, out: &mut Vec<u8>) {
        self.made.frames += 1;
        self.made.fragments += u64::from(piece.is_fragment());
        let put = |time: Time, out: &mut Vec<u8>| {
            time.put_header(frame_bytes(piece), out);
            packet::frame(out, ip, piece);
        };
        self.arrivals.add(time, ip.is_answer(), put, out);
    }
}

impl Ip {
    fn is_answer(&self) -> bool {
        self.source == SINK
    }
}

/// Where a message of a flow comes from and goes to.
fn endpoints(protocol: Protocol, flow: usize, id: Option<u16>) -> Endpoints {
    let [_, high, middle, low] = (flow as u32).to_be_bytes();
    Endpoints {
        ip: Ip {
            source: [10, high, middle, low],
            destination: SINK,
            id,
            protocol,
        },
        source_port: 20_000 + (flow % 10_000) as u16,
        destination_port: PORT,
    }
}

fn frame_bytes(piece: &packet::Piece<'_>) -> usize {
    packet::ETHERNET_BYTES + packet::IP_BYTES + piece.bytes.len()
}
