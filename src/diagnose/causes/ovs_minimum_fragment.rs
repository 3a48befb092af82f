//! D07, ovs-minimum-fragment.

use crate::account::Loss;
use crate::diagnose::destination::Destination;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{IpVersion, number};

pub(super) const CAUSE: Cause = Cause {
    id: "D07",
    name: "ovs-minimum-fragment",
    title: "Open vSwitch drops small fragments",
    severity: Severity::Error,
    meaning: "The userspace datapath of Open vSwitch (OVS-DPDK) puts fragments together for \
              connection tracking, and refuses any fragment but the last that is smaller than \
              1,200 bytes (1,280 for IPv6). A path with a small MTU, such as a tunnel in a tunnel, \
              makes exactly such fragments. It also holds 1,000 fragments at most and each list \
              for 15 seconds. What it refuses is invalid to connection tracking and matches no \
              rule.",
    signature: "Fragments with more to come are smaller than 1,200 bytes, and none of their \
              datagrams gets through; those cut at a larger MTU do.",
    confirms: "`ovs-appctl dpctl/ipf-get-status` counts frags too small (or expired, or purged) \
              while the test runs.",
    denies: "The switch uses the kernel datapath, or the fragments have 1,200 bytes and more.",
    disprove: "Run `ovs-appctl dpctl/ipf-get-status` before and after a test: if frags too small \
              does not grow, it is not this.",
    fix: &[
        Fix {
            when: "OVS-DPDK, IPv4 (400 is the lowest it takes)",
            kind: FixKind::Command,
            command: "ovs-appctl dpctl/ipf-set-min-frag v4 400",
        },
        Fix {
            when: "OVS-DPDK, more fragments at a time",
            kind: FixKind::Command,
            command: "ovs-appctl dpctl/ipf-set-max-nfrags 5000",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "raise the MTU of the small link, or keep messages below it",
        },
    ],
    references: &[
        "github.com/openvswitch/ovs/blob/main/lib/ipf.c",
        "openvswitch/ovs#423",
    ],
};

/// Fragments below the minimum are lost where larger ones are not; or they will be, where
/// OVN is in view.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let small: Vec<&Destination> = known
        .destinations
        .iter()
        .filter(|host| is_small(host))
        .collect();
    let worst = small.first()?;
    let larger_pass = known.destinations.iter().any(|host| {
        !is_small(host)
            && host.full_bytes > 0
            && host.reassembled > 0
            && host.lacking().datagrams == 0
    });
    let all_lost = worst.reassembled == 0 && worst.lacking().datagrams >= FEWEST;
    let seen = format!(
        "Fragments to {} that are not the last have {} bytes: below the {} that Open vSwitch \
         with a userspace datapath demands. {} of {} datagrams are whole.",
        worst.address(),
        worst.full_bytes,
        number::count(minimum(worst.host.version).into()),
        number::count(worst.reassembled),
        number::count(worst.fragmented),
    );
    let finding = |sureness| {
        Finding::new(&CAUSE, sureness, seen)
            .shown_by(
                known.exhibits().of_loss(Loss::NoFirst),
                "its first fragment never came",
            )
            .in_these(worst.flows.iter().map(|key| (1, *key)).collect())
    };
    if all_lost && larger_pass {
        Some(finding(confidence::FITS))
    } else if all_lost && known.has_ovn() {
        Some(finding(confidence::POSSIBLE).graded(Severity::Warning))
    } else if known.has_ovn() {
        Some(finding(confidence::POSSIBLE).graded(Severity::Info))
    } else {
        None
    }
}

/// Datagrams it takes to say that none gets through.
const FEWEST: u64 = 3;

/// `IPF_V4_FRAG_SIZE_MIN_DEF` and `IPF_V6_FRAG_SIZE_MIN_DEF`, Open vSwitch `lib/ipf.c`.
fn minimum(version: IpVersion) -> u32 {
    match version {
        IpVersion::V4 => 1200,
        IpVersion::V6 => 1280,
    }
}

fn is_small(host: &Destination) -> bool {
    (1..minimum(host.host.version)).contains(&host.full_bytes)
}
