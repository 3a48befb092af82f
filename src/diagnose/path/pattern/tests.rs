//! Losses made up, and what is said of them.

use super::*;
use crate::compare::Place;
use crate::model::{Duration, Timestamp};

/// A packet of a flow, and whether it is lost.
#[derive(Clone, Copy)]
struct Packet {
    is_lost: bool,
    ip_bytes: u32,
    /// Its number in a datagram of so many fragments.
    of: Option<(u32, u32)>,
}

fn whole(ip_bytes: u32, is_lost: bool) -> Packet {
    Packet {
        is_lost,
        ip_bytes,
        of: None,
    }
}

fn fragment((number, all): (u32, u32), is_lost: bool) -> Packet {
    Packet {
        is_lost,
        ip_bytes: if number + 1 == all { 600 } else { 1_500 },
        of: Some((number, all)),
    }
}

/// Any number below 1,000, another for each; always the same.
fn below_1000(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) % 1_000
}

/// What is counted of one flow.
fn flow(packets: impl IntoIterator<Item = Packet>) -> Between {
    let mut between = Between::default();
    for (order, packet) in (0..).zip(packets) {
        let fate = match packet.is_lost {
            true => Fate::Front,
            false => Fate::Both,
        };
        let place = packet.of.map(|(number, all)| Place {
            number,
            of: Some((number * 1_480, all * 1_480)),
            is_last: number + 1 == all,
        });
        between.shape.count(fate, packet.ip_bytes, place);
        between.shape.lose(fate, order);
        between.front.packets += 1;
        between.front_passed.packets += u64::from(!packet.is_lost);
        between.front.fragments += u64::from(place.is_some());
        between.front_passed.fragments += u64::from(place.is_some() && !packet.is_lost);
    }
    between
}

/// What is said of several flows.
fn described(flows: &[Between]) -> Described {
    let mut sum = Between::default();
    flows.iter().for_each(|flow| sum.add(flow));
    of(&Lossy {
        between: if flows.len() == 1 { &flows[0] } else { &sum },
        series: None,
        flows: flows.iter().map(FlowLoss::of).collect(),
    })
}

/// One bad link of several that flows are spread over.
#[test]
fn flows_that_lose_a_part_where_others_lose_nothing_are_told() {
    let of_flow = |number: u64, sent: u64, per_mille: u64| {
        flow((0..sent).map(|place| {
            let is_lost = below_1000(number * 1_000 + place) < per_mille;
            whole(500, is_lost)
        }))
    };
    let bad = |number: u64| number % 4 == 1;
    let flows = |per_mille: fn(bool) -> u64| -> Vec<Between> {
        let flows = (0..40).map(|number| of_flow(number, 100, per_mille(bad(number))));
        flows.collect()
    };
    let told = described(&flows(|is_bad| if is_bad { 300 } else { 0 }));
    assert_eq!(told.pattern, Look::SomeFlows, "{}", told.described);
    let ends = "packets of 10 of 40 flows were lost (30.0 %), and none of 3,000 others";
    assert!(told.described.ends_with(ends), "{}", told.described);
    for alike in [flows(|_| 80), flows(|is_bad| if is_bad { 90 } else { 70 })] {
        let told = described(&alike);
        assert_eq!(told.pattern, Look::Random, "{}", told.described);
    }
    let one_of_two = described(&[of_flow(1, 1_000, 300), of_flow(2, 1_000, 0)]);
    let ends = "packets of 1 of 2 flows were lost (31.2 %), and none of 1,000 others";
    assert!(
        one_of_two.described.ends_with(ends),
        "{}",
        one_of_two.described
    );
    // Where these differ in size, too, that may as well be why.
    let small = flow((0..1_000).map(|_| whole(100, false)));
    let by_size = described(&[of_flow(1, 1_000, 300), small]);
    assert_eq!(by_size.pattern, Look::BySize, "{}", by_size.described);
    // Of flows of a few packets each, some lose by chance and others do not.
    let short: Vec<Between> = (0..600).map(|number| of_flow(number, 4, 150)).collect();
    let told = described(&short);
    assert_eq!(told.pattern, Look::Random, "{}", told.described);
    // Every seventh packet of 1,300 flows: so many of them send so many and lose so many.
    const SENT_AND_LOST: [(usize, u64, u64); 23] = [
        (352, 1, 0),
        (60, 1, 1),
        (296, 2, 0),
        (109, 2, 1),
        (10, 2, 2),
        (158, 3, 0),
        (87, 3, 1),
        (16, 3, 2),
        (71, 4, 0),
        (40, 4, 1),
        (9, 4, 2),
        (31, 5, 0),
        (30, 5, 1),
        (7, 5, 2),
        (9, 6, 0),
        (5, 6, 1),
        (2, 6, 2),
        (1, 6, 3),
        (2, 7, 0),
        (2, 7, 1),
        (1, 8, 0),
        (1, 8, 3),
        (1, 9, 0),
    ];
    let flows = SENT_AND_LOST.iter().flat_map(|(flows, sent, lost)| {
        let packets = (0..*sent).map(|place| whole(500, place % 2 == 0 && place < 2 * lost));
        std::iter::repeat_n(flow(packets), *flows)
    });
    let told = described(&flows.collect::<Vec<_>>());
    assert_ne!(told.pattern, Look::SomeFlows, "{}", told.described);
}

