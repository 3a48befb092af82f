//! C02, path-loss-by-place.

use super::filtered_by_ports::may_be_filter;
use super::lost_on_the_way::lost;
use crate::compare::Between;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::{Given, Way};
use crate::diagnose::path::pattern::Look;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C02",
    name: "path-loss-by-place",
    title: "Fragments are lost by their place",
    severity: Severity::Error,
    meaning: "Whether a fragment passes depends on its place in the datagram, so that no chance \
              and no queue loses it. Where only first fragments pass, a filter or a load balancer \
              wants ports, which the others have not. Where a fixed number passes, something \
              keeps a bounded number of fragments of a datagram. Where first or last ones are \
              missing, something drops by length.",
    signature: "Between two points nearly all losses are non-first fragments, first ones, last \
                ones, those beyond one number, or clearly more are lost of one number than of \
                others, while others were sent as well.",
    confirms: "A rule on ports or conntrack states stands between the two points; the same \
               messages pass where they fit into one packet.",
    denies: "Losses are as frequent at every place in the datagram; or only first fragments pass, \
             and the capture behind has a filter for ports, which lets no others in.",
    disprove: "Send messages of two fragments, of many and of one, to the same port: \
               `nping --udp -p 5001 --data-length 2000 10.16.0.9`, then 60000 and 200; if all \
               arrive, it is something else.",
    fix: &[
        Fix {
            when: "Linux routers with nftables: put datagrams together before rules look at ports",
            kind: FixKind::Command,
            command: "nft add rule inet filter forward ct state established,related accept",
        },
        Fix {
            when: "Open vSwitch with ACLs: fragments need connection tracking",
            kind: FixKind::Command,
            command: "ovs-ofctl add-flow br-int \"table=0,ip,ip_frag=yes,actions=ct(table=1)\"",
        },
        Fix {
            when: "cloud security groups and middleboxes",
            kind: FixKind::Advice,
            command: "allow IP fragments between the two hosts by address and protocol, without ports",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "send messages that fit into one packet",
        },
    ],
    references: &["RFC 8900 section 3.3", "RFC 8900 section 4", "RFC 4459"],
};

/// Whether place in the datagram says more of losses than anything else. Not where datagrams are
/// put together: of those that entered incomplete, what is left is lost, at whatever places.
pub(super) fn is_by_place(given: &Given<'_>, pair: usize, between: &Between) -> bool {
    let is_incomplete = |is_backward| given.lost_as_incomplete(pair, is_backward).packets > 0;
    let mut ways = given.ways(pair).into_iter();
    let is_blind = ways.any(|way| lost(way.between) > 0 && given.is_blind(pair, &way));
    lost(between) > 0
        && !is_blind
        && confidence(given.look(pair, between).pattern).is_some()
        && ![false, true].into_iter().any(is_incomplete)
}

/// How sure it is that place is what counts; `None` if it is not.
fn confidence(look: Look) -> Option<f64> {
    match look {
        Look::OnlyFirstPasses | Look::FirstLost | Look::LastLost | Look::Beyond => Some(0.95),
        Look::ByPlace => Some(0.8),
        _ => None,
    }
}

/// Each segment that loses by place.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let lossy = given.found(lost).into_iter();
    let by_place = lossy.filter(|found| is_by_place(given, found.pair, found.between));
    by_place
        .map(|found| {
            let (pair, between) = (found.pair, found.between);
            let look = given.look(pair, between).pattern;
            let mut confidence = confidence(look).unwrap_or_default();
            let is_first_alone = look == Look::OnlyFirstPasses;
            let may_be_filter = |way: &Way<'_>| {
                let filter = is_first_alone.then(|| may_be_filter(given, way.to));
                filter.flatten().unwrap_or_default()
            };
            if found.ways.iter().any(|way| !may_be_filter(way).is_empty()) {
                confidence = confidence.min(0.8);
            }
            Finding {
                evidence: given.lost_frames(pair, between),
                flows: given.flows(pair, |between| between.lost().bytes),
                missing: Some(given.each_way(pair, |way| way.between.lost().bytes)),
                ..found.finding(&CAUSE, confidence, |way| {
                    let look = given.look_one_way(pair, way.is_backward);
                    format!(
                        "{}{}.{}",
                        look.described,
                        of_fragments(way.between),
                        may_be_filter(way)
                    )
                })
            }
        })
        .collect()
}

fn of_fragments(between: &Between) -> String {
    match between.front.fragments {
        0 => String::new(),
        sent => format!(
            " ({} of {} fragments)",
            number::count(sent - between.front_passed.fragments),
            number::count(sent),
        ),
    }
}
