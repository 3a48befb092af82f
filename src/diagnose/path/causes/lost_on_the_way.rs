//! C01, path-loss.

use super::only_first_pass::is_by_place;
use crate::compare::Between;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::{Found, Given, Way};
use crate::diagnose::path::pattern::Look;
use crate::diagnose::path::sums::{ends_of, name};
use crate::diagnose::path::unseen::Unseen;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C01",
    name: "path-loss",
    title: "Packets are lost between two points",
    severity: Severity::Error,
    meaning: "Packets that one capture has never came to the next one, nor to any further on. \
              Something between the two points drops them: a queue that is full, a policy, a \
              link, a device that does not like them. Of a datagram in fragments one lost \
              fragment costs all.",
    signature: "Packets of one point are missing at all points behind it, in the time in which \
                all captured.",
    confirms: "A counter of drops between the two points grows by as many: of the interface, of \
               the queue, of the firewall's rule, of the switch's port.",
    denies: "The capture behind says that it dropped packets, or the receiver counted more than \
             it shows.",
    disprove: "Capture again with a larger buffer (`tcpdump -B 262144`) and a third point between \
               the two: where the loss moves with the capture, it is the capture's.",
    fix: &[
        Fix {
            when: "Linux, which interface drops",
            kind: FixKind::Command,
            command: "ip -s -s link show dev eth0",
        },
        Fix {
            when: "Linux, which queue drops",
            kind: FixKind::Command,
            command: "tc -s qdisc show dev eth0",
        },
        Fix {
            when: "Linux, where in the kernel packets are dropped",
            kind: FixKind::Command,
            command: "perf trace --no-syscalls -e skb:kfree_skb --duration 10",
        },
        Fix {
            when: "Linux, which firewall rule drops",
            kind: FixKind::Command,
            command: "nft list ruleset",
        },
        Fix {
            when: "only large packets: what MTU the path has",
            kind: FixKind::Command,
            command: "ping -M do -s 1372 10.16.0.9",
        },
        Fix {
            when: "Open vSwitch, which datapath drops",
            kind: FixKind::Command,
            command: "ovs-appctl coverage/show",
        },
    ],
    references: &[
        "RFC 8900 section 3.4",
        "man7.org/linux/man-pages/man8/ip-link.8.html",
        "Linux include/net/dropreason-core.h",
    ],
};

/// Each segment in which something is lost, unless its place in the datagram tells more, or that
/// datagrams are put together there.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let besides = |pair: usize, way: &Way<'_>| {
        let incomplete = given.lost_as_incomplete(pair, way.is_backward);
        lost(way.between).saturating_sub(incomplete.packets)
    };
    let lossy = given.found_one_way(besides).into_iter();
    lossy
        .filter(|found| !is_by_place(given, found.pair, found.between))
        .flat_map(|found| by_doubt(given, found))
        .map(|found| finding(given, &found))
        .collect()
}

/// What may be the capture's one way, and is not the other way, are two things.
fn by_doubt<'a>(given: &Given<'_>, found: Found<'a>) -> Vec<Found<'a>> {
    let may_be_all = |way: &&Way<'a>| {
        let unseen = given.unseen(found.pair, way);
        unseen.is_some_and(|unseen| unseen.is_all())
    };
    match found.ways.iter().filter(may_be_all).count() {
        1 if found.ways.len() == 2 => found.each_way(),
        _ => vec![found],
    }
}

