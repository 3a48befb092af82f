//! Argument lists and what they mean, or exactly what is said against them.

use super::args::{AnalyzeArgs, Args, Command, Format, When};
use super::capture::CaptureOptions;
use super::layout::Layout;
use super::options::{self, AnalyzeOptions, Progress};
use super::receiver::ReceiverArgs;
use super::stages::StageOptions;
use super::terminal::Terminal;
use super::{Status, analyze, man};
use crate::decode::DecodeOptions;
use crate::model::Duration;
use crate::reassemble::Limits;
use crate::report::document::{Severity, Sort};
use crate::report::samples;
use crate::report::text::{Color, Style};
use clap::{CommandFactory, Parser};
use std::path::PathBuf;

/// A file that exists wherever the tests run.
const FILE: &str = "Cargo.toml";

fn typed(arguments: &str) -> Result<AnalyzeArgs, String> {
    let words = ["fraglens", "analyze"].into_iter();
    match Args::try_parse_from(words.chain(arguments.split_whitespace())) {
        Ok(Args {
            command: Command::Analyze(args),
        }) => Ok(*args),
        Ok(other) => Err(format!("{other:?}")),
        Err(told) => Err(told.to_string().lines().next().unwrap_or("").to_owned()),
    }
}

fn meant_on(arguments: &str, terminal: &Terminal) -> Result<AnalyzeOptions, String> {
    options::analyze(typed(arguments)?, terminal).map_err(|error| error.to_string())
}

fn meant(arguments: &str) -> Result<AnalyzeOptions, String> {
    meant_on(arguments, &Terminal::default())
}

#[test]
fn defaults_are_those_of_linux_and_a_screen() {
    let expected = AnalyzeOptions {
        capture: CaptureOptions {
            inputs: vec![PathBuf::from(FILE)],
            filter: None,
            sha256: When::Auto,
            stages: StageOptions {
                threads: None,
                decode: DecodeOptions::default(),
                reassembly: Limits {
                    timeout_v4: Duration::from_secs(30),
                    timeout_v6: Duration::from_secs(60),
                    memory_bytes: 64 << 20,
                },
                receiver: ReceiverArgs::default(),
            },
            benchmark: None,
            nstat: None,
            progress: Progress::Hidden,
        },
        layout: Layout {
            timeline_bucket: Duration::from_secs(1),
            sort: Sort::Missing,
            top: Some(10),
            format: Format::Text,
            style: Style::PLAIN,
            output: None,
            fail_on: None,
        },
    };
    assert_eq!(meant(FILE), Ok(expected));
}

#[test]
fn options_mean_what_they_say() -> anyhow::Result<()> {
    let all = "--vxlan-port 5799 --vxlan-port 99 --vxlan-port 5799 --no-auto-tunnel \
        --reassembly-timeout 2s --reassembly-memory 1GiB --threads 3 --format csv -o out.csv \
        --top 0 --sort bad --fail-on warning --sha256 never --timeline-bucket 100ms";
    let options = meant(&format!("{FILE} {all}")).map_err(anyhow::Error::msg)?;
    assert_eq!(options.capture.stages.decode.vxlan_ports, [99, 5799]);
    assert!(options.capture.stages.decode.auto_tunnel == crate::decode::AutoTunnel::Off);
    assert_eq!(
        options.capture.stages.reassembly.timeout_v4,
        Duration::from_secs(2)
    );
    assert_eq!(
        options.capture.stages.reassembly.timeout_v6,
        Duration::from_secs(2)
    );
    assert_eq!(options.capture.stages.reassembly.memory_bytes, 1 << 30);
    assert_eq!(options.capture.stages.threads, Some(3));
    assert_eq!(options.layout.output, Some(PathBuf::from("out.csv")));
    assert_eq!((options.layout.top, options.layout.sort), (None, Sort::Bad));
    assert_eq!(options.layout.fail_on, Some(Severity::Warning));
    assert_eq!(options.layout.timeline_bucket, Duration::from_millis(100));
    let top = |arguments| meant(arguments).map(|options| options.layout.top);
    assert_eq!(top("Cargo.toml --format json"), Ok(Some(10_000)));
    assert_eq!(top("Cargo.toml --format json --top 5"), Ok(Some(5)));
    let step = |arguments| meant(arguments).map(|options| options.layout.timeline_bucket);
    assert_eq!(
        step("Cargo.toml --format html"),
        Ok(Duration::from_millis(10))
    );
    assert_eq!(step("Cargo.toml --format json"), Ok(Duration::from_secs(1)));
    Ok(())
}

