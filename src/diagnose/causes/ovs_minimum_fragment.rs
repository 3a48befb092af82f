//! D07, ovs-minimum-fragment.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

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
