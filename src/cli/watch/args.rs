//! What `fraglens watch` can be told, and what is meant by it.

use super::super::UsageError;
use super::super::args::{Format, Gravity, positive_time, size_of, time};
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
  1  it could not begin (no such interface, no right to capture, an address or a
     directory that cannot be used), or the report could not be written
  2  wrong usage
  3  --fail-on was met";

/// What `fraglens watch` can be told.
#[derive(Debug, clap::Args)]
#[command(mut_args(of_this_host), after_help = EXAMPLES, override_usage = "fraglens watch [OPTIONS] -i <INTERFACE>... [EXPRESSION]")]
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
    ///
    /// Packets that find it full are dropped. They are counted and shown, and make D36
    /// appear.
    #[arg(short = 'B', long, value_name = "SIZE", value_parser = buffer, default_value = "256MiB", help_heading = "Input")]
    pub buffer: u32,

    /// Capture only so many bytes of each packet; checksums are unverifiable then
    #[arg(short, long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(64..=262_144), help_heading = "Input")]
    pub snaplen: Option<u32>,

    /// Leave promiscuous mode off: only packets that the interface takes anyway
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

    /// Time from one snapshot to the next: drawn on the screen, or written as a line
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "1s", help_heading = "Watching")]
    pub interval: Duration,

    /// How far findings and flows look back: so long at most, half of it at least
    ///
    /// Must be twice the interval or more.
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "10s", help_heading = "Watching")]
    pub window: Duration,

    /// Serve metrics for Prometheus at this port of 127.0.0.1, or at this address
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = metrics_address, help_heading = "Watching")]
    pub metrics: Option<SocketAddr>,

    /// Flows that get metrics of their own, the worst first
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=200), help_heading = "Watching")]
    pub metrics_flows: u16,

    /// Write the packets around each finding into this directory, as pcapng
    ///
    /// It is made if it is not there. A recording is called by time (UTC) and findings, as
    /// in fraglens-2026-01-02T030405Z-D09.pcapng, and holds what went wrong as comments, on
    /// the file and on the packets that show it. Key s on the screen writes one, too.
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
    ///
    /// One that was renamed is not counted and never deleted.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Recording")]
    pub record_files: u32,

    /// Bytes of all recordings that are kept; one takes a fourth at most
    #[arg(long, value_name = "SIZE", value_parser = size_of, default_value = "1GiB", help_heading = "Recording")]
    pub record_bytes: u64,

    /// Memory for the packets of the last seconds
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "256MiB", help_heading = "Recording")]
    pub record_memory: u64,

    /// Become this user once the interfaces are open
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
    ///
    /// And what is seen until then. With text a screen, if standard input and output are
    /// a terminal. With ndjson a line of JSON for each snapshot, and one for each finding
    /// that appears or clears. With any other nothing, or a screen if the report goes to
    /// a file.
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

