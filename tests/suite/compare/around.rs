//! Traffic that is in a tunnel at one point and not at another.

use super::sight::{Packet, Sight, Stream};
use super::{Captures, Faults, compare, finding};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, NODES, Sum, UDP, cut, in_vxlan, udp};
use crate::support::count;
use serde_json::Value;

fn streams() -> [Stream; 2] {
    [
        Stream {
            bytes: 1_400,
            ..Stream::to(5001, A_TO_B)
        },
        Stream {
            datagrams: 500,
            gap: 4 * MILLISECOND,
            mtu: 1450,
            ..Stream::fragmented(5002, A_TO_B)
        },
    ]
}

/// What a node makes of what its pods send: the packets of a VXLAN tunnel, cut to the MTU
/// of the wire.
struct Node {
    mtu: usize,
    last_id: u32,
}

impl Node {
    fn wrap(&mut self, packet: &Packet) -> Vec<Packet> {
        self.last_id += 1;
        let datagram = udp(NODES, 4789, &in_vxlan(&packet.ip), Sum::Zero);
        let pieces = cut(NODES, UDP, self.last_id & 0xffff, &datagram, self.mtu);
        let timed = pieces.into_iter().enumerate().map(|(index, ip)| Packet {
            time: packet.time + index as u64 * MICROSECOND / 4,
            ip,
            ..packet.clone()
        });
        timed.collect()
    }
}

/// MF is set, or an offset.
fn is_fragment(ip: &[u8]) -> bool {
    u16::from_be_bytes([ip[6], ip[7]]) & 0x3fff != 0
}

pub fn in_tunnel(sight: &Sight, mtu: usize) -> Sight {
    let mut node = Node { mtu, last_id: 0 };
    sight.flat_map(|packet| node.wrap(packet))
}

#[test]
fn packets_are_found_again_in_a_tunnel() {
    let here = Sight::of(&streams());
    let arrived = here
        .later(MILLISECOND)
        .without(|packet| packet.datagram % 50 == 13 && packet.index == 0);
    let there = in_tunnel(&arrived, 1_600);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let path = &comparison["path"];
    faults.must_have_lost("path", path, &here, &arrived);
    let added = arrived.0.len() as u64;
    faults.must_be("in a tunnel", &path["changes"]["tunnel_added"], added);
    faults.must_be("out of one", &path["changes"]["tunnel_removed"], 0);
    let [outside, inside] = [0, 1].map(|point| &comparison["points"][point]["tunnels"][0]);
    faults.must_be("tunnel at A", &outside["kind"], serde_json::Value::Null);
    faults.must_be("tunnel at B", &inside["kind"], "vxlan");
    faults.must_be("VNI at B", &inside["id"], 42);
    faults.end();
}

#[test]
fn packets_are_found_again_behind_a_tunnel() {
    let all = Sight::of(&streams());
    let there = all.later(MILLISECOND);
    let comparison = compare(&[&in_tunnel(&all, 1_600), &there]);
    let mut faults = Faults::new();
    let path = &comparison["path"];
    faults.must_have_lost("path", path, &all, &there);
    let removed = all.0.len() as u64;
    faults.must_be("out of one", &path["changes"]["tunnel_removed"], removed);
    faults.end();
}

/// On the wire the tunnel is cut: what is inside is there when all of it is.
#[test]
fn packets_are_found_again_in_a_tunnel_in_fragments() {
    let here = Sight::of(&streams());
    let there = in_tunnel(&here.later(MILLISECOND), 1_400);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let path = &comparison["path"];
    faults.must_have_lost("path", path, &here, &here);
    let added = here.0.len() as u64;
    faults.must_be("in a tunnel", &path["changes"]["tunnel_added"], added);
    faults.must_be("matched", &comparison["points"][0]["matched"], added);
    faults.end();
}

/// Between two points on the wire the tunnel's own fragments are lost: with one of them
/// everything inside, and the carriers say how many.
#[test]
fn fragments_of_a_tunnel_that_are_lost_are_told_of_it() {
    let inner = Sight::of(&streams());
    let here = in_tunnel(&inner, 1_400);
    let mut number = 0;
    let mut lost_inside = Vec::new();
    let there = here.later(MILLISECOND).without(|packet| {
        number += 1;
        let is_lost = packet.ip.len() < 1_000 && number % 40 == 0;
        if is_lost {
            lost_inside.push(packet.identity());
        }
        is_lost
    });
    // What fits is whole outside, and no matter of fragments.
    let fragments = |sight: &Sight| {
        let outer = sight.0.iter().filter(|packet| is_fragment(&packet.ip));
        outer.count() as u64
    };
    let lost_outside = fragments(&here) - fragments(&there);
    assert!(lost_outside > 20);
    let arrived = inner.without(|packet| lost_inside.contains(&packet.identity()));
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_have_lost("inside", &comparison["path"], &inner, &arrived);
    let carriers = comparison["carriers"].as_array().unwrap().iter();
    let lost: u64 = carriers
        .map(|carrier| count(carrier, "path.lost.fragments"))
        .sum();
    faults.unless(lost == lost_outside, || {
        format!("{lost} outer fragments lost, not {lost_outside}")
    });
    let told = finding(&comparison, "C16").unwrap_or(&Value::Null);
    faults.must_be("point", &told["point"], 0);
    let seen = told["seen"].as_str().unwrap_or_default();
    let words = format!(" {lost_outside} are lost (");
    faults.unless(seen.contains(&words), || seen.to_owned());
    faults.end();
}

/// What matches inside does not outside.
#[test]
fn a_filter_that_sees_no_more_than_the_tunnel_is_told() {
    let inner = Sight::of(&streams());
    let outside = in_tunnel(&inner, 1_600).later(MILLISECOND);
    let behind = inner.later(2 * MILLISECOND);
    let captures = Captures::of(&[&inner, &outside, &behind]);
    let told = |words: &[&str]| captures.compared(words)["problems"].to_string();
    let words = "has no packets that match the filter (of tunnels it sees the outer packets";
    let host = format!("host {}", A_TO_B.to);
    let (with, without) = (told(&["--filter", &host]), told(&[]));
    assert!(with.contains(words), "{with}");
    assert!(!without.contains(words), "{without}");
}

/// A gateway that puts everything in the tunnel of another tenant.
#[test]
fn a_tunnel_with_another_number_is_another_tunnel() {
    const VNI: usize = 20 + 8 + 6;
    let inner = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let here = in_tunnel(&inner, 1_600);
    let there = here.later(MILLISECOND).map(|mut packet| {
        packet.ip[VNI] = 43;
        packet
    });
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let path = &comparison["path"];
    faults.must_have_lost("path", path, &inner, &inner);
    let all = inner.0.len() as u64;
    faults.must_be("changed", &path["changes"]["tunnel_changed"], all);
    faults.must_be("added", &path["changes"]["tunnel_added"], 0);
    faults.end();
}
