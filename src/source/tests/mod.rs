//! Tests of the room as a whole: captures as literal bytes through a [`Memory`].

#![allow(clippy::expect_used, clippy::panic)]

mod hostile;
mod inputs;
mod pcap;
mod pcapng;

use super::*;
use std::collections::VecDeque;

/// What the tests compare of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) file: u32,
    pub(super) number: u64,
    pub(super) nanos: i64,
    pub(super) wire_bytes: u32,
    pub(super) link_type: u32,
    pub(super) data: Vec<u8>,
}

/// Options with a block size.
pub(super) fn blocks_of(block_bytes: usize) -> SourceOptions {
    SourceOptions {
        block_bytes,
        hash: HashPolicy::Always,
    }
}

/// Reads a source to its end in turn; checks what holds for every block.
pub(super) fn read(source: impl Source) -> (Vec<Seen>, Vec<FileFacts>) {
    read_by(source, |source, block| source.fill(block))
}

/// The same with up to three stretches set aside and read, the last one first.
pub(super) fn read_ahead(source: impl Source) -> (Vec<Seen>, Vec<FileFacts>) {
    let mut aside: VecDeque<(Stretch, Block)> = VecDeque::new();
    read_by(source, |source, block| {
        loop {
            if aside.is_empty() {
                while aside.len() < 3
                    && let Some(stretch) = source.set_aside()
                {
                    aside.push_back((stretch, Block::default()));
                }
                for (stretch, block) in aside.iter_mut().rev() {
                    stretch.read(block);
                }
            }
            let Some((stretch, filled)) = aside.pop_front() else {
                return source.fill(block);
            };
            *block = filled;
            if source.accept(block, &stretch) {
                return true;
            }
        }
    })
}

fn read_by<S: Source>(
    mut source: S,
    mut next: impl FnMut(&mut S, &mut Block) -> bool,
) -> (Vec<Seen>, Vec<FileFacts>) {
    let mut block = Block::default();
    let mut frames = Vec::new();
    while next(&mut source, &mut block) {
        assert!(block.frame_count() > 0);
        let before = frames.len();
        frames.extend(block.frames().map(|frame| Seen {
            file: frame.id.file,
            number: frame.id.number,
            nanos: frame.timestamp.0,
            wire_bytes: frame.wire_bytes,
            link_type: frame.link_type.0,
            data: frame.data.to_vec(),
        }));
        assert_eq!((frames.len() - before) as u64, block.frame_count());
        for frame in block.frames() {
            assert!(frame.wire_bytes as usize >= frame.data.len());
        }
    }
    let facts = source.files();
    assert_eq!(
        facts.iter().map(|file| file.frames).sum::<u64>(),
        frames.len() as u64
    );
    (frames, facts)
}

/// Reads one capture with blocks of ordinary size, and makes sure that blocks of
/// any other size give the same.
pub(super) fn read_capture(capture: &[u8]) -> (Vec<Seen>, FileFacts) {
    let (frames, mut facts) = read(Memory::new(capture, &SourceOptions::default()));
    for block_bytes in [1, 7, 64, 100] {
        let (same, same_facts) = read(Memory::new(capture, &blocks_of(block_bytes)));
        assert_eq!(same, frames, "blocks of {block_bytes} bytes");
        assert_eq!(same_facts, facts, "blocks of {block_bytes} bytes");
        let ahead = SourceOptions {
            block_bytes,
            hash: HashPolicy::Never,
        };
        let (same, mut same_facts) = read_ahead(Memory::new(capture, &ahead));
        assert_eq!(same, frames, "stretches of {block_bytes} bytes");
        same_facts[0].sha256.clone_from(&facts[0].sha256);
        assert_eq!(same_facts, facts, "stretches of {block_bytes} bytes");
    }
    assert_eq!(facts.len(), 1);
    (frames, facts.remove(0))
}

/// Every prefix of a capture is read without panic: its frames are the first of the
/// whole, and if bytes are left over there is exactly one problem that says so.
pub(super) fn check_prefixes(capture: &[u8]) {
    let (whole, _) = read_capture(capture);
    for length in 0..capture.len() {
        let (frames, facts) = read_capture(&capture[..length]);
        assert_eq!(frames, whole[..frames.len()], "prefix of {length}");
        assert!(facts.problems.len() <= 1, "{:?}", facts.problems);
        for problem in &facts.problems {
            let expected = match facts.format {
                None => Severity::Unreadable,
                Some(_) => Severity::CutOff,
            };
            assert_eq!(
                problem.severity, expected,
                "prefix of {length}: {problem:?}"
            );
        }
    }
}

/// Bytes written in hexadecimal with blanks between.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hexadecimal"))
        .collect()
}
