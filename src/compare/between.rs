//! What is counted between two points, whichever way packets went.

use super::alike::Alike;
use super::delay::Delays;
use super::examples::{Examples, Oddity};
use super::in_fragments::InFragments;
use super::kinds::Kinds;
use super::look::{Look, VERDICT_NAMES, VERDICTS};
use super::shape::{Fate, Shape};
use crate::model::Timestamp;
use crate::model::counters::add_fields;
use std::sync::Arc;

/// Packets counted in four ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Datagrams.
    pub datagrams: u64,
    /// IP packets.
    pub packets: u64,
    /// Those of them that are fragments.
    pub fragments: u64,
    /// IP bytes.
    pub bytes: u64,
}

add_fields!(Count {
    datagrams,
    packets,
    fragments,
    bytes,
});

impl Count {
    /// What some of it leaves.
    fn without(&self, some: &Self) -> Self {
        Self {
            datagrams: self.datagrams - some.datagrams,
            packets: self.packets - some.packets,
            fragments: self.fragments - some.fragments,
            bytes: self.bytes - some.bytes,
        }
    }

    /// Of one of the fragments of a datagram.
    pub(super) fn of_fragment(ip_bytes: u32) -> Self {
        Self {
            datagrams: 0,
            packets: 1,
            fragments: 1,
            bytes: ip_bytes.into(),
        }
    }

    /// Of datagrams in one packet each.
    fn of_whole(packets: u64, bytes: u64) -> Self {
        Self {
            datagrams: packets,
            packets,
            fragments: 0,
            bytes,
        }
    }
}

/// A frame of some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The point.
    pub point: usize,
    /// Its number there.
    pub frame: u64,
    /// When, by the clock there.
    pub time: Timestamp,
}

/// Frames in which one packet was seen on both sides, changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// In front.
    pub front: Shown,
    /// Behind.
    pub back: Shown,
}

/// Why it is not judged what one side alone shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// Nothing else passes of its hosts.
    OfOtherHosts,
    /// Its point shows both ways of it.
    BothWays,
    /// The other side shows something else by the same addresses and ports.
    Remade,
}

/// What one point shows of flows that are not known on the other side and may go elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneSided {
    /// Flows.
    pub flows: u64,
    /// What was seen of them.
    pub count: Count,
    /// Packets of those that are [`Apart::BothWays`].
    pub both_ways: u64,
    /// Packets of those that are [`Apart::Remade`].
    pub remade: u64,
    /// The first frames of it.
    pub shown: Vec<Shown>,
}

impl OneSided {
    /// Packets of those that are [`Apart::OfOtherHosts`].
    pub fn of_other_hosts(&self) -> u64 {
        let others = self.both_ways + self.remade;
        self.count.packets.saturating_sub(others)
    }

    fn add(&mut self, other: &Self) {
        self.flows += other.flows;
        self.count += other.count;
        self.both_ways += other.both_ways;
        self.remade += other.remade;
        let room = MAX_PAIRS.saturating_sub(self.shown.len());
        self.shown.extend(other.shown.iter().take(room));
    }
}

/// Most pairs of frames that are kept of each kind.
pub const MAX_PAIRS: usize = 8;

