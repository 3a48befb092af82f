//! Captures cut at every byte, and frames cut to every length.

use crate::capture_files::{Pcap, small_captures};
use crate::invariants::broken_sums;
use crate::support::{Setup, exit_status, leaves, none, value};
use fraglens::report::Report;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Captures up to this size are cut.
const SMALL: usize = 20_000;

/// Lengths to cut at: every one of the first bytes, where the headers are, then
/// every seventh, and those around the end.
fn lengths(bytes: usize, dense: usize) -> impl Iterator<Item = usize> {
    (0..=bytes).filter(move |length| *length < dense || length % 7 == 0 || length + 3 > bytes)
}

/// The report, or the name of what panicked.
pub fn report_without_panic(bytes: &[u8], of: &str) -> Result<Report, String> {
    let setup = Setup {
        block_bytes: 4096,
        ..Setup::default()
    };
    catch_unwind(AssertUnwindSafe(|| setup.bytes(bytes))).map_err(|_| format!("{of}: panic"))
}

fn faults_of_file_cut(name: &str, bytes: &[u8]) -> Result<(), String> {
    let whole = report_without_panic(bytes, name)?;
    let mut frames_before = 0;
    for length in lengths(bytes.len(), 400) {
        let of = format!("{name} cut at {length}");
        let report = report_without_panic(&bytes[..length], &of)?;
        let frames = report.capture.frames;
        if frames < frames_before || frames > whole.capture.frames {
            return Err(format!(
                "{of}: {frames} frames, {frames_before} in less of the file"
            ));
        }
        frames_before = frames;
        // A cut file ends as a killed capture does, once there is a frame in it.
        if frames > 0 && exit_status(&report) > exit_status(&whole) {
            return Err(format!("{of}: called damaged: {:?}", report.capture.files));
        }
        if let Some(fault) = broken_sums(&value(&report)).first() {
            return Err(format!("{of}: {fault}"));
        }
    }
    Ok(())
}

#[test]
fn a_capture_cut_anywhere_is_read_up_to_the_cut() {
    let captures = small_captures(SMALL);
    let faults = captures
        .iter()
        .filter_map(|(name, bytes)| faults_of_file_cut(name, bytes).err());
    none(&faults.collect::<Vec<_>>());
}

/// Checksums called bad, by protocol.
fn bad_sums(report: &Report) -> BTreeMap<String, u64> {
    let all = leaves(&value(report)["totals"]["checksums"]);
    all.into_iter()
        .filter(|(path, _)| path.ends_with(".bad"))
        .collect()
}

fn faults_of_frames_cut(name: &str, pcap: &Pcap) -> Result<(), String> {
    let whole = bad_sums(&report_without_panic(&pcap.to_bytes(), name)?);
    let longest = pcap.longest();
    for snaplen in lengths(longest, 150) {
        for (which, stride) in [("all frames", 1), ("every other frame", 2)] {
            let of = format!("{name}, {which} cut to {snaplen}");
            let report =
                report_without_panic(&pcap.cut(snaplen, |index| index % stride == 0), &of)?;
            for (path, bad) in bad_sums(&report) {
                if bad > whole[&path] {
                    return Err(format!("{of}: {path} = {bad}, uncut {}", whole[&path]));
                }
            }
            if let Some(fault) = broken_sums(&value(&report)).first() {
                return Err(format!("{of}: {fault}"));
            }
        }
    }
    Ok(())
}

#[test]
fn frames_cut_to_any_snaplen_have_no_bad_checksum_more() {
    let captures = small_captures(SMALL);
    let pcaps = captures
        .iter()
        .filter_map(|(name, bytes)| Some((name, Pcap::parse(bytes)?)));
    let faults = pcaps.filter_map(|(name, pcap)| faults_of_frames_cut(name, &pcap).err());
    none(&faults.collect::<Vec<_>>());
}
