//! Packets that come twice, and packets that come late.

use super::sight::{Ids, Packet, Sight, Stream};
use super::{Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::A_TO_B;
use serde_json::Value;

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

/// Some of the packets again, a moment later.
fn copies(sight: &Sight, is_copied: impl Fn(&Packet) -> bool) -> Sight {
    let copied = sight.0.iter().filter(|packet| is_copied(packet));
    Sight(copied.cloned().collect()).later(50 * MICROSECOND)
}

fn must_be_copied(faults: &mut Faults, segment: &Value, more: u64, fewer: u64) {
    faults.must_be("duplicated", &segment["duplicated"], more);
    faults.must_be("removed", &segment["duplicates_removed"], fewer);
    faults.must_be("lost", &segment["lost"]["packets"], 0);
    faults.must_be("appeared", &segment["appeared"], 0);
    faults.must_be("reordered", &segment["reordered"], 0);
}

fn is_every_fiftieth(packet: &Packet) -> bool {
    packet.datagram % 50 == 11
}

#[test]
fn copies_made_on_the_way_are_counted() {
    let here = Sight::of(&streams());
    let there = here.later(MILLISECOND);
    let more = copies(&there, is_every_fiftieth);
    let both = there.and(&more);
    let mut faults = Faults::new();
    let copied = more.0.len() as u64;
    must_be_copied(&mut faults, &compare(&[&here, &both])["path"], copied, 0);
    faults.must_have_lost("path", &compare(&[&here, &both])["path"], &here, &there);
    faults.end();
}

#[test]
fn copies_taken_out_on_the_way_are_counted() {
    let here = Sight::of(&streams());
    let fewer = copies(&here, is_every_fiftieth);
    let there = here.later(MILLISECOND);
    let comparison = compare(&[&here.and(&fewer), &there]);
    let mut faults = Faults::new();
    must_be_copied(&mut faults, &comparison["path"], 0, fewer.0.len() as u64);
    faults.end();
}

/// As `tcpdump -i any` sees everything twice, at both ends.
#[test]
fn copies_at_both_ends_are_no_difference() {
    let here = Sight::of(&streams());
    let here = here.and(&copies(&here, |_| true));
    let there = here.later(MILLISECOND);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    must_be_copied(&mut faults, &comparison["path"], 0, 0);
    let original = Sight::of(&streams());
    let sent = original.counted();
    faults.must_count("sent", &comparison["path"]["sent"], sent);
    faults.end();
}

/// A copy does not make up for a loss.
#[test]
fn copies_and_losses_are_told_apart() {
    let here = Sight::of(&streams());
    let there = here.later(MILLISECOND);
    let more = copies(&there, is_every_fiftieth);
    let there = there.without(|packet| packet.datagram % 50 == 12);
    let comparison = compare(&[&here, &there.and(&more)]);
    let mut faults = Faults::new();
    let path = &comparison["path"];
    faults.must_have_lost("path", path, &here, &there);
    faults.must_be("duplicated", &path["duplicated"], more.0.len() as u64);
    faults.end();
}

/// Some packets stay behind for longer than the next three take.
fn held_up(sight: &Sight, port: u16, by: u64) -> Sight {
    sight.map(|mut packet| {
        if packet.port == port && packet.datagram % 40 == 9 {
            packet.time += by;
        }
        packet
    })
}

/// How many come after others of the same stream that were sent later (RFC 4737).
fn overtaken(sent: &Sight, arrived: &Sight, port: u16) -> u64 {
    let order: Vec<_> = sent.0.iter().map(Packet::identity).collect();
    let of_port = arrived.0.iter().filter(|packet| packet.port == port);
    let mut latest = 0;
    let mut late = 0;
    for packet in of_port {
        let at = order.iter().position(|one| *one == packet.identity());
        let at = at.expect("it was sent");
        late += u64::from(at < latest);
        latest = latest.max(at);
    }
    late
}

#[test]
fn packets_that_were_overtaken_are_counted() {
    let here = Sight::of(&streams());
    let there = here.later(MILLISECOND);
    let there = held_up(&there, PORT, 3_500 * MICROSECOND);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_be("reordered", &comparison["path"]["reordered"], 50);
    assert_eq!(overtaken(&here, &there, PORT), 50);
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.must_be("duplicated", &comparison["path"]["duplicated"], 0);
    faults.end();
}

/// Fragments come last first: all but the one that came first are late.
#[test]
fn fragments_in_the_opposite_order_are_counted() {
    let here = Sight::of(&[Stream::fragmented(PORT, A_TO_B)]);
    let there = here.later(MILLISECOND).map(|mut packet| {
        if packet.port == PORT && packet.datagram % 10 == 0 {
            packet.time += u64::from(10 - packet.index) * 2 * MICROSECOND;
        }
        packet
    });
    let late = overtaken(&here, &there, PORT);
    assert_eq!(late, 200 * 5);
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_be("reordered", &comparison["path"]["reordered"], late);
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.end();
}

/// Fragments of two flows between the same hosts, of which one waits in a longer queue: each
/// keeps its order.
#[test]
fn fragments_of_another_flow_overtake_nobody() {
    let here = Sight::of(&[
        Stream::fragmented(PORT, A_TO_B),
        Stream {
            ids: Ids::From(30_000),
            ..Stream::fragmented(5002, A_TO_B)
        },
    ]);
    let there = here.later(MILLISECOND).map(|mut packet| {
        packet.time += match packet.port {
            PORT => 3_500 * MICROSECOND,
            _ => 0,
        };
        packet
    });
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    faults.must_be("reordered", &comparison["path"]["reordered"], 0);
    faults.must_be("lost", &comparison["path"]["lost"]["packets"], 0);
    faults.end();
}
