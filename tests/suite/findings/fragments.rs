//! Fragments that are lost, late, doubled, or contradict each other.

use super::capture::{Capture, MICROSECOND, MILLISECOND, SECOND};
use super::packet::{
    A_TO_B, A_TO_B_V6, A_TO_C, B_TO_A, ICMP, NODES, Path, Place, Sum, UDP, cut, icmp, noise, ovn,
    piece, tagged, udp, whole,
};
use super::row::{FITS, LIKELY, POSSIBLE, Row, SURE};

const FLOW: &str = "10.0.0.1:4000 > 10.0.0.2:5000";
const FLOW_TO_C: &str = "10.0.0.1:4000 > 10.0.0.3:5000";
const FLOW_V6: &str = "[2001:db8::1]:4000 > [2001:db8::2]:5000";
/// The fragments of datagrams whose first never came.
const WITHOUT_PORTS: &str = "10.0.0.1 > 10.0.0.2";

/// Time between frames that are clearly no burst, and yet of one datagram.
const APART: u64 = 10 * MILLISECOND;

pub fn rows() -> Vec<Row> {
    let mut rows = amplified_loss();
    rows.extend(first_and_others());
    rows.extend(below_the_minimum_of_ovs());
    rows.extend(memory());
    rows.extend(late());
    rows.extend(far_apart());
    rows.extend(overlaps());
    rows.extend(copies());
    rows.extend(reused_ids());
    rows.extend(ids_that_come_round());
    rows.extend(first_late());
    rows.extend(impossible_lengths());
    rows.extend(ipv6());
    rows.extend(seen_twice());
    rows
}

/// A UDP datagram whose payload is this long, other data for each id.
fn datagram(path: Path, id: u32, bytes: usize) -> Vec<u8> {
    udp(path, 5000, &noise(bytes, id.into()), Sum::Right)
}

/// A message of `bytes` cut at MTU 1500.
fn message(path: Path, id: u32, bytes: usize) -> Vec<Vec<u8>> {
    cut(path, UDP, id, &datagram(path, id, bytes), 1500)
}

/// A message in three pieces: of 1,500, 1,500 and 68 bytes, and of the frames around them.
fn three(id: u32) -> Vec<Vec<u8>> {
    message(A_TO_B, id, 3000)
}

/// A message in two pieces of 1,500 and 548 bytes.
fn two(id: u32) -> Vec<Vec<u8>> {
    message(A_TO_B, id, 2000)
}

const FULL: u64 = 1514;
const LAST_OF_THREE: u64 = 82;
const LAST_OF_TWO: u64 = 562;

fn small(path: Path) -> Vec<u8> {
    whole(path, UDP, &udp(path, 5000, &noise(100, 7), Sum::Right))
}

/// Messages one after the other, each as `pick` leaves it.
fn messages(ids: std::ops::Range<u32>, pick: impl Fn(u32) -> Vec<Vec<u8>>) -> Capture {
    let packets: Vec<Vec<u8>> = ids.flat_map(pick).collect();
    Capture::every(APART).packets(&packets)
}

/// A small packet long after everything else, so that nothing is open at the end.
fn and_later(capture: Capture) -> Capture {
    capture.pause(SECOND).packet(&small(A_TO_B))
}

fn without(mut pieces: Vec<Vec<u8>>, index: usize) -> Vec<Vec<u8>> {
    pieces.remove(index);
    pieces
}

fn amplified_loss() -> Vec<Row> {
    let lossy = |id| {
        if id % 10 == 0 {
            without(three(id), 1)
        } else {
            three(id)
        }
    };
    let last_open = |id| {
        if id == 39 {
            without(three(id), 2)
        } else {
            three(id)
        }
    };
    let first_cut = |id| {
        if id == 0 {
            without(three(id), 0)
        } else {
            three(id)
        }
    };
    vec![
        Row::shows(
            "D01",
            ("warning", SURE),
            "every tenth of 40 messages lacks a piece",
            messages(0..40, lossy),
        )
        .missing(4 * (FULL + LAST_OF_THREE))
        .frames([1, 30, 59, 88])
        .flows(&[FLOW]),
        Row::shows(
            "D01",
            ("warning", FITS),
            "two heads alone are no rule yet",
            and_later(messages(0..2, |id| vec![two(id).swap_remove(0)])),
        )
        .missing(2 * FULL)
        .frames([1, 2])
        .flows(&[FLOW]),
        Row::shows(
            "D01",
            ("warning", FITS),
            "by chance to one host, while a rule is at work before another",
            and_later(messages(0..10, |id| match id {
                0..5 => vec![two(id).swap_remove(0)],
                7 => without(message(A_TO_C, id, 3000), 1),
                _ => message(A_TO_C, id, 3000),
            })),
        )
        .missing(FULL + LAST_OF_THREE)
        .frames([12])
        .flows(&[FLOW_TO_C]),
        Row::misses(
            "D01",
            "what is open as the capture ends may still come",
            messages(0..40, last_open),
        ),
        Row::misses(
            "D01",
            "what came before the capture began is not lost",
            messages(0..40, first_cut),
        ),
    ]
}

