//! D28, pmtu-black-hole.

use crate::account::{BlackHole, Flow, Sign};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{Duration, FlowKey, number};

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

/// Full TCP segments are repeated and never acknowledged.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let holes = holes(known);
    let (hole, key, flow) = holes
        .iter()
        .max_by_key(|(hole, key, _)| (hole.segments, *key))?;
    let mut seen = format!(
        "{} > {} repeats segments of {} bytes of payload for {} and none is acknowledged, while \
         smaller ones are.",
        key.addresses.source(),
        key.addresses.destination(),
        number::count(hole.segment_bytes.into()),
        number::duration(hole.lasted.as_secs_f64()),
    );
    let errors = flow.icmp_errors();
    let told = errors.fragmentation_needed + errors.packet_too_big;
    if told == 0 {
        seen.push_str(" No ICMP error says that they are too big.");
    } else {
        let told = number::counted(told, "time");
        seen.push_str(&format!(
            " ICMP said {told} that they are too big, and nothing changed."
        ));
    }
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .shown_by(
                known.exhibits().of_sign(Sign::TooBig),
                "ICMP says that a packet is too big",
            )
            .in_these(
                holes
                    .iter()
                    .map(|(hole, key, _)| (hole.segments, *key))
                    .collect(),
            ),
    )
}

/// Flows in which it is so.
fn holes<'a>(known: &Known<'a>) -> Vec<(BlackHole, FlowKey, &'a Flow)> {
    let table = &known.given.ledger.flows;
    let lasting = table
        .iter()
        .filter(|(_, flow)| flow.last - flow.first >= SHORTEST);
    let holes = lasting.filter_map(|(key, flow)| {
        let segments = flow.segments()?;
        let hole = segments.black_hole(known.answering(key)?.segments()?)?;
        Some((hole, *key, flow))
    });
    holes.collect()
}

/// Shorter than this there is no telling.
const SHORTEST: Duration = Duration::from_secs(1);
