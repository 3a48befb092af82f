//! S01, no-segmentation-offload.

use crate::account::Flow;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::this_host::{self, Feature};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::host::Interface;
use crate::model::facts::LARGEST_MTU;
use crate::model::{FlowKey, Protocol, number};

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

/// A fast TCP flow without one packet larger than the MTU.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let flows = known.given.ledger.flows.iter();
    let mut fast: Vec<(u64, FlowKey)> = flows
        .filter(|(key, flow)| key.protocol == Protocol::TCP && is_segmented_in_software(flow))
        .map(|(key, flow)| (bit_rate(flow) as u64, *key))
        .collect();
    fast.sort_unstable_by(|one, other| other.cmp(one));
    let (rate, key) = *fast.first()?;
    let largest = known
        .given
        .ledger
        .flows
        .get(&key)?
        .largest_unfragmented_bytes;
    let mut seen = format!(
        "{} > {} sends {} over TCP in packets of at most {} bytes: none was left for a NIC to cut up, \
         and none was joined by a receiver.",
        key.addresses.source(),
        key.addresses.destination(),
        number::bit_rate(rate as f64),
        number::count(largest.into()),
    );
    // At a switch or a receiver without GRO nothing larger is to be expected.
    let is_sender = known.is_local(&key);
    let device = sends_through(known, &key).and_then(|device| Some((device, device.offload?)));
    let off = device.map(|(_, offload)| this_host::those_that_are(false, &offload, &NEEDED));
    if let Some((device, _)) = device {
        seen.push_str(&format!(
            " {}",
            said_of(device, off.as_deref().unwrap_or_default())
        ));
    }
    let is_off = off.map(|off| !off.is_empty());
    let sureness = match (is_sender, is_off) {
        (true, Some(true)) => confidence::SURE,
        (true, None) | (false, Some(true)) => confidence::LIKELY,
        (_, Some(false)) | (false, None) => confidence::POSSIBLE,
    };
    let severity = if sureness > confidence::POSSIBLE {
        CAUSE.severity
    } else {
        Severity::Info
    };
    Some(
        Finding::new(&CAUSE, sureness, seen)
            .graded(severity)
            .in_these(fast),
    )
}

/// What it takes to leave segmentation to hardware.
const NEEDED: [Feature; 2] = [Feature::TxChecksumming, Feature::Tso];

/// The device of this host that a flow leaves by: the tunnel's, or the one captured on.
fn sends_through<'a>(known: &Known<'a>, key: &FlowKey) -> Option<&'a Interface> {
    let outside = known.outside(key)?;
    if known.host.has(outside.destination()) {
        return None;
    }
    match known.tunnel_around(key) {
        Some((tunnel, _)) => known.host.device_of(tunnel),
        None => known.host.beside(&outside),
    }
}

fn said_of(device: &Interface, off: &[&str]) -> String {
    let name = this_host::name(device);
    if off.is_empty() {
        format!("But tx-checksumming and tcp-segmentation-offload are on on {name}.")
    } else {
        let are_off = this_host::are(off, "off");
        format!("{are_off} on {name}.")
    }
}

/// Bits a second from which a sender leaves segmentation to its NIC, if it can.
const FAST: f64 = 500e6;
/// Packets it takes to say that none is larger.
const FEWEST: u64 = 1_000;
/// Mean length of packets of which nearly all are full.
const FULL_BYTES: u64 = 1_000;

fn is_segmented_in_software(flow: &Flow) -> bool {
    let counters = flow.counters();
    counters.packets >= FEWEST
        && counters.bytes / counters.packets >= FULL_BYTES
        && flow.largest_unfragmented_bytes <= LARGEST_MTU
        && flow.super_frames() == 0
        && bit_rate(flow) >= FAST
}

fn bit_rate(flow: &Flow) -> f64 {
    let seconds = (flow.last - flow.first).as_secs_f64();
    if seconds > 0.0 {
        flow.counters().bytes as f64 * 8.0 / seconds
    } else {
        0.0
    }
}
