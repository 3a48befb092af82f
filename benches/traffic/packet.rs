//! Ethernet, IPv4 (RFC 791), UDP (RFC 768), TCP (RFC 9293) and VXLAN (RFC 7348), as written.

pub(super) const ETHERNET_BYTES: usize = 14;
pub(super) const IP_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
const UDP: u8 = 17;
const TCP: u8 = 6;

pub(super) type Address = [u8; 4];

/// What the fragments of a datagram have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ip {
    pub(super) source: Address,
    pub(super) destination: Address,
    /// Without one DF is set: as Linux sends UDP from sockets that are not connected.
    pub(super) id: Option<u16>,
    pub(super) protocol: Protocol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Udp,
    Tcp,
}

impl Protocol {
    fn number(self) -> u8 {
        match self {
            Self::Udp => UDP,
            Self::Tcp => TCP,
        }
    }
}

/// Where a datagram comes from and goes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endpoints {
    pub(super) ip: Ip,
    pub(super) source_port: u16,
    pub(super) destination_port: u16,
}

impl Endpoints {
    /// The same the other way.
    pub(super) fn answering(self) -> Self {
        Self {
            ip: Ip {
                source: self.ip.destination,
                destination: self.ip.source,
                ..self.ip
            },
            source_port: self.destination_port,
            destination_port: self.source_port,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UdpChecksum {
    Present,
    /// The field is 0: RFC 7348 wants that of the outer header.
    Absent,
}

/// A UDP datagram or a TCP segment: header and payload.
#[derive(Debug, Default)]
pub(super) struct Datagram(Vec<u8>);

/// The part of a datagram in one IP packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) bytes: &'a [u8],
    /// In bytes, a multiple of 8.
    offset: usize,
    more: bool,
}

impl Piece<'_> {
    pub(super) fn is_fragment(&self) -> bool {
        self.more || self.offset > 0
    }
}

impl Datagram {
    /// The room for a payload of this length.
    pub(super) fn payload(&mut self, bytes: usize) -> &mut [u8] {
        self.0.resize(UDP_BYTES + bytes, 0);
        &mut self.0[UDP_BYTES..]
    }

    /// A payload to append to.
    pub(super) fn empty(&mut self) -> &mut Vec<u8> {
        self.0.clear();
        self.0.resize(UDP_BYTES, 0);
        &mut self.0
    }

    /// Writes the header.
    pub(super) fn seal(&mut self, endpoints: &Endpoints, checksum: UdpChecksum) {
        let length = self.0.len() as u16;
        let header = &mut self.0[..UDP_BYTES];
        header[..2].copy_from_slice(&endpoints.source_port.to_be_bytes());
        header[2..4].copy_from_slice(&endpoints.destination_port.to_be_bytes());
        header[4..6].copy_from_slice(&length.to_be_bytes());
        header[6..].fill(0);
        if checksum == UdpChecksum::Present {
            // 0 would say that there is none.
            let checksum = match self.checksum(&endpoints.ip) {
                0 => 0xffff,
                checksum => checksum,
            };
            self.0[6..UDP_BYTES].copy_from_slice(&checksum.to_be_bytes());
        }
    }

    /// Becomes a segment with these bytes of a stream, of which it has and acknowledges so much.
    pub(super) fn segment(&mut self, endpoints: &Endpoints, [from, until]: [u32; 2], bytes: &[u8]) {
        const DATA_OFFSET: u8 = 5 << 4;
        const ACK: u8 = 0x10;
        self.0.clear();
        self.0
            .extend_from_slice(&endpoints.source_port.to_be_bytes());
        self.0
            .extend_from_slice(&endpoints.destination_port.to_be_bytes());
        self.0.extend_from_slice(&from.to_be_bytes());
        self.0.extend_from_slice(&until.to_be_bytes());
        self.0
            .extend_from_slice(&[DATA_OFFSET, ACK, 0xff, 0xff, 0, 0, 0, 0]);
        self.0.extend_from_slice(bytes);
        let checksum = self.checksum(&endpoints.ip);
        self.0[16..18].copy_from_slice(&checksum.to_be_bytes());
    }

