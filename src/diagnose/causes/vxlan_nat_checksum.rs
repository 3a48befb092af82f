//! D16, vxlan-nat-checksum.

use crate::account::{Loss, Sign, Tunnel};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{FlowKey, ScopeTag, TunnelKey, number};

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

/// Outer checksums are wrong around connections that begin, again and again.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let bad = known
        .tunnels
        .iter()
        .filter(|(tag, key, tunnel)| is_spoiled(known, *tag, key, tunnel));
    let (_, key, tunnel) = bad.max_by_key(|(tag, _, tunnel)| (tunnel.bad_around_syn, *tag))?;
    let seen = format!(
        "{} of {} {} > {} that open TCP connections have a wrong outer UDP checksum. The receiving \
         host drops such packets, and TCP tries again after 1, 2, 4, 8 seconds and so on.",
        number::counted(tunnel.bad_around_syn, "packet"),
        key.kind.name(),
        key.endpoints.source(),
        key.endpoints.destination(),
    );
    let flows = known.odd.iter().filter(|(key, _)| is_of(known, key));
    let lost = flows.map(|(key, flow)| (flow.losses().of(Loss::OuterChecksum).bytes, **key));
    let lost: Vec<_> = lost.filter(|(bytes, _)| *bytes > 0).collect();
    Some(
        Finding::new(&CAUSE, confidence::LIKELY, seen)
            .missing(lost.iter().map(|(bytes, _)| bytes).sum())
            .shown_by(
                known.exhibits().of_sign(Sign::OuterChecksumOfSyn),
                "wrong outer UDP checksum around a SYN",
            )
            .in_these(lost),
    )
}

/// One may be a coincidence.
const FEWEST_RETRIES: u64 = 2;

/// Whether what is wrong outside a flow is this cause's.
pub(super) fn is_of(known: &Known<'_>, key: &FlowKey) -> bool {
    let around = known.tunnel_around(key);
    around.is_some_and(|(tunnel_key, tunnel)| is_spoiled(known, key.scope, tunnel_key, tunnel))
}

/// Beside the sender nothing is proven, and what strikes other packets as often is no NAT of
/// new connections.
fn is_spoiled(known: &Known<'_>, inside: ScopeTag, key: &TunnelKey, tunnel: &Tunnel) -> bool {
    key.destination_port.is_some()
        && tunnel.bad_around_syn >= FEWEST_RETRIES
        && tunnel.bad_around_syn * 2 > tunnel.counters().checksums.udp.bad
        && !known.is_local_inside(inside)
}
