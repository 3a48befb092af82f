//! Every capture at hand: its evidence alone shows the same, with its own frames.

use super::{Bundle, Seen, faults_of, findings, frames};
use crate::support::{Setup, all_captures, name, none, value};
use std::fs;
use std::path::{Path, PathBuf};

/// What evidence may take unless told otherwise.
const MOST_BYTES: u64 = 8 << 20;

#[test]
fn evidence_of_every_capture_shows_the_same_findings() {
    let captures = all_captures("evidence_of_every_capture_shows_the_same_findings");
    none(&faults_of(&captures, wrong_findings));
}

fn wrong_findings(path: &Path) -> Vec<String> {
    let before = findings(&value(&Setup::default().files(&[path.to_owned()])));
    let Some(bundle) = Bundle::if_any([path]) else {
        let is_nothing = before.is_empty() && frames(&[path.to_owned()]).is_empty();
        let fault = (!is_nothing).then(|| format!("{}: no bundle", name(path)));
        return fault.into_iter().collect();
    };
    let after = bundle.found_again();
    let bytes = fs::metadata(bundle.path("evidence.pcapng")).unwrap().len();
    let manifest = bundle.manifest();
    let mut faults = Vec::new();
    if before != after {
        faults.push(format!("{after:?} instead of {before:?}"));
    }
    if manifest["findings_not_repeated"] != serde_json::json!([]) {
        faults.push(format!("{} is said", manifest["findings_not_repeated"]));
    }
    if manifest["findings_repeated"] != serde_json::json!(before) {
        faults.push(format!("{} is said", manifest["findings_repeated"]));
    }
    if bytes > MOST_BYTES {
        faults.push(format!("{bytes} bytes"));
    }
    let faults = faults.into_iter();
    faults
        .map(|fault| format!("{}: {fault}", name(path)))
        .collect()
}

#[test]
fn evidence_does_not_depend_on_how_many_flows_are_listed() {
    let captures = all_captures("evidence_does_not_depend_on_how_many_flows_are_listed");
    none(&faults_of(&captures, |path| {
        let bundle = Bundle::if_any([path.as_os_str(), "--top".as_ref(), "1".as_ref()]);
        let found = bundle.map(|bundle| (findings(&bundle.report()), bundle.found_again()));
        let faults = found.filter(|(before, after)| before != after);
        let faults = faults
            .map(|(before, after)| format!("{}: {after:?} instead of {before:?}", name(path)));
        faults.into_iter().collect()
    }));
}

#[test]
fn frames_of_every_capture_are_kept_to_the_byte() {
    let captures = all_captures("frames_of_every_capture_are_kept_to_the_byte");
    none(&faults_of(&captures, |path| {
        let bundle = Bundle::if_any([path]);
        let faults = bundle.map(|bundle| wrong_frames(&[path.to_owned()], &bundle));
        faults.unwrap_or_default()
    }));
}

#[test]
fn frames_of_several_captures_are_kept_in_their_order() {
    // Given in the wrong order.
    let names = [
        "rotated-2.pcap",
        "overlap-partial.pcap",
        "rotated-1.pcap",
        "sll2.pcap",
        "interfaces.pcapng",
    ];
    let paths = names.map(crate::support::pcap);
    let bundle = Bundle::fine(&paths);
    none(&wrong_frames(&paths, &bundle));
    assert_eq!(findings(&bundle.report()), bundle.found_again());
}

/// Frames of the evidence that are not in the capture, or not behind the one before.
fn wrong_frames(captures: &[PathBuf], bundle: &Bundle) -> Vec<String> {
    let kept = frames(&[bundle.path("evidence.pcapng")]);
    let mut original = frames(captures).into_iter();
    let mut is_there = |frame: &Seen| original.any(|known| known == *frame);
    match kept.iter().position(|frame| !is_there(frame)) {
        None => Vec::new(),
        Some(place) => vec![format!("{}: frame {}", name(&captures[0]), place + 1)],
    }
}
