//! Most of what is kept aside is kept in brief, in the order in which it came, and is over without
//! anybody asking for it. Of a flow that somebody asks for all is kept in full from then on.

use super::aside::MUCH;
use super::second_look::is_one_of_few;
use super::stray::Held;
use super::{Arrival, Flight};
use crate::compare::book::Book;
use crate::compare::brief::{Brief, Place};
use crate::compare::lately::Print;
use crate::compare::slab::NONE;
use crate::compare::strays::Newcomer;
use crate::model::Timestamp;

/// So many are written down in one go.
pub(super) const IN_ONE_GO: usize = 64;

impl Flight {
    /// Keeps a packet in brief of a flow of which much is kept so: most packets that one point alone
    /// sees are such. Says whether it did; if not, nothing was done. It is what
    /// [`keep_aside`](Self::keep_aside) would do with it: of what kind it is, and that it is new to its
    /// point, it has in common with those before.
    #[inline(always)]
    pub(super) fn goes_on_in_brief(&mut self, arrival: Arrival<'_>) -> bool {
        let (point, sighting, time) = arrival.parts();
        let flow = self.paths.bound_to(point, sighting.lane);
        let may_be = flow != NONE
            && self.is_much_in_brief(flow)
            && self.is_one_packet(sighting, flow)
            && !self.is_before_half_the_window(time);
        if !may_be {
            return false;
        }
        let telling = sighting.telling();
        if is_one_of_few(telling) {
            return false;
        }
        // Its place in order is asked once it is sure that it is kept so.
        let mut stray = Newcomer::new(sighting, point, time, flow, 0);
        let Some(place) = self.place_in_brief(&stray) else {
            return false;
        };
        stray.order = self.count_aside(point, flow);
        stray.tells_time = self.tells_time(flow, sighting);
        self.add_in_brief(&stray, Print::of_hash(telling), place);
        self.keep_to_bounds();
        true
    }

    /// Whether one point alone knows a flow, and kept much of it in brief that may be found by its
    /// bytes.
    #[inline(always)]
    fn is_much_in_brief(&self, flow: u32) -> bool {
        let known = self.paths.get(flow);
        known.sightings > MUCH
            && !known.is_part()
            && known.asked == known.points
            && self.paths.is_single(flow)
            && self.strays.is_in_brief(flow)
            && !self.paths.may_have_fragments(flow)
    }

    /// Keeps something aside in brief that is looked at again, if that may be; says whether it did.
    pub(super) fn keep_in_brief(&mut self, stray: &Newcomer<'_>, print: Print) -> bool {
        let place = self.place_in_brief(stray);
        if let Some(place) = place {
            self.add_in_brief(stray, print, place);
        }
        place.is_some()
    }

    /// Where something is kept in brief, if that may be. What may come in fragments elsewhere is
    /// found by more than its bytes.
    #[inline(always)]
    fn place_in_brief(&mut self, stray: &Newcomer<'_>) -> Option<Place> {
        let queue = &self.aside.queues[stray.point];
        let may_be = !stray.sighting.may_come_cut()
            && queue.goes_on(stray.time)
            && self.is_behind_parcels(stray);
        may_be.then(|| self.strays.add_brief(stray, queue.next_number()))?
    }

    #[inline(always)]
    fn add_in_brief(&mut self, stray: &Newcomer<'_>, print: Print, place: Place) {
        self.aside.queues[stray.point].add_brief(Brief::of(stray, print, place));
    }

    /// What is kept in brief of a flow, under its own number, is kept in full from now on.
    pub(super) fn unfold(&mut self, flow: u32) {
        let Some((last, point, count)) = self.strays.briefs_of(flow) else {
            return;
        };
        let queue = &mut self.aside.queues[point];
        let mut at = last;
        let briefs = (0..count).map_while(|_| {
            let (number, brief) = (at, *queue.brief(at)?);
            at = brief.before;
            Some((number, brief))
        });
        let (mut places, mut briefs): (Vec<u32>, Vec<Brief>) = briefs.unzip();
        places.reverse();
        briefs.reverse();
        let numbers = self.strays.unfold(flow, &briefs);
        for (place, number) in places.into_iter().zip(numbers) {
            queue.unfold(place, Held::stray(number));
        }
    }

    /// The same of a flow, under whatever number it is found.
    pub(super) fn unfold_all(&mut self, flow: u32) {
        let names: Vec<u32> = self.paths.names(flow).collect();
        names.into_iter().for_each(|name| self.unfold(name));
    }

