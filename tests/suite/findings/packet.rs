//! Packets as bytes: every header by hand. Checksums are right unless a caller asks for
//! others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
const IPV6_FRAGMENT: u8 = 44;

pub const SYN: u8 = 0x02;
pub const ACK: u8 = 0x10;

/// From whom to whom, and with how many routers left to pass.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub from: IpAddr,
    pub to: IpAddr,
    ttl: u8,
}

pub const A_TO_B: Path = v4([10, 0, 0, 1], [10, 0, 0, 2]);
pub const A_TO_C: Path = v4([10, 0, 0, 1], [10, 0, 0, 3]);
pub const B_TO_A: Path = v4([10, 0, 0, 2], [10, 0, 0, 1]);
pub const A_TO_B_V6: Path = v6(1, 2);
/// Ends of tunnels.
pub const NODES: Path = v4([192, 0, 2, 1], [192, 0, 2, 2]);
pub const NODES_BACK: Path = v4([192, 0, 2, 2], [192, 0, 2, 1]);
pub const NODES_V6: Path = v6(0x101, 0x102);

/// From one host to another.
pub const fn v4(from: [u8; 4], to: [u8; 4]) -> Path {
    const fn host([a, b, c, d]: [u8; 4]) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    }
    Path {
        from: host(from),
        to: host(to),
        ttl: 64,
    }
}

pub const fn v6(from: u16, to: u16) -> Path {
    const fn host(number: u16) -> IpAddr {
        IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, number))
    }
    Path {
        from: host(from),
        to: host(to),
        ttl: 64,
    }
}

impl Path {
    /// The same behind one router.
    pub fn routed(self) -> Self {
        Self { ttl: 63, ..self }
    }
}

/// What stands where the checksum belongs.
#[derive(Clone, Copy)]
pub enum Sum {
    Right,
    Wrong,
    /// What a kernel leaves for its NIC to finish.
    PseudoHeader,
    Zero,
    Is(u16),
}

/// Bytes that look like data, others for each seed.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let bytes = std::iter::repeat_with(|| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 56) as u8
    });
    bytes.take(length).collect()
}

