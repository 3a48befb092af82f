use super::*;
use crate::model::{Addresses, ScopeTag, Sum, Timestamp};
use crate::reassemble::{Carried, Completed};
use proptest::prelude::*;
use std::collections::BTreeMap;

const MS: i64 = 1_000_000;

/// Hears outcomes as text, and takes the payloads it is told to for tunnels.
#[derive(Default)]
struct Ear {
    heard: Vec<String>,
    is_tunnel: bool,
    bytes: Vec<Vec<u8>>,
    /// First fragments that were asked about.
    asked: Vec<Vec<u8>>,
}

impl Listener for Ear {
    fn is_tunnel(&mut self, _: &Datagram, _: &[u8]) -> bool {
        self.is_tunnel
    }

    fn carried(&mut self, _: &Datagram, captured: &[u8]) -> Option<Carried> {
        self.asked.push(captured.to_vec());
        Some(Carried {
            inside: ScopeTag(7),
            flow: None,
            ip_bytes: 0,
        })
    }

    fn reassembled(&mut self, whole: &WholeDatagram<'_>) -> Option<ScopeTag> {
        self.bytes.push(whole.captured.to_vec());
        self.heard.push(format!(
            "{} whole {}",
            whole.datagram.key.id, whole.payload_bytes
        ));
        self.is_tunnel.then_some(ScopeTag(7))
    }

    fn lost(&mut self, datagram: &Datagram, fate: Fate) {
        let tunnel = match datagram.tunnel {
            Some(_) => " tunnel",
            None => "",
        };
        self.heard
            .push(format!("{} {fate:?}{tunnel}", datagram.key.id));
    }

    fn late_copy(&mut self, completed: &Completed, _: &FragmentFacts) {
        self.heard.push(format!("{} copy", completed.key.id));
    }
}

fn fragment(id: u32, ms: i64, offset: u32, bytes: u32, more: bool) -> FragmentFacts {
    FragmentFacts {
        sum: Some(Sum(offset as u16)),
        ..FragmentFacts::sample(id, Timestamp(ms * MS), offset, bytes, more)
    }
}

fn ipv6(fragment: FragmentFacts) -> FragmentFacts {
    let mut fragment = fragment;
    fragment.key.addresses = Addresses::v6([1; 16], [2; 16]);
    fragment.ip_bytes += 28;
    fragment
}

/// Runs fragments through a reassembler, the capture ending with the last one.
fn outcomes(fragments: &[FragmentFacts]) -> Vec<String> {
    let mut ear = Ear::default();
    let mut reassembler = Reassembler::new(Limits::default());
    for fragment in fragments {
        let payload = vec![0; fragment.payload_bytes as usize];
        reassembler.take(fragment, &payload, &mut ear);
    }
    let end = fragments.iter().map(|fragment| fragment.timestamp).max();
    reassembler.finish(end.unwrap_or_default(), &mut ear);
    ear.heard
}

#[test]
fn a_datagram_is_whole_when_its_last_piece_comes_in_any_order() {
    let pieces = [
        fragment(1, 0, 0, 16, true),
        fragment(1, 1, 16, 16, true),
        fragment(1, 2, 32, 5, false),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let pieces = order.map(|index: usize| pieces[index].clone());
        assert_eq!(outcomes(&pieces), ["1 whole 37"]);
    }
}

#[test]
fn ipv4_times_out_after_30_seconds_and_ipv6_after_60() {
    let halves = |gap| [fragment(1, 0, 0, 8, true), fragment(1, gap, 8, 8, false)];
    assert_eq!(outcomes(&halves(30_000)), ["1 whole 16"]);
    assert_eq!(outcomes(&halves(30_001)), ["1 TimedOut", "1 Incomplete"]);
    let halves = |gap| halves(gap).map(ipv6);
    assert_eq!(outcomes(&halves(60_000)), ["1 whole 16"]);
    assert_eq!(outcomes(&halves(60_001)), ["1 TimedOut", "1 Incomplete"]);
}

#[test]
fn other_traffic_drives_the_clock() {
    let heard = outcomes(&[
        fragment(1, 0, 0, 8, true),
        fragment(2, 31_000, 0, 8, true),
        fragment(2, 31_001, 8, 8, false),
    ]);
    assert_eq!(heard, ["1 TimedOut", "2 whole 16"]);
}

