//! Captures given in any order, put into that of the path.

use super::sight::{Sight, Stream};
use super::{Captures, Faults};
use crate::findings::capture::{MILLISECOND, SECOND};
use crate::findings::packet::{A_TO_B, B_TO_A};
use crate::support::name;
use serde_json::Value;
use std::path::{Path, PathBuf};

const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Names of the files, in the order of the path as it was found.
fn found(comparison: &Value) -> Vec<String> {
    let points = comparison["points"].as_array().unwrap().iter();
    let paths = points.map(|point| point["file"]["path"].as_str().unwrap());
    paths.map(|path| name(Path::new(path))).collect()
}

/// Whatever the order of the files, that of the path is found, and so are the losses.
fn is_found_from_any(points: &[Sight; 3]) {
    let captures = Captures::of(&points.each_ref());
    let mut faults = Faults::new();
    for order in ORDERS {
        let given: Vec<PathBuf> = order.map(|at| captures.paths[at].clone()).to_vec();
        let comparison = super::compared(&given, &["--order", "auto"]);
        let what = format!("{order:?}");
        faults.must_be(&what, &found(&comparison).into(), vec!["0", "1", "2"]);
        faults.must_be(&what, &comparison["options"]["order_found"], true);
        let segments = &comparison["segments"];
        faults.must_have_lost(&what, &segments[0], &points[0], &points[1]);
        faults.must_have_lost(&what, &segments[1], &points[1], &points[2]);
        if faults.0.len() > 10 {
            break;
        }
    }
    faults.end();
}

/// Routers between them lower the hop limit; clocks say nothing.
#[test]
fn hop_limits_tell_the_order() {
    let first = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let second = first
        .later(MILLISECOND)
        .map(|packet| packet.routed())
        .without(|packet| packet.datagram % 40 == 1);
    let third = second
        .later(MILLISECOND)
        .map(|packet| packet.routed())
        .without(|packet| packet.datagram % 40 == 2);
    let day = 24 * 3_600 * SECOND as i64;
    is_found_from_any(&[first, second.by_clock(day, 0), third.by_clock(-day, 10)]);
}

/// Bridges change nothing, but what was lost does not come back.
#[test]
fn losses_tell_the_order() {
    let first = Sight::of(&[Stream::fragmented(5001, A_TO_B)]);
    let lost = |sight: &Sight, at| {
        sight
            .later(MILLISECOND)
            .without(|packet| packet.datagram % 20 == at && packet.index == 3)
    };
    let second = lost(&first, 1);
    let third = lost(&second, 2);
    is_found_from_any(&[first, second, third]);
}

/// With clocks that agree, time tells it, if most packets go forward.
#[test]
fn equal_clocks_tell_the_order() {
    let there = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let back = Sight::only(&[Stream {
        path: B_TO_A,
        port: 4000,
        datagrams: 500,
        gap: 4 * MILLISECOND,
        ..Stream::to(4000, B_TO_A)
    }]);
    let seen = |point: u64| {
        let forward = there.later(point * 10 * MILLISECOND);
        forward.and(&back.later((2 - point) * 10 * MILLISECOND))
    };
    let points = [0, 1, 2].map(seen);
    let captures = Captures::of(&points.each_ref());
    let mut faults = Faults::new();
    for order in ORDERS {
        let given: Vec<PathBuf> = order.map(|at| captures.paths[at].clone()).to_vec();
        let comparison = super::compared(&given, &["--order", "auto"]);
        let what = format!("{order:?}");
        faults.must_be(&what, &found(&comparison).into(), vec!["0", "1", "2"]);
        faults.must_be(&what, &comparison["path"]["lost"]["packets"], 0);
    }
    faults.end();
}

/// Without being asked to, nothing is put in another order.
#[test]
fn the_order_that_is_given_is_kept() {
    let first = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let second = first.later(MILLISECOND).map(|packet| packet.routed());
    let captures = Captures::of(&[&second, &first]);
    let comparison = captures.compared(&[]);
    assert_eq!(found(&comparison), ["0", "1"]);
    assert_eq!(comparison["options"]["order_found"], false);
}

/// Those of `points` that were given, in an order.
fn given(captures: &Captures, order: &[usize]) -> Vec<PathBuf> {
    order.iter().map(|at| captures.paths[*at].clone()).collect()
}

fn problems_with<'a>(comparison: &'a Value, words: &str) -> Vec<&'a str> {
    let problems = comparison["problems"].as_array().unwrap().iter();
    let told = problems.filter_map(|problem| problem["message"].as_str());
    told.filter(|told| told.contains(words)).collect()
}

const UNTOLD: &str = "lies in front was not found";
const ADVICE: &str = "--order auto";

