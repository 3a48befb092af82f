//! The frames that a comparison names, and what it says of them.

use super::name;
use crate::model::{Timestamp, number};
use crate::report::comparison::Comparison;
use crate::report::comparison::document::{Damage, DamageKind, Direction, PathFlow, Segment};
use std::collections::{BTreeMap, BTreeSet};

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

/// Where damage was before and behind.
type Ends = (Where, Where);

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
        let backward = backward(comparison);
        for (number, segment) in comparison.segments.iter().enumerate() {
            let finding = comparison.findings.len() + number;
            for (turn, damage) in segment.damage.iter().enumerate() {
                let mut ends = ends(segment, damage);
                if backward.contains(&turned(ends)) {
                    ends = turned(ends);
                }
                let place = Place::named(turn, finding);
                let names = [ends.0.0, ends.1.0].map(|point| name(comparison, point));
                let [before, behind] = told(damage, ends, names);
                self.name(ends.0, place, before);
                self.name(ends.1, place, behind);
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

/// Damage to what went back. A segment adds both directions up and is named in the forward
/// one: where its damage was before and behind, the flows know.
fn backward(comparison: &Comparison) -> BTreeSet<Ends> {
    let flows = comparison.flows.iter().chain(&comparison.carriers);
    let flows = flows.filter(|flow| flow.direction == Direction::Backward);
    flows.flat_map(damage_of).collect()
}

fn damage_of(flow: &PathFlow) -> impl Iterator<Item = Ends> {
    let segments = flow.segments.iter();
    segments.flat_map(|segment| {
        let damage = segment.damage.iter();
        damage.map(|damage| {
            let ends = ends(segment, damage);
            // Whichever way its segments are named, it goes towards the first point.
            if ends.0.0 < ends.1.0 {
                turned(ends)
            } else {
                ends
            }
        })
    })
}

fn ends(segment: &Segment, damage: &Damage) -> Ends {
    (
        (segment.from, damage.from_frame),
        (segment.to, damage.to_frame),
    )
}

/// The same frames, at the other points.
fn turned(((before, from_frame), (behind, to_frame)): Ends) -> Ends {
    ((behind, from_frame), (before, to_frame))
}

/// What is said of damage where it was not yet, and where it is.
fn told(damage: &Damage, (before, behind): Ends, names: [&str; 2]) -> [String; 2] {
    let what = described(damage);
    let [from, to] = names.map(|name| name.to_owned());
    let first = |here: &str, there: &str| match damage.first_offset {
        Some(offset) => format!(
            ", the first at byte {} of the IP payload: {here} here, {there} there",
            number::count(offset.into())
        ),
        None => String::new(),
    };
    let before_frame = number::count(before.1);
    let behind_frame = number::count(behind.1);
    [
        format!(
            "changed on the way to {to} (frame {behind_frame} there): {what}{}",
            first(&damage.was, &damage.is)
        ),
        format!(
            "changed on the way from {from} (frame {before_frame} there): {what}{}",
            first(&damage.is, &damage.was)
        ),
    ]
}

fn described(damage: &Damage) -> String {
    let kind = match damage.kind {
        DamageKind::Bits => "a few bits flipped",
        DamageKind::Filled => "a run of bytes became all the same",
        DamageKind::Patterned => "equal differences at equal distances",
        DamageKind::Shifted => "the same bytes, but moved",
        DamageKind::Resized => "shorter or longer",
        DamageKind::Replaced => "other data",
        DamageKind::Unknown => "its bytes are not the same",
    };
    let bytes = damage.bytes_differing.map(u64::from);
    let bits = damage.bits_differing.map(u64::from);
    match (bytes, bits) {
        (Some(bytes), Some(bits)) => format!(
            "{kind}; {} and {} differ",
            number::counted(bytes, "byte"),
            number::counted(bits, "bit")
        ),
        (Some(bytes), None) => format!("{kind}; {} differ", number::counted(bytes, "byte")),
        _ => kind.to_owned(),
    }
}
