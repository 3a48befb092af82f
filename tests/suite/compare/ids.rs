//! Identifications: 0 is one of them, unless it stands for none, and some come twice.

use super::sight::{Chance, Ids, Packet, Sight, Stream};
use super::{Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::A_TO_B;

/// Datagrams whose identifications pass 0, and may be fragmented.
fn stream(mtu: usize) -> Stream {
    Stream {
        bytes: 4_000,
        mtu,
        datagrams: 100,
        gap: 20 * MILLISECOND,
        ids: Ids::From(65_500),
        ..Stream::to(5001, A_TO_B)
    }
}

/// A copy is known by its id, and 0 is one.
#[test]
fn a_datagram_with_id_0_has_copies() {
    for mtu in [1_500, 9_000] {
        let once = Sight::of(&[stream(mtu)]);
        let twice = once.and(&once.later(50 * MICROSECOND));
        let comparison = compare(&[&twice, &twice.later(MILLISECOND)]);
        let path = &comparison["path"];
        let mut faults = Faults::new();
        faults.must_count("sent", &path["sent"], once.counted());
        faults.must_be("duplicated", &path["duplicated"], 0);
        faults.end();
    }
}

#[test]
fn a_datagram_with_id_0_is_cut_on_the_way() {
    let whole = Sight::of(&[stream(9_000)]);
    let cut = Sight::of(&[stream(1_500)]);
    let mut faults = Faults::new();
    for (here, there, field) in [(&whole, &cut, "fragmented"), (&cut, &whole, "reassembled")] {
        let comparison = compare(&[here, &there.later(MILLISECOND)]);
        let path = &comparison["path"];
        faults.must_be("lost", &path["lost"]["packets"], 0);
        faults.must_be("appeared", &path["appeared"], 0);
        faults.must_be(field, &path["layout"][field], 100);
    }
    faults.end();
}

/// Packets that are not fragmented have ids of another count: sooner or later one of them
/// has that of fragments beside it.
#[test]
fn whole_datagrams_beside_fragments_may_have_their_ids() {
    let small = Stream {
        bytes: 100,
        port: 5002,
        begin: stream(1_500).begin + 100 * MICROSECOND,
        ..stream(1_500)
    };
    let mut faults = Faults::new();
    let [cut, whole] = [1_500, 9_000].map(|mtu| Sight::of(&[stream(mtu), small]));
    for (here, there) in [(&cut, &cut), (&cut, &whole), (&whole, &cut)] {
        let comparison = compare(&[here, &there.later(MILLISECOND)]);
        let path = &comparison["path"];
        faults.must_count("sent", &path["sent"], here.counted());
        faults.must_be("lost", &path["lost"]["packets"], 0);
        faults.must_be("appeared", &path["appeared"], 0);
        faults.must_be("corrupted", &path["corrupted"], 0);
    }
    faults.end();
}

/// Identifications by chance come again soon, and a way that always takes as long makes what
/// is behind as late as what is in front: what is lost there is not what comes later by its
/// name.
#[test]
fn a_random_id_that_comes_again_is_not_the_packet_that_was_lost() {
    let mut chance = Chance::new(1_124);
    let here = Sight::of(&[Stream {
        datagrams: 20_000,
        gap: 100 * MICROSECOND,
        ..Stream::to(5001, A_TO_B)
    }]);
    let here = here.map(|packet| {
        let id = chance.below(1 << 12) as u16;
        packet.with_header(|header| header[4..6].copy_from_slice(&id.to_be_bytes()))
    });
    let there = here
        .later(50 * MICROSECOND)
        .without(|packet| packet.datagram % 5 == 2);
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("lost", &path["lost"]["packets"], 4_000);
    for number in ["corrupted", "reordered", "appeared", "outside"] {
        faults.must_be(number, &path[number], 0);
    }
    faults.end();
}

/// Gives each datagram another identification, as `scrub random-id` of pf does; fragments of
/// one have the same.
fn with_new_ids(sight: &Sight) -> Sight {
    sight.map(|packet| {
        let number = u32::from(packet.port) * 7_919 + packet.datagram * 40_503;
        let id = (number ^ 0x5a5a) as u16 | 1;
        packet.with_header(|header| header[4..6].copy_from_slice(&id.to_be_bytes()))
    })
}

#[test]
fn identifications_that_are_written_anew_hide_nothing() {
    let streams = [
        Stream::to(5001, A_TO_B),
        Stream {
            datagrams: 300,
            gap: 5 * MILLISECOND,
            ..Stream::fragmented(5002, A_TO_B)
        },
    ];
    let here = Sight::of(&streams);
    let there = here.later(MILLISECOND).map(Packet::routed);
    let there = there.without(|packet| packet.datagram % 20 == 3 && packet.index == 0);
    let there = with_new_ids(&there);
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    faults.must_have_lost("in all", path, &here, &there);
    faults.must_be("appeared", &path["appeared"], 0);
    faults.must_be("corrupted", &path["corrupted"], 0);
    let took = path["delay"]["median_seconds"].as_f64().unwrap_or(0.0);
    faults.unless(took < 0.001_1, || format!("half took {took} s"));
    faults.end();
}
