//! What holds of every report, whatever the capture.

use crate::support::{Setup, all_captures, at, count, leaves, name, none, value};
use fraglens::report::{Report, schema, text};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is wrong with the sums of a report that lists all flows and tunnels.
pub fn broken_sums(report: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let totals = leaves(&report["totals"]);
    let mut rows: BTreeMap<String, u64> = totals.keys().map(|path| (path.clone(), 0)).collect();
    for row in ["flows", "tunnels"]
        .iter()
        .flat_map(|list| report[list].as_array().unwrap())
    {
        let counters = leaves(&row["counters"]);
        broken_parts(&counters, &format!("row {}", row["key"]), &mut faults);
        broken_gaps(row, &mut faults);
        for (path, part) in counters {
            *rows.entry(path).or_default() += part;
        }
    }
    for (path, total) in &totals {
        if rows[path] != *total {
            faults.push(format!(
                "totals.{path} = {total}, flows and tunnels: {}",
                rows[path]
            ));
        }
    }
    broken_parts(&totals, "totals", &mut faults);
    broken_timeline(report, &mut faults);
    faults
}

/// Counters that are sums of others.
const SUMS: [(&str, &[&str]); 3] = [
    (
        "fragments.total",
        &[
            "fragments.first",
            "fragments.middle",
            "fragments.last",
            "fragments.atomic",
        ],
    ),
    (
        "datagrams.fragmented",
        &[
            "datagrams.reassembled",
            "datagrams.timed_out",
            "datagrams.incomplete",
            "datagrams.overlapped",
            "datagrams.oversized",
            "datagrams.evicted",
        ],
    ),
    (
        "bad_length.total",
        &[
            "bad_length.udp_longer",
            "bad_length.udp_shorter",
            "bad_length.udp_below_header",
            "bad_length.ip_longer",
        ],
    ),
];

/// Counters that cannot exceed another.
const BOUNDS: [(&str, &str); 6] = [
    ("fragments.total", "packets"),
    ("fragments.full_size", "fragments.total"),
    ("fragments.duplicate", "fragments.total"),
    ("fragments.overlapping", "fragments.total"),
    ("bad_length.first_fragment_artifact", "fragments.first"),
    ("datagrams.fragmented", "fragments.total"),
];

/// What is missing by place is at least all that is; what came late is in neither.
fn broken_gaps(row: &Value, faults: &mut Vec<String>) {
    let Some(positions) = at(row, "gaps.positions") else {
        return;
    };
    let positions = positions.as_array().unwrap();
    let sum = |figure: &str| -> u64 { positions.iter().map(|of| count(of, figure)).sum() };
    let gaps = |figure: &str| count(row, &format!("gaps.{figure}"));
    let (seen, missing) = (gaps("fragments_seen"), gaps("fragments_missing"));
    let is_within = |of: &Value| count(of, "missing") <= count(of, "expected");
    if !positions.iter().all(is_within)
        || sum("missing") < missing
        || sum("expected") < seen + missing
        || positions.is_empty() != (gaps("datagrams") == 0)
    {
        faults.push(format!("row {}: gaps {}", row["key"], row["gaps"]));
    }
}

fn broken_parts(counters: &BTreeMap<String, u64>, of: &str, faults: &mut Vec<String>) {
    for (sum, parts) in SUMS {
        let found: u64 = parts.iter().map(|part| counters[*part]).sum();
        if counters[sum] != found {
            faults.push(format!(
                "{of}: {sum} = {}, its parts: {found}",
                counters[sum]
            ));
        }
    }
    for (part, whole) in BOUNDS {
        if counters[part] > counters[whole] {
            let (part_is, whole_is) = (counters[part], counters[whole]);
            faults.push(format!(
                "{of}: {part} = {part_is} exceeds {whole} = {whole_is}"
            ));
        }
    }
    let fragments = counters["fragments.total"] - counters["fragments.atomic"];
    let unfragmented = counters["datagrams.unfragmented"];
    if fragments + unfragmented != counters["packets"] {
        let packets = counters["packets"];
        faults.push(format!(
            "{of}: {packets} packets, {fragments} fragments, {unfragmented} others"
        ));
    }
}

