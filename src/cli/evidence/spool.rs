//! What can be read only once is kept, since evidence is read twice.

use crate::cli::args::When;
use crate::cli::capture::CaptureOptions;
use crate::cli::interrupt::Interrupt;
use crate::report::escape;
use crate::source::FileFacts;
use anyhow::Context;
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, poll};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Read at once: as much as a pipe holds.
const PIECE_BYTES: usize = 64 * 1024;

/// How soon an interrupt is noticed, in milliseconds.
const PATIENCE_MS: u16 = 100;

/// In `tcpdump -w - | fraglens evidence -` Ctrl-C reaches both; tcpdump writes what it
/// still has, and ends. Whoever does not end within this time is not waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Inputs that can be read twice.
pub(in crate::cli) struct Spool {
    capture: CaptureOptions,
    /// Of each input; `None` of what is not there.
    stamps: Vec<Option<Stamp>>,
    copies: Vec<Copy>,
}

/// Which file it is, and since when it has been what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
}

/// What was copied.
struct Copy {
    /// A file without a name: it goes away with the process, however that ends.
    _file: File,
    /// Where the file can be opened.
    path: PathBuf,
    /// What the input is called.
    name: PathBuf,
}

impl Spool {
    /// Copies standard input and pipes into temporary files. An interrupt is the end of
    /// what is captured meanwhile, and is answered with that.
    ///
    /// # Errors
    ///
    /// They cannot be read to their end, or there is no room.
    pub fn of(capture: &CaptureOptions, interrupt: &Interrupt) -> anyhow::Result<Self> {
        let mut spool = Self {
            capture: CaptureOptions {
                // A manifest has the hash of every input.
                sha256: match capture.sha256 {
                    When::Auto => When::Always,
                    typed => typed,
                },
                ..capture.clone()
            },
            stamps: Vec::new(),
            copies: Vec::new(),
        };
        for input in &mut spool.capture.inputs {
            let shown = || format!("cannot keep {} to read it twice", input.display());
            let Some(mut once) = readable_once(input).with_context(shown)? else {
                continue;
            };
            let mut file = tempfile::tempfile().with_context(shown)?;
            copy(&mut once, &mut file, interrupt).with_context(shown)?;
            let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            spool.copies.push(Copy {
                _file: file,
                name: std::mem::replace(input, path.clone()),
                path,
            });
        }
        let inputs = spool.capture.inputs.iter();
        spool.stamps = inputs.map(|input| Stamp::of(input)).collect();
        Ok(spool)
    }

    /// The inputs, each of which can be read again.
    pub fn capture(&self) -> &CaptureOptions {
        &self.capture
    }

    /// Makes sure that what was read twice was the same.
    ///
    /// # Errors
    ///
    /// It was not: frames of one would stand beside figures of the other.
    pub fn same(&self, before: &[FileFacts], again: &[FileFacts]) -> anyhow::Result<()> {
        for (before, again) in before.iter().zip(again) {
            let is_same = before.bytes == again.bytes
                && before.frames == again.frames
                && before.sha256 == again.sha256;
            let shown = escape::line(&before.path);
            anyhow::ensure!(
                is_same,
                "nothing was written: {shown} changed while it was read; copy it first"
            );
        }
        Ok(())
    }

    /// Makes sure that no input was written to since, where the second reading does not
    /// come to the end.
    ///
    /// # Errors
    ///
    /// One was, or is another now.
    pub fn unchanged(&self) -> anyhow::Result<()> {
        for (input, stamp) in self.capture.inputs.iter().zip(&self.stamps) {
            let shown = self.name(input).to_string_lossy();
            anyhow::ensure!(
                Stamp::of(input) == *stamp,
                "nothing was written: {} changed while it was read; copy it first",
                escape::line(&shown)
            );
        }
        Ok(())
    }

    /// What an input is called that can be read at this path.
    fn name<'a>(&'a self, path: &'a Path) -> &'a Path {
        let mut copies = self.copies.iter();
        let copy = copies.find(|copy| copy.path == path);
        copy.map_or(path, |copy| &copy.name)
    }

    /// Calls what was copied what it was called.
    pub fn rename(&self, files: &mut [FileFacts]) {
        for file in files {
            let mut copies = self.copies.iter();
            if let Some(copy) = copies.find(|copy| copy.path == Path::new(&file.path)) {
                file.path = escape::line(&copy.name.to_string_lossy()).into_owned();
            }
        }
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = path.metadata().ok()?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
        })
    }
}

/// An input that can be read only once.
fn readable_once(input: &Path) -> io::Result<Option<File>> {
    if input == Path::new("-") {
        return Ok(Some(io::stdin().as_fd().try_clone_to_owned()?.into()));
    }
    // What is missing is told by whoever reads it.
    let is_pipe = input
        .metadata()
        .is_ok_and(|found| found.file_type().is_fifo());
    // Whoever writes into it may come later: nothing waits for them but `copy`.
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(OFlag::O_NONBLOCK.bits());
    is_pipe.then(|| options.open(input)).transpose()
}

/// Copies to the end, or to what came soon after an interrupt.
fn copy(once: &mut File, copy: &mut File, interrupt: &Interrupt) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut asked: Option<Instant> = None;
    while asked.is_none_or(|asked| asked.elapsed() < LAST_WORDS) {
        if asked.is_none() && interrupt.take() {
            asked = Some(Instant::now());
        }
        if !is_ready(once)? {
            continue;
        }
        match once.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => copy.write_all(&piece[..read])?,
            Err(error) if is_passing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether something can be read, or never will be again; waits a moment for it.
fn is_ready(file: &File) -> io::Result<bool> {
    let mut waited_for = [PollFd::new(file.as_fd(), PollFlags::POLLIN)];
    match poll(&mut waited_for, PATIENCE_MS) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether it is worth another try.
fn is_passing(error: &io::Error) -> bool {
    [io::ErrorKind::Interrupted, io::ErrorKind::WouldBlock].contains(&error.kind())
}
