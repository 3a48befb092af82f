//! Checksums that are wrong, absent, or left for a NIC, and lengths that are wrong.

use super::capture::{Capture, MILLISECOND, SECOND};
use super::packet::{
    A_TO_B, A_TO_B_V6, A_TO_C, ICMP, NODES_V6, Path, SYN, Sum, TCP, UDP, Way, cut, icmp, noise,
    tcp, udp, udp_that_claims, vxlan, whole,
};
use super::row::{FITS, LIKELY, POSSIBLE, Row, SURE};

const FLOW: &str = "10.0.0.1:4000 > 10.0.0.2:5000";
const FLOW_TO_C: &str = "10.0.0.1:4000 > 10.0.0.3:5000";
const FLOW_V6: &str = "[2001:db8::1]:4000 > [2001:db8::2]:5000";

pub fn rows() -> Vec<Row> {
    let mut rows = left_to_the_nic();
    rows.extend(nat_on_fragments());
    rows.extend(corruption());
    rows.extend(absent());
    rows.extend(old_tcpdump());
    rows.extend(wrong_lengths());
    rows
}

/// A packet with 100 bytes of UDP data.
fn packet(path: Path, sum: Sum) -> Vec<u8> {
    whole(path, UDP, &udp(path, 5000, &noise(100, 1), sum))
}

const PACKET: u64 = 142;

/// A datagram of 2,008 bytes in two fragments.
fn fragments(path: Path, id: u32, sum: Sum) -> Vec<Vec<u8>> {
    cut(
        path,
        UDP,
        id,
        &udp(path, 5000, &noise(2000, id.into()), sum),
        1500,
    )
}

const FRAGMENTS: u64 = 1514 + 562;

fn times(count: usize, packet: Vec<u8>) -> Vec<Vec<u8>> {
    vec![packet; count]
}

fn left_to_the_nic() -> Vec<Row> {
    let left = times(3, packet(A_TO_B, Sum::PseudoHeader));
    let wrong = times(2, packet(A_TO_B, Sum::Wrong));
    let mixed = [left.clone(), wrong.clone()].concat();
    let right = times(3, packet(A_TO_B, Sum::Right));
    vec![
        Row::shows(
            "D18",
            ("info", SURE),
            "three bare pseudo-header sums",
            Capture::new().packets(&left),
        )
        .frames([1, 2, 3])
        .flows(&[FLOW]),
        Row::shows(
            "D18",
            ("info", SURE),
            "with wrong ones among them, which prove nothing",
            Capture::new().packets(&mixed),
        )
        .frames(1..=5)
        .flows(&[FLOW]),
        Row::shows(
            "D18",
            ("info", POSSIBLE),
            "wrong ones on their way out prove nothing",
            Capture::cooked(Way::Out, &wrong, MILLISECOND),
        )
        .frames([1, 2])
        .flows(&[FLOW]),
        Row::misses("D18", "right sums", Capture::new().packets(&right)),
        Row::misses("D18", "wrong ones that came in are damage: D21", {
            Capture::cooked(Way::In, &wrong, MILLISECOND)
        }),
        Row::misses(
            "D21",
            "wrong beside the sender, as bare sums around it show",
            Capture::new().packets(&mixed),
        ),
        Row::misses(
            "D21",
            "wrong on its way out, in fragments",
            Capture::cooked(Way::Out, &fragments(A_TO_B, 1, Sum::Wrong), MILLISECOND),
        ),
        Row::misses(
            "D21",
            "wrong on its way out",
            Capture::cooked(Way::Out, &wrong, MILLISECOND),
        ),
    ]
}

fn nat_on_fragments() -> Vec<Row> {
    let capture = |large: Sum, count, small| {
        let large = (0..count).flat_map(|id| fragments(A_TO_B, id, large));
        let packets: Vec<Vec<u8>> = large.chain([packet(A_TO_B, small)]).collect();
        Capture::new().packets(&packets)
    };
    vec![
        Row::shows(
            "D20",
            ("error", LIKELY),
            "all in fragments wrong, the small one right",
            capture(Sum::Wrong, 3, Sum::Right),
        )
        .missing(3 * FRAGMENTS)
        .frames([1, 3, 5])
        .flows(&[FLOW]),
        Row::misses(
            "D20",
            "the small one is wrong, too: D21",
            capture(Sum::Wrong, 3, Sum::Wrong),
        ),
        Row::misses(
            "D20",
            "two may be chance: D21",
            capture(Sum::Wrong, 2, Sum::Right),
        ),
        Row::misses("D20", "all are right", capture(Sum::Right, 3, Sum::Right)),
    ]
}

