//! Charts as SVG that stands in the page: figures in, markup out.
//!
//! Nothing is said by colour alone: areas differ in their hatching, lines in their
//! dashes, and what matters is labelled. Classes are those of the page's style sheet,
//! patterns those that it defines once. Values that are no numbers are drawn as 0.

pub(in crate::report) mod balance;
pub(in crate::report) mod bars;
pub(in crate::report) mod memory;
pub(in crate::report) mod scale;
pub(in crate::report) mod strip;
pub(in crate::report) mod svg;
pub(in crate::report) mod timeline;

#[cfg(test)]
mod tests;

/// Columns of every chart. Narrower pages scroll it in a box of its own.
pub(in crate::report) const WIDTH: f64 = 720.0;
