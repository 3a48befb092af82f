//! What fell out of line and is most likely lost is kept as a stray; it becomes a parcel when
//! somebody looks for what may be it.

use super::due::Due;
use super::{Arrival, Flight, bit};
use crate::compare::book::Book;
use crate::compare::lately::Print;
use crate::compare::march::Waiting;
use crate::compare::parcel::Seen;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::compare::strays::Newcomer;
use crate::model::Timestamp;

/// Something that is under way for longer: a parcel or a stray.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Held(u32);

/// Marks the number of a stray: there are never so many of either.
const STRAY: u32 = 1 << 31;

impl Held {
    pub fn parcel(number: u32) -> Self {
        Self(number)
    }

    pub fn stray(number: u32) -> Self {
        Self(number | STRAY)
    }

    /// As one number.
    pub fn bits(self) -> u32 {
        self.0
    }

    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The number of a parcel, or of a stray.
    pub fn number(self) -> Result<u32, u32> {
        match self.0 & STRAY {
            0 => Ok(self.0),
            _ => Err(self.0 & !STRAY),
        }
    }
}

impl Flight {
    /// What has waited for other points is kept as a stray, if it may be: it is found by its
    /// own name alone, and what else was kept so of its flow is of the same point.
    pub(super) fn keep_as_stray(&mut self, waiting: &Waiting, order: u32) -> Option<Held> {
        let Waiting {
            sighting,
            point,
            flow,
            ..
        } = waiting;
        let is_seen_once = waiting.seen == bit(*point);
        if !(is_seen_once && self.may_be_stray(*point, sighting, *flow)) {
            return None;
        }
        let mut stray = Newcomer::new(sighting, *point, waiting.first, *flow, order);
        stray.tells_time = waiting.tells_time;
        Some(self.add_stray(&stray))
    }

    fn may_be_stray(&self, point: usize, sighting: &Sighting, flow: u32) -> bool {
        let has_one_name = sighting.form == Form::Whole
            && (sighting.is_numbered || sighting.is_nameless())
            && self.is_one_packet(sighting, flow)
            && !self.paths.is_wanting(flow)
            && !(sighting.may_be_cut() && self.paths.is_translated(flow));
        has_one_name && self.strays.may_be_of(flow, point)
    }

    fn add_stray(&mut self, stray: &Newcomer<'_>) -> Held {
        self.note_begun(stray.flow);
        Held::stray(self.keep(stray))
    }

    /// Takes a packet that other points have most likely left out, as they go on behind it, and
    /// that [may be taken so](Self::may_leave_out): it does not wait in line for them.
    pub fn leave_out(&mut self, point: usize, sighting: &Sighting, time: Timestamp) {
        let flow = self.paths.bound_to(point, sighting.lane);
        let order = self.paths.next_order(flow, point);
        self.ask_the_way(flow);
        let mut stray = Newcomer::new(sighting, point, time, flow, order);
        stray.tells_time = self.tells_time(flow, sighting);
        self.note_begun(flow);
        let is_lost =
            self.may_be_left_in_brief(&stray) && self.keep_in_brief(&stray, Print::of(sighting));
        if !is_lost {
            let held = Held::stray(self.keep(&stray));
            self.old.push(Due::new(time, order, held));
        }
        self.keep_to_bounds();
    }

    /// Of more points than two, some have it, and ask for it. What is kept in brief is over before all
    /// else that was seen at its time, and so none of what fell out of line before may be among that.
    /// For parcels of its flow [`keep_in_brief`](Self::keep_in_brief) asks.
    fn may_be_left_in_brief(&self, stray: &Newcomer<'_>) -> bool {
        let has_left_behind = |due: Due| due.since() < stray.time;
        self.points == 2 && self.old.greatest().is_none_or(has_left_behind)
    }

    /// Whether a packet is new, as far as anybody can tell, and nothing that waits may be it. Of more
    /// points than two, one may have a copy of what looks like it.
    pub fn may_leave_out(&self, point: usize, sighting: &Sighting) -> bool {
        let flow = self.paths.bound_to(point, sighting.lane);
        self.is_acquainted
            && flow != NONE
            && self.is_whole_everywhere(flow)
            && (sighting.is_fresh && sighting.can_be_told()
                || sighting.is_nameless() && self.points == 2)
            && self.may_be_stray(point, sighting, flow)
            && !self.march.waits(flow)
            && !self.may_be_known(point, sighting, flow)
            && !self.paths.is_translated(flow)
    }

