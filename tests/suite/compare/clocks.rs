//! Clocks that are hours apart and do not run equally fast.

use super::sight::{Chance, Content, Ids, Sight, Stream};
use super::{Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND, SECOND};
use crate::findings::packet::{A_TO_B, B_TO_A};
use crate::support::count;
use serde_json::Value;

const HOUR: i64 = 3_600 * SECOND as i64;
/// How near an offset, and how near a drift must be told.
const NEAR_SECONDS: f64 = 0.001;
const NEAR_PPM: f64 = 1.0;

/// Half a minute of traffic.
fn traffic(back: bool) -> Sight {
    let there = Stream {
        datagrams: 3_000,
        gap: 10 * MILLISECOND,
        ..Stream::to(5001, A_TO_B)
    };
    let answers = Stream {
        path: B_TO_A,
        port: 4000,
        begin: there.begin + 3 * MILLISECOND,
        ..there
    };
    if back {
        Sight::only(&[there, answers])
    } else {
        Sight::only(&[there])
    }
}

/// The way to the other point and back: `delay`, and up to 100 µs more by chance.
/// Answers are there before they are here.
fn other_end(here: &Sight, delay: u64) -> Sight {
    let mut chance = Chance::new(delay);
    here.map(|mut packet| {
        let took = delay + chance.below(100 * MICROSECOND);
        packet.time = match packet.port {
            5001 => packet.time + took,
            _ => packet.time - took,
        };
        packet
    })
}

fn must_be_near(faults: &mut Faults, what: &str, is: &Value, must: f64, near: f64) {
    let is = is.as_f64();
    let fits = is.is_some_and(|is| (is - must).abs() <= near);
    faults.unless(fits, || format!("{what} is {is:?}, not {must}"));
}

#[test]
fn a_clock_hours_ahead_or_behind_that_drifts_is_told() {
    let here = traffic(false);
    let mut faults = Faults::new();
    for (hours, ppm) in [(3, 50), (-26, 50), (3, -50), (0, 0)] {
        let there = other_end(&here, 200 * MICROSECOND).by_clock(hours * HOUR, ppm);
        let comparison = compare(&[&here, &there]);
        let clock = &comparison["points"][1]["clock"];
        let what = format!("{hours} h, {ppm} ppm");
        faults.must_be(&what, &comparison["relation"], "same");
        faults.must_be(&what, &clock["basis"], "one-direction");
        let ahead = (hours * 3_600) as f64;
        must_be_near(
            &mut faults,
            &format!("{what}: offset"),
            &clock["offset_seconds"],
            ahead,
            NEAR_SECONDS,
        );
        must_be_near(
            &mut faults,
            &format!("{what}: drift"),
            &clock["drift_ppm"],
            ppm as f64,
            NEAR_PPM,
        );
        faults.must_have_lost(&what, &comparison["path"], &here, &there);
        must_be_near(
            &mut faults,
            &format!("{what}: longest delay"),
            &comparison["path"]["delay"]["max_seconds"],
            0.0001,
            0.0001,
        );
    }
    faults.end();
}

/// A slow path looks like a clock that is ahead, until something comes back.
#[test]
fn traffic_both_ways_tells_a_slow_path_from_a_clock() {
    let here = traffic(true);
    let there = other_end(&here, 40 * MILLISECOND).by_clock(3 * HOUR, 50);
    let comparison = compare(&[&here, &there]);
    let clock = &comparison["points"][1]["clock"];
    let mut faults = Faults::new();
    faults.must_be("basis", &clock["basis"], "both-directions");
    must_be_near(
        &mut faults,
        "offset",
        &clock["offset_seconds"],
        10_800.0,
        NEAR_SECONDS,
    );
    must_be_near(&mut faults, "drift", &clock["drift_ppm"], 50.0, NEAR_PPM);
    let delay = &comparison["path"]["delay"]["median_seconds"];
    must_be_near(&mut faults, "delay", delay, 0.04, NEAR_SECONDS);
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    faults.end();
}

/// Single frames have a wrong time, at every place of what is handed on together in one of
/// the runs; what the others say of clocks and losses is as if they were right.
#[test]
fn one_time_that_is_wrong_costs_no_more_than_its_packet() {
    const EVERY: usize = 40;
    let here = Sight::only(&[Stream {
        datagrams: 13_000,
        gap: MILLISECOND,
        ..Stream::to(5001, A_TO_B)
    }]);
    let there = here.later(200 * MICROSECOND);
    let mut faults = Faults::new();
    for first in 0..EVERY {
        for ahead in [HOUR, -HOUR] {
            let mut odd = here.clone();
            for packet in odd.0.iter_mut().skip(first).step_by(EVERY) {
                packet.time = (packet.time as i64 + ahead) as u64;
            }
            let comparison = compare(&[&odd, &there]);
            let path = &comparison["path"];
            let what = format!("from {first}, by {ahead}");
            // The first of all, and the last, have one neighbour only.
            let matched = count(&comparison, "points.1.matched");
            faults.unless(matched >= 12_999, || format!("{what}: {matched} matched"));
            let lost = count(path, "lost.packets") + count(path, "appeared");
            faults.unless(lost <= 2, || format!("{what}: {lost} lost or new"));
        }
    }
    faults.end();
}

