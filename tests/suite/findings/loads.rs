//! What shows in rates and sizes, and in what the capturing host says of itself.

use super::capture::{Capture, MICROSECOND, MILLISECOND};
use super::packet::{A_TO_B, ACK, B_TO_A, SYN, Sum, TCP, UDP, Way, noise, tcp, tcp_at, udp, whole};
use super::row::{LIKELY, POSSIBLE, Row, SURE};

const CONNECTION: &str = "10.0.0.1:4000 > 10.0.0.2:80";
const FLOW: &str = "10.0.0.1:4000 > 10.0.0.2:5000";

pub fn rows() -> Vec<Row> {
    let mut rows = super_frames();
    rows.extend(lost_by_the_capture());
    rows.extend(packet_rate());
    rows.extend(segmented_in_software());
    rows.extend(black_hole());
    rows
}

fn segment(bytes: usize) -> Vec<u8> {
    whole(
        A_TO_B,
        TCP,
        &tcp(A_TO_B, (4000, 80), ACK, &noise(bytes, 1), Sum::Right),
    )
}

fn datagram(bytes: usize) -> Vec<u8> {
    whole(
        A_TO_B,
        UDP,
        &udp(A_TO_B, 5000, &noise(bytes, 1), Sum::Right),
    )
}

fn super_frames() -> Vec<Row> {
    let mixed = [segment(1000), segment(20_000), segment(30_000)];
    vec![
        Row::shows(
            "D24",
            ("info", LIKELY),
            "two packets of 20 and 30 kB",
            Capture::new().packets(&mixed),
        )
        .frames([2, 3])
        .flows(&[CONNECTION]),
        Row::misses(
            "D24",
            "a jumbo frame fits a wire",
            Capture::new().packet(&segment(8960)),
        ),
    ]
}

fn lost_by_the_capture() -> Vec<Row> {
    let capture = Capture::new().packet(&datagram(100));
    let (some, none) = (capture.pcapng(3), capture.pcapng(0));
    vec![
        Row::shows(
            "D36",
            ("warning", SURE),
            "the file says that 3 frames were dropped",
            capture.clone(),
        )
        .in_file(some),
        Row::misses(
            "D36",
            "the file says that none was dropped",
            capture.clone(),
        )
        .in_file(none),
        Row::misses("D36", "a file that cannot say so", capture),
    ]
}

fn packet_rate() -> Vec<Row> {
    let at_a_rate = |step| Capture::every(step).packets(&vec![datagram(20); 12_000]);
    let burst = Capture::every(MICROSECOND).packets(&vec![datagram(20); 1000]);
    vec![
        Row::shows(
            "P01",
            ("info", POSSIBLE),
            "100,000 small packets/s",
            at_a_rate(10 * MICROSECOND),
        )
        .flows(&[FLOW]),
        Row::misses("P01", "25,000 small packets/s", at_a_rate(40 * MICROSECOND)),
        Row::misses("P01", "a burst of 1 ms is no rate", burst),
        Row::misses("P01", "100,000 large packets/s", {
            Capture::every(10 * MICROSECOND).packets(&vec![datagram(400); 12_000])
        }),
    ]
}

fn segmented_in_software() -> Vec<Row> {
    let full = vec![segment(1448); 1200];
    let with_one_large = [full.clone(), vec![segment(20_000)]].concat();
    let fast = Capture::every(10 * MICROSECOND);
    vec![
        Row::shows(
            "S01",
            ("warning", LIKELY),
            "1.2 Gbit/s of wire-size packets on their way out",
            Capture::cooked(Way::Out, &full, 10 * MICROSECOND),
        )
        .flows(&[CONNECTION]),
        Row::shows(
            "S01",
            ("info", POSSIBLE),
            "the same anywhere",
            fast.clone().packets(&full),
        )
        .flows(&[CONNECTION]),
        Row::misses(
            "S01",
            "one was left for the NIC to cut up",
            fast.packets(&with_one_large),
        ),
        Row::misses(
            "S01",
            "12 Mbit/s need no offload",
            Capture::every(MILLISECOND).packets(&full),
        ),
    ]
}

/// A connection that says 100 bytes, is understood, and then sends a full segment six times
/// in three seconds. `answer` is what the other end acknowledges at last.
fn stuck(answer: u32) -> Capture {
    let from = |numbers, flags, data: &[u8]| {
        let segment = tcp_at(numbers, A_TO_B, (4000, 80), flags, data, Sum::Right);
        whole(A_TO_B, TCP, &segment)
    };
    let back = |numbers, flags| {
        let segment = tcp_at(numbers, B_TO_A, (80, 4000), flags, &[], Sum::Right);
        whole(B_TO_A, TCP, &segment)
    };
    let mut packets = vec![
        from((1000, 0), SYN, &[]),
        back((9000, 1001), SYN | ACK),
        from((1001, 9001), ACK, &noise(100, 1)),
        back((9001, 1101), ACK),
    ];
    packets.extend(std::iter::repeat_n(
        from((1101, 9001), ACK, &noise(1448, 2)),
        6,
    ));
    packets.push(back((9001, answer), ACK));
    Capture::every(500 * MILLISECOND).packets(&packets)
}

fn black_hole() -> Vec<Row> {
    vec![
        Row::shows(
            "D28",
            ("error", LIKELY),
            "full segments are repeated and never acknowledged",
            stuck(1101),
        )
        .flows(&[CONNECTION]),
        Row::misses(
            "D28",
            "they are acknowledged in the end",
            stuck(1101 + 1448),
        ),
    ]
}
