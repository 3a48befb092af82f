use super::*;
use crate::account::Flow;
use crate::model::facts::{Carries, Fragment, Layer, Tcp, Transport};
use crate::model::{Addresses, Ports, Protocol, ScopeTag, Verdict};
use proptest::prelude::*;

const SYN: u8 = Segment::SYN;
const RST: u8 = Segment::RST;
const ACK: u8 = Segment::ACK;

/// Time in milliseconds, sequence number, payload, acknowledgement number, flags.
type Sent = (i64, u32, u32, u32, u8);

fn counted(sent: &[Sent]) -> Segments {
    let mut segments = Segments::default();
    for (millis, sequence, payload_bytes, acknowledgement, flags) in sent {
        let segment = Segment {
            sequence: *sequence,
            acknowledgement: *acknowledgement,
            payload_bytes: *payload_bytes,
            flags: *flags,
        };
        let time = Timestamp::default() + Duration::from_millis(*millis);
        segments.count(&segment, time);
    }
    segments
}

/// One segment of data for each range, all at once.
fn data(ranges: &[(u32, u32)]) -> Segments {
    let sent = |(first, bytes): &(u32, u32)| (0, *first, *bytes, 0, ACK);
    counted(&ranges.iter().map(sent).collect::<Vec<_>>())
}

fn acknowledging(numbers: &[u32]) -> Segments {
    let sent = |number: &u32| (0, 1, 0, *number, ACK);
    counted(&numbers.iter().map(sent).collect::<Vec<_>>())
}

/// Sequence numbers at both cuts of the circle and between.
const BEGINNINGS: [u32; 6] = [
    0,
    1_000,
    (1 << 31) - 1_000,
    1 << 31,
    u32::MAX - 1_000,
    u32::MAX,
];

#[test]
fn what_is_sent_again_is_counted_wherever_the_numbers_begin() {
    for first in BEGINNINGS {
        let at = |offset: u32| first.wrapping_add(offset);
        let once = data(&[(at(0), 900), (at(900), 900), (at(1_800), 300)]);
        assert_eq!(once.retransmitted_bytes(), Some(0), "{first}");
        let again = data(&[(at(900), 900), (at(0), 900), (at(900), 900), (at(0), 900)]);
        assert_eq!(again.retransmitted_bytes(), Some(1_800), "{first}");
    }
}

#[test]
fn keep_alives_and_probes_are_nothing_sent_again() {
    let mut sent = vec![(0, 999, 0, 7, ACK); 5];
    sent.extend([(0, 999, 1, 7, ACK); 5]);
    assert_eq!(counted(&sent).retransmitted_bytes(), None);
    sent.push((1, 1_000, 500, 7, ACK));
    let segments = counted(&sent);
    assert_eq!(segments.retransmitted_bytes(), Some(0));
    assert_eq!(segments.payload_bytes(), 505);
}

#[test]
fn syn_and_fin_take_a_number_of_their_own() {
    let there = counted(&[
        (0, 99, 0, 0, SYN),
        (1, 100, 50, 1, ACK),
        (2, 150, 0, 1, ACK),
    ]);
    // Of SYN alone, of the data, of FIN after it.
    for acknowledged in [100, 150, 151] {
        assert_eq!(
            there.missing_bytes(&acknowledging(&[acknowledged])),
            Some(0)
        );
    }
    // With data in the SYN (RFC 7413), sent again without.
    let open = counted(&[(0, 99, 50, 0, SYN), (1, 100, 50, 1, ACK)]);
    assert_eq!(open.retransmitted_bytes(), Some(50));
}

#[test]
fn what_is_acknowledged_and_not_in_the_capture_is_missing() {
    for first in BEGINNINGS {
        let at = |offset: u32| first.wrapping_add(offset);
        let holed = data(&[(at(0), 1_000), (at(3_000), 1_000)]);
        let missing = |end| holed.missing_bytes(&acknowledging(&[at(0), at(end)]));
        assert_eq!(missing(4_000), Some(2_000), "{first}");
        assert_eq!(missing(4_001), Some(2_000), "{first}");
        assert_eq!(missing(3_000), Some(1_000), "{first}");
        assert_eq!(missing(1_000), Some(0), "{first}");
        // The end is missing as well.
        assert_eq!(missing(6_001), Some(4_000), "{first}");
        assert_eq!(holed.missing_bytes(&data(&[])), None);
        let before = acknowledging(&[first.wrapping_sub(5_000)]);
        assert_eq!(holed.missing_bytes(&before), Some(0));
    }
}

