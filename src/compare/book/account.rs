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
    /// Those of them that are fragments without ports: not the first.
    pub missed_without_ports: u32,
    /// First fragments that came, and those that are not.
    pub fragments: [u32; 2],
}

// One for each flow and point.
const _: () = assert!(size_of::<Passage>() == 40);

impl Passage {
    pub(super) fn count(&mut self, hop_limit: u8, packets: u32, bytes: u64) {
        if self.packets == 0 {
            self.hop_limit = hop_limit;
        }
        self.packets += u64::from(packets);
        self.bytes += bytes;
    }

    /// What was counted was a fragment that begins there in its datagram.
    pub(super) fn note_fragment(&mut self, offset: u32) {
        let some = &mut self.fragments[usize::from(offset > 0)];
        *some = some.saturating_add(1);
    }

    /// One passed unseen.
    pub(super) fn miss(&mut self, has_ports: bool) {
        self.missed = self.missed.saturating_add(1);
        self.missed_without_ports = self
            .missed_without_ports
            .saturating_add(u32::from(!has_ports));
    }

    /// What came and passed of others of its flow.
    pub fn add(&mut self, others: &Self) {
        if self.packets == 0 {
            self.hop_limit = others.hop_limit;
        }
        self.packets += others.packets;
        self.bytes += others.bytes;
        let [firsts, rests] = &mut self.fragments;
        let [more_firsts, more_rests] = others.fragments;
        let counts = [
            (&mut self.missed, others.missed),
            (&mut self.missed_without_ports, others.missed_without_ports),
            (firsts, more_firsts),
            (rests, more_rests),
        ];
        for (sum, more) in counts {
            *sum = sum.saturating_add(more);
        }
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
