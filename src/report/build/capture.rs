//! What was read, and how far it can be trusted.

use super::Parts;
use crate::account::{self, Ledger};
use crate::model::facts::{LayerKind, Why};
use crate::model::scope::MAX_SCOPES;
use crate::receiver::NotModelled;
use crate::report::document::{Capture, CaptureFile, Options, Problem, Severity, Time};
use crate::source::{self, FileFacts};
use std::collections::BTreeMap;

/// The capture as a whole.
pub(super) fn capture(parts: &Parts<'_>, options: &Options) -> Capture {
    let counted = &parts.ledger.capture;
    let has_frames = counted.frames > 0;
    let span = counted.span();
    Capture {
        files: parts.files.iter().map(file).collect(),
        frames: counted.frames,
        filtered_frames: options.filter.as_ref().map(|_| counted.filtered_frames),
        bytes: counted.bytes,
        first_timestamp: has_frames.then_some(Time(span.first)),
        last_timestamp: has_frames.then_some(Time(span.last)),
        duration_seconds: has_frames.then(|| (span.last - span.first).as_secs_f64()),
        truncated_frames: counted.truncated_frames,
        undecoded_frames: undecoded(&parts.ledger.undecoded),
        dropped_frames: FileFacts::dropped_frames_of(parts.files),
        limits: limits(parts.ledger, parts.not_modelled),
        problems: warnings(parts),
    }
}

fn warnings(parts: &Parts<'_>) -> Vec<Problem> {
    let given = parts.warnings.iter().map(|text| warning(text));
    let overlap = overlapping_files(parts);
    given.chain(overlap.as_deref().map(warning)).collect()
}

/// Files are read one after the other. That is their order in time unless they were
/// captured at the same time, in two places or on two interfaces.
fn overlapping_files(parts: &Parts<'_>) -> Option<String> {
    let spans = parts.ledger.capture.spans();
    let files = || spans.iter().zip(parts.files);
    let (earlier, later) = files()
        .zip(files().skip(1))
        .find(|((before, file), (after, _))| after.first < before.last && !file.is_live)
        .map(|((_, before), (_, after))| (&before.path, &after.path))?;
    Some(format!(
        "{earlier} and {later} overlap in time and were read one after the other: \
         datagrams with fragments in both may be taken for timed out"
    ))
}

fn warning(message: &str) -> Problem {
    Problem {
        severity: Severity::Warning,
        message: message.to_owned(),
    }
}

/// One file.
pub(in crate::report) fn file(facts: &FileFacts) -> CaptureFile {
    CaptureFile {
        path: facts.path.clone(),
        format: facts.format.map(str::to_owned),
        compression: facts.compression.map(str::to_owned),
        bytes: facts.bytes,
        sha256: facts.sha256.clone(),
        link_types: facts.link_types.clone(),
        snaplen: facts.snaplen,
        frames: facts.frames,
        problems: facts.problems.iter().map(problem).collect(),
    }
}

fn problem(problem: &source::Problem) -> Problem {
    Problem {
        severity: match problem.severity {
            source::Severity::Note => Severity::Info,
            source::Severity::CutOff => Severity::Warning,
            source::Severity::Damaged | source::Severity::Unreadable => Severity::Error,
        },
        message: problem.text.clone(),
    }
}

fn limits(ledger: &Ledger, not_modelled: NotModelled) -> BTreeMap<String, u64> {
    let mut limits = BTreeMap::new();
    if let Some(beyond) = ledger.flows.beyond() {
        let packets = beyond.counters().packets;
        let bound = ledger.flows.bound();
        limits.insert(format!("packets_of_flows_beyond_{bound}"), packets);
    }
    if let Some(beyond) = ledger.tunnels.beyond() {
        let packets = beyond.counters().packets;
        let bound = ledger.tunnels.bound();
        limits.insert(format!("packets_of_tunnels_beyond_{bound}"), packets);
    }
    if ledger.scopes.is_overfull() {
        limits.insert("scopes_remembered".to_owned(), MAX_SCOPES as u64);
    }
    let beside_the_model = [
        ("fragments_without_forecast", not_modelled.fragments),
        ("receivers_given_up", not_modelled.hosts_given_up),
    ];
    for (name, count) in beside_the_model {
        if count > 0 {
            limits.insert(name.to_owned(), count);
        }
    }
    let unopened = ledger.reassembly_limits.tunnels_unopened;
    if unopened > 0 {
        limits.insert(
            "tunnels_unopened_for_reassembly_memory".to_owned(),
            unopened,
        );
    }
    limits
}

/// Distinct reasons that are listed; the rest is added up.
const MAX_REASONS: usize = 64;

fn undecoded(undecoded: &account::Undecoded) -> BTreeMap<String, u64> {
    let mut reasons: Vec<(String, u64)> = undecoded
        .iter()
        .map(|(layer, why, is_cut, count)| (reason(layer, why, is_cut), count))
        .collect();
    reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let others: u64 = reasons
        .iter()
        .skip(MAX_REASONS)
        .map(|(_, count)| count)
        .sum();
    reasons.truncate(MAX_REASONS);
    let mut listed = BTreeMap::new();
    for (reason, count) in reasons {
        *listed.entry(reason).or_default() += count;
    }
    if others > 0 {
        listed.insert("other".to_owned(), others);
    }
    listed
}

/// A reason as it is written: where, and what.
fn reason(layer: LayerKind, why: Why, is_cut: bool) -> String {
    let what = match why {
        Why::Truncated if is_cut => "cut by the snaplen".to_owned(),
        Why::Truncated => "too short".to_owned(),
        Why::Malformed => "malformed".to_owned(),
        Why::Unsupported(number) => return unsupported(layer, number),
        Why::TooDeep => "nested too deep".to_owned(),
    };
    format!("{}: {what}", layer_name(layer))
}

fn unsupported(layer: LayerKind, number: u32) -> String {
    let name = layer_name(layer);
    match (layer, number) {
        (LayerKind::Link | LayerKind::InnerEthernet | LayerKind::Vlan, 0x0806) => {
            format!("{name}: ARP")
        }
        (LayerKind::Link | LayerKind::InnerEthernet | LayerKind::Vlan, 0x88cc) => {
            format!("{name}: LLDP")
        }
        _ => format!("{name}: type {number:#06x} is not decoded"),
    }
}

fn layer_name(layer: LayerKind) -> &'static str {
    match layer {
        LayerKind::Link => "link",
        LayerKind::Vlan => "vlan",
        LayerKind::Mpls => "mpls",
        LayerKind::Ppp => "ppp",
        LayerKind::Ipv4 => "ipv4",
        LayerKind::Ipv6 => "ipv6",
        LayerKind::Udp => "udp",
        LayerKind::Tcp => "tcp",
        LayerKind::Icmp => "icmp",
        LayerKind::Sctp => "sctp",
        LayerKind::Gre => "gre",
        LayerKind::Vxlan => "vxlan",
        LayerKind::Geneve => "geneve",
        LayerKind::Erspan => "erspan",
        LayerKind::InnerEthernet => "inner ethernet",
    }
}
