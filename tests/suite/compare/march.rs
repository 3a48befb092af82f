//! Packets that come to all points in the same order take a short way through the matching;
//! what comes of them is what comes of them on the long one.

use super::Captures;
use super::sight::{Chance, Content, Ids, Packet, Sight, Stream};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::A_TO_B;
use fraglens::compare::{self, Between, Fate, FlowFacts, Options, Order, Outcome, Pass};
use fraglens::decode::DecodeOptions;
use fraglens::model::{Duration, Timestamp};
use fraglens::reassemble::Limits;
use fraglens::receiver::Settings;
use fraglens::source::{CaptureFiles, Source, SourceOptions};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::ops::ControlFlow;
use std::slice;

pub fn outcome(captures: &Captures, march_after: u64) -> Outcome {
    let options = Options {
        filter: None,
        decode: DecodeOptions::default(),
        reassembly: Limits::default(),
        receiver: Settings::default(),
        window: Duration::from_secs(5),
        step: Duration::from_secs(1),
        order: Order::Given,
        march_after,
    };
    let open = |point: usize, _: Pass| -> Box<dyn Source> {
        let path = slice::from_ref(&captures.paths[point]);
        Box::new(CaptureFiles::open(path, &SourceOptions::default()))
    };
    compare::compare(captures.paths.len(), &open, &options, &|_| {
        ControlFlow::Continue(())
    })
}

/// What is counted between two points. Delays are told by what is known of the clocks when
/// a packet is done with; of what is shown the first is kept, in the order of being done.
fn counted(between: &Between) -> String {
    let counted = Between {
        delays: None,
        damaged: Vec::new(),
        lone: Default::default(),
        examples: Default::default(),
        reordered: [0; 2],
        ..between.clone()
    };
    format!("{counted:?}")
}

/// What became of a flow.
#[derive(Debug)]
struct Told {
    counted: String,
    /// Between points: packets overtaken on the way that all of them go.
    reordered: Vec<u64>,
    /// The same against it, where a clock is wrong by so much that a packet was taken behind
    /// before it was in front.
    against: Vec<u64>,
    /// When it came.
    span: Option<(Timestamp, Timestamp)>,
}

impl Told {
    fn of(flow: &FlowFacts) -> Self {
        let account = &flow.account;
        let between: Vec<String> = account.between.iter().map(counted).collect();
        let between = between.join("\n");
        // Fragments do not march.
        let whole = account
            .between
            .iter()
            .filter(|between| between.front.fragments == 0);
        let (reordered, against) = whole
            .map(|between| (between.reordered[0], between.reordered[1]))
            .unzip();
        Self {
            counted: format!("{:?}\n{:?}\n{between}", flow.keys, account.at),
            reordered,
            against,
            span: account.span,
        }
    }

    /// Whether this tells the same as what was looked for, as far as clocks are known where a
    /// packet is matched. What marches is taken in front first, if it is at hand there,
    /// whatever clocks say: of what was overtaken as much is told on the right way, or more.
    fn agrees(&self, looked_for: &Self) -> bool {
        let near = |one: u64, other: u64| one.abs_diff(other) <= 1 + one.max(other) / 20;
        let orders = |told: &Self| {
            let against = told.against.clone().into_iter();
            told.reordered.clone().into_iter().zip(against)
        };
        let mut orders = orders(self).zip(orders(looked_for));
        let spans = self.span.zip(looked_for.span);
        self.counted == looked_for.counted
            && orders.all(|((on, against), (sought_on, sought_against))| {
                on >= sought_on
                    && (against <= sought_against || near(against, sought_against))
                    && near(on + against, sought_on + sought_against)
            })
            && spans.is_some_and(|(one, other)| {
                let apart = [one.0 - other.0, one.1 - other.1];
                let mut apart = apart.iter().map(|apart| apart.0.unsigned_abs());
                apart.all(|apart| apart <= 20 * MICROSECOND)
            })
    }
}

