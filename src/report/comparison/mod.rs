//! One [`Comparison`] document and the writers that lay it out, as [`report`](super) does
//! for one capture.
//!
//! What is said in words is said by `words`, so that every format says the same; what
//! both documents have (findings, receivers, problems) is laid out by the writers of the
//! report.

pub mod build;
pub mod csv;
pub mod document;
pub mod html;
pub mod json;
pub mod markdown;
pub mod ndjson;
pub mod schema;
pub mod text;

mod found;
mod over_time;
mod repeat;
mod ways;
mod words;

pub use build::{ComparedParts, build};
pub use document::Comparison;
pub use words::damage;

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
