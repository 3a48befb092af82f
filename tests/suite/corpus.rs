//! Third-party captures beside the repository: none makes a panic, and the figures
//! are tshark's but for [`DIFFERENCES`].

use crate::corpus_differences::DIFFERENCES;
use crate::support::{analyze, captures_in, corpus, count, fraglens, name, none};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Layers of one IP version, as the addresses of their flow or tunnel say.
fn of_version(report: &Value, is_v6: bool) -> impl Iterator<Item = &Value> {
    let rows = ["flows", "tunnels"]
        .iter()
        .flat_map(|list| report[list].as_array().unwrap());
    rows.filter(move |row| row["key"]["src"].as_str().unwrap().contains(':') == is_v6)
}

fn sum_of_version(report: &Value, is_v6: bool, counter: &str) -> u64 {
    let path = format!("counters.{counter}");
    of_version(report, is_v6).map(|row| count(row, &path)).sum()
}

/// Packets of tunnels of these kinds.
fn tunnel_packets(report: &Value, kinds: &[&str]) -> u64 {
    let tunnels = report["tunnels"].as_array().unwrap();
    let of_kinds = tunnels
        .iter()
        .filter(|row| kinds.contains(&row["key"]["kind"].as_str().unwrap()));
    of_kinds.map(|row| count(row, "counters.packets")).sum()
}

/// Our figures under tshark's names; reassembly as tshark does it with the check
/// of IP header checksums off.
fn ours(report: &Value) -> BTreeMap<&'static str, u64> {
    let total = |path: &str| count(&report["totals"], path);
    let v4 = |path| sum_of_version(report, false, path);
    let v6 = |path| sum_of_version(report, true, path);
    let lengths = ["udp_longer", "udp_shorter", "udp_below_header"];
    BTreeMap::from([
        ("packets", count(report, "capture.frames")),
        ("truncated", count(report, "capture.truncated_frames")),
        ("v4_frag_frames", v4("fragments.total")),
        ("v4_groups", v4("datagrams.fragmented")),
        ("v4_reassembled_noipck", v4("datagrams.reassembled")),
        // tshark's column leaves out fragments that are alone.
        (
            "v6_frag_frames",
            v6("fragments.total") - v6("fragments.atomic"),
        ),
        ("v6_atomic_frames", v6("fragments.atomic")),
        ("v6_groups", v6("datagrams.fragmented")),
        ("v6_reassembled", v6("datagrams.reassembled")),
        ("bad_ip", total("checksums.ipv4.bad")),
        ("bad_udp", total("checksums.udp.bad")),
        ("bad_tcp", total("checksums.tcp.bad")),
        ("bad_icmp", total("checksums.icmp.bad")),
        (
            "udp_len_bad",
            lengths
                .iter()
                .map(|kind| total(&format!("bad_length.{kind}")))
                .sum(),
        ),
        ("vxlan", tunnel_packets(report, &["vxlan"])),
        ("geneve", tunnel_packets(report, &["geneve"])),
        (
            "gre",
            tunnel_packets(report, &["gre", "nvgre", "gretap", "erspan"]),
        ),
        ("ipinip", tunnel_packets(report, &["ipip", "sit", "ip6tnl"])),
    ])
}

/// tshark's figure; what the manifest leaves out is 0.
fn theirs(entry: &Value, field: &str) -> u64 {
    let figure = |field: &str| {
        entry["tshark"]
            .get(field)
            .and_then(Value::as_u64)
            .unwrap_or(0)
    };
    match field {
        "bad_icmp" => figure("bad_icmp") + figure("bad_icmpv6"),
        field => figure(field),
    }
}

fn entries(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_third_party_capture_is_read_to_an_end() {
    let Some(folder) = corpus("every_third_party_capture_is_read") else {
        return;
    };
    let mut faults = Vec::new();
    for path in captures_in(&folder) {
        let output = fraglens()
            .args(["analyze", "--format", "json"])
            .arg(&path)
            .output()
            .unwrap();
        if !matches!(output.status.code(), Some(0 | 1)) {
            let why = String::from_utf8_lossy(&output.stderr);
            faults.push(format!("{}: {}: {why}", name(&path), output.status));
        }
        if serde_json::from_slice::<Value>(&output.stdout).is_err() {
            faults.push(format!("{}: no report", name(&path)));
        }
        let has_said = !output.stderr.is_empty();
        if has_said != (output.status.code() == Some(1)) {
            faults.push(format!("{}: status and words disagree", name(&path)));
        }
    }
    none(&faults);
}

#[test]
fn every_figure_is_that_of_tshark_or_its_difference_is_explained() {
    let Some(folder) = corpus("every_figure_is_that_of_tshark") else {
        return;
    };
    let mut explained: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for (file, field, theirs, ours, why) in DIFFERENCES {
        assert!(!why.is_empty(), "{file} {field} is not explained");
        let before = explained.insert((file, field), (*theirs, *ours));
        assert_eq!(before, None, "{file} {field} is explained twice");
    }
    let mut faults = Vec::new();
    let mut compared = 0;
    let entries = entries(&folder);
    for entry in &entries {
        let file = entry["file"].as_str().unwrap();
        for (field, ours) in ours(&analyze(&[folder.join(file)])) {
            let found = (theirs(entry, field), ours);
            let expected = explained
                .remove(&(file, field))
                .unwrap_or((found.0, found.0));
            compared += 1;
            if found != expected {
                faults.push(format!(
                    "{file} {field}: tshark {}, ours {}; expected {expected:?}",
                    found.0, found.1
                ));
            }
        }
    }
    let stale = explained
        .keys()
        .map(|(file, field)| format!("{file} {field}: no such figure"));
    faults.extend(stale);
    none(&faults);
    eprintln!(
        "{compared} figures compared, {} differ as explained",
        DIFFERENCES.len()
    );
}