/// A port that nobody may reach, on a path that loses a little of everything.
#[test]
fn a_dead_flow_is_told_where_others_lose_a_little() {
    let dead = flow((0..50).map(|_| whole(200, true)));
    let others = flow((0..1_000).map(|number| whole(1_400, below_1000(number) < 20)));
    let told = described(&[dead.clone(), others]);
    let told_of_flows = "by flow: all 50 packets of 1 of 2 flows were lost, and";
    assert!(told.described.contains(told_of_flows), "{}", told.described);
    // Of one size, there is no other way to tell them apart.
    let others = flow((0..1_000).map(|number| whole(200, below_1000(number) < 20)));
    let told = described(&[dead, others]);
    let what = "all 50 packets of 1 of 2 flows were lost, and 29 of 1,000 of the others (2.9 %)";
    is_said(&told, Look::ByFlow, None, what);
    let random = |seed: u64, sent: u64| {
        flow((0..sent).map(|place| whole(200, below_1000(seed * 5_000 + place) < 20)))
    };
    let told = described(&[random(1, 50), random(2, 1_000)]);
    assert_ne!(told.pattern, Look::ByFlow, "{}", told.described);
}

/// What is said of one flow, so many packets of which were sent and lost in each second.
fn over_time(seconds: &[(u64, u64)]) -> Described {
    let mut series = Series::new(Duration::from_secs(1));
    series.origin = Some(Timestamp(0));
    let mut number = 0;
    let mut packets = Vec::new();
    for (sent, lost) in seconds {
        let mut step = Fates::default();
        let mut left = *lost;
        for place in 0..*sent {
            number += 1;
            let is_lost = left > 0 && below_1000(number) * (sent - place) < left * 1_000;
            left -= u64::from(is_lost);
            packets.push(whole(500, is_lost));
            step.count(if is_lost { Fate::Front } else { Fate::Both });
        }
        series.steps.push(step);
    }
    let between = flow(packets);
    of(&Lossy {
        series: Some(&series),
        ..Lossy::of_flow(&between)
    })
}

fn is_said(described: &Described, pattern: Look, number: Option<u64>, what: &str) {
    assert_eq!(described.described, what);
    assert_eq!((described.pattern, described.number), (pattern, number));
}

#[test]
fn what_is_random_is_even_where_that_was_tested() {
    let packets = (0..6_000).map(|number| {
        let bytes = [200, 700, 1_400][number as usize % 3];
        whole(bytes, below_1000(number) < 50)
    });
    let look = described(&[flow(packets)]);
    assert_eq!(look.pattern, Look::Random, "{look:?}");
    assert_eq!(look.evenly.as_deref(), Some("evenly over sizes"));
    let fragments = (0..6_000).map(|number| {
        let place = (number as u32 % 6, 6);
        fragment(place, below_1000(number) < 50)
    });
    let look = described(&[flow(fragments)]);
    assert_eq!(look.pattern, Look::Random, "{look:?}");
    let evenly = "evenly over positions in the datagram and sizes";
    assert_eq!(look.evenly.as_deref(), Some(evenly));
    let look = over_time(&[(500, 25); 20]);
    assert_eq!(look.pattern, Look::Random, "{look:?}");
    assert_eq!(look.evenly.as_deref(), Some("evenly over time"));
}

#[test]
fn nothing_is_even_that_is_hardly_lost() {
    let packets =
        (0..3_000).map(|number| whole(200 + number % 1_000, below_1000(number.into()) < 5));
    let look = described(&[flow(packets)]);
    assert_eq!((look.pattern, look.evenly), (Look::Random, None));
    let nothing = ": nothing was found that they have in common";
    assert!(look.described.ends_with(nothing), "{}", look.described);
}

