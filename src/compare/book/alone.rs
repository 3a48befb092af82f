//! A packet that one point alone saw, and that is no part of anything: most likely lost. Of
//! these there may be many, and so they are written down without a parcel.

use super::view::goes_on;
use super::{Book, pairs};
use crate::compare::between::{Count, Shown};
use crate::compare::flight::Flight;
use crate::compare::shape::Fate;
use crate::compare::strays::Stray;

impl Book {
    /// Writes one of a flow down.
    pub fn alone(&mut self, flight: &Flight, stray: &Stray, flow: u32) {
        let number = self.account_of(flow);
        self.write_alike(number);
        let (sighting, here) = (&stray.sighting, stray.point());
        self.tallies[here].datagrams += 1;
        let account = &mut self.accounts[number];
        account.spans(stray.time, stray.time);
        account.at[here].count(sighting.look.hop_limit, 1, sighting.ip_bytes.into());
        let is_backward = flight.is_backward(flow);
        for (pair, (front, back)) in pairs(self.points).enumerate() {
            let (fate, other) = match here {
                _ if here == front => (Fate::Front, back),
                _ if here == back => (Fate::Back, front),
                _ => continue,
            };
            let between = &mut account.between[pair];
            let slow = || self.delays.slow(number, pair);
            if !goes_on(flight, (here, sighting.time), other, slow) {
                between.outside[usize::from(fate == Fate::Back)] += 1;
                continue;
            }
            let packet = Count {
                datagrams: 1,
                packets: 1,
                fragments: 0,
                bytes: sighting.ip_bytes.into(),
            };
            *match fate {
                Fate::Back => &mut between.back,
                Fate::Front | Fate::Both => &mut between.front,
            } += packet;
            between.shape.count(fate, sighting.ip_bytes, None);
            between.shape.lose(fate, stray.order);
            self.series[pair].count(fate.on_its_way(is_backward), stray.time);
            between.show_alone(fate, || {
                vec![Shown {
                    point: here,
                    frame: sighting.frame,
                    time: sighting.time,
                }]
            });
        }
    }
}
