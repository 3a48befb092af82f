//! One connection: a request, its answer, the end.

use super::answer::{self, Answer, MAX_REQUEST_BYTES};
use super::ends::End;
use crate::watch::metrics::Metrics;
use nix::poll::PollFlags;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

/// Bytes thrown away in one turn after an answer was sent.
const WASTE_BYTES: usize = 4 * 1024;

/// Bytes thrown away in all; who sends more will not read an answer either.
const MAX_WASTE_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    started: Instant,
    stage: Stage,
}

/// What is done next.
#[derive(Debug)]
enum Stage {
    /// What came of the request.
    Reading(Vec<u8>),
    /// The answer, and how much of it was sent.
    Writing(Answer, usize),
    /// All was sent. To close while the client is still sending would take the answer from
    /// it (RFC 9112 section 9.6): what it sends is thrown away, so many bytes so far.
    Closing(End, usize),
}

impl Connection {
    pub fn new(stream: TcpStream, started: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            started,
            stage: Stage::Reading(Vec::new()),
        })
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    pub fn stream(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// What must be possible before it goes on.
    pub fn waits_for(&self) -> PollFlags {
        match self.stage {
            Stage::Reading(_) | Stage::Closing(..) => PollFlags::POLLIN,
            Stage::Writing(..) => PollFlags::POLLOUT,
        }
    }

    /// Does what can be done without waiting; says how it ended, if it did.
    pub fn go_on(&mut self, metrics: &Metrics) -> Option<End> {
        let done = match &self.stage {
            Stage::Reading(_) => self.read(metrics),
            Stage::Writing(..) => self.write(),
            Stage::Closing(..) => self.close(),
        };
        match done {
            Ok(end) => end,
            Err(error) if is_for_now(&error) => None,
            Err(_) => Some(self.cut_off(End::Failed)),
        }
    }

    /// How it ends when it is given up: an answer that was sent stays sent.
    pub fn cut_off(&self, why: End) -> End {
        match self.stage {
            Stage::Closing(end, _) => end,
            Stage::Reading(_) | Stage::Writing(..) => why,
        }
    }

    fn read(&mut self, metrics: &Metrics) -> io::Result<Option<End>> {
        let Stage::Reading(request) = &mut self.stage else {
            return Ok(None);
        };
        let mut bytes = [0; MAX_REQUEST_BYTES];
        let room = MAX_REQUEST_BYTES - request.len();
        let count = self.stream.read(&mut bytes[..room])?;
        if count == 0 {
            return Ok(Some(End::Failed));
        }
        request.extend_from_slice(&bytes[..count]);
        let Some(answer) = answer::to(request, metrics) else {
            return Ok(None);
        };
        self.stage = Stage::Writing(answer, 0);
        self.write()
    }

    fn write(&mut self) -> io::Result<Option<End>> {
        let Stage::Writing(answer, sent) = &mut self.stage else {
            return Ok(None);
        };
        while *sent < answer.bytes.len() {
            match self.stream.write(&answer.bytes[*sent..])? {
                0 => return Ok(Some(End::Failed)),
                count => *sent += count,
            }
        }
        self.stage = Stage::Closing(answer.end, 0);
        self.stream.shutdown(Shutdown::Write)?;
        self.close()
    }

    fn close(&mut self) -> io::Result<Option<End>> {
        let Stage::Closing(end, wasted) = &mut self.stage else {
            return Ok(None);
        };
        let count = self.stream.read(&mut [0; WASTE_BYTES])?;
        *wasted += count;
        let is_over = count == 0 || *wasted > MAX_WASTE_BYTES;
        Ok(is_over.then_some(*end))
    }
}

fn is_for_now(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