#[test]
fn a_clock_that_jumps_back_ends_nothing() {
    let heard = outcomes(&[
        fragment(1, 100_000, 0, 8, true),
        fragment(1, 0, 8, 8, false),
    ]);
    assert_eq!(heard, ["1 whole 16"]);
}

#[test]
fn a_contradiction_is_told_once_and_its_later_pieces_open_nothing() {
    let heard = outcomes(&[
        fragment(1, 0, 0, 16, true),
        fragment(1, 1, 8, 16, true),
        fragment(1, 2, 24, 8, false),
        fragment(1, 3, 0, 16, true),
    ]);
    assert_eq!(heard, ["1 Overlapped"]);
}

#[test]
fn a_contradiction_is_forgotten_after_the_timeout() {
    let heard = outcomes(&[
        fragment(1, 0, 0, 16, true),
        fragment(1, 1, 8, 16, true),
        fragment(1, 30_002, 0, 8, true),
        fragment(1, 30_003, 8, 8, false),
    ]);
    assert_eq!(heard, ["1 Overlapped", "1 whole 16"]);
}

#[test]
fn pieces_beyond_the_longest_datagram_make_it_oversized() {
    let longest = [
        fragment(1, 0, 0, 65_504, true),
        fragment(1, 1, 65_504, 11, false),
    ];
    assert_eq!(outcomes(&longest), ["1 whole 65515"]);
    let too_long = [
        fragment(1, 0, 0, 65_504, true),
        fragment(1, 1, 65_504, 12, false),
    ];
    assert_eq!(outcomes(&too_long), ["1 Oversized"]);
    let ping_of_death = [ipv6(fragment(1, 0, 65_528, 1_000, false))];
    assert_eq!(outcomes(&ping_of_death), ["1 Oversized"]);
}

#[test]
fn absurd_lengths_neither_wrap_nor_stay() {
    for absurd in [
        fragment(1, 0, 65_528, u32::MAX - 20, true),
        fragment(1, 0, 8, u32::MAX - 20, false),
        ipv6(fragment(1, 0, 65_528, u32::MAX - 48, false)),
    ] {
        let mut ear = Ear::default();
        let mut reassembler = Reassembler::new(Limits::default());
        reassembler.take(&absurd, &[], &mut ear);
        reassembler.finish(Timestamp(0), &mut ear);
        assert_eq!(ear.heard, ["1 Oversized"]);
    }
}

#[test]
fn late_copies_belong_to_the_whole_datagram_for_100_ms() {
    let whole = [fragment(1, 0, 0, 8, true), fragment(1, 1, 8, 8, false)];
    let with = |late: FragmentFacts| {
        let mut fragments = whole.to_vec();
        fragments.push(late);
        outcomes(&fragments)
    };
    assert_eq!(
        with(fragment(1, 101, 8, 8, false)),
        ["1 whole 16", "1 copy"]
    );
    assert_eq!(
        with(fragment(1, 102, 8, 8, false)),
        ["1 whole 16", "1 Incomplete"]
    );
    let other_bytes = FragmentFacts {
        sum: Some(Sum(99)),
        ..fragment(1, 50, 8, 8, false)
    };
    assert_eq!(with(other_bytes), ["1 whole 16", "1 Incomplete"]);
}

#[test]
fn a_ragged_middle_leaves_a_hole() {
    let ragged = [fragment(1, 0, 0, 18, true), fragment(1, 1, 24, 8, false)];
    assert_eq!(outcomes(&ragged), ["1 Incomplete"]);
    // IPv4 rounds down, so what follows directly completes it; IPv6 refuses it.
    let follows = [fragment(1, 0, 0, 18, true), fragment(1, 1, 16, 8, false)];
    assert_eq!(outcomes(&follows), ["1 whole 24"]);
    assert_eq!(outcomes(&follows.map(ipv6)), ["1 Incomplete"]);
}

#[test]
fn scopes_and_protocols_keep_equal_ids_apart() {
    let mut other_scope = fragment(1, 1, 8, 8, false);
    other_scope.key.scope = ScopeTag(5);
    let heard = outcomes(&[fragment(1, 0, 0, 8, true), other_scope]);
    assert_eq!(heard, ["1 Incomplete", "1 Incomplete"]);
}

