//! Whatever the files hold, the comparison ends in one of two ways.

use super::sight::{Sight, Stream};
use super::{Captures, said_of};
use crate::capture_files::small_captures;
use crate::findings::capture::MILLISECOND;
use crate::findings::captures;
use crate::findings::packet::A_TO_B;
use crate::mutation::mutant_of;
use crate::support::{fraglens, none, pcap};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

const MUTANTS: u64 = 200;

/// What is wrong with how it ended: read and told, or not read and said so.
fn fault(output: &Output) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let told = serde_json::from_slice::<Value>(&output.stdout);
    match output.status.code() {
        Some(0) => told
            .err()
            .map(|error| format!("read, but no JSON: {error}")),
        Some(1) if said.is_empty() && told.is_err() => Some("1 and not a word".to_owned()),
        Some(1) => None,
        other => Some(format!("status {other:?}: {said}")),
    }
}

fn faults_of(name: &str, bytes: &[u8], changed: &[u8]) -> Option<String> {
    let mut captures = Captures::new();
    captures.add(bytes);
    captures.add(changed);
    let both = [captures.paths.clone(), {
        let mut swapped = captures.paths.clone();
        swapped.reverse();
        swapped
    }];
    let fault = both.iter().find_map(|paths| fault(&said_of(paths, &[])));
    fault.map(|fault| format!("{name}: {fault}"))
}

#[test]
fn no_mutant_of_the_other_capture_makes_a_panic() {
    let all = small_captures(20_000);
    let faults = (0..MUTANTS).filter_map(|seed| {
        let (name, changed) = mutant_of(seed, &all);
        let of = name.split(',').next().unwrap();
        let original = all.iter().find(|(name, _)| name == of);
        faults_of(&name, &original.unwrap().1, &changed)
    });
    none(&faults.collect::<Vec<_>>());
}

/// Tunnels, damage and lies of all kinds, each beside the next.
#[test]
fn no_pair_of_captures_makes_a_panic() {
    let all = captures();
    let beside = all.iter().zip(all.iter().skip(1));
    let faults = beside.filter_map(|((name, bytes), (_, other))| faults_of(name, bytes, other));
    none(&faults.collect::<Vec<_>>());
}

#[test]
fn a_capture_cut_anywhere_is_compared_up_to_the_cut() {
    let here = Sight::only(&[Stream {
        datagrams: 40,
        ..Stream::fragmented(5001, A_TO_B)
    }]);
    let whole = here.later(MILLISECOND).pcap();
    let cuts = (0..whole.len()).step_by(whole.len() / 100);
    let faults =
        cuts.filter_map(|cut| faults_of(&format!("cut at {cut}"), &here.pcap(), &whole[..cut]));
    none(&faults.collect::<Vec<_>>());
}

/// A capture that broke off in the middle of a record is how killed captures end.
#[test]
fn a_capture_that_broke_off_is_compared() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let mut there = here.later(MILLISECOND).pcap();
    there.truncate(there.len() - 7);
    let mut captures = Captures::of(&[&here]);
    captures.add(&there);
    let comparison = captures.compared(&[]);
    assert_eq!(comparison["relation"], "same");
    assert_eq!(comparison["path"]["lost"]["packets"], 0);
    let problems = &comparison["points"][1]["file"]["problems"];
    assert_eq!(problems.as_array().unwrap().len(), 1, "{problems}");
}

/// Status 1, and the file is named.
fn is_refused(paths: &[&Path], named: &str) {
    let output = said_of(paths, &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(named) || told.contains(named), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn a_file_that_is_no_capture_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let good = pcap("sample.pcap");
    let text = folder.path().join("notes.txt");
    fs::write(&text, "It is always the network.\n".repeat(40)).unwrap();
    is_refused(&[&good, &text], "notes.txt");
    is_refused(&[&text, &good], "notes.txt");
    let absent = folder.path().join("absent.pcap");
    is_refused(&[&good, &absent], "absent.pcap");
}

/// What is between the others is told nevertheless, and what stands against it first.
#[test]
fn a_file_that_is_no_capture_is_left_out_of_the_path() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let there = here
        .later(MILLISECOND)
        .without(|packet| packet.datagram % 50 == 7);
    let mut captures = Captures::of(&[&here]);
    captures.add(b"It is always the network.");
    captures.add(&there.pcap());
    let mut command = fraglens();
    let output = command.args(["compare", "--quiet"]).args(&captures.paths);
    let output = output.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let line = |text: &str| told.find(text).unwrap_or_else(|| panic!("{text}: {told}"));
    assert!(line("could not be read") < line("┌─ A"), "{told}");
    assert!(line("A to B loses") > line("└─"), "{told}");
    assert!(!told.contains("loses nothing"), "{told}");
}

#[test]
fn a_file_without_a_byte_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = folder.path().join("nothing.pcap");
    fs::write(&nothing, []).unwrap();
    is_refused(&[&pcap("sample.pcap"), &nothing], "nothing.pcap");
}

/// A capture of nothing is one: there was no traffic, at least none that was seen.
#[test]
fn a_capture_without_a_packet_is_compared() {
    let captures = {
        let mut captures = Captures::of(&[&Sight::of(&[Stream::to(5001, A_TO_B)])]);
        captures.add(&Sight::default().pcap());
        captures
    };
    let comparison = captures.compared(&[]);
    assert_eq!(comparison["relation"], "unrelated");
    assert_eq!(comparison["path"]["lost"]["packets"], 0);
    assert_eq!(comparison["common"], Value::Null);
}

/// Usage errors name what is wrong.
fn is_misuse(paths: &[impl AsRef<Path>], words: &[&str], named: &str) {
    let output = said_of(paths, words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
    assert!(said.contains(named), "{words:?}: {said}");
}

#[test]
fn one_file_is_not_enough() {
    is_misuse(&[pcap("sample.pcap")], &[], "two captures");
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let sample = pcap("sample.pcap");
    for words in [["--order", "sideways"], ["--window", "0s"]] {
        is_misuse(&[&sample, &sample], &words, words[0]);
    }
}

/// Standard input can be read once.
#[test]
fn standard_input_is_one_point_only() {
    is_misuse(&["-", "-"], &[], "standard input");
}