/// What was seen between two points: in front is the side of the first point, behind that
/// of the last.
#[derive(Clone, Debug, Default)]
pub struct Between {
    /// Seen in front, or in front of that and behind: by the cut in front.
    pub front: Count,
    /// Of that, what was seen behind as well.
    pub front_passed: Count,
    /// Seen behind, or further behind and in front: by the cut there.
    pub back: Count,
    /// Of that, what was seen in front as well.
    pub back_passed: Count,
    /// Datagrams in fragments of which nothing is missing, in front and behind.
    pub whole: [u64; 2],
    /// Datagrams that entered in fragments, in front and behind.
    pub in_fragments: [InFragments; 2],
    /// Copies, in front and behind, beyond the other side.
    pub more_copies: [u64; 2],
    /// Packets overtaken by others that came later in front, or behind.
    pub reordered: [u64; 2],
    /// Packets whose bytes differ.
    pub corrupted: u64,
    /// The first of them.
    pub damaged: Vec<Pair>,
    /// Packets whose TTL differs, by how much more it is behind.
    pub hop_limits: Kinds<i16>,
    /// Packets whose DSCP differs, by what it is in front and behind.
    pub dscps: Kinds<(u8, u8)>,
    /// Packets marked CE behind alone, and in front alone.
    pub congestion_marked: [u64; 2],
    /// Packets by verdict on their checksum in front and behind.
    pub checksums: [[u64; VERDICTS]; VERDICTS],
    /// Datagrams whole in front and in fragments behind.
    pub fragmented: u64,
    /// Datagrams in fragments in front and whole behind.
    pub reassembled: u64,
    /// Datagrams in fragments on both sides, but in others.
    pub refragmented: u64,
    /// The largest fragment that such a datagram had in front, and behind.
    pub largest_fragment: [u32; 2],
    /// Super-frames in front that were packets behind.
    pub segmented: u64,
    /// Packets in front that were super-frames behind.
    pub coalesced: u64,
    /// Sent when the capture on the other side had not begun, or had ended.
    pub outside: [u64; 2],
    /// How long packets took, either way: a table of thousands of numbers, which is not copied
    /// with everything else.
    pub delays: Option<Arc<Delays>>,
    /// What losses look like.
    pub shape: Shape,
    /// The first that were seen in front alone, and behind alone; after each, a frame of the
    /// same datagram from every other point that has some of it.
    pub lone: [Vec<Vec<Shown>>; 2],
    /// What is counted nowhere else, since it may go elsewhere: at the first of the two points
    /// and at the second, whichever way it goes.
    pub one_sided: [OneSided; 2],
    /// Datagrams that left with all that entered, but with other bytes, or with a checksum that
    /// went wrong on the way.
    pub spoiled: u64,
    /// The same of what goes from back to front.
    pub spoiled_back: u64,
    /// Packets that both sides saw, and of which one has but the beginning: no more of their bytes
    /// was compared.
    pub partly_compared: u64,
    /// Frames that show what else happened.
    pub examples: Examples,
}

impl Between {
    /// Datagrams in one packet each passed, and all looked the same in front, and behind.
    pub(super) fn passed(&mut self, alike: &Alike, front: &Look, back: &Look) {
        let packets = u64::from(alike.packets);
        let all = Count::of_whole(packets, alike.bytes);
        self.front += all;
        self.front_passed += all;
        self.back += all;
        self.back_passed += all;
        self.shape
            .count_sizes(Fate::Both, alike.sizes, alike.lengths);
        self.changed(front, back, packets);
        self.spoiled(broken(front, back), packets);
    }

    /// Notes what of packets is another in front and behind.
    pub(super) fn changed(&mut self, front: &Look, back: &Look, packets: u64) {
        if front.hop_limit != back.hop_limit {
            let by = i16::from(back.hop_limit) - i16::from(front.hop_limit);
            self.hop_limits.count(by, packets);
        }
        let (dscp_in, dscp_out) = (front.traffic_class >> 2, back.traffic_class >> 2);
        if dscp_in != dscp_out {
            self.dscps.count((dscp_in, dscp_out), packets);
        }
        let marked = |class: u8| class & 3 == 3;
        match (marked(front.traffic_class), marked(back.traffic_class)) {
            (false, true) => self.congestion_marked[0] += packets,
            (true, false) => self.congestion_marked[1] += packets,
            _ => {}
        }
        self.checksums[front.verdict()][back.verdict()] += packets;
        if front.is_cut() || back.is_cut() {
            self.partly_compared += packets;
        }
    }

    /// Datagrams arrived going forward, or going back, and are of no use there.
    pub(super) fn spoiled(&mut self, ways: [bool; 2], datagrams: u64) {
        self.spoiled += u64::from(ways[0]) * datagrams;
        self.spoiled_back += u64::from(ways[1]) * datagrams;
    }

    /// Datagrams in one packet each that one side alone saw.
    pub(super) fn alone(&mut self, fate: Fate, packets: u64, bytes: u64) {
        *self.count_alone(fate) += Count::of_whole(packets, bytes);
    }