    /// Whether a sighting may be of something that is under way. What is fresh is none of
    /// those that its own point saw; nor is what nothing tells from a copy of them.
    pub(super) fn may_be_known(&self, point: usize, sighting: &Sighting, flow: u32) -> bool {
        let under_way = self.paths.get(flow).under_way;
        let own = || self.strays.of(flow, point) + self.lone.of(flow, point);
        debug_assert!(own() <= under_way);
        under_way > 0 && !(sighting.is_new_here() && under_way == own())
    }

    /// A stray that nobody asked for is over: it is written down without becoming a parcel.
    pub(super) fn lose(&mut self, number: u32) {
        self.note_over(self.strays.get(number).flow);
        let flow = self.counted_aside(self.strays.get(number));
        self.write_down(|flight, book| flight.write_stray(number, flow, book));
        self.leave_aside(number);
        self.strays.take(number);
    }

    /// Writes a stray into the account of a flow.
    pub(super) fn write_stray(&self, number: u32, flow: u32, book: &mut Book) {
        let stray = self.strays.get(number);
        match stray.sighting.form {
            Form::Piece => {
                let parts = self.strays.parts_of(number);
                book.alone_in_fragments(self, stray, parts, flow);
            }
            Form::Whole | Form::Segment => book.alone(self, stray, flow),
        }
    }

