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
