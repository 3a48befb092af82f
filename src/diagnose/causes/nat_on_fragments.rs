//! D20, nat-on-fragments.

use crate::diagnose::{Cause, Fix, FixKind, Severity};

pub(super) const CAUSE: Cause = Cause {
    id: "D20",
    name: "nat-on-fragments",
    title: "NAT spoils checksums of fragments",
    severity: Severity::Error,
    meaning: "NAT that works packet by packet corrects a TCP or UDP checksum in fragments that \
              have none, and so corrupts their data. Only the first fragment has that checksum: in \
              the others the same bytes are payload. Every fragmented datagram of the flow is then \
              thrown away by the receiver, while small ones get through. Linux had this in \
              nftables' stateless rewriting.",
    signature: "Every fragmented datagram of a flow is whole but has a wrong checksum, and those in \
              one packet are good.",
    confirms: "In front of the NAT the checksum is good, behind it wrong, by the difference of the \
              two addresses.",
    denies: "Datagrams in one packet are wrong as well, or the flow is not rewritten.",
    disprove: "Run `nft list ruleset | grep -E '[sd]addr set'` on the router: if no rule sets an \
              address, nothing rewrites without state here.",
    fix: &[
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "use a kernel with the fix applied: git.kernel.org/linus/4e1860a38637",
        },
        Fix {
            when: "nftables",
            kind: FixKind::Advice,
            command: "replace `ip daddr set ADDRESS` by `dnat to ADDRESS` in a nat chain: connection tracking puts fragments together first",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "keep messages below the MTU",
        },
    ],
    references: &["git.kernel.org/linus/4e1860a38637", "RFC 3022 section 6.3"],
};
