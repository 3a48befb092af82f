//! A pcapng section: its byte order, its interfaces, and how packets are read by them.

use super::bytes::ByteOrder;
use super::options::options;
use super::walk::Record;
use crate::model::{LinkType, Timestamp, time::NANOS_PER_SECOND};

/// Packet block types, in the order of their numbers.
pub(super) const OBSOLETE_PACKET: u32 = 2;
pub(super) const SIMPLE_PACKET: u32 = 3;
pub(super) const ENHANCED_PACKET: u32 = 6;

/// Bytes of an enhanced or obsolete packet block before its data, and behind all
/// that: the length repeated.
pub(super) const PACKET_HEADER: usize = 28;
pub(super) const TRAILER: usize = 4;

/// Everything packets of a section are read by.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) order: ByteOrder,
    /// In the order of their description blocks, which is how packets name them.
    pub(super) interfaces: Vec<Interface>,
    /// Interfaces of the sections before.
    pub(super) interfaces_before: u32,
}

/// What an interface description block says.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) link_type: LinkType,
    /// 0: unlimited.
    pub(super) snaplen: u32,
    pub(super) clock: Clock,
    pub(super) fcs_bytes: u32,
}

/// How an interface counts time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    unit: Unit,
    offset_ns: i64,
}

/// Length of a tick, as what makes it nanoseconds.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Multiply(u64),
    Divide(u64),
    /// Times 10^9, then shifted right: ticks of 2^-n s.
    Shift(u32),
}

impl Clock {
    /// From `if_tsresol` (6, microseconds, unless stated) and `if_tsoffset` in seconds.
    pub(super) fn new(resolution: u8, offset_seconds: i64) -> Self {
        let exponent = u32::from(resolution & 0x7f);
        let unit = match (resolution & 0x80 != 0, exponent) {
            (true, _) => Unit::Shift(exponent),
            (false, 0..=9) => Unit::Multiply(10_u64.pow(9 - exponent)),
            // Ticks too short for 2^64 of them to make a nanosecond: 0 for all.
            (false, _) => Unit::Divide(10_u64.checked_pow(exponent - 9).unwrap_or(u64::MAX)),
        };
        Self {
            unit,
            offset_ns: offset_seconds.saturating_mul(NANOS_PER_SECOND),
        }
    }

    /// The time a packet names. Saturates: a file may claim any number.
    #[inline(always)]
    pub(super) fn timestamp(self, high: u32, low: u32) -> Timestamp {
        let ticks = u64::from(high) << 32 | u64::from(low);
        let nanos = match self.unit {
            Unit::Multiply(factor) => ticks.saturating_mul(factor),
            Unit::Divide(divisor) => ticks / divisor,
            Unit::Shift(bits) => {
                let wide = u128::from(ticks) * NANOS_PER_SECOND as u128;
                u64::try_from(wide >> bits).unwrap_or(u64::MAX)
            }
        };
        let nanos = i64::try_from(nanos).unwrap_or(i64::MAX);
        Timestamp(nanos.saturating_add(self.offset_ns))
    }
}

/// Header of an enhanced or an obsolete packet block.
#[derive(Clone, Copy)]
pub(super) struct PacketHeader {
    pub(super) interface: u32,
    /// Packets lost since the one before, as obsolete blocks state it.
    pub(super) drops: Option<u16>,
    pub(super) high: u32,
    pub(super) low: u32,
    pub(super) captured: u32,
    pub(super) wire_bytes: u32,
}

impl PacketHeader {
    #[inline(always)]
    pub(super) fn parse(order: ByteOrder, kind: u32, block: &[u8]) -> Option<Self> {
        let header = block.first_chunk::<PACKET_HEADER>()?;
        let (interface, drops) = match kind {
            OBSOLETE_PACKET => {
                let drops = order.u16::<10, 28>(header);
                let stated = (drops != u16::MAX).then_some(drops);
                (u32::from(order.u16::<8, 28>(header)), stated)
            }
            _ => (order.u32::<8, 28>(header), None),
        };
        Some(Self {
            interface,
            drops,
            high: order.u32::<12, 28>(header),
            low: order.u32::<16, 28>(header),
            captured: order.u32::<20, 28>(header),
            wire_bytes: order.u32::<24, 28>(header),
        })
    }

