//! A datagram from its first byte to its last: what came of it and what did not.

use super::scale::{Round, Scale, ticks};
use super::svg::{Anchor, Rect, Svg};
use super::{Room, both};
use crate::model::number;
use crate::report::document::{LostDatagram, Piece};

/// Left edge and that of the right, and where the strip is.
const LEFT: f64 = 8.0;
const MARGIN: f64 = 8.0;
const TOP: f64 = 6.0;
const HEIGHT: f64 = 26.0;

/// Lanes of pieces that overlap those before them, and the height of one.
const LANES: usize = 4;
const LANE: f64 = 10.0;

/// Rows of labels below the strip, and the height of one.
const LABEL_ROWS: usize = 3;
const LABEL: f64 = 16.0;

/// Half of the width of a number below the strip.
const TICK: f64 = 20.0;

/// Width that a character of a label takes.
const CHARACTER: f64 = 6.4;

/// A stretch of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Stretch {
    /// First byte.
    pub from: u32,
    /// Where it ends; the byte there is not in it.
    pub to: u32,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Fate {
    /// It came, in so many pieces.
    Came(u32),
    /// It did not.
    Missing,
}

/// The stretches of a datagram, one behind the other.
pub(in crate::report) fn stretches(datagram: &LostDatagram) -> Vec<Stretch> {
    let mut pieces: Vec<Piece> = datagram.pieces.clone();
    pieces.retain(|piece| piece.from < piece.to);
    pieces.sort_by_key(|piece| (piece.from, piece.to));
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut end = 0;
    for piece in pieces {
        if piece.from > end {
            stretches.push(missing(end, piece.from));
        }
        match stretches.last_mut() {
            Some(Stretch {
                to,
                fate: Fate::Came(count),
                ..
            }) => {
                *to = piece.to.max(*to);
                *count += 1;
            }
            _ => stretches.push(Stretch {
                from: piece.from,
                to: piece.to,
                fate: Fate::Came(1),
            }),
        }
        end = end.max(piece.to);
    }
    match datagram.payload_bytes {
        // What is not listed may have come.
        Some(all) if all > end && datagram.pieces_omitted == 0 => {
            stretches.push(missing(end, all));
        }
        _ => {}
    }
    stretches
}

fn missing(from: u32, to: u32) -> Stretch {
    Stretch {
        from,
        to,
        fate: Fate::Missing,
    }
}

/// `fragment 4 of 47`, `fragments 18–19 of 47`; bytes where fragments have no size.
pub(in crate::report) fn place(datagram: &LostDatagram, from: u32, to: u32) -> String {
    let size = datagram.fragment_bytes.filter(|size| *size > 0);
    let Some(size) = size else {
        return format!(
            "bytes {}–{}",
            number::count(from.into()),
            number::count(to.into())
        );
    };
    let all = datagram.payload_bytes.map(|bytes| bytes.div_ceil(size));
    let all = all.map_or_else(String::new, |all| {
        format!(" of {}", number::count(all.into()))
    });
    let (first, last) = (from / size + 1, to.div_ceil(size).max(1));
    if first >= last {
        format!("fragment {first}{all}")
    } else {
        format!("fragments {first}–{last}{all}")
    }
}

/// Draws the datagram.
pub(in crate::report) fn draw(id: &str, title: &str, datagram: &LostDatagram) -> String {
    both(|room| draw_for(room, (id, title), datagram))
}

fn draw_for(room: Room, (id, title): (&str, &str), datagram: &LostDatagram) -> String {
    let right = room.width() - MARGIN;
    let stretches = stretches(datagram);
    let end = end(datagram);
    let x = Scale::new(end.into(), LEFT, right);
    let mut svg = Svg::default();
    let overlap = draw_pieces(&mut svg, datagram, x);
    let below = TOP + HEIGHT + LANE * overlap as f64;
    let rows = draw_gaps(&mut svg, datagram, &stretches, x, below);
    let axis = below + 6.0 + LABEL * rows as f64;
    for tick in ticks(end.into(), room.choose(8, 4), Round::Decimal) {
        let at = x.at(tick);
        svg.line("axis", (at, axis), (at, axis + 4.0));
        let anchor = if tick == 0.0 {
            Anchor::Start
        } else if at + TICK > right {
            Anchor::End
        } else {
            Anchor::Middle
        };
        svg.text(
            "tick",
            anchor,
            (at, axis + 17.0),
            &number::count(tick as u64),
        );
    }
    svg.line("axis", (LEFT, axis), (right, axis));
    let middle = (LEFT + right) / 2.0;
    svg.text(
        "tick",
        Anchor::Middle,
        (middle, axis + 33.0),
        "bytes of its payload",
    );
    svg.finish_for(room, id, axis + 38.0, title, &words(datagram, &stretches))
}

/// Where the drawing ends: with the datagram, or with what is known of it.
fn end(datagram: &LostDatagram) -> u32 {
    let pieces = datagram.pieces.iter().map(|piece| piece.to).max();
    let known = pieces.unwrap_or(0).max(datagram.payload_bytes.unwrap_or(0));
    match datagram.payload_bytes {
        Some(_) => known.max(1),
        // Room for an end that never came.
        None => (known.saturating_add(known / 12)).max(1),
    }
}

