//! More datagrams than there are IP identifications, between the same two hosts, within
//! the time that a packet may take.

use super::sight::{Content, Sight, Stream};
use super::{Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND, SECOND};
use crate::findings::packet::A_TO_B;

/// So many that ids come again after 4.3 s.
const DATAGRAMS: u32 = 72_000;
const GAP: u64 = 65 * MICROSECOND;

fn wraps(content: Content) {
    let stream = Stream {
        bytes: 112,
        mtu: 100,
        datagrams: DATAGRAMS,
        gap: GAP,
        content,
        ..Stream::to(5001, A_TO_B)
    };
    let within = u64::from(DATAGRAMS) * GAP;
    assert!(DATAGRAMS > 1 << 16 && within < 5 * SECOND);
    let here = Sight::of(&[stream]);
    // Some of those lost have an id that comes again, some one that came before, and of a
    // few both datagrams with it are hit.
    let there = here.later(MILLISECOND).without(|packet| {
        let number = packet.datagram * 2 + packet.index;
        number % 97 == 5 || packet.datagram % (1 << 16) == 1_234 && packet.index == 1
    });
    let lost = here.missing_in(&there);
    assert!(
        lost.0
            .iter()
            .any(|packet| packet.datagram == 1_234 + (1 << 16))
    );
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("path", path, &here, &there);
    faults.must_be("duplicated", &path["duplicated"], 0);
    faults.must_be("appeared", &path["appeared"], 0);
    faults.must_be("reordered", &path["reordered"], 0);
    faults.must_be("corrupted", &path["corrupted"], 0);
    // A fragment taken for that of the next datagram with its id would have been under
    // way for seconds.
    let longest = path["delay"]["max_seconds"].as_f64();
    faults.unless(longest.is_some_and(|longest| longest < 1.0), || {
        format!("a packet took {longest:?} s")
    });
    faults.end();
}

#[test]
fn ids_that_come_again_are_other_datagrams() {
    wraps(Content::Noise);
}

#[test]
fn so_are_those_whose_bytes_are_the_same() {
    wraps(Content::Zeros);
}
