//! Packets of one flow that one point alone saw, one behind the other: counted together as
//! long as each fares as the one before. A flow's counters are spread over many places in
//! memory; this is in one.

use crate::compare::shape::{Lengths, SIZES, size_class};
use crate::compare::strays::{Gist, Stray};
use crate::model::{Duration, Timestamp};
use std::ops::Range;

/// What is behind the first of a run, which is in the account already.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Run {
    /// Its place among those sent is that of the next.
    next: u32,
    point: u8,
    pub is_backward: bool,
    /// By pair of points: whether the other side does not know the flow at all.
    single: u16,
    pub bytes: u64,
    /// By class of their IP length.
    pub sizes: [u16; SIZES.len() + 1],
    /// The shortest and the longest, as far as two bytes can tell.
    lengths: (u16, u16),
    /// When the first was seen, by the clock of its point, and for how long from then on what
    /// comes is judged as it was.
    seen: Timestamp,
    is_judged_for: u32,
    /// The same by the clock of the first point, for how long it is counted in the same step,
    /// and when the last was.
    time: Timestamp,
    is_counted_for: u32,
    last: u32,
}

const _: () = assert!(size_of::<Run>() == 64);

impl Default for Run {
    /// Nothing is behind it.
    fn default() -> Self {
        Self {
            next: 0,
            point: 0,
            is_backward: false,
            single: 0,
            bytes: 0,
            sizes: [0; SIZES.len() + 1],
            lengths: (u16::MAX, 0),
            seen: Timestamp(0),
            is_judged_for: 0,
            time: Timestamp(0),
            is_counted_for: 0,
            last: 0,
        }
    }
}

impl Run {
    /// What may come behind a packet.
    pub fn behind(stray: &Stray, is_backward: bool) -> Self {
        Self {
            next: stray.order.wrapping_add(1),
            point: stray.point() as u8,
            is_backward,
            seen: stray.sighting.time,
            is_judged_for: u32::MAX,
            time: stray.time,
            is_counted_for: u32::MAX,
            ..Self::default()
        }
    }

    /// What comes is judged likewise for so long only, and counted likewise in this time.
    pub fn bound(&mut self, is_judged_for: Duration, is_counted_in: &Range<Timestamp>) {
        let nanoseconds = |time: Duration| u32::try_from(time.0.max(0)).unwrap_or(u32::MAX);
        let is_counted_for = nanoseconds(is_counted_in.end - self.time);
        self.is_judged_for = self.is_judged_for.min(nanoseconds(is_judged_for));
        self.is_counted_for = self.is_counted_for.min(is_counted_for);
    }

    /// Between this pair, the other side does not know the flow, or does.
    pub fn note_single(&mut self, pair: usize, is_single: bool) {
        self.single |= u16::from(is_single) << pair;
    }

    /// Whether it does not.
    pub fn is_single(&self, pair: usize) -> bool {
        self.single >> pair & 1 != 0
    }

    /// Whether something may come behind.
    pub fn has_begun(&self) -> bool {
        self.is_counted_for > 0 && self.is_judged_for > 0
    }

    /// Takes a packet, if it is the next and fares alike.
    #[inline(always)]
    pub fn takes(&mut self, gist: &Gist) -> bool {
        let time = since(gist.time, self.time);
        let ip_bytes = gist.ip_bytes;
        let alike = &mut self.sizes[size_class(ip_bytes)];
        let is_next = gist.order == self.next
            && gist.point == usize::from(self.point)
            && since(gist.seen, self.seen) < self.is_judged_for.into()
            && time < self.is_counted_for.into()
            && *alike < u16::MAX;
        if is_next {
            *alike += 1;
            self.next = self.next.wrapping_add(1);
            self.bytes += u64::from(ip_bytes);
            let length = ip_bytes.min(u16::MAX.into()) as u16;
            self.lengths = (self.lengths.0.min(length), self.lengths.1.max(length));
            self.last = self.last.max(time as u32);
        }
        is_next
    }

    /// How many are behind the first.
    pub fn packets(&self) -> u32 {
        self.sizes.iter().map(|count| u32::from(*count)).sum()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The shortest of them, and the longest.
    pub fn lengths(&self) -> Lengths {
        let (least, most) = self.lengths;
        Lengths {
            least: least.into(),
            most: if most == u16::MAX {
                u32::MAX
            } else {
                most.into()
            },
        }
    }

    /// The point that saw it.
    pub fn point(&self) -> usize {
        self.point.into()
    }

    /// When the first was, and when the last.
    pub fn span(&self) -> (Timestamp, Timestamp) {
        (self.time, self.time + Duration(self.last.into()))
    }

    /// The place of the last among those sent.
    pub fn end(&self) -> u32 {
        self.next.wrapping_sub(1)
    }
}

/// Nanoseconds from one time to another; more than any run takes if that is before.
fn since(time: Timestamp, from: Timestamp) -> u64 {
    time.0.wrapping_sub(from.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::{Sighting, example};
    use crate::compare::strays::stray_of;

    fn stray(point: usize, order: u32, time: i64) -> Stray {
        let sighting = Sighting {
            time: Timestamp(7_000 + time),
            ..example(order)
        };
        stray_of(&sighting, point, time, 3, order)
    }

    /// What may come behind the tenth of a flow, as far as it is within 100 and 200 ns.
    fn run() -> Run {
        let mut run = Run::behind(&stray(1, 10, 1_000), false);
        run.bound(Duration(100), &(Timestamp(0)..Timestamp(1_200)));
        run
    }

    #[test]
    fn only_the_next_of_its_point_is_taken_in_its_time() {
        assert!(!Run::default().takes(&stray(0, 0, 0).gist()));
        assert!(
            run().takes(&stray(1, 11, 1_000).gist()) && run().takes(&stray(1, 11, 1_099).gist())
        );
        let others = [(1, 12, 1_000), (1, 10, 1_000), (0, 11, 1_000)];
        let late = [(1, 11, 1_100), (1, 11, 999), (1, 11, i64::MIN + 8_000)];
        for (point, order, time) in others.into_iter().chain(late) {
            let stray = stray(point, order, time);
            assert!(!run().takes(&stray.gist()), "{point} {order} {time}");
        }
        let mut shorter = run();
        shorter.bound(Duration::from_secs(9), &(Timestamp(0)..Timestamp(1_050)));
        assert!(shorter.has_begun() && !shorter.takes(&stray(1, 11, 1_050).gist()));
        shorter.bound(Duration(-1), &(Timestamp(0)..Timestamp(900)));
        assert!(!shorter.has_begun() && !shorter.takes(&stray(1, 11, 1_000).gist()));
    }

    #[test]
    fn what_was_taken_is_added_up() {
        let mut run = run();
        for (order, time) in [(11, 1_050), (12, 1_020), (13, 1_030)] {
            assert!(run.takes(&stray(1, order, time).gist()));
        }
        assert_eq!((run.packets(), run.bytes, run.end()), (3, 360, 13));
        assert_eq!(run.sizes[size_class(120)], 3);
        assert_eq!(run.span(), (Timestamp(1_000), Timestamp(1_050)));
    }
}
