//! What recordings are called: `fraglens-2026-01-02T030405Z-D09-D14.pcapng`.
//!
//! Nothing in a name comes from a packet, and by their names alone recordings are known
//! again when the oldest has to go. One that was renamed is nobody's but its owner's.

use crate::model::Timestamp;

const START: &str = "fraglens-";
const END: &str = ".pcapng";

/// `2026-01-02T030405Z`, where a 0 is any digit.
const STAMP: &str = "0000-00-00T000000Z";

/// What stands in place of ids in a recording that somebody asked for.
pub(super) const SAVED: &str = "saved";

/// Most ids in a name.
const MAX_IDS: usize = 4;

/// Longest part of a name between hyphens.
const MAX_PART: usize = 8;

/// How a recording that is not complete is called: hidden, something random between.
pub(super) const PART_START: &str = ".fraglens-";
pub(super) const PART_END: &str = ".pcapng.part";

/// The name of a recording, and others for when there is such a file already.
pub(super) fn candidates(trigger: Timestamp, ids: &[String]) -> impl Iterator<Item = String> {
    let stem = format!("{START}{}-{}", stamp(trigger), label(ids));
    let others = (2..100).map({
        let stem = stem.clone();
        move |copy| format!("{stem}-{copy}{END}")
    });
    std::iter::once(format!("{stem}{END}")).chain(others)
}

/// Whether a recording is called so.
pub(super) fn is_recording(name: &str) -> bool {
    let inside = name
        .strip_prefix(START)
        .and_then(|rest| rest.strip_suffix(END));
    let Some((stamp, label)) = inside.and_then(|rest| rest.split_at_checked(STAMP.len())) else {
        return false;
    };
    let fits = |(seen, wanted): (u8, u8)| match wanted {
        b'0' => seen.is_ascii_digit(),
        wanted => seen == wanted,
    };
    let is_part = |part: &str| part == SAVED || (!part.is_empty() && part.chars().all(is_of_id));
    stamp.bytes().zip(STAMP.bytes()).all(fits)
        && label
            .strip_prefix('-')
            .is_some_and(|label| label.split('-').all(is_part))
}

/// Whether the rest of a recording that was not completed is called so.
pub(super) fn is_part(name: &str) -> bool {
    name.starts_with(PART_START) && name.ends_with(PART_END)
}

fn stamp(moment: Timestamp) -> String {
    // All nanoseconds of an i64 are years with four digits.
    let moment = jiff::Timestamp::from_nanosecond(i128::from(moment.0)).unwrap_or_default();
    moment.strftime("%Y-%m-%dT%H%M%SZ").to_string()
}

fn label(ids: &[String]) -> String {
    let part =
        |id: &String| -> String { id.chars().filter(|c| is_of_id(*c)).take(MAX_PART).collect() };
    let parts: Vec<String> = ids.iter().take(MAX_IDS).map(part).collect();
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => SAVED.to_owned(),
        parts => parts.join("-"),
    }
}

fn is_of_id(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(ids: &[&str]) -> String {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let moment = Timestamp(1_767_323_045_999_999_999);
        candidates(moment, &ids).next().unwrap_or_default()
    }

    #[test]
    fn a_name_is_the_second_and_the_ids() {
        assert_eq!(first(&["D09"]), "fraglens-2026-01-02T030405Z-D09.pcapng");
        assert_eq!(first(&[]), "fraglens-2026-01-02T030405Z-saved.pcapng");
        let many = ["D01", "D02", "D03", "D04", "D05"];
        assert_eq!(
            first(&many),
            "fraglens-2026-01-02T030405Z-D01-D02-D03-D04.pcapng"
        );
    }

    #[test]
    fn no_id_leaves_the_directory() {
        assert_eq!(
            first(&["../../D\u{1b}9/", "\u{202e}"]),
            "fraglens-2026-01-02T030405Z-D9.pcapng"
        );
    }

    #[test]
    fn its_own_names_are_known_and_no_others() {
        for time in [Timestamp::MIN, Timestamp(0), Timestamp::MAX] {
            for name in candidates(time, &["D09".to_owned(), "D14".to_owned()]) {
                assert!(is_recording(&name), "{name}");
            }
            assert!(candidates(time, &[]).all(|name| is_recording(&name)));
        }
        for other in [
            "",
            "fraglens-.pcapng",
            "fraglens-2026-01-02T030405Z.pcapng",
            "fraglens-2026-01-02T030405Z-.pcapng",
            "fraglens-2026-01-02T030405Z-D09-keep.pcapng",
            "fraglens-2026-01-02T030405Z-D09.pcapng.gz",
            "fraglens-2026-01-02T03040\u{e9}-D09.pcapng",
            "my-fraglens-2026-01-02T030405Z-D09.pcapng",
        ] {
            assert!(!is_recording(other), "{other}");
        }
        assert!(is_part(".fraglens-x1y2z3.pcapng.part"));
    }
}
