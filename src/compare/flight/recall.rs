//! A flow turns out to be one that others know by another name. That is told by some of its packets
//! alone, where there are many; what its point had of it before is held against what the others
//! have only then.

use super::find::Fit;
use super::{Arrival, Due, Flight, MAX_CHAIN, bit, content_key};
use crate::compare::flight::stray::Held;
use crate::compare::sighting::{Form, Sighting};
use crate::compare::slab::NONE;
use crate::compare::strays::{Became, Stray};
use crate::model::Protocol;

/// What was seen of a flow before somebody knew which it is.
struct Earlier {
    /// What the point kept aside of it, in order.
    strays: Vec<u32>,
    /// What others kept aside, if the point has parcels that may be it: the first of a flow is one.
    theirs: Vec<u32>,
}

/// Whether what was kept aside is held against what others have of its flow once that is known. Of
/// a stream it is not: others may have it in other packets, and have sent some of it again.
pub(super) fn may_be_recalled(sighting: &Sighting) -> bool {
    sighting.form == Form::Whole && sighting.protocol != Protocol::TCP
}

impl Flight {
    /// The lane of a sighting is of a flow, as the parcel tells that it was found to be of. That is seen
    /// by who found it.
    pub(super) fn bind_found(&mut self, arrival: Arrival<'_>, theirs: u32, found: u32) {
        let (point, sighting, _) = arrival.parts();
        if !may_be_recalled(sighting) {
            return self.paths.bind(point, sighting.lane, theirs);
        }
        let before = self.paths.flow_of(point, sighting.lane);
        let earlier = self.take_earlier(point, before, theirs);
        self.paths.bind(point, sighting.lane, theirs);
        let flow = self.paths.flow_of(point, sighting.lane);
        if !earlier.theirs.is_empty() {
            self.call_in(flow);
        }
        for stray in earlier.theirs {
            self.unite_with_first(stray, before, point, found);
        }
        for number in earlier.strays {
            let stray = *self.strays.get(number);
            self.take_again(&stray, flow, found);
        }
    }

    /// What a point kept aside of a flow that turns out to be another is so no longer.
    fn take_earlier(&mut self, point: usize, flow: u32, theirs: u32) -> Earlier {
        let mut strays = Vec::new();
        if flow == NONE || flow == theirs {
            let theirs = Vec::new();
            return Earlier { strays, theirs };
        }
        while let Some(number) = self.first_stray_of(flow) {
            let stray = *self.strays.get(number);
            if stray.point() != point {
                break;
            }
            self.strays.lines_up(number);
            self.note_over(stray.flow);
            strays.push(number);
        }
        let has_parcels = self.paths.is_under_way(flow);
        let theirs = has_parcels.then(|| self.strays.line_of(theirs).collect());
        Earlier {
            strays,
            theirs: theirs.unwrap_or_default(),
        }
    }

    /// What others kept aside may be what a point has in a parcel, which is found by its bytes.
    fn unite_with_first(&mut self, stray: u32, first_of: u32, point: usize, but: u32) {
        let Became::Parcel(parcel) = self.strays.became(stray) else {
            return;
        };
        let Stray { sighting, .. } = *self.strays.get(stray);
        let other = self.strays.get(stray).point();
        let is_it = |number: &u32| {
            let known = &self.parcels[*number];
            let fit = || self.fit_by_content(other, *number, &sighting);
            (known.flow, known.seen) == (first_of, bit(point))
                && fit().is_some_and(|found| found.fit == Fit::Same)
        };
        let may_be = parcel != but && self.parcels[parcel].seen & bit(point) == 0;
        let first = {
            let mut known = self.index.newest(content_key(&sighting)).take(MAX_CHAIN);
            known.find(is_it)
        };
        if let Some(first) = first.filter(|_| may_be) {
            self.unite(first, parcel);
            if sighting.is_nameless() {
                self.leave_nameless(parcel, &sighting, point);
            }
        }
    }

    /// Takes what was kept aside, as if it came now, but in its order and its time.
    fn take_again(&mut self, stray: &Stray, flow: u32, but: u32) {
        let arrival = Arrival {
            point: stray.point(),
            sighting: &stray.sighting,
            time: stray.time,
            order: Some(stray.order),
        };
        let found = self.by_name(arrival, flow);
        let found = found.filter(|found| found.parcel != but && found.fit < Fit::Copy);
        if let Some(found) = found {
            return self.join(arrival, &found);
        }
        let parcel = self.begin_known(arrival, flow);
        self.parcels[parcel].tells_time = stray.tells_time;
        // Nothing has to go for it yet: that might be what was found.
        self.old.push(Due {
            since: stray.time,
            order: stray.order,
            held: Held::parcel(parcel),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_memory::{behind_nat, fresh, tallies_and_reordered};
    use crate::model::{Duration, Timestamp};

    const A: usize = 0;
    const B: usize = 1;

    fn numbered(id: u32) -> Sighting {
        fresh(id)
    }

    /// Nothing but its bytes tells it from others.
    fn nameless(id: u32) -> Sighting {
        Sighting {
            id: 0,
            is_numbered: false,
            is_fresh: false,
            head: id.into(),
            ..fresh(id)
        }
    }

    /// Nothing but its identification does.
    fn alike(id: u32) -> Sighting {
        Sighting {
            head: 7,
            ..fresh(id)
        }
    }

    type Kind = (&'static str, fn(u32) -> Sighting);

    const KINDS: [Kind; 3] = [
        ("numbered", numbered),
        ("nameless", nameless),
        ("alike", alike),
    ];

    const SENT: u32 = 3_000;

    /// Of each point, how many packets it saw and how many of these the other had, and how many were
    /// reordered, where one point saw packets that are sent, and the other these later.
    fn told(first: usize, packet: fn(u32) -> Sighting, then: &[u32]) -> ([(u64, u64); 2], u64) {
        let mut flight = behind_nat();
        let sent = |id: u32| Timestamp(i64::from(id) * 10_000);
        for id in 0..SENT {
            flight.take(first, &packet(id), sent(id));
        }
        for (number, id) in (SENT - 400..).zip(then) {
            let time = sent(number) + Duration::from_millis(50);
            flight.take(1 - first, &packet(*id), time);
        }
        let (mut tallies, reordered) = tallies_and_reordered(flight);
        if first == B {
            tallies.reverse();
        }
        (tallies, reordered)
    }

    #[test]
    fn whoever_comes_late_finds_all_that_it_has_once_some_tells_its_flow() {
        let late: Vec<u32> = (SENT - 400..SENT).collect();
        for (kind, packet) in KINDS {
            for first in [A, B] {
                let all = [(SENT.into(), 400), (400, 400)];
                assert_eq!(told(first, packet, &late), (all, 0), "{kind}");
            }
        }
    }

    #[test]
    fn what_comes_late_may_be_lost_in_between() {
        let late: Vec<u32> = (SENT - 400..SENT).filter(|id| id % 5 != 0).collect();
        for (kind, packet) in KINDS {
            let all = [(SENT.into(), 320), (320, 320)];
            assert_eq!(told(A, packet, &late), (all, 0), "{kind}");
        }
    }

    #[test]
    fn what_overtook_others_before_is_told() {
        let mut late: Vec<u32> = (SENT - 400..SENT).collect();
        late.swap(2, 3);
        let all = [(SENT.into(), 400), (400, 400)];
        assert_eq!(told(A, numbered, &late), (all, 1));
    }
}
