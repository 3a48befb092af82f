//! Serves the metrics to whoever asks, and waits for nobody.
//!
//! One thread does it all: it sleeps until a socket is ready, and no socket blocks it. A
//! server from a library would be less code here, but what is small enough for this task
//! either reads a request of any length and starts a thread for each connection without an
//! end (tiny_http; tiny-http/tiny-http#56 and #143), or brings an executor (hyper).
//!
//! Time is read here, from a clock that only runs forward, to end connections; nothing of
//! it is in any answer.

mod answer;
mod connection;
mod ends;

#[cfg(test)]
mod tests;

pub(super) use ends::Ends;

use super::Metrics;
use connection::Connection;
use ends::End;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{self, ErrorKind, PipeReader, PipeWriter};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Connections at a time. One more takes the place of the oldest: scrapers are done in a
/// moment, so what is old is slow.
const MAX_CONNECTIONS: usize = 16;

/// How long a connection may last, whatever its pace. Prometheus waits 10 seconds unless
/// told otherwise.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long no connection is taken on after one could not be, as when no file descriptor
/// is left.
const REST: Duration = Duration::from_secs(1);

/// Serves `/metrics` over HTTP from a thread of its own, until it is dropped.
///
/// It takes no more than a few connections at a time, 8 KiB of a request and 5 seconds for
/// each, so that no client can hold up others or fill the memory.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    /// The thread ends when this is closed.
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on an address; port 0 takes a free one.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, or no thread can be started.
    pub fn start(address: SocketAddr, metrics: Arc<Metrics>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stopped, stop) = io::pipe()?;
        let service = Service {
            listener,
            stopped,
            metrics,
            connections: Vec::with_capacity(MAX_CONNECTIONS),
            resting_until: None,
        };
        let thread = thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(|| service.run())?;
        Ok(Self {
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It leaves nothing behind, whether it panicked or not.
            let _ = thread.join();
        }
    }
}

/// What the thread has.
struct Service {
    listener: TcpListener,
    stopped: PipeReader,
    metrics: Arc<Metrics>,
    /// The oldest first.
    connections: Vec<Connection>,
    resting_until: Option<Instant>,
}

/// What there is to do.
#[derive(Default)]
struct Ready {
    is_stopped: bool,
    has_callers: bool,
    /// As many as there are connections.
    connections: Vec<bool>,
}

impl Service {
    fn run(mut self) {
        while let Ok(ready) = self.wait() {
            if ready.is_stopped {
                return;
            }
            self.serve(&ready.connections, Instant::now());
            if ready.has_callers {
                self.accept(Instant::now());
            }
        }
    }

    /// Sleeps until a socket is ready or a deadline is near.
    fn wait(&mut self) -> Result<Ready, Errno> {
        let now = Instant::now();
        self.resting_until = self.resting_until.filter(|until| *until > now);
        let timeout = self.timeout(now);
        let callers = match self.resting_until {
            None => PollFlags::POLLIN,
            Some(_) => PollFlags::empty(),
        };
        let mut sockets = vec![
            PollFd::new(self.stopped.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.listener.as_fd(), callers),
        ];
        for connection in &self.connections {
            sockets.push(PollFd::new(connection.stream(), connection.waits_for()));
        }
        match poll(&mut sockets, timeout) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Ok(Ready::default()),
            Err(error) => return Err(error),
        }
        let ready: Vec<bool> = sockets
            .iter()
            .map(|socket| socket.any().unwrap_or(true))
            .collect();
        Ok(Ready {
            is_stopped: ready[0],
            has_callers: ready[1] && self.resting_until.is_none(),
            connections: ready[2..].to_vec(),
        })
    }

    /// Until the first deadline; rounded up, lest it wakes too early again and again.
    fn timeout(&self, now: Instant) -> PollTimeout {
        let deadlines = self.connections.iter().map(|it| it.started() + PATIENCE);
        let Some(next) = deadlines.chain(self.resting_until).min() else {
            return PollTimeout::NONE;
        };
        let left = next.saturating_duration_since(now) + Duration::from_millis(1);
        PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
    }

    /// Goes on with those that are ready and drops those that are done or too slow.
    fn serve(&mut self, ready: &[bool], now: Instant) {
        let mut ready = ready.iter();
        let metrics = &self.metrics;
        self.connections.retain_mut(|connection| {
            let is_ready = ready.next().copied().unwrap_or(false);
            let mut end = is_ready.then(|| connection.go_on(metrics)).flatten();
            if end.is_none() && now.saturating_duration_since(connection.started()) >= PATIENCE {
                end = Some(connection.cut_off(End::TimedOut));
            }
            end.inspect(|end| metrics.ends.count(*end)).is_none()
        });
    }

    /// Takes on those who call, as many as there is room for at a time.
    fn accept(&mut self, now: Instant) {
        for _ in 0..MAX_CONNECTIONS {
            let accepted = self.listener.accept();
            match accepted.and_then(|(stream, _)| Connection::new(stream, now)) {
                Ok(connection) => self.add(connection),
                Err(error) => {
                    self.resting_until = is_lasting(&error).then(|| now + REST);
                    return;
                }
            }
        }
    }

    fn add(&mut self, connection: Connection) {
        if self.connections.len() >= MAX_CONNECTIONS {
            let oldest = self.connections.remove(0);
            self.metrics.ends.count(oldest.cut_off(End::Displaced));
        }
        self.connections.push(connection);
    }
}

/// Whether nobody can be taken on for now, and not only this caller.
fn is_lasting(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted
    )
}
