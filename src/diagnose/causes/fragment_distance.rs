//! D11, fragment-distance.

use crate::diagnose::destination::Destination;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D11",
    name: "fragment-distance",
    title: "Fragments come too far apart",
    severity: Severity::Warning,
    meaning: "Linux presumes that a datagram is lost when too many other fragments of the same \
              source came in between two of its own. The limit is 64 fragments \
              (net.ipv4.ipfrag_max_dist), not datagrams. Then it throws away what it held and \
              begins anew with the late fragment, which can never become whole. Queues that are \
              served in turn, or links that share the load packet by packet, mix fragments that \
              much at a high rate. IPv6 has no such limit.",
    signature: "Complete IPv4 datagrams of which two fragments in a row have more than 64 fragments \
              of other datagrams of the same source between them.",
    confirms: "IpReasmFails grows on the receiver, IpReasmTimeout less so, and both stop growing \
              with the limit off.",
    denies: "Fragments of one datagram follow each other closely, or the traffic is IPv6.",
    disprove: "Run `sysctl -w net.ipv4.ipfrag_max_dist=0` on the receiver, which turns the limit \
              off: if as much is lost as before, it is not this.",
    fix: &[
        Fix {
            when: "Linux",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_max_dist=0",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "stop the reordering: one path and one queue for each pair of addresses, see D29",
        },
    ],
    references: &[
        "Linux Documentation/networking/ip-sysctl.rst",
        "Linux net/ipv4/ip_fragment.c",
    ],
};

/// The receiver's kernel gives datagrams up for fragments of others in between.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let distant = |host: &Destination| {
        host.forecast
            .as_ref()
            .map_or(0, |of| of.predicted.too_distant)
    };
    let worst = known.destinations.iter().max_by_key(|host| distant(host))?;
    let too_distant = distant(worst);
    if too_distant == 0 {
        return None;
    }
    let seen = format!(
        "A Linux receiver at {} gives up {} because more than {} other fragments of the same \
         source came between two of their pieces.",
        worst.address(),
        number::counted(too_distant, "datagram"),
        worst.forecast.as_ref()?.settings.ipfrag_max_dist,
    );
    let hosts = known.destinations.iter().filter(|host| distant(host) > 0);
    let keys = hosts
        .clone()
        .flat_map(|host| host.flows.iter().map(|key| (distant(host), *key)));
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .missing(hosts.clone().map(Destination::distant_bytes).sum())
            .in_these(keys.collect()),
    )
}