    /// What a point has first aside is over, as long as it is in brief and nobody asked for it: the
    /// first of all, and what was seen behind that until then, and so much at most. Says how many
    /// these were. They are written down where they are: to copy them would take longer.
    pub(super) fn lose_first_briefs(
        &mut self,
        point: usize,
        most: usize,
        until: Timestamp,
    ) -> usize {
        let mut flows = [NONE; IN_ONE_GO];
        let mut lost = 0;
        self.write_down(|flight, book| {
            // Until then it matters in which order all is written.
            let most = if book.has_begun() {
                most.min(IN_ONE_GO)
            } else {
                1
            };
            for brief in flight.aside.queues[point]
                .briefs_in_turn(0, until)
                .take(most)
            {
                flight.write_brief(brief, flight.paths.resolve(brief.flow), book);
                flows[lost] = brief.flow;
                lost += 1;
            }
        });
        for flow in &flows[..lost] {
            self.note_over(*flow);
            self.strays.take_brief(*flow);
        }
        self.aside.queues[point].drop_first(lost);
        lost
    }

    /// Writes it into the account of a flow.
    #[inline(always)]
    pub(super) fn write_brief(&self, brief: &Brief, flow: u32, book: &mut Book) {
        let Some(gist) = self.strays.gist_of(brief) else {
            return;
        };
        if !book.goes_on_alone(&gist, flow)
            && let Some(stray) = self.strays.in_full(brief)
        {
            book.alone_anew(self, &stray, flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{behind_nat, tallies, tallies_and_reordered};
    use crate::compare::flight::recall::of_memory::{A, B, KINDS, numbered};
    use crate::compare::look::Look;
    use crate::compare::sighting::Sighting;
    use crate::compare::strays::Became;
    use proptest::prelude::*;

    /// How many are kept in brief of the flow of the first point.
    fn in_brief(flight: &Flight) -> u32 {
        let flow = flight.paths.bound_to(A, 0);
        flight
            .strays
            .briefs_of(flow)
            .map_or(0, |(_, _, count)| count)
    }

    /// A point sees something, by a clock like that of the first.
    fn take(flight: &mut Flight, point: usize, millisecond: u32, sighting: &Sighting) {
        let time = Timestamp(i64::from(millisecond) * 1_000_000);
        flight.take(point, &Sighting { time, ..*sighting }, time);
    }

    /// The first point saw so many of a flow.
    fn seen_alone(many: u32) -> Flight {
        let mut flight = behind_nat();
        (0..many).for_each(|id| take(&mut flight, A, id, &numbered(id)));
        flight
    }

    #[test]
    fn most_is_kept_in_brief_until_somebody_asks() {
        let mut flight = seen_alone(3_000);
        let kept = in_brief(&flight);
        assert!(
            (2_850..2_930).contains(&kept),
            "all but the first, and few: {kept}"
        );
        let flow = flight.paths.bound_to(A, 0);
        assert_eq!(flight.strays.of(flow, A), 2_999, "the first is a parcel");
        flight.unfold_all(flow);
        assert_eq!((in_brief(&flight), flight.strays.of(flow, A)), (0, 2_999));
        let line: Vec<u32> = flight.strays.line_of(flow).collect();
        let orders = line.iter().map(|number| flight.strays.get(*number).order);
        assert!(orders.eq(1..3_000));
        let is_aside = |number: &u32| flight.strays.became(*number) == Became::Nothing;
        assert!(line.iter().all(is_aside));
        assert_eq!(tallies(flight), [(3_000, 0), (0, 0)]);
    }

    #[test]
    fn more_is_kept_in_brief_behind_what_was_asked_for() {
        let mut flight = seen_alone(300);
        flight.unfold_all(flight.paths.bound_to(A, 0));
        (300..600).for_each(|id| take(&mut flight, A, id, &numbered(id)));
        assert!(in_brief(&flight) > 290);
        // All of it comes to the other point, too.
        (0..600).for_each(|id| take(&mut flight, B, 600 + id, &numbered(id)));
        let told = tallies_and_reordered(flight);
        assert_eq!(told, ([(600, 600), (600, 600)], 0));
    }

    #[test]
    fn what_looks_otherwise_is_kept_in_full_between() {
        let mut flight = behind_nat();
        for id in 0..600_u32 {
            let packet = numbered(id);
            let look = Look::new(64 - (id % 7) as u8, 0, None, false);
            take(&mut flight, A, id, &Sighting { look, ..packet });
        }
        assert!((50..100).contains(&in_brief(&flight)));
        let flow = flight.paths.bound_to(A, 0);
        flight.unfold_all(flow);
        let line = flight.strays.line_of(flow);
        assert!(
            line.map(|number| flight.strays.get(number).order)
                .eq(1..600)
        );
        assert_eq!(tallies(flight), [(600, 0), (0, 0)]);
    }

    /// One after the other, and some of what is kept in brief is over in between.
    #[test]
    fn what_is_over_is_in_brief_no_longer() {
        let mut flight = seen_alone(5_200);
        let kept = in_brief(&flight);
        assert!(
            (4_850..4_990).contains(&kept),
            "the window is 5 seconds: {kept}"
        );
        take(&mut flight, B, 5_300, &numbered(5_100));
        take(&mut flight, B, 5_301, &numbered(100));
        assert_eq!(tallies(flight), [(5_200, 1), (2, 1)]);
    }

    /// What a point sees next of its flow.
    #[derive(Clone, Copy, Debug)]
    enum Seen {
        /// The next, or one that is so far behind.
        Packet(u32),
        Large,
        /// A super-frame, that may be.
        Super,
        LooksOtherwise,
        /// The clock is set back by so many seconds.
        SetBack(u8),
        /// The other point sees what this saw so many packets ago.
        Elsewhere(u32),
    }

    fn seen() -> impl Strategy<Value = Seen> {
        prop_oneof![
            900 => Just(Seen::Packet(0)),
            3 => (1..20_u32).prop_map(Seen::Packet),
            3 => Just(Seen::Large),
            3 => Just(Seen::Super),
            3 => Just(Seen::LooksOtherwise),
            1 => (1..9_u8).prop_map(Seen::SetBack),
            1 => (1..300_u32).prop_map(Seen::Elsewhere),
        ]
    }

    /// What is told of it; `at_once` if what goes on in brief is taken so.
    fn told(all: &[Seen], packet: fn(u32) -> Sighting, every: i64, at_once: bool) -> String {
        let mut flight = behind_nat();
        let (mut id, mut now) = (0, 0);
        for seen in all {
            now += every;
            let time = Timestamp(now);
            let sighting = match seen {
                Seen::Packet(0) => packet(id),
                Seen::Packet(back) => Sighting {
                    is_fresh: false,
                    ..packet(id.saturating_sub(*back))
                },
                Seen::Large => Sighting {
                    bytes: 1_200,
                    ip_bytes: 1_220,
                    ..packet(id)
                },
                Seen::Super => Sighting {
                    bytes: 2_000,
                    ip_bytes: 2_020,
                    ..packet(id)
                },
                Seen::SetBack(seconds) => {
                    now -= i64::from(*seconds) * 1_000_000_000;
                    continue;
                }
                Seen::LooksOtherwise => Sighting {
                    look: Look::new(9, 0, None, false),
                    ..packet(id)
                },
                Seen::Elsewhere(back) => {
                    let sighting = packet(id.saturating_sub(*back));
                    flight.take(B, &Sighting { time, ..sighting }, time);
                    continue;
                }
            };
            id += 1;
            let sighting = Sighting { time, ..sighting };
            if !flight.is_single(A, &sighting) {
                flight.take(A, &sighting, time);
                continue;
            }
            flight.pass(time);
            match at_once {
                true => flight.take_alone(A, &sighting, time),
                false => flight.take_anew(Arrival::of(A, &sighting, time)),
            }
        }
        let flow = flight.paths.resolve(flight.paths.bound_to(A, 0));
        let known = (flow != NONE).then(|| (*flight.paths.get(flow), flight.paths.is_lone(flow)));
        let kept = [
            in_brief(&flight) as usize,
            flight.aside.len(),
            flight.old.len(),
        ];
        flight.finish();
        let book = flight.take_book();
        let tallies = book.tallies.clone();
        format!("{known:?} {kept:?} {tallies:?} {:?}", book.into_accounts())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn what_goes_on_at_once_is_told_as_what_is_looked_at_in_turn(
            all in prop::collection::vec(seen(), 0..1_500),
            kind in 0..KINDS.len(),
            every in prop::sample::select(vec![10_000, 10_000_000]),
        ) {
            let (_, packet) = KINDS[kind];
            prop_assert_eq!(told(&all, packet, every, true), told(&all, packet, every, false));
        }
    }
}
