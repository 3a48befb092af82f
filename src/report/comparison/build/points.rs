//! Points, and what was found along the path, as rows.

use super::segment::tunnel;
use crate::compare::{Outcome, PointFacts};
use crate::diagnose::{self, FixKind, path};
use crate::model::number;
use crate::report::build::capture::file;
use crate::report::comparison::document::{
    Clock, ClockBasis, Direction, OffPath, PassedHost, PathEvidence, PathExplanation, PathFinding,
    PathPart, Point, TunnelAt,
};
use crate::report::document::{Fix, Severity, Time};
use crate::source::FileFacts;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most tunnels that are listed.
const MAX_TUNNELS: usize = 8;
const NANOS: f64 = 1e9;

/// The points.
pub(super) fn points(outcome: &Outcome) -> Vec<Point> {
    let all = outcome.points.iter().enumerate();
    all.map(|(place, facts)| point(outcome, place, facts))
        .collect()
}

fn passed_host(outcome: &Outcome, place: usize) -> Vec<PassedHost> {
    let here = outcome.in_hosts.iter().filter(|host| host.point == place);
    let passed = here.map(|host| PassedHost {
        direction: Direction::of(host.is_backward),
        flows: host.flows,
        came_packets: host.came.packets,
        left_packets: host.left.packets,
        came_bytes: host.came.bytes,
        left_bytes: host.left.bytes,
    });
    passed.collect()
}

fn point(outcome: &Outcome, place: usize, facts: &PointFacts) -> Point {
    let is_end = place == 0 || place + 1 == outcome.points.len();
    Point {
        name: path::name(place),
        file: file(&facts.file),
        first_timestamp: facts.span.map(|(from, _)| Time(from)),
        last_timestamp: facts.span.map(|(_, until)| Time(until)),
        dropped_frames: FileFacts::dropped_frames_of(std::slice::from_ref(&facts.file)),
        truncated_frames: facts.truncated_frames,
        datagrams: facts.tally.datagrams,
        fragments: facts.tally.fragments,
        seen_again: facts.seen_again,
        passed_host: passed_host(outcome, place),
        missed: (!is_end).then_some(facts.tally.missed),
        passed_beside: facts.passed_beside,
        matched: facts.tally.matched,
        tunnels: tunnels(outcome, place),
        clock: clock(place, facts),
    }
}

/// Captures that are no points.
pub(super) fn off_path(outcome: &Outcome) -> Vec<OffPath> {
    let strangers = outcome.strangers.iter();
    let place_of = |given: &usize| {
        let mut strangers = outcome.strangers.iter();
        let place = strangers.position(|stranger| stranger.given == *given)?;
        u32::try_from(place).ok()
    };
    let rows = strangers.map(|stranger| OffPath {
        file: file(&stranger.file),
        packets: stranger.packets,
        packets_cut_too_short: stranger.too_short,
        shares_with: stranger.met.iter().filter_map(place_of).collect(),
    });
    rows.collect()
}

/// Points that do not lie one behind the other.
pub(super) fn side_by_side(outcome: &Outcome) -> Vec<[u32; 2]> {
    let pairs = outcome.side_by_side.pairs().iter();
    let pairs = pairs.map(|(one, other)| [*one, *other].map(|point| point as u32));
    pairs.collect()
}

/// Tunnels that flows were in at a point.
fn tunnels(outcome: &Outcome, place: usize) -> Vec<TunnelAt> {
    let mut counted = BTreeMap::new();
    let flows = outcome.flows.iter().filter(|flow| !flow.account.is_carrier);
    for flow in flows {
        let packets = flow.account.at[place].packets;
        if let Some(key) = flow.keys[place].as_ref().filter(|_| packets > 0) {
            *counted.entry(tunnel(outcome, key)).or_insert(0) += packets;
        }
    }
    let mut tunnels: Vec<TunnelAt> = counted
        .into_iter()
        .map(|(tunnel, packets)| TunnelAt {
            kind: tunnel.map(|(kind, _)| kind),
            id: tunnel.and_then(|(_, id)| id),
            packets,
        })
        .collect();
    tunnels.sort_by_key(|tunnel| Reverse(tunnel.packets));
    tunnels.truncate(MAX_TUNNELS);
    tunnels
}

fn clock(place: usize, point: &PointFacts) -> Clock {
    let facts = &point.clock;
    let [forward, backward] = facts.matched;
    let is_about_known = facts.is_known && point.tally.matched > 0;
    let is_known = is_about_known || forward + backward > 0;
    Clock {
        offset_seconds: match place {
            0 => Some(0.0),
            _ => is_known.then_some(facts.offset.0 as f64 / NANOS),
        },
        drift_ppm: match place {
            0 => Some(0.0),
            _ => facts.drift_ppm.map(|(drift, _)| drift),
        },
        drift_error_ppm: match place {
            0 => Some(0.0),
            _ => facts.drift_ppm.map(|(_, error)| error),
        },
        basis: match (place, forward, backward) {
            (0, _, _) => ClockBasis::Reference,
            (_, 0, 0) if is_about_known => ClockBasis::Alike,
            (_, 0, 0) => ClockBasis::None,
            (_, 0, _) | (_, _, 0) => ClockBasis::OneDirection,
            _ => ClockBasis::BothDirections,
        },
        matched: forward + backward,
    }
}

