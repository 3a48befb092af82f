//! Flows whose packets are numbered in a row: what is beyond all that was seen of one is
//! seen for the first time, as its first packet is.

use super::sighting::{Form, Sighting};

/// How far a flow has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rise {
    /// Where what comes next begins, if nothing is left out: by identification in units of
    /// [`ONE`], else by sequence. It wraps.
    next: u32,
    /// How sure it is that it is numbered in a row: more than [`STEADY`] is enough. 0 if there
    /// was no packet.
    steady: u8,
}

/// From one identification of 16 bits to the next.
const ONE: u32 = 1 << 16;
/// How far packets in a row are from each other, at most: 1,024 identifications, 64 MiB.
const REACH: u32 = 1 << 26;
/// So many in a row are no chance: of identifications that say nothing, one in 32 of those
/// that are ahead goes on, and then it has to be a copy for harm to come of it.
const STEADY: u8 = 4;
/// The very next says as much as so many that leave some out: that is one in 65,536.
const NEXT: u8 = 4;

impl Rise {
    /// Takes the next packet of the flow, by where it is in the row; says whether it is surely
    /// beyond all before.
    #[inline(always)]
    pub fn takes(&mut self, place: Option<InRow>) -> bool {
        let Some((begin, end)) = place else {
            return false;
        };
        let ahead = begin.wrapping_sub(self.next);
        if self.steady > STEADY && ahead <= REACH {
            self.next = end;
            return true;
        }
        self.tells_first(begin, end)
    }

    /// Takes one of a flow that is not known to be numbered in a row, or that does not go on;
    /// says whether it is the first of all.
    #[inline(never)]
    fn tells_first(&mut self, begin: u32, end: u32) -> bool {
        let ahead = begin.wrapping_sub(self.next);
        // What is behind was seen, however far that is: a whole block may come again.
        if self.steady > 0 && ahead > u32::MAX / 2 {
            return false;
        }
        if self.steady == 0 || ahead > REACH {
            let is_first = self.steady == 0;
            *self = Self {
                next: end,
                steady: 1,
            };
            return is_first;
        }
        self.next = end;
        self.steady += if ahead == 0 { NEXT } else { 1 };
        false
    }
}

/// Where a packet begins and ends in a row.
pub(super) type InRow = (u32, u32);

/// Where a packet is in the row of its flow, or a fragment's datagram is, if it may be of one.
#[inline(always)]
pub(super) fn in_row(sighting: &Sighting) -> Option<InRow> {
    match sighting.form {
        Form::Piece => reach_of_datagram(sighting),
        Form::Whole | Form::Segment => reach(sighting),
    }
}

/// The same of what is no fragment.
#[inline(always)]
fn reach(sighting: &Sighting) -> Option<InRow> {
    match sighting.form {
        Form::Whole | Form::Segment if sighting.is_numbered => Some(row_of(sighting.id)),
        Form::Segment => Some((sighting.offset, sighting.end())),
        Form::Whole | Form::Piece => None,
    }
}

/// That of the datagram that a fragment is of: whichever of its fragments comes first is beyond
/// all before, and the others are not.
fn reach_of_datagram(sighting: &Sighting) -> Option<InRow> {
    // Without ports, what is whole is of the same flow, and has a row of its own.
    let is_in_row = sighting.protocol.has_ports() && !sighting.is_renumbered;
    is_in_row.then(|| row_of(sighting.id))
}

/// Where an identification is in such a row, and the next.
fn row_of(id: u32) -> InRow {
    let begin = id << 16;
    (begin, begin.wrapping_add(ONE))
}

