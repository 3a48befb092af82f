//! Packets that a host passes on by the interface at which they came in: a router on a stick, a
//! node of which a service has a port, a gateway between tunnels. Its capture has each of them
//! twice, and nothing but the TTL says which is which. So has that of a switch port that mirrors
//! a router.
//!
//! Whether a capture has any is asked of the first packets of each flow alone, as long as that is
//! not known.

use super::lasting;
use super::shown::{Way, is_lowered};
use crate::compare::sighting::Sighting;
use crate::model::{FlowKey, Timestamp};

/// So many packets of a flow come first: of some the capture has not what came in, and others
/// were dropped by the host.
pub(in crate::compare) const FIRST: u8 = 4;

/// Packets that are remembered at once.
const SLOTS: usize = 1 << 12;

/// A packet that came first.
#[derive(Clone, Copy, Debug)]
struct First {
    /// Hash of what a host leaves as it is.
    what: u64,
    time: Timestamp,
    hop_limit: u8,
    way: Way,
}

/// Looks for them at one point.
#[derive(Debug, Default)]
pub(in crate::compare) struct Hairpins {
    /// Each in the place that its hash names.
    latest: Vec<Option<First>>,
    are_found: bool,
}

impl Hairpins {
    /// Whether there is one.
    pub fn are_found(&self) -> bool {
        self.are_found
    }

    /// Takes one of the [`FIRST`] packets of a flow.
    pub fn take(&mut self, seen: &Sighting, key: &FlowKey) {
        let Some((what, within)) = lasting(seen).filter(|_| !self.are_found) else {
            return;
        };
        if self.latest.is_empty() {
            self.latest.resize(SLOTS, None);
        }
        let slot = &mut self.latest[what as usize % SLOTS];
        let first = First {
            what,
            time: seen.time,
            hop_limit: seen.look.hop_limit,
            way: Way::of(key),
        };
        let before = slot.replace(first);
        self.are_found = before.is_some_and(|before| {
            let passed = (first.time - before.time).0.saturating_abs();
            before.what == what
                && passed <= within.0
                && is_lowered(before.hop_limit, first.hop_limit)
                && !first.way.answers(&before.way)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::look::Look;
    use crate::compare::sighting::example;
    use crate::model::{Addresses, Protocol, ScopeTag};

    /// A packet some microseconds later, with such a TTL.
    fn seen(id: u32, hop_limit: u8, microseconds: i64) -> Sighting {
        Sighting {
            time: Timestamp(microseconds * 1_000),
            look: Look::new(hop_limit, 0, None, false),
            ..example(id)
        }
    }

    fn key() -> FlowKey {
        FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: None,
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    fn are_found(seen: &[Sighting]) -> bool {
        let mut hairpins = Hairpins::default();
        seen.iter().for_each(|seen| hairpins.take(seen, &key()));
        hairpins.are_found()
    }

    #[test]
    fn one_who_sends_back_what_he_gets_passes_nothing_on() {
        let nameless = |hop_limit, microseconds| Sighting {
            is_numbered: false,
            id: 0,
            ..seen(1, hop_limit, microseconds)
        };
        let found = |second: &FlowKey| {
            let mut hairpins = Hairpins::default();
            hairpins.take(&nameless(64, 0), &key());
            hairpins.take(&nameless(63, 300), second);
            hairpins.are_found()
        };
        assert!(!found(&key().reversed()));
        let translated = FlowKey {
            addresses: Addresses::v4([10, 0, 0, 2], [10, 0, 0, 3]),
            ..key()
        };
        assert!(found(&translated));
    }

    #[test]
    fn what_comes_again_with_a_lower_ttl_was_passed_on() {
        assert!(are_found(&[seen(1, 64, 0), seen(1, 63, 50)]));
        let between = [seen(1, 64, 0), seen(2, 64, 10), seen(3, 9, 20)];
        assert!(are_found(&[&between[..], &[seen(2, 62, 90_000)]].concat()));
        let nameless = |hop_limit, microseconds| Sighting {
            is_numbered: false,
            id: 0,
            ..seen(1, hop_limit, microseconds)
        };
        assert!(are_found(&[nameless(64, 0), nameless(63, 900)]));
        assert!(!are_found(&[nameless(64, 0), nameless(63, 1_100)]));
    }

    #[test]
    fn copies_and_others_were_not() {
        for other in [
            seen(1, 64, 50),
            seen(1, 65, 50),
            seen(1, 60, 50),
            seen(2, 63, 50),
            seen(1, 63, 200_000),
        ] {
            assert!(!are_found(&[seen(1, 64, 0), other]), "{other:?}");
        }
    }

    #[test]
    fn what_cannot_be_told_from_others_tells_nothing() {
        let short = |hop_limit| Sighting {
            is_numbered: false,
            id: 0,
            bytes: 12,
            ip_bytes: 32,
            ..seen(1, hop_limit, 0)
        };
        assert!(!are_found(&[short(64), short(63)]));
    }
}
