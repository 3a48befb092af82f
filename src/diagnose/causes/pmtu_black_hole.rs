//! D28, pmtu-black-hole.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D28",
    name: "pmtu-black-hole",
    title: "Large packets vanish without an error",
    severity: Severity::Error,
    meaning: "Packets with \"don't fragment\" set are larger than some link on the path, and the \
              sender never learns that they are dropped there. The router should tell it with ICMP \
              (fragmentation needed, or packet too big), but that message is filtered, was never \
              sent, or reaches the wrong host. So the sender repeats the same large packet for \
              ever. Logins and small requests work, and transfers hang.",
    signature: "Full-size TCP segments are retransmitted again and again while small ones are \
              acknowledged. No ICMP error quotes the flow, or it comes and changes nothing.",
    confirms: "`ping -M do` with the size of a full packet gets no answer, and a smaller one does.",
    denies: "Small packets are lost as well, or the receiver acknowledges the large ones.",
    disprove: "Run `ping -M do -s 1472 -c 3 PEER` from the sender (for MTU 1500; -s is MTU - 28): \
              an answer means that the path carries full packets.",
    fix: &[
        Fix {
            when: "nftables router, let ICMP through",
            kind: FixKind::Command,
            command: "nft insert rule inet filter forward icmp type destination-unreachable accept",
        },
        Fix {
            when: "nftables router, IPv6",
            kind: FixKind::Command,
            command: "nft insert rule inet filter forward icmpv6 type packet-too-big accept",
        },
        Fix {
            when: "nftables router, lower the TCP segment size",
            kind: FixKind::Command,
            command: "nft add rule inet filter forward tcp flags syn tcp option maxseg size set rt mtu",
        },
        Fix {
            when: "iptables router, lower the TCP segment size",
            kind: FixKind::Command,
            command: "iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu",
        },
        Fix {
            when: "Linux sender",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.tcp_mtu_probing=1",
        },
    ],
    references: &[
        "RFC 4821 section 3",
        "RFC 8899 section 1.1",
        "RFC 4890 section 4.3.1",
        "RFC 8900 section 3.8",
        "blog.cloudflare.com/ip-fragmentation-is-broken",
    ],
};

pub(super) fn judge(_: &crate::diagnose::known::Known<'_>) -> Option<crate::diagnose::finding::Finding> {
    None
}
