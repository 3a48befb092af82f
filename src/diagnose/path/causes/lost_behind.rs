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
              all, and no packet is missing that would show it.",
    signature: "Fewer datagrams come out of the model of the receiver's kernel than came whole \
                past the last point.",
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
            when: "any",
            kind: FixKind::Advice,
            command: "repair the loss on the way, or send messages that fit into one packet",
        },
    ],
    references: &[
        "Linux net/ipv4/inet_fragment.c",
        "RFC 8900 section 3.6",
        "RFC 4963",
    ],
};

/// The hosts behind the last point, if they deliver clearly less than came whole.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let forecasts = given.sums.innermost(given.outcome);
    let delivered: u64 = forecasts.iter().map(|f| f.predicted.reassembled).sum();
    let refused: u64 = forecasts
        .iter()
        .map(|f| f.predicted.rejected_fragments)
        .sum();
    let fragmented = given.fragmented_whole();
    if forecasts.is_empty() || refused == 0 || delivered + delivered / 50 >= fragmented {
        return Vec::new();
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
    vec![Finding {
        flows: given.fragmented_flows(),
        ..Finding::at(&CAUSE, last, 0.8, seen)
    }]
}
