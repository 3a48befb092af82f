//! What can be typed. The help texts here are the only source of `--help`, the
//! manual pages and the shell completions.

use super::capture::CaptureArgs;
pub use super::compare::CompareArgs;
pub use super::evidence::EvidenceArgs;
use super::layout::LayoutArgs;
use super::size;
pub use super::watch::WatchArgs;
use crate::diagnose;
use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsStr;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  fraglens analyze capture.pcap
  tcpdump -i eth0 -s 128 -w - udp | fraglens analyze -
  fraglens analyze --format json trace-*.pcapng.gz | jq '.flows[0]'

Exit status:
  0  the input was analysed, whatever was found in it
  1  input could not be read, or is damaged in the middle
  2  wrong usage
  3  --fail-on was met";

const ANALYZE_EXAMPLES: &str = "\
Examples:
  One report over a rotated set of files:
    fraglens analyze trace.pcap0 trace.pcap1 trace.pcap2
  Only what goes to one host (fragments have no ports: filter by address):
    fraglens analyze capture.pcap dst host 10.16.0.9
  While tcpdump is still writing:
    tcpdump -i eth0 -s 128 -w - udp | fraglens analyze -
  VXLAN on a port of its own, all flows into a spreadsheet:
    fraglens analyze --vxlan-port 5799 --format csv --top 0 ovs.pcap > flows.csv
  Fail a test run when something is wrong:
    fraglens analyze --quiet --fail-on warning capture.pcap";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  fraglens explain
  fraglens explain D09
  fraglens explain reassembly-memory d14
  fraglens explain --format json D16 | jq -r '.[].fix[].command'";

const INTERFACES_EXAMPLES: &str = "\
Examples:
  fraglens interfaces
  ip netns exec router fraglens interfaces
  fraglens interfaces --format json | jq -r '.[] | select(.state == \"up\") | .name'

Exit status:
  0  the interfaces were listed
  1  the kernel does not tell them
  2  wrong usage";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

/// Says why less arrives than was sent, from a packet capture.
///
/// fraglens follows every IP fragment and every checksum through every layer of
/// encapsulation, and says for each flow what was offered, what could be
/// delivered, and what became of the rest.
#[derive(Debug, Parser)]
#[command(name = "fraglens", version, styles = STYLES, after_help = EXAMPLES)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report on one or many capture files
    ///
    /// Reads pcap and pcapng, plain or compressed with gzip, zstd or lz4. Several
    /// files are one capture, ordered by time: a datagram whose fragments lie in
    /// two of them is put together.
    Analyze(Box<AnalyzeArgs>),
    /// Report on network interfaces while packets come
    ///
    /// On a terminal a screen that is drawn anew each second; else, or with
    /// `--format ndjson`, a line of JSON each second, and one for each finding that
    /// appears or clears. Both show what is true now, from the last seconds. Ends with
    /// q, Ctrl-C, --duration or --count, and then writes the report that `analyze` would
    /// write of the same packets.
    Watch(Box<WatchArgs>),
    /// Write a folder that proves what was found, for a ticket
    ///
    /// report.html and report.md for people, report.json and flows.csv for programs,
    /// evidence.pcapng with as few frames as it takes to find the same again, a comment
    /// on each that shows something, and MANIFEST.json with hashes of all.
    Evidence(Box<EvidenceArgs>),
    /// Say where along a path packets get lost, from captures at two or more points
    ///
    /// The captures show the same traffic: at the sender's pod, its node, the
    /// receiver's node and pod, say. Every datagram and every fragment is found again
    /// at the other points, in whatever tunnel, behind NAT, fragmented or put together
    /// on the way, joined or cut by a NIC, whatever the clocks say. What the captures
    /// lost themselves is told from what the path loses.
    Compare(Box<CompareArgs>),
    /// Print what is known of a finding, or list all that there are
    Explain(ExplainArgs),
    /// List the network interfaces of this host, with tunnels and offloads
    ///
    /// Those of the network namespace that it runs in, as the kernel describes
    /// them: state, MTU, addresses, what a capture on each would begin with, the
    /// parameters of tunnels, and the work that is left to the network card, which
    /// makes captures look odd. Needs no privileges.
    Interfaces(InterfacesArgs),
    /// Print the JSON Schema of the report, or of a comparison
    Schema {
        /// The document it is of
        #[arg(value_name = "DOCUMENT", default_value = "report")]
        document: Document,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page, for `man -l -`
    Man {
        /// The command it is about; without one, fraglens itself
        command: Option<String>,
    },
}