/// The timeline has frames where flows and tunnels have packets: a fragment of a
/// tunnel packet is in a frame, but in no flow.
fn broken_timeline(report: &Value, faults: &mut Vec<String>) {
    let sum = |rows: &Value, path: &str| -> u64 {
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| count(row, path))
            .sum()
    };
    let buckets = &report["timeline"]["buckets"];
    let flows = &report["flows"];
    let of_flows = |path: &str| sum(flows, &format!("counters.datagrams.{path}"));
    let totals = |path: &str| count(&report["totals"], &format!("datagrams.{path}"));
    let lost = totals("fragmented") - totals("reassembled");
    for (in_bucket, expected) in [
        (
            "deliverable_bytes",
            sum(flows, "throughput.deliverable_bytes"),
        ),
        (
            "datagrams_completed",
            of_flows("unfragmented") + of_flows("reassembled"),
        ),
        ("datagrams_lost", lost),
    ] {
        let found = sum(buckets, in_bucket);
        if found != expected {
            faults.push(format!(
                "timeline {in_bucket}: {found}, elsewhere {expected}"
            ));
        }
    }
    for (in_bucket, most) in [("packets", "capture.frames"), ("bytes", "capture.bytes")] {
        let (found, most) = (sum(buckets, in_bucket), count(report, most));
        if found > most {
            faults.push(format!(
                "timeline {in_bucket}: {found}, more than the capture's {most}"
            ));
        }
    }
}

#[test]
fn totals_are_the_sum_of_flows_and_tunnels_and_every_sum_of_its_parts() {
    let mut faults = Vec::new();
    for path in all_captures("totals_are_the_sum") {
        let report = value(&Setup::default().files(std::slice::from_ref(&path)));
        faults.extend(
            broken_sums(&report)
                .into_iter()
                .map(|fault| format!("{}: {fault}", name(&path))),
        );
    }
    none(&faults);
}

#[test]
fn every_report_is_valid_by_the_schema() {
    let schema = serde_json::to_value(schema::schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut faults = Vec::new();
    for path in all_captures("every_report_is_valid") {
        let report = value(&Setup::default().files(std::slice::from_ref(&path)));
        for error in validator.iter_errors(&report) {
            faults.push(format!(
                "{}: {}: {error}",
                name(&path),
                error.instance_path()
            ));
        }
    }
    none(&faults);
}

/// The counts in the labelled line of a page, in the order they are written;
/// a line that goes on below counts with what goes on.
fn line(page: &str, label: &str) -> Vec<u64> {
    let lines = page
        .lines()
        .skip_while(|line| !line.starts_with(&format!("  {label} ")));
    let mut text = String::new();
    for (index, line) in lines.enumerate() {
        let goes_on = line.starts_with("               ");
        if index > 0 && !goes_on {
            break;
        }
        text.push_str(line);
        text.push(' ');
    }
    let words = text.split([' ', '(', ')', ':', ';']);
    let words = words.map(|word| word.trim_end_matches(',').replace(',', ""));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn disagreements(report: &Report) -> Vec<String> {
    let mut page = Vec::new();
    text::write(report, text::Style::PLAIN, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let json = value(report);
    let total = |path: &str| {
        at(&json["totals"], path)
            .and_then(|value| value.as_u64())
            .unwrap()
    };
    let mut expected = vec![("frames", vec![json["capture"]["frames"].as_u64().unwrap()])];
    if total("packets") > 0 {
        let unfragmented = total("datagrams.unfragmented");
        let fragmented = total("datagrams.fragmented");
        expected.push((
            "datagrams",
            vec![unfragmented + fragmented, unfragmented, fragmented],
        ));
        expected.push(("lengths", vec![total("bad_length.total")]));
        if fragmented > 0 {
            expected.push(("reassembled", vec![total("datagrams.reassembled")]));
        }
        if total("fragments.total") > 0 {
            expected.push(("fragments", vec![total("fragments.total")]));
        }
        if fragmented > total("datagrams.reassembled") {
            expected.push((
                "never whole",
                vec![fragmented - total("datagrams.reassembled")],
            ));
        }
    }
    let differs = |(label, counts): &(&str, Vec<u64>)| !line(&page, label).starts_with(counts);
    let wrong = expected.iter().filter(|row| differs(row));
    wrong
        .map(|(label, counts)| {
            format!(
                "{label}: {:?} in text, {counts:?} in JSON",
                line(&page, label)
            )
        })
        .collect()
}

#[test]
fn text_and_json_agree_on_the_headline_numbers() {
    let mut faults = Vec::new();
    for path in all_captures("text_and_json_agree") {
        let report = Setup::default().files(std::slice::from_ref(&path));
        faults.extend(
            disagreements(&report)
                .into_iter()
                .map(|fault| format!("{}: {fault}", name(&path))),
        );
    }
    none(&faults);
}
