//! D19, outer-checksum-offload.

use crate::account::{Sign, Tunnel};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::this_host;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::host::Encapsulation;
use crate::model::{FlowKey, TunnelKey, number};
use std::borrow::Cow;

pub(super) const CAUSE: Cause = Cause {
    id: "D19",
    name: "outer-checksum-offload",
    title: "Outer checksum waits for the inner one",
    severity: Severity::Info,
    meaning: "With checksums on in a tunnel's outer UDP header, Linux computes the outer one as if \
              the inner one were already filled in by the NIC (local checksum offload). In a \
              capture on the sender the inner one is not, so both look wrong. This is not a fault: \
              once the NIC fills in the inner checksum, the outer one is right too.",
    signature: "Outgoing tunnel packets with a bare pseudo-header sum inside, whose outer checksum \
              becomes right when the inner one is completed.",
    confirms: "The same packets have two good checksums at the receiver.",
    denies: "The outer checksum stays wrong with the inner one completed, or the packets are \
              incoming.",
    disprove: "Run `tcpdump -c 20 -nvvi eth0 src SENDER` on the receiver: if it calls the outer \
              checksum bad there too, it is no artefact.",
    fix: &[Fix {
        when: "nothing to repair; to see finished checksums, at a cost in speed",
        kind: FixKind::Command,
        command: "ethtool -K vxlan0 tx off",
    }],
    references: &[
        "Linux Documentation/networking/checksum-offloads.rst",
        "RFC 7348 section 5",
    ],
};

/// Outer checksums that are right once the inner ones are finished.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let left = |tunnel: &Tunnel| tunnel.counters().checksums.udp.offloaded;
    let packets: u64 = known
        .tunnels
        .iter()
        .map(|(_, _, tunnel)| left(tunnel))
        .sum();
    if packets == 0 {
        return None;
    }
    let mut seen = format!(
        "The outer UDP checksum of {} is right as soon as the inner one is finished, which is left \
         to the NIC.",
        number::counted(packets, "tunnel packet"),
    );
    let mut waiting = known
        .tunnels
        .iter()
        .filter(|(_, _, tunnel)| left(tunnel) > 0);
    if let Some(device) = waiting.find_map(|(_, key, _)| with_outer_checksum(known, key)) {
        seen.push_str(&format!(" udpcsum is on on {device}."));
    }
    let is_inside = |key: &FlowKey| {
        let around = known.tunnel_around(key);
        around.is_some_and(|(_, tunnel)| left(tunnel) > 0)
    };
    let flows = known.odd.iter().filter(|(key, _)| is_inside(key));
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen)
            .shown_by(
                known.exhibits().of_sign(Sign::OuterOffloaded),
                "outer checksum waits for the inner one",
            )
            .in_these(
                flows
                    .map(|(key, flow)| (flow.counters().packets, **key))
                    .collect(),
            ),
    )
}

/// The device of this host that makes a tunnel, if it was told to put checksums in the
/// outer UDP header.
fn with_outer_checksum<'k>(known: &'k Known<'_>, key: &TunnelKey) -> Option<Cow<'k, str>> {
    let device = known.host.device_of(key)?;
    let (Encapsulation::Vxlan(told) | Encapsulation::Geneve(told)) = device.encapsulation? else {
        return None;
    };
    (told.udpcsum == Some(true)).then(|| this_host::name(device))
}
