//! From what was counted to a snapshot.

use super::args::WatchOptions;
use crate::host::{self, Interface};
use crate::model::{Duration, Timestamp};
use crate::pipeline::{Analysis, Harvest, Tally, Window};
use crate::report::document::{self, Report, Time};
use crate::report::{Parts, build};
use crate::source::{FileFacts, LiveControl, LiveStatus};
use crate::watch::{
    self, Captured, Capturing, Change, Findings, Moment, Rates, Reassembly, Snapshot, Totals,
};
use crate::witness::KernelCounters;

/// Most flows and tunnels that a snapshot has: what somebody may scroll through.
const LISTED: u64 = 200;

/// From when on frames can still be in a ring, seen from now.
const STILL_IN_RINGS: Duration = Duration::from_secs(-1);

/// Everything that is known so far.
pub(super) struct State<'a> {
    options: &'a WatchOptions,
    window: Window,
    findings: Findings,
    /// How it was when the window began, and half a window later.
    marks: [Mark; 2],
    /// When the capture began.
    begun: Mark,
    /// When the last snapshot was made.
    before: Mark,
    interfaces: Vec<Interface>,
    /// Most datagrams that were open or given up at once so far.
    lost: u64,
    /// No frame from before then is still to come.
    quiet_until: Timestamp,
    /// Whether nothing came before the last snapshot.
    was_quiet: bool,
}

/// What came of it all.
pub(super) struct Outcome {
    /// What was counted.
    pub analysis: Analysis,
    /// What the kernel counted meanwhile.
    pub kernel: Option<KernelCounters>,
    /// The interfaces of this host.
    pub interfaces: Vec<Interface>,
}

/// What is counted elsewhere, at one moment.
#[derive(Clone, Debug)]
struct Mark {
    elapsed: Duration,
    /// Frames dropped, of each interface.
    dropped: Vec<u64>,
    /// What the kernel says; `None` if it does not.
    moment: Option<Moment>,
}

impl<'a> State<'a> {
    pub fn new(options: &'a WatchOptions, now: Timestamp, control: &LiveControl) -> Self {
        let mark = Mark::at(now, Duration::default(), &control.statuses());
        Self {
            window: Window::new(options.window, options.layout.timeline_bucket, now),
            findings: Findings::default(),
            marks: [mark.clone(), mark.clone()],
            begun: mark.clone(),
            before: mark,
            interfaces: host::interfaces().unwrap_or_default(),
            lost: 0,
            quiet_until: Timestamp::MIN,
            was_quiet: false,
            options,
        }
    }

    /// Since when is looked at.
    pub fn recent(&self) -> Timestamp {
        self.window.begins()
    }

    /// What is quiet until then.
    pub fn quiet_until(&self) -> Timestamp {
        self.quiet_until
    }

    /// Datagrams that ceased to come or were given up since this was asked before. One
    /// that is on its way counts too, and the next one then does not.
    fn newly_lost(&mut self, open: u64) -> u64 {
        let lost = self.window.tally().bucket.datagrams_lost + open;
        let new = lost.saturating_sub(self.lost);
        self.lost = self.lost.max(lost);
        new
    }

    /// Takes what was counted until `now`, which is `elapsed` after the beginning.
    pub fn take(
        &mut self,
        harvest: Harvest,
        statuses: &[LiveStatus],
        now: Timestamp,
        elapsed: Duration,
    ) -> Snapshot {
        let turns = self.window.turns();
        let tally = self.window.take(harvest, now, elapsed);
        let mark = Mark::at(now, elapsed, statuses);
        if self.window.turns() != turns {
            self.marks.swap(0, 1);
            self.marks[1] = mark.clone();
        }
        // What cannot be told this time was so a second ago.
        self.interfaces = host::interfaces().unwrap_or(std::mem::take(&mut self.interfaces));
        let interval_seconds = (elapsed - self.before.elapsed).as_secs_f64();
        // Not at the first time: after a pause of this process the rings may be full.
        if tally.frames == 0 && self.was_quiet {
            self.quiet_until = now + STILL_IN_RINGS;
        }
        self.was_quiet = tally.frames == 0;
        let window = self.report_of_window(statuses, &mark);
        let held = self.window.held();
        let lost = self.newly_lost(held.datagrams);
        let snapshot = Snapshot {
            timestamp: Time(now),
            elapsed_seconds: elapsed.as_secs_f64(),
            interval_seconds,
            rates: rates(&tally, lost, interval_seconds),
            totals: totals(self.window.tally()),
            captured: self.captured(statuses),
            reassembly: Reassembly {
                open_datagrams: held.datagrams,
                memory_bytes: held.bytes,
                memory_limit_bytes: self.options.stages.reassembly.memory_bytes as u64,
                flows: self.window.flows() as u64,
            },
            // Whoever records says so.
            recorder: None,
            host: self.host(&mark),
            findings: self.findings.active(),
            window,
            window_seconds: self.window.age().as_secs_f64(),
        };
        self.before = mark;
        snapshot
    }

