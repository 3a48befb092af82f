//! Datagrams to a port at which nobody listens: the host says so of few.

use super::sight::{BEATS, Packet, Sight, Stream};
use super::{Faults, compare, finding};
use crate::cases::wire::sum;
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{A_TO_B, B_TO_A, ICMP, whole};

/// Destination unreachable, port unreachable (RFC 792), and how much of the datagram is behind.
const PORT_UNREACHABLE: [u8; 8] = [3, 3, 0, 0, 0, 0, 0, 0];
const QUOTED: usize = 28;

fn refusal(refused: &Packet) -> Packet {
    let mut error = [&PORT_UNREACHABLE[..], &refused.ip[..QUOTED]].concat();
    let checksum = !sum(&error);
    error[2..4].copy_from_slice(&checksum.to_be_bytes());
    Packet {
        time: refused.time + 50 * MICROSECOND,
        ip: whole(B_TO_A, ICMP, &error),
        port: 0,
        ..refused.clone()
    }
}

#[test]
fn of_few_errors_it_is_said_that_more_may_be_refused() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let there = here.later(MILLISECOND);
    let is_refused = |packet: &&Packet| packet.port != BEATS && packet.datagram % 500 == 9;
    let refused = there.0.iter().filter(is_refused);
    let refused = Sight(refused.map(refusal).collect());
    let there = there.and(&refused);
    let here = here.and(&refused.later(MILLISECOND));
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    let found = finding(&comparison, "C17").cloned().unwrap_or_default();
    let seen = found["seen"].as_str().unwrap_or_default();
    let told = "says of 4 packets of 1 flow that nobody listens at their port";
    faults.unless(seen.contains(told), || seen.to_owned());
    let more = "2,000 packets of these flows come there, and hosts send few such errors";
    faults.unless(seen.contains(more), || seen.to_owned());
    faults.end();
}
