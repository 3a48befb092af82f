//! What `fraglens compare` can be told, and what is meant.

use crate::cli::UsageError;
use crate::cli::args::{Format, Gravity, SortKey, When, positive_time, timeline_bucket};
use crate::cli::capture::{CaptureArgs, CaptureOptions};
use crate::cli::evidence::{EVIDENCE_BYTES, evidence_bytes};
use crate::cli::layout::{Layout, LayoutArgs};
use crate::cli::options::span;
use crate::cli::terminal::Terminal;
use crate::compare::{MAX_POINTS, Order};
use crate::model;
use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  From the sender's pod to the receiver's, by way of both nodes:
    fraglens compare pod-a.pcap node-a.pcap node-b.pcap pod-b.pcap
  In whatever order they lie:
    fraglens compare --order auto *.pcap
  Only what goes to one host, as a page:
    fraglens compare a.pcap b.pcap host 10.16.0.9 --format html -o path.html
  A bundle for a ticket, with what iperf3 said:
    fraglens compare a.pcap b.pcap --benchmark iperf3.txt --evidence ticket-4711

Exit status:
  0  the captures were compared, whatever was found
  1  one could not be read, or is damaged in the middle
  2  wrong usage
  3  --fail-on was met";

/// What `fraglens compare` can be told.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "fraglens compare [OPTIONS] <FILE> <FILE>... [EXPRESSION]",
    mut_arg("threads", |arg| arg.hide(true)),
    mut_arg("words", |arg| arg.help("Captures, one a point of the path, - for standard input; then a filter").long_help(None)),
)]
pub struct CompareArgs {
    /// Which files are read, and how
    #[command(flatten)]
    pub capture: CaptureArgs,

    /// In which order the points lie along the path
    #[arg(
        long,
        value_name = "ORDER",
        default_value = "given",
        help_heading = "Path"
    )]
    pub order: OrderKey,

    /// Longest time a packet may take from one end of the path to the other
    ///
    /// What was not seen at a point within this time is taken for lost. Memory grows
    /// with it. How far clocks are apart does not matter: that is found out first.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = positive_time, help_heading = "Path")]
    pub window: Duration,

    /// Write a bundle for a ticket into this folder, as `fraglens evidence` does
    ///
    /// report.html, report.md, report.json, flows.csv, evidence.pcapng with what shows
    /// the findings as seen at each point, one interface a point, and MANIFEST.json.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub evidence: Option<PathBuf>,

    /// Most bytes of evidence.pcapng
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = evidence_bytes, requires = "evidence", help_heading = "Output")]
    pub evidence_bytes: u64,

    /// How the comparison is written
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Output"
    )]
    pub format: Format,

    /// Write it to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Most flows listed, 0 for all [default: 10 in text and markdown, else 10000]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub top: Option<u64>,

    /// Shortest step of losses over time [default: 1s, in html 10ms; longer for long captures]
    #[arg(long, value_name = "TIME", value_parser = timeline_bucket, help_heading = "Output")]
    pub timeline_bucket: Option<Duration>,

    /// Exit with status 3 if there is a finding at least this grave
    #[arg(long, value_name = "SEVERITY", help_heading = "Output")]
    pub fail_on: Option<Gravity>,

    /// Whether text is coloured; auto: on a terminal, unless NO_COLOR is set
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    pub color: When,
}

/// In which order points lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderKey {
    /// As they are given
    Given,
    /// As TTLs and clocks tell
    Auto,
}

/// The same, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// Which files are read, and how.
    pub capture: CaptureOptions,
    /// What is in the comparison, and where it goes.
    pub layout: Layout,
    /// In which order the points lie.
    pub order: Order,
    /// Longest time that a packet may take.
    pub window: model::Duration,
    /// Where a bundle goes.
    pub evidence: Option<PathBuf>,
    /// Most bytes of the capture in it.
    pub evidence_bytes: u64,
}

/// What `fraglens compare` was asked to do.
///
/// # Errors
///
/// What was typed does not fit together.
pub fn options(args: CompareArgs, terminal: &Terminal) -> Result<CompareOptions, UsageError> {
    let format = match args.evidence {
        // Charts have something to show.
        Some(_) if args.timeline_bucket.is_none() => Format::Html,
        _ => args.format,
    };
    let layout = LayoutArgs {
        output: args.output,
        top: args.top,
        sort: SortKey::Missing,
        timeline_bucket: args.timeline_bucket,
        fail_on: args.fail_on,
        color: args.color,
    };
    let mut layout = Layout::new(layout, format, terminal);
    layout.format = args.format;
    let capture = CaptureOptions::new(args.capture, terminal)?;
    match capture.inputs.len() {
        0 | 1 => return Err(UsageError::OnePoint),
        points if points > MAX_POINTS => return Err(UsageError::TooManyPoints(MAX_POINTS)),
        _ => {}
    }
    Ok(CompareOptions {
        capture,
        layout,
        order: match args.order {
            OrderKey::Given => Order::Given,
            OrderKey::Auto => Order::Found,
        },
        window: span(args.window),
        evidence: args.evidence,
        evidence_bytes: args.evidence_bytes,
    })
}

const _: () = assert!(EVIDENCE_BYTES == 8 << 20, "the default above says so");
