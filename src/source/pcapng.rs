//! pcapng: blocks, each with its length before and behind it.
//!
//! ```text
//! block:   type(4) length(4) body length(4)
//! section: 0x0a0d0d0a length byte-order magic(4) major(2) minor(2) section length(8) options
//! ```
//!
//! draft-ietf-opsawg-pcapng. Sections, interfaces, packets and interface statistics
//! are read; names, secrets, custom and unknown blocks are passed over. The walk
//! reads fixed places of packet blocks itself, see [`super::options`] for why.

use super::bytes::ByteOrder;
use super::interfaces::{self, Captured, Losses};
use super::problem::FileFacts;
use super::section::{
    ENHANCED_PACKET, OBSOLETE_PACKET, PACKET_HEADER, PacketHeader, SIMPLE_PACKET, Section, TRAILER,
    padded,
};
use super::walk::{End, MAX_RECORD_BYTES, Walk};
use crate::model::Timestamp;
use std::sync::Arc;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const INTERFACE_STATISTICS: u32 = 5;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;

/// Most interfaces of a section: as many as obsolete packets could name. A bound,
/// since their table is copied when it grows while blocks in flight still hold it.
pub(super) const MAX_INTERFACES: usize = 65_536;

/// Whether a file beginning so is pcapng.
pub(super) fn is_pcapng(magic: [u8; 4]) -> bool {
    u32::from_le_bytes(magic) == SECTION_HEADER
}

/// Walks over one file; knows the section it is in, and what was said so far.
pub(super) struct PcapngWalk {
    /// Shared with the blocks given out, so that they stand alone.
    section: Arc<Section>,
    losses: Losses,
    captured: Captured,
    facts: interfaces::Stated,
    /// Time of the packet before the run of records being walked over.
    clock: Timestamp,
    /// Interface and ticks of the last packet in that run.
    last: Option<(u32, u32, u32)>,
}

/// A whole block, or the bytes it needs to be one.
struct RawBlock<'a> {
    kind: u32,
    bytes: &'a [u8],
}

impl PcapngWalk {
    /// Reads the section header a file begins with; the walk, and bytes consumed.
    pub(super) fn open(bytes: &[u8]) -> Result<(Self, usize), End> {
        let (section, consumed) = section_header(bytes)?;
        let walk = Self {
            section: Arc::new(section),
            losses: Losses::default(),
            captured: Captured::default(),
            facts: interfaces::Stated::default(),
            clock: Timestamp::default(),
            last: None,
        };
        Ok((walk, consumed))
    }

    /// Walks over whole blocks. `frames_before` of the same layout have been walked
    /// over already and not yet been given out.
    pub(super) fn walk(&mut self, bytes: &[u8], frames_before: u64) -> Walk {
        let mut rest = bytes;
        let mut frames = 0;
        let end = loop {
            if rest.first_chunk().is_some_and(|magic| is_pcapng(*magic)) {
                if frames_before + frames > 0 {
                    break End::Boundary;
                }
                break match self.new_section(&mut rest) {
                    Ok(()) => End::NewLayout,
                    Err(end) => end,
                };
            }
            let block = match raw_block(self.section.order, rest) {
                Ok(block) => block,
                Err(end) => break end,
            };
            match self.block(&block) {
                Ok(Counts::Frame) => frames += 1,
                Ok(Counts::Nothing) => {}
                Err(what) => break End::Damage(what),
            }
            rest = rest.get(block.bytes.len()..).unwrap_or_default();
        };
        Walk {
            consumed: bytes.len() - rest.len(),
            frames,
            end,
        }
    }

    /// How to read the records walked over since the last call: section, and time
    /// of the packet before them.
    pub(super) fn hand_out(&mut self) -> (Arc<Section>, Timestamp) {
        let before = self.clock;
        if let Some((interface, high, low)) = self.last.take()
            && let Some(interface) = self.section.interfaces.get(interface as usize)
        {
            self.clock = interface.clock.timestamp(high, low);
        }
        (Arc::clone(&self.section), before)
    }

    /// States what the blocks said.
    pub(super) fn describe(&self, facts: &mut FileFacts) {
        facts.dropped_frames = self.losses.total();
        facts.captured = self.captured.span();
        self.facts.describe(facts);
    }

    fn new_section(&mut self, rest: &mut &[u8]) -> Result<(), End> {
        let (mut section, consumed) = section_header(rest)?;
        let before = self.section.interfaces.len() as u32;
        // Each was described by a block of the file: none has 2^32 of them.
        section.interfaces_before = self.section.interfaces_before.saturating_add(before);
        self.section = Arc::new(section);
        self.losses.new_section();
        *rest = rest.get(consumed..).unwrap_or_default();
        Ok(())
    }

    #[inline(always)]
    fn block(&mut self, block: &RawBlock<'_>) -> Result<Counts, String> {
        match block.kind {
            ENHANCED_PACKET | OBSOLETE_PACKET => self.packet(block),
            SIMPLE_PACKET => self.simple_packet(block),
            INTERFACE_DESCRIPTION => self.interface(block),
            INTERFACE_STATISTICS => {
                let section = &self.section;
                self.losses.statistics(section.order, block.bytes);
                self.captured
                    .statistics(section.order, block.bytes, &section.interfaces);
                Ok(Counts::Nothing)
            }
            _ => Ok(Counts::Nothing),
        }
    }

