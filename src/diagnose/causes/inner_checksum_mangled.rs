//! D17, inner-checksum-mangled.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D17",
    name: "inner-checksum-mangled",
    title: "A NIC spoils checksums inside tunnels",
    severity: Severity::Error,
    meaning: "The sender's kernel left the inner checksum to the NIC, and the NIC, or the \
              hypervisor behind a virtual one, did not fill it in for a packet inside VXLAN or \
              Geneve. ICMP works, because it is not offloaded, and TCP and UDP across nodes fail. \
              vmxnet3 on ESXi is the known case, and there the UDP port matters, because the \
              hypervisor knows tunnels by it.",
    signature: "Incoming packets with a good outer header whose inner TCP or UDP checksum is wrong \
              or the bare pseudo-header sum. On a received packet that cannot be an artefact. They \
              may also vanish on the way.",
    confirms: "`nstat -az TcpInCsumErrors UdpInCsumErrors` grows in the receiving pod's namespace, \
              and stops with the sender's offload off.",
    denies: "The checksums are good on the receiving node's physical NIC.",
    disprove: "Run `ethtool -K eth0 tx-checksum-ip-generic off` on the sending node: if nothing \
              changes, it is not this.",
    fix: &[
        Fix {
            when: "any, the sending node's physical NIC",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx-udp_tnl-segmentation off tx-udp_tnl-csum-segmentation off",
        },
        Fix {
            when: "any, if that is not enough",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx-checksum-ip-generic off",
        },
        Fix {
            when: "Calico on ESXi without NSX",
            kind: FixKind::Command,
            command: "kubectl patch felixconfiguration default --type merge -p '{\"spec\":{\"vxlanPort\":8472}}'",
        },
        Fix {
            when: "Kube-OVN (Geneve)",
            kind: FixKind::Command,
            command: "ethtool -K genev_sys_6081 tx off",
        },
    ],
    references: &[
        "projectcalico/calico#4727",
        "projectcalico/calico#7040",
        "projectcalico/calico#9433",
        "rancher/rke2#6307",
        "cilium/cilium#21801",
        "kubeovn/kube-ovn#3045",
    ],
};
