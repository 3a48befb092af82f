//! D34, not-the-network.

use crate::account::Loss;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::reconcile::Reconciled;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{FlowKey, Protocol, number};

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

/// Datagrams are whole here, and the receiving program or its kernel counts losses behind.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let full = ["UdpRcvbufErrors", "Udp6RcvbufErrors"].map(|name| {
        let counted = known.counted(name)?;
        // Since the host started says nothing of this capture.
        (counted.kernel > 0 && counted.is_difference).then_some(counted)
    });
    let full: u64 = full.iter().flatten().map(|counted| counted.kernel).sum();
    let short = known
        .runs
        .iter()
        .filter(|run| falls_short(run))
        .max_by_key(|run| run.unexplained());
    let mut seen = Vec::new();
    if let Some(run) = short {
        seen.push(format!(
            "{} {} would be delivered by what the capture shows, and the receiving program \
             counted {}.",
            number::count(run.messages?.predicted),
            if run.messages?.predicted == 1 {
                "message"
            } else {
                "messages"
            },
            number::count(run.run.received.messages?),
        ));
    }
    let arrived = arrived_here(known).filter(|_| full > 0);
    if let Some(arrived) = &arrived {
        seen.push(arrived.sentence());
    }
    if full > 0 {
        seen.push(format!(
            "The receiver's kernel threw {} away because a socket's buffer was full \
             (UdpRcvbufErrors{}).",
            number::counted(full, "whole datagram"),
            known.a_second(full).map_or_else(String::new, |rate| {
                format!(", {}", number::rate(rate, "datagrams"))
            }),
        ));
    }
    let is_elsewhere = arrived.as_ref().is_some_and(|arrived| arrived.offered == 0);
    let sureness = match (short, full > 0) {
        (None, true) if is_elsewhere => confidence::POSSIBLE,
        (_, true) => confidence::SURE,
        (Some(_), false) => confidence::FITS,
        (None, false) => return None,
    };
    let flows = short.map_or_else(
        || arrived.map_or_else(Vec::new, Arrived::only_flow),
        |run| run.flows.clone(),
    );
    let severity = if short.is_none() && is_elsewhere {
        Severity::Info
    } else {
        CAUSE.severity
    };
    Some(
        Finding::new(&CAUSE, sureness, seen.join(" "))
            .graded(severity)
            .in_these(flows.into_iter().map(|key| (1, key)).collect()),
    )
}

/// UDP to the host that captures, as far as it is in the capture.
#[derive(Debug, Default)]
struct Arrived {
    /// Datagrams, but for those that the capture begins or ends within.
    offered: u64,
    /// Those of them that are whole and whose checksum is not wrong.
    sound: u64,
    flows: Vec<FlowKey>,
}

/// What of UDP came to the sockets of the host that captures; `None` if that is not known.
fn arrived_here(known: &Known<'_>) -> Option<Arrived> {
    if !known.host.is_known() {
        return None;
    }
    let mut arrived = Arrived::default();
    for (key, flow) in known.given.ledger.flows.iter() {
        if key.protocol == Protocol::UDP && known.is_received_here(key) {
            let datagrams = flow.counters().datagrams;
            let all = datagrams.unfragmented + datagrams.fragmented;
            let unfinished = flow.losses().of(Loss::Unfinished).datagrams;
            arrived.offered += all.saturating_sub(unfinished);
            arrived.sound += flow.deliverable_datagrams();
            arrived.flows.push(*key);
        }
    }
    Some(arrived)
}

impl Arrived {
    fn sentence(&self) -> String {
        if self.offered == 0 {
            return "None of the UDP captured goes to this host.".to_owned();
        }
        let lost = self.offered.saturating_sub(self.sound);
        let all = number::counted(self.offered, "UDP datagram");
        if lost == 0 {
            format!("All of {all} to this host came whole, and no checksum is wrong.")
        } else {
            format!(
                "{} of {all} to this host came whole and sound.",
                number::count(self.sound)
            )
        }
    }

    /// A kernel does not say whose buffer was full: of several flows it may be any.
    fn only_flow(self) -> Vec<FlowKey> {
        Some(self.flows)
            .filter(|flows| flows.len() == 1)
            .unwrap_or_default()
    }
}

/// Messages that may be missing at the end of a run without a reason.
const FEW: i64 = 5;

/// Whether more than a hundredth of what would be delivered is not received; more than a
/// fifth where the receiver's memory ran out.
fn falls_short(run: &Reconciled) -> bool {
    let Some(messages) = run.messages else {
        return false;
    };
    // How much a full memory lets through is known less well.
    let parts = if messages.predicted < messages.whole {
        5
    } else {
        100
    };
    let allowed = FEW.max(i64::try_from(messages.predicted / parts).unwrap_or(i64::MAX));
    run.unexplained().is_some_and(|messages| messages > allowed)
}
