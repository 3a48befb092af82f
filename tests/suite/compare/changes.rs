//! What is changed on purpose on the way: hop limits, classes of service, marks of
//! congestion, checksums, addresses and ports.

use super::sight::{BEATS, Packet, Sight, Stream};
use super::{Faults, compare, finding, flow_to, is_untouched};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::{A_TO_B, Sum, UDP, cut, noise, udp, v4};
use serde_json::{Value, json};

const PORT: u16 = 5001;

fn streams() -> [Stream; 2] {
    [
        Stream::to(PORT, A_TO_B),
        Stream {
            datagrams: 500,
            gap: 4 * MILLISECOND,
            ..Stream::fragmented(5002, A_TO_B)
        },
    ]
}

fn changed(change: impl FnMut(Packet) -> Packet) -> (Faults, Value, u64) {
    let here = Sight::of(&streams());
    let there = here.later(MILLISECOND).map(change);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    is_untouched(&mut faults, &comparison);
    let changes = comparison["path"]["changes"].clone();
    (faults, changes, here.0.len() as u64)
}

#[test]
fn routers_on_the_way_are_counted() {
    let (mut faults, changes, all) = changed(|packet| packet.routed().routed());
    faults.must_be("hop limits", &changes["hop_limit"], all);
    faults.must_be("changed by", &changes["hop_limit_by"], -2);
    faults.must_be("dscp", &changes["dscp"], 0);
    faults.end();
}

#[test]
fn a_class_of_service_that_was_taken_away_is_told() {
    const EXPEDITED: u8 = 46;
    let here = Sight::of(&streams());
    let marked = here.map(|packet| match packet.port {
        PORT => packet.with_header(|header| header[1] = EXPEDITED << 2),
        _ => packet,
    });
    let there = here.later(MILLISECOND);
    let comparison = compare(&[&marked, &there]);
    let changes = &comparison["path"]["changes"];
    let mut faults = Faults::new();
    is_untouched(&mut faults, &comparison);
    faults.must_be("dscp", &changes["dscp"], 2_000);
    faults.must_be("from and to", &changes["dscp_from_to"], json!([46, 0]));
    faults.must_be("marked", &changes["congestion_marked"], 0);
    faults.must_be("hop limits", &changes["hop_limit"], 0);
    faults.end();
}

/// A policy that marks each flow for what it is, and a router that some go by.
#[test]
fn each_change_of_class_and_ttl_is_told_with_how_many_have_it() {
    let here = Sight::of(&streams());
    let of = |port: u16| here.0.iter().filter(|packet| packet.port == port).count();
    let (of_one, of_other) = (of(PORT), of(5002));
    let change = |packet: Packet| match packet.port {
        PORT => packet.with_header(|header| (header[1], header[8]) = (8 << 2, header[8] - 14)),
        5002 => packet.with_header(|header| (header[1], header[8]) = (46 << 2, header[8] - 1)),
        _ => packet,
    };
    let (mut faults, changes, _) = changed(change);
    let mut dscps = [
        json!({"from": 0, "to": 8, "packets": of_one}),
        json!({"from": 0, "to": 46, "packets": of_other}),
    ];
    let mut hop_limits = [
        json!({"by": -14, "packets": of_one}),
        json!({"by": -1, "packets": of_other}),
    ];
    if of_other > of_one {
        dscps.reverse();
        hop_limits.reverse();
    }
    faults.must_be("dscps", &changes["dscps"], dscps.to_vec());
    faults.must_be("hop limits", &changes["hop_limits"], hop_limits.to_vec());
    faults.end();
}

