//! D24, super-frames.

use crate::account::Sign;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::this_host::{self, Feature};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::host::Interface;
use crate::model::{Addresses, number};

pub(super) const CAUSE: Cause = Cause {
    id: "D24",
    name: "super-frames",
    title: "Packets larger than the wire allows",
    severity: Severity::Info,
    meaning: "The capture shows packets before the sender's NIC cut them up, or after the \
              receiver's kernel joined them (TSO, GSO, GRO, BIG TCP). On the wire they have the \
              normal size. This is not a fault: it saves processor time. They are not jumbo \
              frames, and no device in the network sees them. Very large ones have a length of 0 \
              in the IP header, since the true one does not fit.",
    signature: "IP packets larger than the MTU that are no fragments, nearly always with \"don't \
              fragment\" set, and often a multiple of a segment plus headers.",
    confirms: "Captured at the other end or at a switch, the same bytes come in packets of wire \
              size.",
    denies: "They are seen on a mirror port: then jumbo frames are in use.",
    disprove: "Run `ethtool -k eth0 | grep -E 'segmentation|receive-offload'` where it was \
              captured: if all are off, this host does not make them.",
    fix: &[Fix {
        when: "nothing to repair; to see wire sizes, at a cost in speed",
        kind: FixKind::Command,
        command: "ethtool -K eth0 tso off gso off gro off",
    }],
    references: &[
        "Linux Documentation/networking/segmentation-offloads.rst",
        "the-tcpdump-group/tcpdump#1085",
        "the-tcpdump-group/tcpdump#1329",
        "quinn-rs/quinn#1572",
    ],
};

/// Packets larger than any wire carries.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let packets: u64 = known.odd.iter().map(|(_, flow)| flow.super_frames()).sum();
    let largest = known
        .odd
        .iter()
        .filter(|(_, flow)| flow.super_frames() > 0)
        .map(|(_, flow)| flow.largest_unfragmented_bytes)
        .max();
    if packets == 0 {
        return None;
    }
    let mut seen = format!(
        "{} larger than a wire carries, up to {} bytes: captured before the sender's NIC cut them \
         up, or after the receiver joined them.",
        if packets == 1 {
            "1 packet is".to_owned()
        } else {
            format!("{} packets are", number::count(packets))
        },
        number::count(largest.unwrap_or(0).into()),
    );
    let mut sureness = confidence::LIKELY;
    if let Some((are_on, sentence)) = made_here(known) {
        sureness = if are_on {
            confidence::SURE
        } else {
            confidence::FITS
        };
        seen.push_str(&format!(" {sentence}"));
    }
    Some(
        Finding::new(&CAUSE, sureness, seen)
            .shown_by(
                known.exhibits().of_sign(Sign::SuperFrame),
                "larger than the wire allows",
            )
            .in_flows(known, |flow| flow.super_frames()),
    )
}

/// Whether the interface that they were captured on makes such packets, and that in a
/// sentence; `None` if it is not known.
fn made_here(known: &Known<'_>) -> Option<(bool, String)> {
    let mut large = known.odd.iter().filter(|(_, flow)| flow.super_frames() > 0);
    let (interface, offload, ends) = large.find_map(|(key, _)| {
        let ends = known.outside(key)?;
        let interface: &Interface = known.host.beside(&ends)?;
        Some((interface, interface.offload?, ends))
    })?;
    let name = this_host::name(interface);
    let features = makers(known, &ends);
    let are_on = this_host::those_that_are(true, &offload, features);
    if are_on.is_empty() {
        let off = this_host::those_that_are(false, &offload, features);
        return Some((
            false,
            format!("But {} on {name}.", this_host::are(&off, "off")),
        ));
    }
    Some((
        true,
        format!("{} on {name}.", this_host::are(&are_on, "on")),
    ))
}

/// What makes large packets of those between two addresses.
fn makers(known: &Known<'_>, ends: &Addresses) -> &'static [Feature] {
    use Feature::{Gro, Gso, Tso};
    let (sent, received) = (
        known.host.has(ends.source()),
        known.host.has(ends.destination()),
    );
    match (sent, received) {
        (true, false) => &[Tso, Gso],
        (false, true) => &[Gro],
        _ => &[Tso, Gso, Gro],
    }
}