fn flows(outcome: &Outcome) -> Vec<Told> {
    let mut flows: Vec<Told> = outcome.flows.iter().map(Told::of).collect();
    flows.sort_unstable_by(|one, other| one.counted.cmp(&other.counted));
    flows
}

fn points(outcome: &Outcome) -> Vec<String> {
    let points = outcome.points.iter();
    points.map(|point| format!("{:?}", point.tally)).collect()
}

/// How often of 1,000 packets something happens to one between two points.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    pub lost: u64,
    pub copied: u64,
    late: u64,
    pub damaged: u64,
    marked: u64,
    /// Packets in a row that are lost, if any are.
    burst: u64,
}

impl Hop {
    pub fn passed(&self, sight: &Sight, seed: u64) -> Sight {
        let mut chance = Chance::new(seed);
        let mut to_lose = 0;
        sight.flat_map(|packet| {
            if chance.per_mille(self.lost) {
                to_lose = self.burst;
            }
            if to_lose > 0 {
                to_lose -= 1;
                return Vec::new();
            }
            let mut packet = packet.clone().routed();
            packet.time += 200 * MICROSECOND + chance.below(20) * MICROSECOND;
            if chance.per_mille(self.late) {
                packet.time += MILLISECOND + chance.below(10) * MILLISECOND;
            }
            if chance.per_mille(self.damaged) && packet.ip.len() > 60 {
                let place = packet.ip.len() - 1;
                packet.ip[place] ^= 0x10;
            }
            if chance.per_mille(self.marked) {
                packet = packet.with_header(|header| header[1] = 0x28);
            }
            let copy = Packet {
                time: packet.time + chance.below(20) * MILLISECOND,
                ..packet.clone()
            };
            // Where nothing tells packets apart, a copy is one more.
            let is_numbered = packet.ip[4..6] != [0, 0];
            let copies = usize::from(is_numbered && chance.per_mille(self.copied));
            std::iter::once(packet)
                .chain(std::iter::repeat_n(copy, copies))
                .collect()
        })
    }
}

pub fn hops() -> impl Strategy<Value = Hop> {
    let often = || prop_oneof![Just(0_u64), 1_u64..40];
    (often(), often(), often(), often(), often(), 1_u64..40).prop_map(
        |(lost, copied, late, damaged, marked, burst)| Hop {
            lost,
            copied,
            late,
            damaged,
            marked,
            burst,
        },
    )
}

/// One or two hops. Which of two packets is the copy cannot be told where one of them is
/// damaged, so that there are either copies or damage.
fn path() -> impl Strategy<Value = Vec<Hop>> {
    let hops = prop::collection::vec(hops(), 1..3);
    (hops, any::<bool>()).prop_map(|(mut hops, has_copies)| {
        for hop in &mut hops {
            match has_copies {
                true => hop.damaged = 0,
                false => hop.copied = 0,
            }
        }
        hops
    })
}

pub fn streams() -> impl Strategy<Value = Vec<Stream>> {
    let stream = (0_u16..4, 100_u32..600, 20_u64..2_000).prop_map(|(kind, datagrams, gap)| {
        let stream = Stream {
            datagrams,
            gap: gap * MICROSECOND,
            ..Stream::to(0, A_TO_B)
        };
        match kind {
            0 => stream,
            1 => Stream {
                ids: Ids::None,
                ..stream
            },
            2 => Stream {
                bytes: 1_000,
                content: Content::Zeros,
                ..stream
            },
            _ => Stream {
                bytes: 3_000,
                datagrams: datagrams / 4,
                ..stream
            },
        }
    });
    // Between two addresses an identification is of one datagram (RFC 791).
    let numbered = |streams: Vec<Stream>| {
        let numbered = (0..).zip(streams).map(|(number, stream)| Stream {
            port: 5_001 + number,
            ids: match stream.ids {
                Ids::From(_) => Ids::From(1 + u32::from(number) * 10_000),
                Ids::None => Ids::None,
            },
            ..stream
        });
        numbered.collect()
    };
    prop::collection::vec(stream, 1..5).prop_map(numbered)
}

