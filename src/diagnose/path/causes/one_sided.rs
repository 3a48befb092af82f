//! C13, hosts-never-passed.

use crate::compare::FlowFacts;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::{Given, MAX_FLOWS};
use crate::diagnose::path::sums::{ends_of, name};
use crate::diagnose::path::unanswered::{Answers, mostly_to};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C13",
    name: "hosts-never-passed",
    title: "Some hosts are not seen at the next point",
    severity: Severity::Info,
    meaning: "Flows of one capture are not in the next one, and nothing else is that goes by the \
              addresses of their hosts beyond, or comes from them. Either they take another way, \
              as all does that is for other pods, for the node itself, or for another host of the \
              same service; or all of it is dropped: by a policy, or for want of a route. Two \
              captures cannot tell, and so none of it is counted as lost.",
    signature: "Both points show packets, but the second none that goes by the addresses of \
                these hosts.",
    confirms: "`ip route get` leads to the hosts by another interface than that of the next \
               capture.",
    denies: "The route leads through the next point: then all of it is dropped in between.",
    disprove: "Send something to one of the hosts (`ping -c 3 192.0.2.1`) and look at the next \
               point: `tcpdump -ni eth0 host 192.0.2.1`.",
    fix: &[
        Fix {
            when: "Linux, which way a host is reached",
            kind: FixKind::Command,
            command: "ip route get 192.0.2.1",
        },
        Fix {
            when: "Linux, which firewall rule drops",
            kind: FixKind::Command,
            command: "nft list ruleset",
        },
        Fix {
            when: "Kubernetes, which policy drops",
            kind: FixKind::Command,
            command: "kubectl get networkpolicy -A",
        },
        Fix {
            when: "it is other traffic",
            kind: FixKind::Advice,
            command: "leave it out with a filter: 'not host 192.0.2.1'",
        },
    ],
    references: &["RFC 4291 section 2.5.6", "RFC 5771 section 4"],
};

/// Each segment where something enters of hosts of which nothing passes. What stays on its link
/// has nothing to pass.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let segments = given.segments().filter_map(|(pair, between)| {
        let flows = match between.one_sided[0].flows {
            0 => Vec::new(),
            _ => flows(given, pair),
        };
        (!flows.is_empty()).then(|| finding(given, pair, &flows))
    });
    segments.collect()
}

fn finding(given: &Given<'_>, pair: usize, flows: &[(u64, usize)]) -> Finding {
    let (from, to) = ends_of(given.outcome.points.len(), pair);
    let packets: u64 = flows.iter().map(|(packets, _)| packets).sum();
    let answers = Answers::of(given);
    // They come first: of other traffic there may be very much.
    let (silent, others): (Vec<_>, Vec<_>) = flows
        .iter()
        .partition(|(_, flow)| answers.is_unanswered(&given.outcome.flows[*flow]));
    let seen = format!(
        "{} of {} are at {} and not at {}, where nothing else goes by the addresses of the hosts \
         behind it{}.{}",
        number::counted(packets, "packet"),
        number::counted(flows.len() as u64, "flow"),
        name(from),
        name(to),
        most_go(given, flows, from),
        unanswered(given, &silent, from),
    );
    let shown = silent.iter().chain(&others).take(MAX_FLOWS);
    let shown: Vec<usize> = shown.map(|(_, flow)| *flow).collect();
    Finding {
        evidence: given.one_sided_frames(pair, 0, &shown),
        flows: shown,
        severity: match silent.is_empty() {
            true => CAUSE.severity,
            false => Severity::Warning,
        },
        ..Finding::between(&CAUSE, pair, 0.4, seen)
    }
}

/// Where most packets of some flows go from a point, in words.
fn most_go(given: &Given<'_>, flows: &[(u64, usize)], from: usize) -> String {
    let flows = flows
        .iter()
        .map(|(packets, flow)| (*packets, &given.outcome.flows[*flow]));
    match mostly_to(flows, from) {
        Some((host, Some(port))) => format!(" (most go to {host}, port {port})"),
        Some((host, None)) => format!(" (most go to {host})"),
        None => String::new(),
    }
}

fn unanswered(given: &Given<'_>, silent: &[(u64, usize)], from: usize) -> String {
    let are = match silent.len() {
        0 => return String::new(),
        1 => "is",
        _ => "are",
    };
    format!(
        " {} of these {are} of TCP that nothing answers at any point{}: nobody is there, or all \
         that goes there is dropped behind {}.",
        number::count(silent.len() as u64),
        most_go(given, silent, from),
        name(from),
    )
}

/// The flows, with how many packets of each were seen, the largest first.
fn flows(given: &Given<'_>, pair: usize) -> Vec<(u64, usize)> {
    let of_errors = given.flows_of_errors();
    let flows = given.outcome.flows.iter().enumerate();
    let those = flows.filter_map(|(place, flow)| {
        let apart = &flow.account.between[pair].one_sided[0];
        let packets = apart.of_other_hosts();
        let may_pass = !flow.account.is_carrier && !stays_on_its_link(flow);
        (packets > 0 && may_pass && !of_errors.contains(&place)).then_some((packets, place))
    });
    let mut those: Vec<(u64, usize)> = those.collect();
    those.sort_unstable_by_key(|(packets, place)| (std::cmp::Reverse(*packets), *place));
    those
}

/// Whether it is no traffic of the path, but of one of its links.
fn stays_on_its_link(flow: &FlowFacts) -> bool {
    (0..flow.keys.len()).any(|point| flow.stays_on_link(point))
}
