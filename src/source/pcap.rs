//! Classic pcap: a 24-byte file header, then records to the end.
//!
//! ```text
//! file:   magic(4) major(2) minor(2) thiszone(4) sigfigs(4) snaplen(4) link type(4)
//! record: seconds(4) fraction(4) captured(4) wire(4) data(captured)
//! ```
//!
//! draft-ietf-opsawg-pcap. Kuznetzov's modified format has 8 more bytes in each
//! record header (interface, protocol, packet type), Ixia's has 4 more in the file
//! header (size of all records). Records before version 2.3 have the two lengths
//! in the other order, those of 2.3 may; libpcap's sf-pcap.c has the history.

use super::bytes::ByteOrder;
use super::walk::{End, MAX_RECORD_BYTES, MAX_SNAPLEN, Record, Walk};
use crate::model::{LinkType, Timestamp, time::NANOS_PER_SECOND};

/// Bytes of the file header, and of Ixia's.
const FILE_HEADER: usize = 24;
const IXIA_FILE_HEADER: usize = 28;

/// How the records of one file are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct PcapLayout {
    order: ByteOrder,
    record_header: usize,
    nanos_per_tick: u32,
    lengths: Lengths,
    link_type: LinkType,
    fcs_bytes: u32,
    /// A record that claims more captured bytes than this is damage.
    limit: u32,
}

/// Which of the two lengths of a record comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lengths {
    CapturedFirst,
    WireFirst,
    /// Either; the smaller one is the captured.
    Unknown,
}

/// A file header that was understood.
#[derive(Debug)]
pub(super) struct PcapHeader {
    pub(super) layout: PcapLayout,
    pub(super) format: &'static str,
    pub(super) snaplen: u32,
    pub(super) bytes: usize,
}

/// What the magic number says.
struct Variant {
    order: ByteOrder,
    format: &'static str,
    nanos_per_tick: u32,
    file_header: usize,
    record_header: usize,
}

impl Variant {
    fn of(magic: [u8; 4]) -> Option<Self> {
        let little = u32::from_le_bytes(magic);
        Self::in_order(little, ByteOrder::Little)
            .or_else(|| Self::in_order(little.swap_bytes(), ByteOrder::Big))
    }

    fn in_order(magic: u32, order: ByteOrder) -> Option<Self> {
        let (format, nanos_per_tick, file_header, record_header) = match magic {
            0xa1b2_c3d4 => ("pcap", 1_000, FILE_HEADER, 16),
            0xa1b2_3c4d => ("pcap-ns", 1, FILE_HEADER, 16),
            0xa1b2_cd34 => ("pcap-modified", 1_000, FILE_HEADER, 24),
            // Ixia's hardware captures count nanoseconds, its software ones microseconds.
            0x1c00_01ac => ("pcap-ixia", 1, IXIA_FILE_HEADER, 16),
            0x1c00_01ab => ("pcap-ixia", 1_000, IXIA_FILE_HEADER, 16),
            _ => return None,
        };
        Some(Self {
            order,
            format,
            nanos_per_tick,
            file_header,
            record_header,
        })
    }
}

/// Whether a file beginning so is classic pcap of any variant.
pub(super) fn is_pcap(magic: [u8; 4]) -> bool {
    Variant::of(magic).is_some()
}

impl PcapHeader {
    /// Reads the header at the start of `bytes`. `Err(Incomplete)` when more bytes
    /// are needed, `Err(Damage)` when no frame can be read after it.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, End> {
        let incomplete = |need| End::Incomplete { need };
        let header = bytes
            .first_chunk::<FILE_HEADER>()
            .ok_or(incomplete(FILE_HEADER))?;
        let [a, b, c, d, ..] = *header;
        let variant = Variant::of([a, b, c, d])
            .ok_or_else(|| End::Damage("no pcap magic number".to_owned()))?;
        if bytes.len() < variant.file_header {
            return Err(incomplete(variant.file_header));
        }
        Self::read(header, &variant).map_err(End::Damage)
    }

    fn read(header: &[u8; FILE_HEADER], variant: &Variant) -> Result<Self, String> {
        let order = variant.order;
        let lengths = lengths_of(order.u16::<4, 24>(header), order.u16::<6, 24>(header))?;
        let snaplen = order.u32::<16, 24>(header);
        let link = order.u32::<20, 24>(header);
        let layout = PcapLayout {
            order,
            record_header: variant.record_header,
            nanos_per_tick: variant.nanos_per_tick,
            lengths,
            // The upper half is no part of the number: class and FCS bits.
            link_type: LinkType(link & 0xffff),
            fcs_bytes: fcs_bytes_of(link),
            limit: snaplen.clamp(MAX_SNAPLEN, MAX_RECORD_BYTES),
        };
        Ok(Self {
            layout,
            format: variant.format,
            snaplen,
            bytes: variant.file_header,
        })
    }
}

