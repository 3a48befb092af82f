//! One [`Comparison`] document and the writers that lay it out, as [`report`](super) does
//! for one capture.

pub mod document;

pub use document::Comparison;