#[test]
fn the_number_of_a_fragment_is_told() {
    // Datagrams of two lengths: else it were each sixth packet as well.
    let datagrams = (0..300).flat_map(|datagram| {
        let all = 4 + (below_1000(datagram) % 3) as u32;
        (0..all).map(move |number| fragment((number, all), number == 2))
    });
    let look = described(&[flow(datagrams)]);
    assert_eq!((look.pattern, look.number), (Look::ByPlace, Some(3)));
    let what = "all 300 fragments that are the 3rd of their datagram were lost, and none of ";
    assert!(look.described.starts_with(what), "{}", look.described);
}

#[test]
fn a_few_losses_of_one_number_are_told() {
    let datagrams = (0..300_u64).flat_map(|datagram| {
        let is_hit = [7, 31, 66, 97, 140, 151, 189, 230, 270, 299].contains(&datagram);
        (0..5).map(move |number| fragment((number, 5), is_hit && number == 2))
    });
    let what = "10 of 300 fragments that are the 3rd of their datagram were lost (3.3 %), and \
                none of 1,200 others";
    is_said(&described(&[flow(datagrams)]), Look::ByPlace, Some(3), what);
}

#[test]
fn of_equal_datagrams_a_distance_is_a_place_too() {
    let fragments = (0..1_500).map(|number| fragment((number % 5, 5), number % 150 == 37));
    let what = "every 150th packet of a flow was lost; by place: 10 of 300 fragments that are the \
                3rd of their datagram were lost (3.3 %), and none of 1,200 others";
    is_said(
        &described(&[flow(fragments)]),
        Look::EveryKth,
        Some(150),
        what,
    );
}

#[test]
fn sizes_of_which_more_are_lost_are_told() {
    let packets = (0..4_000_u64).map(|number| {
        let bytes = [200, 400, 800, 1_500][number as usize % 4];
        let share = if bytes == 1_500 { 380 } else { 10 };
        whole(bytes, below_1000(number) < share)
    });
    let look = described(&[flow(packets)]);
    assert_eq!(look.pattern, Look::BySize);
    let what = "of 1,000 packets of 1,280 to 1,518 bytes were lost";
    assert!(look.described.contains(what), "{}", look.described);
}

#[test]
fn a_length_that_none_passes_is_told_to_the_byte() {
    let large = (0..600).map(|number| {
        let bytes = 1_300 + number % 200;
        whole(bytes, bytes > 1_400)
    });
    let what = "all 297 packets of 1,401 bytes and more were lost, and none of up to 1,400";
    is_said(&described(&[flow(large)]), Look::Large, Some(1_400), what);
    let small = (0..600).map(|number| {
        let bytes = 130 + below_1000(number) as u32 / 10;
        whole(bytes, bytes < 140)
    });
    let look = described(&[flow(small)]);
    assert_eq!((look.pattern, look.number), (Look::Small, Some(139)));
}

/// Any of the packets that a super-frame is cut into may be lost.
#[test]
fn super_frames_that_are_cut_up_are_no_size() {
    let acknowledged = |number: u64| below_1000(1_000 + number) < 500;
    let of_lengths = |is_lost: &dyn Fn(u64) -> bool| {
        let packets = (0..400_u64).map(|number| match acknowledged(number) {
            true => whole(52, false),
            false => whole(60_000, is_lost(number)),
        });
        flow(packets)
    };
    let mut some = of_lengths(&|number| below_1000(number) < 300);
    let mut all = of_lengths(&|_| true);
    assert_eq!(described(&[some.clone()]).pattern, Look::BySize);
    assert_eq!(described(&[all.clone()]).pattern, Look::Large);
    (some.segmented, all.segmented) = (50, 200);
    for look in [described(&[some]), described(&[all])] {
        let told_of_size = [Look::BySize, Look::Large].contains(&look.pattern);
        assert!(!told_of_size, "{look:?}");
    }
}

/// A filter on ports takes away all fragments but the first.
#[test]
fn first_fragments_do_not_stand_out_where_no_other_was_sent() {
    let firsts = (0..400).map(|number| fragment((0, 6), below_1000(number) < 250));
    let look = described(&[flow(firsts)]);
    assert_eq!(look.pattern, Look::Random, "{look:?}");
    assert_eq!(look.evenly, None);
    let both = (0..2_400_u32).map(|number| {
        let is_lost = number % 6 == 0 && below_1000(number.into()) < 250;
        fragment((number % 6, 6), is_lost)
    });
    assert_eq!(described(&[flow(both)]).pattern, Look::FirstLost);
}

