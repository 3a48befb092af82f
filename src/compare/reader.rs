//! One capture, read to its end: frames in, sightings handed on.

use super::blocks::Blocks;
use super::observer::{Manner, Observer};
use super::run::Read;
use super::sighting::{Batch, Sighting};
use super::told::Told;
use super::views::through::Through;
use crate::model::{ScopeSet, Timestamp};
use crate::receiver::{Forecast, NotModelled};
use crate::source::{Block, FileFacts, Progress, Source};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Sightings that are handed on together, and what is left of a block: whoever waits for them
/// sleeps, and waking takes longer than matching those of one block of large packets.
const BATCH_SIGHTINGS: usize = 1 << 12;

/// Blocks after which is handed on what there is: how far the capture was read.
const BATCH_BLOCKS: usize = 32;

/// What is left of a point once it was read.
pub(super) struct End {
    pub file: FileFacts,
    pub truncated: u64,
    pub refused: u64,
    pub too_short: u64,
    pub seen_again: u64,
    pub has_hairpins: bool,
    pub unopened: u64,
    pub scopes: ScopeSet,
    pub forecasts: Vec<Forecast>,
    pub not_modelled: NotModelled,
    pub told: Told,
    pub through: Vec<Through>,
}

/// What is handed on together, and how far the capture was read with it.
pub(super) struct Sent {
    pub batch: Batch,
    pub read: Progress,
    pub frames: u64,
    /// First frame of the capture.
    pub from: Option<Timestamp>,
}

/// Reads a capture to its end, or until `flow` breaks, for what is to be said of its file.
pub(super) fn read_through(
    source: &mut dyn Source,
    flow: &dyn Fn(Read) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut block = Block::default();
    let mut frames = 0;
    while source.fill(&mut block) {
        frames += block.frames().count() as u64;
        flow(Read::of(source.progress(), frames))?;
    }
    ControlFlow::Continue(())
}

/// Reads one capture.
pub(super) struct Reader {
    blocks: Arc<Blocks>,
    observer: Observer,
    block: Block,
    /// How far the capture was read.
    read: Progress,
}

impl Reader {
    pub fn new(source: Box<dyn Source>, manner: &Manner) -> Self {
        Self {
            blocks: Arc::new(Blocks::of(source)),
            observer: Observer::new(manner),
            block: Block::default(),
            read: Progress::default(),
        }
    }

    /// Its blocks, for others to read ahead.
    pub fn blocks(&self) -> Arc<Blocks> {
        Arc::clone(&self.blocks)
    }

    /// Reads what is handed on together; says whether there may be more. What comes then will be
    /// written into `room`.
    pub fn read(&mut self, room: Vec<Sighting>) -> (Sent, bool) {
        let is_more = self.read_on();
        let mut sent = Sent {
            batch: self.batch(room, is_more),
            read: self.read,
            frames: self.observer.frames,
            from: self.observer.extent().from(),
        };
        if !is_more {
            self.stretch(&mut sent);
        }
        (sent, is_more)
    }

    /// A capture may say itself that it went on when nothing came.
    fn stretch(&self, sent: &mut Sent) {
        let [from, until] = self.blocks.file().captured;
        if let (Some(seen), Some(said)) = (&mut sent.from, from) {
            *seen = said.min(*seen);
        }
        if let Some(said) = until.filter(|_| sent.from.is_some()) {
            sent.batch.until = sent.batch.until.max(said);
        }
    }

    /// `false` once there is no more.
    fn read_on(&mut self) -> bool {
        for _ in 0..BATCH_BLOCKS {
            let Some(read) = self.blocks.next(&mut self.block) else {
                return false;
            };
            self.read = read;
            self.observer.observe(&self.block);
            if self.observer.seen() >= BATCH_SIGHTINGS {
                break;
            }
        }
        true
    }

    /// What was seen, but for the last of it as long as there is more: whether the time of
    /// the one before is wrong is told by when that was.
    fn batch(&mut self, room: Vec<Sighting>, is_more: bool) -> Batch {
        let mut batch = self.observer.batch(room);
        if let Some(last) = batch.sightings.pop_if(|_| is_more) {
            batch.behind = Some(last.time);
            self.observer.hold(last);
        }
        batch
    }

