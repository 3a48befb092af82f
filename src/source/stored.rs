//! Inputs that can be read at any place, and stretches of them read by whoever has time.

use super::block::Block;
use super::input::retry_interrupted;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Room in front of a stretch for the beginning of its first record, which lies in the
/// stretch before: enough for a record of an ordinary capture.
const HEADROOM: usize = 64 * 1024;

/// Files are copied out of memory by pages of this size.
const PAGE: usize = 4096;

/// Bytes that can be read at any place.
#[derive(Clone, Debug)]
pub(super) enum Store {
    File(Arc<File>),
    Memory(Arc<[u8]>),
}

/// An input in such a store, and how far it has been given out.
#[derive(Debug)]
pub(super) struct Stored {
    store: Store,
    pub(super) offset: u64,
}

/// A stretch of an input that was set aside for one reader. Any thread can read it.
#[derive(Debug)]
pub struct Stretch {
    store: Store,
    pub(super) offset: u64,
    wanted: usize,
    /// Where in the block it was put.
    pub(super) place: usize,
    /// How much of it could be read.
    pub(super) read: usize,
}

impl Store {
    fn size(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => file.metadata().map(|metadata| metadata.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read_at(buffer, offset),
            Self::Memory(bytes) => {
                let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                bytes.get(offset..).unwrap_or_default().read(buffer)
            }
        }
    }
}

impl Stored {
    pub(super) fn new(store: Store) -> Self {
        Self { store, offset: 0 }
    }

    /// Sets the next bytes aside; `None` if all there are were given out.
    pub(super) fn set_aside(&mut self, bytes: usize) -> Option<Stretch> {
        let left = self.store.size().ok()?.checked_sub(self.offset)?;
        let wanted = bytes.min(usize::try_from(left).unwrap_or(bytes));
        if wanted == 0 {
            return None;
        }
        let stretch = Stretch {
            store: self.store.clone(),
            offset: self.offset,
            wanted,
            place: 0,
            read: 0,
        };
        self.offset += wanted as u64;
        Some(stretch)
    }
}

impl Read for Stored {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.store.read_at(buffer, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

impl Stretch {
    /// Reads it into a block. What stands in the way leaves it short, and is met again
    /// by whoever reads on from there.
    pub fn read(&mut self, block: &mut Block) {
        block.clear();
        block.hold(&[], HEADROOM + PAGE + self.wanted);
        self.place = HEADROOM + self.alignment(block.bytes().as_ptr().addr());
        let space = block.buffer.get_mut(self.place..self.place + self.wanted);
        let space = space.unwrap_or_default();
        while let Some(rest @ [_, ..]) = space.get_mut(self.read..) {
            let offset = self.offset + self.read as u64;
            match retry_interrupted(|| self.store.read_at(rest, offset)) {
                Ok(0) | Err(_) => return,
                Ok(n) => self.read += n,
            }
        }
    }

    /// What to add to the place in a buffer at `address` for bytes to lie in their page as
    /// they do in the file. Copies whose end lies a few bytes further in its page than
    /// their beginning are four times slower (`rep movs` on AMD Zen: reading took
    /// 0.52 s instead of 0.13 s for a gigabyte).
    fn alignment(&self, address: usize) -> usize {
        (self.offset as usize).wrapping_sub(address + HEADROOM) % PAGE
    }

    /// Whether all of it could be read.
    pub(super) fn is_complete(&self) -> bool {
        self.read == self.wanted
    }
}
