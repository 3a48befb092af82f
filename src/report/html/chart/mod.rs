//! Charts as SVG that stands in the page: figures in, markup out.
//!
//! Nothing is said by colour alone: areas differ in their hatching, lines in their
//! dashes, and what matters is labelled. Classes are those of the page's style sheet,
//! patterns those that it defines once. Values that are no numbers are drawn as 0.

pub(super) mod balance;
pub(super) mod bars;
pub(super) mod memory;
pub(super) mod scale;
pub(super) mod strip;
pub(super) mod svg;
pub(super) mod timeline;

#[cfg(test)]
mod tests;

/// Columns of every chart. Narrower pages scroll it in a box of its own.
pub(super) const WIDTH: f64 = 720.0;