    /// The options behind the data of a whole block.
    pub(super) fn options(self, block: &[u8]) -> &[u8] {
        let start = PACKET_HEADER + (self.captured as usize).next_multiple_of(4);
        block
            .get(start..block.len().saturating_sub(TRAILER))
            .unwrap_or_default()
    }
}

/// Bytes a block takes, which are a multiple of 4 even where its length field is
/// not: some writers leave the padding out of it, and Wireshark reads them so.
#[inline(always)]
pub(super) fn padded(length: u32) -> usize {
    (length as usize).next_multiple_of(4)
}

impl Section {
    /// Takes blocks off `rest` up to the next packet, and reads it. `clock` is the
    /// time of the packet before: simple packets have none of their own, and
    /// standing still is the least wrong for whoever keeps time by packets.
    #[inline(always)]
    pub(super) fn next<'a>(
        &self,
        rest: &mut &'a [u8],
        clock: &mut Timestamp,
    ) -> Option<Record<'a>> {
        loop {
            let header = rest.first_chunk::<8>()?;
            let kind = self.order.u32::<0, 8>(header);
            let length = padded(self.order.u32::<4, 8>(header));
            let (block, after) = rest.split_at_checked(length)?;
            *rest = after;
            match kind {
                ENHANCED_PACKET | OBSOLETE_PACKET => {
                    let record = self.packet(kind, block)?;
                    *clock = record.timestamp;
                    return Some(record);
                }
                SIMPLE_PACKET => return self.simple_packet(block, *clock),
                // A block too short to hold its own length would never end.
                _ if length < 8 => return None,
                _ => {}
            }
        }
    }

    /// Whether more than one was described so far.
    pub(super) fn has_several_interfaces(&self) -> bool {
        self.interfaces.len() as u64 + u64::from(self.interfaces_before) > 1
    }

    #[inline(always)]
    fn packet<'a>(&self, kind: u32, block: &'a [u8]) -> Option<Record<'a>> {
        let header = PacketHeader::parse(self.order, kind, block)?;
        let interface = self.interfaces.get(header.interface as usize)?;
        let end = PACKET_HEADER.checked_add(header.captured as usize)?;
        let mut fcs_bytes = interface.fcs_bytes;
        if padded(end as u32) + TRAILER < block.len() {
            fcs_bytes = fcs_of_flags(self.order, header.options(block)).unwrap_or(fcs_bytes);
        }
        let record = Record {
            timestamp: interface.clock.timestamp(header.high, header.low),
            wire_bytes: header.wire_bytes,
            link_type: interface.link_type,
            interface: self.interfaces_before.wrapping_add(header.interface),
            data: block.get(PACKET_HEADER..end)?,
        };
        Some(record.without_fcs(fcs_bytes))
    }

    /// A simple packet is of the first interface, and as long as its snaplen left it.
    fn simple_packet<'a>(&self, block: &'a [u8], timestamp: Timestamp) -> Option<Record<'a>> {
        let interface = self.interfaces.first()?;
        let wire_bytes = self.order.u32::<8, 12>(block.first_chunk::<12>()?);
        let padded_data = block.get(12..block.len().checked_sub(TRAILER)?)?;
        let limit = match interface.snaplen {
            0 => wire_bytes,
            snaplen => wire_bytes.min(snaplen),
        };
        let record = Record {
            timestamp,
            wire_bytes,
            link_type: interface.link_type,
            interface: self.interfaces_before,
            data: padded_data.get(..limit as usize).unwrap_or(padded_data),
        };
        Some(record.without_fcs(interface.fcs_bytes))
    }
}

/// Bytes of frame check sequence that `epb_flags` states: bits 5 to 8, 0 for unknown.
#[cold]
fn fcs_of_flags(order: ByteOrder, list: &[u8]) -> Option<u32> {
    const FLAGS: u16 = 2;
    let (_, value) = options(order, list).find(|(code, _)| *code == FLAGS)?;
    let flags = order.u32::<0, 4>(value.first_chunk::<4>()?);
    match flags >> 5 & 0xf {
        0 => None,
        bytes => Some(bytes),
    }
}
