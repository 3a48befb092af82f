//! One [`Comparison`] document and the writers that lay it out, as [`report`](super) does
//! for one capture.

pub mod build;
pub mod document;

pub use build::{ComparedParts, build};
pub use document::Comparison;
