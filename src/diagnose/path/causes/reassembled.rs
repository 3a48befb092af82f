//! C04, path-reassembly.

use super::lost_on_the_way::lost;
use crate::compare::{Between, Count, FlowFacts, InFragments, Oddity, Outcome};
use crate::diagnose::path::finding::{Evidence, Finding};
use crate::diagnose::path::given::{Found, Given, Way};
use crate::diagnose::path::pattern::{Look, put_together};
use crate::diagnose::path::sums::name;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{IpVersion, number};
use crate::receiver::Forecast;
use std::collections::BTreeSet;

pub(super) const CAUSE: Cause = Cause {
    id: "C04",
    name: "path-reassembly",
    title: "Datagrams are put together on the way",
    severity: Severity::Info,
    meaning: "Something between the two points puts fragments together, as connection tracking \
              does on Linux routers, hosts and Open vSwitch, and sends them on whole or cuts them \
              again. It has a reassembly memory of its own. One lost fragment takes the whole \
              datagram there, which is no loss to the receiver, as that could not have used the \
              rest; but what waits for a fragment that does not come holds memory, and once that \
              is full, whole datagrams are lost as well.",
    signature: "Between two points fragments of a datagram become one packet, or fragments of \
                other lengths; or nothing leaves of datagrams that entered with fragments missing, \
                while those that entered whole pass; or datagrams are lost with all their \
                fragments now and then, and hardly ever in part.",
    confirms: "`IpReasmReqds` and `IpReasmOKs` of the device between grow; it has nf_conntrack \
               loaded. `IpReasmFails` grows where its memory is full.",
    denies: "The packets behind are super-frames that a NIC joined: those are TCP or UDP GRO, not \
             fragments. Or some fragments leave of datagrams that had entered incomplete.",
    disprove: "Watch `nstat IpReasmReqds IpReasmOKs` on the device between: if they stand still, \
               it is not there.",
    fix: &[INCOMPLETE, MEMORY, UNTRACKED],
    references: &[
        "Linux net/ipv4/netfilter/nf_defrag_ipv4.c",
        "RFC 2979",
        "RFC 8900 section 4.3",
    ],
};

const INCOMPLETE: Fix = Fix {
    when: "datagrams enter with fragments missing",
    kind: FixKind::Advice,
    command: "repair what loses fragments in front: what is lost here for that could not have \
              been put together further on either",
};
const MEMORY: Fix = Fix {
    when: "Linux, more memory where datagrams are put together",
    kind: FixKind::Command,
    command: "sysctl -w net.ipv4.ipfrag_high_thresh=67108864",
};
const UNTRACKED: Fix = Fix {
    when: "Linux, leave this traffic out of connection tracking",
    kind: FixKind::Command,
    command: "nft add rule inet raw prerouting udp dport 5001 notrack",
};

/// What is no more than so much of what the model has is not for its inaccuracy.
const CLEARLY_FEWER: f64 = 0.9;

/// Each segment in which datagrams become whole.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let together = |pair: usize, way: &Way<'_>| {
        let lost = given.lost_as_incomplete(pair, way.is_backward).packets;
        way.between.reassembled + lost + u64::from(are_lost_whole(given, pair, way))
    };
    let found = given.found_one_way(together);
    found.iter().map(|found| finding(given, found)).collect()
}

fn finding(given: &Given<'_>, found: &Found<'_>) -> Finding {
    let pair = found.pair;
    let gone = |way: &Way<'_>| given.lost_as_incomplete(pair, way.is_backward);
    let missing = given.each_way(pair, |way| gone(way).bytes);
    let is_lossy = missing != [0, 0];
    let is_lost_whole = found
        .ways
        .iter()
        .any(|way| are_lost_whole(given, pair, way));
    let whole_lost = |way: &Way<'_>| lost_here(given, pair, way).whole.none.datagrams;
    let takes_whole_ones = is_lossy && found.ways.iter().any(|way| whole_lost(way) > 0);
    Finding {
        evidence: evidence(given, found, is_lossy || is_lost_whole),
        severity: match takes_whole_ones {
            true => Severity::Error,
            false => CAUSE.severity,
        },
        fix: fixes(is_lossy, found.between.reassembled > 0, takes_whole_ones),
        flows: given.flows(pair, |between| {
            between.reassembled + u64::from(is_lossy || is_lost_whole) * lost(between)
        }),
        missing: is_lossy.then_some(missing),
        ..found.finding(&CAUSE, confidence(found, is_lossy), |way| {
            let whole = became_whole(way.between);
            let lost = (gone(way).packets > 0).then(|| did_not(given, pair, way));
            let lost_whole = are_lost_whole(given, pair, way).then(|| lost_whole(given, pair, way));
            let told = [whole, lost, lost_whole].into_iter().flatten();
            format!("{}.", told.collect::<Vec<_>>().join("; "))
        })
    }
}

