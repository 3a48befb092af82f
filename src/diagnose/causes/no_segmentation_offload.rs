//! S01, no-segmentation-offload.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "S01",
    name: "no-segmentation-offload",
    title: "The sender segments in software",
    severity: Severity::Warning,
    meaning: "The sender's kernel handles every wire-size packet by itself instead of leaving the \
              cutting to the NIC, so a processor core becomes the limit. At a high rate a sender \
              normally hands packets of up to 64 KiB to its NIC. In tunnels the usual reason is \
              that checksum offload was switched off, often as a workaround for D16, and \
              segmentation went with it. In one case this left 2.9 of 9.4 Gbit/s.",
    signature: "A capture on the sender, a TCP flow at several Gbit/s or as fast as a core allows, \
              and not one packet larger than the MTU.",
    confirms: "`ethtool -k` shows tcp-segmentation-offload off on the tunnel or the NIC, and the \
              throughput grows with it on.",
    denies: "Packets larger than the MTU are in the capture. Or it was made at a switch or at the \
              receiver, where none can be expected.",
    disprove: "Run `ethtool -k vxlan.calico | grep -E 'tx-checksumming|tcp-seg'` on the sender: if \
              both are on, offload is in use.",
    fix: &[
        Fix {
            when: "Linux",
            kind: FixKind::Command,
            command: "ethtool -K eth0 tx on tso on gso on",
        },
        Fix {
            when: "Calico on Linux 5.7 or later",
            kind: FixKind::Command,
            command: "kubectl patch felixconfiguration default --type merge -p '{\"spec\":{\"featureDetectOverride\":\"ChecksumOffloadBroken=false\"}}'",
        },
        Fix {
            when: "Calico, this node until its agent restarts",
            kind: FixKind::Command,
            command: "ethtool -K vxlan.calico tx on",
        },
        Fix {
            when: "flannel on Linux 5.7 or later",
            kind: FixKind::Command,
            command: "ethtool -K flannel.1 tx-checksum-ip-generic on",
        },
    ],
    references: &[
        "Linux Documentation/networking/segmentation-offloads.rst",
        "docs.tigera.io/calico/latest/reference/felix/configuration",
        "projectcalico/calico#3145",
    ],
};
