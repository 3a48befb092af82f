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

/// Columns of a chart on a page that is wide enough.
pub(in crate::report) const WIDTH: f64 = 720.0;

/// Where a chart is drawn for. The style sheet shows one of the two drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Room {
    /// A page, or paper.
    Wide,
    /// A telephone.
    Narrow,
}

impl Room {
    /// Columns of the drawing.
    pub(in crate::report) fn width(self) -> f64 {
        match self {
            Self::Wide => WIDTH,
            Self::Narrow => 340.0,
        }
    }

    /// One or the other.
    fn choose<T>(self, wide: T, narrow: T) -> T {
        match self {
            Self::Wide => wide,
            Self::Narrow => narrow,
        }
    }
}

/// The same for either room.
fn both(draw: impl Fn(Room) -> String) -> String {
    [Room::Wide, Room::Narrow].map(draw).concat()
}