/// What speaks against the comparison: what was not found elsewhere, and may be in doubt.
pub(super) fn objections(outcome: &Outcome, is_filtered: bool) -> Vec<String> {
    let points = outcome.points.iter().enumerate();
    let mut told: Vec<String> = points
        .filter(|(place, facts)| {
            facts.tally.matched == 0
                && !says_why_itself(&facts.file)
                && (facts.tally.datagrams == 0 || others_show_something(outcome, *place))
        })
        .map(|(place, facts)| {
            let what = match facts.tally.datagrams {
                0 if is_filtered && facts.file.frames > 0 => FILTERED_OUT.to_owned(),
                0 => "has no IP packets that could be found elsewhere".to_owned(),
                seen => format!(
                    "shows {} of which none was found at another point: other traffic, or \
                     another time; nothing is said of losses there",
                    number::counted(seen, "datagram")
                ),
            };
            format!("{} ({}) {what}", path::name(place), facts.file.path)
        })
        .collect();
    let strangers = outcome.strangers.iter();
    let strangers = strangers.filter(|stranger| !says_why_itself(&stranger.file));
    told.extend(strangers.map(|stranger| {
        let what = match stranger.packets {
            0 if is_filtered && stranger.file.frames > 0 => FILTERED_OUT.to_owned(),
            0 => "has no IP packets that could be found in other captures".to_owned(),
            seen => format!(
                "shows {} of which next to nothing was found in those of the path",
                number::counted(seen, "IP packet")
            ),
        };
        format!("{} {what}, and is no point of the path", stranger.file.path)
    }));
    told.extend(same_files(outcome));
    told.extend(doubts(outcome));
    told.extend(of_order(outcome));
    told
}

/// What a filter names is looked for outside of tunnels.
const FILTERED_OUT: &str = "has no packets that match the filter (of tunnels it sees the outer \
                            packets: add 'or udp port 4789' for VXLAN, 6081 for Geneve)";

/// Whether any other capture has packets, among which those of a point could be.
fn others_show_something(outcome: &Outcome, point: usize) -> bool {
    let mut others = outcome.points.iter().enumerate();
    others.any(|(place, facts)| place != point && facts.tally.datagrams > 0)
        || outcome
            .strangers
            .iter()
            .any(|stranger| stranger.packets > 0)
}

/// Captures that are one and the same file, byte by byte.
fn same_files(outcome: &Outcome) -> Vec<String> {
    let hash = |point: &PointFacts| point.file.sha256.clone();
    let points = outcome.points.iter().enumerate();
    let same = points.filter_map(|(place, point)| {
        let mut before = outcome.points[..place].iter();
        let before =
            before.position(|other| hash(other).is_some() && hash(other) == hash(point))?;
        Some(format!(
            "{} and {} are the same file, byte by byte: no difference is to be expected",
            path::name(before),
            path::name(place)
        ))
    });
    same.collect()
}

/// What speaks against the order of the points.
fn of_order(outcome: &Outcome) -> Vec<String> {
    let order = &outcome.order;
    let point = |place: usize| {
        let file = outcome
            .points
            .get(place)
            .map(|facts| facts.file.path.as_str());
        format!("{} ({})", path::name(place), file.unwrap_or_default())
    };
    let advice = match order.was_wanted {
        true => "",
        false => {
            ": the captures may have been given in the wrong order (--order auto looks for it)"
        }
    };
    let unknown = order.unknown.iter().map(|place| {
        format!(
            "which of {} and {} lies in front was not found: neither TTLs nor clocks tell them \
             apart, and they are as they were given",
            point(*place),
            point(place + 1)
        )
    });
    let contradicted = order.contradicted.iter().map(|place| {
        format!(
            "TTLs tell that {} lies behind {}, not in front of it{advice}",
            point(*place),
            point(place + 1)
        )
    });
    let mut told: Vec<String> = unknown.chain(contradicted).collect();
    if !order.was_wanted && path::is_mostly_backward(outcome) {
        told.push(format!(
            "nearly all of the traffic goes from the last point to the first{advice}"
        ));
    }
    told
}

/// Whether nothing came of a file for a reason that is told with it.
fn says_why_itself(file: &FileFacts) -> bool {
    file.frames == 0 && !file.problems.is_empty()
}

