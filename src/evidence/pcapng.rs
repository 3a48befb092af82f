//! pcapng files with comments: on the file as a whole, and on single frames.
//!
//! ```text
//! section header       comments
//! a block of zeros     room for more comments, which come to be known later
//! interface ...        name, description, link type, snaplen, nanoseconds
//! packet ...           time, both lengths, data, a comment
//! statistics ...       of each interface: received, dropped
//! ```
//!
//! draft-ietf-opsawg-pcapng; `pcap_file` lays out the blocks. In big-endian order,
//! since it writes times of statistics as one number of 64 bits: that is what the
//! format asks for (the upper half first) in this order alone.

use crate::model::{Frame, LinkType, Timestamp};
pub use crate::source::InterfaceFacts;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::interface_statistics::{
    InterfaceStatisticsBlock, InterfaceStatisticsOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::blocks::unknown::UnknownBlock;
use pcap_file::pcapng::{Block, PcapNgBlock};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::io::{self, Seek, SeekFrom, Write};
use std::time::Duration;

/// Longest comment; what is longer is cut. An option could hold 65,535 bytes.
pub const MAX_COMMENT_BYTES: usize = 2048;

/// Most bytes of comments on a file, room for later ones included; what is beyond is
/// left out.
pub const MAX_ROOM_BYTES: usize = 48 * 1024;

/// Most interfaces, link types that change on one of them counted in.
const MAX_INTERFACES: usize = 4096;

/// A block type for local use, which readers pass over.
const ROOM: u32 = 0x8000_0000;

/// Type and both lengths of a block.
const BLOCK_FRAME: usize = 12;

/// Byte-order magic, version and length of a section.
const SECTION_BODY: usize = 16;

/// Code and length of an option.
const OPTION_HEADER: usize = 4;

/// Bytes of a packet block beside data, padding and comment.
pub const PACKET_OVERHEAD_BYTES: usize = 32;

/// `if_tsresol`: ticks of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// What became of the frames of one interface between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Where the counts begin.
    pub from: Timestamp,
    /// Where they end.
    pub until: Timestamp,
    /// Frames that came in; lost ones are in it.
    pub received: u64,
    /// Frames that the interface or its driver lost.
    pub interface_dropped: u64,
    /// Frames lost between the interface and the file.
    pub dropped: u64,
}

/// Comments on a file as a whole, and room for more of them.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// Each is an option of its own.
    pub comments: &'a [String],
    /// Bytes left free for [`PcapngWriter::rewrite_section`]; [`MAX_ROOM_BYTES`] at most.
    pub room_bytes: usize,
}

/// Writes one section.
///
/// Frames name their interface by `id.file`. Where a frame has another link type than
/// its interface, which is how a device that came back may differ, the interface is
/// described once more.
pub struct PcapngWriter<W: Write> {
    blocks: PcapNgWriter<W>,
    interfaces: Vec<InterfaceFacts>,
    /// Which interface and link type each description in the file is of.
    described: Vec<(u32, LinkType)>,
    /// Bytes for comments on the file, used or not.
    room: usize,
    bytes: u64,
}

