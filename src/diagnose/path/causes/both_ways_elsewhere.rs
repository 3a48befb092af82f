//! C19, not-captured.

use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::path::sums::{ends_of, name};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C19",
    name: "not-captured",
    title: "A capture lacks whole conversations",
    severity: Severity::Info,
    meaning: "Both ways of some flows pass one point, and the capture of its neighbour has \
              nothing of them, though other traffic of the same hosts is in both. What is \
              answered has arrived: the other capture was made with a filter, or of one interface \
              of several that these hosts are reached by (a bond, ECMP, a second network). None of \
              it is counted as lost.",
    signature: "Flows of which one point shows what goes there and what comes back, and the other \
                neither.",
    confirms: "The capture was made with a filter, as for `udp` or a port, or the hosts have \
               another way to each other: `ip route show table all`.",
    denies: "Something on the way answers in the name of a host (a proxy, a load balancer, a \
             firewall) at the point that shows both ways.",
    disprove: "Capture without a filter, on all interfaces: `tcpdump -ni any host 192.0.2.1`.",
    fix: &[
        Fix {
            when: "the capture had a filter",
            kind: FixKind::Advice,
            command: "capture with the same filter at all points, and let it pass fragments: \
                      'host 192.0.2.1', no ports",
        },
        Fix {
            when: "Linux, by which interface the host is reached",
            kind: FixKind::Command,
            command: "ip route get 192.0.2.1",
        },
        Fix {
            when: "Linux, one way of several",
            kind: FixKind::Command,
            command: "tcpdump -ni any -w all.pcapng host 192.0.2.1",
        },
    ],
    references: &["RFC 2992"],
};

/// Each capture that lacks what a neighbour shows both ways of.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let sides = given.segments().flat_map(|(pair, between)| {
        let of_sides = [0, 1].map(|side| (pair, side, between.one_sided[side].both_ways));
        of_sides.into_iter()
    });
    let lacking = sides.filter(|(_, _, packets)| *packets > 0);
    lacking
        .map(|(pair, side, packets)| finding(given, (pair, side), packets))
        .collect()
}

fn finding(given: &Given<'_>, (pair, side): (usize, usize), packets: u64) -> Finding {
    let (front, back) = ends_of(given.outcome.points.len(), pair);
    let (here, there) = match side {
        0 => (front, back),
        _ => (back, front),
    };
    let those = given.outcome.flows.iter().filter(|flow| {
        !flow.account.is_carrier && flow.account.between[pair].one_sided[side].both_ways > 0
    });
    let flows = given.flows(pair, |between| between.one_sided[side].both_ways);
    let seen = format!(
        "{} of {} go both ways at {}, and the capture at {} has none of them: it has a filter, or \
         they go by another interface.",
        number::counted(packets, "packet"),
        number::counted(those.count() as u64, "flow"),
        name(here),
        name(there),
    );
    Finding {
        evidence: given.one_sided_frames(pair, side, &flows),
        flows,
        ..Finding::at(&CAUSE, there, 0.7, seen)
    }
}
