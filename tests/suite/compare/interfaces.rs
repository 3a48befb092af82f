//! Captures on all interfaces of a router or a node: what passes is one packet, however many of
//! them show it.

use super::around::in_tunnel;
use super::changes::rewritten;
use super::recut::cut_again;
use super::sight::{Chance, Content, Ids, Packet, Sight, Stream};
use super::{Captures, Faults};
use crate::findings::capture::{Capture, MICROSECOND, pcapng_of};
use crate::findings::packet::{A_TO_B, Path, Sum, UDP, Way, cooked_at, cut, udp, v4, whole};
use crate::support::count;
use serde_json::Value;

const PORT: u16 = 5001;
/// Linux "cooked" capture, version 2.
const COOKED: u32 = 276;
/// How long a host takes to pass a packet on.
const INSIDE: u64 = 4 * MICROSECOND;

/// With and without identifications, in fragments, and all alike.
pub fn streams() -> [Stream; 4] {
    [
        Stream::to(PORT, A_TO_B),
        Stream {
            ids: Ids::None,
            ..Stream::to(PORT + 1, A_TO_B)
        },
        Stream {
            datagrams: 400,
            gap: 5_000 * MICROSECOND,
            ..Stream::fragmented(PORT + 2, A_TO_B)
        },
        Stream {
            ids: Ids::None,
            content: Content::Zeros,
            ..Stream::to(PORT + 3, A_TO_B)
        },
    ]
}

/// A capture of `-i any`: what comes in at one interface, and what goes out at another.
fn any(inward: &Sight, outward: &Sight) -> Vec<u8> {
    let of = |sight: &Sight, interface: u32, way: Way| -> Vec<(u64, Vec<u8>)> {
        let packets = sight.0.iter();
        let frame = |packet: &Packet| (packet.time, cooked_at(interface, way, &packet.ip));
        packets.map(frame).collect()
    };
    let mut frames = [of(inward, 2, Way::In), of(outward, 3, Way::Out)].concat();
    frames.sort_by_key(|(time, _)| *time);
    let empty = Capture::of_link(COOKED);
    let all = frames.into_iter();
    let capture = all.fold(empty, |capture, (time, frame)| {
        capture.at(time).frame(frame)
    });
    capture.pcap()
}

/// What of a path passed a host in its middle that drops some of it.
pub struct Passed {
    pub sent: Sight,
    pub arrived: Sight,
    pub left: Sight,
    pub there: Sight,
}

impl Passed {
    /// As it leaves in some other form, or under another name.
    pub fn new(streams: &[Stream], leaves: impl Fn(&Sight) -> Sight) -> Self {
        let sent = Sight::of(streams);
        let arrived = sent.later(20 * MICROSECOND);
        let mut chance = Chance::new(11);
        let kept = arrived.later(INSIDE).without(|_| chance.per_mille(30));
        let left = leaves(&kept.map(Packet::routed));
        let there = left.later(20 * MICROSECOND);
        Self {
            sent,
            arrived,
            left,
            there,
        }
    }

    /// What is said of it: nothing is lost in front of the host or copied, and behind it what it
    /// dropped.
    pub fn is_told(&self, host: &[u8]) -> Value {
        let mut captures = Captures::new();
        captures.add(&self.sent.pcap());
        captures.add(host);
        captures.add(&self.there.pcap());
        let comparison = captures.compared(&[]);
        let mut faults = Faults::new();
        let [front, back] = [0, 1].map(|hop| &comparison["segments"][hop]);
        faults.must_have_lost("in front", front, &self.sent, &self.arrived);
        faults.must_have_lost("behind", back, &self.arrived, &self.there);
        for segment in [front, back] {
            for number in ["appeared", "duplicated", "duplicates_removed", "corrupted"] {
                faults.must_be(number, &segment[number], 0);
            }
            faults.must_be("elsewhere", &segment["one_sided"], serde_json::json!([]));
        }
        let again = self.left.0.len();
        faults.must_be("again", &comparison["points"][1]["seen_again"], again);
        faults.end();
        comparison
    }
}

/// How much was changed in front of the host, and behind it.
pub fn changed(comparison: &Value, what: &str) -> [u64; 2] {
    [0, 1].map(|hop| count(&comparison["segments"][hop]["changes"], what))
}

#[test]
fn a_router_is_one_point() {
    let passed = Passed::new(&streams(), Clone::clone);
    passed.is_told(&any(&passed.arrived, &passed.left));
}

#[test]
fn so_it_is_where_pcapng_names_its_interfaces() {
    let passed = Passed::new(&streams(), Clone::clone);
    let sides = [&passed.arrived, &passed.left].map(Sight::capture);
    passed.is_told(&pcapng_of(&[&sides[0], &sides[1]]));
}

