//! `fraglens watch` as a process in a namespace, and what it prints.

use crate::kernel::network::{Network, Process};
use crate::kernel::scenario::Lines;
use serde_json::Value;
use std::io::Read;
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Nothing waits longer than this for a line.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program under test.
pub const FRAGLENS: &str = env!("CARGO_BIN_EXE_fraglens");

/// A watch that writes a line each second.
pub struct Watching {
    process: Process,
    lines: Lines,
    /// What it printed so far.
    pub seen: Vec<Value>,
    errors: Option<JoinHandle<String>>,
}

/// A watch that has ended.
pub struct Ended {
    pub status: ExitStatus,
    /// All lines, the report last.
    pub lines: Vec<Value>,
    pub errors: String,
}

impl Watching {
    /// At the receiver of a network, until the first line.
    pub fn start(network: &Network, words: &[&str]) -> Self {
        let command = [&[FRAGLENS, "watch"], words].concat();
        Self::of(network.start_at_receiver(&command))
    }

    /// The same without a line to wait for.
    pub fn of(mut process: Process) -> Self {
        let lines = Lines::of(process.0.stdout.take().expect("it is piped"));
        let mut errors = process.0.stderr.take().expect("it is piped");
        let errors = thread::spawn(move || {
            let mut text = String::new();
            drop(errors.read_to_string(&mut text));
            text
        });
        Self {
            process,
            lines,
            seen: Vec::new(),
            errors: Some(errors),
        }
    }

    /// Waits for a line that is as wanted.
    pub fn wait_for(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.lines.next(Duration::from_millis(100)) {
                Ok(line) => {
                    let line = parsed(&line);
                    self.seen.push(line.clone());
                    if wanted(&line) {
                        return line;
                    }
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                Err(error) => panic!("{error}: no {what} in {:#?}", self.seen.last()),
            }
        }
    }

    /// The first line that is as wanted, of those that came or that will.
    pub fn ever(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let seen = self.seen.iter().find(|line| wanted(line)).cloned();
        seen.unwrap_or_else(|| self.wait_for(what, wanted))
    }

    /// Takes what was printed until now: what is waited for then is of now.
    pub fn catch_up(&mut self) {
        while let Ok(line) = self.lines.next(Duration::ZERO) {
            self.seen.push(parsed(&line));
        }
    }

    /// Waits for the next snapshot.
    pub fn snapshot(&mut self) -> Value {
        self.wait_for("snapshot", |line| line["type"] == "snapshot")
    }

    /// Of the process.
    pub fn id(&self) -> u32 {
        self.process.0.id()
    }

    pub fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Asks it to end, and waits.
    pub fn end(self) -> Ended {
        self.signal("INT");
        self.ended()
    }

    /// Waits until it has ended.
    pub fn ended(mut self) -> Ended {
        let end = Instant::now() + PATIENCE;
        let mut lines = std::mem::take(&mut self.seen);
        loop {
            match self.lines.next(Duration::from_millis(100)) {
                Ok(line) => lines.push(parsed(&line)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => assert!(Instant::now() < end, "it goes on"),
            }
        }
        let errors = self.errors.take().expect("it is read once");
        Ended {
            status: self.process.0.wait().expect("it ends"),
            lines,
            errors: errors.join().expect("it is read"),
        }
    }
}

impl Ended {
    /// The report at the end.
    pub fn report(&self) -> &Value {
        let last = self.lines.last().expect("a line");
        assert_eq!(last["schema_version"], 1, "{}", self.errors);
        last
    }

    pub fn lines_of(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.lines.iter().filter(move |line| line["type"] == kind)
    }
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}