pub fn same_in_every_run(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(768),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Packets that every sight begins with: clocks are known after them.
pub const KNOWN: u64 = 60;

proptest! {
    #![proptest_config(same_in_every_run(200))]

    #[test]
    fn whoever_marches_is_counted_as_if_looked_for(
        streams in streams(),
        hops in path(),
        seed in any::<u64>(),
    ) {
        let mut sights = vec![Sight::of(&streams)];
        for (hop, number) in hops.iter().zip(seed..) {
            let passed = hop.passed(&sights[sights.len() - 1], number);
            sights.push(passed);
        }
        let captures = Captures::of(&sights.iter().collect::<Vec<_>>());
        let [marching, looked_for] = [KNOWN, u64::MAX].map(|after| outcome(&captures, after));
        prop_assert_eq!(points(&marching), points(&looked_for));
        let pairs = flows(&marching).into_iter().zip(flows(&looked_for));
        for (marching, looked_for) in pairs {
            prop_assert!(marching.agrees(&looked_for), "{:?} {:?}", marching, looked_for);
        }
    }
}

/// A packet that nothing tells from others is the one that comes in time, not the next of
/// its kind at hand: what is lost is lost when it was sent.
#[test]
fn what_is_alike_is_not_the_next_of_its_kind() {
    let stream = Stream {
        ids: Ids::None,
        content: Content::Zeros,
        gap: 300 * MILLISECOND,
        datagrams: 30,
        ..Stream::to(0, A_TO_B)
    };
    let sent = Sight::of(&[stream]);
    let is_lost =
        |packet: &Packet| packet.port == stream.port && (10..13).contains(&packet.datagram);
    let arrived = sent.without(is_lost).map(|packet| Packet {
        time: packet.time + 200 * MICROSECOND,
        ..packet.routed()
    });
    let outcome = outcome(&Captures::of(&[&sent, &arrived]), KNOWN);
    let series = outcome.series[0].0.as_shown();
    let lost = series.steps.iter().map(|step| step.of(Fate::Front));
    let lost: Vec<(usize, u64)> = lost.enumerate().filter(|(_, lost)| *lost > 0).collect();
    let first = sent
        .0
        .iter()
        .find(|packet| is_lost(packet))
        .map(|packet| packet.time);
    let since = first.map(|first| (first - sent.0[0].time) / (1_000 * MILLISECOND));
    assert_eq!(lost, [(since.unwrap_or_default() as usize, 3)]);
}

/// As many points as there may be, and one packet that no more than one of them misses.
#[test]
fn sixteen_points_march_too() {
    let streams = [1, 2].map(|number| Stream {
        port: 5_000 + number,
        datagrams: 300,
        ..Stream::to(0, A_TO_B)
    });
    let mut sights = vec![Sight::of(&streams)];
    for point in 1..compare::MAX_POINTS {
        let before = &sights[point - 1];
        sights.push(before.map(|packet| Packet {
            time: packet.time + 50 * MICROSECOND,
            ..packet.routed()
        }));
    }
    let sent = sights[0].0.len() as u64;
    let is_lost = |packet: &Packet| packet.port == 5_001 && packet.datagram == 200;
    sights[7] = sights[7].without(is_lost);
    let captures = Captures::of(&sights.iter().collect::<Vec<_>>());
    let [marching, looked_for] = [KNOWN, u64::MAX].map(|after| outcome(&captures, after));
    assert_eq!(points(&marching), points(&looked_for));
    for (place, point) in marching.points.iter().enumerate() {
        let missed = u64::from(place == 7);
        assert_eq!(point.tally.missed, missed, "{place}");
        assert_eq!(point.tally.matched, sent - missed, "{place}");
    }
    let pairs = flows(&marching).into_iter().zip(flows(&looked_for));
    assert!(pairs.len() >= 2);
    for (marching, looked_for) in pairs {
        assert!(marching.agrees(&looked_for), "{marching:?} {looked_for:?}");
    }
}