/// What receivers are taken to be unless it is typed: as [`super::as_here`] has it.
fn of_this_host(setting: clap::Arg) -> clap::Arg {
    let meaning = match setting.get_id().as_str() {
        "ipfrag_time" => "net.ipv4.ipfrag_time [default: as on this host]",
        "ipfrag_high_thresh" => {
            "net.ipv4.ipfrag_high_thresh: memory for unfinished datagrams [default: as on this host]"
        }
        "ip6frag_time" => "net.ipv6.ip6frag_time [default: as on this host]",
        "ip6frag_high_thresh" => "net.ipv6.ip6frag_high_thresh [default: as on this host]",
        _ => return setting,
    };
    setting.help(meaning)
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
    match time(text, Duration::from_millis(100))? {
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

fn memory(text: &str) -> Result<u64, String> {
    match size_of(text)? {
        0..1_048_576 => Err("must be at least 1MiB".to_owned()),
        bytes => Ok(bytes),
    }
}

/// libpcap takes a signed 32-bit number.
fn buffer(text: &str) -> Result<u32, String> {
    match size_of(text)? {
        0..1_048_576 => Err("must be at least 1MiB".to_owned()),
        bytes if bytes > i32::MAX as u64 => Err("must be less than 2GiB".to_owned()),
        bytes => Ok(bytes as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::args::{Args, Command};
    use super::*;
    use clap::Parser;

    const BOTH: Terminal = Terminal {
        input: true,
        output: true,
        error: true,
        columns: Some(80),
        refuses_color: false,
    };

    fn meant_on(arguments: &str, terminal: &Terminal) -> Result<WatchOptions, String> {
        let words = ["fraglens", "watch"].into_iter();
        match Args::try_parse_from(words.chain(arguments.split_whitespace())) {
            Ok(Args {
                command: Command::Watch(args),
            }) => options(*args, terminal).map_err(|error| error.to_string()),
            Ok(other) => Err(format!("{other:?}")),
            Err(told) => Err(told.to_string().lines().next().unwrap_or("").to_owned()),
        }
    }

    fn meant(arguments: &str) -> Result<WatchOptions, String> {
        meant_on(arguments, &Terminal::default())
    }

    #[test]
    fn what_is_seen_follows_format_and_terminal() {
        let output_only = Terminal {
            input: false,
            ..BOTH
        };
        let (none, text, ndjson) = (Terminal::default(), Format::Text, Format::Ndjson);
        let (json, csv) = (Format::Json, Format::Csv);
        let table = [
            ("", BOTH, Display::Screen, text),
            ("", output_only, Display::Notices, text),
            ("", none, Display::Lines, ndjson),
            ("-o out", BOTH, Display::Screen, text),
            ("-o out", none, Display::Lines, ndjson),
            ("--format text", none, Display::Notices, text),
            ("--format ndjson", BOTH, Display::Lines, ndjson),
            ("--format ndjson -o out", BOTH, Display::Lines, ndjson),
            ("--format json", BOTH, Display::Notices, json),
            ("--format json -o out", BOTH, Display::Screen, json),
            ("--format json -o out", none, Display::Notices, json),
            ("--format csv -o out", BOTH, Display::Screen, csv),
            ("-q", BOTH, Display::Nothing, text),
            ("-q", none, Display::Nothing, ndjson),
            ("-q --format ndjson", BOTH, Display::Nothing, ndjson),
        ];
        for (arguments, terminal, display, format) in table {
            let meant = meant_on(&format!("-i eth0 {arguments}"), &terminal);
            let seen = meant.map(|options| (options.display, options.layout.format));
            assert_eq!(seen, Ok((display, format)), "{arguments} {terminal:?}");
        }
    }

    #[test]
    fn defaults_are_whole_packets_of_a_promiscuous_interface() -> Result<(), String> {
        let options = meant("-i eth0")?;
        assert_eq!(options.live.interfaces, ["eth0"]);
        assert_eq!(options.live.filter, None);
        assert_eq!(options.live.buffer_bytes, 256 << 20);
        assert_eq!(options.live.snaplen, WHOLE_PACKETS);
        assert!(options.live.promiscuous);
        assert_eq!((options.live.count, options.duration), (None, None));
        assert_eq!(options.interval, Duration::from_secs(1));
        assert_eq!(options.window, model::Duration::from_secs(10));
        assert_eq!((options.metrics, options.record), (None, None));
        assert!(!options.keep_net_raw);
        Ok(())
    }

    #[test]
    fn options_mean_what_they_say() -> Result<(), String> {
        let options = meant(
            "-i eth0 -B 1MiB -s 128 -p -c 7 --duration 1m --interval 500ms --window 1s \
             --metrics 127.0.0.1:9464 --metrics-flows 5 --user nobody --keep-net-raw \
             --record there --record-seconds 3s --record-on error --record-files 2 \
             --record-bytes 9MiB --record-memory 8MiB",
        )?;
        let live = &options.live;
        assert_eq!((live.buffer_bytes, live.snaplen), (1 << 20, 128));
        assert_eq!((live.promiscuous, live.count), (false, Some(7)));
        assert_eq!(options.duration, Some(Duration::from_secs(60)));
        assert_eq!(options.interval, Duration::from_millis(500));
        assert_eq!(options.window, model::Duration::from_secs(1));
        let metrics = SocketAddr::from(([127, 0, 0, 1], 9464));
        assert_eq!(options.metrics, Some(metrics));
        assert_eq!(options.metrics_flows, 5);
        assert_eq!(options.user.as_deref(), Some("nobody"));
        assert!(options.keep_net_raw);
        let record = Record {
            directory: PathBuf::from("there"),
            time: model::Duration::from_secs(3),
            on: Severity::Error,
            files: 2,
            bytes: 9 << 20,
            memory: 8 << 20,
        };
        assert_eq!(options.record, Some(record));
        Ok(())
    }

    #[test]
    fn an_interface_named_twice_is_captured_on_once() {
        let names = |arguments| meant(arguments).map(|options| options.live.interfaces);
        let both = vec!["eth1".to_owned(), "eth0".to_owned()];
        assert_eq!(names("-i eth1 -i eth0 -i eth1"), Ok(both));
    }

    #[test]
    fn the_words_behind_the_options_are_an_expression() {
        let filter = |arguments| meant(arguments).map(|options| options.live.filter);
        let some = |expression: &str| Ok(Some(expression.to_owned()));
        assert_eq!(filter("-i eth0 host 10.0.0.1"), some("host 10.0.0.1"));
        // A file of that name is none here.
        assert_eq!(filter("-i eth0 udp Cargo.toml"), some("udp Cargo.toml"));
        assert_eq!(filter("-i eth0 -- len - 4 > 9"), some("len - 4 > 9"));
        assert_eq!(filter("udp -i eth0"), some("udp"));
        let blank = vec![OsString::from(" "), OsString::new()];
        assert_eq!(expression(&blank), Ok(None));
    }

    #[test]
    fn an_expression_that_is_no_text_is_refused() {
        use std::os::unix::ffi::OsStringExt;
        let words = [OsString::from("host"), OsString::from_vec(vec![0xff])];
        let refused = UsageError::FilterNotText("\u{fffd}".to_owned());
        assert_eq!(expression(&words), Err(refused));
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let table = [
            (
                "",
                "error: the following required arguments were not provided:",
            ),
            (
                "-i eth0 --window 1s",
                "--window 1s must be at least twice --interval 1s",
            ),
            (
                "-i eth0 --interval 6s",
                "--window 10s must be at least twice --interval 6s",
            ),
            (
                "-i eth0 --interval 99ms",
                "error: invalid value '99ms' for '--interval <TIME>': must be at least 100ms",
            ),
            (
                "-i eth0 --window 11m",
                "error: invalid value '11m' for '--window <TIME>': must be at most 10m",
            ),
            (
                "-i eth0 -B 1MB",
                "error: invalid value '1MB' for '--buffer <SIZE>': must be at least 1MiB",
            ),
            (
                "-i eth0 -B 2GiB",
                "error: invalid value '2GiB' for '--buffer <SIZE>': must be less than 2GiB",
            ),
            (
                "-i eth0 -s 63",
                "error: invalid value '63' for '--snaplen <BYTES>': 63 is not in 64..=262144",
            ),
            (
                "-i eth0 --metrics-flows 1001",
                "error: invalid value '1001' for '--metrics-flows <N>': 1001 is not in 0..=200",
            ),
        ];
        for (arguments, message) in table {
            let said = meant(arguments).err();
            assert_eq!(said.as_deref(), Some(message), "{arguments}");
        }
        assert!(meant("-i eth0 --interval 5s").is_ok());
    }
}