    /// What is left of it.
    pub fn into_end(mut self) -> End {
        let (forecasts, not_modelled) = self.observer.forecasts();
        End {
            file: self.blocks.file(),
            truncated: self.observer.truncated,
            refused: self.observer.refused(),
            too_short: self.observer.too_short(),
            seen_again: self.observer.seen_again(),
            has_hairpins: self.observer.has_hairpins(),
            unopened: self.observer.unopened(),
            forecasts,
            not_modelled,
            told: self.observer.take_told(),
            through: self.observer.through(),
            scopes: self.observer.into_scopes(),
        }
    }
}

#[cfg(test)]
pub(super) mod of_memory {
    //! Readers of captures that lie in memory.

    use super::Reader;
    use crate::compare::content::HEAD_BYTES;
    use crate::compare::observer::Manner;
    use crate::decode::DecodeOptions;
    use crate::reassemble::Limits;
    use crate::receiver::Settings;
    use crate::source::{Memory, Source, SourceOptions};

    /// Ethernet, IPv4 and UDP without data; the identification is filled in.
    const FRAME: [u8; 42] = [
        2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, // Ethernet
        0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
        0x27, 0x10, 0x13, 0x89, 0, 8, 0, 0, // UDP
    ];

    pub fn capture(frames: u32, ethertype: [u8; 2]) -> Vec<u8> {
        let mut capture = Vec::new();
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x0004_0000, 1] {
            capture.extend(word.to_le_bytes());
        }
        for number in 0..frames {
            for word in [number, 0, FRAME.len() as u32, FRAME.len() as u32] {
                capture.extend(word.to_le_bytes());
            }
            let mut frame = FRAME;
            frame[12..14].copy_from_slice(&ethertype);
            frame[18..20].copy_from_slice(&(number as u16).to_be_bytes());
            capture.extend(frame);
        }
        capture
    }

    /// Reads a capture, so much at once.
    pub fn reader(capture: Vec<u8>, block_bytes: usize) -> Reader {
        let options = SourceOptions {
            block_bytes,
            ..SourceOptions::default()
        };
        reader_of(Box::new(Memory::new(capture, &options)))
    }

    pub fn reader_of(source: Box<dyn Source>) -> Reader {
        let manner = Manner {
            filter: None,
            decode: DecodeOptions::default(),
            reassembly: Limits::default(),
            receiver: Settings::default(),
            head_bytes: HEAD_BYTES,
            keeps_ids: true,
            has_hairpins: false,
        };
        Reader::new(source, &manner)
    }
}

#[cfg(test)]
mod tests {
    use super::of_memory::{capture, reader};
    use super::*;

    /// How many sightings came in each batch, and how many frames were read with it.
    fn batches(capture: Vec<u8>, block_bytes: usize) -> Vec<(usize, u64)> {
        let mut reader = reader(capture, block_bytes);
        let (mut batches, mut room, mut is_more) = (Vec::new(), Vec::new(), true);
        while is_more {
            let sent;
            (sent, is_more) = reader.read(room);
            batches.push((sent.batch.sightings.len(), sent.frames));
            room = sent.batch.sightings;
            room.clear();
        }
        batches
    }

    #[test]
    fn sightings_are_handed_on_by_the_thousand() {
        let frames = 3 * BATCH_SIGHTINGS as u32;
        let batches = batches(capture(frames, [8, 0]), 16 * 1024);
        let sightings: usize = batches.iter().map(|(sightings, _)| sightings).sum();
        assert_eq!(sightings, frames as usize);
        assert_eq!(batches.last().unwrap().1, u64::from(frames));
        let [full @ .., _] = batches.as_slice() else {
            panic!("nothing came");
        };
        assert!(full.iter().all(|batch| batch.0 >= BATCH_SIGHTINGS));
        assert!(!full.is_empty() && batches.len() <= 4);
    }

    #[test]
    fn where_nothing_is_seen_is_said_how_far_it_is() {
        const LOOPBACK: [u8; 2] = [0x90, 0];
        let batches = batches(capture(2_000, LOOPBACK), 1024);
        assert!(batches.len() > 2, "{batches:?}");
        assert!(batches.iter().all(|(sightings, _)| *sightings == 0));
        assert!(batches.is_sorted_by_key(|(_, frames)| *frames));
        assert_eq!(batches.last().unwrap().1, 2_000);
    }
}