/// The order of the lengths in a version, or why the version is refused. As in
/// libpcap: 2.0 to 2.4, and 543.0, which a DG/UX tcpdump wrote.
fn lengths_of(major: u16, minor: u16) -> Result<Lengths, String> {
    match (major, minor) {
        (2, 0..=2) | (543, 0) => Ok(Lengths::WireFirst),
        (2, 3) => Ok(Lengths::Unknown),
        (2, 4) => Ok(Lengths::CapturedFirst),
        _ => Err(format!(
            "pcap version {major}.{minor}, expected 2.4 or earlier versions of 2"
        )),
    }
}

/// Length of the frame check sequence at the end of each frame: if bit 26 is set,
/// the top four bits count its 16-bit words.
fn fcs_bytes_of(link: u32) -> u32 {
    if link & 0x0400_0000 == 0 {
        return 0;
    }
    (link >> 28) * 2
}

impl PcapLayout {
    /// That of the newest version with nanoseconds, in little-endian order.
    pub(super) fn of_nanoseconds(link_type: LinkType) -> Self {
        Self {
            order: ByteOrder::Little,
            record_header: 16,
            nanos_per_tick: 1,
            lengths: Lengths::CapturedFirst,
            link_type,
            fcs_bytes: 0,
            limit: MAX_RECORD_BYTES,
        }
    }

    /// The link type of every frame.
    pub(super) fn link_type(&self) -> LinkType {
        self.link_type
    }

    /// Counts the whole records at the start of `bytes`.
    pub(super) fn walk(&self, bytes: &[u8]) -> Walk {
        let mut rest = bytes;
        let mut frames = 0;
        let end = loop {
            let Some(header) = rest.first_chunk::<16>() else {
                let need = self.record_header;
                break End::Incomplete { need };
            };
            let (captured, _) = self.lengths(header);
            if captured > self.limit {
                let limit = self.limit;
                break End::Damage(format!(
                    "a record claims {captured} captured bytes, the most this capture may hold is {limit}"
                ));
            }
            if *header == [0; 16] {
                // Whoever wrote the file had the room reserved and did not get so far.
                break End::Damage(
                    "zeros, where a record is expected; a frame of 1970 without a byte is none"
                        .to_owned(),
                );
            }
            let size = self.record_header + captured as usize;
            match rest.get(size..) {
                Some(after) => rest = after,
                None => break End::Incomplete { need: size },
            }
            frames += 1;
        };
        Walk {
            consumed: bytes.len() - rest.len(),
            frames,
            end,
        }
    }

    /// Takes the record at the start of `rest` off it.
    #[inline(always)]
    pub(super) fn next<'a>(&self, rest: &mut &'a [u8]) -> Option<Record<'a>> {
        let header = rest.first_chunk::<16>()?;
        let (captured, wire_bytes) = self.lengths(header);
        let seconds = self.order.u32::<0, 16>(header);
        let fraction = self.order.u32::<4, 16>(header);
        let (record, after) = rest.split_at_checked(self.record_header + captured as usize)?;
        *rest = after;
        Some(
            Record {
                timestamp: self.timestamp(seconds, fraction),
                wire_bytes,
                link_type: self.link_type,
                interface: 0,
                data: record.get(self.record_header..)?,
            }
            .without_fcs(self.fcs_bytes),
        )
    }

    /// Cannot overflow: both are 32 bits, so the sum is below 2^63.
    #[inline(always)]
    fn timestamp(&self, seconds: u32, fraction: u32) -> Timestamp {
        let nanos = u64::from(fraction) * u64::from(self.nanos_per_tick);
        Timestamp(i64::from(seconds) * NANOS_PER_SECOND + nanos as i64)
    }

    /// Captured and wire length.
    #[inline(always)]
    fn lengths(&self, header: &[u8; 16]) -> (u32, u32) {
        let (first, second) = (
            self.order.u32::<8, 16>(header),
            self.order.u32::<12, 16>(header),
        );
        match self.lengths {
            Lengths::CapturedFirst => (first, second),
            Lengths::WireFirst => (second, first),
            Lengths::Unknown => (first.min(second), first.max(second)),
        }
    }
}
