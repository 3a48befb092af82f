//! What `fraglens watch` can be told, and what is meant by it.

use super::super::UsageError;
use super::super::args::{Format, Gravity, positive_time, size_of};
use super::super::layout::{Layout, LayoutArgs};
use super::super::options::{severity, span};
use super::super::stages::{StageArgs, StageOptions};
use super::super::terminal::Terminal;
use crate::model;
use crate::report::document::Severity;
use crate::source::LiveOptions;
use clap::ValueHint;
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  What is wrong on eth0, drawn anew each second:
    fraglens watch -i eth0
  Two interfaces, one host (fragments have no ports: filter by address):
    fraglens watch -i eth0 -i vxlan.calico host 10.16.0.9
  A minute of everything, then the report:
    fraglens watch -i any --duration 1m --quiet
  Findings as they come, for a program:
    fraglens watch -i eth0 --format ndjson | jq 'select(.type == \"finding\")'
  For days: figures for Prometheus, and the packets around each fault:
    fraglens watch -i eth0 --quiet --metrics 127.0.0.1:9464 --record /var/tmp/fraglens

Exit status:
  0  the packets were analysed, whatever was found in them
  1  an interface cannot be captured on
  2  wrong usage
  3  --fail-on was met";

/// What `fraglens watch` can be told.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "fraglens watch [OPTIONS] -i <INTERFACE>... [EXPRESSION]")]
pub struct WatchArgs {
    /// Only packets that match this expression, see pcap-filter(7)
    ///
    /// The kernel leaves all others out. An expression that tests ports takes away all
    /// fragments but the first of each datagram: only that one holds the ports.
    #[arg(value_name = "EXPRESSION")]
    pub words: Vec<OsString>,

    /// Interface to capture on, or any for all; may be repeated
    #[arg(
        short,
        long,
        value_name = "INTERFACE",
        required = true,
        help_heading = "Input"
    )]
    pub interface: Vec<String>,

    /// Ring of each interface, in which packets wait to be read
    #[arg(short = 'B', long, value_name = "SIZE", value_parser = buffer, default_value = "256MiB", help_heading = "Input")]
    pub buffer: u32,

    /// Capture only so many bytes of each packet; checksums are unverifiable then
    #[arg(short, long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(64..=262_144), help_heading = "Input")]
    pub snaplen: Option<u32>,

    /// Capture only what the interface would take anyway
    #[arg(short = 'p', long, help_heading = "Input")]
    pub no_promiscuous_mode: bool,

    /// End after so many packets
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Input")]
    pub count: Option<u64>,

    /// End after this time
    #[arg(long, value_name = "TIME", value_parser = positive_time, help_heading = "Input")]
    pub duration: Option<Duration>,

    /// How packets are decoded and reassembled
    #[command(flatten)]
    pub stages: StageArgs,

    /// How often the screen is drawn, or a line is written
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "1s", help_heading = "Watching")]
    pub interval: Duration,

    /// How far findings and flows look back; half of it at least
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "10s", help_heading = "Watching")]
    pub window: Duration,

    /// Serve metrics for Prometheus at this port of 127.0.0.1, or at this address
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = metrics_address, help_heading = "Watching")]
    pub metrics: Option<SocketAddr>,

    /// Flows that get metrics of their own, the worst first
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1000), help_heading = "Watching")]
    pub metrics_flows: u16,

    /// Write the packets around each finding into this directory
    #[arg(long, value_name = "DIRECTORY", value_hint = ValueHint::DirPath, help_heading = "Recording")]
    pub record: Option<PathBuf>,

    /// Time before and after a finding that is recorded
    #[arg(long, value_name = "TIME", value_parser = positive_time, default_value = "10s", help_heading = "Recording")]
    pub record_seconds: Duration,

    /// Mildest finding that is recorded
    #[arg(
        long,
        value_name = "SEVERITY",
        default_value = "warning",
        help_heading = "Recording"
    )]
    pub record_on: Gravity,

    /// Recordings that are kept; the oldest is deleted first
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Recording")]
    pub record_files: u32,

    /// Bytes of recordings that are kept
    #[arg(long, value_name = "SIZE", value_parser = size_of, default_value = "1GiB", help_heading = "Recording")]
    pub record_bytes: u64,

    /// Memory for the packets of the last seconds
    #[arg(long, value_name = "SIZE", value_parser = size_of, default_value = "256MiB", help_heading = "Recording")]
    pub record_memory: u64,

    /// Be this user once the interfaces are open
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Privileges (all are given up once the interfaces are open)"
    )]
    pub user: Option<String>,

    /// Keep the right to open an interface again that vanishes (CAP_NET_RAW)
    #[arg(
        long,
        help_heading = "Privileges (all are given up once the interfaces are open)"
    )]
    pub keep_net_raw: bool,

    /// How the report is written [default: text on a terminal, else ndjson]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub format: Option<Format>,

    /// What is in it, and where it goes
    #[command(flatten)]
    pub layout: LayoutArgs,

    /// Show and write nothing but the report at the end
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Everything `fraglens watch` needs to know.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// Where packets come from.
    pub live: LiveOptions,
    /// How they are read.
    pub stages: StageOptions,
    /// When it ends by itself.
    pub duration: Option<Duration>,
    /// Time between two snapshots.
    pub interval: Duration,
    /// How far is looked back.
    pub window: model::Duration,
    /// What is seen meanwhile.
    pub display: Display,
    /// Where metrics are served.
    pub metrics: Option<SocketAddr>,
    /// Flows with metrics of their own.
    pub metrics_flows: usize,
    /// What is recorded.
    pub record: Option<Record>,
    /// Who to be afterwards.
    pub user: Option<String>,
    /// Whether the right to open interfaces is kept.
    pub keep_net_raw: bool,
    /// What is in the report, and where it goes.
    pub layout: Layout,
}