/// The pieces that came; says how many lanes more than one they needed.
fn draw_pieces(svg: &mut Svg, datagram: &LostDatagram, x: Scale) -> usize {
    let mut ends = [0_u32; LANES];
    let mut lanes: [Vec<Rect>; LANES] = Default::default();
    for piece in datagram.pieces.iter().filter(|piece| piece.from < piece.to) {
        let lane = ends.iter().position(|end| piece.from >= *end);
        let lane = lane.unwrap_or(LANES - 1);
        ends[lane] = ends[lane].max(piece.to);
        lanes[lane].push(rect_of(*piece, lane, x));
    }
    svg.rects("came", &joined(&lanes[0]));
    for lane in &lanes[1..] {
        svg.rects("again", &joined(lane));
    }
    lanes.iter().skip(1).filter(|lane| !lane.is_empty()).count()
}

fn rect_of(piece: Piece, lane: usize, x: Scale) -> Rect {
    let (from, to) = (x.at(piece.from.into()), x.at(piece.to.into()));
    // A seam between pieces, where they are wide enough to have one.
    let seam = if to - from > 4.0 { 1.0 } else { 0.0 };
    let (y, height) = match lane {
        0 => (TOP, HEIGHT),
        lane => (TOP + HEIGHT + LANE * (lane - 1) as f64 + 2.0, LANE - 2.0),
    };
    Rect {
        x: from,
        y,
        width: (to - from - seam).max(0.6),
        height,
    }
}

/// Narrow ones that are too near to each other to be told apart become one.
fn joined(rects: &[Rect]) -> Vec<Rect> {
    const NARROW: f64 = 4.0;
    const NEAR: f64 = 0.9;
    let mut all: Vec<Rect> = Vec::new();
    for rect in rects {
        match all.last_mut() {
            Some(last) if rect.width < NARROW && rect.x - (last.x + last.width) < NEAR => {
                last.width = last.width.max(rect.x + rect.width - last.x);
            }
            _ => all.push(*rect),
        }
    }
    all
}

/// The gaps, hatched, with labels below; says how many rows of labels there are.
fn draw_gaps(
    svg: &mut Svg,
    datagram: &LostDatagram,
    stretches: &[Stretch],
    x: Scale,
    below: f64,
) -> usize {
    let gaps = stretches
        .iter()
        .filter(|stretch| stretch.fate == Fate::Missing);
    let place = |gap: &Stretch| (x.at(gap.from.into()), x.at(gap.to.into()));
    let rects: Vec<Rect> = gaps.clone().map(|gap| hatched(place(gap))).collect();
    svg.rects("gap", &joined(&rects));
    let right = x.at(f64::MAX);
    let mut labels = Labels {
        below,
        right,
        ends: [0.0; LABEL_ROWS],
    };
    for gap in gaps {
        let label = format!("{} missing", self::place(datagram, gap.from, gap.to));
        write_label(svg, &mut labels, place(gap), &label);
    }
    if datagram.payload_bytes.is_none() {
        let known = datagram.pieces.iter().map(|piece| piece.to).max();
        let from = x.at(known.unwrap_or(0).into());
        svg.rects("gap", &[hatched((from, right))]);
        write_label(svg, &mut labels, (from, right), "the end never came");
    }
    labels.ends.iter().filter(|end| **end > 0.0).count()
}

fn hatched((from, to): (f64, f64)) -> Rect {
    Rect {
        x: from,
        y: TOP,
        width: (to - from).max(1.0),
        height: HEIGHT,
    }
}

/// Rows of labels below the strip.
struct Labels {
    /// Where the strip ends downwards, and to the right.
    below: f64,
    right: f64,
    /// Where the last label of each row ends.
    ends: [f64; LABEL_ROWS],
}

/// A label below a gap, in the first row that has room; without one the table has to do.
fn write_label(svg: &mut Svg, labels: &mut Labels, (from, to): (f64, f64), label: &str) {
    let width = label.chars().count() as f64 * CHARACTER;
    let least = LEFT + width / 2.0;
    let middle = ((from + to) / 2.0).clamp(least, (labels.right - width / 2.0).max(least));
    let Some(row) = labels
        .ends
        .iter()
        .position(|end| middle - width / 2.0 > *end)
    else {
        return;
    };
    labels.ends[row] = middle + width / 2.0 + 8.0;
    let base = labels.below + LABEL * (row + 1) as f64;
    let at = (from + to) / 2.0;
    svg.line("leader", (at, TOP + HEIGHT), (at, base - 10.0));
    svg.text("label", Anchor::Middle, (middle, base), label);
}

fn words(datagram: &LostDatagram, stretches: &[Stretch]) -> String {
    let gaps = stretches
        .iter()
        .filter(|stretch| stretch.fate == Fate::Missing);
    let mut gaps: Vec<String> = gaps.map(|gap| place(datagram, gap.from, gap.to)).collect();
    let more = gaps.len().saturating_sub(20);
    gaps.truncate(20);
    let mut words = format!(
        "{} came",
        number::counted(datagram.pieces.len() as u64, "piece")
    );
    if !gaps.is_empty() {
        words.push_str(&format!("; missing: {}", gaps.join(", ")));
    }
    if more > 0 {
        words.push_str(&format!(" and {} more", number::count(more as u64)));
    }
    if datagram.payload_bytes.is_none() {
        words.push_str("; the end never came");
    }
    words
}
