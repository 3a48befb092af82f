//! D16, vxlan-nat-checksum.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D16",
    name: "vxlan-nat-checksum",
    title: "NAT breaks the VXLAN checksum (63 s)",
    severity: Severity::Error,
    meaning: "VXLAN packets leave with a wrong outer UDP checksum after NAT, and the receiving \
              node drops them. Their checksum is normally switched off, which is written as 0; \
              Linux before 5.7 changed the 0 when the packet went through NAT, and with checksum \
              offload the result is wrong. TCP connects to service addresses only after retries at \
              1, 2, 4, 8, 16 and 32 seconds: 63 in all. Connections straight from pod to pod are \
              fine.",
    signature: "Wrong, non-zero checksums in outer UDP headers on the receiving side, on packets \
              that carry a SYN, and the same SYN again after 1, 2, 4 seconds and so on.",
    confirms: "UdpInCsumErrors grows on the receiving node with every retry, and the kernel logs \
              `UDP: bad checksum` with the VXLAN port. The SYN that gets through has outer \
              checksum 0.",
    denies: "The wrong checksums are only in a capture at the sender: see D18 and D19.",
    disprove: "Run `nstat -az UdpInCsumErrors` on the receiving node before and after one slow \
              connection: if it does not grow, it is not this.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "use Linux 5.7 or later, or a kernel with the fix applied: git.kernel.org/linus/ea64d8d6c675",
        },
        Fix {
            when: "flannel, k3s, rke2 with canal",
            kind: FixKind::Command,
            command: "ethtool -K flannel.1 tx-checksum-ip-generic off",
        },
        Fix {
            when: "Calico",
            kind: FixKind::Command,
            command: "kubectl patch felixconfiguration default --type merge -p '{\"spec\":{\"featureDetectOverride\":\"ChecksumOffloadBroken=true\"}}'",
        },
        Fix {
            when: "Calico, this node until its agent restarts",
            kind: FixKind::Command,
            command: "ethtool -K vxlan.calico tx-checksum-ip-generic off",
        },
    ],
    references: &[
        "projectcalico/calico#3145",
        "kubernetes/kubernetes#88986",
        "kubernetes/kubernetes#92035",
        "flannel-io/flannel#1279",
        "git.kernel.org/linus/ea64d8d6c675",
    ],
};
