//! IPv6: fragments have a header of their own, and packets have no id.

use super::sight::{Chance, Packet, Sight, Stream};
use super::{Faults, compare, is_untouched};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::A_TO_B_V6;

const HOP_LIMIT: usize = 7;

fn streams() -> [Stream; 2] {
    [
        Stream::to(5001, A_TO_B_V6),
        Stream {
            datagrams: 1_000,
            gap: 2 * MILLISECOND,
            ..Stream::fragmented(5002, A_TO_B_V6)
        },
    ]
}

/// As a router leaves it.
fn routed(mut packet: Packet) -> Packet {
    packet.ip[HOP_LIMIT] -= 1;
    packet
}

#[test]
fn fragments_and_packets_of_ipv6_are_lost() {
    let mut chance = Chance::new(66);
    let here = Sight::of(&streams());
    let there = here
        .later(MILLISECOND)
        .map(routed)
        .without(|_| chance.per_mille(30));
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_have_lost("path", path, &here, &there);
    faults.must_be("pattern", &path["loss"]["pattern"], "random");
    faults.must_be("appeared", &path["appeared"], 0);
    faults.must_be("changed by", &path["changes"]["hop_limit_by"], -1);
    let passed = there.0.len();
    faults.must_be("hop limits", &path["changes"]["hop_limit"], passed);
    faults.end();
}

#[test]
fn nothing_of_ipv6_is_lost() {
    let here = Sight::of(&streams());
    let comparison = compare(&[&here, &here.later(MILLISECOND)]);
    let mut faults = Faults::new();
    is_untouched(&mut faults, &comparison);
    let sent = &comparison["path"]["sent"];
    faults.must_count("sent", sent, here.counted());
    faults.end();
}
