//! Charts as markup, and what no figure may do to them.

use super::balance::{self, Stretch};
use super::bars::{self, Bar, Look};
use super::memory::{self, Curve, Memories};
use super::strip;
use super::timeline::{self, Mark};
use crate::model::Timestamp;
use crate::report::document::*;

/// Markup with a line for each element, so that a snapshot can be read.
fn lines(svg: &str) -> String {
    svg.replace("><", ">\n<")
}

/// What is markup of a chart, whatever went into it.
fn is_sound(svg: &str) {
    assert!(svg.starts_with("<svg class=\"wide\" role=\"img\"") && svg.ends_with("</svg>"));
    assert_eq!(svg.matches("<svg class=\"narrow\"").count(), 1, "{svg}");
    for word in ["NaN", "inf", "e+", "-0\""] {
        assert!(!svg.contains(word), "{word} in {svg}");
    }
    let opened = svg.matches('<').count() - 2 * svg.matches("</").count();
    assert_eq!(opened, svg.matches("/>").count(), "{svg}");
}

fn timeline_of(bucket_seconds: f64, buckets: &[(u64, u64, u64)]) -> Timeline {
    let bucket =
        |(index, (bytes, deliverable_bytes, datagrams_lost)): (usize, &(u64, u64, u64))| Bucket {
            start: Time(Timestamp(index as i64 * 1_000_000_000)),
            packets: 1,
            bytes: *bytes,
            fragments: 1,
            datagrams_completed: 1,
            deliverable_bytes: *deliverable_bytes,
            datagrams_lost: *datagrams_lost,
        };
    Timeline {
        bucket_seconds,
        buckets: buckets.iter().enumerate().map(bucket).collect(),
    }
}

fn mark(seconds: f64) -> Mark {
    Mark {
        seconds,
        what: "the memory is <full>".to_owned(),
    }
}

fn lost(pieces: &[(u32, u32)], payload_bytes: Option<u32>) -> LostDatagram {
    LostDatagram {
        reason: "gap",
        frame: 1,
        timestamp: Time(Timestamp(0)),
        file: "a.pcap".to_owned(),
        flow: None,
        identification: 7,
        payload_bytes,
        fragment_bytes: Some(1_000),
        pieces: pieces
            .iter()
            .map(|(from, to)| Piece {
                from: *from,
                to: *to,
            })
            .collect(),
        pieces_omitted: 0,
    }
}

#[test]
fn a_timeline_shows_what_was_lost() {
    let timeline = timeline_of(1.0, &[(1_000, 1_000, 0), (2_000, 500, 3), (0, 0, 0)]);
    insta::assert_snapshot!(lines(&timeline::draw(&timeline, &[mark(1.5), mark(1.5)])));
}

#[test]
fn a_datagram_shows_what_is_missing() {
    let datagram = lost(&[(0, 1_000), (3_000, 4_000), (4_000, 4_500)], Some(4_500));
    insta::assert_snapshot!(lines(&strip::draw("lost-1", "A datagram", &datagram)));
}

#[test]
fn a_balance_is_labelled_where_there_is_room() {
    let stretch = |label: &str, fill, bytes| Stretch {
        label: label.to_owned(),
        fill,
        bytes,
    };
    let parts = [
        stretch("delivered", "good", 600),
        stretch("D09", "fault0", 399),
        stretch("D01", "fault1", 1),
    ];
    insta::assert_snapshot!(lines(&balance::draw(&parts)));
    is_sound(&balance::draw(&[]));
    is_sound(&balance::draw(&[
        stretch("all", "good", u64::MAX),
        stretch("more", "lost", 9),
    ]));
}

#[test]
fn no_timeline_breaks_its_chart() {
    let most = u64::MAX;
    let few: [&[(u64, u64, u64)]; 5] = [
        &[],
        &[(0, 0, 0)],
        &[(1, 1, 1)],
        &[(most, most, most)],
        &[(5, 9, 0), (0, most, 1)],
    ];
    let times = [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN, 1e300];
    for buckets in few {
        for seconds in times {
            let marks = times.map(mark);
            is_sound(&timeline::draw(&timeline_of(seconds, buckets), &marks));
        }
    }
}

#[test]
fn no_share_breaks_its_bar() {
    for share in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1.0,
        0.0,
        1e-12,
        7.0,
    ] {
        for rest in [None, Some("lost")] {
            let bar = Bar {
                name: "first".to_owned(),
                share,
                figures: "<1 & 2>".to_owned(),
            };
            let look = Look {
                filled: "good",
                rest,
                axis: "share",
            };
            is_sound(&bars::draw(
                "bars",
                "Bars",
                std::slice::from_ref(&bar),
                look,
            ));
            is_sound(&bars::draw("bars", "Bars", &[], look));
        }
    }
}

#[test]
fn no_memory_breaks_its_curve() {
    let steps: [&[u64]; 4] = [&[], &[0], &[u64::MAX], &[1, 2, 3]];
    for peak_bytes in steps {
        for step_seconds in [0.0, f64::NAN, -1.0, 1e300] {
            let memory = MemoryUse {
                step_seconds,
                first_timestamp: None,
                peak_bytes: peak_bytes.to_vec(),
            };
            let curve = Curve {
                letter: "A".to_owned(),
                name: "as assumed".to_owned(),
                memory: &memory,
                begins: -0.002,
            };
            for limit_bytes in [None, Some(0), Some(u64::MAX)] {
                is_sound(&memory::draw(&Memories {
                    id: "memory".to_owned(),
                    title: "Memory".to_owned(),
                    curves: vec![curve.clone()],
                    limit_bytes,
                    full_after: Some(step_seconds),
                }));
            }
        }
    }
}

#[test]
fn no_pieces_break_their_strip() {
    let most = u32::MAX;
    let pieces: [&[(u32, u32)]; 6] = [
        &[],
        &[(0, 0)],
        &[(9, 3)],
        &[(0, most), (0, most), (5, 6), (5, 6), (5, 6), (5, 6)],
        &[(most - 1, most)],
        &[(0, 8), (4, 12), (20, 30)],
    ];
    for pieces in pieces {
        for payload_bytes in [None, Some(0), Some(10), Some(most)] {
            for fragment_bytes in [None, Some(0), Some(8), Some(most)] {
                let datagram = LostDatagram {
                    fragment_bytes,
                    ..lost(pieces, payload_bytes)
                };
                is_sound(&strip::draw("lost", "A datagram", &datagram));
            }
        }
    }
}

#[test]
fn gaps_have_the_numbers_of_their_fragments() {
    let datagram = lost(&[(0, 1_000), (3_000, 4_000)], Some(4_500));
    let place = |from, to| strip::place(&datagram, from, to);
    assert_eq!(place(1_000, 3_000), "fragments 2–3 of 5");
    assert_eq!(place(4_000, 4_500), "fragment 5 of 5");
    let fates: Vec<(u32, u32, bool)> = strip::stretches(&datagram)
        .iter()
        .map(|stretch| {
            (
                stretch.from,
                stretch.to,
                stretch.fate == strip::Fate::Missing,
            )
        })
        .collect();
    let expected = [
        (0, 1_000, false),
        (1_000, 3_000, true),
        (3_000, 4_000, false),
        (4_000, 4_500, true),
    ];
    assert_eq!(fates, expected);
}
