//! The frames that a comparison names, and what it says of them.

use super::name;
use crate::model::{Timestamp, number};
use crate::report::comparison::document::{Damage, Direction, Segment};
use crate::report::comparison::{self, Comparison};
use std::collections::BTreeMap;

/// What is named, by point.
#[derive(Debug, Default)]
pub(super) struct Exhibits(Vec<BTreeMap<u64, Exhibit>>);

/// What is said of one frame.
#[derive(Debug)]
pub(super) struct Exhibit {
    /// How much it is needed.
    pub place: Place,
    /// When it was captured, if that is said.
    pub timestamp: Option<Timestamp>,
    /// What is said.
    pub notes: Vec<String>,
}

/// How much a frame is needed, the most is the least: first those that are named, of
/// every finding its first before the second of any. Frames of one datagram at several
/// points are in one place, as findings name them in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    why: Why,
    /// Its place among the frames of its finding at its point.
    turn: usize,
    finding: usize,
}

/// Why a frame is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Named,
    /// A fragment of its datagram is.
    SameDatagram,
}

impl Place {
    /// That of the other fragments of its datagram.
    pub fn of_the_rest(self) -> Self {
        Self {
            why: Why::SameDatagram,
            ..self
        }
    }
}

/// A frame of some point.
type Where = (u32, u64);

impl Exhibits {
    /// What a comparison names.
    pub fn of(comparison: &Comparison) -> Self {
        let points = comparison.points.iter().map(|_| BTreeMap::new());
        let mut exhibits = Self(points.collect());
        for (place, finding) in comparison.findings.iter().enumerate() {
            let mut turns: BTreeMap<u32, usize> = BTreeMap::new();
            for evidence in &finding.evidence {
                let turn = turns.entry(evidence.point).or_default();
                let place = Place::named(*turn, place);
                *turn += 1;
                let note = format!("{}: {}", finding.id, evidence.note);
                let named = exhibits.name((evidence.point, evidence.frame), place, note);
                if let Some(exhibit) = named {
                    exhibit.timestamp = exhibit.timestamp.or(Some(evidence.timestamp.0));
                }
            }
        }
        exhibits.damage(comparison);
        exhibits
    }

    /// Those of a point.
    pub fn at(&self, point: u32) -> Option<&BTreeMap<u64, Exhibit>> {
        self.0.get(point as usize)
    }

    fn name(&mut self, (point, frame): Where, place: Place, note: String) -> Option<&mut Exhibit> {
        // Frames are counted from 1.
        let frames = self.0.get_mut(point as usize).filter(|_| frame > 0)?;
        let exhibit = frames.entry(frame).or_insert(Exhibit {
            place,
            timestamp: None,
            notes: Vec::new(),
        });
        exhibit.place = exhibit.place.min(place);
        if !exhibit.notes.contains(&note) {
            exhibit.notes.push(note);
        }
        Some(exhibit)
    }

    fn damage(&mut self, comparison: &Comparison) {
        let mut number = comparison.findings.len();
        for (direction, segments) in ways(comparison) {
            for segment in segments {
                for (turn, damage) in segment.damage.iter().enumerate() {
                    let [before, behind] = ends(direction, segment, damage);
                    let place = Place::named(turn, number);
                    let told = comparison::damage(damage);
                    let to = elsewhere("to", behind, comparison);
                    let from = elsewhere("from", before, comparison);
                    self.name(before, place, format!("changed on the way {to}: {told}"));
                    self.name(behind, place, format!("changed on the way {from}: {told}"));
                }
                number += 1;
            }
        }
    }
}

impl Place {
    fn named(turn: usize, finding: usize) -> Self {
        Self {
            why: Why::Named,
            turn,
            finding,
        }
    }
}

/// The segments of each direction: from their sums nobody can tell at which point a frame
/// was before it was changed.
fn ways(comparison: &Comparison) -> Vec<(Direction, &[Segment])> {
    if comparison.directions.is_empty() {
        let mut flows = comparison.flows.iter();
        let direction = flows
            .next()
            .map_or(Direction::Forward, |flow| flow.direction);
        return vec![(direction, &comparison.segments)];
    }
    let ways = comparison.directions.iter();
    ways.map(|way| (way.direction, way.segments.as_slice()))
        .collect()
}

/// Where a packet was before it was changed, and behind that.
fn ends(direction: Direction, segment: &Segment, damage: &Damage) -> [Where; 2] {
    let (before, behind) = match direction {
        Direction::Forward => (segment.from, segment.to),
        Direction::Backward => (segment.to, segment.from),
    };
    [(before, damage.from_frame), (behind, damage.to_frame)]
}

/// `to B (frame 17 there)`.
fn elsewhere(way: &str, (point, frame): Where, comparison: &Comparison) -> String {
    let name = name(comparison, point);
    format!("{way} {name} (frame {} there)", number::count(frame))
}