fn finding(given: &Given<'_>, found: &Found<'_>) -> Finding {
    let (pair, between) = (found.pair, found.between);
    let (confidence, mut doubt) = doubt(given, found);
    let unseen: Vec<Unseen> = found
        .ways
        .iter()
        .filter_map(|way| given.unseen(pair, way))
        .collect();
    doubt.extend(unseen.iter().map(Unseen::told));
    let may_be_all = unseen.len() == found.ways.len() && unseen.iter().all(Unseen::is_all);
    let confidence = if may_be_all {
        confidence.min(0.3)
    } else {
        confidence
    };
    let incomplete = |way: &Way<'_>| given.lost_as_incomplete(pair, way.is_backward);
    let missing = |way: &Way<'_>| {
        let lost = way.between.lost().bytes;
        match found.goes(way.is_backward) {
            true => lost.saturating_sub(incomplete(way).bytes),
            false => 0,
        }
    };
    let mut flows = given.flows(pair, |between| between.lost().bytes);
    flows.retain(|flow| found.goes(given.outcome.flows[*flow].is_backward));
    let mut finding = Finding {
        evidence: given.lost_frames(pair, between),
        flows,
        missing: Some(given.each_way(pair, missing)),
        severity: match confidence < 0.5 {
            true => Severity::Warning,
            false => CAUSE.severity,
        },
        ..found.finding(&CAUSE, confidence, |way| {
            let look = given.look_one_way(pair, way.is_backward);
            format!(
                "{}.{}{}{}",
                look.described,
                too_large(look.pattern),
                not_whole(way.between),
                put_together(incomplete(way).packets)
            )
        })
    };
    finding.seen.push_str(&doubt);
    finding.seen.extend(beside(given, pair));
    finding
}

/// What loses by size alone.
fn too_large(look: Look) -> &'static str {
    match look {
        Look::Large => {
            " A link whose MTU is too small for them loses what may not be fragmented (DF), and the \
             message that says so (ICMP fragmentation needed) may be lost as well."
        }
        _ => "",
    }
}

/// Where it is lost if its points lie side by side.
fn beside(given: &Given<'_>, pair: usize) -> Option<String> {
    let (front, back) = ends_of(given.outcome.points.len(), pair);
    let [front_name, back_name] = [front, back].map(name);
    given.outcome.side_by_side.has(front, back).then(|| {
        format!(
            " {front_name} and {back_name} lie side by side, and it is lost behind the one that it \
             passed."
        )
    })
}

/// What that does to datagrams that go this way, where some are in fragments.
fn not_whole(way: &Between) -> String {
    if way.front.fragments == 0 {
        return String::new();
    }
    format!(
        " With {}, {} of {} cannot be whole.",
        number::counted(lost(way), "packet"),
        number::count(way.front.datagrams - way.front_passed.datagrams),
        number::counted(way.front.datagrams, "datagram"),
    )
}

/// How many of them another finding tells of.
fn put_together(packets: u64) -> String {
    match packets {
        0 => String::new(),
        packets => format!(
            " {} of these are of datagrams that had entered with fragments missing, and are not \
             counted here.",
            number::counted(packets, "packet")
        ),
    }
}

/// What a capture lost itself cannot be told from the path's loss where nothing is behind.
fn doubt(given: &Given<'_>, found: &Found<'_>) -> (f64, String) {
    let between = found.between;
    let last = given.outcome.points.len() - 1;
    let to = found.ways[0].to;
    let has_more_behind = to > 0 && to < last;
    match given.own_drops(to) {
        Some(0) if has_more_behind => (0.95, String::new()),
        Some(0) => (
            0.95,
            " The capture behind says that it dropped nothing.".to_owned(),
        ),
        Some(dropped) => {
            let may_be_all = dropped >= lost(between);
            let (confidence, own) = match may_be_all {
                true => (0.4, "it may have lost all of these itself"),
                false => (0.8, "so many of these may be its own"),
            };
            let besides = match has_more_behind {
                true => " besides those that were seen further on",
                false => "",
            };
            let dropped = number::counted(dropped, "frame");
            let doubt =
                format!(" The capture behind says that it dropped {dropped}{besides}: {own}.");
            (confidence, doubt)
        }
        None if has_more_behind => (0.95, String::new()),
        None => (
            0.8,
            " The capture behind does not say whether it dropped any (pcap has no room for it)."
                .to_owned(),
        ),
    }
}

pub(super) fn lost(between: &Between) -> u64 {
    between.lost().packets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_whole_is_of_the_way_the_losses_are_of() {
        let mut way = Between::default();
        (way.front.packets, way.front_passed.packets) = (100, 97);
        (way.front.datagrams, way.front_passed.datagrams) = (30, 28);
        assert_eq!(not_whole(&way), "");
        way.front.fragments = 90;
        let told = " With 3 packets, 2 of 30 datagrams cannot be whole.";
        assert_eq!(not_whole(&way), told);
    }
}