fn corruption() -> Vec<Row> {
    let one = [packet(A_TO_B, Sum::Right), packet(A_TO_B, Sum::Wrong)];
    let echo = whole(A_TO_B, ICMP, &icmp(8, 0, &noise(56, 2), false));
    let many = [packet(A_TO_B, Sum::Wrong), packet(A_TO_C, Sum::Wrong), echo];
    let mut header = packet(A_TO_B, Sum::Right);
    header[8] ^= 0x55;
    vec![
        Row::shows(
            "D21",
            ("error", FITS),
            "one of two packets of a flow",
            Capture::new().packets(&one),
        )
        .missing(PACKET)
        .frames([2])
        .flows(&[FLOW]),
        Row::shows(
            "D21",
            ("error", LIKELY),
            "in three flows",
            Capture::new().packets(&many),
        )
        .missing(2 * PACKET + 98)
        .frames([1, 2, 3])
        .flows(&[FLOW, FLOW_TO_C, "10.0.0.1 > 10.0.0.2"]),
        Row::shows(
            "D21",
            ("error", FITS),
            "an IPv4 header",
            Capture::new().packet(&header),
        )
        .missing(PACKET)
        .frames([1])
        .flows(&[FLOW]),
        Row::shows("D21", ("error", FITS), "a datagram in fragments", {
            Capture::new().packets(&fragments(A_TO_B, 1, Sum::Wrong))
        })
        .missing(FRAGMENTS)
        .frames([1])
        .flows(&[FLOW]),
        Row::misses(
            "D21",
            "no checksum at all",
            Capture::new().packet(&packet(A_TO_B, Sum::Zero)),
        ),
    ]
}

fn absent() -> Vec<Row> {
    let inner = packet(A_TO_B, Sum::Right);
    let unsummed = fragments(A_TO_B, 1, Sum::Zero);
    vec![
        Row::shows(
            "D22",
            ("error", SURE),
            "over IPv6",
            Capture::new().packet(&packet(A_TO_B_V6, Sum::Zero)),
        )
        .missing(PACKET + 20)
        .frames([1])
        .flows(&[FLOW_V6]),
        Row::shows(
            "D22",
            ("info", SURE),
            "in fragments over IPv4",
            Capture::new().packets(&unsummed),
        )
        .frames([1])
        .flows(&[FLOW]),
        Row::misses(
            "D22",
            "in one packet over IPv4 it is allowed",
            Capture::new().packet(&packet(A_TO_B, Sum::Zero)),
        ),
        Row::misses("D22", "in the outer header of a tunnel over IPv6, too", {
            Capture::new().packet(&vxlan(NODES_V6, &inner, Sum::Zero))
        }),
        Row::misses(
            "D22",
            "fragments with a checksum",
            Capture::new().packets(&fragments(A_TO_B, 1, Sum::Right)),
        ),
    ]
}

fn old_tcpdump() -> Vec<Row> {
    let udp_pieces: Vec<Vec<u8>> = (0..2)
        .flat_map(|id| fragments(A_TO_B, id, Sum::Right))
        .collect();
    let segment = tcp(A_TO_B, (4000, 80), SYN, &noise(2000, 1), Sum::Right);
    vec![
        Row::shows(
            "D23",
            ("info", SURE),
            "two heads",
            Capture::new().packets(&udp_pieces),
        )
        .frames([1, 3])
        .flows(&[FLOW]),
        Row::misses(
            "D23",
            "TCP has no length to compare",
            Capture::new().packets(&cut(A_TO_B, TCP, 1, &segment, 1500)),
        ),
        Row::misses("D23", "the head never came", {
            Capture::new()
                .packet(&packet(A_TO_B, Sum::Right))
                .at(SECOND)
                .packet(&udp_pieces[1])
        }),
    ]
}

fn wrong_lengths() -> Vec<Row> {
    let claiming = |length| {
        let data = noise(100, 1);
        whole(
            A_TO_B,
            UDP,
            &udp_that_claims(length, A_TO_B, 5000, &data, Sum::Zero),
        )
    };
    let shorter = udp_that_claims(1900, A_TO_B, 5000, &noise(2000, 1), Sum::Zero);
    let mut padded = Capture::new().packet(&packet(A_TO_B, Sum::Right));
    padded = padded.frame(
        [
            super::packet::ethernet(&packet(A_TO_B, Sum::Right)),
            vec![0; 20],
        ]
        .concat(),
    );
    vec![
        Row::shows("L01", ("error", SURE), "beyond the end, and below 8", {
            Capture::new().packets(&[claiming(200), claiming(4), claiming(108)])
        })
        .missing(2 * PACKET)
        .frames([1, 2])
        .flows(&[FLOW]),
        Row::shows(
            "L01",
            ("info", SURE),
            "bytes left over, in one packet",
            Capture::new().packet(&claiming(100)),
        )
        .missing(0)
        .frames([1])
        .flows(&[FLOW]),
        Row::shows("L01", ("info", SURE), "bytes left over, in fragments", {
            Capture::new().packets(&cut(A_TO_B, UDP, 1, &shorter, 1500))
        })
        .missing(0)
        .frames([1])
        .flows(&[FLOW]),
        Row::misses(
            "L01",
            "the padding of a frame is no part of the packet",
            padded,
        ),
        Row::misses("L01", "a head has the length of its datagram", {
            Capture::new().packets(&fragments(A_TO_B, 1, Sum::Right))
        }),
    ]
}
