//! The flight recorder: what was on the wire when something went wrong.
//!
//! Input: frames as they are captured, and a [`Snapshot`] each second. Output: pcapng
//! files in a directory, and [`Notice`]s of what was done.
//!
//! ```text
//! capture threads ──► Ring ──► Recording ──► .fraglens-x.pcapng.part ──► fraglens-….pcapng
//!                               ▲ begun by a finding, ended some seconds later
//! ```
//!
//! What must hold: those who capture wait for nobody but each other, one memcpy long;
//! memory, files and bytes have bounds; a file with the name of a recording is complete;
//! nothing is written over; whatever the disk does, watching goes on.

mod losses;
mod name;
mod notice;
mod recording;
mod ring;
mod segment;
mod shelf;
#[cfg(test)]
mod tests;
mod told;

pub use crate::evidence::pcapng::InterfaceFacts;
pub use notice::{Notice, Written};
pub use ring::{Ring, RingCounts, RingLimits};

use super::{Active, Snapshot};
use crate::model::{Duration, Timestamp};
use crate::report::document::Severity;
use crate::report::escape;
use losses::{Counts, Losses};
use recording::{LEAST_BYTES, Recording, Window};
use serde::Serialize;
use shelf::Shelf;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Least that [`RecorderOptions::bytes`] can be: a fourth of it is a recording with
/// comments and some frames.
pub const LEAST_RECORD_BYTES: u64 = 4 * LEAST_BYTES;

/// What is recorded, when and where.
#[derive(Clone, Debug)]
pub struct RecorderOptions {
    /// Where recordings are kept; made if it is not there.
    pub directory: PathBuf,
    /// How much is recorded before a finding appears, and after.
    pub seconds: Duration,
    /// The mildest finding that is recorded.
    pub on: Severity,
    /// Most recordings kept, from 1.
    pub files: usize,
    /// Most bytes they take, [`LEAST_RECORD_BYTES`] at least. One recording takes no
    /// more than a fourth of it; a half or a third where `files` is less.
    pub bytes: u64,
}

/// What the recorder did since the capture began, and does now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecorderCounts {
    /// Whether a recording is being written.
    pub is_recording: bool,
    /// Recordings completed, saved ones included.
    pub written: u64,
    /// Recordings that could not be written.
    pub failed: u64,
    /// Recordings deleted to keep the bounds.
    pub deleted: u64,
    /// The frames held in memory.
    pub ring: RingCounts,
}

/// Writes the frames around the moment a finding appears.
///
/// A finding that stays, or comes back while its recording is being written, starts no
/// other; it does once it was cleared. While a recording is written, findings that
/// appear are told in it.
pub struct Recorder {
    options: RecorderOptions,
    interfaces: Vec<InterfaceFacts>,
    ring: Arc<Ring>,
    shelf: Shelf,
    losses: Losses,
    open: Option<Recording>,
    /// Ids of the findings that were active at the last tick.
    active: BTreeSet<String>,
    counts: RecorderCounts,
}

