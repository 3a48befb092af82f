//! Raw bytes of one input: opened, counted and hashed on their way.

use super::HashPolicy;
use super::stored::{Store, Stored};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the bytes of an input are.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    Stdin,
    Path(PathBuf),
    Memory(Arc<[u8]>),
}

impl Origin {
    /// For the report, as it is: whoever shows it makes it harmless.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::Path(path) => path.to_string_lossy().into_owned(),
            Self::Memory(_) => "memory".to_owned(),
        }
    }

    /// Size in bytes where it is known beforehand: not of pipes. Such an input can
    /// also be read twice.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin => None,
            Self::Memory(bytes) => Some(bytes.len() as u64),
            Self::Path(path) => {
                let metadata = std::fs::metadata(path).ok()?;
                metadata.is_file().then_some(metadata.len())
            }
        }
    }

    fn open(&self) -> io::Result<Inner> {
        Ok(match self {
            Self::Stdin => Inner::Stream(Box::new(io::stdin())),
            Self::Memory(bytes) => Inner::Stored(Stored::new(Store::Memory(Arc::clone(bytes)))),
            Self::Path(path) => {
                let file = File::open(path)?;
                let metadata = file.metadata()?;
                if metadata.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                if metadata.is_file() {
                    Inner::Stored(Stored::new(Store::File(Arc::new(file))))
                } else {
                    Inner::Stream(Box::new(file))
                }
            }
        })
    }

    /// Opens it. `count` grows by every byte read.
    pub(super) fn tap(&self, hash: HashPolicy, count: &Arc<AtomicU64>) -> io::Result<Tap> {
        let inner = self.open()?;
        let tally = Tally {
            bytes: 0,
            hash: hash.limit(self.size()).map(|left| (Sha256::new(), left)),
            at_end: false,
        };
        Ok(Tap {
            inner,
            tally: Arc::new(Mutex::new(tally)),
            count: Arc::clone(count),
        })
    }
}

impl HashPolicy {
    /// How many bytes may be hashed of an input of this size before giving up;
    /// `None` if it is not to be hashed.
    fn limit(self, size: Option<u64>) -> Option<u64> {
        match self {
            Self::Never => None,
            Self::Always => Some(u64::MAX),
            Self::UpTo(limit) => size.is_none_or(|size| size <= limit).then_some(limit),
        }
    }
}

/// What went through a [`Tap`].
struct Tally {
    bytes: u64,
    /// And how many more bytes may go into it.
    hash: Option<(Sha256, u64)>,
    at_end: bool,
}

impl Tally {
    fn add(&mut self, read: &[u8]) {
        self.bytes += read.len() as u64;
        self.at_end = read.is_empty();
        if let Some((hasher, left)) = &mut self.hash {
            match left.checked_sub(read.len() as u64) {
                Some(less) => {
                    *left = less;
                    hasher.update(read);
                }
                None => self.hash = None,
            }
        }
    }

    /// The hash, if every byte to the end of the input went into it.
    fn sha256(&self) -> Option<String> {
        let (hasher, _) = self.hash.as_ref().filter(|_| self.at_end)?;
        let digest = hasher.clone().finalize();
        Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn wants_the_rest(&self) -> bool {
        self.hash.is_some() && !self.at_end
    }
}

/// Bytes one after another, or at any place.
enum Inner {
    Stream(Box<dyn Read + Send>),
    Stored(Stored),
}

impl Read for Inner {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stream(stream) => stream.read(buffer),
            Self::Stored(stored) => stored.read(buffer),
        }
    }
}

/// A reader that counts and hashes what it passes on.
pub(super) struct Tap {
    inner: Inner,
    /// Shared, since decompressors swallow the reader they are given.
    tally: Arc<Mutex<Tally>>,
    count: Arc<AtomicU64>,
}

impl Tap {
    /// A view of the tally that outlives the reader.
    pub(super) fn tally(&self) -> SharedTally {
        SharedTally(Arc::clone(&self.tally))
    }

    /// The input itself, if it can be read at any place and nobody needs all its bytes
    /// in order.
    pub(super) fn stored(&mut self) -> Option<&mut Stored> {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut self.inner {
            Inner::Stored(stored) if tally.hash.is_none() => Some(stored),
            _ => None,
        }
    }

    /// Counts bytes that were read past it.
    pub(super) fn count(&self, bytes: usize) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.bytes += bytes as u64;
        self.count.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = retry_interrupted(|| self.inner.read(buffer))?;
        let read = buffer.get(..n).unwrap_or_default();
        if !buffer.is_empty() {
            let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
            tally.add(read);
        }
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// The tally of a [`Tap`] that is inside a decompressor.
pub(super) struct SharedTally(Arc<Mutex<Tally>>);

impl SharedTally {
    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    /// See [`Tally::sha256`].
    pub(super) fn sha256(&self) -> Option<String> {
        self.lock().sha256()
    }

    /// Whether reading on to the end would complete a hash.
    pub(super) fn wants_the_rest(&self) -> bool {
        self.lock().wants_the_rest()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A signal may interrupt a read on a pipe; that is no error.
pub(super) fn retry_interrupted<T>(mut read: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
