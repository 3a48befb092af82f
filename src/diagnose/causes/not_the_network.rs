//! D34, not-the-network.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D34",
    name: "not-the-network",
    title: "Not the network",
    severity: Severity::Warning,
    meaning: "Everything reached the receiving host whole and correct, and still the application \
              counts losses. Then they happen after the network has done its work: the socket's \
              buffer was full because the application did not read fast enough, the process was \
              not scheduled, or it counts wrongly. Changing MTUs, switches or tunnels will not \
              help.",
    signature: "In a capture on the receiver every datagram is whole and has a good checksum, while \
              the receiving program reports less.",
    confirms: "UdpRcvbufErrors grows on the receiver, IpReasmFails does not.",
    denies: "UdpRcvbufErrors stands still, or datagrams are incomplete at the receiver.",
    disprove: "Run `nstat -az UdpRcvbufErrors UdpInErrors IpReasmFails` in the receiver's network \
              namespace before and after: if UdpRcvbufErrors stands still, sockets are not where \
              it is lost.",
    fix: &[
        Fix {
            when: "Linux receiver",
            kind: FixKind::Command,
            command: "sysctl -w net.core.rmem_max=26214400 net.core.rmem_default=26214400",
        },
        Fix {
            when: "iperf3 (with the larger rmem_max)",
            kind: FixKind::Command,
            command: "iperf3 -c PEER -u -w 4M -l 1400 -b 1G",
        },
        Fix {
            when: "an application of your own",
            kind: FixKind::Advice,
            command: "setsockopt(SO_RCVBUF, 4 MiB), read with recvmmsg, and count drops with SO_RXQ_OVFL",
        },
        Fix {
            when: "Linux receiver, a processor for itself",
            kind: FixKind::Command,
            command: "taskset -c 3 iperf3 -s",
        },
    ],
    references: &[
        "fasterdata.es.net/network-tuning/udp-tuning",
        "man7.org/linux/man-pages/man7/socket.7.html",
    ],
};

pub(super) fn judge(_: &crate::diagnose::known::Known<'_>) -> Option<crate::diagnose::finding::Finding> {
    None
}