#[test]
fn single_bytes_may_be_what_is_missing() {
    let typed = data(&[(0, 10), (10, 1), (11, 1), (12, 10)]);
    assert_eq!(typed.missing_bytes(&acknowledging(&[22])), Some(0));
}

/// Handshake, a small request, then three full segments, the first again and again.
fn stuck() -> Vec<Sent> {
    let mut sent = vec![(0, 99, 0, 0, SYN), (1, 100, 300, 1, ACK)];
    sent.extend([(2, 400, 1_448, 1, ACK), (2, 1_848, 1_448, 1, ACK)]);
    sent.extend([200, 600, 1_400].map(|millis| (millis, 400, 1_448, 1, ACK)));
    sent
}

#[test]
fn full_segments_that_never_pass_are_a_black_hole() {
    let expected = BlackHole {
        segment_bytes: 1_448,
        segments: 5,
        retransmitted_bytes: 3 * 1_448,
        lasted: Duration::from_millis(1_398),
    };
    let answers = acknowledging(&[100, 400]);
    assert_eq!(counted(&stuck()).black_hole(&answers), Some(expected));
}

#[test]
fn a_black_hole_shows_before_segmentation_too() {
    let mut sent = stuck();
    sent.insert(2, (2, 400, 2_896, 1, ACK));
    let hole = counted(&sent).black_hole(&acknowledging(&[400])).unwrap();
    assert_eq!((hole.segment_bytes, hole.segments), (2_896, 1));
    assert_eq!(hole.retransmitted_bytes, 5 * 1_448);
}

#[test]
fn what_passes_or_has_no_witness_is_no_black_hole() {
    let answers = acknowledging(&[400]);
    let sent = stuck();
    let not = |sent: &[Sent], answers: &Segments| {
        assert_eq!(counted(sent).black_hole(answers), None);
    };
    // One of them arrived, or nobody is there.
    not(&sent, &acknowledging(&[400, 401]));
    not(&sent, &acknowledging(&[400, 1_848]));
    not(&sent, &acknowledging(&[]));
    // Not for long enough; never sent again.
    not(&sent[..6], &answers);
    not(&sent[..4], &answers);
    not(
        &[(0, 400, 1_448, 1, ACK), (9_000, 1_848, 1_448, 1, ACK)],
        &answers,
    );
    // Small ones pass anywhere.
    let small = [(0, 400, 536, 1, ACK), (9_000, 400, 536, 1, ACK)];
    not(&small, &answers);
}

#[test]
fn a_reset_says_nothing() {
    let mut sent = stuck();
    sent.extend([(5, 4_000_000, 30, 0, RST), (5, 0, 0, 3_000_000, RST | ACK)]);
    assert_eq!(counted(&sent), counted(&stuck()));
}

#[test]
fn several_connections_are_not_judged() {
    let two = counted(&[
        (0, 99, 0, 0, SYN),
        (1, 100, 500, 1, ACK),
        (8, 70_000, 0, 0, SYN),
        (9, 70_001, 500, 1, ACK),
    ]);
    let answers = acknowledging(&[100, 70_501]);
    assert_eq!(two.retransmitted_bytes(), None);
    assert_eq!(two.missing_bytes(&answers), None);
    let answers = counted(&[(0, 5, 0, 100, SYN | ACK), (8, 9, 0, 70_501, SYN | ACK)]);
    assert_eq!(data(&[(100, 500)]).missing_bytes(&answers), None);
}

