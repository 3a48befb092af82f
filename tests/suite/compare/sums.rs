//! What is true of the numbers of every comparison.

use crate::support::{at, count};
use serde_json::Value;

const KINDS: [&str; 4] = ["datagrams", "packets", "fragments", "bytes"];

/// What does not add up.
pub fn broken(comparison: &Value) -> Vec<String> {
    let mut faults = wrong_ends(comparison);
    for (name, segment) in segments(comparison) {
        let is_timed = segment["loss"].is_null() || !list(&segment["loss"], "times").is_empty();
        if !is_timed && !name.contains("flows") && !name.contains("carriers") {
            faults.push(format!("{name}: losses are not told by time"));
        }
        let broken = broken_segment(segment).into_iter();
        faults.extend(broken.map(|fault| format!("{name}: {fault}")));
    }
    faults.extend(wrong_points(comparison));
    faults.extend(wrong_totals(comparison));
    faults.extend(broken_explanation(comparison));
    faults.extend(wrong_references(comparison));
    faults
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().expect("it is a list")
}

/// Every segment anywhere, with where it is.
fn segments(comparison: &Value) -> Vec<(String, &Value)> {
    let mut all = of_one("", comparison);
    for way in list(comparison, "directions") {
        let name = way["direction"].as_str().unwrap_or_default();
        all.extend(of_one(&format!("{name}."), way));
    }
    for kind in ["flows", "carriers"] {
        for (index, flow) in list(comparison, kind).iter().enumerate() {
            all.extend(of_one(&format!("{kind}.{index}."), flow));
        }
    }
    all
}

/// The segments of the whole or of one flow, and its path.
fn of_one<'v>(prefix: &str, whole: &'v Value) -> Vec<(String, &'v Value)> {
    let segments = list(whole, "segments").iter().enumerate();
    let name = |(index, segment)| (format!("{prefix}segments.{index}"), segment);
    let path = (format!("{prefix}path"), &whole["path"]);
    segments.map(name).chain([path]).collect()
}

/// Segments that do not join neighbours, paths that do not lead from end to end.
fn wrong_ends(comparison: &Value) -> Vec<String> {
    let last = list(comparison, "points").len() as u64 - 1;
    let ends = |segment: &Value| (count(segment, "from"), count(segment, "to"));
    let joins = |whole: &Value| {
        let mut joined = (0..).zip(list(whole, "segments"));
        list(whole, "segments").len() as u64 == last
            && joined.all(|(at, segment)| ends(segment) == (at, at + 1))
            && ends(&whole["path"]) == (0, last)
    };
    let backward = |whole: &Value| whole["direction"] == "backward";
    let flows = list(comparison, "flows").iter();
    let carriers = list(comparison, "carriers").iter();
    let wholes = flows.chain(carriers).filter(|whole| !backward(whole));
    let wrong = wholes.chain([comparison]).filter(|whole| !joins(whole));
    wrong
        .map(|whole| format!("segments of {} do not join all points", whole["key"]))
        .collect()
}

fn broken_segment(segment: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for kind in KINDS {
        let [sent, arrived, lost] =
            ["sent", "arrived", "lost"].map(|what| count(segment, &format!("{what}.{kind}")));
        if sent != arrived + lost {
            faults.push(format!(
                "{sent} {kind} sent, {arrived} arrived, {lost} lost"
            ));
        }
    }
    if count(segment, "sent.fragments") > count(segment, "sent.packets") {
        faults.push("more fragments than packets".to_owned());
    }
    let lost = count(segment, "lost.packets");
    if segment["loss"].is_null() != (lost == 0) {
        faults.push(format!("{lost} lost, and loss is {}", segment["loss"]));
    }
    let damage = list(segment, "damage").len() as u64;
    if damage > count(segment, "corrupted") {
        faults.push(format!("{damage} damaged, but not corrupted"));
    }
    faults.extend(broken_loss(segment));
    faults.extend(broken_delay(&segment["delay"]));
    faults
}

/// What is said of the losses must be said of all of them.
fn broken_loss(segment: &Value) -> Vec<String> {
    let loss = &segment["loss"];
    if loss.is_null() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let summed =
        |parts: &[&Value], what: &str| -> u64 { parts.iter().map(|part| count(part, what)).sum() };
    let places: Vec<&Value> = ["first", "middle", "last"].map(|at| &loss[at]).to_vec();
    let sizes: Vec<&Value> = list(loss, "sizes").iter().collect();
    let times: Vec<&Value> = list(loss, "times").iter().collect();
    for what in ["sent", "lost"] {
        for (by, parts, kind) in [
            ("place", &places, "fragments"),
            ("size", &sizes, "packets"),
            ("time", &times, "packets"),
        ] {
            // Of flows, nothing is kept by time.
            if parts.is_empty() && by == "time" {
                continue;
            }
            let all = count(segment, &format!("{what}.{kind}"));
            let told = summed(parts, what);
            if told != all {
                faults.push(format!("{told} of {all} {kind} {what} are told by {by}"));
            }
        }
        let by_tenth: Vec<&Value> = list(loss, "positions").iter().collect();
        let told = summed(&by_tenth, what);
        if told > count(segment, &format!("{what}.fragments")) {
            faults.push(format!("{told} fragments {what} are told by position"));
        }
    }
    let [sent, lost] = ["sent.packets", "lost.packets"].map(|of| count(segment, of) as f64);
    let rate = loss["rate"].as_f64().unwrap_or(-1.0);
    if (rate - lost / sent).abs() > 1e-6 {
        faults.push(format!("rate of loss {rate}, but {lost} of {sent} lost"));
    }
    let [longest, mean] = ["longest_burst", "mean_burst"].map(|of| loss[of].as_f64());
    let are_right = match (longest, mean) {
        (None, None) => true,
        (Some(longest), Some(mean)) => (1.0..=longest).contains(&mean) && longest <= lost,
        _ => false,
    };
    if !are_right {
        faults.push(format!("bursts of {mean:?} and {longest:?} at most"));
    }
    faults
}

