//! What `fraglens evidence` can be told, and what is meant.

use crate::cli::UsageError;
use crate::cli::args::{Format, Gravity, SortKey, When, size_of, timeline_bucket};
use crate::cli::capture::{CaptureArgs, CaptureOptions};
use crate::cli::layout::{Layout, LayoutArgs};
use crate::cli::terminal::Terminal;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// Most bytes of a capture in a bundle, unless told otherwise: ticket systems take ten
/// million and more.
pub(in crate::cli) const EVIDENCE_BYTES: u64 = 8 << 20;

const EXAMPLES: &str = "\
Examples:
  A folder to look into, and to attach to a ticket:
    fraglens evidence capture.pcap -o ticket-4711
  One file to attach, with nothing in it that says whose traffic it was:
    fraglens evidence capture.pcap -o ticket-4711 --anonymize --tar ticket-4711.tar.zst
  With what the benchmark and the receiver's kernel counted:
    fraglens evidence --benchmark iperf3.txt --nstat nstat.txt capture.pcap -o slow-udp
  What is in it, found again:
    fraglens analyze ticket-4711/evidence.pcapng

Exit status:
  0  the bundle was written
  1  input could not be read or is damaged in the middle, or nothing was written
  2  wrong usage
  3  --fail-on was met";

/// What `fraglens evidence` can be told.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "fraglens evidence [OPTIONS] -o <DIR> <FILE>... [EXPRESSION]")]
pub struct EvidenceArgs {
    /// Which files are read, and how
    #[command(flatten)]
    pub capture: CaptureArgs,

    /// The folder that the bundle is written to, whole or not at all
    ///
    /// There must be nothing of that name, or an empty folder.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Bundle")]
    pub output: PathBuf,

    /// Pack the bundle into this file as well
    #[arg(long, value_name = "FILE.tar.zst", value_hint = ValueHint::FilePath, help_heading = "Bundle")]
    pub tar: Option<PathBuf>,

    /// Most bytes of evidence.pcapng
    ///
    /// Findings that rest on more than fits are named in the report of what was written.
    #[arg(long, value_name = "SIZE", value_parser = evidence_bytes, default_value = "8MiB", help_heading = "Bundle")]
    pub evidence_bytes: u64,

    /// Map addresses and replace payload
    ///
    /// IP addresses keep their common prefixes and what kind they are; lengths, fragments,
    /// times and the verdict on every checksum stay. The result is analysed again, and
    /// only written if it says the same. Names, comments and the command line are left
    /// out.
    #[arg(long, help_heading = "Anonymization")]
    pub anonymize: bool,

    /// File with the key, 32 bytes or 64 hexadecimal digits [default: a random key, which is forgotten]
    ///
    /// The same key maps the same address to the same one. Whoever has it can map them
    /// back.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "anonymize", help_heading = "Anonymization")]
    pub anonymize_key: Option<PathBuf>,

    /// Leave MAC addresses as they are
    ///
    /// Those of containers, of IPv6 hosts and of multicast groups are often made from an
    /// IP address, and give it away.
    #[arg(long, requires = "anonymize", help_heading = "Anonymization")]
    pub keep_macs: bool,

    /// Map VLAN ids and tunnel ids as well
    ///
    /// Keys of GRE that can be IPv4 addresses are mapped in any case. MPLS labels and the
    /// logical ports of OVN stay.
    #[arg(long, requires = "anonymize", help_heading = "Anonymization")]
    pub anonymize_ids: bool,

    /// Most flows and most tunnels listed, 0 for all [default: 10000]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub top: Option<u64>,

    /// What flows and tunnels are sorted by, largest first
    #[arg(
        long,
        value_name = "KEY",
        default_value = "missing",
        help_heading = "Output"
    )]
    pub sort: SortKey,

    /// Length of a step of the timeline [default: 1s, longer for long captures]
    #[arg(long, value_name = "TIME", value_parser = timeline_bucket, help_heading = "Output")]
    pub timeline_bucket: Option<Duration>,

    /// Exit with status 3 if there is a finding at least this grave
    #[arg(long, value_name = "SEVERITY", help_heading = "Output")]
    pub fail_on: Option<Gravity>,
}

/// The same, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceOptions {
    /// Which files are read, and how.
    pub capture: CaptureOptions,
    /// What is in the report.
    pub layout: Layout,
    /// Where the bundle goes.
    pub folder: PathBuf,
    /// The archive it is packed into.
    pub archive: Option<PathBuf>,
    /// Most bytes of the capture in it.
    pub evidence_bytes: u64,
    /// What is hidden; `None`: nothing.
    pub anonymize: Option<Hidden>,
}

/// What is hidden besides addresses and payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// File with the key.
    pub key: Option<PathBuf>,
    /// Whether MAC addresses are.
    pub macs: bool,
    /// Whether VLAN and tunnel ids are.
    pub ids: bool,
}

/// What `fraglens evidence` was asked to do.
///
/// # Errors
///
/// What was typed does not fit together.
pub fn options(args: EvidenceArgs, terminal: &Terminal) -> Result<EvidenceOptions, UsageError> {
    let layout = LayoutArgs {
        output: None,
        top: args.top,
        sort: args.sort,
        timeline_bucket: args.timeline_bucket,
        fail_on: args.fail_on,
        color: When::Never,
    };
    let is_inside = |tar: &PathBuf| tar.starts_with(&args.output);
    if args.tar.as_ref().is_some_and(is_inside) {
        let shown = args.output.display().to_string();
        return Err(UsageError::OneOutput(shown));
    }
    Ok(EvidenceOptions {
        layout: Layout::new(layout, Format::Html, terminal),
        capture: CaptureOptions::new(args.capture, terminal)?,
        folder: args.output,
        archive: args.tar,
        evidence_bytes: args.evidence_bytes,
        anonymize: args.anonymize.then_some(Hidden {
            key: args.anonymize_key,
            macs: !args.keep_macs,
            ids: args.anonymize_ids,
        }),
    })
}

/// Less would not hold one datagram of 64 KiB in fragments.
pub(in crate::cli) fn evidence_bytes(text: &str) -> Result<u64, String> {
    match size_of(text)? {
        0..131_072 => Err("must be at least 128KiB: a datagram can take half of it".to_owned()),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Args, Command};
    use clap::Parser;

    #[test]
    fn a_bundle_is_as_large_wherever_it_is_written() -> Result<(), String> {
        let typed = ["fraglens", "evidence", "a.pcap", "-o", "b"];
        match Args::try_parse_from(typed).map(|args| args.command) {
            Ok(Command::Evidence(args)) => {
                assert_eq!(args.evidence_bytes, EVIDENCE_BYTES);
                Ok(())
            }
            other => Err(format!("{other:?}")),
        }
    }
}