#[test]
fn tunnels_get_their_bytes_in_any_order() {
    let pieces = [(8u32, 8u32, true), (16, 3, false), (0, 8, true)];
    let mut ear = Ear {
        is_tunnel: true,
        ..Ear::default()
    };
    let mut reassembler = Reassembler::new(Limits::default());
    for (offset, bytes, more) in pieces {
        let payload: Vec<u8> = (offset..offset + bytes).map(|byte| byte as u8).collect();
        reassembler.take(&fragment(1, 0, offset, bytes, more), &payload, &mut ear);
    }
    assert_eq!(ear.bytes, [(0..19).collect::<Vec<u8>>()]);
}

#[test]
fn a_tunnel_of_which_bytes_were_not_captured_gives_its_beginning() {
    let mut ear = Ear {
        is_tunnel: true,
        ..Ear::default()
    };
    let mut reassembler = Reassembler::new(Limits::default());
    reassembler.take(&fragment(1, 0, 0, 8, true), &[0; 8], &mut ear);
    reassembler.take(&fragment(1, 0, 8, 8, false), &[0; 5], &mut ear);
    assert_eq!(ear.heard, ["1 whole 16"]);
    assert_eq!(ear.bytes, [[0; 13]]);
}

#[test]
fn what_a_tunnel_carries_is_asked_when_it_is_lost() {
    let lost = |pieces: &[(u32, u32, bool)]| {
        let mut ear = Ear {
            is_tunnel: true,
            ..Ear::default()
        };
        let mut reassembler = Reassembler::new(Limits::default());
        for &(offset, bytes, more) in pieces {
            let payload: Vec<u8> = (offset..offset + bytes).map(|byte| byte as u8).collect();
            reassembler.take(&fragment(1, 0, offset, bytes, more), &payload, &mut ear);
        }
        reassembler.finish(Timestamp(0), &mut ear);
        (ear.heard, ear.asked)
    };
    let first = |bytes| vec![(0..bytes).collect::<Vec<u8>>()];
    let told = |fate: &str| vec![format!("1 {fate} tunnel")];
    assert_eq!(
        lost(&[(0, 16, true), (24, 8, false)]),
        (told("Incomplete"), first(16))
    );
    assert_eq!(
        lost(&[(24, 8, false), (0, 16, true)]),
        (told("Incomplete"), first(16))
    );
    // Before the bytes go, the first fragment being there or the one too many.
    assert_eq!(
        lost(&[(0, 16, true), (8, 16, true)]),
        (told("Overlapped"), first(16))
    );
    assert_eq!(
        lost(&[(8, 16, true), (0, 16, true)]),
        (told("Overlapped"), first(16))
    );
    // None of its bytes are kept any longer, or not all.
    assert_eq!(
        lost(&[(8, 16, true), (16, 16, true), (0, 8, true)]),
        (told("Overlapped"), first(8))
    );
    assert_eq!(lost(&[(0, 19, true)]), (told("Incomplete"), first(19)));
    let (heard, asked) = lost(&[(0, 16, true), (16, 8, false)]);
    assert_eq!(heard, ["1 whole 24"]);
    assert!(asked.is_empty());
}

#[test]
fn a_place_used_again_knows_nothing_of_its_past() {
    let mut ear = Ear::default();
    let mut reassembler = Reassembler::new(Limits::default());
    for id in 0..3 {
        let at = i64::from(id);
        reassembler.take(&fragment(id, at, 0, 16, true), &[1; 16], &mut ear);
        assert_eq!(reassembler.open_datagrams(), 1);
        reassembler.take(&fragment(id, at, 16, 8, false), &[1; 8], &mut ear);
        assert_eq!(reassembler.open_datagrams(), 0);
    }
    reassembler.take(&fragment(9, 4, 8, 8, true), &[1; 8], &mut ear);
    reassembler.finish(Timestamp(0), &mut ear);
    assert_eq!(
        ear.heard,
        ["0 whole 24", "1 whole 24", "2 whole 24", "9 Incomplete"]
    );
    assert_eq!(reassembler.memory_bytes(), 0);
}

