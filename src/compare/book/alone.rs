//! A packet that one point alone saw, and that is no part of anything: most likely lost. Of
//! these there may be many, and so they are written down without a parcel.

use super::run::Run;
use super::series::Fared;
use super::view::{View, goes_on_for};
use super::{Book, MAX_ACCOUNTS, pairs};
use crate::compare::flight::Flight;
use crate::compare::shape::Fate;
use crate::compare::strays::{Gist, Stray};
use crate::model::Duration;

impl Book {
    /// Writes one of a flow down.
    pub fn alone(&mut self, flight: &Flight, stray: &Stray, flow: u32) {
        if !self.goes_on_alone(&stray.gist(), flow) {
            self.alone_anew(flight, stray, flow);
        }
    }

    /// Counts one of a flow; says whether that is all, as it fares as the one before.
    #[inline(always)]
    pub fn goes_on_alone(&mut self, gist: &Gist, flow: u32) -> bool {
        let number = self.account_of(flow);
        self.tallies[gist.point].datagrams += 1;
        // Of those that look alike any may be missing: they are in no run.
        gist.tells_time && self.runs[number].takes(gist)
    }

    /// Writes down one of a flow that is counted, and does not fare as the one before.
    pub fn alone_anew(&mut self, flight: &Flight, stray: &Stray, flow: u32) {
        let number = self.account_of(flow);
        self.write_run(number);
        self.write_alike(number);
        let goes_on = stray.tells_time && self.goes_on(number, stray);
        let run = self.write_alone(flight, stray, (number, flow));
        if goes_on {
            self.runs[number] = run;
        }
    }

    /// Whether a packet is behind one that fared alike, of which enough is known to be shown.
    fn goes_on(&self, number: usize, stray: &Stray) -> bool {
        let between = &self.accounts[number].between;
        let mut ends = ends(self.points, stray.point());
        let goes_on = |end: End| between[end.view.pair].goes_on(end.fate, stray.order);
        number < MAX_ACCOUNTS && ends.all(goes_on)
    }

    /// Writes a packet into an account; gives what may come behind it.
    fn write_alone(&mut self, flight: &Flight, stray: &Stray, (number, flow): (usize, u32)) -> Run {
        let (sighting, here) = (&stray.sighting, stray.point());
        let account = &mut self.accounts[number];
        account.spans(stray.time, stray.time);
        account.at[here].count(sighting.look.hop_limit, 1, sighting.ip_bytes.into());
        let is_backward = flight.is_backward(flow);
        let mut run = Run::behind(stray, is_backward);
        for End { view, fate } in ends(self.points, here) {
            let (pair, other) = (view.pair, view.side(fate.reversed()));
            let between = &mut account.between[pair];
            let slow = || self.delays.slow(number, pair);
            let series = &mut self.series[pair];
            let goes_on_for = goes_on_for(flight, (here, sighting.time), other, slow);
            let is_refused = view.is_refused(flight, flow, fate);
            let Some(goes_on_for) = goes_on_for.filter(|_| !is_refused) else {
                between.outside[fate.side()] += 1;
                run.bound(Duration(0), &series.latest_step());
                continue;
            };
            between.alone(fate, 1, sighting.ip_bytes.into());
            between.shape.count(fate, sighting.ip_bytes, None);
            match stray.tells_time {
                true => between.shape.lose(fate, stray.order),
                false => between.shape.lose_alike(fate),
            }
            let is_single = view.is_single(flight, flow, fate);
            run.note_single(pair, is_single);
            series.count_lone(
                is_single.then_some(number),
                Fared::of(fate, is_backward, 1),
                stray.time,
            );
            between.show_alone(fate, || vec![sighting.shown(here)]);
            run.bound(goes_on_for, &series.latest_step());
        }
        run
    }

    /// What is behind the first of a run is written into its account, and nothing comes behind
    /// that any more.
    pub(super) fn write_run(&mut self, number: usize) {
        let run = std::mem::take(&mut self.runs[number]);
        if run.is_empty() {
            return;
        }
        let (packets, here) = (run.packets(), run.point());
        let (first, last) = run.span();
        let account = &mut self.accounts[number];
        account.spans(first, last);
        account.at[here].count(0, packets, run.bytes);
        for End { view, fate } in ends(self.points, here) {
            let pair = view.pair;
            let between = &mut account.between[pair];
            between.alone(fate, packets.into(), run.bytes);
            between.shape.count_sizes(fate, run.sizes, run.lengths());
            between.shape.lose_in_a_row(fate, run.end(), packets);
            let fared = Fared::of(fate, run.is_backward, packets.into());
            let single = run.is_single(pair).then_some(number);
            self.series[pair].count_lone(single, fared, first);
        }
    }
}