    /// A stray becomes a parcel, which has no keys yet.
    pub(super) fn become_parcel(&mut self, number: u32) -> u32 {
        let stray = *self.strays.get(number);
        let arrival = Arrival::of(stray.point(), &stray.sighting, stray.time);
        let (parcel, piece) = self.make_parcel(arrival, stray.flow);
        *self.seen_mut(piece, stray.point()) = Seen::of(&stray.sighting, stray.order);
        self.pieces[piece].seen = bit(stray.point());
        self.parcels[parcel].seen = bit(stray.point());
        self.parcels[parcel].tells_time = stray.tells_time;
        if stray.sighting.form == Form::Piece {
            self.add_parts(number, parcel);
            self.leave_aside(number);
        }
        self.strays.becomes(number, parcel);
        self.count_lone(parcel);
        parcel
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{meet_one, of_one_flow, take, tallies};
    use crate::compare::sighting::example;
    use crate::model::{Addresses, Protocol};

    const A: usize = 0;
    const B: usize = 1;

    /// A packet of the only flow.
    fn packet(id: u32, is_fresh: bool) -> Sighting {
        Sighting {
            is_fresh,
            ..example(id)
        }
    }

    /// Both points saw the first packet, one saw the next three, the other the last of them:
    /// two are strays.
    fn with_two_strays(front: usize, back: usize) -> Flight {
        let mut flight = of_one_flow();
        flight
            .spans
            .fill(Some((Timestamp(0), Timestamp(1_000_000_000))));
        for id in 1..=4 {
            take(&mut flight, front, id.into(), &packet(id, true));
            if [1, 4].contains(&id) {
                take(&mut flight, back, i64::from(id) + 1, &packet(id, true));
            }
        }
        assert_eq!(flight.strays.len(), 2);
        flight
    }

    #[test]
    fn nobody_asked_for_what_is_lost() {
        assert_eq!(tallies(with_two_strays(A, B)), [(4, 2), (2, 2)]);
        assert_eq!(tallies(with_two_strays(B, A)), [(2, 2), (4, 2)]);
    }

    #[test]
    fn what_comes_late_is_found_among_strays() {
        let mut flight = with_two_strays(A, B);
        take(&mut flight, B, 9, &packet(3, false));
        // Who asks for one of a flow gets all of it.
        assert_eq!(flight.strays.len(), 0);
        take(&mut flight, B, 10, &packet(2, false));
        assert_eq!(tallies(flight), [(4, 4), (4, 4)]);
    }

    #[test]
    fn what_a_point_sees_first_does_not_ask_for_its_own_strays() {
        let mut flight = with_two_strays(A, B);
        take(&mut flight, A, 20, &packet(5, true));
        assert_eq!(flight.strays.len(), 2);
        // Of what the other point left out it may be one.
        take(&mut flight, B, 21, &packet(6, true));
        assert_eq!(flight.strays.len(), 0);
    }

    #[test]
    fn what_more_than_its_name_tells_of_is_no_stray() {
        let is_stray = |sighting: Sighting| {
            let mut flight = with_two_strays(A, B);
            take(&mut flight, A, 30, &sighting);
            for point in [A, B] {
                take(&mut flight, point, 31, &packet(9, true));
            }
            flight.strays.len() == 3
        };
        assert!(is_stray(packet(8, true)));
        let nameless = Sighting {
            is_numbered: false,
            ..packet(8, false)
        };
        assert!(is_stray(nameless));
        let of_a_stream = Sighting {
            form: Form::Segment,
            protocol: Protocol::TCP,
            ..packet(8, true)
        };
        assert!(!is_stray(of_a_stream));
    }

    /// What a point takes next is left out by the other.
    fn leave_out(flight: &mut Flight, millisecond: i64, sighting: &Sighting) -> bool {
        let may_be = flight.may_leave_out(A, sighting);
        if may_be {
            flight.leave_out(A, sighting, Timestamp(millisecond * 1_000_000));
        }
        may_be
    }

    #[test]
    fn what_others_left_out_is_a_stray_at_once() {
        let mut flight = with_two_strays(A, B);
        assert!(leave_out(&mut flight, 5, &packet(5, true)));
        assert_eq!(flight.strays.len(), 3);
        for point in [A, B] {
            take(&mut flight, point, 6, &packet(6, true));
        }
        // It comes late.
        take(&mut flight, B, 9, &packet(5, true));
        assert_eq!(tallies(flight), [(6, 4), (4, 4)]);
    }

    /// How a packet comes to be kept that others left out.
    #[derive(Clone, Copy, Debug)]
    enum Kept {
        LeftOut,
        /// It waited for them.
        FellOut,
        Parcel,
    }

    /// Packets that others left out, in how many runs, and how many the longest of these has, if the first
    /// point sees some at one time, of another flow too.
    fn runs_of(kept: [Kept; 4]) -> (u64, u64, u64) {
        let mut flight = with_two_strays(A, B);
        let other = Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]);
        (0..2).for_each(|point| meet_one(&mut flight, point, other));
        let of_other = |id| Sighting {
            lane: 1,
            ..packet(id, true)
        };
        for point in [A, B] {
            take(&mut flight, point, 7, &of_other(1));
        }
        let now = Timestamp(10_000_000);
        (2..12).for_each(|id| flight.leave_out(A, &of_other(id), Timestamp(8_000_000)));
        flight.leave_out(A, &of_other(12), now);
        for (id, kept) in (5..).zip(kept) {
            let packet = Sighting {
                time: now,
                ..packet(id, true)
            };
            let flow = flight.paths.bound_to(A, packet.lane);
            match kept {
                Kept::LeftOut => flight.leave_out(A, &packet, now),
                Kept::FellOut => {
                    let order = flight.paths.next_order(flow, A);
                    let held = flight.add_stray(&Newcomer::new(&packet, A, now, flow, order));
                    flight.keep_held(Due::new(now, order, held));
                }
                Kept::Parcel => {
                    flight.begin(Arrival::of(A, &packet, now), flow);
                }
            }
        }
        flight.finish();
        let (accounts, _) = flight.take_book().into_accounts();
        let runs = &accounts[0].between[0].shape.runs[0];
        (runs.losses, runs.runs, runs.longest)
    }

    #[test]
    fn what_is_seen_at_one_time_is_in_one_order_however_it_is_kept() {
        let ways = [Kept::LeftOut, Kept::FellOut, Kept::Parcel];
        for number in 0..81 {
            let kept = [27, 9, 3, 1].map(|place| ways[number / place % 3]);
            assert_eq!(runs_of(kept), (4, 1, 4), "{kept:?}");
        }
    }

    #[test]
    fn what_may_be_something_that_is_known_is_not_left_out() {
        let mut flight = with_two_strays(A, B);
        assert!(!leave_out(&mut flight, 5, &packet(4, false)), "a copy");
        take(&mut flight, A, 5, &packet(5, true));
        assert!(!leave_out(&mut flight, 6, &packet(6, true)), "one waits");
        take(&mut flight, B, 6, &packet(5, true));
        let alike = Sighting {
            is_numbered: false,
            ..packet(6, true)
        };
        assert!(leave_out(&mut flight, 7, &alike));
        assert!(leave_out(&mut flight, 7, &packet(6, true)));
        take(&mut flight, B, 8, &alike);
        assert_eq!(flight.strays.len(), 0, "it comes late");
        let unknown = Sighting {
            lane: 9,
            ..packet(7, true)
        };
        assert!(!leave_out(&mut flight, 8, &unknown), "of no known flow");
    }

    #[test]
    fn what_comes_again_where_it_was_seen_is_a_copy_of_the_stray() {
        let mut flight = with_two_strays(A, B);
        take(&mut flight, A, 9, &packet(3, false));
        assert_eq!(flight.strays.len(), 0);
        assert_eq!(tallies(flight), [(4, 2), (2, 2)]);
    }
}