    /// One of the fragments of a datagram that one side alone saw.
    pub(super) fn alone_in_fragments(&mut self, fate: Fate, ip_bytes: u32) {
        *self.count_alone(fate) += Count::of_fragment(ip_bytes);
    }

    /// What the side counts that alone saw something.
    pub(super) fn count_alone(&mut self, fate: Fate) -> &mut Count {
        match fate {
            Fate::Back => &mut self.back,
            Fate::Front | Fate::Both => &mut self.front,
        }
    }

    /// Whether the packet before one was seen on the same side alone, and there are enough of
    /// these to be shown.
    pub(super) fn goes_on(&self, fate: Fate, order: u32) -> bool {
        let side = fate.side();
        let latest = self.shape.runs[side].latest();
        let is_next = latest.is_some_and(|latest| order == latest.wrapping_add(1));
        is_next && self.lone[side].len() == MAX_PAIRS
    }

    /// Keeps what is to be shown of something that one side alone saw, as long as there is little
    /// of it.
    pub(super) fn show_alone(&mut self, fate: Fate, shown: impl FnOnce() -> Vec<Shown>) {
        let lone = &mut self.lone[fate.side()];
        if lone.len() < MAX_PAIRS {
            lone.push(shown());
        }
    }

    /// A packet was overtaken; there is a bit for each side.
    pub(super) fn overtaken(
        &mut self,
        sides: u32,
        most: usize,
        frames: impl Fn() -> [Vec<Shown>; 2],
    ) {
        for side in (0..2).filter(|side| sides >> side & 1 == 1) {
            self.reordered[side] += 1;
            self.examples.keep((Oddity::Overtaken, side), most, &frames);
        }
    }

    /// Reads what a lost packet is counted in.
    pub(super) fn read(&self) -> u64 {
        let [lost, gained] = &self.shape.runs;
        let sizes = self.shape.sizes.iter().map(|fates| fates.of(Fate::Both));
        let losses = sizes.fold(lost.losses ^ gained.losses, |read, both| read ^ both);
        self.front.bytes ^ self.back.bytes ^ self.outside[0] ^ losses
    }

    /// Copies of a packet that both sides saw came to either.
    pub(super) fn copied(
        &mut self,
        front: u8,
        back: u8,
        most: usize,
        frames: impl FnOnce() -> [Vec<Shown>; 2],
    ) {
        if front == back {
            return;
        }
        self.more_copies[0] += u64::from(front.saturating_sub(back));
        self.more_copies[1] += u64::from(back.saturating_sub(front));
        let side = usize::from(front > back);
        self.examples.keep((Oddity::Copied, side), most, frames);
    }

    /// What entered in front and did not leave.
    pub fn lost(&self) -> Count {
        self.front.without(&self.front_passed)
    }

    /// What left behind and was not seen to enter.
    pub fn appeared(&self) -> Count {
        self.back.without(&self.back_passed)
    }

    /// Packets whose checksum had one verdict in front and another behind, both as in
    /// [`VERDICT_NAMES`].
    pub fn checksums_became(&self, from: &str, to: &str) -> u64 {
        let code = |name: &str| VERDICT_NAMES.iter().position(|known| *known == name);
        match (code(from), code(to)) {
            (Some(from), Some(to)) => self.checksums[from][to],
            _ => 0,
        }
    }

    /// Packets whose checksum was not wrong in front and is behind: of fragments that of their header.
    pub fn checksums_broken(&self) -> u64 {
        let was = ["none", "good", "offloaded"];
        was.map(|was| self.checksums_became(was, "bad"))
            .iter()
            .sum()
    }