/// Nor does it make a capture longer than it was.
#[test]
fn one_time_that_is_wrong_is_no_end_of_a_capture() {
    let here = traffic(false);
    let there = other_end(&here, 200 * MICROSECOND);
    let middle = there.0.len() / 2;
    for (from, to, odd) in [(0, middle, middle / 2), (middle, there.0.len(), 0)] {
        for ahead in [HOUR, -HOUR] {
            let mut half = Sight(there.0[from..to].to_vec());
            let time = &mut half.0[odd].time;
            *time = (*time as i64 + ahead) as u64;
            let comparison = compare(&[&here, &half]);
            let lost = count(&comparison, "path.lost.packets");
            assert!(lost <= 1, "{lost} lost");
        }
    }
}

/// The uncertainty that is told holds what is true.
#[test]
fn a_drift_is_as_sure_as_it_is_said_to_be() {
    let here = traffic(false);
    let there = other_end(&here, 200 * MICROSECOND).by_clock(HOUR, 20);
    let comparison = compare(&[&here, &there]);
    let clock = &comparison["points"][1]["clock"];
    let [drift, error] = ["drift_ppm", "drift_error_ppm"].map(|name| clock[name].as_f64().unwrap());
    assert!((drift - 20.0).abs() <= error, "{drift} ± {error}");
    assert!(error < 10.0, "± {error}");
}

/// Three clocks, each with its own mind; what is lost stays where it was lost.
#[test]
fn each_point_has_its_clock() {
    let here = traffic(false);
    let between = other_end(&here, MILLISECOND);
    let there = other_end(&between, MILLISECOND).without(|packet| packet.datagram % 100 == 50);
    let comparison = compare(&[
        &here,
        &between.by_clock(-5 * HOUR, -30),
        &there.by_clock(7 * HOUR, 40),
    ]);
    let mut faults = Faults::new();
    for (point, hours, ppm) in [(1, -5.0, -30.0), (2, 7.0, 40.0)] {
        let clock = &comparison["points"][point]["clock"];
        let offset = &clock["offset_seconds"];
        // One direction: the way itself cannot be told from the clock.
        must_be_near(&mut faults, "offset", offset, hours * 3_600.0, 0.003);
        must_be_near(&mut faults, "drift", &clock["drift_ppm"], ppm, NEAR_PPM);
    }
    let segments = &comparison["segments"];
    faults.must_have_lost("to the middle", &segments[0], &here, &between);
    faults.must_have_lost("to the end", &segments[1], &between, &there);
    faults.end();
}

/// A queue that empties makes the clock behind it seem to be another at first. What comes
/// later sets that right, also for points further on.
#[test]
fn what_was_thought_of_one_clock_at_first_spoils_no_other() {
    let here = traffic(true);
    let emptied = here.0[0].time + 3 * SECOND;
    let between = other_end(&here, MILLISECOND).map(|mut packet| {
        if packet.port == 5001 {
            packet.time += emptied.saturating_sub(packet.time) / 300;
        }
        packet
    });
    let there = other_end(&between, MILLISECOND);
    let comparison = compare(&[&here, &between, &there]);
    let mut faults = Faults::new();
    for point in [1, 2] {
        let clock = &comparison["points"][point]["clock"];
        faults.must_be("basis", &clock["basis"], "both-directions");
        let what = format!("offset of {point}");
        must_be_near(&mut faults, &what, &clock["offset_seconds"], 0.0, 0.0001);
    }
    let [path, front, back] = [
        &comparison["path"],
        &comparison["segments"][0],
        &comparison["segments"][1],
    ]
    .map(|part| part["delay"]["median_seconds"].as_f64().unwrap());
    let apart = (path - front - back).abs();
    faults.unless(apart < 0.0001, || {
        format!("{front} and {back} s, together {path} s")
    });
    faults.end();
}

/// The fastest of a few microseconds more or less, at a clock that runs away: what was seen
/// before that was known is timed as well as what came later.
#[test]
fn a_drift_makes_no_delays() {
    let there = Stream {
        datagrams: 4_000,
        gap: MILLISECOND,
        ..Stream::to(5001, A_TO_B)
    };
    // Next to nothing comes back, and that early.
    let answers = Stream {
        path: B_TO_A,
        port: 4000,
        datagrams: 20,
        gap: 20 * MILLISECOND,
        ..there
    };
    let here = Sight::only(&[there, answers]);
    let mut faults = Faults::new();
    for ppm in [0, 50, 200, -50, -200] {
        let mut chance = Chance::new(7);
        let there = here.map(|mut packet| {
            let took = 200 * MICROSECOND + chance.below(5 * MICROSECOND);
            packet.time = match packet.port {
                5001 => packet.time + took,
                _ => packet.time - took,
            };
            packet
        });
        let comparison = compare(&[&here, &there.by_clock(0, ppm)]);
        let delay = &comparison["path"]["delay"];
        for figure in ["median_seconds", "p99_seconds"] {
            let what = format!("{ppm} ppm: {figure}");
            must_be_near(&mut faults, &what, &delay[figure], 0.000_205, 0.000_010);
        }
        let clock = &comparison["points"][1]["clock"];
        let what = format!("{ppm} ppm: drift");
        must_be_near(
            &mut faults,
            &what,
            &clock["drift_ppm"],
            ppm as f64,
            NEAR_PPM,
        );
        let problems = comparison["problems"].as_array().unwrap();
        faults.unless(problems.is_empty(), || format!("{ppm} ppm: {problems:?}"));
    }
    faults.end();
}

