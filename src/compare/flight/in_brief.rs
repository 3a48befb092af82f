//! Most of what is kept aside is kept in brief, in the order in which it came, and is over without
//! anybody asking for it. Of a flow that somebody asks for all is kept in full from then on.

use super::aside::{MUCH, may_be_aside};
use super::recall::may_be_recalled;
use super::second_look::is_one_of_few;
use super::stray::Held;
use super::{Arrival, Flight, SUPER_BYTES};
use crate::compare::book::Book;
use crate::compare::brief::{Brief, Place};
use crate::compare::lately::Print;
use crate::compare::slab::NONE;
use crate::compare::strays::Newcomer;
use crate::model::{Protocol, Timestamp};

/// So many are over at once.
const AT_ONCE: usize = 64;

impl Flight {
    /// Keeps a packet in brief of a flow of which much is kept so: most packets that one point alone
    /// sees are such. Says whether it did; if not, nothing was done. It is what
    /// [`keep_aside`](Self::keep_aside) would do with it.
    #[inline(always)]
    pub(super) fn goes_on_in_brief(&mut self, arrival: Arrival<'_>) -> bool {
        let (point, sighting, time) = arrival.parts();
        let flow = self.paths.bound_to(point, sighting.lane);
        if !(flow != NONE && self.is_much_in_brief(flow) && self.may_go_on_in_brief(arrival)) {
            return false;
        }
        let telling = sighting.telling();
        if is_one_of_few(telling) {
            return false;
        }
        let order = self.paths.order(flow, point);
        let mut stray = Newcomer::new(sighting, point, time, flow, order);
        let Some(place) = self.place_in_brief(&stray) else {
            return false;
        };
        self.count_aside(point, flow);
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

    #[inline(always)]
    fn may_go_on_in_brief(&self, arrival: Arrival<'_>) -> bool {
        let sighting = arrival.sighting;
        may_be_aside(sighting)
            && may_be_recalled(sighting)
            && sighting.is_new_here()
            && !sighting.may_come_cut()
            && sighting.bytes <= SUPER_BYTES
            && !(self.joins_udp && sighting.protocol == Protocol::UDP)
            && !self.is_before_half_the_window(arrival.time)
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
        let may_be = !stray.sighting.may_come_cut() && queue.goes_on(stray.time);
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
        let mut flows = [NONE; AT_ONCE];
        let mut lost = 0;
        self.write_down(|flight, book| {
            // Until then it matters in which order all is written.
            let most = if book.has_begun() {
                most.min(AT_ONCE)
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
