//! A set of inputs read one after another as one capture.

use super::block::Block;
use super::input::Origin;
use super::problem::FileFacts;
use super::reader::Reader;
use super::{HashPolicy, Progress, Source, SourceOptions, Stretch};
use crate::model::Timestamp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Read to find the first frame of a file when several are put in order.
const PROBE_BYTES: usize = 16 * 1024;

/// Capture files, read in the order of their first frames.
pub struct CaptureFiles {
    origins: Vec<Origin>,
    /// Of the inputs already finished; as many as were reached.
    facts: Vec<FileFacts>,
    current: Option<Reader>,
    options: SourceOptions,
    count: Arc<AtomicU64>,
    total_bytes: Option<u64>,
}

impl CaptureFiles {
    /// A set of files; the path `-` is standard input.
    ///
    /// Several are put in the order of their first timestamps, equal ones as given.
    /// Inputs whose first frame cannot be looked at beforehand (standard input and
    /// other pipes, unreadable or empty files) come after them, as given. Each
    /// file is opened when its turn comes, so any number can be given; nothing
    /// fails here, since what is wrong with a file is a [`Problem`](super::Problem) of it.
    pub fn open(paths: &[PathBuf], options: &SourceOptions) -> Self {
        let origin = |path: &PathBuf| match path {
            dash if dash == Path::new("-") => Origin::Stdin,
            path => Origin::Path(path.clone()),
        };
        Self::of(paths.iter().map(origin).collect(), options)
    }

    /// A set of inputs, put in order.
    pub(super) fn of(origins: Vec<Origin>, options: &SourceOptions) -> Self {
        let origins = in_time_order(origins);
        let total_bytes = origins
            .iter()
            .try_fold(0_u64, |sum, origin| sum.checked_add(origin.size()?));
        Self {
            origins,
            facts: Vec::new(),
            current: None,
            options: options.clone(),
            count: Arc::new(AtomicU64::new(0)),
            total_bytes,
        }
    }

    /// The input whose turn it is, opened if it was not; `None` after the last.
    fn current(&mut self) -> Option<&mut Reader> {
        while self.current.is_none() {
            let origin = self.origins.get(self.facts.len())?;
            let file = u32::try_from(self.facts.len()).ok()?;
            match Reader::open(file, origin, &self.options, &self.count) {
                Ok(reader) => self.current = Some(reader),
                Err(facts) => self.facts.push(*facts),
            }
        }
        self.current.as_mut()
    }

    /// Closes the current input.
    fn close(&mut self) {
        let origin = self.origins.get(self.facts.len());
        if let (Some(reader), Some(origin)) = (self.current.take(), origin) {
            self.facts.push(reader.into_facts(origin));
        }
    }
}

impl Source for CaptureFiles {
    fn fill(&mut self, block: &mut Block) -> bool {
        while let Some(reader) = self.current() {
            if reader.fill(block) {
                return true;
            }
            self.close();
        }
        false
    }

    fn set_aside(&mut self) -> Option<Stretch> {
        self.current.as_mut()?.set_aside()
    }

    fn accept(&mut self, block: &mut Block, stretch: &Stretch) -> bool {
        self.current
            .as_mut()
            .is_some_and(|reader| reader.accept(block, stretch))
    }

    fn files(&self) -> Vec<FileFacts> {
        let current = self.current.as_ref().map(Reader::facts);
        self.facts.iter().cloned().chain(current).collect()
    }

    fn progress(&self) -> Progress {
        Progress {
            bytes: self.count.load(Ordering::Relaxed),
            total_bytes: self.total_bytes,
        }
    }
}

fn in_time_order(origins: Vec<Origin>) -> Vec<Origin> {
    if origins.len() < 2 {
        return origins;
    }
    let mut timed: Vec<(Option<Timestamp>, Origin)> = origins
        .into_iter()
        .map(|origin| (first_timestamp(&origin), origin))
        .collect();
    timed.sort_by_key(|(first, _)| (first.is_none(), *first));
    timed.into_iter().map(|(_, origin)| origin).collect()
}

/// Time of the first frame of an input that can be read twice.
fn first_timestamp(origin: &Origin) -> Option<Timestamp> {
    origin.size()?;
    let options = SourceOptions {
        block_bytes: PROBE_BYTES,
        hash: HashPolicy::Never,
    };
    let mut reader = Reader::open(0, origin, &options, &Arc::default()).ok()?;
    let mut block = Block::default();
    reader.fill(&mut block);
    block.frames().next().map(|frame| frame.timestamp)
}

/// Captures that are already in memory, read as files are: for tests, benches and fuzzing.
pub struct Memory(CaptureFiles);

impl Memory {
    /// One capture.
    pub fn new(capture: impl Into<Arc<[u8]>>, options: &SourceOptions) -> Self {
        Self::several([capture], options)
    }

    /// Several captures, put in time order like files.
    pub fn several<C: Into<Arc<[u8]>>>(
        captures: impl IntoIterator<Item = C>,
        options: &SourceOptions,
    ) -> Self {
        let origin = |capture: C| Origin::Memory(capture.into());
        Self(CaptureFiles::of(
            captures.into_iter().map(origin).collect(),
            options,
        ))
    }
}

impl Source for Memory {
    fn fill(&mut self, block: &mut Block) -> bool {
        self.0.fill(block)
    }

    fn set_aside(&mut self) -> Option<Stretch> {
        self.0.set_aside()
    }

    fn accept(&mut self, block: &mut Block, stretch: &Stretch) -> bool {
        self.0.accept(block, stretch)
    }

    fn files(&self) -> Vec<FileFacts> {
        self.0.files()
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }
}