    /// Checks all that reading the packet relies on.
    #[inline(always)]
    fn packet(&mut self, block: &RawBlock<'_>) -> Result<Counts, String> {
        let order = self.section.order;
        let length = block.bytes.len();
        let header = PacketHeader::parse(order, block.kind, block.bytes)
            .filter(|_| length >= PACKET_HEADER + TRAILER)
            .ok_or_else(|| format!("a packet block of {length} bytes, the least is 32"))?;
        let room = length - PACKET_HEADER - TRAILER;
        if header.captured as usize > room {
            let captured = header.captured;
            return Err(format!(
                "a packet claims {captured} captured bytes in a block that has room for {room}"
            ));
        }
        if header.interface as usize >= self.section.interfaces.len() {
            return Err(self.unknown_interface(header.interface));
        }
        self.last = Some((header.interface, header.high, header.low));
        if header.drops.is_some() || room >= padded(header.captured) + 4 {
            self.losses.packet(order, &header, block.bytes);
        }
        Ok(Counts::Frame)
    }

    fn simple_packet(&self, block: &RawBlock<'_>) -> Result<Counts, String> {
        let length = block.bytes.len();
        if length < 16 {
            return Err(format!(
                "a simple packet block of {length} bytes, the least is 16"
            ));
        }
        if self.section.interfaces.is_empty() {
            return Err(self.unknown_interface(0));
        }
        Ok(Counts::Frame)
    }

    fn interface(&mut self, block: &RawBlock<'_>) -> Result<Counts, String> {
        let number = self.section.interfaces.len();
        if number >= MAX_INTERFACES {
            return Err(format!(
                "a section describes more than {MAX_INTERFACES} interfaces"
            ));
        }
        let interface = self
            .facts
            .interface(self.section.order, block.bytes, number)?;
        Arc::make_mut(&mut self.section).interfaces.push(interface);
        Ok(Counts::Nothing)
    }

    #[cold]
    fn unknown_interface(&self, named: u32) -> String {
        let described = self.section.interfaces.len();
        format!("a packet of interface {named}, the section has described {described}")
    }
}

/// Whether a block is a frame.
enum Counts {
    Frame,
    Nothing,
}

/// The whole block at the start of `bytes`, its lengths checked.
#[inline(always)]
fn raw_block(order: ByteOrder, bytes: &[u8]) -> Result<RawBlock<'_>, End> {
    let incomplete = |need| End::Incomplete { need };
    let header = bytes.first_chunk::<8>().ok_or(incomplete(8))?;
    let kind = order.u32::<0, 8>(header);
    let length = order.u32::<4, 8>(header);
    if !(12..=MAX_RECORD_BYTES).contains(&length) {
        return Err(End::Damage(format!(
            "a block of type {kind:#010x} claims a length of {length}, expected 12 to {MAX_RECORD_BYTES}"
        )));
    }
    let need = padded(length);
    let bytes = bytes.get(..need).ok_or(incomplete(need))?;
    let behind = bytes.last_chunk::<4>().ok_or(incomplete(need))?;
    let repeated = order.u32::<0, 4>(behind);
    if repeated != length && repeated as usize != need {
        return Err(End::Damage(format!(
            "a block of type {kind:#010x} has length {length} before and {repeated} behind it"
        )));
    }
    Ok(RawBlock { kind, bytes })
}

/// Reads the section header at the start of `bytes`; the section, and bytes consumed.
fn section_header(bytes: &[u8]) -> Result<(Section, usize), End> {
    let start = bytes
        .first_chunk::<12>()
        .ok_or(End::Incomplete { need: 12 })?;
    let order = match ByteOrder::Little.u32::<8, 12>(start) {
        BYTE_ORDER_MAGIC => ByteOrder::Little,
        magic if magic.swap_bytes() == BYTE_ORDER_MAGIC => ByteOrder::Big,
        magic => {
            return Err(End::Damage(format!(
                "a section header with byte-order magic {magic:#010x}, expected {BYTE_ORDER_MAGIC:#010x} in either order"
            )));
        }
    };
    let block = raw_block(order, bytes)?;
    let length = block.bytes.len();
    let header = block.bytes.first_chunk::<16>().filter(|_| length >= 28);
    let header = header.ok_or_else(|| {
        End::Damage(format!(
            "a section header of {length} bytes, the least is 28"
        ))
    })?;
    // As libpcap and Wireshark do: 1.2 was written by mistake and is the same.
    match (order.u16::<12, 16>(header), order.u16::<14, 16>(header)) {
        (1, 0 | 2) => {}
        (major, minor) => {
            return Err(End::Damage(format!(
                "pcapng version {major}.{minor}, expected 1.0"
            )));
        }
    }
    let section = Section {
        order,
        interfaces: Vec::new(),
        interfaces_before: 0,
    };
    Ok((section, length))
}