    /// What appeared and cleared with this snapshot.
    pub fn changes(&mut self, snapshot: &mut Snapshot) -> Vec<Change> {
        let found = &snapshot.window.findings;
        let changes = self.findings.take(found, snapshot.timestamp);
        snapshot.findings = self.findings.active();
        changes
    }

    /// All of the capture, `rest` being what was not yet taken, and what the kernel
    /// counted meanwhile.
    pub fn finish(self, rest: Analysis, now: Timestamp) -> Outcome {
        let end = Mark::at(now, Duration::default(), &[]);
        Outcome {
            kernel: self.begun.until(&end),
            interfaces: self.interfaces,
            analysis: self.window.finish(rest),
        }
    }

    fn report_of_window(&mut self, statuses: &[LiveStatus], now: &Mark) -> Report {
        let files = self.marks[0].files_since(statuses);
        let kernel = self.marks[0].until(now);
        let options = self.effective();
        let captured_on = &self.options.live.interfaces;
        let interfaces = &self.interfaces;
        self.window.look(|recent| {
            let parts = Parts {
                kernel: kernel.as_ref(),
                interfaces,
                captured_on,
                files: &files,
                ..Parts::of(&recent.ledger, &recent.forecasts, recent.not_modelled)
            };
            build(&parts, options)
        })
    }

    fn host(&self, now: &Mark) -> Option<watch::Host> {
        let (begun, before) = (self.begun.moment.as_ref()?, self.before.moment.as_ref()?);
        let captured_on = &self.options.live.interfaces;
        let now = now.moment.as_ref()?;
        Some(watch::host(
            begun,
            before,
            now,
            &self.interfaces,
            captured_on,
        ))
    }

    fn effective(&self) -> document::Options {
        let filter = self.options.live.filter.as_deref();
        let layout = &self.options.layout;
        document::Options {
            top: Some(LISTED),
            ..layout.effective(&self.options.stages, filter)
        }
    }

    fn is_down(&self, name: &str) -> bool {
        let is_it = |interface: &&Interface| interface.name == name;
        let interface = self.interfaces.iter().find(is_it);
        interface.is_some_and(|interface| interface.state == host::State::Down)
    }

    fn captured(&self, statuses: &[LiveStatus]) -> Vec<Captured> {
        let names = self.options.live.interfaces.iter();
        names
            .zip(statuses)
            .map(|(name, status)| Captured {
                name: name.clone(),
                state: match status.gone {
                    Some(_) => Capturing::Gone,
                    None if self.is_down(name) => Capturing::Down,
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
    fn at(at: Timestamp, elapsed: Duration, statuses: &[LiveStatus]) -> Self {
        let dropped = statuses.iter().map(dropped_of);
        let moment = || {
            Some(Moment {
                reading: host::read(at).ok()?,
                statistics: host::statistics().unwrap_or_default(),
            })
        };
        Self {
            elapsed,
            dropped: dropped.collect(),
            moment: moment(),
        }
    }

    /// What the kernel counted from then to `later`.
    fn until(&self, later: &Self) -> Option<KernelCounters> {
        let (earlier, later) = (self.moment.as_ref()?, later.moment.as_ref()?);
        Some(host::between(&earlier.reading, &later.reading))
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

/// `lost`: datagrams that were given up, or are open and were not before.
fn rates(tally: &Tally, lost: u64, seconds: f64) -> Rates {
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
        datagrams_lost_per_second: per_second(lost),
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
