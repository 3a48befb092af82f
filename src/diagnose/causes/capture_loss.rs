//! D36, capture-loss.

use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D36",
    name: "capture-loss",
    title: "The capture itself lost packets",
    severity: Severity::Warning,
    meaning: "The capturing host did not keep up, so packets are missing from the file that were \
              on the wire and may have arrived. Every loss that the report shows can then be one \
              of the capture only. It is common when tcpdump prints or writes to a pipe at a high \
              rate.",
    signature: "The file says that packets were dropped, or many unrelated flows have gaps at the \
              same instants, or TCP acknowledges data that the file does not have.",
    confirms: "tcpdump ends with a number of packets dropped by kernel above 0, or the receiver \
              counted more datagrams than the file holds.",
    denies: "The file says 0 dropped, and what is missing is missing at the receiver too.",
    disprove: "Run `tcpdump -i eth0 -s 128 -B 65536 -w again.pcap` during the same test: if it ends \
              with 0 packets dropped by kernel and the gaps remain, they are real.",
    fix: &[
        Fix {
            when: "tcpdump",
            kind: FixKind::Command,
            command: "tcpdump -i eth0 -s 128 -B 65536 -w capture.pcap",
        },
        Fix {
            when: "dumpcap, which also records its losses",
            kind: FixKind::Command,
            command: "dumpcap -i eth0 -s 128 -B 64 -w capture.pcapng",
        },
        Fix {
            when: "any, less to capture (by address: fragments have no ports)",
            kind: FixKind::Command,
            command: "tcpdump -i eth0 -s 128 -B 65536 -w capture.pcap host 10.16.0.9",
        },
        Fix {
            when: "capture programs with AF_PACKET fanout",
            kind: FixKind::Advice,
            command: "set PACKET_FANOUT_FLAG_DEFRAG, so that all fragments of a datagram reach one thread",
        },
    ],
    references: &[
        "www.tcpdump.org/manpages/tcpdump.1.html",
        "man7.org/linux/man-pages/man7/packet.7.html",
        "the-tcpdump-group/tcpdump#434",
    ],
};

/// The capturing host says that it lost frames, or others counted more than there is here.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let told = [dropped(known), by_benchmark(known), by_tcp(known)];
    let told: Vec<(f64, String)> = told.into_iter().flatten().collect();
    let sureness = told
        .iter()
        .map(|(sureness, _)| *sureness)
        .reduce(f64::max)?;
    let seen: Vec<String> = told.into_iter().map(|(_, seen)| seen).collect();
    // Lost before this point is lost as well, and no fault of the capture.
    let severity = if sureness > confidence::POSSIBLE {
        CAUSE.severity
    } else {
        Severity::Info
    };
    Some(Finding::new(&CAUSE, sureness, seen.join(" ")).graded(severity))
}

fn dropped(known: &Known<'_>) -> Option<(f64, String)> {
    let dropped = known.given.dropped_frames.filter(|frames| *frames > 0)?;
    let frames = known.given.ledger.capture.frames;
    let seen = format!(
        "The capturing host says that it lost {} ({}): what is missing here may have arrived.",
        number::counted(dropped, "frame"),
        number::percent(dropped, dropped.saturating_add(frames)),
    );
    Some((confidence::SURE, seen))
}

/// More was received than the capture has; or more was sent, and it was made beside the
/// sender.
fn by_benchmark(known: &Known<'_>) -> Option<(f64, String)> {
    let lossy = known.runs.iter().filter(|run| !run.is_complete());
    let run = lossy.max_by_key(|run| run.not_seen())?;
    let (sent, seen) = (run.run.sent.messages?, run.messages?.seen);
    let mut text = format!(
        "The capture has {} of {} messages that were sent ({}).",
        number::count(seen),
        number::count(sent),
        number::percent(seen, sent),
    );
    let is_beside_sender = run.flows.iter().any(|key| known.is_local(key));
    let sureness = if let Some(more) = run.received_unseen() {
        let more = number::count(more);
        text.push_str(&format!(
            " {more} more were received than it has: the capture lost at least those."
        ));
        confidence::SURE
    } else if is_beside_sender {
        text.push_str(" It was made beside the sender, where nothing can be missing yet.");
        confidence::LIKELY
    } else {
        text.push_str(" The rest was lost before this point, or by the capture.");
        confidence::POSSIBLE
    };
    Some((sureness, text))
}

/// Flows it takes to say that the capture loses packets.
const MANY: usize = 3;

/// TCP acknowledged data that the capture does not have. A filter may have taken it away.
fn by_tcp(known: &Known<'_>) -> Option<(f64, String)> {
    let table = &known.given.ledger.flows;
    let missing = table.iter().filter_map(|(key, flow)| {
        let segments = flow.segments()?;
        segments
            .missing_bytes(known.answering(key)?.segments()?)
            .filter(|bytes| *bytes > 0)
    });
    let missing: Vec<u64> = missing.collect();
    if missing.is_empty() || known.given.is_filtered {
        return None;
    }
    let text = format!(
        "TCP acknowledged {} in {} that the capture does not have.",
        number::bytes(missing.iter().sum()),
        number::counted(missing.len() as u64, "flow"),
    );
    // One flow alone may have used its ports twice.
    let sureness = if missing.len() >= MANY {
        confidence::LIKELY
    } else {
        confidence::POSSIBLE
    };
    Some((sureness, text))
}
