//! From what was counted to a snapshot.

use super::args::WatchOptions;
use crate::model::Timestamp;
use crate::pipeline::{Analysis, Harvest, Recent, Tally, Window};
use crate::report::document::{self, Report, Time};
use crate::report::{Parts, build};
use crate::source::{FileFacts, LiveControl, LiveStatus};
use crate::watch::{Captured, Capturing, Change, Findings, Rates, Reassembly, Snapshot, Totals};

/// Most flows and tunnels that a snapshot has: what somebody may scroll through.
const LISTED: u64 = 200;

/// Everything that is known so far.
pub(super) struct State<'a> {
    options: &'a WatchOptions,
    window: Window,
    findings: Findings,
    /// How it was when the window began, and half a window later.
    marks: [Mark; 2],
    /// When the last snapshot was made.
    before: Timestamp,
}

/// What is counted elsewhere, at one moment.
#[derive(Clone, Debug, Default)]
struct Mark {
    dropped: Vec<u64>,
}

impl<'a> State<'a> {
    pub fn new(options: &'a WatchOptions, now: Timestamp, control: &LiveControl) -> Self {
        let mark = Mark::of(&control.statuses());
        Self {
            window: Window::new(options.window, options.layout.timeline_bucket, now),
            findings: Findings::default(),
            marks: [mark.clone(), mark],
            before: now,
            options,
        }
    }

    /// Since when is looked at.
    pub fn recent(&self) -> Timestamp {
        self.window.begins()
    }

    /// Takes what was counted until `now`.
    pub fn take(
        &mut self,
        harvest: Harvest,
        statuses: Vec<LiveStatus>,
        now: Timestamp,
        elapsed_seconds: f64,
    ) -> Snapshot {
        let begun = self.window.begins();
        let tally = self.window.take(harvest, now);
        if self.window.begins() != begun {
            self.marks.swap(0, 1);
            self.marks[1] = Mark::of(&statuses);
        }
        let interval_seconds = (now - self.before).as_secs_f64();
        self.before = now;
        let window = self.report_of_window(&statuses);
        let held = self.window.held();
        Snapshot {
            timestamp: Time(now),
            elapsed_seconds,
            interval_seconds,
            rates: rates(&tally, interval_seconds),
            totals: totals(self.window.tally()),
            captured: self.captured(&statuses),
            reassembly: Reassembly {
                open_datagrams: held.datagrams,
                memory_bytes: held.bytes,
                memory_limit_bytes: self.options.stages.reassembly.memory_bytes as u64,
                flows: self.window.flows() as u64,
            },
            host: None,
            findings: self.findings.active(),
            window,
            window_seconds: (now - self.window.begins()).as_secs_f64(),
        }
    }

    /// What appeared and cleared with this snapshot.
    pub fn changes(&mut self, snapshot: &mut Snapshot) -> Vec<Change> {
        let found = &snapshot.window.findings;
        let changes = self.findings.take(found, snapshot.timestamp);
        snapshot.findings = self.findings.active();
        changes
    }

    pub fn finish(self, rest: Analysis) -> Analysis {
        self.window.finish(rest)
    }

    fn report_of_window(&mut self, statuses: &[LiveStatus]) -> Report {
        let files = self.marks[0].files_since(statuses);
        let options = self.effective();
        self.window
            .look(|recent| report_of(recent, &files, options))
    }

    fn effective(&self) -> document::Options {
        let filter = self.options.live.filter.as_deref();
        let layout = &self.options.layout;
        document::Options {
            top: Some(LISTED),
            ..layout.effective(&self.options.stages, filter)
        }
    }

    fn captured(&self, statuses: &[LiveStatus]) -> Vec<Captured> {
        let names = self.options.live.interfaces.iter();
        names
            .zip(statuses)
            .map(|(name, status)| Captured {
                name: name.clone(),
                state: match status.gone {
                    Some(_) => Capturing::Gone,
                    None => Capturing::Live,
                },
                problem: status.gone.clone(),
                frames: status.counts.frames,
                received: status.counts.received,
                dropped: status.counts.dropped,
                interface_dropped: status.counts.interface_dropped,
            })
            .collect()
    }
}

impl Mark {
    fn of(statuses: &[LiveStatus]) -> Self {
        let dropped = statuses.iter().map(dropped_of);
        Self {
            dropped: dropped.collect(),
        }
    }

    /// The inputs, as if they began at the mark.
    fn files_since(&self, statuses: &[LiveStatus]) -> Vec<FileFacts> {
        let since = |(index, status): (usize, &LiveStatus)| {
            let before = self.dropped.get(index).copied().unwrap_or(0);
            FileFacts {
                dropped_frames: Some(dropped_of(status).saturating_sub(before)),
                ..status.facts.clone()
            }
        };
        statuses.iter().enumerate().map(since).collect()
    }
}

fn dropped_of(status: &LiveStatus) -> u64 {
    status.counts.dropped + status.counts.interface_dropped
}

fn report_of(recent: &Recent, files: &[FileFacts], options: document::Options) -> Report {
    let parts = Parts {
        ledger: &recent.ledger,
        forecasts: &recent.forecasts,
        not_modelled: recent.not_modelled,
        benchmark: None,
        kernel: None,
        files,
        warnings: &[],
    };
    build(&parts, options)
}

fn rates(tally: &Tally, seconds: f64) -> Rates {
    let per_second = |count: u64| {
        if seconds > 0.0 {
            count as f64 / seconds
        } else {
            0.0
        }
    };
    let bucket = &tally.bucket;
    Rates {
        frames_per_second: per_second(tally.frames),
        offered_bits_per_second: per_second(tally.bytes.saturating_mul(8)),
        deliverable_bits_per_second: per_second(bucket.deliverable_bytes.saturating_mul(8)),
        fragments_per_second: per_second(bucket.fragments),
        datagrams_completed_per_second: per_second(bucket.datagrams_completed),
        datagrams_lost_per_second: per_second(bucket.datagrams_lost),
    }
}

fn totals(tally: &Tally) -> Totals {
    Totals {
        frames: tally.frames,
        bytes: tally.bytes,
        deliverable_bytes: tally.bucket.deliverable_bytes,
        counters: tally.counters,
    }
}