#[test]
fn an_id_used_again_at_once_has_late_copies_of_its_own() {
    let mut other = [fragment(1, 2, 0, 16, true), fragment(1, 3, 16, 8, false)];
    for piece in &mut other {
        piece.sum = Some(Sum(99));
    }
    let heard = outcomes(&[
        fragment(1, 0, 0, 16, true),
        fragment(1, 1, 16, 8, false),
        other[0].clone(),
        other[1].clone(),
        other[1].clone(),
        fragment(1, 4, 16, 8, false),
    ]);
    assert_eq!(
        heard,
        ["1 whole 24", "1 whole 24", "1 copy", "1 Incomplete"]
    );
}

#[test]
fn bytes_without_a_first_fragment_are_given_up_before_datagrams_are() {
    let mut ear = Ear {
        is_tunnel: true,
        ..Ear::default()
    };
    let limits = Limits {
        memory_bytes: 1 << 20,
        ..Limits::default()
    };
    let mut reassembler = Reassembler::new(limits);
    for id in 0..200 {
        reassembler.take(&fragment(id, 0, 8, 4_000, false), &[0; 4_000], &mut ear);
    }
    assert!(ear.heard.is_empty(), "nothing is evicted");
    for id in [0, 199] {
        reassembler.take(&fragment(id, 1, 0, 8, true), &[0; 8], &mut ear);
    }
    assert_eq!(ear.heard, ["0 whole 4008", "199 whole 4008"]);
    let lengths: Vec<usize> = ear.bytes.iter().map(Vec::len).collect();
    assert_eq!(lengths, [0, 4_008], "only the younger one can be opened");
    assert_eq!(reassembler.take_limits_hit().tunnels_unopened, 1);
}

#[test]
fn memory_stays_within_the_bound_and_the_oldest_goes_first() {
    let limits = Limits {
        memory_bytes: 64 << 10,
        ..Limits::default()
    };
    let mut ear = Ear::default();
    let mut reassembler = Reassembler::new(limits);
    for id in 0..1_000 {
        reassembler.take(&fragment(id, 0, 0, 8, true), &[0; 8], &mut ear);
        assert!(reassembler.memory_bytes() <= limits.memory_bytes);
    }
    assert!(ear.heard.len() > 800);
    assert_eq!(ear.heard[..2], ["0 Evicted", "1 Evicted"]);
    reassembler.finish(Timestamp(0), &mut ear);
    assert_eq!(ear.heard.len(), 1_000, "each has one fate");
}

proptest! {
    /// Whatever comes: memory is bounded and every datagram has one outcome.
    #[test]
    fn every_fragment_is_counted_once(
        fragments in prop::collection::vec(
            (0u32..4, 0i64..200_000, 0u32..8192, 0u32..3000, any::<bool>()),
            1..200,
        ),
    ) {
        struct Tally(BTreeMap<u32, u64>);
        impl Listener for Tally {
            fn is_tunnel(&mut self, datagram: &Datagram, _: &[u8]) -> bool {
                datagram.key.id % 2 == 1
            }
            fn carried(&mut self, _: &Datagram, _: &[u8]) -> Option<Carried> {
                None
            }
            fn reassembled(&mut self, whole: &WholeDatagram<'_>) -> Option<ScopeTag> {
                self.add(whole.datagram.key.id, whole.datagram.tally.fragments());
                None
            }
            fn lost(&mut self, datagram: &Datagram, _: Fate) {
                self.add(datagram.key.id, datagram.tally.fragments());
            }
            fn late_copy(&mut self, completed: &Completed, _: &FragmentFacts) {
                self.add(completed.key.id, 1);
            }
        }
        impl Tally {
            fn add(&mut self, id: u32, fragments: u64) {
                *self.0.entry(id).or_default() += fragments;
            }
        }
        let limits = Limits { memory_bytes: 64 << 10, ..Limits::default() };
        let mut tally = Tally(BTreeMap::new());
        let mut reassembler = Reassembler::new(limits);
        let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
        for (id, ms, units, bytes, more) in fragments {
            *expected.entry(id).or_default() += 1;
            let fragment = fragment(id, ms, units * 8, bytes, more || units == 0);
            reassembler.take(&fragment, &vec![0; bytes as usize], &mut tally);
            prop_assert!(reassembler.memory_bytes() <= limits.memory_bytes);
        }
        reassembler.finish(Timestamp(0), &mut tally);
        prop_assert_eq!(tally.0, expected);
    }
}