impl<W: Write> PcapngWriter<W> {
    /// Writes the head of a file.
    pub fn new(output: W, section: Section<'_>, interfaces: &[InterfaceFacts]) -> io::Result<Self> {
        let comments: usize = section.comments.iter().map(|c| option_bytes(c)).sum();
        let room = section.room_bytes.min(MAX_ROOM_BYTES).next_multiple_of(4);
        let room = (comments + room).min(MAX_ROOM_BYTES);
        let mut writer = Self {
            blocks: head(output, section.comments, room)?,
            interfaces: interfaces.to_vec(),
            described: Vec::new(),
            room,
            bytes: (EMPTY_HEAD_BYTES + room) as u64,
        };
        for (file, interface) in (0..).zip(interfaces) {
            writer.describe(file, interface.link_type)?;
        }
        Ok(writer)
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes one frame. Times before 1970 become 1970.
    pub fn frame(&mut self, frame: &Frame<'_>, comment: Option<&str>) -> io::Result<()> {
        let interface_id = self.interface(frame)?;
        let comment = comment.map(|text| EnhancedPacketOption::Comment(capped(text).into()));
        self.write(EnhancedPacketBlock {
            interface_id,
            timestamp: Duration::from_nanos(nanos(frame.timestamp)),
            original_len: frame.wire_bytes,
            data: Cow::Borrowed(frame.data),
            options: comment.into_iter().collect(),
        })
    }

    /// Writes what became of the frames of an interface that the file began with.
    pub fn statistics(&mut self, interface: u32, counts: &Statistics) -> io::Result<()> {
        self.write(InterfaceStatisticsBlock {
            interface_id: interface,
            timestamp: nanos(counts.until),
            options: vec![
                InterfaceStatisticsOption::IsbStartTime(nanos(counts.from)),
                InterfaceStatisticsOption::IsbEndTime(nanos(counts.until)),
                InterfaceStatisticsOption::IsbIfRecv(counts.received),
                InterfaceStatisticsOption::IsbIfDrop(counts.interface_dropped),
                InterfaceStatisticsOption::IsbOsDrop(counts.dropped),
            ],
        })
    }

    /// Hands everything on to the output, and the output back.
    pub fn finish(mut self) -> io::Result<W> {
        self.blocks.get_mut().flush()?;
        Ok(self.blocks.into_inner())
    }

    /// Which description a frame belongs to; written if there is none.
    fn interface(&mut self, frame: &Frame<'_>) -> io::Result<u32> {
        let wanted = (frame.id.file, frame.link_type);
        if self.described.get(frame.id.file as usize) == Some(&wanted) {
            return Ok(frame.id.file);
        }
        if let Some(index) = self.described.iter().position(|known| *known == wanted) {
            return Ok(index as u32);
        }
        let index = self.described.len() as u32;
        self.describe(frame.id.file, frame.link_type)?;
        Ok(index)
    }

    fn describe(&mut self, file: u32, link_type: LinkType) -> io::Result<()> {
        // The format has 16 bits for link types.
        if self.described.len() >= MAX_INTERFACES || link_type.0 > u32::from(u16::MAX) {
            let what = format!("no interface of link type {} can be described", link_type.0);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let facts = self.interfaces.get(file as usize);
        let resolution = InterfaceDescriptionOption::IfTsResol(NANOSECONDS);
        let description = InterfaceDescriptionBlock {
            linktype: DataLink::Unknown(link_type.0),
            snaplen: facts.map_or(0, |facts| facts.snaplen),
            options: facts
                .map_or_else(Vec::new, named)
                .into_iter()
                .chain([resolution])
                .collect(),
        };
        self.described.push((file, link_type));
        self.write(description)
    }

    fn write<'a>(&mut self, block: impl PcapNgBlock<'a>) -> io::Result<()> {
        let block: Block<'a> = block.into_block();
        self.bytes += self.blocks.write_block(&block).map_err(io_error)? as u64;
        Ok(())
    }
}

impl<W: Write + Seek> PcapngWriter<W> {
    /// Puts other comments in the place of those the file began with. What there is no
    /// room for is left out, the last first.
    pub fn rewrite_section(&mut self, comments: &[String]) -> io::Result<()> {
        let output = self.blocks.get_mut();
        output.seek(SeekFrom::Start(0))?;
        head(&mut *output, comments, self.room)?;
        output.seek(SeekFrom::Start(self.bytes))?;
        Ok(())
    }
}

/// What an interface is called, as far as it is known.
fn named(facts: &InterfaceFacts) -> Vec<InterfaceDescriptionOption<'static>> {
    let mut options = Vec::new();
    if !facts.name.is_empty() {
        let name = capped(&facts.name).to_owned();
        options.push(InterfaceDescriptionOption::IfName(name.into()));
    }
    if !facts.description.is_empty() {
        let description = capped(&facts.description).to_owned();
        options.push(InterfaceDescriptionOption::IfDescription(
            description.into(),
        ));
    }
    options
}

/// Writes the section header with what of the comments fits into `room`, and zeros for
/// the rest of it.
fn head<W: Write>(output: W, comments: &[String], room: usize) -> io::Result<PcapNgWriter<W>> {
    let application = SectionHeaderOption::UserApplication(APPLICATION.into());
    let mut options = vec![application];
    let mut left = room;
    for comment in comments {
        let Some(rest) = left.checked_sub(option_bytes(comment)) else {
            break;
        };
        left = rest;
        let comment = capped(comment).to_owned();
        options.push(SectionHeaderOption::Comment(comment.into()));
    }
    let header = SectionHeaderBlock {
        endianness: Endianness::Big,
        options,
        ..SectionHeaderBlock::default()
    };
    let mut blocks = PcapNgWriter::with_section_header(output, header).map_err(io_error)?;
    let zeros = vec![0; left];
    let rest = UnknownBlock::new(ROOM, 0, &zeros).into_block();
    blocks.write_block(&rest).map_err(io_error)?;
    Ok(blocks)
}

const APPLICATION: &str = concat!("fraglens ", env!("CARGO_PKG_VERSION"));

/// Bytes of a section header and a block of zeros when there are neither comments nor
/// zeros: the application and the end of options are in it.
const EMPTY_HEAD_BYTES: usize =
    2 * BLOCK_FRAME + SECTION_BODY + APPLICATION.len().next_multiple_of(4) + 2 * OPTION_HEADER;

fn option_bytes(text: &str) -> usize {
    OPTION_HEADER + capped(text).len().next_multiple_of(4)
}

/// The beginning of a text, cut between characters.
fn capped(text: &str) -> &str {
    let mut end = text.len().min(MAX_COMMENT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn nanos(timestamp: Timestamp) -> u64 {
    u64::try_from(timestamp.0).unwrap_or(0)
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidInput, other.to_string()),
    }
}
