//! What the page begins with: the sentence, the path, and where bytes went.

use super::{base, path};
use crate::model::number;
use crate::report::beside::Elsewhere;
use crate::report::comparison::document::PathExplanation;
use crate::report::comparison::{Comparison, words};
use crate::report::document::{Explanation, Finding, Part};
use crate::report::html::balance::{self, Balance};
use crate::report::html::bounds::{LINE, PARAGRAPH, clipped, left_out};
use crate::report::html::prose::Prose;
use askama::Template;

/// What the page begins with.
#[derive(Debug, Template)]
#[template(path = "comparison.html")]
pub(super) struct Summary {
    /// What was compared.
    subject: String,
    /// How many points, and how much time.
    span: String,
    /// A word of warning, if captures do not show the same.
    relation: Option<String>,
    /// All of it in a sentence or two.
    sentence: Prose,
    /// The path, as markup.
    path: String,
    /// Points that are not drawn.
    path_left_out: Option<String>,
    /// What became of what was sent; `None` if nothing is missing.
    balance: Option<Balance>,
}

impl Summary {
    /// What was compared.
    pub(super) fn subject(&self) -> &str {
        &self.subject
    }
}

pub(super) fn summary(comparison: &Comparison, found: &[Finding], elsewhere: Elsewhere) -> Summary {
    let explanation = comparison.explanation.as_ref();
    let sentence = explanation.map_or("", |explanation| explanation.sentence.as_str());
    let all = comparison.points.len();
    Summary {
        subject: subject(comparison),
        span: words::common(comparison),
        relation: words::relation(comparison).map(|relation| clipped(&relation, PARAGRAPH)),
        sentence: Prose::new(sentence, PARAGRAPH),
        path: path::draw(comparison),
        path_left_out: left_out(all.min(path::POINTS), all as u64, "point", elsewhere),
        balance: balance(comparison, found),
    }
}

/// The first and the last file, by the last part of their paths.
fn subject(comparison: &Comparison) -> String {
    let name = |path: &str| clipped(base(path), LINE / 4);
    match comparison.points.as_slice() {
        [] => "no captures".to_owned(),
        [only] => name(&only.file.path),
        [first, between @ .., last] => {
            let (first, last) = (name(&first.file.path), name(&last.file.path));
            let between_them = number::counted(between.len() as u64, "point");
            match between {
                [] => format!("{first} to {last}"),
                _ => format!("{first} to {last}, with {between_them} between"),
            }
        }
    }
}

/// What became of what was sent.
fn balance(comparison: &Comparison, found: &[Finding]) -> Option<Balance> {
    let said = comparison.explanation.as_ref()?;
    let places = said.parts.iter();
    let places: Vec<Option<usize>> = places
        .map(|part| words::finding_of(comparison, part))
        .collect();
    let residual = words::residual(said.residual_bytes);
    balance::of(&explained(said), (found, &places), ["arrived", residual])
}

/// The explanation as the report has it.
fn explained(said: &PathExplanation) -> Explanation {
    let parts = said.parts.iter().map(|part| Part {
        finding: part.finding.clone(),
        bytes: part.bytes,
    });
    Explanation {
        sent_bytes: said.sent_bytes,
        delivered_bytes: said.arrived_bytes,
        parts: parts.collect(),
        undecided_bytes: 0,
        residual_bytes: said.residual_bytes,
        sentence: String::new(),
    }
}