fn first_and_others() -> Vec<Row> {
    let heads = |count| messages(0..count, |id| vec![two(id).swap_remove(0)]);
    let tails = |count| messages(0..count, |id| vec![two(id).swap_remove(1)]);
    let told = icmp(11, 1, &two(0)[0][..28], true);
    let in_vlan = (0..3).fold(Capture::every(APART), |capture, id| {
        capture.frame(tagged(10, &two(id)[0]))
    });
    vec![
        Row::shows(
            "D02",
            ("error", LIKELY),
            "heads alone, while small datagrams come",
            and_later(heads(5)),
        )
        .missing(5 * FULL)
        .frames(1..=5)
        .flows(&[FLOW]),
        Row::shows(
            "D02",
            ("error", LIKELY),
            "heads alone, and the receiver says so",
            heads(3).at(30 * SECOND).packet(&whole(B_TO_A, ICMP, &told)),
        )
        .missing(3 * FULL)
        .frames(1..=3)
        .flows(&[FLOW]),
        Row::shows(
            "D02",
            ("error", FITS),
            "heads alone, and nothing else, in a VLAN",
            in_vlan.pause(SECOND).packet(&small(B_TO_A)),
        )
        .missing(3 * (FULL + 4))
        .frames(1..=3)
        .flows(&[FLOW]),
        Row::misses("D02", "two heads are no rule", and_later(heads(2))),
        Row::misses(
            "D02",
            "heads at the very end: the rest may still come",
            heads(3),
        ),
        Row::misses(
            "D02",
            "the rest came, after the time was over",
            late_rests(),
        ),
        Row::shows("D03", ("error", LIKELY), "all but the heads come", {
            and_later(
                Capture::every(APART)
                    .packet(&small(A_TO_B))
                    .at(SECOND)
                    .packets(&tails_of(5)),
            )
        })
        .missing(5 * LAST_OF_TWO)
        .frames(2..=6)
        .flows(&[WITHOUT_PORTS]),
        Row::misses("D03", "the capture may have begun behind the heads", {
            messages(0..0, two)
                .packets(&tails_of(4))
                .pause(SECOND)
                .packet(&small(A_TO_B))
        }),
        Row::misses("D03", "another head came, so no rule takes them away", {
            and_later(messages(0..1, two).at(SECOND).packets(&tails_of(5)))
        }),
        Row::misses("D03", "two are no rule", {
            and_later(
                Capture::every(APART)
                    .packet(&small(A_TO_B))
                    .at(SECOND)
                    .packets(&tails_of(2)),
            )
        }),
        Row::misses(
            "D03",
            "it is the tails that are missing",
            and_later(heads(5)),
        ),
        Row::misses(
            "D02",
            "it is the heads that are missing",
            and_later(tails(5)),
        ),
    ]
}

fn tails_of(count: u32) -> Vec<Vec<u8>> {
    (0..count).map(|id| two(id).swap_remove(1)).collect()
}

/// Three heads, and what they lack more than 30 s later.
fn late_rests() -> Capture {
    let heads = messages(0..3, |id| vec![two(id).swap_remove(0)]);
    and_later(heads.at(31 * SECOND).packets(&tails_of(3)))
}

fn below_the_minimum_of_ovs() -> Vec<Row> {
    let small_pieces = |id| cut(A_TO_B, UDP, id, &datagram(A_TO_B, id, 3000), 1100);
    let holed = |id| without(small_pieces(id), 1);
    let large = |id| message(A_TO_C, id, 3000);
    let both = || {
        and_later(messages(
            0..8,
            |id| if id < 5 { holed(id) } else { large(id) },
        ))
    };
    let in_ovn = |id| {
        small_pieces(id)
            .iter()
            .map(|piece| ovn(NODES, piece))
            .collect()
    };
    vec![
        Row::shows(
            "D07",
            ("error", FITS),
            "none of the small pieces, all of the large ones",
            both(),
        )
        .frames([])
        .flows(&[FLOW]),
        Row::shows(
            "D07",
            ("info", POSSIBLE),
            "small pieces come, but OVN is in view",
            messages(0..3, in_ovn),
        )
        .frames([])
        .flows(&[FLOW]),
        Row::misses(
            "D07",
            "small pieces come, and no OVN is in view",
            messages(0..3, small_pieces),
        ),
        Row::misses(
            "D07",
            "nothing larger is seen to pass",
            and_later(messages(0..5, holed)),
        ),
        Row::misses("D07", "one datagram is no rule", {
            and_later(messages(
                0..4,
                |id| if id < 1 { holed(id) } else { large(id) },
            ))
        }),
    ]
}

