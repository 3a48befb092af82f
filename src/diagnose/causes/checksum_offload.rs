//! D18, checksum-offload.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D18",
    name: "checksum-offload",
    title: "Checksums are left to the NIC",
    severity: Severity::Info,
    meaning: "The capture was made on the sender, before its NIC filled in the checksums: the \
              kernel writes a part of the sum and leaves the rest to the hardware. This is not a \
              fault. Wireshark and tcpdump call such packets incorrect, and the receiver finds \
              them correct. Between virtual interfaces of one host the checksum is never \
              completed, as nothing can go wrong there.",
    signature: "Outgoing packets whose checksum is the bare sum over the pseudo-header; nearly all \
              of one direction, none of the other. Packets larger than the MTU are often nearby.",
    confirms: "The same packets have good checksums at the receiver.",
    denies: "They are incoming packets on a physical NIC: then see D17.",
    disprove: "Run `tcpdump -c 20 -nvvi eth0 src SENDER` on the receiver: if it calls the checksums \
              incorrect there too, they are no artefact.",
    fix: &[Fix {
        when: "nothing to repair; to see finished checksums, at a cost in speed",
        kind: FixKind::Command,
        command: "ethtool -K eth0 tx off",
    }],
    references: &[
        "wiki.wireshark.org/CaptureSetup/Offloading",
        "Linux Documentation/networking/checksum-offloads.rst",
    ],
};
