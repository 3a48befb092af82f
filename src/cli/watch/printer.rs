//! Lines on standard output, without waiting for whoever reads them.

use crate::watch::Line;
use std::io::{self, Write};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};

/// Lines that wait for a slow reader; those beyond are left out, and counted.
const WAITING: usize = 64;

/// Writes lines from a thread of its own: a pipe that nobody reads from must not keep the
/// rings from being looked at.
pub(super) struct Printer {
    lines: Option<SyncSender<Vec<u8>>>,
    thread: Option<JoinHandle<io::Result<()>>>,
    left_out: u64,
}

impl Printer {
    pub fn start() -> io::Result<Self> {
        let (lines, waiting) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let thread = thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || {
                let mut out = io::stdout();
                for line in waiting {
                    out.write_all(&line)?;
                    out.flush()?;
                }
                Ok(())
            })?;
        Ok(Self {
            lines: Some(lines),
            thread: Some(thread),
            left_out: 0,
        })
    }

    /// Has a line written; fails if an earlier one could not be.
    pub fn print(&mut self, line: &Line<'_>) -> io::Result<()> {
        let mut text = Vec::new();
        line.write(&mut text)?;
        let sent = self.lines.as_ref().map(|lines| lines.try_send(text));
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => {
                self.left_out += 1;
                Ok(())
            }
            Some(Err(TrySendError::Disconnected(_))) | None => self.end(),
        }
    }

    /// Lines that were left out so far because nobody read.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Waits until all are written.
    pub fn end(&mut self) -> io::Result<()> {
        self.lines = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(written)) => written,
            Some(Err(_)) | None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}