impl Recorder {
    /// A recorder of interfaces; the index of each is `id.file` of its frames.
    ///
    /// Fails where the directory cannot be written to, or a bound is too low.
    pub fn new(
        options: RecorderOptions,
        interfaces: Vec<InterfaceFacts>,
        ring: Arc<Ring>,
    ) -> io::Result<Self> {
        if options.files == 0 || options.bytes < LEAST_RECORD_BYTES {
            let what = format!("recordings need a file and {LEAST_RECORD_BYTES} bytes at least");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let shelf = Shelf::open(options.directory.clone(), options.files, options.bytes)?;
        Ok(Self {
            losses: Losses::new(options.seconds),
            options,
            interfaces,
            ring,
            shelf,
            open: None,
            active: BTreeSet::new(),
            counts: RecorderCounts::default(),
        })
    }

    /// Writes what came since the last tick if a recording is open, ends it when its time
    /// is over, and begins one if a finding appeared. To be called each second; takes as
    /// long as the disk does.
    pub fn tick(&mut self, snapshot: &Snapshot) -> Vec<Notice> {
        self.losses.see(snapshot);
        let mut notices = Vec::new();
        self.go_on(snapshot, &mut notices);
        self.begin(snapshot, &mut notices);
        notices.extend(self.deleted());
        notices
    }

    /// Writes the last seconds of frames in memory, whatever is being recorded, with what
    /// is wrong now. What had to be deleted for it is told at the next tick.
    pub fn save_now(&mut self, snapshot: &Snapshot) -> io::Result<PathBuf> {
        let trigger = snapshot.timestamp.0;
        let times = self.earliest(trigger.min(self.ring.now()))..=Timestamp::MAX;
        let window = Window { trigger, times };
        let saved = self.save(snapshot, window);
        self.counts.failed += u64::from(saved.is_err());
        saved
    }

    /// As [`Recorder::tick`], and ends what is open: for the end of the capture.
    pub fn finish(&mut self, snapshot: &Snapshot) -> Vec<Notice> {
        let mut notices = self.tick(snapshot);
        self.end(snapshot, &mut notices);
        notices.extend(self.deleted());
        notices
    }

    /// What it did, and what it holds.
    pub fn counts(&self) -> RecorderCounts {
        RecorderCounts {
            is_recording: self.open.is_some(),
            ring: self.ring.counts(),
            ..self.counts
        }
    }

    fn go_on(&mut self, snapshot: &Snapshot, notices: &mut Vec<Notice>) {
        let Some(mut recording) = self.open.take() else {
            return;
        };
        let is_over = snapshot.timestamp.0 > *recording.window.times.end();
        if !is_over {
            let findings = grave(snapshot, self.options.on);
            recording.told.add(findings, &self.interfaces);
        }
        match recording.append(&self.ring, &mut self.shelf, 0) {
            Ok(()) => self.open = Some(recording),
            Err(error) => notices.push(self.failure(&error)),
        }
        if is_over {
            self.end(snapshot, notices);
        }
    }

    fn begin(&mut self, snapshot: &Snapshot, notices: &mut Vec<Notice>) {
        let ids = |active: &Active| active.finding.id.clone();
        let now: BTreeSet<String> = grave(snapshot, self.options.on).map(ids).collect();
        let before = std::mem::replace(&mut self.active, now);
        let appeared: Vec<&Active> = grave(snapshot, self.options.on)
            .filter(|active| !before.contains(&active.finding.id))
            .collect();
        if appeared.is_empty() || self.open.is_some() {
            return;
        }
        let trigger = snapshot.timestamp.0;
        let window = Window {
            trigger,
            times: self.earliest(trigger)..=trigger + self.options.seconds,
        };
        let findings: Vec<String> = appeared.iter().copied().map(ids).collect();
        let told = appeared.into_iter().chain(grave(snapshot, self.options.on));
        match self.record(window, findings.clone(), told) {
            Ok(recording) => {
                self.open = Some(recording);
                notices.push(Notice::Started { findings });
            }
            Err(error) => notices.push(self.failure(&error)),
        }
    }

    /// Begins a recording with what is in memory.
    fn record<'a>(
        &mut self,
        window: Window,
        named: Vec<String>,
        findings: impl Iterator<Item = &'a Active>,
    ) -> io::Result<Recording> {
        let before = self.losses.at(*window.times.start());
        let interfaces: Vec<InterfaceFacts> = self.interfaces.iter().map(harmless).collect();
        let beside = self.open.as_ref().map_or(0, Recording::bytes);
        let mut recording = Recording::begin(&mut self.shelf, window, named, &interfaces, before)?;
        recording.told.add(findings, &self.interfaces);
        recording.append(&self.ring, &mut self.shelf, beside)?;
        Ok(recording)
    }

    fn save(&mut self, snapshot: &Snapshot, window: Window) -> io::Result<PathBuf> {
        let recording = self.record(window, Vec::new(), snapshot.findings.iter())?;
        Ok(self.complete(recording, snapshot)?.path.into())
    }

    fn end(&mut self, snapshot: &Snapshot, notices: &mut Vec<Notice>) {
        let Some(recording) = self.open.take() else {
            return;
        };
        match self.complete(recording, snapshot) {
            Ok(written) => notices.push(Notice::Written(written)),
            Err(error) => notices.push(self.failure(&error)),
        }
    }

    fn complete(&mut self, recording: Recording, snapshot: &Snapshot) -> io::Result<Written> {
        let now = snapshot.timestamp.0.max(self.ring.now());
        let counts: Vec<Counts> = snapshot.captured.iter().map(Counts::of).collect();
        let written = recording.end(&mut self.shelf, (now, &counts))?;
        self.counts.written += 1;
        Ok(written)
    }

    fn earliest(&self, trigger: Timestamp) -> Timestamp {
        trigger + Duration(self.options.seconds.0.saturating_neg())
    }

    fn failure(&mut self, error: &io::Error) -> Notice {
        self.counts.failed += 1;
        Notice::Failed {
            path: self.shelf.directory().display().to_string(),
            error: error.to_string(),
            failures: self.counts.failed,
        }
    }

    fn deleted(&mut self) -> Vec<Notice> {
        let notices = self.shelf.deleted();
        self.counts.deleted += notices.len() as u64;
        notices
    }
}

/// What is wrong now and grave enough.
fn grave(snapshot: &Snapshot, on: Severity) -> impl Iterator<Item = &Active> {
    let findings = snapshot.findings.iter();
    findings.filter(move |active| active.finding.severity >= on)
}

/// An interface whose texts do nothing to the terminal of whoever reads the file.
fn harmless(facts: &InterfaceFacts) -> InterfaceFacts {
    InterfaceFacts {
        name: escape::line(&facts.name).into_owned(),
        description: escape::line(&facts.description).into_owned(),
        ..facts.clone()
    }
}