    /// Its checksum, with the pseudo-header; the field is 0 yet.
    fn checksum(&self, ip: &Ip) -> u16 {
        let addresses = sum(&ip.source) + sum(&ip.destination);
        let pseudo = addresses + u64::from(ip.protocol.number()) + self.0.len() as u64;
        !fold(pseudo + sum(&self.0))
    }

    /// All of it in one packet.
    pub(super) fn whole(&self) -> Piece<'_> {
        Piece {
            bytes: &self.0,
            offset: 0,
            more: false,
        }
    }

    /// The pieces it is sent in at this MTU.
    pub(super) fn pieces(&self, mtu: usize) -> impl Iterator<Item = Piece<'_>> {
        let room = mtu - IP_BYTES;
        let step = match self.0.len() > room {
            true => room & !7,
            false => room,
        };
        let last = (self.0.len() - 1) / step;
        self.0
            .chunks(step)
            .enumerate()
            .map(move |(number, bytes)| Piece {
                bytes,
                offset: number * step,
                more: number < last,
            })
    }
}

/// Appends an Ethernet frame with an IP packet.
pub(super) fn frame(out: &mut Vec<u8>, ip: &Ip, piece: &Piece<'_>) {
    let mut header = [0; ETHERNET_BYTES + IP_BYTES];
    let (ethernet, rest) = header.split_at_mut(ETHERNET_BYTES);
    // Locally administered, with the address of the host in it.
    ethernet[..2].copy_from_slice(&[0x02, 0]);
    ethernet[2..6].copy_from_slice(&ip.destination);
    ethernet[6..8].copy_from_slice(&[0x02, 0]);
    ethernet[8..12].copy_from_slice(&ip.source);
    ethernet[12..].copy_from_slice(&0x0800_u16.to_be_bytes());

    let length = (IP_BYTES + piece.bytes.len()) as u16;
    let is_whole_for_good = u16::from(ip.id.is_none());
    let flags = is_whole_for_good << 14 | u16::from(piece.more) << 13;
    let fragment = (piece.offset / 8) as u16 | flags;
    rest[0] = 0x45;
    rest[2..4].copy_from_slice(&length.to_be_bytes());
    rest[4..6].copy_from_slice(&ip.id.unwrap_or(0).to_be_bytes());
    rest[6..8].copy_from_slice(&fragment.to_be_bytes());
    rest[8] = 64;
    rest[9] = ip.protocol.number();
    rest[12..16].copy_from_slice(&ip.source);
    rest[16..].copy_from_slice(&ip.destination);
    let checksum = !fold(sum(rest));
    rest[10..12].copy_from_slice(&checksum.to_be_bytes());

    out.extend_from_slice(&header);
    out.extend_from_slice(piece.bytes);
}

/// Appends a VXLAN header and the frame inside.
pub(super) fn vxlan(out: &mut Vec<u8>, vni: u32, ip: &Ip, piece: &Piece<'_>) {
    out.extend_from_slice(&[0x08, 0, 0, 0]);
    out.extend_from_slice(&(vni << 8).to_be_bytes());
    frame(out, ip, piece);
}

/// The sum of big-endian 16-bit words, an odd last byte padded with zero. Added up in
/// 32-bit words and lanes, so that it costs little beside making the bytes.
fn sum(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut lanes = [0u64; 8];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<4>().0) {
            *lane += u64::from(u32::from_be_bytes(*word));
        }
    }
    let mut total: u64 = lanes.iter().sum();
    for pair in rest.chunks(2) {
        let low = pair.get(1).copied().unwrap_or(0);
        total += u64::from(u16::from_be_bytes([pair[0], low]));
    }
    total
}

fn fold(mut total: u64) -> u16 {
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}