fn broken_delay(delay: &Value) -> Option<String> {
    let of = |name: &str| delay[format!("{name}_seconds")].as_f64();
    let steps: Vec<f64> = ["min", "median", "p99", "max"]
        .into_iter()
        .filter_map(of)
        .collect();
    let is_broken = !delay.is_null() && (steps.len() < 4 || !steps.is_sorted());
    is_broken.then(|| format!("delays {steps:?}"))
}

fn wrong_points(comparison: &Value) -> Vec<String> {
    let points = list(comparison, "points");
    let last = points.len() - 1;
    let mut faults = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let name = char::from(b'A' + index as u8).to_string();
        let is_end = index == 0 || index == last;
        if point["name"] != name.as_str() {
            faults.push(format!("point {index} is called {}", point["name"]));
        }
        if is_end && !point["missed"].is_null() {
            faults.push(format!("{name} at an end missed {}", point["missed"]));
        }
        let basis = &point["clock"]["basis"];
        if (*basis == "reference") != (index == 0) {
            faults.push(format!("the clock of {name} rests on {basis}"));
        }
    }
    faults
}

/// Flows, where all are listed, make up the whole.
fn wrong_totals(comparison: &Value) -> Vec<String> {
    let flows = list(comparison, "flows");
    let omitted = count(comparison, "flows_omitted");
    let mut faults = Vec::new();
    if count(comparison, "flows_total") != flows.len() as u64 + omitted {
        faults.push("flows are neither listed nor omitted".to_owned());
    }
    if omitted > 0 {
        return faults;
    }
    let steps = list(comparison, "segments").len();
    // A flow going backward passes the same segments; which is which is in `from`.
    let same = |one: &Value, other: &Value| {
        let ends = |segment: &Value| {
            let mut ends = [count(segment, "from"), count(segment, "to")];
            ends.sort_unstable();
            ends
        };
        ends(one) == ends(other)
    };
    let segments = (0..steps).map(|step| &comparison["segments"][step]);
    for whole in segments.chain([&comparison["path"]]) {
        let parts = flows.iter().flat_map(|flow| {
            let segments = list(flow, "segments").iter();
            let all = segments.chain([&flow["path"]]);
            // With two points, the path is the segment.
            all.filter(move |part| same(part, whole)).take(1)
        });
        let parts: Vec<&Value> = parts.collect();
        for what in ["sent", "lost"] {
            let of = format!("{what}.packets");
            let told: u64 = parts.iter().map(|part| count(part, &of)).sum();
            let all = count(whole, &of);
            if told != all {
                let (from, to) = (&whole["from"], &whole["to"]);
                faults.push(format!(
                    "{from} to {to}: {all} packets {what}, of flows {told}"
                ));
            }
        }
    }
    faults
}

fn broken_explanation(comparison: &Value) -> Vec<String> {
    let explanation = &comparison["explanation"];
    if explanation.is_null() {
        return Vec::new();
    }
    let of = |name: &str| explanation[name].as_i64().expect("it is a number");
    let parts = list(explanation, "parts").iter();
    let parts: i64 = parts.map(|part| part["bytes"].as_i64().unwrap()).sum();
    let missing = of("sent_bytes") - of("arrived_bytes");
    let told = parts + of("residual_bytes");
    let mut faults = Vec::new();
    if missing != told {
        faults.push(format!("{missing} bytes missing, {told} told of"));
    }
    if count(comparison, "flows_omitted") == 0 {
        let flows = list(comparison, "flows").iter();
        let those = flows.filter(|flow| flow["direction"] == explanation["direction"]);
        // Nothing is said of a path that ends at points side by side.
        let first = match count(comparison, "path.sent.packets") {
            0 => "segments.0.sent.bytes",
            _ => "path.sent.bytes",
        };
        let sent: u64 = those.map(|flow| count(flow, first)).sum();
        if of("sent_bytes") as u64 != sent {
            faults.push(format!("{} bytes sent, of flows {sent}", of("sent_bytes")));
        }
    }
    faults
}

/// What findings name must be there.
fn wrong_references(comparison: &Value) -> Vec<String> {
    let lengths = ["points", "segments", "flows"].map(|of| list(comparison, of).len() as u64);
    let [points, segments, flows] = lengths;
    let beyond = |value: &Value, length: u64| value.as_u64().is_some_and(|at| at >= length);
    let is_wrong = |finding: &&Value| {
        let evidence = list(finding, "evidence").iter();
        let mut places = evidence.map(|one| (&one["point"], at(one, "frame")));
        beyond(&finding["point"], points)
            || beyond(&finding["segment"], segments)
            || list(finding, "flows")
                .iter()
                .any(|flow| beyond(flow, flows))
            || places.any(|(point, frame)| beyond(point, points) || frame == Some(0.into()))
    };
    let wrong = list(comparison, "findings").iter().filter(is_wrong);
    wrong
        .map(|finding| format!("{} names what is not there", finding["id"]))
        .collect()
}
