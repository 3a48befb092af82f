//! Bytes that are not the same at the other end.

use super::sight::{Ids, Packet, Sight, Stream};
use super::{Faults, compare};
use crate::findings::capture::MILLISECOND;
use crate::findings::packet::{A_TO_B, B_TO_A};
use serde_json::{Value, json};

const PORT: u16 = 5001;
/// Length of an IPv4 header.
const HEADER: usize = 20;

/// Whole datagrams, such in fragments, and some without identifications.
fn streams() -> [Stream; 3] {
    [
        Stream {
            bytes: 1_000,
            ..Stream::to(PORT, A_TO_B)
        },
        Stream {
            datagrams: 500,
            gap: 4 * MILLISECOND,
            ..Stream::fragmented(5002, A_TO_B)
        },
        Stream {
            ids: Ids::None,
            ..Stream::to(5003, A_TO_B)
        },
    ]
}

/// Compares traffic of which the second point sees some packets damaged.
fn damaged(
    is_damaged: impl Fn(&Packet) -> bool,
    damage: impl Fn(&mut Vec<u8>),
) -> (Faults, Value, Sight) {
    let here = Sight::of(&streams());
    let there = here.later(MILLISECOND).map(|mut packet| {
        if is_damaged(&packet) {
            let before = packet.ip.clone();
            damage(&mut packet.ip);
            assert_ne!(packet.ip, before, "nothing is damaged");
        }
        packet
    });
    let comparison = compare(&[&here, &there]);
    let damaged = here.0.iter().filter(|packet| is_damaged(packet));
    let damaged = Sight(damaged.cloned().collect());
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("corrupted", &path["corrupted"], damaged.0.len() as u64);
    faults.must_be("lost", &path["lost"]["packets"], 0);
    faults.must_be("appeared", &path["appeared"], 0);
    let told = path["damage"].as_array().unwrap();
    let frames: Vec<Value> = damaged.0.iter().take(8).map(|packet| {
        json!({"from_frame": here.frame_of(packet), "to_frame": there.frame_of(packet)})
    }).collect();
    let told_frames: Vec<Value> = told
        .iter()
        .map(|one| json!({"from_frame": one["from_frame"], "to_frame": one["to_frame"]}))
        .collect();
    faults.must_be("frames", &told_frames.into(), frames);
    let spoiled = damaged.counted().datagrams;
    faults.must_be("spoiled", &path["spoiled_datagrams"], spoiled);
    faults.must_be("cut", &path["partly_compared"], 0);
    let explained = &comparison["explanation"];
    faults.must_be("of no use", &explained["spoiled_datagrams"], spoiled);
    let entered = here.0.iter().filter(|packet| packet.is_fragment());
    let entered = Sight(entered.cloned().collect()).counted().datagrams;
    let in_fragments = damaged.0.iter().filter(|packet| packet.is_fragment());
    let in_fragments = Sight(in_fragments.cloned().collect()).counted().datagrams;
    let delivered = &explained["predicted_datagrams"];
    faults.must_be("delivered", delivered, entered - in_fragments);
    (faults, comparison, damaged)
}

fn are_all(faults: &mut Faults, comparison: &Value, name: &str, must: impl Into<Value>) {
    let must = must.into();
    for one in comparison["path"]["damage"].as_array().unwrap() {
        faults.must_be(name, &one[name], must.clone());
    }
}

fn are_all_at(faults: &mut Faults, comparison: &Value, (first, last): (u32, u32)) {
    let place = json!({"first_offset": first, "last_offset": last});
    faults.must_be("place", &comparison["path"]["damage_at"], place);
}