/// No router is between the first two, and their clocks are a day apart.
#[test]
fn what_cannot_be_told_stays_as_given_and_is_said() {
    let day = 24 * 3_600 * SECOND as i64;
    let first = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let second = first.later(MILLISECOND);
    let third = second.later(MILLISECOND).map(|packet| packet.routed());
    let captures = Captures::of(&[&first, &second.by_clock(day, 0), &third.by_clock(-day, 0)]);
    let mut faults = Faults::new();
    for (order, must) in [([1, 2, 0], ["1", "0", "2"]), ([2, 0, 1], ["0", "1", "2"])] {
        let comparison = super::compared(&given(&captures, &order), &["--order", "auto"]);
        let what = format!("{order:?}");
        faults.must_be(&what, &found(&comparison).into(), must.to_vec());
        faults.must_be(&what, &comparison["options"]["order_found"], true);
        let told = problems_with(&comparison, UNTOLD);
        faults.unless(told.len() == 1, || format!("{what}: told is {told:?}"));
    }
    let both = super::compared(&given(&captures, &[1, 0]), &["--order", "auto"]);
    faults.must_be("order", &found(&both).into(), vec!["1", "0"]);
    faults.must_be("found", &both["options"]["order_found"], false);
    faults.unless(problems_with(&both, UNTOLD).len() == 1, || {
        "not told".to_owned()
    });
    faults.end();
}

/// The last was given second. Who looks for the order is not told to.
#[test]
fn an_order_that_ttls_contradict_is_told() {
    let mut points = vec![Sight::of(&[Stream::to(5001, A_TO_B)])];
    for _ in 1..4 {
        let last = points.last().unwrap().later(MILLISECOND);
        points.push(last.map(|packet| packet.routed()));
    }
    let captures = Captures::of(&points.iter().collect::<Vec<_>>());
    let wrong = given(&captures, &[0, 3, 1, 2]);
    let mut faults = Faults::new();
    let comparison = super::compared(&wrong, &[]);
    let told = problems_with(&comparison, ADVICE);
    let is_it = told.len() == 1 && told[0].contains("TTLs tell that B");
    faults.unless(is_it, || format!("told is {told:?}"));
    let comparison = super::compared(&wrong, &["--order", "auto"]);
    let told = problems_with(&comparison, "TTLs");
    faults.unless(told.is_empty(), || format!("set right, told is {told:?}"));
    let comparison = captures.compared(&[]);
    let told = problems_with(&comparison, "TTLs");
    faults.unless(told.is_empty(), || format!("given right, told is {told:?}"));
    faults.end();
}

/// Much goes one way and little back, in other packets at each point: both tell the same.
#[test]
fn what_goes_back_tells_the_order_too() {
    let there = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let back = Sight::only(&[Stream {
        path: B_TO_A,
        port: 4000,
        bytes: 1_000,
        ..Stream::to(4000, B_TO_A)
    }]);
    let point = |steps: u64| {
        let routed = |sight: &Sight, times: u64| {
            (0..times).fold(sight.later(times * MILLISECOND), |sight, _| {
                sight.map(|packet| packet.routed())
            })
        };
        // Of what goes there the middle shows no more than the beats.
        let there = routed(&there, steps).without(|_| steps == 1);
        there.and(&routed(&back, 2 - steps))
    };
    let captures = Captures::of(&[&point(0), &point(1), &point(2)]);
    let mut faults = Faults::new();
    for order in ORDERS {
        let comparison = super::compared(&given(&captures, &order), &["--order", "auto"]);
        let is = found(&comparison);
        let is_path = is == ["0", "1", "2"] || is == ["2", "1", "0"];
        faults.unless(is_path, || format!("{order:?}: {is:?}"));
        let told = problems_with(&comparison, ADVICE);
        faults.unless(told.is_empty(), || format!("{order:?}: {told:?}"));
    }
    faults.end();
}

/// A router that puts fragments together is between them.
#[test]
fn datagrams_put_together_tell_the_order() {
    let here = Sight::only(&[Stream::fragmented(5001, A_TO_B)]);
    let there = Sight::only(&[Stream {
        mtu: 9_000,
        ..Stream::fragmented(5001, A_TO_B)
    }]);
    let there = there.later(MILLISECOND).map(|packet| packet.routed());
    let captures = Captures::of(&[&here, &there.by_clock(3_600 * SECOND as i64, 0)]);
    let comparison = super::compared(&given(&captures, &[1, 0]), &["--order", "auto"]);
    assert_eq!(found(&comparison), ["0", "1"]);
    assert_eq!(comparison["options"]["order_found"], true);
}