#[test]
fn the_wait_between_syns_doubles() {
    let syns = |seconds: &[i64]| {
        let sent: Vec<Sent> = seconds
            .iter()
            .map(|at| (at * 1_020, 99, 0, 0, SYN))
            .collect();
        *counted(&sent).syns().unwrap()
    };
    for count in 2..=7 {
        assert!(syns(&[0, 1, 3, 7, 15, 31, 63][..count]).back_off());
    }
    let retries = syns(&[0, 1, 3, 7]);
    assert_eq!((retries.count, retries.are_of_one()), (4, true));
    assert_eq!(retries.last - retries.first, Duration::from_millis(7_140));
    assert!(!syns(&[0]).back_off());
    assert!(!syns(&[0, 1, 2, 3]).back_off());
    assert!(!syns(&[0; 100]).back_off());
    let others = counted(&[(0, 99, 0, 0, SYN), (1_000, 98, 0, 0, SYN)]);
    assert!(!others.syns().unwrap().back_off());
    let answers = counted(&[(0, 99, 0, 1, SYN | ACK), (1_000, 99, 0, 1, SYN | ACK)]);
    assert_eq!(answers.syns(), None);
}

#[test]
fn what_goes_around_the_circle_is_not_judged() {
    let around = data(&[(0, 100), (1 << 30, 100), (1 << 31, 100), (3 << 30, 100)]);
    assert_eq!(around.retransmitted_bytes(), None);
    assert_eq!(around.missing_bytes(&acknowledging(&[100])), None);
    let there = data(&[(0, 100)]);
    let acknowledging_all = acknowledging(&[0, 1 << 30, 1 << 31, 3 << 30]);
    assert_eq!(there.missing_bytes(&acknowledging_all), None);
    let large = data(&[(0, 1 << 29), (0, 1 << 29)]);
    assert_eq!(large.retransmitted_bytes(), None);
    let larger_than_the_circle_is_cut = data(&[(5, u32::MAX)]);
    assert_eq!(larger_than_the_circle_is_cut.retransmitted_bytes(), None);
}

/// Few numbers, so that they meet; some at the cuts.
fn sent() -> impl Strategy<Value = Sent> {
    let number = || {
        prop_oneof![
            prop::sample::select(&BEGINNINGS[..]),
            (0..5_000u32).prop_map(|offset| offset.wrapping_sub(2_500)),
            any::<u32>(),
        ]
    };
    let payload = prop_oneof![0..3u32, Just(1_448), 500..600u32, any::<u32>()];
    let flags = prop::sample::select(vec![ACK, ACK, ACK, 0, SYN, SYN | ACK, RST, RST | ACK]);
    let time = prop_oneof![0..3_000i64, any::<i64>()];
    (time, number(), payload, number(), flags)
}

proptest! {
    #[test]
    fn any_order_and_any_spread_over_workers_gives_the_same(
        sent in prop::collection::vec(sent(), 0..30),
        workers in prop::collection::vec(0..4usize, 30),
    ) {
        let whole = counted(&sent);
        let mut backwards = sent.clone();
        backwards.reverse();
        prop_assert_eq!(counted(&backwards), whole);
        let of = |worker: usize| {
            let own = sent.iter().zip(&workers).filter(|(_, of)| **of == worker);
            counted(&own.map(|(sent, _)| *sent).collect::<Vec<_>>())
        };
        let [mut a, b, mut c, d] = [0, 1, 2, 3].map(of);
        c.merge(d);
        c.merge(a);
        c.merge(b);
        prop_assert_eq!(c, whole);
        a.merge(Segments::default());
        prop_assert_eq!(a, of(0));
    }

    #[test]
    fn no_numbers_are_too_hostile(
        there in prop::collection::vec(sent(), 0..30),
        back in prop::collection::vec(sent(), 0..30),
    ) {
        let (there, back) = (counted(&there), counted(&back));
        if let Some(missing) = there.missing_bytes(&back) {
            prop_assert!(missing < 1 << 31);
        }
        if let Some(bytes) = there.retransmitted_bytes() {
            prop_assert!(bytes <= there.payload_bytes());
        }
        if let Some(hole) = there.black_hole(&back) {
            prop_assert!(hole.retransmitted_bytes > 0 && hole.segments > 0);
        }
        let _ = there.syns().map(Syns::back_off);
    }

    /// A transfer in order, some of it again, and what the questions say of it.
    #[test]
    fn lower_bounds_hold(
        first in any::<u32>(),
        sizes in prop::collection::vec(2..3_000u32, 1..20),
        again in prop::collection::vec(0..20usize, 0..10),
        lost in prop::collection::vec(0..20usize, 0..10),
    ) {
        let mut ranges = Vec::new();
        let mut end = first;
        for bytes in sizes {
            ranges.push((end, bytes));
            end = end.wrapping_add(bytes);
        }
        let repeated: Vec<_> = again.iter().filter_map(|at| ranges.get(*at).copied()).collect();
        let is_lost = |at: usize| lost.contains(&at);
        let mut seen: Vec<_> = ranges.iter().copied().enumerate()
            .filter(|(at, _)| !is_lost(*at)).map(|(_, range)| range).collect();
        let missing: u32 = ranges.iter().enumerate()
            .filter(|(at, _)| is_lost(*at)).map(|(_, range)| range.1).sum();
        let answers = acknowledging(&[first, end]);
        if let Some(least) = data(&seen).missing_bytes(&answers) {
            prop_assert!(least <= missing.into());
        }
        seen.clear();
        seen.extend(ranges.iter().chain(&repeated));
        let twice: u32 = repeated.iter().map(|range| range.1).sum();
        prop_assert_eq!(data(&seen).retransmitted_bytes(), Some(twice.into()));
    }
}

