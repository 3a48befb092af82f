//! Whatever happens on the way, and whatever a capture in the middle misses: what is told
//! to be lost is what was lost.

use super::march::{Hop, hops, same_in_every_run, streams};
use super::sight::{BEATS, Packet, Sight, Stream};
use super::{Faults, compare};
use crate::cases::wire::sum;
use crate::findings::capture::MICROSECOND;
use proptest::prelude::*;
use std::ops::Range;

/// What is particular to the flows to one port, from the second on; beats are the first.
#[derive(Clone, Copy, Debug)]
struct Treatment {
    /// How much longer than others they take on each hop, in microseconds.
    longer: u64,
    /// Datagrams from this on that a capture in the middle misses, and how many.
    missed: (u32, u32),
    /// The hop, if any, on which they get another source address.
    translated: Option<usize>,
}

#[derive(Clone, Debug)]
struct Way {
    streams: Vec<Stream>,
    hops: Vec<Hop>,
    treatments: Vec<Treatment>,
    /// How far the clocks of all points are ahead, in nanoseconds, and how fast they run.
    clocks: Vec<(i64, i64)>,
    seed: u64,
}

fn treatment() -> impl Strategy<Value = Treatment> {
    let longer = prop_oneof![Just(0_u64), 1_u64..800];
    let missed = prop_oneof![
        Just((0, 0)),
        (Just(0), 1_u32..300),
        (0_u32..200, 1_u32..200)
    ];
    let translated = prop_oneof![3 => Just(None), 1 => (0_usize..3).prop_map(Some)];
    (longer, missed, translated).prop_map(|(longer, missed, translated)| Treatment {
        longer,
        missed,
        translated,
    })
}

fn clock() -> impl Strategy<Value = (i64, i64)> {
    let day = 86_400_000_000_000_i64;
    prop_oneof![Just((0, 0)), (-day..day, -50_i64..50)]
}

/// Which of two packets is the copy or the damaged one is another matter.
fn way() -> impl Strategy<Value = Way> {
    let hops = prop::collection::vec(hops(), 1..4);
    let treatments = prop::collection::vec(treatment(), 5);
    let clocks = prop::collection::vec(clock(), 4);
    (streams(), hops, treatments, clocks, any::<u64>()).prop_map(
        |(streams, mut hops, treatments, clocks, seed)| {
            for hop in &mut hops {
                (hop.copied, hop.damaged) = (0, 0);
            }
            Way {
                streams,
                hops,
                treatments,
                clocks,
                seed,
            }
        },
    )
}

impl Way {
    fn treatment(&self, packet: &Packet) -> &Treatment {
        let place = match packet.port {
            BEATS => 0,
            port => usize::from(port % 5_000),
        };
        &self.treatments[place % self.treatments.len()]
    }

    /// What passes each point.
    fn passes(&self) -> Vec<Sight> {
        let mut passed = vec![Sight::of(&self.streams)];
        for (number, hop) in self.hops.iter().enumerate() {
            let sent = &passed[passed.len() - 1];
            let arrived = hop.passed(sent, self.seed.wrapping_add(number as u64));
            // Beats tell where captures begin and end.
            let beats = sent.missing_in(&arrived).without(|_| true);
            passed.push(arrived.and(&beats).map(|mut packet| {
                packet.time += self.treatment(&packet).longer * MICROSECOND;
                match self.is_translated(&packet, number) {
                    true => translated(packet),
                    false => packet,
                }
            }));
        }
        passed
    }

    /// What the capture of each point has. What is lost behind one in the middle that it
    /// has missed could have been lost in front of it, so that it misses none of those.
    fn seen(&self, passed: &[Sight]) -> Vec<Sight> {
        let last = passed.len() - 1;
        let seen = (0..=last).map(|point| {
            let all = &passed[point];
            if point == 0 || point == last {
                return all.clone();
            }
            let lost = all.missing_in(&passed[point + 1]);
            let seen = all.without(|packet| self.is_missed(packet));
            seen.and(&lost.missing_in(&seen))
        });
        let clocks = self.clocks.iter();
        seen.zip(clocks)
            .map(|(sight, (ahead, ppm))| sight.by_clock(*ahead, *ppm))
            .collect()
    }

    /// Fragments of all flows between two addresses fare alike: they have no ports.
    fn is_translated(&self, packet: &Packet, hop: usize) -> bool {
        let treatment = match packet.is_fragment() {
            true => &self.treatments[0],
            false => self.treatment(packet),
        };
        packet.port != BEATS && treatment.translated == Some(hop)
    }

    fn is_missed(&self, packet: &Packet) -> bool {
        let (from, count) = self.treatment(packet).missed;
        packet.port != BEATS && (from..from + count).contains(&packet.datagram)
    }
}

/// With another source address, and a checksum that is right for it (RFC 1624).
pub(super) fn translated(mut packet: Packet) -> Packet {
    const SOURCE: Range<usize> = 12..16;
    const CHECKSUM: Range<usize> = 26..28;
    let (was, is) = ([10, 0, 0, 1], [192, 0, 2, 77]);
    if packet.index == 0 {
        let old = sum(&packet.ip[CHECKSUM]);
        let parts = [!old, !sum(&was), sum(&is)].map(u16::to_be_bytes);
        let new = match !sum(&parts.concat()) {
            0 => 0xffff,
            new => new,
        };
        packet.ip[CHECKSUM].copy_from_slice(&new.to_be_bytes());
    }
    packet.with_header(|header| header[SOURCE].copy_from_slice(&is))
}

proptest! {
    #![proptest_config(same_in_every_run(200))]

    #[test]
    fn what_is_told_lost_was_lost(way in way()) {
        let passed = way.passes();
        let seen = way.seen(&passed);
        let comparison = compare(&seen.iter().collect::<Vec<_>>());
        let mut faults = Faults::new();
        let ends = [&passed[0], &passed[passed.len() - 1]];
        faults.must_have_lost("path", &comparison["path"], ends[0], ends[1]);
        faults.must_be("appeared", &comparison["path"]["appeared"], 0);
        for (hop, sides) in passed.windows(2).enumerate() {
            let segment = &comparison["segments"][hop];
            faults.must_have_lost("segment", segment, &sides[0], &sides[1]);
            faults.must_be("appeared", &segment["appeared"], 0);
        }
        for point in 1..passed.len() - 1 {
            let missed = passed[point].0.len() - seen[point].0.len();
            let told = &comparison["points"][point]["missed"];
            faults.must_be("missed", told, missed);
        }
        prop_assert!(faults.0.is_empty(), "{:?}", faults.0);
    }
}