/// A bit of the header is flipped: whoever reads it next drops the packet.
#[test]
fn headers_that_are_damaged_on_the_way_are_told() {
    let here = Sight::of(&streams());
    let is_damaged = |packet: &Packet| packet.port != BEATS && packet.datagram % 50 == 9;
    let there = here.later(MILLISECOND).map(|mut packet| {
        if is_damaged(&packet) {
            packet.ip[1] ^= 0x10;
        }
        packet
    });
    let damaged = here.0.iter().filter(|packet| is_damaged(packet));
    let damaged = Sight(damaged.cloned().collect()).counted();
    let comparison = compare(&[&here, &there]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("lost", &path["lost"]["packets"], 0);
    let spoiled = &path["spoiled_datagrams"];
    faults.must_be("spoiled", spoiled, damaged.datagrams);
    let told = finding(&comparison, "C06").map(|found| found["seen"].to_string());
    let what = format!("{} packets were right and are wrong", damaged.packets);
    faults.unless(told.is_some_and(|told| told.contains(&what)), || what);
    faults.end();
}

#[test]
fn congestion_on_the_way_is_told() {
    const CAPABLE: u8 = 2;
    const EXPERIENCED: u8 = 3;
    let here = Sight::of(&streams());
    let here = here.map(|packet| packet.with_header(|header| header[1] = CAPABLE));
    let there = here.later(MILLISECOND).map(|packet| {
        let is_marked = packet.port == PORT && packet.datagram % 20 == 1;
        let mark = |header: &mut [u8]| header[1] = EXPERIENCED;
        if is_marked {
            packet.with_header(mark)
        } else {
            packet
        }
    });
    let comparison = compare(&[&here, &there]);
    let changes = &comparison["path"]["changes"];
    let mut faults = Faults::new();
    is_untouched(&mut faults, &comparison);
    faults.must_be("marked", &changes["congestion_marked"], 100);
    faults.must_be("dscp", &changes["dscp"], 0);
    faults.end();
}

/// The same datagram with another sum, another way or another port.
pub fn rewritten(
    packet: Packet,
    path: crate::findings::packet::Path,
    port: u16,
    sum: Sum,
) -> Packet {
    let data = noise(
        100,
        u64::from(packet.port) << 32 | u64::from(packet.datagram),
    );
    let datagram = udp(path, port, &data, sum);
    let id = (packet.datagram + 1) & 0xffff;
    let ip = cut(path, UDP, id, &datagram, 1500).remove(0);
    Packet { ip, ..packet }
}

/// What the sender's NIC has to finish is not finished where the sender captures.
#[test]
fn checksums_that_a_nic_finishes_are_no_damage() {
    let there = Sight::of(&[Stream::to(PORT, A_TO_B)]);
    let here = there.map(|packet| match packet.port {
        PORT => rewritten(packet, A_TO_B, PORT, Sum::PseudoHeader),
        _ => packet,
    });
    let comparison = compare(&[&here, &there.later(MILLISECOND)]);
    let mut faults = Faults::new();
    is_untouched(&mut faults, &comparison);
    let must = json!([{"from": "offloaded", "to": "good", "packets": 2_000}]);
    let checksums = &comparison["path"]["changes"]["checksums"];
    faults.must_be("checksums", checksums, must);
    faults.end();
}

/// A box that breaks checksums.
#[test]
fn checksums_that_become_wrong_are_told() {
    let here = Sight::of(&[Stream::to(PORT, A_TO_B)]);
    let there = here.later(MILLISECOND).map(|packet| match packet.port {
        PORT => rewritten(packet, A_TO_B, PORT, Sum::Wrong),
        _ => packet,
    });
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    let must = json!([{"from": "good", "to": "bad", "packets": 2_000}]);
    let checksums = &comparison["path"]["changes"]["checksums"];
    faults.must_be("checksums", checksums, must);
    faults.end();
}

/// The destination behind a load balancer is another, port and all.
#[test]
fn translated_addresses_are_found_again() {
    let behind = v4([10, 0, 0, 1], [192, 168, 7, 9]);
    let here = Sight::of(&[Stream::to(PORT, A_TO_B)]);
    let there = here.later(MILLISECOND).map(|packet| match packet.port {
        PORT => rewritten(packet, behind, 8_080, Sum::Right).routed(),
        _ => packet.routed(),
    });
    let there = there.without(|packet| packet.datagram % 100 == 42);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    faults.must_be("appeared", &comparison["path"]["appeared"], 0);
    let changes = &comparison["path"]["changes"];
    faults.must_be("flows translated", &changes["nat_flows"], 1);
    let mapping = &changes["nat"][0];
    faults.must_be("kind", &mapping["kind"], "destination");
    for (side, address, port) in [("from", "10.0.0.2", PORT), ("to", "192.168.7.9", 8_080)] {
        faults.must_be(side, &mapping[side]["dst"], address);
        faults.must_be(side, &mapping[side]["dst_port"], port);
        faults.must_be(side, &mapping[side]["src"], "10.0.0.1");
    }
    let flow = flow_to(&comparison, PORT);
    faults.must_be("seen as", &flow["seen_as"][1]["key"]["dst_port"], 8_080);
    faults.end();
}
