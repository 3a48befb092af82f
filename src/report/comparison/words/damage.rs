//! How bytes differ.

use super::name_of;
use crate::model::number;
use crate::report::comparison::document::{Damage, DamageKind, Segment};
use crate::report::escape;
use std::collections::BTreeSet;

/// `2 bytes (3 bits) differ from byte 612 on: 0a1b became 0a1f; single bits`.
pub fn damage(damage: &Damage) -> String {
    format!("{}; {}", difference(damage), kind(damage.kind))
}

/// What the damage between two points has in common, as sentences say it: each kind once, and the
/// place if all are there.
pub(in crate::report::comparison) fn damage_in_common(segment: &Segment) -> Vec<String> {
    let place = segment.damage_at.map(|place| {
        let (first, last) = (place.first_offset, place.last_offset);
        let [first, last] = [first, last].map(|offset| number::count(offset.into()));
        match first == last {
            true => format!("always at the same place: byte {first}"),
            false => format!("always at the same place: bytes {first} to {last}"),
        }
    });
    let kinds: BTreeSet<DamageKind> = segment.damage.iter().map(|one| one.kind).collect();
    let is_one = kinds.len() == 1;
    let kinds = kinds.into_iter().map(|one| match is_one {
        true => kind(one).to_owned(),
        false => format!("{}: {}", name_of(one), kind(one)),
    });
    kinds.chain(place).collect()
}

/// How bytes differ, and which of several kinds that is.
pub(in crate::report::comparison) fn damage_of(segment: &Segment, damage: &Damage) -> String {
    let is_one = segment.damage.iter().all(|other| other.kind == damage.kind);
    match is_one {
        true => difference(damage),
        false => format!("{}; {}", difference(damage), name_of(damage.kind)),
    }
}

/// `2 bytes (3 bits) differ from byte 612 on: 0a1b became 0a1f`.
fn difference(damage: &Damage) -> String {
    let bytes = damage
        .bytes_differing
        .map(|bytes| number::counted(bytes.into(), "byte"));
    let bits = damage
        .bits_differing
        .map(|bits| number::counted(bits.into(), "bit"));
    let mut parts: Vec<String> = bytes.into_iter().collect();
    parts.extend(bits.map(|bits| format!("({bits})")));
    let mut text = match parts.is_empty() {
        true => "how many bytes differ is unknown".to_owned(),
        false => format!("{} differ", parts.join(" ")),
    };
    if let Some(offset) = damage.first_offset {
        text.push_str(&format!(" from byte {} on", number::count(offset.into())));
    }
    if !damage.was.is_empty() || !damage.is.is_empty() {
        let (was, is) = (escape::line(&damage.was), escape::line(&damage.is));
        text.push_str(&format!(": {was} became {is}"));
    }
    text
}

fn kind(kind: DamageKind) -> &'static str {
    match kind {
        DamageKind::Bits => "single bits, as a bad cable, connector or memory cell flips them",
        DamageKind::Filled => "a run that became all the same",
        DamageKind::Patterned => {
            "something that repeats at equal distances, as a bad memory chip or bus makes it"
        }
        DamageKind::Shifted => "the same bytes, moved",
        DamageKind::Resized => "the packet is shorter or longer",
        DamageKind::Translated => {
            "in later fragments, where a first one has ports and checksum: as NAT does that takes \
             each fragment for a whole packet"
        }
        DamageKind::SamePlace => {
            "something else each time, but at the same place: somebody writes there"
        }
        DamageKind::Replaced => "other data, as when a middlebox rewrites it",
        DamageKind::Unknown => "the files could not be read again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::comparison::document::DamagePlace;

    fn one(kind: DamageKind) -> Damage {
        Damage {
            from_frame: 1,
            to_frame: 2,
            bytes_differing: Some(2),
            bits_differing: Some(8),
            first_offset: Some(6),
            was: "970c".to_owned(),
            is: "a940".to_owned(),
            kind,
        }
    }

    fn segment(damage: Vec<Damage>, place: Option<(u32, u32)>) -> Segment {
        Segment {
            damage,
            damage_at: place.map(|(first_offset, last_offset)| DamagePlace {
                first_offset,
                last_offset,
            }),
            ..Segment::default()
        }
    }

    #[test]
    fn what_all_have_in_common_is_said_once() {
        let alike = segment(vec![one(DamageKind::Translated); 8], Some((6, 7)));
        let common = damage_in_common(&alike);
        assert_eq!(common.len(), 2);
        assert_eq!(common[1], "always at the same place: bytes 6 to 7");
        let differs = "2 bytes (8 bits) differ from byte 6 on: 970c became a940";
        assert_eq!(damage_of(&alike, &alike.damage[0]), differs);
    }

    #[test]
    fn of_several_kinds_each_packet_has_its_own() {
        let kinds = [DamageKind::Filled, DamageKind::Bits, DamageKind::Filled];
        let mixed = segment(kinds.map(one).to_vec(), None);
        let common = damage_in_common(&mixed);
        assert_eq!(common.len(), 2);
        assert!(common[0].starts_with("bits: single bits"), "{common:?}");
        assert!(damage_of(&mixed, &mixed.damage[0]).ends_with("; filled"));
        let byte = segment(vec![one(DamageKind::Bits); 3], Some((100, 100)));
        let place = "always at the same place: byte 100";
        assert_eq!(damage_in_common(&byte).pop().as_deref(), Some(place));
        assert!(damage_in_common(&Segment::default()).is_empty());
    }
}
