//! Whether disguised frames say what the original ones say.
//!
//! Both are written and analysed like any capture. What was counted of the original is put
//! under the mapped names, and then both must make the same report: every counter of every
//! flow and tunnel, every finding with its evidence, what the receivers do, the timeline.

use super::Anonymizer;
use crate::evidence::Kept;
use crate::pipeline::{self, Analysis};
use crate::report::{Parts, Report, build, document};
use crate::source::{FileFacts, HashPolicy, Memory, Source, SourceOptions};
use serde_json::Value;
use std::io;
use std::ops::ControlFlow;

/// What is not compared: the sizes of two files differ by the names in them.
const NOT_COMPARED: &str = "capture.files";

/// Why disguised frames are not to be handed on.
#[derive(Debug, thiserror::Error)]
pub enum Difference {
    /// They say something else.
    #[error("{at} of the report is {original} for the original, and {disguised} without names")]
    Report {
        /// Where in the report, as a dotted path.
        at: String,
        /// What the original says, addresses mapped.
        original: String,
        /// What the disguised frames say.
        disguised: String,
    },
    /// The findings of the original depend on its names.
    #[error("the findings of the original are {original}, and {renamed} under mapped names")]
    Names {
        /// Findings by id and severity.
        original: String,
        /// The same under other names.
        renamed: String,
    },
    /// The frames cannot be written.
    #[error("the frames cannot be written to be compared: {0}")]
    Write(#[from] io::Error),
    /// The pipeline does not start.
    #[error("the frames cannot be analysed to be compared: {0}")]
    Analysis(String),
}

/// Shows that two sets of frames say the same, or what differs.
///
/// # Errors
///
/// They differ, or it cannot be shown.
pub fn prove(
    original: &Kept,
    disguised: &Kept,
    anonymizer: &Anonymizer,
    options: &pipeline::Options,
) -> Result<(), Difference> {
    let (mut before, files) = analyzed(original, options)?;
    let plain = report(&before, &files);
    anonymizer.analysis(&mut before);
    let renamed = report(&before, &files);
    let [original, named] = [&plain, &renamed].map(findings);
    if original != named {
        return Err(Difference::Names {
            original,
            renamed: named,
        });
    }
    let (after, files) = analyzed(disguised, options)?;
    same(&renamed, &report(&after, &files))
}

/// Frames as a capture, analysed. They are what a filter left, which names addresses.
fn analyzed(
    kept: &Kept,
    options: &pipeline::Options,
) -> Result<(Analysis, Vec<FileFacts>), Difference> {
    let capture = kept.write(&[], Vec::new())?;
    let reading = SourceOptions {
        hash: HashPolicy::Never,
        ..SourceOptions::default()
    };
    let options = pipeline::Options {
        filter: None,
        ..options.clone()
    };
    let mut source = Memory::new(capture, &reading);
    let analysis = pipeline::analyze(&mut source, &options, &|_| ControlFlow::Continue(()))
        .map_err(|error| Difference::Analysis(error.to_string()))?;
    Ok((analysis, source.files()))
}

/// All there is to say, every flow listed.
fn report(analysis: &Analysis, files: &[FileFacts]) -> Report {
    let parts = Parts {
        files,
        ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
    };
    build(&parts, document::Options::default())
}

fn findings(report: &Report) -> String {
    let each = report
        .findings
        .iter()
        .map(|finding| format!("{} {:?}", finding.id, finding.severity));
    each.collect::<Vec<_>>().join(", ")
}

fn same(original: &Report, disguised: &Report) -> Result<(), Difference> {
    let value = |report| {
        serde_json::to_value(report).map_err(|error| Difference::Analysis(error.to_string()))
    };
    agree(&value(original)?, &value(disguised)?)
}

/// Shows that two reports, or what is taken of them, say the same.
///
/// # Errors
///
/// They differ; what is named is where they do so first.
pub fn agree(original: &Value, disguised: &Value) -> Result<(), Difference> {
    match first_difference("", original, disguised) {
        None => Ok(()),
        Some((at, original, disguised)) => Err(Difference::Report {
            at,
            original: original.to_string(),
            disguised: disguised.to_string(),
        }),
    }
}

/// Where two values differ first, and what each has there.
fn first_difference<'v>(
    at: &str,
    one: &'v Value,
    other: &'v Value,
) -> Option<(String, &'v Value, &'v Value)> {
    if at == NOT_COMPARED || one == other {
        return None;
    }
    let below = |name: &str| match at {
        "" => name.to_owned(),
        at => format!("{at}.{name}"),
    };
    let deeper = match (one, other) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => one
            .iter()
            .zip(other)
            .find_map(|((name, one), (_, other))| first_difference(&below(name), one, other)),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            pairs
                .map(|(place, (one, other))| {
                    first_difference(&below(&place.to_string()), one, other)
                })
                .find(Option::is_some)
                .flatten()
        }
        _ => return Some((at.to_owned(), one, other)),
    };
    // The files are all that may differ.
    match (deeper, at) {
        (None, "" | "capture") => None,
        (None, _) => Some((at.to_owned(), one, other)),
        (found, _) => found,
    }
}