/// A pair of points of which one saw something.
pub(super) struct End {
    pub view: View,
    /// What became of that.
    pub fate: Fate,
}

/// The pairs that a point is in.
pub(super) fn ends(points: usize, here: usize) -> impl Iterator<Item = End> {
    let ends = pairs(points).enumerate();
    ends.filter_map(move |(pair, (front, back))| {
        let fate = match here {
            _ if here == front => Fate::Front,
            _ if here == back => Fate::Back,
            _ => return None,
        };
        let view = View::of(pair, (front, back));
        Some(End { view, fate })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::flight::of_points;
    use crate::compare::sighting::{Batch, Sighting, example};
    use crate::compare::strays::stray_of;
    use crate::model::{Addresses, FlowKey, Ports, Protocol, ScopeTag, Timestamp};
    use proptest::prelude::*;

    /// Two flows, and captures of a second.
    fn flight(points: usize) -> Flight {
        let mut flight = of_points(points);
        let lane = |port: u16| FlowKey {
            addresses: Addresses::default(),
            ports: Some(Ports {
                source: port,
                destination: 9,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        };
        let batch = Batch {
            lanes: vec![lane(1), lane(2)],
            ..Batch::default()
        };
        flight.meet(0, &batch);
        (0..2).for_each(|lane| assert_eq!(flight.paths.add(0, lane), lane));
        let span = Some((Timestamp(0), Timestamp(1_000_000_000)));
        flight.spans.fill(span);
        flight
    }

    /// What is in a book, in which nothing was seen but by one point alone; `is_plain` if each
    /// packet is written into the account for itself.
    fn told(points: usize, strays: &[Stray], is_plain: bool) -> String {
        let flight = flight(points);
        let mut book = Book::new(points, Duration::from_millis(700));
        for stray in strays {
            book.alone(&flight, stray, stray.flow);
            if is_plain {
                let number = book.account_of(stray.flow);
                book.write_run(number);
            }
        }
        let tallies = book.tallies.clone();
        let (accounts, pairs) = book.into_accounts();
        let steps: Vec<_> = pairs.iter().map(|(series, _)| &series.steps).collect();
        format!("{tallies:?} {accounts:?} {steps:?}")
    }

    /// Packets of two flows, most of them one behind the other, over some seconds.
    fn strays() -> impl Strategy<Value = Vec<Stray>> {
        let stray = (
            0..2_u32,
            0..20_u32,
            0..3_usize,
            0..40_000_000_i64,
            40..1_500_u32,
        );
        prop::collection::vec(stray, 1..200).prop_map(|all| {
            let (mut orders, mut now) = ([0; 2], -500_000_000);
            let strays = all.into_iter().map(|(flow, missing, point, later, bytes)| {
                let order = &mut orders[flow as usize];
                *order += 1 + missing / 19;
                now += later - 10_000_000;
                let sighting = Sighting {
                    time: Timestamp(now),
                    ip_bytes: bytes,
                    ..example(*order)
                };
                let point = if missing == 7 { point } else { 1 };
                stray_of(&sighting, point, now, flow, *order)
            });
            strays.collect()
        })
    }

    proptest! {
        #[test]
        fn in_runs_is_written_down_what_each_packet_would_be(strays in strays()) {
            prop_assert_eq!(told(3, &strays, false), told(3, &strays, true));
        }
    }

    #[test]
    fn what_goes_on_is_in_a_run() {
        let flight = flight(2);
        let mut book = Book::new(2, Duration::from_secs(1));
        for order in 0..20 {
            let time = Timestamp(1 + i64::from(order));
            let sighting = Sighting {
                time,
                ..example(order)
            };
            book.alone(&flight, &stray_of(&sighting, 0, time.0, 0, order), 0);
        }
        assert_eq!(book.runs[0].packets(), 11, "eight are to be shown");
        assert_eq!(book.accounts[0].between[0].front.packets, 9);
        book.write_run(0);
        assert_eq!(book.accounts[0].between[0].front.packets, 20);
        assert!(!book.is_in_run(0));
    }

    /// It might be told to be next to something that was lost since.
    #[test]
    fn what_has_only_begun_ends_too() {
        let flight = flight(2);
        let mut book = Book::new(2, Duration::from_secs(1));
        for order in 0..9 {
            let sighting = Sighting {
                time: Timestamp(1),
                ..example(order)
            };
            let stray = stray_of(&sighting, 0, 1, 0, order);
            book.alone(&flight, &stray, 0);
        }
        assert_eq!((book.runs[0].packets(), book.is_in_run(0)), (0, true));
        book.write_run(0);
        assert!(!book.is_in_run(0));
    }
}