/// What is said of damage.
fn must_say(faults: &mut Faults, comparison: &Value, words: &[&str]) {
    let findings = comparison["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["id"] == "C07");
    let seen = found.map_or("", |finding| finding["seen"].as_str().unwrap());
    for word in words {
        faults.unless(seen.contains(word), || format!("{word} is not in {seen}"));
    }
}

fn is_one_of_stream(packet: &Packet) -> bool {
    packet.port == PORT && packet.datagram % 300 == 150
}

#[test]
fn a_bit_that_was_flipped_is_shown() {
    let (mut faults, damage, damaged) = damaged(is_one_of_stream, |ip| ip[HEADER + 208] ^= 0x10);
    are_all(&mut faults, &damage, "kind", "bits");
    are_all(&mut faults, &damage, "bytes_differing", 1);
    are_all(&mut faults, &damage, "bits_differing", 1);
    are_all(&mut faults, &damage, "first_offset", 208);
    are_all_at(&mut faults, &damage, (208, 208));
    let words = [
        "left with all their bytes 7 are spoiled",
        "They differ in single bits, always at the same place (byte 208",
    ];
    must_say(&mut faults, &damage, &words);
    let was = damaged.0[0].ip[HEADER + 208];
    for (name, byte) in [("was", was), ("is", was ^ 0x10)] {
        let told = damage["path"]["damage"][0][name]
            .as_str()
            .unwrap_or_default();
        let hex = format!("{byte:02x}");
        faults.unless(told.starts_with(&hex), || {
            format!("{name} is {told}, not {hex}")
        });
    }
    faults.end();
}

/// What begins as no other of its flow does needs no identification to be known.
#[test]
fn what_has_no_identification_is_known_with_another_bit() {
    let (mut faults, damage, _) = damaged(
        |packet| packet.port == 5003 && packet.datagram % 300 == 150,
        |ip| ip[HEADER + 70] ^= 0x02,
    );
    are_all(&mut faults, &damage, "kind", "bits");
    are_all_at(&mut faults, &damage, (70, 70));
    faults.end();
}

/// Without the rest of the datagram, whose checksum would tell.
#[test]
fn bits_of_a_fragment_in_the_middle_are_seen() {
    let (mut faults, damage, _) = damaged(
        |packet| packet.port == 5002 && packet.index == 2 && packet.datagram % 100 == 50,
        |ip| {
            ip[HEADER + 100] ^= 0x01;
            ip[HEADER + 900] ^= 0x80;
        },
    );
    are_all(&mut faults, &damage, "kind", "bits");
    are_all(&mut faults, &damage, "bits_differing", 2);
    are_all(&mut faults, &damage, "first_offset", 100);
    faults.end();
}

#[test]
fn a_run_of_zeros_is_shown() {
    let (mut faults, damage, _) = damaged(is_one_of_stream, |ip| {
        ip[HEADER + 512..HEADER + 640].fill(0);
    });
    are_all(&mut faults, &damage, "kind", "filled");
    faults.end();
}

/// Every fourth byte of a part has the same bit wrong.
#[test]
fn equal_damage_at_equal_distances_is_shown() {
    let (mut faults, damage, _) = damaged(is_one_of_stream, |ip| {
        for byte in ip[HEADER + 64..HEADER + 576].iter_mut().step_by(4) {
            *byte ^= 0x40;
        }
    });
    are_all(&mut faults, &damage, "kind", "patterned");
    faults.end();
}

/// Where the bit was set before, nothing differs.
#[test]
fn a_bit_that_is_always_set_is_equal_damage_at_equal_distances() {
    let (mut faults, damage, _) = damaged(is_one_of_stream, |ip| {
        for byte in ip[HEADER + 64..].iter_mut().step_by(32) {
            *byte |= 0x20;
        }
    });
    are_all(&mut faults, &damage, "kind", "patterned");
    faults.end();
}

/// As of a memory one of whose words is stuck.
#[test]
fn a_byte_that_is_always_the_same_is_damage_at_equal_distances() {
    let (mut faults, damage, _) = damaged(
        |packet| packet.port == 5002 && packet.index == 1 && packet.datagram % 100 == 50,
        |ip| {
            let stuck = (HEADER + 60..ip.len()).step_by(300);
            stuck.for_each(|at| ip[at] = 0x55);
        },
    );
    are_all(&mut faults, &damage, "kind", "patterned");
    faults.end();
}

#[test]
fn a_pattern_that_repeats_is_shown() {
    let (mut faults, damage, _) = damaged(is_one_of_stream, |ip| {
        let pattern = [0xde, 0xad, 0xbe, 0xef].repeat(16);
        ip[HEADER + 200..HEADER + 264].copy_from_slice(&pattern);
    });
    are_all(&mut faults, &damage, "kind", "patterned");
    must_say(&mut faults, &damage, &["by a pattern that repeats"]);
    faults.end();
}

/// What NAT does to fragments that it takes for whole packets: it corrects a checksum that is not
/// there. Single packets look like flipped bits.
#[test]
fn checksums_corrected_where_there_are_none_are_shown() {
    let (mut faults, damage, _) = damaged(
        |packet| packet.port == 5002 && packet.index > 0 && packet.datagram % 50 == 20,
        |ip| {
            ip[HEADER + 6] ^= 0x12;
            ip[HEADER + 7] ^= 0x30;
        },
    );
    are_all(&mut faults, &damage, "kind", "translated");
    are_all_at(&mut faults, &damage, (6, 7));
    must_say(
        &mut faults,
        &damage,
        &["10 are spoiled", "as NAT spoils them", "bytes 6 to 7"],
    );
    let fix = &damage["findings"][0]["fix"][0]["when"];
    faults.must_be(
        "fix",
        fix,
        "NAT that takes each fragment for a whole packet",
    );
    faults.end();
}

#[test]
fn whoever_writes_to_one_place_is_told_from_chance() {
    let (mut faults, damage, _) = damaged(is_one_of_stream, |ip| {
        ip[HEADER + 500..HEADER + 504].copy_from_slice(&[0x12, 0x34, 0x56, 0x78]);
    });
    are_all(&mut faults, &damage, "kind", "same-place");
    are_all_at(&mut faults, &damage, (500, 503));
    faults.end();
}

#[test]
fn bytes_that_moved_are_shown() {
    let (mut faults, damage, _) = damaged(is_one_of_stream, |ip| {
        let from = HEADER + 200;
        let end = ip.len();
        ip.copy_within(from..end - 4, from + 4);
    });
    are_all(&mut faults, &damage, "kind", "shifted");
    faults.end();
}

#[test]
fn other_data_is_shown() {
    let (mut faults, damage, _) = damaged(is_one_of_stream, |ip| {
        for (index, byte) in ip[HEADER + 100..HEADER + 400].iter_mut().enumerate() {
            *byte = byte.wrapping_mul(31).wrapping_add(index as u8 | 1);
        }
    });
    are_all(&mut faults, &damage, "kind", "replaced");
    faults.end();
}

/// Three points, 60 ms apart, whose clocks both directions tell: what is damaged on the way to the
/// second is so at the third, and no other packet.
#[test]
fn damage_far_away_is_told_once() {
    const FAR: u64 = 60 * MILLISECOND;
    let there = Sight::of(&streams());
    let back = Sight::only(&[Stream::to(5004, B_TO_A)]);
    let is_damaged = |packet: &Packet| packet.port != 5004 && packet.datagram % 90 == 17;
    let damaged = there.map(|mut packet| {
        if is_damaged(&packet) {
            let last = packet.ip.len() - 1;
            packet.ip[last] ^= 0x10;
        }
        packet
    });
    let points = [
        there.and(&back.later(2 * FAR)),
        damaged.later(FAR).and(&back.later(FAR)),
        damaged.later(2 * FAR).and(&back),
    ];
    let comparison = compare(&[&points[0], &points[1], &points[2]]);
    let count = points[0]
        .0
        .iter()
        .filter(|packet| is_damaged(packet))
        .count() as u64;
    let mut faults = Faults::new();
    for (segment, corrupted) in [(0, count), (1, 0)] {
        let segment = &comparison["segments"][segment];
        faults.must_be("corrupted", &segment["corrupted"], corrupted);
        faults.must_be("lost", &segment["lost"]["packets"], 0);
        faults.must_be("appeared", &segment["appeared"], 0);
    }
    faults.end();
}
