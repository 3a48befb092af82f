//! Which hosts talk to each other, whatever they are called where: what goes between two of
//! them goes by other addresses behind NAT.

use crate::model::Addresses;
use std::collections::BTreeMap;

/// Addresses that were found to be of one conversation, each pair of them the lower way around.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    /// Of each what it is known as, and whether that goes the other way; nothing of those by
    /// which others are known.
    known_as: BTreeMap<Addresses, (Addresses, bool)>,
}

impl Conversations {
    /// A packet goes by these addresses here, and by those there.
    pub fn join(&mut self, here: Addresses, there: Addresses) {
        let ((mine, is_mine_turned), (theirs, is_theirs_turned)) =
            (self.shorten(here), self.shorten(there));
        if mine != theirs {
            let is_turned = is_mine_turned != is_theirs_turned;
            let (lower, higher) = (mine.min(theirs), mine.max(theirs));
            self.known_as.insert(higher, (lower, is_turned));
        }
    }

    /// The same as [`of`](Self::of), which is at once where it is asked again.
    fn shorten(&mut self, addresses: Addresses) -> (Addresses, bool) {
        let (known, is_turned) = self.of(addresses);
        let reversed = addresses.reversed();
        let (lower, is_other_way) = match reversed < addresses {
            true => (reversed, !is_turned),
            false => (addresses, is_turned),
        };
        if lower != known {
            self.known_as.insert(lower, (known, is_other_way));
        }
        (known, is_turned)
    }

    /// By what the conversation is known that some addresses are of, and whether these go the
    /// other way.
    pub fn of(&self, addresses: Addresses) -> (Addresses, bool) {
        let reversed = addresses.reversed();
        let mut is_turned = reversed < addresses;
        let mut known = if is_turned { reversed } else { addresses };
        while let Some((as_what, is_other_way)) = self.known_as.get(&known) {
            known = *as_what;
            is_turned ^= is_other_way;
        }
        (known, is_turned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(from: u8, to: u8) -> Addresses {
        Addresses::v4([10, 0, 0, from], [10, 0, 0, to])
    }

    #[test]
    fn hosts_behind_one_address_talk_in_its_name() {
        let mut all = Conversations::default();
        // Two hosts that go by the address of a third, which is higher than that of the server.
        all.join(way(3, 5), way(9, 5));
        all.join(way(5, 4), way(5, 9));
        let (one, there) = all.of(way(3, 5));
        assert_eq!(all.of(way(4, 5)), (one, there));
        assert_eq!(all.of(way(9, 5)), (one, there));
        assert_eq!(all.of(way(5, 9)), (one, !there));
        assert_ne!(all.of(way(3, 9)).0, one);
    }

    #[test]
    fn nobody_talks_both_ways_at_once() {
        let mut all = Conversations::default();
        all.join(way(1, 2), way(2, 1));
        all.join(way(1, 2), way(3, 4));
        all.join(way(4, 3), way(1, 2));
        assert_eq!(all.of(way(3, 4)), all.of(way(1, 2)));
    }
}
