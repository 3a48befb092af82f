//! What can be read only once is kept, since evidence is read twice.

use crate::cli::args::When;
use crate::cli::capture::CaptureOptions;
use crate::source::FileFacts;
use anyhow::Context;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Inputs that can be read twice.
pub(super) struct Spool {
    capture: CaptureOptions,
    /// What was copied, and what it is called.
    copies: Vec<(NamedTempFile, PathBuf)>,
}

impl Spool {
    /// Copies standard input and pipes into temporary files.
    ///
    /// # Errors
    ///
    /// They cannot be read to their end, or there is no room.
    pub fn of(capture: &CaptureOptions) -> anyhow::Result<Self> {
        let mut spool = Self {
            capture: CaptureOptions {
                // A manifest has the hash of every input.
                sha256: match capture.sha256 {
                    When::Auto => When::Always,
                    typed => typed,
                },
                ..capture.clone()
            },
            copies: Vec::new(),
        };
        for input in &mut spool.capture.inputs {
            let shown = || format!("cannot keep {} to read it twice", input.display());
            let Some(mut once) = readable_once(input).with_context(shown)? else {
                continue;
            };
            let mut copy = NamedTempFile::new().with_context(shown)?;
            io::copy(&mut once, &mut copy).with_context(shown)?;
            let name = std::mem::replace(input, copy.path().to_owned());
            spool.copies.push((copy, name));
        }
        Ok(spool)
    }

    /// The inputs, each of which can be read again.
    pub fn capture(&self) -> &CaptureOptions {
        &self.capture
    }

    /// Calls what was copied what it was called.
    pub fn rename(&self, files: &mut [FileFacts]) {
        for file in files {
            let copies = self.copies.iter();
            let copy = copies.filter(|(copy, _)| copy.path() == Path::new(&file.path));
            if let Some((_, name)) = copy.last() {
                file.path = name.to_string_lossy().into_owned();
            }
        }
    }
}

/// An input that can be read only once.
fn readable_once(input: &Path) -> io::Result<Option<Box<dyn Read>>> {
    if input == Path::new("-") {
        return Ok(Some(Box::new(io::stdin())));
    }
    // What is missing is told by whoever reads it.
    let is_pipe = input
        .metadata()
        .is_ok_and(|found| found.file_type().is_fifo());
    match is_pipe {
        true => Ok(Some(Box::new(File::open(input)?))),
        false => Ok(None),
    }
}