#[test]
fn a_flow_that_is_blocked_is_told_beside_others() {
    let all = |is_lost| flow((0..400).map(|_| whole(500, is_lost)));
    let what = "all 400 packets of 1 of 2 flows were lost, and none of 400 of the others";
    is_said(
        &described(&[all(true), all(false)]),
        Look::ByFlow,
        None,
        what,
    );
}

/// As questions to a name server, each from a port of its own.
#[test]
fn flows_of_a_few_packets_are_lost_by_chance() {
    let of_packets = |packets: u64, per_mille| {
        let flows = (0..1_500_u64).map(|number| {
            let packets = (0..packets).map(|packet| {
                let is_lost = below_1000(number * packets + packet) < per_mille;
                whole(90, is_lost)
            });
            flow(packets)
        });
        described(&flows.collect::<Vec<_>>())
    };
    for look in [of_packets(1, 20), of_packets(1, 500), of_packets(2, 20)] {
        assert_eq!(look.pattern, Look::Random, "{look:?}");
    }
}

#[test]
fn many_flows_of_a_few_packets_that_are_blocked_are_told() {
    let flows = (0..300_u64).map(|number| {
        let is_blocked = below_1000(number) < 30;
        flow((0..3).map(|_| whole(90, is_blocked)))
    });
    let look = described(&flows.collect::<Vec<_>>());
    assert_eq!(look.pattern, Look::ByFlow, "{look:?}");
}

/// All flows but one are blocked: that one must be no chance.
#[test]
fn a_flow_that_passes_beside_others_is_told() {
    let lone = (0..400).map(|_| flow([whole(500, true)]));
    let good = flow((0..8).map(|_| whole(500, false)));
    let of_one: Vec<Between> = lone.chain([good.clone()]).collect();
    assert_ne!(described(&of_one).pattern, Look::ByFlow);
    let several = (0..40).map(|_| flow((0..10).map(|_| whole(500, true))));
    let of_ten: Vec<Between> = several.chain([good]).collect();
    assert_eq!(described(&of_ten).pattern, Look::ByFlow);
}

#[test]
fn a_flow_that_ends_is_told_beside_others() {
    let good = flow((0..30).map(|_| whole(500, false)));
    let cut_off = flow((0..900).map(|number| whole(500, number >= 600)));
    let alone = "everything behind the first 600 packets was lost";
    is_said(
        &described(std::slice::from_ref(&cut_off)),
        Look::FromTimeOn,
        None,
        alone,
    );
    let beside = "everything of one flow behind its first 600 packets was lost";
    is_said(
        &described(&[good, cut_off.clone()]),
        Look::FromTimeOn,
        None,
        beside,
    );
    let both = "everything of 2 flows was lost from some packet of each on";
    is_said(
        &described(&[cut_off.clone(), cut_off]),
        Look::FromTimeOn,
        None,
        both,
    );
}

/// As a token bucket has it while it is empty.
#[test]
fn a_distance_must_tell_how_many_are_lost() {
    let packets = (0..2_000).map(|number| whole(500, number % 400 < 200 && number % 2 == 1));
    let look = described(&[flow(packets)]);
    assert_ne!(look.pattern, Look::EveryKth, "{look:?}");
    let what = "most of them are the 2nd packet of their flow behind the one before, as where a \
                rate is limited";
    assert!(look.described.ends_with(what), "{}", look.described);
}

#[test]
fn flows_that_lose_nothing_are_told_beside_a_distance() {
    let lossy = flow((0..600).map(|number| whole(500, number % 2 == 1)));
    let good = flow((0..400).map(|_| whole(500, false)));
    let what = "every 2nd packet of 1 of 2 flows was lost";
    is_said(&described(&[lossy, good]), Look::EveryKth, Some(2), what);
}

/// Of several flows, each in datagrams of four fragments, in no order.
#[test]
fn a_counter_that_flows_share_is_told() {
    let mut flows = [const { Vec::new() }; 3];
    for number in 0..3_600_u32 {
        let datagram = u64::from(number) / 4;
        let flow = &mut flows[(below_1000(datagram) % 3) as usize];
        flow.push(fragment((number % 4, 4), number % 3 == 2));
    }
    let look = described(&flows.map(flow));
    assert_eq!((look.pattern, look.number), (Look::EveryKth, Some(3)));
    let what = "exactly one of every 3 fragments was lost (1,200 of 3,600), ";
    assert!(look.described.starts_with(what), "{}", look.described);
}