/// What is seen while packets come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// A screen.
    Screen,
    /// Lines of JSON.
    Lines,
    /// What happens to recordings, on standard error.
    Notices,
    /// Nothing.
    Nothing,
}

/// What is recorded, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where recordings are written.
    pub directory: PathBuf,
    /// Before and after a finding.
    pub time: model::Duration,
    /// Mildest finding.
    pub on: Severity,
    /// Recordings that are kept.
    pub files: u32,
    /// Bytes of those.
    pub bytes: u64,
    /// Bytes of memory.
    pub memory: u64,
}

/// As libpcap's own bound: whole packets, whatever the interface joins together.
const WHOLE_PACKETS: u32 = 262_144;

/// Bytes handed to a decoder at once.
const BLOCK_BYTES: usize = 512 * 1024;

/// What `fraglens watch` was asked to do.
///
/// # Errors
///
/// What was typed does not fit together.
pub fn options(args: WatchArgs, terminal: &Terminal) -> Result<WatchOptions, UsageError> {
    if args.window < args.interval * 2 {
        let shown = |time| humantime::format_duration(time).to_string();
        return Err(UsageError::WindowTooShort(
            shown(args.window),
            shown(args.interval),
        ));
    }
    let on_terminal = terminal.output && terminal.input;
    let format = args.format.unwrap_or(match terminal.output {
        true => Format::Text,
        false => Format::Ndjson,
    });
    let is_elsewhere = args.layout.output.is_some();
    let display = match format {
        _ if args.quiet => Display::Nothing,
        Format::Ndjson => Display::Lines,
        Format::Text if on_terminal => Display::Screen,
        _ if is_elsewhere && on_terminal => Display::Screen,
        _ => Display::Notices,
    };
    let filter = expression(&args.words)?;
    Ok(WatchOptions {
        live: LiveOptions {
            interfaces: each_once(args.interface),
            filter,
            buffer_bytes: args.buffer,
            snaplen: args.snaplen.unwrap_or(WHOLE_PACKETS),
            promiscuous: !args.no_promiscuous_mode,
            count: args.count,
            block_bytes: BLOCK_BYTES,
        },
        stages: args.stages.into(),
        duration: args.duration,
        interval: args.interval,
        window: span(args.window),
        display,
        metrics: args.metrics,
        metrics_flows: args.metrics_flows.into(),
        record: args.record.map(|directory| Record {
            directory,
            time: span(args.record_seconds),
            on: severity(args.record_on),
            files: args.record_files,
            bytes: args.record_bytes,
            memory: args.record_memory,
        }),
        user: args.user,
        keep_net_raw: args.keep_net_raw,
        layout: Layout::new(args.layout, format, terminal),
    })
}

fn expression(words: &[OsString]) -> Result<Option<String>, UsageError> {
    let mut texts = Vec::new();
    for word in words {
        let not_text = || UsageError::FilterNotText(word.to_string_lossy().into_owned());
        texts.push(word.to_str().ok_or_else(not_text)?);
    }
    let expression = texts.join(" ");
    Ok(Some(expression).filter(|words| !words.trim().is_empty()))
}

/// Twice the same would count everything twice.
fn each_once(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

fn interval(text: &str) -> Result<Duration, String> {
    match positive_time(text)? {
        time if time < Duration::from_millis(100) => Err("must be at least 100ms".to_owned()),
        time if time > Duration::from_secs(600) => Err("must be at most 10m".to_owned()),
        time => Ok(time),
    }
}

/// Nobody else is to see them unless told otherwise.
fn metrics_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.trim_start_matches(':').parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse()
        .map_err(|_| "must be a port, or an address and a port as in 127.0.0.1:9464".to_owned())
}

/// libpcap takes a signed 32-bit number.
fn buffer(text: &str) -> Result<u32, String> {
    match size_of(text)? {
        0..1_048_576 => Err("must be at least 1MiB".to_owned()),
        bytes if bytes > i32::MAX as u64 => Err("must be less than 2GiB".to_owned()),
        bytes => Ok(bytes as u32),
    }
}
