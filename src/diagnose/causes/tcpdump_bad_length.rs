//! D23, tcpdump-bad-length.

use crate::account::Sign;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D23",
    name: "tcpdump-bad-length",
    title: "Old tcpdump prints \"bad length\"",
    severity: Severity::Info,
    meaning: "tcpdump 4.7.0 to 4.9.3 compares the length of the whole datagram, from the UDP \
              header, with the one fragment in front of it, and so prints \"bad length\" for every \
              first fragment. This is not a fault. The number of such lines is the number of \
              fragmented datagrams that were seen, whatever happened to them. Divided by the \
              number of full fragments it gives one over the fragments of a datagram, which is \
              easily taken for an error rate.",
    signature: "First fragments of UDP datagrams. Whole datagrams have the length that their header \
              names.",
    confirms: "tcpdump 4.99 prints nothing of the kind for the same file.",
    denies: "The line is about a packet that is no fragment, or tcpdump is 4.99 or later: then \
              see L01.",
    disprove: "Run `tcpdump --version`: from 4.99 on the message is meant.",
    fix: &[
        Fix {
            when: "nothing to repair; to count what matters",
            kind: FixKind::Command,
            command: "fraglens analyze --format json capture.pcap | jq .totals.bad_length",
        },
        Fix {
            when: "nothing to repair; with tcpdump 4.99 or later",
            kind: FixKind::Command,
            command: "tcpdump -nvr capture.pcap",
        },
    ],
    references: &[
        "the-tcpdump-group/tcpdump#602",
        "pinpoint-apm/pinpoint#4675",
    ],
};

/// First fragments that old tcpdump takes for errors.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let lengths = known.totals.bad_length;
    if lengths.first_fragment_artifact == 0 {
        return None;
    }
    let seen = format!(
        "{}. {} that tcpdump 4.7 to 4.9.3 calls so: one for each datagram in fragments that it saw \
         begin.",
        match lengths.total {
            0 => "0 datagrams have a bad length".to_owned(),
            1 => "1 datagram has a bad length".to_owned(),
            some => format!("{} datagrams have a bad length", number::count(some)),
        },
        first_fragments(lengths.first_fragment_artifact),
    );
    Some(
        Finding::new(&CAUSE, confidence::SURE, seen)
            .shown_by(
                known.exhibits().of_sign(Sign::FirstFragment),
                "a first fragment, and nothing wrong with this fragment itself",
            )
            .in_flows(known, |flow| {
                flow.counters().bad_length.first_fragment_artifact
            }),
    )
}

fn first_fragments(count: u64) -> String {
    if count == 1 {
        "There is 1 first fragment".to_owned()
    } else {
        format!("There are {} first fragments", number::count(count))
    }
}
