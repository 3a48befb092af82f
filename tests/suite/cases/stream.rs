//! A stream of UDP messages of one size through a path that loses fragments by chance,
//! and what benchmarks would have printed of it.

use super::wire::{Address, Capture, Header, IPIP, Link, UDP, ethernet, udp, vxlan};

/// What is around the packets of a stream.
#[derive(Clone, Copy)]
pub enum Around {
    Nothing,
    Ipip,
    Vxlan { port: u16, vni: u32 },
}

#[derive(Clone, Copy)]
pub struct Stream {
    pub around: Around,
    /// Of the device that cuts the messages up.
    pub mtu: usize,
    pub message_bytes: usize,
    pub messages: u32,
    pub messages_per_second: f64,
    pub lost_per_mille: u64,
    /// Port of the receiver.
    pub port: u16,
}

/// What became of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    pub messages: u64,
    pub fragments: u64,
    pub lost_fragments: u64,
    /// Messages of which nothing was lost.
    pub whole: u64,
}

pub const SENDER: Address = [10, 16, 0, 8];
pub const RECEIVER: Address = [10, 16, 0, 9];
const NODES: [Address; 2] = [[192, 0, 2, 1], [192, 0, 2, 2]];

/// As much as headers take, those of a tunnel included.
const SNAPLEN: u32 = 110;

impl Stream {
    /// 65,507-byte messages between pods with an MTU of 1,450.
    pub const NETPERF: Self = Self {
        around: Around::Nothing,
        mtu: 1450,
        message_bytes: 65_507,
        messages: 0,
        messages_per_second: 2_000.0,
        lost_per_mille: 0,
        port: 5001,
    };

    /// A capture of this alone.
    pub fn captured(&self) -> (Vec<u8>, Sent) {
        let mut capture = Capture::new(Link::Ethernet, SNAPLEN);
        let sent = self.send(&mut capture);
        (capture.bytes, sent)
    }

    /// An empty capture for several.
    pub fn no_capture() -> Capture {
        Capture::new(Link::Ethernet, SNAPLEN)
    }

    /// Sends it on into a capture at the receiver.
    pub fn send(&self, capture: &mut Capture) -> Sent {
        let message = udp(40_000, self.port, &vec![0; self.message_bytes]);
        let mut chance = Chance::new(u64::from(self.port));
        let mut sent = Sent::default();
        for _ in 0..self.messages {
            let header = Header {
                from: SENDER,
                to: RECEIVER,
                protocol: UDP,
                id: capture.next_id(),
            };
            let pieces = header.pieces(&message, self.mtu);
            let gap = 1.0 / self.messages_per_second / pieces.len() as f64;
            let mut lost = 0;
            for piece in &pieces {
                capture.wait(gap);
                if pieces.len() > 1 && chance.below(1000) < self.lost_per_mille {
                    lost += 1;
                } else {
                    capture.packet(&self.wrapped(header.id, piece));
                }
            }
            sent.messages += 1;
            sent.fragments += pieces.len() as u64;
            sent.lost_fragments += lost;
            sent.whole += u64::from(lost == 0);
        }
        sent
    }

    fn wrapped(&self, id: u16, packet: &[u8]) -> Vec<u8> {
        let [from, to] = NODES;
        let outer = |protocol| Header {
            from,
            to,
            protocol,
            id,
        };
        match self.around {
            Around::Nothing => packet.to_vec(),
            Around::Ipip => outer(IPIP).packet(packet),
            Around::Vxlan { port, vni } => outer(UDP).packet(&vxlan(port, vni, &ethernet(packet))),
        }
    }
}

/// What netperf prints of `UDP_STREAM`.
pub fn netperf(message_bytes: usize, sent: u64, received: u64) -> String {
    let seconds = 10;
    let rate =
        |messages: u64| (messages * message_bytes as u64 * 8) as f64 / 1e6 / f64::from(seconds);
    format!(
        "MIGRATED UDP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.16.0.9 () port 0 AF_INET\n\
         Socket  Message  Elapsed      Messages\n\
         Size    Size     Time         Okay Errors   Throughput\n\
         bytes   bytes    secs            #      #   10^6bits/sec\n\n\
         212992  {message_bytes:>6}   {seconds}.00  {sent:>11}      0 {:>9.2}\n\
         212992           {seconds}.00  {received:>11}        {:>9.2}\n",
        rate(sent),
        rate(received)
    )
}

/// What `qperf -vv udp_bw` prints.
pub fn qperf_counted(message_bytes: usize, sent: u64, received: u64) -> String {
    let counts = format!(
        "    send_msgs  =  {}\n    recv_msgs  =  {}\n",
        grouped(sent),
        grouped(received)
    );
    qperf(message_bytes, sent, received) + &counts
}

/// What `qperf -vu udp_bw` prints: no counts, and three digits of each rate.
pub fn qperf(message_bytes: usize, sent: u64, received: u64) -> String {
    let rate = |messages: u64| three_digits((messages * message_bytes as u64) as f64);
    format!(
        "udp_bw:\n    send_bw   =  {}\n    recv_bw   =  {}\n    msg_size  =  {}\n    time      =    1 sec\n",
        rate(sent),
        rate(received),
        size(message_bytes),
    )
}

fn three_digits(bytes_per_second: f64) -> String {
    let (value, unit) = [(1e9, "GB"), (1e6, "MB"), (1e3, "KB")]
        .into_iter()
        .find(|(factor, _)| bytes_per_second >= *factor)
        .map_or((bytes_per_second, "bytes"), |(factor, unit)| {
            (bytes_per_second / factor, unit)
        });
    let digits = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}/sec")
}

fn size(bytes: usize) -> String {
    if bytes.is_multiple_of(1024) {
        format!("{} KiB ({})", bytes / 1024, grouped(bytes as u64))
    } else if bytes < 1000 {
        format!("{bytes} bytes")
    } else {
        format!("{:.1} KB", bytes as f64 / 1e3)
    }
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let from_end = |index: usize| digits.len() - index;
    let digits = digits.chars().enumerate();
    let mut out = String::new();
    for (index, digit) in digits {
        if index > 0 && from_end(index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// SplitMix64: the same in every run.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
