//! Most of what is kept aside is kept in brief, in the order in which it came, and is over without
//! anybody asking for it. Of a flow that somebody asks for all is kept in full from then on.

use super::Flight;
use super::stray::Held;
use crate::compare::book::Book;
use crate::compare::brief::Brief;
use crate::compare::lately::Print;
use crate::compare::slab::NONE;
use crate::compare::strays::Newcomer;
use crate::model::Timestamp;

/// So many are over at once.
const AT_ONCE: usize = 64;

impl Flight {
    /// Keeps something aside in brief that is looked at again, if that may be; says whether it did.
    /// What may come in fragments elsewhere is found by more than its bytes.
    pub(super) fn keep_in_brief(&mut self, stray: &Newcomer<'_>, print: Print) -> bool {
        let queue = &mut self.aside.queues[stray.point];
        if stray.sighting.may_come_cut() || !queue.goes_on(stray.time) {
            return false;
        }
        match self.strays.add_brief(stray, queue.next_number()) {
            Some((before, ahead)) => queue.add_brief(Brief::of(stray, print, before, ahead)),
            None => return false,
        }
        true
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
