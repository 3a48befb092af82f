//! What the machine-readable formats promise each other.

use super::{Comparison, csv, json, ndjson, samples, schema};
use crate::report::escape;
use serde_json::Value;

fn json_text(comparison: &Comparison) -> String {
    let mut out = Vec::new();
    assert!(json::write(comparison, &mut out).is_ok());
    String::from_utf8(out).unwrap_or_default()
}

fn json_value(comparison: &Comparison) -> Value {
    serde_json::from_str(&json_text(comparison)).unwrap_or_default()
}

#[test]
fn every_document_satisfies_the_schema() -> anyhow::Result<()> {
    let schema = serde_json::to_value(schema::schema()).unwrap_or_default();
    let validator = jsonschema::validator_for(&schema)?;
    // JSON has no word for what is no number: hostile figures are not part of this.
    for (name, comparison) in samples::all().into_iter().take(3) {
        let value = json_value(&comparison);
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
    let required = &schema["$defs"]["Point"]["required"];
    let has = |name: &str| {
        required
            .as_array()
            .is_some_and(|all| all.contains(&name.into()))
    };
    assert!(has("dropped_frames") && has("missed") && has("clock"));
    assert_eq!(schema["title"], "fraglens comparison");
    let mut out = Vec::new();
    assert!(schema::write(&mut out).is_ok());
    assert_eq!(out.last(), Some(&b'\n'));
}

#[test]
fn absent_is_null() {
    let value = json_value(&samples::lossy());
    assert_eq!(value["points"][0]["missed"], Value::Null);
    assert_eq!(value["points"][2]["clock"]["drift_ppm"], Value::Null);
    assert_eq!(value["points"][2]["tunnels"][0]["kind"], "vxlan");
    assert_eq!(value["segments"][1]["loss"], Value::Null);
    assert_eq!(value["directions"][1]["direction"], "backward");
    assert_eq!(json_value(&samples::unrelated())["common"], Value::Null);
}

#[test]
fn ndjson_is_one_line_of_the_same() {
    let comparison = samples::lossy();
    let mut out = Vec::new();
    assert!(ndjson::write(&comparison, &mut out).is_ok());
    assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(out.last(), Some(&b'\n'));
    let line: Value = serde_json::from_slice(&out).unwrap_or_default();
    assert_eq!(line, json_value(&comparison));
}

#[test]
fn json_keeps_hostile_text_and_shows_none_of_it() {
    let comparison = samples::hostile();
    let text = json_text(&comparison);
    assert!(!text.replace('\n', "").contains(escape::is_active));
    let path = &json_value(&comparison)["points"][0]["file"]["path"];
    assert_eq!(*path, comparison.points[0].file.path);
}

#[test]
fn csv_has_a_row_for_each_flow_and_segment() -> anyhow::Result<()> {
    let mut out = Vec::new();
    csv::write(&samples::lossy(), &mut out)?;
    let mut table = ::csv::Reader::from_reader(out.as_slice());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        table.deserialize().filter_map(Result::ok).collect();
    let of = |column: &str| {
        rows.iter()
            .map(|row| row[column].as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("flow"), ["1", "1", "1", "2", "2", "2"]);
    assert_eq!(of("part"), ["segment", "segment", "path"].repeat(2));
    assert_eq!(of("from"), ["A", "B", "A", "B", "C", "C"]);
    assert_eq!(of("to"), ["B", "C", "C", "A", "B", "A"]);
    assert_eq!(rows[0]["lost_packets"], "32872");
    assert_eq!(rows[0]["loss_pattern"], "random");
    assert_eq!(rows[1]["loss_pattern"], "", "absent is empty");
    assert_eq!(rows[2]["exit_tunnel_id"], "4242");
    assert_eq!(rows[0]["exit_src"], "192.0.2.7");
    assert_eq!(rows[0]["changes_hop_limit_by"], "-1", "a number, no text");
    assert_eq!(rows[3]["exit_dst"], "10.16.0.5");
    assert_eq!(rows[4]["exit_dst"], "", "not seen there");
    Ok(())
}

#[test]
fn no_cell_is_active_or_a_formula() -> anyhow::Result<()> {
    for (name, comparison) in samples::all() {
        let mut out = Vec::new();
        csv::write(&comparison, &mut out)?;
        let text = String::from_utf8(out)?;
        assert!(
            !text.replace('\n', "").contains(escape::is_active),
            "{name}"
        );
        let mut table = ::csv::Reader::from_reader(text.as_bytes());
        for row in table.records() {
            for cell in &row? {
                let is_number = cell.parse::<f64>().is_ok();
                let is_formula = cell.starts_with(['=', '+', '-', '@']) && !is_number;
                assert!(!is_formula, "{cell} in {name}");
            }
        }
    }
    Ok(())
}