/// What `fraglens analyze` can be told.
#[derive(Debug, clap::Args)]
#[command(after_help = ANALYZE_EXAMPLES, override_usage = "fraglens analyze [OPTIONS] <FILE>... [EXPRESSION]")]
pub struct AnalyzeArgs {
    /// Which files are read, and how
    #[command(flatten)]
    pub capture: CaptureArgs,

    /// How the report is written
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Output"
    )]
    pub format: Format,

    /// What is in it, and where it goes
    #[command(flatten)]
    pub layout: LayoutArgs,
}

/// What `fraglens explain` can be told.
#[derive(Debug, clap::Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub struct ExplainArgs {
    /// Ids or names of findings, as in D09 or reassembly-memory; without one, a list of all
    ///
    /// A page says what it is, what in a capture shows it, what confirms and what
    /// denies it, the cheapest check that would prove it wrong, and what to do.
    #[arg(value_name = "FINDING", value_parser = FindingNames, hide_possible_values = true)]
    pub findings: Vec<String>,

    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ExplainFormat,

    /// Whether text is coloured; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: When,
}

/// How knowledge is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// For people
    Text,
    /// An array with an object for each finding
    Json,
}

/// What `fraglens interfaces` can be told.
#[derive(Debug, clap::Args)]
#[command(after_help = INTERFACES_EXAMPLES)]
pub struct InterfacesArgs {
    /// How they are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: InterfacesFormat,

    /// Whether text is coloured; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: When,
}

/// How interfaces are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InterfacesFormat {
    /// For people
    Text,
    /// An array with an object for each interface; what is not known is null
    Json,
}

/// Takes any text, and tells shells what there is to complete. What is no finding is
/// for [`options`](super::options) to say, which knows what may have been meant.
#[derive(Clone, Copy, Debug)]
struct FindingNames;

impl TypedValueParser for FindingNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |name, title| PossibleValue::new(name).help(title);
        let ids = diagnose::every().map(move |cause| value(cause.id, cause.title));
        let names = diagnose::every().map(move |cause| value(cause.name, cause.title));
        Some(Box::new(ids.chain(names)))
    }
}

/// A document that has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// What analyze, watch and evidence write
    Report,
    /// What compare writes
    Comparison,
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where it makes sense.
    #[value(help = None)]
    Auto,
    /// In any case.
    #[value(help = None)]
    Always,
    /// In no case.
    #[value(help = None)]
    Never,
}

/// How the report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// The whole document; `fraglens schema` describes it
    Json,
    /// The same on one line
    Ndjson,
    /// A row for each flow
    Csv,
    /// A comment for a ticket, of at most 30,000 characters
    Markdown,
    /// A page for a browser: one file, with charts
    Html,
}

/// What flows and tunnels are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortKey {
    /// Bytes offered but not deliverable
    Missing,
    /// Bytes
    Bytes,
    /// Packets
    Packets,
    /// Fragments
    Fragments,
    /// Wrong checksums and bad lengths
    Bad,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Gravity {
    /// Any finding
    Info,
    /// A warning or an error
    Warning,
    /// An error
    Error,
}

/// The longest span that is accepted; beyond it, it is a typing error.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

pub(super) fn time(text: &str, least: Duration) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time < least {
        Err(format!(
            "must be at least {}",
            humantime::format_duration(least)
        ))
    } else if time > YEAR {
        Err("must be at most a year".to_owned())
    } else {
        Ok(time)
    }
}

pub(super) fn positive_time(text: &str) -> Result<Duration, String> {
    time(text, Duration::from_millis(1))
}

pub(super) fn timeline_bucket(text: &str) -> Result<Duration, String> {
    time(text, Duration::from_millis(1))
}

pub(super) fn size_of(text: &str) -> Result<u64, String> {
    size::parse(text)
}

/// Less than a datagram could not put one together.
pub(super) fn reassembly_memory(text: &str) -> Result<u64, String> {
    match size::parse(text)? {
        0..2_097_152 => {
            Err("must be at least 2MiB: half of each of 16 shards holds one datagram".to_owned())
        }
        bytes => Ok(bytes),
    }
}