/// Messages of 45 pieces, the first ones with a hole, at a high rate.
fn large_messages(with_hole: u32, without_hole: u32) -> Capture {
    let packets: Vec<Vec<u8>> = (0..with_hole + without_hole)
        .flat_map(|id| {
            let pieces = message(A_TO_B, id, 65_507);
            if id < with_hole {
                without(pieces, 20)
            } else {
                pieces
            }
        })
        .collect();
    and_later(Capture::every(100 * MICROSECOND).packets(&packets))
}

fn memory() -> Vec<Row> {
    let wire = 65_515 + 45 * 34;
    let full = 1480 + 34;
    let last = 65_515 - 44 * 1480 + 34;
    // A message with a hole takes 200 + 43 * 2,304 + 1,280 bytes, so 41 of them and 32
    // fragments of the next are more than 4 MiB. All that comes after is refused.
    let refused = 11 * full + last + 18 * (wire - full) + 10 * wire;
    vec![
        Row::shows(
            "D09",
            ("error", LIKELY),
            "60 messages with a hole fill 4 MiB",
            large_messages(60, 10),
        )
        .missing(refused)
        .frames((0..10).map(|message| 1 + 44 * message))
        .flows(&[FLOW]),
        Row::misses(
            "D09",
            "20 messages with a hole do not fill 4 MiB",
            large_messages(20, 10),
        ),
    ]
}

fn late() -> Vec<Row> {
    let halves = |pause| {
        let pieces = two(1);
        let begun = Capture::new().packet(&pieces[0]).at(pause);
        and_later(begun.packet(&pieces[1]))
    };
    let never = and_later(Capture::new().packet(&two(1)[0]).at(31 * SECOND));
    vec![
        Row::shows(
            "D10",
            ("warning", LIKELY),
            "the rest comes after 31 s",
            halves(31 * SECOND),
        )
        .missing(FULL + LAST_OF_TWO)
        .frames([2])
        .flows(&[WITHOUT_PORTS]),
        Row::shows(
            "D10",
            ("warning", LIKELY),
            "of three heads, so that D02 must not take them",
            late_rests(),
        )
        .missing(3 * (FULL + LAST_OF_TWO))
        .frames(4..=6)
        .flows(&[WITHOUT_PORTS]),
        Row::misses(
            "D10",
            "the rest comes after 29 s, in time",
            halves(29 * SECOND),
        ),
        Row::misses("D10", "the rest never comes", never),
        Row::misses("D01", "nothing is missing, it is late", halves(31 * SECOND)),
    ]
}

fn far_apart() -> Vec<Row> {
    let apart = |count| {
        let pieces: Vec<_> = (0..count).map(two).collect();
        let of = |index: usize| pieces.iter().map(move |both| both[index].clone());
        let packets: Vec<Vec<u8>> = of(0).chain(of(1)).collect();
        and_later(Capture::every(100 * MICROSECOND).packets(&packets))
    };
    vec![
        Row::shows(
            "D11",
            ("warning", LIKELY),
            "69 fragments of others between two pieces",
            apart(70),
        )
        .missing(70 * (FULL + LAST_OF_TWO))
        .flows(&[FLOW]),
        Row::misses(
            "D11",
            "29 fragments of others between two pieces",
            apart(30),
        ),
    ]
}

/// Bytes `from..to` of a datagram as a fragment.
fn part(path: Path, id: u32, datagram: &[u8], from: usize, to: usize) -> Vec<u8> {
    let place = Place {
        id,
        offset: from,
        more: to < datagram.len(),
    };
    piece(path, UDP, place, &datagram[from..to])
}

/// A head, a tail, and a middle that overlaps the head in part.
fn overlapping(path: Path, step: u64) -> Capture {
    let whole = datagram(path, 1, 2992);
    let ends = [(0, 1480), (2480, 3000), (1000, 2480)];
    let parts = ends.map(|(from, to)| part(path, 1, &whole, from, to));
    Capture::every(step).packets(&parts)
}

