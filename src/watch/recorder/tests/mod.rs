//! The recorder with frames, snapshots and directories made by hand.

#![allow(clippy::unwrap_used, clippy::panic)]

mod disk;
mod files;
mod frames;

use super::*;
use crate::model::{Frame, FrameId, LinkType};
use crate::report::document::{Evidence, Time};
use crate::source::{Block, CaptureFiles, FileFacts, Source, SourceOptions};
use crate::watch::samples;
use std::path::Path;
use tempfile::TempDir;

const SECOND: i64 = 1_000_000_000;

/// 2026-01-02T03:04:05Z.
const START: i64 = 1_767_323_045 * SECOND;

fn at(seconds: f64) -> Timestamp {
    Timestamp(START + (seconds * SECOND as f64) as i64)
}

fn seconds(seconds: i64) -> Duration {
    Duration::from_secs(seconds)
}

/// What is compared of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    time: Timestamp,
    wire_bytes: u32,
    link_type: u32,
    data: Vec<u8>,
}

/// Frames of two interfaces that tell their number.
#[derive(Default)]
struct Wire {
    numbers: [u64; 2],
}

const LINK_TYPES: [LinkType; 2] = [LinkType::ETHERNET, LinkType::RAW];

impl Wire {
    /// One block: so many frames of so many bytes, evenly over a second.
    fn block(&mut self, ring: &Ring, second: f64, frames: u64, bytes: usize) {
        self.block_of(0, ring, second, frames, bytes);
    }

    fn block_of(&mut self, file: usize, ring: &Ring, second: f64, frames: u64, bytes: usize) {
        let number = &mut self.numbers[file];
        let made: Vec<(u64, Timestamp, Vec<u8>)> = (0..frames)
            .map(|index| {
                *number += 1;
                let mut data = number.to_be_bytes().to_vec();
                data.resize(bytes.max(8), *number as u8);
                let time = at(second + index as f64 / frames as f64);
                (*number, time, data)
            })
            .collect();
        ring.push_block(made.iter().map(|(number, timestamp, data)| Frame {
            id: FrameId {
                file: file as u32,
                number: *number,
            },
            timestamp: *timestamp,
            wire_bytes: data.len() as u32 + 1,
            link_type: LINK_TYPES[file],
            interface: 0,
            data,
        }));
    }
}

fn kept(frame: &Frame<'_>) -> Kept {
    Kept {
        time: frame.timestamp,
        wire_bytes: frame.wire_bytes,
        link_type: frame.link_type.0,
        data: frame.data.to_vec(),
    }
}

/// The number a frame tells.
fn number(frame: &Kept) -> u64 {
    u64::from_be_bytes(frame.data[..8].try_into().unwrap())
}

fn ring(bytes: usize) -> Arc<Ring> {
    let seconds = seconds(10);
    Arc::new(Ring::new(RingLimits { seconds, bytes }))
}

fn everything(ring: &Ring) -> Vec<Kept> {
    let end = ring.seal();
    let segments = ring.take(0..end, usize::MAX);
    let frames = segments.iter().flat_map(|segment| segment.frames());
    frames.map(|frame| kept(&frame)).collect()
}

/// A recorder in a directory of its own, ten seconds before and after.
struct Watching {
    directory: TempDir,
    ring: Arc<Ring>,
    recorder: Recorder,
    wire: Wire,
}

fn options(directory: &Path) -> RecorderOptions {
    RecorderOptions {
        directory: directory.to_owned(),
        seconds: seconds(10),
        on: Severity::Warning,
        files: 20,
        bytes: 64 << 20,
    }
}

fn interfaces() -> Vec<InterfaceFacts> {
    let facts = |(name, link_type): (&str, LinkType)| InterfaceFacts {
        name: name.to_owned(),
        description: String::new(),
        link_type,
        snaplen: 262_144,
    };
    [("eth0", LINK_TYPES[0]), ("tun\u{1b}[31m", LINK_TYPES[1])]
        .map(facts)
        .into()
}

impl Watching {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut RecorderOptions)) -> Self {
        let directory = TempDir::new().unwrap();
        let mut options = options(directory.path());
        change(&mut options);
        let ring = ring(32 << 20);
        let recorder = Recorder::new(options, interfaces(), Arc::clone(&ring)).unwrap();
        Self {
            directory,
            ring,
            recorder,
            wire: Wire::default(),
        }
    }

    /// One second of ten frames, and the tick after it with these findings.
    fn second(&mut self, second: i64, ids: &[&str]) -> Vec<Notice> {
        self.wire.block(&self.ring, second as f64, 10, 100);
        self.recorder.tick(&snapshot(second + 1, ids))
    }

    fn names(&self) -> Vec<String> {
        names(self.directory.path())
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Errors, each with frame 3 of the first interface as evidence.
fn snapshot(second: i64, ids: &[&str]) -> Snapshot {
    let mut snapshot = samples::snapshot();
    snapshot.timestamp = Time(at(second as f64));
    let pattern = snapshot.findings.remove(0);
    snapshot.findings = ids
        .iter()
        .map(|id| {
            let mut active = pattern.clone();
            active.finding.id = (*id).to_owned();
            active.finding.evidence = vec![Evidence {
                frame: 3,
                timestamp: Time(at(0.3)),
                file: "eth0".to_owned(),
                note: format!("{id} is \u{1b}[31mhere"),
            }];
            active
        })
        .collect();
    snapshot
}

/// A recording as our own source reads it.
fn read(path: &Path) -> (Vec<Kept>, FileFacts) {
    let mut source = CaptureFiles::open(&[path.to_owned()], &SourceOptions::default());
    let (mut block, mut frames) = (Block::default(), Vec::new());
    while source.fill(&mut block) {
        frames.extend(block.frames().map(|frame| kept(&frame)));
    }
    let facts = source.files().remove(0);
    assert_eq!(facts.problems, []);
    (frames, facts)
}

fn written(notices: &[Notice]) -> &Written {
    let found = notices.iter().find_map(|notice| match notice {
        Notice::Written(written) => Some(written),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("nothing was written: {notices:?}"))
}

fn count(notices: &[Notice], is: impl Fn(&Notice) -> bool) -> usize {
    notices.iter().filter(|notice| is(notice)).count()
}