#[test]
fn files_come_first_and_then_the_expression() {
    let table: [(&str, &[&str], Option<&str>); 9] = [
        ("Cargo.toml src", &["Cargo.toml", "src"], None),
        (
            "Cargo.toml udp port 53",
            &["Cargo.toml"],
            Some("udp port 53"),
        ),
        ("- host 10.0.0.1", &["-"], Some("host 10.0.0.1")),
        (
            "Cargo.toml net 10.0.0.0/8",
            &["Cargo.toml"],
            Some("net 10.0.0.0/8"),
        ),
        (
            "Cargo.toml udp[4:2]/8=0",
            &["Cargo.toml"],
            Some("udp[4:2]/8=0"),
        ),
        ("missing", &["missing"], None),
        (
            "Cargo.toml missing.pcap.gz udp",
            &["Cargo.toml", "missing.pcap.gz"],
            Some("udp"),
        ),
        ("no/such/file udp", &["no/such/file"], Some("udp")),
        (
            "Cargo.toml -- len - 4 > 9",
            &["Cargo.toml"],
            Some("len - 4 > 9"),
        ),
    ];
    for (arguments, inputs, filter) in table {
        let found =
            meant(arguments).map(|options| (options.capture.inputs, options.capture.filter));
        let inputs = inputs.iter().map(PathBuf::from).collect();
        assert_eq!(
            found,
            Ok((inputs, filter.map(str::to_owned))),
            "{arguments}"
        );
    }
    let filter = meant("-f udp Cargo.toml").map(|options| options.capture.filter);
    assert_eq!(filter, Ok(Some("udp".to_owned())));
}

#[test]
fn what_makes_no_sense_is_said() {
    let table = [
        (
            "",
            "error: the following required arguments were not provided:",
        ),
        (
            "host 10.0.0.1",
            "no capture file: `host` is no existing file; give the files, or - for standard input, before the expression",
        ),
        (
            "Cargo.toml udp -f udp",
            "two filter expressions: give it behind the files or with --filter, not both",
        ),
        ("- -", "- (standard input) can be read only once"),
        (
            "Cargo.toml --vxlan-port 0",
            "error: invalid value '0' for '--vxlan-port <PORT>': 0 is not in 1..=65535",
        ),
        (
            "Cargo.toml --reassembly-timeout 30",
            "error: invalid value '30' for '--reassembly-timeout <TIME>': time unit needed, for example 30sec or 30ms",
        ),
        (
            "Cargo.toml --reassembly-timeout 0s",
            "error: invalid value '0s' for '--reassembly-timeout <TIME>': must be at least 1ms",
        ),
        (
            "Cargo.toml --timeline-bucket 9years",
            "error: invalid value '9years' for '--timeline-bucket <TIME>': must be at most a year",
        ),
        (
            "Cargo.toml --reassembly-memory 1kB",
            "error: invalid value '1kB' for '--reassembly-memory <SIZE>': must be at least 2MiB: half of each of 16 shards holds one datagram",
        ),
        (
            "Cargo.toml --threads 0",
            "error: invalid value '0' for '--threads <N>': 0 is not in 1..=1024",
        ),
        (
            "Cargo.toml --format pdf",
            "error: invalid value 'pdf' for '--format <FORMAT>'",
        ),
    ];
    for (arguments, message) in table {
        assert_eq!(
            meant(arguments).err().as_deref(),
            Some(message),
            "{arguments}"
        );
    }
    let terminal = Terminal {
        input: true,
        ..Terminal::default()
    };
    assert!(meant_on("-", &terminal).is_err_and(|why| why.contains("is a terminal")));
}