#[test]
fn the_least_and_the_most_delay_are_exact() {
    let here = traffic(true);
    let there = here.map(|mut packet| {
        packet.time = match packet.port {
            5001 => packet.time + MILLISECOND,
            _ => packet.time - MILLISECOND,
        };
        packet
    });
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    for figure in ["min", "median", "p99", "max"] {
        let delay = &comparison["path"]["delay"][format!("{figure}_seconds")];
        faults.must_be(figure, delay, 0.001);
    }
    faults.end();
}

/// Whole behind their fragments, and the other way around: no packet is the same at both.
#[test]
fn datagrams_that_are_cut_in_another_way_tell_of_clocks() {
    let sight = |mtu| {
        let stream = Stream {
            mtu,
            gap: 5 * MILLISECOND,
            ..Stream::fragmented(5001, A_TO_B)
        };
        Sight::only(&[stream])
    };
    let mut faults = Faults::new();
    for mtus in [[1_500, 9_000], [9_000, 1_500], [1_500, 1_280]] {
        let [here, there] = mtus.map(sight);
        let there = other_end(&there, 200 * MICROSECOND).by_clock(5 * HOUR, 50);
        let comparison = compare(&[&here, &there]);
        let clock = &comparison["points"][1]["clock"];
        let what = format!("{mtus:?}");
        faults.must_be(&what, &clock["basis"], "one-direction");
        faults.must_be(&what, &clock["matched"], 2_000);
        must_be_near(
            &mut faults,
            &what,
            &clock["offset_seconds"],
            18_000.0,
            NEAR_SECONDS,
        );
        must_be_near(&mut faults, &what, &clock["drift_ppm"], 50.0, 5.0);
        faults.must_be(&what, &comparison["path"]["delay"]["packets"], 2_000);
        faults.must_be(&what, &comparison["path"]["lost"]["packets"], 0);
    }
    faults.end();
}

fn without_ids(content: Content) -> Sight {
    Sight::only(&[Stream {
        datagrams: 6_000,
        gap: 5 * MILLISECOND,
        content,
        ids: Ids::None,
        ..Stream::to(5001, A_TO_B)
    }])
}

#[test]
fn packets_without_an_identification_tell_of_clocks_by_their_bytes() {
    let here = without_ids(Content::Noise);
    let there = other_end(&here, 200 * MICROSECOND)
        .by_clock(5 * HOUR, 50)
        .without(|packet| packet.datagram % 40 == 7);
    let comparison = compare(&[&here, &there]);
    let clock = &comparison["points"][1]["clock"];
    let mut faults = Faults::new();
    faults.must_be("basis", &clock["basis"], "one-direction");
    must_be_near(
        &mut faults,
        "offset",
        &clock["offset_seconds"],
        18_000.0,
        NEAR_SECONDS,
    );
    must_be_near(&mut faults, "drift", &clock["drift_ppm"], 50.0, NEAR_PPM);
    let delay = &comparison["path"]["delay"];
    // One byte of a hash tells them from those before: some look the same.
    let timed = count(delay, "packets");
    faults.unless(timed > 5_700, || format!("{timed} of 5850 timed"));
    must_be_near(
        &mut faults,
        "longest delay",
        &delay["max_seconds"],
        0.0001,
        0.00005,
    );
    faults.must_have_lost("path", &comparison["path"], &here, &there);
    faults.end();
}

/// Of those that are all alike any may be lost.
#[test]
fn packets_that_are_all_alike_tell_only_about_what_the_clock_is() {
    let here = without_ids(Content::Zeros);
    let there = here.later(MILLISECOND).by_clock(5 * HOUR, 0);
    let there = there.without(|packet| packet.datagram % 40 == 7);
    let comparison = compare(&[&here, &there]);
    let clock = &comparison["points"][1]["clock"];
    let mut faults = Faults::new();
    faults.must_be("basis", &clock["basis"], "alike");
    must_be_near(
        &mut faults,
        "offset",
        &clock["offset_seconds"],
        18_000.0,
        0.25,
    );
    faults.must_be("drift", &clock["drift_ppm"], Value::Null);
    faults.must_be("delay", &comparison["path"]["delay"], Value::Null);
    faults.end();
}
