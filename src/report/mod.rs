//! One [`Report`] document and the writers that lay it out.
//!
//! Input: a finished document. Output: bytes to any [`std::io::Write`]. Writers
//! add nothing and leave out nothing but what a format has no room for: whatever
//! two formats both show comes from the same field. Nothing here reads the
//! environment, a clock or a terminal; width and colour are arguments.

mod beside;
pub mod build;
pub mod comparison;
pub mod csv;
pub mod document;
pub mod figures;
pub mod html;
pub mod json;
pub mod label;
pub mod markdown;
pub mod ndjson;
pub mod schema;
mod shell;
pub mod text;
pub mod wrap;

pub use crate::model::escape;
pub use beside::Beside;
pub use build::{Parts, build};
pub use document::Report;

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
