//! Captures of a host that passes packets on by the interface at which they came in: each is in
//! the file twice, and is one all the same.

use super::around::in_tunnel;
use super::interfaces::{
    Passed, changed, is_one_point_that_cuts_anew, knows_copies, streams, translated,
};
use super::sight::{BEGIN, Packet, Sight, Stream};
use crate::findings::capture::{MICROSECOND, SECOND};
use crate::findings::packet::{A_TO_B, v4};

const PORT: u16 = 5001;

/// A capture at its only interface.
fn both(inward: &Sight, outward: &Sight) -> Vec<u8> {
    inward.and(outward).pcap()
}

/// What goes through is told as such; gives the comparison.
fn told(passed: &Passed) -> serde_json::Value {
    passed.is_told(&both(&passed.arrived, &passed.left))
}

#[test]
fn a_router_on_a_stick_is_one_point() {
    told(&Passed::new(&streams(), Clone::clone));
}

/// Plain on the way in, in VXLAN on the way out.
#[test]
fn a_gateway_between_tunnels_is_one_point() {
    let small = streams().map(|stream| Stream {
        mtu: 1_400,
        ..stream
    });
    let passed = Passed::new(&small, |sight| in_tunnel(sight, 1_500));
    let added = changed(&told(&passed), "tunnel_added");
    assert_eq!(added, [0, passed.there.0.len() as u64]);
}

/// With and without identifications, as a service on a port of a node is translated.
fn through_a_service(streams: &[Stream]) -> Passed {
    let behind = v4([192, 168, 7, 1], [192, 168, 7, 9]);
    Passed::new(streams, |sight| {
        sight.map(|packet| match packet.port {
            PORT => translated(packet, behind, 8_080),
            _ if packet.port == PORT + 1 => translated(packet, behind, 8_081),
            _ => packet,
        })
    })
}

#[test]
fn a_node_whose_port_stands_for_a_service_is_one_point() {
    let comparison = told(&through_a_service(&streams()[..2]));
    assert_eq!(changed(&comparison, "nat_flows"), [0, 2]);
}

/// All else that the node sees comes long before: nothing of it goes back, as of what is to the
/// node itself.
#[test]
fn so_it_is_where_that_begins_late() {
    let before = Stream {
        datagrams: 20_000,
        begin: BEGIN - 5 * SECOND,
        gap: 200 * MICROSECOND,
        ..Stream::to(PORT + 7, A_TO_B)
    };
    let all = [before, streams()[0], streams()[1]];
    let through = through_a_service(&all);
    let goes_back = |packet: &&Packet| [PORT, PORT + 1].contains(&packet.port);
    let left = through.left.0.iter().filter(goes_back);
    let left = Sight(left.cloned().collect());
    let comparison = told(&Passed { left, ..through });
    assert_eq!(changed(&comparison, "nat_flows"), [0, 2]);
}

#[test]
fn a_router_on_a_stick_may_cut_anew() {
    is_one_point_that_cuts_anew(both);
}

/// What the network copies comes with the TTL of the first.
#[test]
fn copies_are_told_from_what_is_passed_on() {
    knows_copies(both);
}
