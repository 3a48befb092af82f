//! D37, capture-blind-spot.

use crate::account::Flow;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D37",
    name: "capture-blind-spot",
    title: "Captured where fragments are not visible",
    severity: Severity::Info,
    meaning: "A capture behind connection tracking shows whole packets where the wire had \
              fragments, because it puts them together as they enter the host's network stack. So \
              the NIC has fragments, and the pod's or VM's interface behind it whole packets, or \
              packets fragmented anew at another size. This is not a fault, and nothing was lost \
              between the two. Firewall rules also see whole packets from there on.",
    signature: "Fragments on one interface, and the same datagrams in one packet or in other pieces \
              on the next interface of the same host.",
    confirms: "`lsmod | grep nf_defrag` finds the module on that host, and the data are the same on \
              both interfaces.",
    denies: "The datagrams behind the NIC are fewer than those that were complete in front of it.",
    disprove: "Run `lsmod | grep nf_defrag` on the host: if nothing is printed and it is not built \
              into the kernel, nothing puts fragments together there.",
    fix: &[Fix {
        when: "nothing to repair; to see the fragments, on the physical NIC",
        kind: FixKind::Command,
        command: "tcpdump -i eth0 -s 128 -w nic.pcap",
    }],
    references: &[
        "Linux net/ipv4/netfilter/nf_defrag_ipv4.c",
        "wiki.nftables.org/wiki-nftables/index.php/Netfilter_hooks",
    ],
};

/// A flow shows whole packets larger than the MTU that fragments it.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let flows = known.odd.iter().filter(|(_, flow)| is_seen_twice(flow));
    let (key, flow) = flows.clone().next()?;
    let seen = format!(
        "{} > {} comes in fragments cut at {}, and also in whole packets of up to {} bytes: as if the \
         capture saw it on both sides of something that puts fragments together, or makes them.",
        key.addresses.source(),
        key.addresses.destination(),
        number::range(
            flow.largest_full().ip_bytes,
            flow.largest_full().ip_bytes + 7
        ),
        number::count(flow.largest_unfragmented_bytes.into()),
    );
    Some(
        Finding::new(&CAUSE, confidence::FITS, seen).in_these(
            flows
                .map(|(key, flow)| (flow.counters().bytes, **key))
                .collect(),
        ),
    )
}

fn is_seen_twice(flow: &Flow) -> bool {
    let cut_at = flow.largest_full().ip_bytes;
    // TCP is not fragmented by its sender, and super-frames are another matter.
    cut_at > 0
        && flow.super_frames() == 0
        && flow.largest_unfragmented_bytes > cut_at.saturating_add(7)
}