fn overlaps() -> Vec<Row> {
    let (one, other) = (datagram(A_TO_B, 1, 2000), datagram(A_TO_B, 2, 2000));
    let head = |of: &[u8]| part(A_TO_B, 1, of, 0, 1480);
    let tail = part(A_TO_B, 1, &one, 1480, 2008);
    let altered = [head(&one), head(&other), tail.clone()];
    let copied = [head(&one), head(&one), tail];
    vec![
        Row::shows(
            "D12",
            ("warning", SURE),
            "a middle overlaps the head",
            overlapping(A_TO_B, MILLISECOND),
        )
        .missing(3 * 34 + 1480 + 520 + 1480)
        .frames([1])
        .flows(&[FLOW]),
        Row::shows(
            "D12",
            ("warning", SURE),
            "a copy with other bytes",
            Capture::new().packets(&altered),
        )
        .missing(0)
        .frames([1])
        .flows(&[FLOW]),
        Row::shows(
            "D12",
            ("warning", SURE),
            "over IPv6, however slowly",
            overlapping(A_TO_B_V6, SECOND),
        )
        .missing(3 * 62 + 1480 + 520 + 1480)
        .frames([1])
        .flows(&[FLOW_V6]),
        Row::misses(
            "D12",
            "a copy with the same bytes contradicts nothing",
            Capture::new().packets(&copied),
        ),
        Row::misses(
            "D12",
            "pieces of two datagrams, far apart: D14 says so",
            overlap_by_reuse(),
        ),
    ]
}

fn copies() -> Vec<Row> {
    let twice: Vec<Vec<u8>> = (0..2)
        .flat_map(two)
        .flat_map(|piece| [piece.clone(), piece])
        .collect();
    let (one, other) = (two(1), message(A_TO_B, 1, 2001));
    let altered = [&one[0], &other[0], &one[1]].map(Clone::clone);
    vec![
        Row::shows(
            "D13",
            ("info", LIKELY),
            "every packet twice",
            Capture::every(10 * MICROSECOND).packets(&twice),
        )
        .frames([1, 4, 5, 8])
        .flows(&[FLOW]),
        Row::misses("D13", "each packet once", messages(0..4, two)),
        Row::misses(
            "D13",
            "a copy with other bytes is none",
            Capture::new().packets(&altered),
        ),
    ]
}

/// A head, and 5 s later all of another datagram with its id, cut elsewhere.
fn overlap_by_reuse() -> Capture {
    let (old, new) = (datagram(A_TO_B, 9, 2000), datagram(A_TO_B, 10, 2000));
    let pieces = [
        part(A_TO_B, 9, &new, 0, 1400),
        part(A_TO_B, 9, &new, 1400, 2008),
    ];
    let begun = Capture::new().packet(&part(A_TO_B, 9, &old, 0, 1480));
    begun.at(5 * SECOND).packets(&pieces)
}

fn reused_ids() -> Vec<Row> {
    let splice = |path: Path, pause| {
        let (old, new) = (datagram(path, 9, 2000), datagram(path, 10, 2000));
        let begun = Capture::new().packet(&part(path, 9, &old, 0, 1440));
        begun.at(pause).packet(&part(path, 9, &new, 1440, 2008))
    };
    let (one, other) = (two(7), datagram(A_TO_B, 8, 2000));
    let again = [
        part(A_TO_B, 7, &other, 0, 1480),
        part(A_TO_B, 7, &other, 1480, 2008),
    ];
    let after_completion = Capture::new().packets(&one).at(SECOND).packets(&again);
    vec![
        Row::shows(
            "D14",
            ("error", LIKELY),
            "a head completed by the tail of another",
            splice(A_TO_B, 5 * SECOND),
        )
        .missing(1474 + 602)
        .frames([1])
        .flows(&[FLOW]),
        Row::shows(
            "D14",
            ("error", LIKELY),
            "a head overlapped by another datagram",
            overlap_by_reuse(),
        )
        // What lies wholly inside the old head is left out as if it were a copy.
        .missing(FULL + 642)
        .frames([1])
        .flows(&[FLOW]),
        Row::misses("D14", "the datagram before was whole", after_completion),
        Row::misses(
            "D14",
            "pieces in a row are of one datagram: D21",
            splice(A_TO_B, MILLISECOND),
        ),
        Row::misses(
            "D14",
            "ids of IPv6 do not come round so soon",
            splice(A_TO_B_V6, 5 * SECOND),
        ),
        Row::misses(
            "D14",
            "nor over IPv6 by overlap",
            overlapping(A_TO_B_V6, SECOND),
        ),
    ]
}

