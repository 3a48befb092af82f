//! What points and segments are said to be, in words that all formats share.

mod changes;
mod damage;
mod flow;
mod loss;
mod part;
mod point;
mod relation;
mod segment;

pub(super) use changes::changes;
pub use damage::damage;
pub(super) use damage::{damage_in_common, damage_of};
pub(super) use flow::{flow, passage, worst_stretch};
pub(super) use loss::{
    LossRow, bursts, described, pattern, place_rows, size_rows, tenth_rows, with_rate,
};
pub(super) use part::{finding_of, part_title, residual};
pub(super) use point::{point_facts, point_name, tunnel_at};
pub(super) use relation::relation;
pub(super) use segment::{delay, is_blank, is_relative, segment_facts, stretch, way, why_blank};

use super::document::Comparison;
use serde::Serialize;

/// Something to be said, under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// What it is about.
    pub name: &'static str,
    /// What is said.
    pub text: String,
    /// Whether that is a fault.
    pub weight: Weight,
}

/// How much something speaks against the path, or against the captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// Not at all.
    None,
    /// It is a reason to doubt.
    Doubt,
    /// It is a fault.
    Fault,
}

impl Fact {
    fn plain(name: &'static str, text: String) -> Self {
        let weight = Weight::None;
        Self { name, text, weight }
    }

    fn doubt(name: &'static str, text: String) -> Self {
        let weight = Weight::Doubt;
        Self { name, text, weight }
    }

    fn fault(name: &'static str, text: String) -> Self {
        let weight = Weight::Fault;
        Self { name, text, weight }
    }
}

/// What the document calls one of a few values.
pub(super) fn name_of(value: impl Serialize) -> String {
    let name = serde_json::to_value(value).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

/// How much of the captures is judged.
pub(super) fn common(comparison: &Comparison) -> String {
    let points = crate::model::number::counted(comparison.points.len() as u64, "point");
    match &comparison.common {
        None => format!("{points}, nothing in common"),
        Some(common) => format!(
            "{points}, {} in common from {} on",
            crate::model::number::duration(common.duration_seconds),
            common.first_timestamp
        ),
    }
}

/// `a, b and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}