#[test]
fn colour_and_width_follow_the_terminal() {
    let terminal = Terminal {
        output: true,
        error: true,
        columns: Some(132),
        ..Terminal::default()
    };
    let style =
        |arguments, terminal| meant_on(arguments, terminal).map(|options| options.layout.style);
    let wide = |color| Ok(Style { width: 132, color });
    assert_eq!(style(FILE, &terminal), wide(Color::Ansi));
    assert_eq!(
        style("Cargo.toml --color never", &terminal),
        wide(Color::Plain)
    );
    assert_eq!(style("Cargo.toml -o out", &terminal), Ok(Style::PLAIN));
    let refusing = Terminal {
        refuses_color: true,
        ..terminal
    };
    assert_eq!(style(FILE, &refusing), wide(Color::Plain));
    assert_eq!(
        style("Cargo.toml --color always", &refusing),
        wide(Color::Ansi)
    );
    let progress =
        |arguments| meant_on(arguments, &terminal).map(|options| options.capture.progress);
    assert_eq!(progress(FILE), Ok(Progress::Shown));
    assert_eq!(progress("Cargo.toml -q"), Ok(Progress::Hidden));
}

#[test]
fn the_exit_status_follows_the_report() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("report.json");
    let arguments = format!("{FILE} --format json --fail-on info -o {}", path.display());
    let options = meant(&arguments).map_err(anyhow::Error::msg)?;
    let run = |report| analyze::run_with(&options, |_, _| Ok(report));
    // A file that is merely cut short is no failure, one that is missing is.
    assert_eq!(run(samples::netperf_loss())?, Status::Done);
    assert_eq!(run(samples::many())?, Status::Unreadable);
    assert_eq!(run(samples::with_finding())?, Status::FailOn);
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    assert_eq!(written["findings"][0]["id"], "D09");
    Ok(())
}

fn explained(arguments: &str) -> Result<Vec<&'static str>, String> {
    let words = ["fraglens", "explain"].into_iter();
    let typed = Args::try_parse_from(words.chain(arguments.split_whitespace()));
    match typed.map(|args| args.command) {
        Ok(Command::Explain(args)) => options::explain(&args, &Terminal::default())
            .map(|options| options.causes.iter().map(|cause| cause.id).collect())
            .map_err(|error| error.to_string()),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn findings_are_asked_for_by_id_or_name() {
    assert_eq!(explained(""), Ok(vec![]));
    let some = "d23 Reassembly-Memory D01 D23";
    assert_eq!(explained(some), Ok(vec!["D23", "D09", "D01", "D23"]));
    let unknown = explained("D01 corupption");
    let said = "there is no finding `corupption`: did you mean D21 (corruption)?";
    assert_eq!(unknown, Err(said.to_owned()));
    let nothing_near = explained("weather");
    let said = "there is no finding `weather`: `fraglens explain` lists all";
    assert_eq!(nothing_near, Err(said.to_owned()));
}

#[test]
fn the_commands_are_consistent() {
    Args::command().debug_assert();
}

#[test]
fn help_pages() {
    let mut command = Args::command().term_width(80);
    insta::assert_snapshot!("help", command.render_long_help());
    command.build();
    for name in ["analyze", "evidence", "watch", "explain", "man"] {
        if let Some(page) = command.find_subcommand_mut(name) {
            insta::assert_snapshot!(format!("help_{name}_short"), page.render_help());
            insta::assert_snapshot!(format!("help_{name}"), page.render_long_help());
        }
    }
}

#[test]
fn every_command_has_a_manual_page() -> anyhow::Result<()> {
    for command in Args::command().get_subcommands() {
        let page = String::from_utf8(man::page(Some(command.get_name()))?)?;
        assert!(
            page.contains(&format!("fraglens\\-{}", command.get_name())),
            "{page}"
        );
    }
    assert!(String::from_utf8(man::page(None)?)?.contains("SUBCOMMANDS"));
    assert!(man::page(Some("dance")).is_err_and(|why| why.to_string().contains("analyze, watch")));
    Ok(())
}
