//! What is known of a flow, and of what came to a point.

use crate::compare::between::Between;
use crate::model::Timestamp;
use crate::model::counters::add_fields;

/// What is known of one flow.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Its number among flows of the path; `None` for all that have no account.
    pub flow: Option<u32>,
    /// By pair of points.
    pub between: Vec<Between>,
    /// By point.
    pub at: Vec<Passage>,
    /// Whether a tunnel is in its packets.
    pub is_carrier: bool,
    /// First and last of it.
    pub span: Option<(Timestamp, Timestamp)>,
}

impl Account {
    /// Something of it came first and last at these times.
    pub(super) fn spans(&mut self, first: Timestamp, last: Timestamp) {
        let (begin, end) = self.span.unwrap_or((first, last));
        self.span = Some((begin.min(first), end.max(last)));
    }

    /// Nothing can be said between two points of which one has nothing in common with any.
    pub(in crate::compare) fn unjudge(&mut self, pair: usize) {
        let between = &mut self.between[pair];
        *between = Between {
            outside: [between.front.packets, between.back.packets],
            ..Between::default()
        };
    }
}

/// What of a flow came to one point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passage {
    /// Packets and fragments.
    pub packets: u64,
    /// IP bytes of those.
    pub bytes: u64,
    /// TTL or hop limit of the first.
    pub hop_limit: u8,
    /// Packets and fragments that passed unseen, between other points that show them.
    pub missed: u32,
}

// One for each flow and point.
const _: () = assert!(size_of::<Passage>() == 24);

impl Passage {
    pub(super) fn count(&mut self, hop_limit: u8, packets: u32, bytes: u64) {
        if self.packets == 0 {
            self.hop_limit = hop_limit;
        }
        self.packets += u64::from(packets);
        self.bytes += bytes;
    }
}

/// What one point saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Innermost datagrams.
    pub datagrams: u64,
    /// Fragments of these.
    pub fragments: u64,
    /// Packets and fragments seen elsewhere too.
    pub matched: u64,
    /// Packets and fragments that passed unseen.
    pub missed: u64,
}
add_fields!(Tally {
    datagrams,
    fragments,
    matched,
    missed,
});