/// How far a packet is behind another in the row of their flow; `None` if that is not sure.
pub(super) fn behind(one: &Sighting, other: &Sighting) -> Option<i32> {
    let are_in_row = one.is_fresh && other.is_fresh && one.is_numbered == other.is_numbered;
    let ((one, _), (other, _)) = reach(one).zip(reach(other)).filter(|_| are_in_row)?;
    Some(one.wrapping_sub(other) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;

    fn fresh(ids: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut rise = Rise::default();
        ids.into_iter()
            .map(|id| rise.takes(in_row(&example(id))))
            .collect()
    }

    #[test]
    fn what_goes_on_is_fresh_once_that_is_no_chance() {
        let fresh_of = |step: u32| fresh((0..100).map(|number| (65_500 + number * step) & 0xffff));
        // The very next, and others that leave some out.
        for (step, unsure) in [
            (1, 1),
            (2, usize::from(STEADY)),
            (1_000, usize::from(STEADY)),
        ] {
            let fresh = fresh_of(step);
            assert!(fresh[0], "nothing was before the first");
            assert!(fresh[1..=unsure].iter().all(|fresh| !fresh), "{step}");
            assert!(fresh[1 + unsure..].iter().all(|fresh| *fresh), "{step}");
        }
    }

    #[test]
    fn of_two_in_a_row_one_is_behind() {
        let fresh = |id: u32| Sighting {
            is_fresh: true,
            ..example(id)
        };
        let is_behind = |one, other| behind(&fresh(one), &fresh(other)).map(i32::signum);
        assert_eq!(is_behind(7, 5), Some(1));
        assert_eq!(is_behind(5, 7), Some(-1));
        assert_eq!(is_behind(2, 65_530), Some(1), "identifications wrap");
        assert_eq!(behind(&fresh(7), &example(5)), None);
        let segment = |offset: u32| Sighting {
            form: Form::Segment,
            is_numbered: false,
            offset,
            ..fresh(0)
        };
        assert_eq!(behind(&segment(10), &segment(u32::MAX - 9)), Some(20));
        assert_eq!(behind(&segment(10), &fresh(5)), None);
    }

    #[test]
    fn copies_and_what_is_late_are_not() {
        let fresh = fresh((1..100).chain([99, 90, 100, 101, 101]));
        assert_eq!(fresh[99..], [false, false, true, true, false]);
    }

    #[test]
    fn of_a_datagram_in_fragments_the_one_that_comes_first_is_fresh() {
        let mut rise = Rise::default();
        let mut takes = |id: u32, offset: u32| {
            rise.takes(in_row(&Sighting {
                form: Form::Piece,
                offset,
                ..example(id)
            }))
        };
        let fresh: Vec<_> = (1..6)
            .map(|id| [0, 8, 16].map(|at| takes(id, at)))
            .collect();
        assert_eq!(fresh[2..], [[true, false, false]; 3]);
        assert!(takes(6, 16) && !takes(6, 0) && !takes(4, 0) && takes(7, 8));
    }

    #[test]
    fn after_a_jump_nothing_is_for_a_while() {
        let fresh = fresh((1..100).chain(30_000..30_100));
        assert!(fresh[50] && !fresh[99..101].contains(&true));
        assert!(fresh[101..].iter().all(|fresh| *fresh));
    }

    #[test]
    fn a_block_that_comes_again_is_not() {
        let fresh = fresh((1..=3_000).chain(1..=3_000).chain(3_001..3_010));
        assert!(fresh[2_999] && !fresh[3_000..6_000].contains(&true));
        assert!(fresh[6_000..].iter().all(|fresh| *fresh));
    }

    #[test]
    fn of_streams_without_identifications_sequence_numbers_tell() {
        let mut rise = Rise::default();
        let segment = |number: u32| Sighting {
            form: Form::Segment,
            is_numbered: false,
            offset: (u32::MAX - 5_000).wrapping_add(number * 100),
            ..example(0)
        };
        let fresh: Vec<bool> = (0..90)
            .map(|number| rise.takes(in_row(&segment(number))))
            .collect();
        assert!(fresh[20..].iter().all(|fresh| *fresh));
        assert!(!rise.takes(in_row(&segment(89))), "sent again");
        assert!(rise.takes(in_row(&segment(90))));
        let unnumbered = Sighting {
            is_numbered: false,
            ..example(0)
        };
        assert!(!rise.takes(in_row(&unnumbered)));
    }
}