    /// What was seen on one side alone is neither sent nor lost.
    pub(super) fn set_apart(&mut self, why: Apart) {
        let lone = std::mem::take(&mut self.lone).map(|lone| lone.into_iter().flatten().collect());
        let seen = [self.front, self.back].into_iter().zip(lone);
        let one_sided = seen.map(|(count, shown)| OneSided {
            flows: u64::from(count.packets > 0),
            count,
            both_ways: count.packets * u64::from(why == Apart::BothWays),
            remade: count.packets * u64::from(why == Apart::Remade),
            shown,
        });
        let mut one_sided = one_sided;
        *self = Self {
            outside: self.outside,
            one_sided: std::array::from_fn(|_| one_sided.next().unwrap_or_default()),
            ..Self::default()
        };
    }

    /// All of its flow was seen.
    pub(super) fn tell_few_apart(&mut self) {
        let sent = [self.front.packets, self.back.packets];
        self.shape.tell_few_apart(sent);
    }

    /// Adds what was seen of others, which went the same way.
    pub fn add(&mut self, other: &Self) {
        self.front += other.front;
        self.front_passed += other.front_passed;
        self.back += other.back;
        self.back_passed += other.back_passed;
        self.corrupted += other.corrupted;
        self.spoiled += other.spoiled;
        self.spoiled_back += other.spoiled_back;
        self.partly_compared += other.partly_compared;
        self.examples.add(&other.examples);
        self.hop_limits.add(&other.hop_limits);
        self.dscps.add(&other.dscps);
        self.fragmented += other.fragmented;
        self.reassembled += other.reassembled;
        self.refragmented += other.refragmented;
        self.segmented += other.segmented;
        self.coalesced += other.coalesced;
        for side in 0..2 {
            self.whole[side] += other.whole[side];
            self.in_fragments[side] += other.in_fragments[side];
            self.more_copies[side] += other.more_copies[side];
            self.reordered[side] += other.reordered[side];
            self.congestion_marked[side] += other.congestion_marked[side];
            self.outside[side] += other.outside[side];
            self.largest_fragment[side] =
                self.largest_fragment[side].max(other.largest_fragment[side]);
            self.one_sided[side].add(&other.one_sided[side]);
            let room = MAX_PAIRS.saturating_sub(self.lone[side].len());
            self.lone[side].extend(other.lone[side].iter().take(room).cloned());
        }
        let room = MAX_PAIRS.saturating_sub(self.damaged.len());
        self.damaged.extend(other.damaged.iter().take(room));
        for (mine, others) in self.checksums.iter_mut().zip(other.checksums) {
            for (sum, more) in mine.iter_mut().zip(others) {
                *sum += more;
            }
        }
        match (&mut self.delays, &other.delays) {
            (Some(mine), Some(others)) => Arc::make_mut(mine).add(others),
            (None, others) => self.delays.clone_from(others),
            (Some(_), None) => {}
        }
        self.shape.add(&other.shape);
    }

    /// The same seen from the other end: what went back goes forward.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut other = self.clone();
        std::mem::swap(&mut other.front, &mut other.back);
        std::mem::swap(&mut other.front_passed, &mut other.back_passed);
        other.whole.reverse();
        other.in_fragments.reverse();
        other.more_copies.reverse();
        other.reordered.reverse();
        other.congestion_marked.reverse();
        other.largest_fragment.reverse();
        other.outside.reverse();
        other.lone.reverse();
        other.hop_limits = self.hop_limits.turned(|by| -by);
        other.dscps = self.dscps.turned(|(from, to)| (to, from));
        for pair in &mut other.damaged {
            std::mem::swap(&mut pair.front, &mut pair.back);
        }
        for (from, row) in other.checksums.iter_mut().enumerate() {
            for (to, count) in row.iter_mut().enumerate() {
                *count = self.checksums[to][from];
            }
        }
        std::mem::swap(&mut other.fragmented, &mut other.reassembled);
        std::mem::swap(&mut other.segmented, &mut other.coalesced);
        std::mem::swap(&mut other.spoiled, &mut other.spoiled_back);
        other.examples.reverse();
        other.shape = self.shape.reversed();
        other
    }
}

/// Whether a checksum that was not wrong in front is so behind, or the other way round.
pub(super) fn broken(front: &Look, back: &Look) -> [bool; 2] {
    let became = front.checksum_became(back);
    [0, 1].map(|side| became == Some((Oddity::ChecksumBroken, side)))
}
