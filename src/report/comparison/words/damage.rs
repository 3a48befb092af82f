//! How bytes differ.

use crate::model::number;
use crate::report::comparison::document::{Damage, DamageKind};
use crate::report::escape;

/// `2 bytes, 3 bits differ, the first at byte 612: was 0a1b, is 0a1f; single bits`.
pub fn damage(damage: &Damage) -> String {
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
    format!("{text}; {}", kind(damage.kind))
}

fn kind(kind: DamageKind) -> &'static str {
    match kind {
        DamageKind::Bits => "single bits, as a bad cable, connector or memory cell flips them",
        DamageKind::Filled => "a run that became all the same",
        DamageKind::Patterned => {
            "equal differences at equal distances, as a bad memory chip or bus makes them"
        }
        DamageKind::Shifted => "the same bytes, moved",
        DamageKind::Resized => "the packet is shorter or longer",
        DamageKind::Replaced => "other data, as when a middlebox rewrites it",
        DamageKind::Unknown => "the files could not be read again",
    }
}
