//! The same datagrams in pieces of other sizes: cut on the way, cut again, put together.

use super::sight::{Packet, Sight, Stream};
use super::truth::translated;
use super::{Faults, compare, finding};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, A_TO_B_V6};
use crate::support::count;
use serde_json::Value;

const PORT: u16 = 5001;
const HEADER: usize = 20;
const MORE: u16 = 0x2000;
const OFFSET: u16 = 0x1fff;

fn stream(mtu: usize) -> Stream {
    Stream {
        bytes: 4_000,
        datagrams: 1_000,
        gap: 2 * MILLISECOND,
        mtu,
        ..Stream::to(PORT, A_TO_B)
    }
}

/// What a router without a memory makes of a packet that is too large: pieces of it, also
/// of a piece.
pub(super) fn cut_again(packet: &Packet, mtu: usize) -> Vec<Packet> {
    let payload = &packet.ip[HEADER..];
    let step = (mtu - HEADER) & !7;
    if packet.ip.len() <= mtu {
        return vec![packet.clone()];
    }
    let place = u16::from_be_bytes([packet.ip[6], packet.ip[7]]);
    let pieces = payload.chunks(step).enumerate();
    let piece = |(index, bytes): (usize, &[u8])| {
        let is_last = (index + 1) * step >= payload.len();
        let more = if is_last { place & MORE } else { MORE };
        let offset = (place & OFFSET) + (index * step / 8) as u16;
        let cut = Packet {
            time: packet.time + index as u64 * MICROSECOND / 4,
            ip: [&packet.ip[..HEADER], bytes].concat(),
            ..packet.clone()
        };
        let length = cut.ip.len() as u16;
        cut.with_header(|header| {
            header[2..4].copy_from_slice(&length.to_be_bytes());
            header[6..8].copy_from_slice(&(more | offset).to_be_bytes());
        })
    };
    pieces.map(piece).collect()
}

fn layout_must_be(faults: &mut Faults, comparison: &Value, field: &str, datagrams: u64) {
    let layout = &comparison["path"]["layout"];
    for name in ["fragmented", "reassembled", "refragmented"] {
        let must = if name == field { datagrams } else { 0 };
        faults.must_be(name, &layout[name], must);
    }
}

fn nothing_is_lost(faults: &mut Faults, comparison: &Value, here: &Sight) {
    let path = &comparison["path"];
    faults.must_count("sent", &path["sent"], here.counted());
    for number in ["lost.packets", "lost.datagrams", "duplicated", "appeared"] {
        let is = count(path, number);
        faults.unless(is == 0, || format!("{number} is {is}"));
    }
}

/// What came incomplete to where it is put together is one thing, and what is lost behind that
/// another.
#[test]
fn what_is_lost_behind_a_router_that_puts_datagrams_together_is_told_apart() {
    let all = Sight::of(&[stream(1_500)]);
    let is_incomplete = |packet: &Packet| packet.port == PORT && packet.datagram % 10 == 3;
    let here = all.without(|packet| is_incomplete(packet) && packet.index == 1);
    let whole = here.without(is_incomplete);
    let mut number = 0;
    let there = whole.later(MILLISECOND).without(|packet| {
        number += 1;
        packet.port == PORT && number % 37 == packet.datagram as usize % 5
    });
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let lost = here.missing_in(&there).counted();
    faults.must_count("lost", &comparison["path"]["lost"], lost);
    let [together, behind] = ["C04", "C01"].map(|id| finding(&comparison, id).cloned());
    let (together, behind) = (together.unwrap_or_default(), behind.unwrap_or_default());
    let bytes = |lost: &Sight| lost.counted().bytes;
    let incomplete = bytes(&here.missing_in(&whole));
    faults.must_be("incomplete", &together["missing_bytes"], incomplete);
    faults.must_be("grave", &together["severity"], "info");
    let rest = bytes(&whole.missing_in(&there));
    faults.must_be("behind", &behind["missing_bytes"], rest);
    let seen = together["seen"].as_str().unwrap_or_default();
    let words = "nothing left of 100 datagrams that had entered with fragments missing: ";
    faults.unless(seen.contains(words), || seen.to_owned());
    faults.end();
}

#[test]
fn a_router_that_cuts_fragments_again_loses_nothing() {
    let here = Sight::of(&[stream(1500)]);
    let there = here.later(MILLISECOND);
    let there = there.flat_map(|packet| cut_again(packet, 1400));
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    nothing_is_lost(&mut faults, &comparison, &here);
    layout_must_be(&mut faults, &comparison, "refragmented", 1_000);
    let largest = &comparison["path"]["layout"]["largest_fragment_bytes"];
    faults.must_be("largest", largest, 1_396);
    faults.end();
}