/// A packet of 40 bytes and its payload.
fn layer(segment: Segment, checksum: Verdict, header_checksum: Verdict) -> Layer {
    let payload_bytes = segment.payload_bytes + 20;
    Layer {
        scope: ScopeTag::WIRE,
        addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
        final_destination: None,
        home_address: None,
        protocol: Protocol::TCP,
        ip_bytes: payload_bytes + 20,
        payload_start: 34,
        payload_captured: payload_bytes,
        payload_bytes,
        extension_bytes: 0,
        hop_limit: 64,
        dont_fragment: true,
        fragment: Fragment::No,
        header_checksum: Some(header_checksum),
        ip_longer: false,
        super_frame: false,
        transport: Transport::Tcp(Tcp {
            ports: Ports::default(),
            segment,
            checksum,
        }),
        carries: Carries::Flow,
        ovn: None,
    }
}

#[test]
fn damaged_packets_say_nothing_and_offloaded_ones_do() {
    let segment = Segment {
        sequence: 100,
        acknowledgement: 7,
        payload_bytes: 500,
        flags: ACK,
    };
    let time = Timestamp::default();
    let payload = |checksum, header_checksum| {
        let mut flow = Flow::default();
        flow.whole_packet(&layer(segment, checksum, header_checksum), None, time, 554);
        flow.segments().map(Segments::payload_bytes)
    };
    assert_eq!(payload(Verdict::Good, Verdict::Good), Some(500));
    assert_eq!(payload(Verdict::Offloaded, Verdict::Offloaded), Some(500));
    assert_eq!(payload(Verdict::Unverifiable, Verdict::Good), Some(500));
    assert_eq!(payload(Verdict::Bad, Verdict::Good), None);
    assert_eq!(payload(Verdict::Good, Verdict::Bad), None);
}

#[test]
fn plain_packets_say_what_whole_ones_say() {
    let (mut plain, mut whole) = (Flow::default(), Flow::default());
    for (millis, sequence, payload_bytes, acknowledgement, flags) in stuck() {
        let segment = Segment {
            sequence,
            acknowledgement,
            payload_bytes,
            flags,
        };
        let time = Timestamp::default() + Duration::from_millis(millis);
        let layer = layer(segment, Verdict::Good, Verdict::Good);
        plain.plain_packet(&layer.flow_key(), layer.ip_bytes, time, 60);
        plain.segment(&segment, time);
        whole.whole_packet(&layer, None, time, 60);
    }
    assert_eq!(plain.segments(), whole.segments());
    assert_eq!(plain.segments(), Some(&counted(&stuck())));
    plain.merge(whole);
    let bytes = plain.segments().map(Segments::payload_bytes);
    assert_eq!(bytes, Some(2 * counted(&stuck()).payload_bytes()));
    let mut empty = Flow::default();
    empty.merge(plain);
    assert_eq!(empty.segments().map(Segments::payload_bytes), bytes);
}