/// What is known of how the pieces of datagrams came that were lost.
#[derive(Default)]
struct Arrivals(Vec<String>);

impl Listener for Arrivals {
    fn is_tunnel(&mut self, _: &Datagram, _: &[u8]) -> bool {
        false
    }

    fn carried(&mut self, _: &Datagram, _: &[u8]) -> Option<Carried> {
        None
    }

    fn reassembled(&mut self, whole: &WholeDatagram<'_>) -> Option<ScopeTag> {
        self.tell(whole.datagram);
        None
    }

    fn lost(&mut self, datagram: &Datagram, _: Fate) {
        self.tell(datagram);
    }

    fn late_copy(&mut self, _: &Completed, _: &FragmentFacts) {}
}

impl Arrivals {
    fn tell(&mut self, datagram: &Datagram) {
        let (arrival, tally) = (&datagram.arrival, &datagram.tally);
        let facts = [
            (arrival.is_first_late, "first late"),
            (arrival.is_rest_disordered, "disordered"),
            (arrival.longest_pause.0 >= 1_000 * MS, "pause"),
            (tally.altered > 0, "altered"),
            (tally.ragged > 0, "ragged"),
            (datagram.is_rest_of_expired(), "rest of expired"),
        ];
        let told = facts.iter().filter(|(is_so, _)| *is_so);
        let told: Vec<&str> = told.map(|(_, what)| *what).collect();
        self.0
            .push(format!("{} {}", datagram.key.id, told.join(", ")));
    }
}

fn arrivals(fragments: &[FragmentFacts]) -> Vec<String> {
    let mut told = Arrivals::default();
    let mut reassembler = Reassembler::new(Limits::default());
    for fragment in fragments {
        let payload = vec![0; fragment.payload_bytes as usize];
        reassembler.take(fragment, &payload, &mut told);
    }
    let end = fragments.iter().map(|fragment| fragment.timestamp).max();
    reassembler.finish(end.unwrap_or_default(), &mut told);
    told.0
}

#[test]
fn how_pieces_came_is_told() {
    let altered = FragmentFacts {
        sum: Some(Sum(99)),
        ..fragment(1, 1, 0, 8, true)
    };
    let cases = [
        (
            vec![fragment(1, 0, 0, 8, true), fragment(1, 1, 8, 8, false)],
            "1 ",
        ),
        (
            vec![fragment(1, 0, 8, 8, false), fragment(1, 1, 0, 8, true)],
            "1 first late",
        ),
        (
            vec![
                fragment(1, 0, 0, 8, true),
                fragment(1, 0, 16, 8, false),
                fragment(1, 0, 8, 8, true),
            ],
            "1 disordered",
        ),
        (
            vec![fragment(1, 0, 0, 8, true), fragment(1, 2_000, 8, 8, false)],
            "1 pause",
        ),
        (vec![fragment(1, 0, 0, 8, true), altered], "1 altered"),
        (vec![fragment(1, 0, 0, 12, true)], "1 ragged"),
    ];
    for (fragments, told) in cases {
        assert_eq!(arrivals(&fragments), [told]);
    }
}

#[test]
fn what_comes_after_the_timeout_is_known_again() {
    let begun = [fragment(1, 0, 0, 8, true), fragment(1, 0, 8, 8, true)];
    let with = |late| arrivals(&[begun[0].clone(), begun[1].clone(), late]);
    let rest = fragment(1, 31_000, 16, 8, false);
    // The last fragment tells how much is missing only where it is there itself.
    assert_eq!(with(rest.clone()), ["1 ", "1 "]);
    let begun = [fragment(1, 0, 0, 8, true), fragment(1, 0, 16, 8, false)];
    let with = |late| arrivals(&[begun[0].clone(), begun[1].clone(), late]);
    assert_eq!(
        with(fragment(1, 31_000, 8, 8, true)),
        ["1 ", "1 rest of expired"]
    );
    assert_eq!(with(fragment(1, 31_000, 8, 16, true)), ["1 ", "1 "]);
    assert_eq!(with(fragment(2, 31_000, 8, 8, true)), ["1 ", "2 "]);
}