/// Whether what is lost are datagrams with all their fragments.
fn are_lost_whole(given: &Given<'_>, pair: usize, way: &Way<'_>) -> bool {
    let gone = way.between.in_fragments[0].none().datagrams;
    gone > 0 && given.look_one_way(pair, way.is_backward).pattern == Look::ByDatagram
}

/// That datagrams are lost with all their fragments has other reasons, too.
fn confidence(found: &Found<'_>, is_lossy: bool) -> f64 {
    match is_lossy || found.between.reassembled > 0 {
        true => 0.95,
        false => 0.7,
    }
}

fn evidence(given: &Given<'_>, found: &Found<'_>, with_lost: bool) -> Vec<Evidence> {
    let joined = found.between.examples.of_reverse(Oddity::Fragmented);
    let notes = ["in fragments as it entered", "whole as it left"];
    let mut evidence = given.example_frames(joined, notes);
    if with_lost {
        evidence.extend(given.lost_frames(found.pair, found.between));
    }
    evidence
}

/// What fits: memory is of no use where nothing is lost for the want of it.
fn fixes(is_lossy: bool, becomes_whole: bool, takes_whole_ones: bool) -> Vec<&'static Fix> {
    match (is_lossy, becomes_whole) {
        (true, _) if takes_whole_ones => vec![&INCOMPLETE, &MEMORY, &UNTRACKED],
        (false, true) => vec![&MEMORY, &UNTRACKED],
        _ => vec![&INCOMPLETE, &UNTRACKED],
    }
}

fn became_whole(between: &Between) -> Option<String> {
    (between.reassembled > 0).then(|| {
        let datagrams = number::counted(between.reassembled, "datagram");
        format!("{datagrams} entered in fragments and left whole")
    })
}

/// Datagrams in fragments; of those that entered whole none is lost here if something else loses
/// packets as well.
fn lost_here(given: &Given<'_>, pair: usize, way: &Way<'_>) -> InFragments {
    let mut sent = way.between.in_fragments[0];
    if given.lost_as_incomplete(pair, way.is_backward) != way.between.lost() {
        sent.whole.none = Count::default();
    }
    sent
}

fn lost_whole(given: &Given<'_>, pair: usize, way: &Way<'_>) -> String {
    given.look_one_way(pair, way.is_backward).described
}

/// What did not become whole, and what a kernel would have made of the same.
fn did_not(given: &Given<'_>, pair: usize, way: &Way<'_>) -> String {
    let sent = lost_here(given, pair, way);
    let passed = sent.whole.passed();
    let told = put_together(&sent);
    let forecasts = forecasts(given, pair, way);
    if forecasts.is_empty() {
        return told;
    }
    let sum = |of: fn(&Forecast) -> u64| forecasts.iter().map(|host| of(host)).sum::<u64>();
    let predicted = sum(|host| host.predicted.reassembled);
    let rejected = sum(|host| host.predicted.rejected_fragments);
    let memory = match rejected {
        0 => String::new(),
        rejected => format!(
            ", with its memory full for {} of the fragments",
            number::count(rejected)
        ),
    };
    format!(
        "{told}. Of what came to {} the receiver model puts {} together{memory}; {} left{}",
        name(way.from),
        number::counted(predicted, "datagram"),
        number::count(passed),
        fewer(passed, predicted),
    )
}

/// Why fewer may be put together there.
fn fewer(passed: u64, predicted: u64) -> &'static str {
    match passed as f64 <= CLEARLY_FEWER * predicted as f64 {
        true => ", so that there is less memory for it there, or others use it too",
        false => "",
    }
}

/// What kernels of the hosts that these datagrams are for would make of them where they entered.
fn forecasts<'a>(given: &Given<'a>, pair: usize, way: &Way<'_>) -> Vec<&'a Forecast> {
    let outcome: &'a Outcome = given.outcome;
    let is_meant = |flow: &&FlowFacts| {
        !flow.account.is_carrier
            && flow.is_backward == way.is_backward
            && flow.between(pair).in_fragments[0].none().datagrams > 0
    };
    let flows = outcome.flows.iter().filter(is_meant);
    let keys = flows.filter_map(|flow| flow.keys[way.from]);
    let hosts: BTreeSet<(IpVersion, [u8; 16])> = keys
        .map(|key| (key.addresses.version, key.addresses.destination))
        .collect();
    let all = outcome.points[way.from].forecasts.iter();
    all.filter(|forecast| hosts.contains(&(forecast.host.version, forecast.host.destination)))
        .collect()
}
