//! What the machine-readable formats promise each other.

use super::document::Report;
use super::{csv, escape, json, ndjson, samples, schema};
use serde_json::Value;
use std::collections::BTreeMap;

fn json_text(report: &Report) -> String {
    let mut out = Vec::new();
    assert!(json::write(report, &mut out).is_ok());
    String::from_utf8(out).unwrap_or_default()
}

fn json_value(report: &Report) -> Value {
    serde_json::from_str(&json_text(report)).unwrap_or_default()
}

#[test]
fn every_document_satisfies_the_schema() -> anyhow::Result<()> {
    let schema = serde_json::to_value(schema::schema()).unwrap_or_default();
    let validator = jsonschema::validator_for(&schema)?;
    for (name, report) in samples::all() {
        let value = json_value(&report);
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
    Ok(())
}

#[test]
fn the_schema_demands_what_may_be_null() {
    let schema = serde_json::to_value(schema::schema()).unwrap_or_default();
    let required = &schema["$defs"]["Capture"]["required"];
    let has = |name: &str| {
        required
            .as_array()
            .is_some_and(|all| all.contains(&name.into()))
    };
    assert!(has("dropped_frames") && has("filtered_frames") && has("limits"));
    assert_eq!(schema["title"], "fraglens report");
}

#[test]
fn absent_is_null() {
    let value = json_value(&samples::many());
    let ports_unknown = &value["flows"][1]["key"];
    assert_eq!(ports_unknown["src_port"], Value::Null);
    assert_eq!(ports_unknown["tunnel"]["kind"], "vxlan");
    assert_eq!(value["flows"][0]["key"]["tunnel"], Value::Null);
    assert_eq!(value["explanation"], Value::Null);
    assert_eq!(
        json_value(&samples::empty())["capture"]["first_timestamp"],
        Value::Null
    );
}

#[test]
fn ndjson_is_one_line_of_the_same() {
    let report = samples::many();
    let mut out = Vec::new();
    assert!(ndjson::write(&report, &mut out).is_ok());
    assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(out.last(), Some(&b'\n'));
    let line: Value = serde_json::from_slice(&out).unwrap_or_default();
    assert_eq!(line, json_value(&report));
}

#[test]
fn json_keeps_hostile_text_and_shows_none_of_it() {
    let report = samples::hostile();
    let text = json_text(&report);
    assert!(!text.replace('\n', "").contains(escape::is_active));
    assert_eq!(
        json_value(&report)["capture"]["files"][0]["path"],
        report.capture.files[0].path
    );
}

/// Every figure of a flow by its column name, arrays of objects left out.
fn figures(value: &Value, path: &str, found: &mut BTreeMap<String, String>) {
    let text = match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let path = match path {
                    "" | "key" | "counters" => name.clone(),
                    path => format!("{path}_{name}"),
                };
                figures(field, &path, found);
            }
            return;
        }
        Value::Array(items) if items.iter().any(Value::is_object) => return,
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            items.join(".")
        }
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        number => number.to_string(),
    };
    found.insert(path.to_owned(), text);
}

#[test]
fn csv_and_json_say_the_same_of_every_flow() {
    let report = samples::many();
    let mut out = Vec::new();
    assert!(csv::write(&report, &mut out).is_ok());
    let mut table = ::csv::Reader::from_reader(out.as_slice());
    let rows: Vec<BTreeMap<String, String>> = table.deserialize().filter_map(Result::ok).collect();
    let value = json_value(&report);
    assert_eq!(rows.len(), report.flows.len());
    for (index, row) in rows.iter().enumerate() {
        let mut expected = BTreeMap::new();
        figures(&value["flows"][index], "", &mut expected);
        // Tables of their own, and objects that are absent as a whole.
        expected.retain(|name, _| {
            !["sizes", "tunnel", "mtu", "fragments_per_datagram", "ovn"].contains(&name.as_str())
                && !["gaps_positions", "gaps_distances"].contains(&name.as_str())
        });
        expected.retain(|name, _| !name.starts_with("tunnel_inside"));
        for (name, figure) in &expected {
            let cell = row.get(name).map(|cell| cell.trim_end_matches(".0"));
            assert_eq!(
                cell,
                Some(figure.trim_end_matches(".0")),
                "{name} of flow {index}"
            );
        }
    }
    assert_eq!(rows[1]["tunnel_inside"], "gretap 192.0.2.1 > 192.0.2.9");
    assert_eq!(rows[0]["mtu_from"], "1444");
    assert_eq!(rows[1]["mtu_from"], "");
}

#[test]
fn every_writer_survives_every_document() {
    for (_, report) in samples::all() {
        assert!(csv::write(&report, &mut Vec::new()).is_ok());
        assert!(ndjson::write(&report, &mut Vec::new()).is_ok());
    }
}
