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

/// Options for the destination, which are cut with the datagram: the first fragment alone has them, and
/// all say that they come first.
fn with_options(mut packet: Packet) -> Packet {
    const OPTIONS: [u8; 8] = [17, 0, 1, 4, 0, 0, 0, 0];
    if !packet.is_fragment() {
        return packet;
    }
    let longer = |field: &mut [u8]| {
        let value = u16::from_be_bytes([field[0], field[1]]) + OPTIONS.len() as u16;
        field.copy_from_slice(&value.to_be_bytes());
    };
    packet.ip[40] = 60;
    match packet.index {
        0 => {
            longer(&mut packet.ip[4..6]);
            packet.ip.splice(48..48, OPTIONS);
        }
        _ => longer(&mut packet.ip[42..44]),
    }
    packet
}

#[test]
fn options_that_are_cut_too_are_of_their_datagram() {
    let here = Sight::of(&streams()).map(with_options);
    let there = here.later(MILLISECOND).map(routed);
    let there = there.without(|packet| packet.datagram % 20 == 3 && packet.index == 2);
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_count("sent", &path["sent"], here.counted());
    faults.must_have_lost("path", path, &here, &there);
    faults.must_be("appeared", &path["appeared"], 0);
    let whole = &path["in_fragments"]["whole"];
    faults.must_be("whole", &whole["all"], 950);
    faults.must_be("in part", &whole["some"], 50);
    faults.end();
}
