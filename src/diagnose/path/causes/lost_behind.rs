//! C12, loss-behind-path.

use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C12",
    name: "loss-behind-path",
    title: "The receiver delivers less than arrives",
    severity: Severity::Error,
    meaning: "Datagrams arrive whole at the last point, and the receiver's kernel does not put \
              them together: its reassembly memory is full of datagrams that lack a fragment, so \
              that fragments of whole ones are refused. A small loss on the way becomes nearly \
              all, and no packet is missing that would show it. Or it has them, and no socket takes \
              them: its buffer is full, or nobody listens at the port.",
    signature: "Fewer datagrams come out of the model of the receiver's kernel than came whole \
                past the last point; or its counters (`--nstat`, before and after) say that it \
                dropped datagrams at sockets.",
    confirms: "`IpReasmFails` grows by as many on the receiver, and FRAG memory of \
               `/proc/net/sockstat` stands at `ipfrag_high_thresh`.",
    denies: "`IpReasmOKs` of the receiver is as high as the number of whole datagrams.",
    disprove: "Compare `nstat IpReasmOKs IpReasmFails` of the receiver, before and after, with \
               the figures here (`--nstat`).",
    fix: &[
        Fix {
            when: "Linux, more memory and shorter timers",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_high_thresh=67108864 net.ipv4.ipfrag_time=5",
        },
        Fix {
            when: "Linux, buffers of sockets are full",
            kind: FixKind::Command,
            command: "sysctl -w net.core.rmem_max=26214400 net.core.rmem_default=26214400",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "repair the loss on the way, or send messages that fit into one packet",
        },
    ],
    references: &[
        "Linux net/ipv4/inet_fragment.c",
        "Linux net/ipv4/udp.c",
        "RFC 8900 section 3.6",
        "RFC 4963",
    ],
};

/// Counters of IPv4 and IPv6, and why a datagram is counted there.
const AT_SOCKETS: [([&str; 2], &str); 3] = [
    (
        ["UdpRcvbufErrors", "Udp6RcvbufErrors"],
        "the buffer of the socket was full",
    ),
    (["UdpNoPorts", "Udp6NoPorts"], "nobody listened at the port"),
    (
        ["UdpInCsumErrors", "Udp6InCsumErrors"],
        "the checksum was wrong",
    ),
];

/// What is lost behind the last point, in the receiver's memory for fragments and at its sockets.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let full = not_put_together(given).into_iter();
    full.chain(dropped_at_sockets(given)).collect()
}

/// What the kernel counted between two times, whatever it came from.
fn dropped_at_sockets(given: &Given<'_>) -> Option<Finding> {
    let kernel = given.kernel?;
    let counted = AT_SOCKETS.iter().flat_map(|(names, why)| {
        let grown = names.iter().filter(|name| kernel.is_difference(name));
        grown.filter_map(move |name| Some((*name, kernel.growth(name)?, *why)))
    });
    let counted: Vec<_> = counted.filter(|(_, growth, _)| *growth > 0).collect();
    let dropped: u64 = counted.iter().map(|(_, growth, _)| growth).sum();
    let why = counted
        .iter()
        .map(|(name, growth, why)| format!("{} where {why} ({name})", number::count(*growth)));
    let why: Vec<String> = why.collect();
    let last = given.outcome.points.len() - 1;
    let seen = format!(
        "The kernel's counters say that it dropped {} behind {}, of all that came to its sockets: {}.",
        number::counted(dropped, "datagram"),
        crate::diagnose::path::name(last),
        why.join(", "),
    );
    (dropped > 0).then(|| Finding::at(&CAUSE, last, 0.95, seen))
}

/// The hosts behind the last point, if they deliver clearly less than came whole.
fn not_put_together(given: &Given<'_>) -> Option<Finding> {
    let forecasts = given.sums.innermost(given.outcome);
    let delivered: u64 = forecasts.iter().map(|f| f.predicted.reassembled).sum();
    let refused: u64 = forecasts
        .iter()
        .map(|f| f.predicted.rejected_fragments)
        .sum();
    let fragmented = given.fragmented_whole();
    if forecasts.is_empty() || refused == 0 || delivered + delivered / 50 >= fragmented {
        return None;
    }
    let last = given.outcome.points.len() - 1;
    let seen = format!(
        "{} in fragments came whole past {}, and the model of the receiver's kernel delivers {}: \
         it refuses {} because its reassembly memory is full.",
        number::counted(fragmented, "datagram"),
        crate::diagnose::path::name(last),
        number::count(delivered),
        number::counted(refused, "fragment"),
    );
    Some(Finding {
        flows: given.fragmented_flows(),
        ..Finding::at(&CAUSE, last, 0.8, seen)
    })
}
