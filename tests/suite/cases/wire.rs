//! Packets as bytes, and a capture of them.

/// An IPv4 address.
pub type Address = [u8; 4];

pub const ICMP: u8 = 1;
pub const IPIP: u8 = 4;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;

/// The start of every capture.
const BEGIN_SECONDS: u64 = 1_767_225_600;
const MICROS: u64 = 1_000_000;

/// What frames begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Ethernet = 1,
    /// As `tcpdump -i any` writes it at the sender: every packet goes out.
    SentByThisHost = 113,
}

/// A classic pcap file whose clock is the caller's.
pub struct Capture {
    pub bytes: Vec<u8>,
    link: Link,
    snaplen: usize,
    micros: f64,
    last_id: u16,
}

impl Capture {
    pub fn new(link: Link, snaplen: u32) -> Self {
        let words = [0xa1b2_c3d4, 0x0004_0002, 0, 0, snaplen, link as u32];
        Self {
            bytes: words
                .iter()
                .flat_map(|word: &u32| word.to_le_bytes())
                .collect(),
            link,
            snaplen: snaplen as usize,
            micros: 0.0,
            last_id: 0,
        }
    }

    pub fn wait(&mut self, seconds: f64) {
        self.micros += seconds * MICROS as f64;
    }

    /// The next IP identification of the one sender.
    pub fn next_id(&mut self) -> u16 {
        self.last_id = self.last_id.wrapping_add(1);
        self.last_id
    }

    /// Writes a packet as it is captured now.
    pub fn packet(&mut self, ip: &[u8]) {
        let frame = match self.link {
            Link::Ethernet => ethernet(ip),
            Link::SentByThisHost => {
                [&[0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0], ip].concat()
            }
        };
        let micros = self.micros as u64;
        let held = frame.len().min(self.snaplen);
        let header = [
            BEGIN_SECONDS + micros / MICROS,
            micros % MICROS,
            held as u64,
            frame.len() as u64,
        ];
        let header = header
            .iter()
            .flat_map(|field| (*field as u32).to_le_bytes());
        self.bytes.extend(header);
        self.bytes.extend_from_slice(&frame[..held]);
    }
}

pub fn ethernet(ip: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0], ip].concat()
}

/// What an IPv4 packet has besides its payload.
#[derive(Clone, Copy)]
pub struct Header {
    pub from: Address,
    pub to: Address,
    pub protocol: u8,
    pub id: u16,
}

impl Header {
    /// One packet.
    pub fn packet(&self, payload: &[u8]) -> Vec<u8> {
        self.piece(payload, 0, false)
    }

    fn piece(&self, payload: &[u8], offset: usize, more: bool) -> Vec<u8> {
        let length = (20 + payload.len()) as u16;
        let place = (offset / 8) as u16 | u16::from(more) << 13;
        let mut header = [0x45, 0, 0, 0, 0, 0, 0, 0, 63, self.protocol, 0, 0].to_vec();
        header.extend_from_slice(&self.from);
        header.extend_from_slice(&self.to);
        header[2..4].copy_from_slice(&length.to_be_bytes());
        header[4..6].copy_from_slice(&self.id.to_be_bytes());
        header[6..8].copy_from_slice(&place.to_be_bytes());
        let checksum = !sum(&header);
        header[10..12].copy_from_slice(&checksum.to_be_bytes());
        [&header, payload].concat()
    }

    /// The packets that an MTU leaves of a payload.
    pub fn pieces(&self, payload: &[u8], mtu: usize) -> Vec<Vec<u8>> {
        if 20 + payload.len() <= mtu {
            return vec![self.packet(payload)];
        }
        let step = (mtu - 20) & !7;
        let starts = (0..payload.len()).step_by(step);
        let piece = |start: usize| {
            let end = payload.len().min(start + step);
            self.piece(&payload[start..end], start, end < payload.len())
        };
        starts.map(piece).collect()
    }
}

/// A UDP datagram without checksum.
pub fn udp(from: u16, to: u16, payload: &[u8]) -> Vec<u8> {
    let fields = [from, to, (8 + payload.len()) as u16, 0];
    let header = fields.iter().flat_map(|field| field.to_be_bytes());
    header.chain(payload.iter().copied()).collect()
}

/// A VXLAN packet around a frame, as UDP.
pub fn vxlan(port: u16, vni: u32, frame: &[u8]) -> Vec<u8> {
    let header = [0x0800_0000, vni << 8].map(u32::to_be_bytes).concat();
    udp(49_152, port, &[&header, frame].concat())
}

/// A TCP segment; what its checksum covers is cut off by the snaplen of its capture.
pub fn tcp(from: u16, to: u16, sequence: u32, payload: &[u8]) -> Vec<u8> {
    let ports = [from, to].map(u16::to_be_bytes).concat();
    let numbers = [sequence, 1].map(u32::to_be_bytes).concat();
    [
        &ports,
        &numbers,
        &[0x50, 0x10, 1, 246, 0, 0, 0, 0][..],
        payload,
    ]
    .concat()
}

/// The sum that checksums are the complement of.
pub fn sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2);
    let words =
        words.map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low)));
    let total: u32 = words.sum();
    let folded = (total & 0xffff) + (total >> 16);
    (folded & 0xffff) as u16 + (folded >> 16) as u16
}

#[test]
fn a_header_sums_up_to_nothing() {
    let header = Header {
        from: [10, 0, 0, 1],
        to: [10, 0, 0, 2],
        protocol: UDP,
        id: 7,
    };
    for packet in header.pieces(&[0; 3000], 1500) {
        assert_eq!(sum(&packet[..20]), 0xffff);
    }
}
