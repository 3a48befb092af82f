//! D26, tunnel-mtu-too-large.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D26",
    name: "tunnel-mtu-too-large",
    title: "Tunnel packets are fragmented outside",
    severity: Severity::Warning,
    meaning: "The inner MTU plus the tunnel's headers is more than the network below carries, so \
              each full inner packet leaves as one full fragment and one small one. That is twice \
              the packets for the same data, and losing the small one loses the packet. Later \
              fragments have no ports, so queues and links may treat the two differently (D29). \
              VXLAN forbids its endpoints to fragment, and lets receivers drop what was.",
    signature: "Outer packets between tunnel endpoints come in pairs of fragments, one full and one \
              small, for large inner packets only.",
    confirms: "Inner packet plus overhead is a little more than the MTU below. Overhead over IPv4: \
              VXLAN 50 bytes, Geneve 50 plus options (OVN 58), GRE 24, IPIP 20, WireGuard 60; over \
              IPv6 20 more each.",
    denies: "The fragments are inside the tunnel: then the inner host or its message size made \
              them.",
    disprove: "Run `ip link set dev eth0 mtu 1400` in one sending pod or VM: if outer fragments \
              stay, something else makes them.",
    fix: &[
        Fix {
            when: "Calico with its operator, MTU 1500 below",
            kind: FixKind::Command,
            command: "kubectl patch installation default --type merge -p '{\"spec\":{\"calicoNetwork\":{\"mtu\":1450}}}'",
        },
        Fix {
            when: "Cilium, given the MTU below (it subtracts the overhead)",
            kind: FixKind::Command,
            command: "helm upgrade cilium cilium/cilium -n kube-system --reuse-values --set MTU=1500",
        },
        Fix {
            when: "Kube-OVN, where it says --mtu (add it with 1400 if it does not)",
            kind: FixKind::Command,
            command: "kubectl -n kube-system edit daemonset kube-ovn-cni",
        },
        Fix {
            when: "OpenStack Neutron",
            kind: FixKind::Command,
            command: "openstack network set --mtu 1450 NETWORK",
        },
        Fix {
            when: "Linux VXLAN",
            kind: FixKind::Command,
            command: "ip link set dev vxlan0 mtu 1450",
        },
        Fix {
            when: "any, if every switch in between is set likewise",
            kind: FixKind::Command,
            command: "ip link set dev eth0 mtu 1600",
        },
    ],
    references: &[
        "RFC 7348 section 4.3",
        "RFC 4459 section 3.1",
        "kubernetes-sigs/cluster-api-provider-azure#1353",
    ],
};
