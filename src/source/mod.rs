//! Where frames come from: capture files of every format, compressed or not, and pipes.
//!
//! Input: paths, or bytes in memory. Output: [`Block`]s of whole records, which
//! iterate over [`Frame`](crate::model::Frame)s borrowed from them, and
//! [`FileFacts`] about each input. The sequential part only reads and finds record
//! boundaries; a block knows all it takes to read its records, so blocks are
//! decoded in any order on any thread.
//!
//! Invariants: frames are numbered from 1 in each input, without gaps, in file
//! order; where blocks end changes nothing about the frames. Nothing here fails
//! or panics: damage ends an input, is a [`Problem`] of it, and reading goes on
//! with the next. Memory follows the bytes really read, never what a length field
//! claims.
//!
//! It must not look into frames; [`Filter`] does, by way of libpcap, and is the
//! only user of the `pcap` crate.

mod block;
mod bytes;
mod compressed;
mod device;
mod files;
mod filter;
mod format;
mod input;
mod interfaces;
mod live;
mod options;
mod pcap;
mod pcapng;
mod problem;
mod reader;
mod section;
mod stored;
#[cfg(test)]
mod tests;
mod walk;

pub use block::{Block, Frames};
pub use files::{CaptureFiles, Memory};
pub use filter::{Filter, FilterError, FilterSet, may_drop_fragments};
pub use live::{Live, LiveControl, LiveCounts, LiveError, LiveOptions, LiveStatus, Tap};
pub use problem::{FileFacts, InterfaceFacts, Problem, Severity};
pub use stored::Stretch;

/// Where frames come from. The sequential part: it reads bytes and finds record
/// boundaries; everything else is done by whoever decodes the block.
pub trait Source: Send {
    /// Fills `block` with the next whole records of one input, reusing its memory.
    /// `false`: there are no more.
    ///
    /// Never fails: damage is a problem of the input, and reading goes on with the
    /// next one. A block that was filled has at least one frame.
    fn fill(&mut self, block: &mut Block) -> bool;

    /// Sets the next bytes aside for a thread to read when it has time, without the
    /// source. `None`: they can only be read by [`Source::fill`], which goes on once all
    /// that was set aside has been accepted.
    fn set_aside(&mut self) -> Option<Stretch> {
        None
    }

    /// Takes in a stretch that was read into `block`, which then holds the whole records
    /// that end in it; `false` if there are none. To be called for all that was set
    /// aside, in that order.
    fn accept(&mut self, block: &mut Block, stretch: &Stretch) -> bool {
        let _ = (block, stretch);
        false
    }

    /// What is known about each input, in reading order; complete once `fill`
    /// returned `false`. Its index is [`FrameId::file`](crate::model::FrameId::file).
    fn files(&self) -> Vec<FileFacts>;

    /// How far reading has come.
    fn progress(&self) -> Progress;
}

/// How far reading has come, in bytes as they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read.
    pub bytes: u64,
    /// Bytes there are; `None` if an input is a pipe.
    pub total_bytes: Option<u64>,
}

/// How inputs are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceOptions {
    /// Bytes a block holds; a longer record makes its block longer. 512 KiB unless
    /// told otherwise: with the facts of its frames it stays in a second-level cache.
    pub block_bytes: usize,
    /// Which inputs are hashed.
    pub hash: HashPolicy,
}

impl Default for SourceOptions {
    fn default() -> Self {
        Self {
            block_bytes: 512 * 1024,
            hash: HashPolicy::UpTo(64 * 1024 * 1024),
        }
    }
}

/// Which inputs get a SHA-256, computed while they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashPolicy {
    /// None.
    Never,
    /// Those of at most this many bytes as they are stored. Hashing costs more than
    /// reading, so a large file would spend most of its time on it.
    UpTo(u64),
    /// All.
    Always,
}
