//! A datagram in fragments that one point alone saw, and that nobody asked for: written down
//! without a parcel.

use super::Book;
use super::alone::{End, ends};
use super::series::Fared;
use super::view::{View, goes_on};
use crate::compare::between::Count;
use crate::compare::flight::Flight;
use crate::compare::parcel::Mask;
use crate::compare::parts::Part;
use crate::compare::shape::Place;
use crate::compare::sighting::Sighting;
use crate::compare::strays::Stray;
use crate::model::Timestamp;

/// What one point saw of it, in the order in which it came: by where it begins, without overlaps.
struct Cut<'a, P> {
    first: &'a Stray,
    parts: P,
    /// How long it is, if its end was seen.
    length: Option<u32>,
}

/// A fragment of it.
struct Fragment<'a> {
    sighting: &'a Sighting,
    /// When it was seen, by the clock of the first point.
    time: Timestamp,
    order: u32,
    place: Place,
}

impl<'a, P: Iterator<Item = &'a Part> + Clone> Cut<'a, P> {
    fn new(first: &'a Stray, parts: P) -> Self {
        let last = parts.clone().last();
        let last = last.map_or(&first.sighting, |part| &part.sighting);
        Self {
            first,
            parts,
            length: (!last.more).then(|| last.end()),
        }
    }

    fn fragments(&self) -> impl Iterator<Item = Fragment<'a>> {
        let first = (&self.first.sighting, self.first.time, self.first.order);
        let parts = self.parts.clone();
        let parts = parts.map(|part| (&part.sighting, part.time, part.order));
        let length = self.length;
        let all = (0..).zip(std::iter::once(first).chain(parts));
        all.map(move |(number, (sighting, time, order))| Fragment {
            sighting,
            time,
            order,
            place: Place {
                number,
                of: length.map(|length| (sighting.offset, length)),
                is_last: length == Some(sighting.end()),
            },
        })
    }

    /// Whether nothing of it is missing.
    fn is_whole(&self) -> bool {
        let mut fragments = self.fragments();
        let reached = fragments.try_fold(0, |reached, fragment| {
            let is_next = fragment.sighting.offset == reached;
            is_next.then(|| fragment.sighting.end())
        });
        reached.is_some() && reached == self.length
    }
}

impl Book {
    /// Writes one of a flow down.
    pub fn alone_in_fragments<'a>(
        &mut self,
        flight: &Flight,
        first: &'a Stray,
        parts: impl Iterator<Item = &'a Part> + Clone,
        flow: u32,
    ) {
        let number = self.account_of(flow);
        self.write_alike(number);
        self.write_run(number);
        let cut = Cut::new(first, parts);
        self.note_cut(&cut, number);
        for end in ends(self.points, first.point()) {
            self.write_cut(flight, &cut, &end, number);
        }
        if cut.is_whole() {
            self.note_whole(number, first.point());
        }
    }

    /// Notes what of it came to the point.
    fn note_cut<'a>(
        &mut self,
        cut: &Cut<'a, impl Iterator<Item = &'a Part> + Clone>,
        number: usize,
    ) {
        let here = cut.first.point();
        let account = &mut self.accounts[number];
        account.is_carrier |= cut.first.sighting.is_carrier;
        for Fragment { sighting, time, .. } in cut.fragments() {
            account.spans(time, time);
            let at = &mut account.at[here];
            at.count(sighting.look.hop_limit, 1, sighting.ip_bytes.into());
            at.note_fragment(sighting.offset);
        }
        if !cut.first.sighting.is_carrier {
            self.tallies[here].datagrams += 1;
            self.tallies[here].fragments += cut.fragments().count() as u64;
        }
    }

    /// Writes down what became of it between a pair of points.
    fn write_cut<'a>(
        &mut self,
        flight: &Flight,
        cut: &Cut<'a, impl Iterator<Item = &'a Part> + Clone>,
        &End { view, fate }: &End,
        number: usize,
    ) {
        let (here, other) = (cut.first.point(), view.side(fate.reversed()));
        let flow = flight.paths.resolve(cut.first.flow);
        let between = &mut self.accounts[number].between[view.pair];
        let series = &mut self.series[view.pair];
        let is_refused = view.is_refused(flight, flow, fate);
        let single = view.is_single(flight, flow, fate).then_some(number);
        let fared = Fared::of(fate, flight.is_backward(flow), 1);
        let first = cut.fragments().map(|fragment| fragment.time).min();
        let first = first.unwrap_or(cut.first.time);
        let (mut gone, mut is_cut_off) = (Count::default(), false);
        for fragment in cut.fragments() {
            let sighting = fragment.sighting;
            let slow = || self.delays.slow(number, view.pair);
            if is_refused || !goes_on(flight, (here, sighting.time), other, slow) {
                between.outside[fate.side()] += 1;
                is_cut_off = true;
                continue;
            }
            gone += Count::of_fragment(sighting.ip_bytes);
            between.alone_in_fragments(fate, sighting.ip_bytes);
            let place = Some(fragment.place);
            between.shape.count(fate, sighting.ip_bytes, place);
            if !cut.first.sighting.is_carrier {
                series.count_lone(single, fared, first);
            }
            between.shape.lose(fate, fragment.order);
            between.show_alone(fate, || vec![sighting.shown(here)]);
        }
        if gone.packets > 0 && !is_cut_off {
            between.count_alone(fate).datagrams += 1;
            gone.datagrams = 1;
            between.in_fragments[fate.side()].of(cut.is_whole()).none += gone;
        }
    }

    /// Notes that a point has all of a datagram that is in fragments.
    fn note_whole(&mut self, number: usize, here: usize) {
        let here: Mask = 1 << here;
        let account = &mut self.accounts[number];
        let pairs = super::pairs(self.points).zip(account.between.iter_mut());
        for (pair, (points, between)) in pairs.enumerate() {
            let view = View::of(pair, points);
            for (whole, side) in between.whole.iter_mut().zip([view.in_front, view.behind]) {
                *whole += u64::from(side & here != 0);
            }
        }
    }
}