/// A fragment of which one piece is lost is lost.
#[test]
fn a_piece_of_a_fragment_that_is_lost_loses_the_fragment() {
    let here = Sight::of(&[stream(1500)]);
    let arrived = here
        .later(MILLISECOND)
        .without(|packet| packet.datagram % 10 == 4 && packet.index == 1);
    let lost = here.missing_in(&arrived);
    let there = here.later(MILLISECOND).flat_map(|packet| {
        let mut pieces = cut_again(packet, 1400);
        if lost.0.iter().any(|one| one.identity() == packet.identity()) {
            assert_eq!(pieces.len(), 2);
            pieces.pop();
        }
        pieces
    });
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &arrived);
    faults.must_be("appeared", &comparison["path"]["appeared"], 0);
    // By its place as it was cut in front: each tenth datagram lost its second fragment.
    for (place, lost) in [("first", 0), ("middle", 100), ("last", 0)] {
        let of = &comparison["path"]["loss"][place];
        faults.must_be(place, &of["lost"], lost);
        faults.unless(count(of, "sent") >= 1_000, || format!("{place}: {of} sent"));
    }
    faults.end();
}

/// As a router does that first puts together: other sizes, and the last not the rest.
#[test]
fn datagrams_cut_to_other_sizes_are_the_same() {
    let here = Sight::of(&[stream(1500)]);
    let there = Sight::of(&[stream(1280)]).later(MILLISECOND);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    nothing_is_lost(&mut faults, &comparison, &here);
    layout_must_be(&mut faults, &comparison, "refragmented", 1_000);
    faults.end();
}

#[test]
fn datagrams_put_together_on_the_way_are_the_same() {
    let here = Sight::of(&[stream(1500)]);
    let there = Sight::of(&[stream(9000)]).later(MILLISECOND);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    nothing_is_lost(&mut faults, &comparison, &here);
    layout_must_be(&mut faults, &comparison, "reassembled", 1_000);
    faults.end();
}

#[test]
fn datagrams_cut_on_the_way_are_the_same() {
    let here = Sight::of(&[stream(9000)]);
    let there = Sight::of(&[stream(1500)]).later(MILLISECOND);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    nothing_is_lost(&mut faults, &comparison, &here);
    layout_must_be(&mut faults, &comparison, "fragmented", 1_000);
    let largest = &comparison["path"]["layout"]["largest_fragment_bytes"];
    faults.must_be("largest", largest, 1_500);
    faults.end();
}

/// One piece that is lost behind the router that cut is one datagram that is lost.
#[test]
fn a_datagram_cut_on_the_way_is_lost_with_any_of_its_pieces() {
    let here = Sight::of(&[stream(9000)]);
    let there = Sight::of(&[stream(1500)])
        .later(MILLISECOND)
        .without(|packet| packet.datagram % 25 == 24 && packet.index == 2);
    let arrived = here.without(|packet| packet.datagram % 25 == 24);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &arrived);
    faults.end();
}

/// A point that sees datagrams whole between two that see them in equal fragments has
/// missed nothing.
#[test]
fn who_sees_datagrams_whole_has_not_missed_their_fragments() {
    let here = Sight::of(&[stream(1500)]);
    let middle = Sight::of(&[stream(9000)]).later(MILLISECOND);
    let there = here.later(2 * MILLISECOND);
    let comparison = compare(&[&here, &middle, &there]);
    let mut faults = Faults::new();
    nothing_is_lost(&mut faults, &comparison, &here);
    faults.must_be("missed by B", &comparison["points"][1]["missed"], 0);
    for segment in [0, 1] {
        let of = &comparison["segments"][segment];
        faults.must_be("lost", &of["lost"]["packets"], 0);
        faults.must_be("appeared", &of["appeared"], 0);
    }
    faults.end();
}

/// Behind NAT no address tells that they are, and of IPv6 no identification.
#[test]
fn so_they_are_behind_nat_and_of_ipv6() {
    let is_lost = |packet: &Packet| packet.datagram % 50 == 17 && packet.index == 0;
    for (name, path) in [("NAT", A_TO_B), ("IPv6", A_TO_B_V6)] {
        let of = |mtu: usize| Stream {
            path,
            ..stream(mtu)
        };
        for (mtus, field) in [
            ([1_500, 9_000], "reassembled"),
            ([9_000, 1_500], "fragmented"),
        ] {
            let here = Sight::of(&[of(mtus[0])]);
            let passed = here.without(is_lost);
            let there = Sight::of(&[of(mtus[1])]).later(MILLISECOND);
            let there = there.without(|packet| packet.datagram % 50 == 17);
            let there = match name {
                "NAT" => there.map(translated),
                _ => there,
            };
            let comparison = compare(&[&here, &there]);
            let mut faults = Faults::new();
            let lost = match mtus[0] {
                // All of them, as those that did not come to be put together.
                1_500 => here.missing_in(&here.without(|packet| packet.datagram % 50 == 17)),
                _ => here.missing_in(&passed),
            };
            let what = format!("{name}, {field}");
            faults.must_count(&what, &comparison["path"]["lost"], lost.counted());
            faults.must_be(&what, &comparison["path"]["appeared"], 0);
            layout_must_be(&mut faults, &comparison, field, 980);
            faults.end();
        }
    }
}
