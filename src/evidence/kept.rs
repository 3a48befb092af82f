//! Frames taken out of captures, with all it takes to write them again.

use super::pcapng::{InterfaceFacts, PcapngWriter, Section, Statistics};
use crate::model::{Frame, FrameId, LinkType, Timestamp};
use std::io::{self, Write};

/// Frames of one or several captures, in the order they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Where the frames were captured.
    pub interfaces: Vec<InterfaceFacts>,
    /// What became of the frames of each interface, if its capture says so.
    pub statistics: Vec<Option<Statistics>>,
    /// The frames.
    pub frames: Vec<KeptFrame>,
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFrame {
    /// Where it was in its capture.
    pub origin: FrameId,
    /// Its interface, as an index into [`Kept::interfaces`].
    pub interface: u32,
    /// When it was captured.
    pub timestamp: Timestamp,
    /// Length on the wire in bytes.
    pub wire_bytes: u32,
    /// How `data` begins.
    pub link_type: LinkType,
    /// What was captured of it.
    pub data: Vec<u8>,
    /// What there is to see.
    pub comment: Option<String>,
}

impl Kept {
    /// Writes a pcapng file with these comments on it as a whole.
    pub fn write<W: Write>(&self, comments: &[String], output: W) -> io::Result<W> {
        let section = Section {
            comments,
            room_bytes: 0,
        };
        let mut writer = PcapngWriter::new(output, section, &self.interfaces)?;
        for (number, frame) in (1..).zip(&self.frames) {
            let to_write = Frame {
                // As the file counts them, by their interface.
                id: FrameId {
                    file: frame.interface,
                    number,
                },
                ..frame.as_frame()
            };
            writer.frame(&to_write, frame.comment.as_deref())?;
        }
        for (interface, statistics) in (0..).zip(&self.statistics) {
            if let Some(statistics) = statistics {
                writer.statistics(interface, statistics)?;
            }
        }
        writer.finish()
    }
}

impl KeptFrame {
    /// A copy of a frame, without a comment.
    pub fn of(frame: &Frame<'_>, interface: u32) -> Self {
        Self {
            origin: frame.id,
            interface,
            timestamp: frame.timestamp,
            wire_bytes: frame.wire_bytes,
            link_type: frame.link_type,
            data: frame.data.to_vec(),
            comment: None,
        }
    }

    /// As it was in its capture.
    pub fn as_frame(&self) -> Frame<'_> {
        Frame {
            id: self.origin,
            timestamp: self.timestamp,
            wire_bytes: self.wire_bytes,
            link_type: self.link_type,
            interface: 0,
            data: &self.data,
        }
    }
}
