//! `fraglens watch`: from interfaces to a screen, lines or metrics, and a report.

mod args;
mod clock;
mod printer;
mod saver;
mod state;
mod views;
mod watcher;

pub use args::{Display, Record, WatchArgs, WatchOptions, options};

use super::evidence::Watched;
use super::interrupt::Interrupt;
use super::options::span;
use super::output::Output;
use super::privileges::{Privileges, explain_denied, is_denied};
use super::{Status, UsageError};
use crate::host;
use crate::model::Timestamp;
use crate::pipeline;
use crate::receiver::Settings;
use crate::report::document::Report;
use crate::report::{Parts, build, escape};
use crate::source::{Live, LiveError, Source};
use anyhow::anyhow;
use state::Outcome;
use std::io::{self, Write};
use views::Views;
use watcher::Watcher;

/// Watches until told otherwise, writes the report and says what came of it.
pub(super) fn run(options: &WatchOptions) -> anyhow::Result<Status> {
    let stages = options
        .stages
        .pipeline(None, as_here(), options.layout.timeline_bucket)?;
    let mut source = open(options)?;
    give_up_privileges(options)?;
    // From here on there may be threads, which have no more rights than this one; and who
    // writes the report opens it.
    let output = Output::open(options.layout.output.as_deref(), &[])?;
    let mut views = Views::new(options, watched(options, &stages), &mut source)?;
    let has_screen = options.display == Display::Screen;
    let interrupt = Interrupt::listen_until_done(has_screen)?;
    views.show_screen(options)?;
    let mut watcher = Watcher::new(options, source.control(), interrupt, views);
    let (watched, rest) = pipeline::watch(&mut source, &stages, |live| watcher.run(live))?;
    let report = report(options, &watcher.finish(rest), &source);
    // Whoever looked on may have gone; a file is still to be written.
    let finished = options.layout.finish(&report, output);
    watched?;
    finished
}

/// What a bundle is made with that is written meanwhile.
fn watched(options: &WatchOptions, stages: &pipeline::Options) -> Watched {
    let filter = options.live.filter.as_deref();
    Watched {
        stages: stages.clone(),
        effective: options.layout.effective(&options.stages, filter),
        captured_on: options.live.interfaces.clone(),
    }
}

/// Receivers are taken to be set as this host is, which most often is one.
fn as_here() -> Settings {
    let mut settings = Settings::default();
    let Ok(here) = host::read(Timestamp::MIN) else {
        return settings;
    };
    let given = |value: &mut u64, here: Option<u64>| *value = here.unwrap_or(*value);
    given(&mut settings.ipfrag_high_thresh, here.ipv4.memory_bytes);
    given(&mut settings.ip6frag_high_thresh, here.ipv6.memory_bytes);
    settings.ipfrag_time = here.ipv4.time.map_or(settings.ipfrag_time, span);
    settings.ip6frag_time = here.ipv6.time.map_or(settings.ip6frag_time, span);
    settings
}

fn open(options: &WatchOptions) -> anyhow::Result<Live> {
    Live::open(options.live.clone()).map_err(|error| match &error {
        LiveError::Filter { .. } => UsageError::Expression(error.to_string()).into(),
        LiveError::Unavailable { interface, reason } if is_denied(reason) => {
            anyhow!(explain_denied(interface, reason))
        }
        LiveError::Unavailable { interface, reason } => {
            anyhow!("cannot capture on {interface}: {reason}; `fraglens interfaces` lists all")
        }
    })
}

fn give_up_privileges(options: &WatchOptions) -> anyhow::Result<()> {
    let privileges = Privileges {
        user: options.user.clone(),
        keep_net_raw: options.keep_net_raw,
    };
    let given_up = privileges.give_up()?;
    if options.display != Display::Nothing {
        for sentence in given_up.sentences() {
            let _ = writeln!(io::stderr(), "{}", escape::line(&sentence));
        }
    }
    Ok(())
}

/// On standard error; nobody is left to be told if that is closed.
fn say(message: &str) {
    let _ = writeln!(io::stderr(), "fraglens: {}", escape::line(message));
}

/// What `analyze` would say of the same packets, and what this host knows besides.
fn report(options: &WatchOptions, outcome: &Outcome, source: &Live) -> Report {
    let filter = options.live.filter.as_deref();
    let analysis = &outcome.analysis;
    let parts = Parts {
        kernel: outcome.kernel.as_ref(),
        interfaces: &outcome.interfaces,
        captured_on: &options.live.interfaces,
        files: &source.files(),
        ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
    };
    let mut report = build(&parts, options.layout.effective(&options.stages, filter));
    // The kernel took them away and counts none.
    report.capture.filtered_frames = None;
    report
}
