//! Names of one flow that has several: a host that translates both of its ends leaves nothing of
//! its name.
//!
//! What comes first under a name tells: if another name showed the same packet elsewhere a
//! moment before, both are of one flow. Otherwise it is one of its own from then on, whatever
//! equal packets come later.

use super::memory::Memory;
use super::shown::{Moment, Shown};

/// So many packets come first: of some the other side was not captured yet.
const FIRST: u8 = 4;
/// So many in a row that nobody showed before are of another flow.
const MOST_MISSES: u8 = 16;

#[derive(Clone, Copy, Debug)]
enum Standing {
    /// So many packets had no other name.
    Young(u8),
    Own,
    /// Of that flow, and so many packets nobody showed before.
    Alias(u64, u8),
}

impl Default for Standing {
    fn default() -> Self {
        Self::Young(0)
    }
}

/// Names by hash.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: Memory<Standing>,
    moment: Moment,
}

impl Names {
    /// The first name of the flow of a packet; what tells nothing is not `shown`.
    pub fn first(&mut self, name: u64, shown: Option<&Shown>) -> u64 {
        let standing = self.known.of(name);
        if let (Standing::Young(age), Some(shown)) = (*standing, shown) {
            let partner = self.moment.partner(shown);
            *standing = match partner.filter(|partner| *partner != name) {
                Some(partner) => Standing::Alias(partner, 0),
                None if age + 1 < FIRST => Standing::Young(age + 1),
                None => Standing::Own,
            };
        }
        let flow = match *standing {
            Standing::Alias(flow, _) => flow,
            Standing::Young(_) | Standing::Own => name,
        };
        if let Some(shown) = shown {
            self.moment.note(shown, flow);
        }
        flow
    }

    /// Whether a packet of that name was new where its flow should have been seen before.
    pub fn learn(&mut self, name: u64, is_new: bool) {
        let standing = self.known.of(name);
        if let Standing::Alias(_, misses) = standing {
            *misses = if is_new { *misses + 1 } else { 0 };
            if *misses == MOST_MISSES {
                *standing = Standing::Own;
            }
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.known.len()
    }
}