/// Plain on the veth of a pod, in VXLAN on the wire.
#[test]
fn a_node_that_has_a_tunnel_is_one_point() {
    let small = streams().map(|stream| Stream {
        mtu: 1_400,
        ..stream
    });
    let passed = Passed::new(&small, |sight| in_tunnel(sight, 1_500));
    let comparison = passed.is_told(&any(&passed.arrived, &passed.left));
    let added = changed(&comparison, "tunnel_added");
    assert_eq!(added, [0, passed.there.0.len() as u64]);
}

/// What is behind a service has its own address there.
#[test]
fn a_node_that_translates_is_one_point() {
    let behind = v4([10, 0, 0, 1], [192, 168, 7, 9]);
    let passed = Passed::new(&[Stream::to(PORT, A_TO_B)], |sight| {
        sight.map(|packet| match packet.port {
            PORT => rewritten(packet, behind, 8_080, Sum::Right).routed(),
            _ => packet,
        })
    });
    let comparison = passed.is_told(&any(&passed.arrived, &passed.left));
    assert_eq!(changed(&comparison, "nat_flows"), [0, 1]);
}

/// The same with other addresses and ports.
pub fn translated(packet: Packet, path: Path, port: u16) -> Packet {
    let datagram = udp(path, port, &packet.ip[28..], Sum::Right);
    let ip = match u16::from_be_bytes([packet.ip[4], packet.ip[5]]) {
        0 => whole(path, UDP, &datagram),
        id => cut(path, UDP, id.into(), &datagram, 1_500).remove(0),
    };
    Packet { ip, ..packet }.routed()
}

/// As a service on a port of the node does it: nothing of a flow's name is left.
#[test]
fn a_node_that_translates_both_ends_is_one_point() {
    let behind = v4([192, 168, 7, 1], [192, 168, 7, 9]);
    let passed = Passed::new(&streams()[..2], |sight| {
        sight.map(|packet| match packet.port {
            PORT => translated(packet, behind, 8_080),
            _ if packet.port == PORT + 1 => translated(packet, behind, 8_081),
            _ => packet,
        })
    });
    let comparison = passed.is_told(&any(&passed.arrived, &passed.left));
    assert_eq!(changed(&comparison, "nat_flows"), [0, 2]);
}

/// Without identifications, all that is left of a packet are its bytes.
#[test]
fn so_it_is_where_one_end_is_translated_and_nothing_is_numbered() {
    let behind = v4([10, 0, 0, 1], [192, 168, 7, 9]);
    let passed = Passed::new(&streams()[1..2], |sight| {
        sight.map(|packet| match packet.port == PORT + 1 {
            true => translated(packet, behind, 8_080),
            false => packet,
        })
    });
    let comparison = passed.is_told(&any(&passed.arrived, &passed.left));
    assert_eq!(changed(&comparison, "nat_flows"), [0, 1]);
}

/// How a host is captured: from what it sees of packets before it passes them on, and of the same
/// after that.
type Captured = fn(&Sight, &Sight) -> Vec<u8>;

/// What goes out in smaller pieces is not new.
pub fn is_one_point_that_cuts_anew(host: Captured) {
    let sent = Sight::of(&streams()[..3]);
    let arrived = sent.later(20 * MICROSECOND);
    let left = arrived.later(INSIDE).map(Packet::routed);
    let left = left.flat_map(|packet| cut_again(packet, 1_400));
    let mut captures = Captures::new();
    captures.add(&sent.pcap());
    captures.add(&host(&arrived, &left));
    captures.add(&left.later(20 * MICROSECOND).pcap());
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    for hop in [0, 1] {
        let segment = &comparison["segments"][hop];
        faults.must_be("lost", &segment["lost"]["packets"], 0);
        faults.must_be("appeared", &segment["appeared"], 0);
        faults.must_be("copies", &segment["duplicated"], 0);
    }
    let again = &comparison["points"][1]["seen_again"];
    faults.must_be("again", again, left.0.len());
    faults.end();
}

/// What comes twice before it is passed on is a copy all the same.
pub fn knows_copies(host: Captured) {
    let sent = Sight::of(&streams()[..1]);
    let is_copied = |packet: &&Packet| packet.port == PORT && packet.datagram % 50 == 7;
    let copies = Sight(sent.0.iter().filter(is_copied).cloned().collect());
    let arrived = sent
        .later(20 * MICROSECOND)
        .and(&copies.later(21 * MICROSECOND));
    let left = arrived.later(INSIDE).map(Packet::routed);
    let mut captures = Captures::new();
    captures.add(&sent.pcap());
    captures.add(&host(&arrived, &left));
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    faults.must_be("copies", &comparison["path"]["duplicated"], copies.0.len());
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    let again = &comparison["points"][1]["seen_again"];
    faults.must_be("again", again, arrived.0.len());
    faults.end();
}

#[test]
fn a_router_that_cuts_anew_is_one_point() {
    is_one_point_that_cuts_anew(any);
}

#[test]
fn copies_are_told_from_what_several_interfaces_show() {
    knows_copies(any);
}