/// The one's complement sum of RFC 1071, not complemented.
fn folded(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let mut sum: u32 = 0;
    for word in words {
        let low = word.get(1).copied().unwrap_or(0);
        sum += u32::from(u16::from_be_bytes([word[0], low]));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

fn pseudo_header(path: Path, protocol: u8, length: usize) -> Vec<u8> {
    let mut bytes = [octets(path.from), octets(path.to)].concat();
    bytes.extend((length as u32).to_be_bytes());
    bytes.extend([0, 0, 0, protocol]);
    bytes
}

/// Writes the checksum of a segment at `at`.
fn seal(mut segment: Vec<u8>, at: usize, path: Path, protocol: u8, sum: Sum) -> Vec<u8> {
    let pseudo = pseudo_header(path, protocol, segment.len());
    let right = match !folded(&[&pseudo, &segment]) {
        0 => 0xffff,
        sum => sum,
    };
    let written = match sum {
        Sum::Right => right,
        Sum::Wrong => right ^ 0x0f0f,
        Sum::PseudoHeader => folded(&[&pseudo]),
        Sum::Zero => 0,
        Sum::Is(sum) => sum,
    };
    segment[at..at + 2].copy_from_slice(&written.to_be_bytes());
    segment
}

/// A UDP datagram from port 4000 to `port`.
pub fn udp(path: Path, port: u16, data: &[u8], sum: Sum) -> Vec<u8> {
    udp_that_claims(8 + data.len() as u16, path, port, data, sum)
}

/// The same with a length of its own.
pub fn udp_that_claims(length: u16, path: Path, port: u16, data: &[u8], sum: Sum) -> Vec<u8> {
    let words = [4000, port, length, 0];
    let header = words.iter().flat_map(|word: &u16| word.to_be_bytes());
    let segment = header.chain(data.iter().copied()).collect();
    seal(segment, 6, path, UDP, sum)
}

/// The checksum that a UDP datagram holds.
pub fn checksum_of_udp(segment: &[u8]) -> u16 {
    u16::from_be_bytes([segment[6], segment[7]])
}

/// A TCP segment between `port` and port 80.
pub fn tcp(path: Path, ports: (u16, u16), flags: u8, data: &[u8], sum: Sum) -> Vec<u8> {
    tcp_at((1000, 0), path, ports, flags, data, sum)
}

/// The same with its sequence number and what it acknowledges.
pub fn tcp_at(
    (sequence, acknowledged): (u32, u32),
    path: Path,
    ports: (u16, u16),
    flags: u8,
    data: &[u8],
    sum: Sum,
) -> Vec<u8> {
    let mut segment = [ports.0.to_be_bytes(), ports.1.to_be_bytes()].concat();
    segment.extend(sequence.to_be_bytes());
    segment.extend(acknowledged.to_be_bytes());
    segment.extend([0x50, flags, 1, 246, 0, 0, 0, 0]);
    segment.extend(data);
    seal(segment, 16, path, TCP, sum)
}

/// An ICMP message whose checksum is right, or wrong.
pub fn icmp(kind: u8, code: u8, data: &[u8], is_right: bool) -> Vec<u8> {
    let mut message = [&[kind, code, 0, 0, 0, 0, 0, 0], data].concat();
    let sum = !folded(&[&message]) ^ if is_right { 0 } else { 0x0f0f };
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    message
}

/// Where a fragment lies in its datagram.
#[derive(Clone, Copy)]
pub struct Place {
    pub id: u32,
    pub offset: usize,
    pub more: bool,
}

/// An IP packet that is no fragment.
pub fn whole(path: Path, protocol: u8, payload: &[u8]) -> Vec<u8> {
    match path.from {
        IpAddr::V4(_) => ip4(path, protocol, payload, 0, 0x4000),
        IpAddr::V6(_) => ip6(path, protocol, payload),
    }
}

/// A fragment that holds these bytes.
pub fn piece(path: Path, protocol: u8, place: Place, bytes: &[u8]) -> Vec<u8> {
    let offset = place.offset as u16;
    match path.from {
        IpAddr::V4(_) => {
            let more = if place.more { 0x2000 } else { 0 };
            ip4(path, protocol, bytes, place.id as u16, more | (offset / 8))
        }
        IpAddr::V6(_) => {
            let mut payload = vec![protocol, 0];
            payload.extend((offset | u16::from(place.more)).to_be_bytes());
            payload.extend(place.id.to_be_bytes());
            payload.extend(bytes);
            ip6(path, IPV6_FRAGMENT, &payload)
        }
    }
}

/// A datagram cut to packets of at most `mtu` bytes.
pub fn cut(path: Path, protocol: u8, id: u32, datagram: &[u8], mtu: usize) -> Vec<Vec<u8>> {
    let headers = if path.from.is_ipv4() { 20 } else { 48 };
    let size = (mtu - headers) / 8 * 8;
    let last = datagram.len().div_ceil(size) - 1;
    let pieces = datagram.chunks(size).enumerate();
    let piece = |(index, bytes)| {
        let place = Place {
            id,
            offset: index * size,
            more: index < last,
        };
        piece(path, protocol, place, bytes)
    };
    pieces.map(piece).collect()
}

fn ip4(path: Path, protocol: u8, payload: &[u8], id: u16, flags_and_offset: u16) -> Vec<u8> {
    let length = 20 + payload.len() as u16;
    let mut header = vec![0x45, 0];
    header.extend(length.to_be_bytes());
    header.extend(id.to_be_bytes());
    header.extend(flags_and_offset.to_be_bytes());
    header.extend([path.ttl, protocol, 0, 0]);
    header.extend(octets(path.from));
    header.extend(octets(path.to));
    let sum = !folded(&[&header]);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header.extend(payload);
    header
}

fn ip6(path: Path, next: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend((payload.len() as u16).to_be_bytes());
    packet.extend([next, path.ttl]);
    packet.extend(octets(path.from));
    packet.extend(octets(path.to));
    packet.extend(payload);
    packet
}

fn ether_type(packet: &[u8]) -> [u8; 2] {
    if packet[0] >> 4 == 6 {
        [0x86, 0xdd]
    } else {
        [0x08, 0x00]
    }
}

/// A packet in an Ethernet frame.
pub fn ethernet(packet: &[u8]) -> Vec<u8> {
    let addresses = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    [&addresses[..], &ether_type(packet), packet].concat()
}

/// A packet in a VLAN.
pub fn tagged(vlan: u16, packet: &[u8]) -> Vec<u8> {
    let mut frame = ethernet(packet);
    let [high, low] = vlan.to_be_bytes();
    frame.splice(12..12, [0x81, 0x00, high, low]);
    frame
}

/// Which way a "cooked" capture says that the host passed a packet.
#[derive(Clone, Copy)]
pub enum Way {
    In = 0,
    Out = 4,
}

/// A packet as in a capture of link type 113.
pub fn cooked(way: Way, packet: &[u8]) -> Vec<u8> {
    let head = [0, way as u8, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    [&head[..], &ether_type(packet), packet].concat()
}

/// The same of link type 276, which names the interface.
pub fn cooked_at(interface: u32, way: Way, packet: &[u8]) -> Vec<u8> {
    let head = [&ether_type(packet)[..], &[0, 0], &interface.to_be_bytes()].concat();
    let rest = [0, 1, way as u8, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    [&head, &rest[..], packet].concat()
}

/// What VXLAN carries: its header and a frame.
pub fn in_vxlan(packet: &[u8]) -> Vec<u8> {
    [&[8, 0, 0, 0, 0, 0, 42, 0][..], &ethernet(packet)].concat()
}

/// A packet in VXLAN.
pub fn vxlan(nodes: Path, packet: &[u8], sum: Sum) -> Vec<u8> {
    whole(nodes, UDP, &udp(nodes, 4789, &in_vxlan(packet), sum))
}

/// A packet in a Geneve tunnel of OVN.
pub fn ovn(nodes: Path, packet: &[u8]) -> Vec<u8> {
    let header = [2, 0x40, 0x65, 0x58, 0, 0, 5, 0];
    let option = [1, 2, 0x80, 1, 0, 3, 0, 4];
    let carried = [&header[..], &option, &ethernet(packet)].concat();
    whole(nodes, UDP, &udp(nodes, 6081, &carried, Sum::Zero))
}
