//! Which fragments are missing of the datagrams that did not become whole.

use super::losses::{Loss, pieces};
use crate::model::counters::add_fields;
use crate::reassemble::Datagram;

/// What is missing of datagrams whose size is known.
///
/// Datagrams at the ends of the capture are counted apart: their pieces may have come
/// before, or later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Such datagrams.
    pub datagrams: u64,
    /// Fragments of them that came, copies left out.
    pub fragments_seen: u64,
    /// Fragments that did not.
    pub fragments_missing: u64,
    /// Datagrams without their first fragment.
    pub without_first: u64,
    /// Datagrams without their last.
    pub without_last: u64,
    /// Datagrams of which nothing came but the first fragment.
    pub only_first: u64,
    /// Fragments among the missing that came, but after the timeout.
    pub fragments_late: u64,
    /// Datagrams that the capture began or ended in the middle of. In no other figure here.
    pub unfinished: u64,
    /// Fragments of those that came, copies left out.
    pub fragments_unfinished: u64,
    /// Datagrams that lack fragments and are left out, as nothing that came tells how many.
    pub datagrams_unmeasured: u64,
}

impl Gaps {
    /// Counts a datagram that was lost for this reason.
    pub(super) fn count(&mut self, datagram: &Datagram, loss: Loss) {
        let seen = pieces(datagram);
        match loss {
            Loss::Gap | Loss::OnlyFirst | Loss::NoFirst => {}
            Loss::Late => {
                self.fragments_late += seen;
                return;
            }
            Loss::Unfinished => {
                self.unfinished += 1;
                self.fragments_unfinished += seen;
                return;
            }
            _ => return,
        }
        let Some(gap) = datagram.gap() else {
            self.datagrams_unmeasured += 1;
            return;
        };
        self.datagrams += 1;
        self.fragments_seen += seen;
        self.fragments_missing += u64::from(gap.fragments);
        self.without_first += u64::from(gap.is_first_missing);
        self.without_last += u64::from(gap.is_last_missing);
        self.only_first += u64::from(seen == 1 && !gap.is_first_missing);
    }
}

add_fields!(Gaps {
    datagrams,
    fragments_seen,
    fragments_missing,
    without_first,
    without_last,
    only_first,
    fragments_late,
    unfinished,
    fragments_unfinished,
    datagrams_unmeasured,
});
