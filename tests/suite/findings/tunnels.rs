//! What goes wrong in and around tunnels.

use super::capture::{Capture, MILLISECOND, SECOND};
use super::packet::{
    A_TO_B, ACK, B_TO_A, NODES, NODES_BACK, Path, SYN, Sum, TCP, UDP, Way, checksum_of_udp, cut,
    in_vxlan, noise, tcp, udp, vxlan, whole,
};
use super::row::{FITS, LIKELY, Row, SURE};

const FLOW: &str = "10.0.0.1:4000 > 10.0.0.2:5000";
const CONNECTION: &str = "10.0.0.1:4000 > 10.0.0.2:80";

pub fn rows() -> Vec<Row> {
    let mut rows = nat_before_vxlan();
    rows.extend(mangled_inside());
    rows.extend(local_checksum_offload());
    rows.extend(fragmented_outside());
    rows
}

fn packet(sum: Sum) -> Vec<u8> {
    whole(A_TO_B, UDP, &udp(A_TO_B, 5000, &noise(100, 1), sum))
}

fn opening(sum: Sum) -> Vec<u8> {
    whole(A_TO_B, TCP, &tcp(A_TO_B, (4000, 80), SYN, &[], sum))
}

/// Frames of a SYN in VXLAN.
const OPENING: u64 = 14 + 20 + 8 + 8 + 14 + 40;

/// The SYN of one connection, again and again as TCP does it.
fn retries(packet: &[u8], times: &[u64]) -> Capture {
    let again = |capture: Capture, time: &u64| capture.at(time * SECOND).packet(packet);
    times.iter().fold(Capture::new(), again)
}

fn nat_before_vxlan() -> Vec<Row> {
    let wrong = vxlan(NODES, &opening(Sum::Right), Sum::Wrong);
    let data = vxlan(NODES, &packet(Sum::Right), Sum::Wrong);
    let sent = vec![wrong.clone(); 3];
    let among_others = [sent.clone(), vec![data; 5]].concat();
    vec![
        Row::shows(
            "D16",
            ("error", LIKELY),
            "three SYNs with a wrong outer checksum",
            retries(&wrong, &[0, 1, 3]),
        )
        .missing(3 * OPENING)
        .frames([1, 2, 3])
        .flows(&[CONNECTION]),
        Row::misses("D16", "the outer checksum is off, as usual", {
            retries(&vxlan(NODES, &opening(Sum::Right), Sum::Zero), &[0, 1, 3])
        }),
        Row::misses(
            "D16",
            "one may be a coincidence: D21",
            retries(&wrong, &[0]),
        ),
        Row::misses(
            "D16",
            "other packets are struck as often: D21",
            Capture::new().packets(&among_others),
        ),
        Row::misses(
            "D16",
            "beside the sender it proves nothing",
            Capture::cooked(Way::Out, &sent, SECOND),
        ),
    ]
}

/// Packets that came through a router in VXLAN.
fn routed(packet: &[u8]) -> Vec<Vec<u8>> {
    vec![vxlan(NODES.routed(), packet, Sum::Zero); 3]
}

fn mangled_inside() -> Vec<Row> {
    let wrong = routed(&packet(Sum::Wrong));
    let left = routed(&opening(Sum::PseudoHeader));
    let answer = whole(
        B_TO_A,
        TCP,
        &tcp(B_TO_A, (80, 4000), SYN | ACK, &[], Sum::Right),
    );
    let answered = [left.clone(), vec![vxlan(NODES_BACK, &answer, Sum::Zero)]].concat();
    let sent = vec![vxlan(NODES, &opening(Sum::PseudoHeader), Sum::Zero); 3];
    let mixed = [wrong.clone(), routed(&packet(Sum::Right))].concat();
    vec![
        Row::shows(
            "D17",
            ("error", FITS),
            "every inner checksum is wrong",
            Capture::new().packets(&wrong),
        )
        .missing(3 * (PACKET + 50))
        .frames([1, 2, 3])
        .flows(&[FLOW]),
        Row::shows(
            "D17",
            ("error", FITS),
            "SYNs from elsewhere, unfinished and not answered",
            Capture::every(SECOND).packets(&left),
        )
        .missing(0)
        .frames([1, 2, 3])
        .flows(&[CONNECTION]),
        Row::misses(
            "D17",
            "the same, answered: virtual interfaces",
            Capture::every(SECOND).packets(&answered),
        ),
        Row::misses(
            "D17",
            "UDP from elsewhere, unfinished: virtual interfaces, or not",
            Capture::new().packets(&routed(&packet(Sum::PseudoHeader))),
        ),
        Row::misses(
            "D17",
            "beside the sender nothing is finished yet",
            Capture::every(SECOND).packets(&sent),
        ),
        Row::misses("D17", "some are right: D21", Capture::new().packets(&mixed)),
        Row::misses(
            "D17",
            "outside any tunnel: D21",
            Capture::new().packets(&vec![packet(Sum::Wrong); 3]),
        ),
    ]
}