/// Of one flow that is no counter, though there are as many.
#[test]
fn what_keeps_apart_is_not_random() {
    let mut left = 0;
    let packets = (0..3_000_u64).map(|number| {
        left = match left {
            0 => 1 + below_1000(number) % 3,
            _ => left - 1,
        };
        whole(500, left == 0)
    });
    let look = described(&[flow(packets)]);
    assert_eq!(look.pattern, Look::Regular, "{look:?}");
}

#[test]
fn the_time_of_losses_is_told() {
    let mut seconds = [(100, 0); 30];
    seconds[10..13].fill((100, 50));
    let what = "150 of 300 packets were lost (50.0 %) in 3 of 30 steps of 1 s, and none of 2,700 \
                others";
    is_said(&over_time(&seconds), Look::ByTime, None, what);
}

#[test]
fn a_time_in_which_nothing_passes_is_told() {
    let with_outages = |outages: &[(usize, usize)]| {
        let second = |number: usize| match outages
            .iter()
            .any(|(from, to)| (*from..*to).contains(&number))
        {
            true => (100, 100),
            false => (100, u64::from(number.is_multiple_of(2))),
        };
        over_time(&(0..40).map(second).collect::<Vec<_>>())
    };
    let one = "nothing passed for 3 s, 10 s after the first packet: all 300 packets were lost, and 18 \
               of 3,700 others (0.5 %)";
    is_said(&with_outages(&[(10, 13)]), Look::ByTime, None, one);
    let two = "nothing passed 2 times, for 4 s at most, 20 s after the first packet: all 600 \
               packets were lost, and 17 of 3,400 others (0.5 %)";
    is_said(
        &with_outages(&[(10, 12), (20, 24)]),
        Look::ByTime,
        None,
        two,
    );
    let none = with_outages(&[]);
    assert_ne!(none.pattern, Look::ByTime, "{}", none.described);
}

#[test]
fn that_more_is_lost_where_more_is_sent_is_told() {
    let seconds = [(200, 0), (200, 0), (200, 0), (2_000, 196)].repeat(5);
    let what = "980 of 10,000 packets were lost (9.8 %) in the 5 of 20 steps of 1 s in which \
                2,000 or more were sent, and none of 3,000 others";
    is_said(&over_time(&seconds), Look::ByRate, None, what);
}

#[test]
fn of_packets_that_look_alike_it_is_not_known_which_are_lost() {
    let mut between = flow((0..2_000).map(|_| whole(528, false)));
    for _ in 0..40 {
        between.shape.count(Fate::Front, 528, None);
        between.shape.lose_alike(Fate::Front);
        between.front.packets += 1;
    }
    let what = "40 of 2,040 packets lost (2.0 %); they look like others, so that which of them \
                is not known";
    is_said(&described(&[between.clone()]), Look::Alike, None, what);
    let good = flow((0..4_000).map(|_| whole(528, false)));
    let what = "40 of 2,040 packets of 1 of 2 flows were lost (2.0 %), and none of 4,000 others";
    is_said(
        &described(&[between.clone(), good]),
        Look::SomeFlows,
        None,
        what,
    );
    // Among many others they do not matter.
    let others = flow((0..10_000).map(|number| whole(528, number % 8 == 0)));
    assert_ne!(described(&[between, others]).pattern, Look::Alike);
}

/// As where a rate is policed and larger packets go another way.
#[test]
fn sizes_that_always_pass_are_told_even_if_few_are_sent() {
    let packets = (0..1_394_u64).map(|number| match number % 11 {
        5 => whole(400, false),
        _ => whole(52, below_1000(number) < 510),
    });
    let look = described(&[flow(packets)]);
    assert_eq!(look.pattern, Look::BySize, "{look:?}");
    let ending = "and none of 127 others";
    assert!(look.described.ends_with(ending), "{}", look.described);
}

#[test]
fn what_differs_by_less_than_twice_is_neither_even_nor_uneven() {
    let packets = (0..2_800_u64).map(|number| match number % 2 {
        0 => whole(400, below_1000(number) < 33),
        _ => whole(1_400, below_1000(number) < 50),
    });
    let look = described(&[flow(packets)]);
    assert_eq!((look.pattern, look.evenly), (Look::Random, None));
}