fn ids_that_come_round() -> Vec<Row> {
    let at_a_rate = |step| {
        let packets: Vec<Vec<u8>> = (0..1000).flat_map(two).collect();
        Capture::every(step).packets(&packets)
    };
    vec![
        Row::shows(
            "D14",
            ("info", POSSIBLE),
            "2,500 datagrams/s: all ids in 26 s",
            at_a_rate(200 * MICROSECOND),
        )
        .flows(&[FLOW]),
        Row::misses(
            "D14",
            "500 datagrams/s: all ids in 131 s",
            at_a_rate(MILLISECOND),
        ),
    ]
}

fn first_late() -> Vec<Row> {
    let order = |ids, order: [usize; 3]| {
        messages(ids, move |id| {
            let pieces = three(id);
            order.map(|index| pieces[index].clone()).to_vec()
        })
    };
    let lossy = order(0..6, [1, 2, 0]).packet(&three(6)[0]);
    vec![
        Row::shows(
            "D29",
            ("info", FITS),
            "the head comes last, the rest in order",
            order(0..4, [1, 2, 0]),
        )
        .frames([1, 4, 7, 10])
        .flows(&[FLOW]),
        Row::shows(
            "D29",
            ("warning", FITS),
            "and some are lost",
            and_later(lossy),
        )
        .frames([1, 4, 7, 10, 13, 16])
        .flows(&[FLOW]),
        Row::misses(
            "D29",
            "all pieces backwards, as some systems send them",
            order(0..4, [2, 1, 0]),
        ),
        Row::misses("D29", "two late heads are no rule", order(0..2, [1, 2, 0])),
    ]
}

fn impossible_lengths() -> Vec<Row> {
    let odd = |bytes: usize, more| {
        let place = Place {
            id: 1,
            offset: 0,
            more,
        };
        piece(A_TO_B, UDP, place, &datagram(A_TO_B, 1, 2000)[..bytes])
    };
    let beyond = Place {
        id: 1,
        offset: 65_528,
        more: false,
    };
    let oversized = piece(A_TO_B, UDP, beyond, &noise(1000, 3));
    vec![
        Row::shows(
            "D30",
            ("error", SURE),
            "a head of 1,001 bytes",
            and_later(Capture::new().packet(&odd(1001, true))),
        )
        .missing(34 + 1001)
        .frames([1])
        .flows(&[FLOW]),
        Row::shows("D30", ("error", SURE), "a piece beyond 65,535", {
            and_later(Capture::new().packet(&odd(1000, true)).packet(&oversized))
        })
        .missing(2 * 1034)
        .frames([1])
        .flows(&[FLOW]),
        Row::misses(
            "D30",
            "the last piece may have any length",
            messages(0..3, |id| message(A_TO_B, id, 2001)),
        ),
    ]
}

fn ipv6() -> Vec<Row> {
    let v6 = |id| vec![message(A_TO_B_V6, id, 2000).swap_remove(0)];
    let beside = |v4: fn(u32) -> Vec<Vec<u8>>| {
        and_later(messages(
            0..6,
            move |id| if id < 3 { v6(id) } else { v4(id) },
        ))
    };
    let atomic = Place {
        id: 1,
        offset: 0,
        more: false,
    };
    let atomic = piece(A_TO_B_V6, UDP, atomic, &datagram(A_TO_B_V6, 1, 100));
    vec![
        Row::shows(
            "D32",
            ("warning", FITS),
            "no IPv6 datagram is whole, each of IPv4 is",
            beside(two),
        )
        .frames([1, 2, 3])
        .flows(&[FLOW_V6]),
        Row::shows(
            "D32",
            ("info", POSSIBLE),
            "a whole packet with a fragment header",
            Capture::new().packet(&atomic),
        )
        .frames([1])
        .flows(&[FLOW_V6]),
        Row::misses(
            "D32",
            "IPv4 loses fragments as well",
            beside(|id| vec![two(id).swap_remove(0)]),
        ),
        Row::misses(
            "D32",
            "nothing of IPv4 to compare with",
            and_later(messages(0..3, v6)),
        ),
    ]
}

fn seen_twice() -> Vec<Row> {
    let of_size = |bytes| {
        let data = udp(A_TO_C, 5000, &noise(bytes, 5), Sum::Right);
        let fragments = messages(0..3, |id| message(A_TO_C, id, 3000));
        fragments.packet(&whole(A_TO_C, UDP, &data))
    };
    vec![
        Row::shows(
            "D37",
            ("info", FITS),
            "in fragments, and in one packet larger than they",
            of_size(3000),
        )
        .flows(&[FLOW_TO_C]),
        Row::misses(
            "D37",
            "whole packets that fit the MTU are nothing odd",
            of_size(1470),
        ),
    ]
}