/// What may have been taken for what it is not.
fn doubts(outcome: &Outcome) -> Vec<String> {
    let points = outcome.points.iter().enumerate();
    let full = points.clone().filter(|(_, point)| point.flows_refused > 0);
    let refused = full.map(|(place, point)| {
        format!(
            "{} has more flows than are told apart: {} of further ones were left out, and what \
             other points have of them is not judged",
            path::name(place),
            number::counted(point.flows_refused, "packet"),
        )
    });
    let mut told: Vec<String> = points.clone().filter_map(too_short).collect();
    told.extend(refused);
    if outcome.clocks_set_back > 0 {
        told.push(
            "the clock of a capture was set back while it captured: what follows may be taken for \
             lost; split the file there"
                .to_owned(),
        );
    }
    let pairs = outcome.points.len().saturating_sub(1);
    told.extend((0..pairs).filter_map(|pair| outside(outcome, pair)));
    told
}

/// What cannot be found elsewhere.
fn too_short((place, point): (usize, &PointFacts)) -> Option<String> {
    (point.too_short > 0).then(|| {
        format!(
            "{} ({}) is cut so short that {} cannot be told from others: they are left out, and \
             may be counted as lost; capture with 'tcpdump -s 128', or 192 in tunnels",
            path::name(place),
            point.file.path,
            number::counted(point.too_short, "packet"),
        )
    })
}

/// What passed one point while the other did not capture.
fn outside(outcome: &Outcome, pair: usize) -> Option<String> {
    let (from, to) = path::ends_of(outcome.points.len(), pair);
    let is_known = |point: usize| outcome.points[point].tally.matched > 0;
    let flows = outcome.flows.iter().filter(|flow| !flow.account.is_carrier);
    let packets: u64 = flows
        .map(|flow| flow.account.between[pair].outside.iter().sum::<u64>())
        .sum();
    (packets > 0 && is_known(from) && is_known(to)).then(|| {
        format!(
            "{} passed {} or {} before the other shows anything or behind all it shows, and {} not \
             judged: either it did not capture then, or nothing came to it",
            number::counted(packets, "packet"),
            path::name(from),
            path::name(to),
            if packets == 1 { "is" } else { "are" },
        )
    })
}

/// What was found; `numbers` are those of the flows that are listed.
pub(super) fn findings(diagnosis: &path::Diagnosis, numbers: &[usize]) -> Vec<PathFinding> {
    diagnosis
        .findings
        .iter()
        .map(|found| finding(found, numbers))
        .collect()
}

fn finding(found: &path::Finding, numbers: &[usize]) -> PathFinding {
    let cause = found.cause;
    let listed = found.flows.iter().filter_map(|flow| {
        let place = numbers.iter().position(|number| number == flow);
        place.map(|place| place as u64)
    });
    PathFinding {
        id: cause.id.to_owned(),
        name: cause.name.to_owned(),
        severity: match found.severity {
            diagnose::Severity::Info => Severity::Info,
            diagnose::Severity::Warning => Severity::Warning,
            diagnose::Severity::Error => Severity::Error,
        },
        title: cause.title.to_owned(),
        segment: found.segment.map(|segment| segment as u32),
        direction: found.is_backward.map(Direction::of),
        point: found.point.map(|point| point as u32),
        seen: found.seen.clone(),
        explanation: format!("{} {}", found.seen, cause.meaning),
        confidence: found.confidence,
        evidence: found.evidence.iter().map(evidence).collect(),
        disprove: cause.disprove.to_owned(),
        fix: found
            .fix
            .iter()
            .map(|fix| Fix {
                when: fix.when.to_owned(),
                is_command: fix.kind == FixKind::Command,
                command: fix.command.to_owned(),
            })
            .collect(),
        references: cause
            .references
            .iter()
            .map(|text| (*text).to_owned())
            .collect(),
        flows: listed.collect(),
        missing_bytes: found.missing_bytes(),
    }
}

fn evidence(shown: &path::Evidence) -> PathEvidence {
    PathEvidence {
        point: shown.point as u32,
        frame: shown.frame,
        timestamp: Time(shown.timestamp),
        note: shown.note.clone(),
    }
}

/// The explanation.
pub(super) fn explanation(explained: &path::Explanation) -> PathExplanation {
    PathExplanation {
        direction: Direction::of(explained.is_backward),
        sent_bytes: explained.sent_bytes,
        sent_bits_per_second: explained.sent_bits_per_second,
        arrived_bytes: explained.arrived_bytes,
        sent_datagrams: explained.sent_datagrams,
        arrived_datagrams: explained.arrived_datagrams,
        spoiled_datagrams: explained.spoiled_datagrams,
        whole_fragmented_datagrams: explained.whole_fragmented_datagrams,
        predicted_datagrams: explained.predicted_datagrams,
        counted_datagrams: explained.counted_datagrams,
        parts: explained
            .parts
            .iter()
            .map(|part| PathPart {
                finding: part.cause.to_owned(),
                segment: part.segment as u32,
                bytes: part.bytes,
            })
            .collect(),
        residual_bytes: explained.residual_bytes,
        sentence: explained.sentence.clone(),
    }
}