/// A frame with 100 bytes of UDP data.
const PACKET: u64 = 142;

fn local_checksum_offload() -> Vec<Row> {
    let finished = udp(NODES, 4789, &in_vxlan(&packet(Sum::Right)), Sum::Right);
    let outer = |sum| Capture::new().packet(&vxlan(NODES, &packet(Sum::PseudoHeader), sum));
    let as_if_finished = checksum_of_udp(&finished);
    vec![
        Row::shows(
            "D19",
            ("info", SURE),
            "right once the inner checksum is",
            outer(Sum::Is(as_if_finished)),
        )
        .frames([1])
        .flows(&[FLOW]),
        Row::misses("D19", "no outer checksum", outer(Sum::Zero)),
        Row::misses(
            "D19",
            "wrong, whatever is done to the inner one",
            outer(Sum::Is(as_if_finished ^ 0x0f0f)),
        ),
    ]
}

/// A packet of `bytes` in VXLAN, cut at MTU 1500.
fn cut_outside(path: Path, id: u32, bytes: usize, sum: Sum) -> Vec<Vec<u8>> {
    let inner = whole(A_TO_B, UDP, &udp(A_TO_B, 5000, &noise(bytes, 1), sum));
    cut(
        path,
        UDP,
        id,
        &udp(path, 4789, &in_vxlan(&inner), Sum::Zero),
        1500,
    )
}

fn fragmented_outside() -> Vec<Row> {
    let both = [
        cut_outside(NODES, 1, 1472, Sum::Right),
        cut_outside(NODES, 2, 1472, Sum::Right),
    ]
    .concat();
    let heads = Capture::every(10 * MILLISECOND).packets([&both[0], &both[2], &both[3]]);
    let inside = cut(
        A_TO_B,
        UDP,
        1,
        &udp(A_TO_B, 5000, &noise(2000, 1), Sum::Right),
        1450,
    );
    let inside: Vec<Vec<u8>> = inside
        .iter()
        .map(|piece| vxlan(NODES, piece, Sum::Zero))
        .collect();
    let open = Capture::new().packets([&both[2], &both[3], &both[0]]);
    vec![
        Row::shows(
            "D26",
            ("warning", SURE),
            "two tunnel packets in two fragments each",
            Capture::new().packets(&both),
        )
        .missing(0)
        .frames([1, 3])
        .flows(&[FLOW]),
        Row::shows(
            "D26",
            ("warning", SURE),
            "and one never whole",
            heads.pause(SECOND).packet(&packet(Sum::Right)),
        )
        .missing(1514)
        .frames([1, 2])
        .flows(&[FLOW]),
        Row::shows(
            "D26",
            ("warning", SURE),
            "and one still open at the end, which is no loss",
            open,
        )
        .missing(0)
        .frames([1, 3])
        .flows(&[FLOW]),
        Row::shows(
            "D21",
            ("error", FITS),
            "a wrong checksum inside, shown by the frame that completed the packet",
            Capture::new().packets(&cut_outside(NODES, 3, 1472, Sum::Wrong)),
        )
        .missing(1514 + 84)
        .frames([2])
        .flows(&[FLOW]),
        Row::misses(
            "D26",
            "the fragments are inside",
            Capture::new().packets(&inside),
        ),
    ]
}
