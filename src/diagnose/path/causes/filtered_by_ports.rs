//! C22, filtered-by-ports.

use crate::compare::Passage;
use crate::diagnose::path::blind::ENOUGH;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::path::sums::name;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C22",
    name: "filtered-by-ports",
    title: "A capture has first fragments alone",
    severity: Severity::Warning,
    meaning: "Only the first fragment of a datagram has ports, and a capture filter for ports \
              (`udp port 5201`) lets no other pass. Such a capture has the beginning of each \
              datagram and nothing of the rest: whether that was lost cannot be seen in it, and \
              nothing in fragments is ever whole.",
    signature: "8 first fragments or more are in a capture and none that is not the first, though \
                these passed it, or no other capture has any either.",
    confirms: "The command that captured has `port`, `src port` or `dst port` in its expression.",
    denies: "It captured without an expression: then what is not a first fragment is dropped in \
             front of it.",
    disprove: "Capture again without an expression, or by address: `tcpdump -ni eth0 -s 128 -w \
               again.pcap host 10.16.0.9`; if no other fragments are in it, they do not come there.",
    fix: &[
        Fix {
            when: "capture by address, which all fragments have",
            kind: FixKind::Command,
            command: "tcpdump -ni eth0 -s 128 -w capture.pcap host 10.16.0.9",
        },
        Fix {
            when: "IPv4, ports and all other fragments",
            kind: FixKind::Command,
            command: "tcpdump -ni eth0 -w capture.pcap 'udp port 5201 or ip[6:2] & 0x1fff != 0'",
        },
        Fix {
            when: "IPv6, ports and all fragments",
            kind: FixKind::Command,
            command: "tcpdump -ni eth0 -w capture.pcap 'udp port 5201 or ip6[6] == 44'",
        },
    ],
    references: &[
        "RFC 8900 section 3.3",
        "man7.org/linux/man-pages/man7/pcap-filter.7.html",
    ],
};

/// What of fragments a point shows, and missed.
struct Fragments {
    point: usize,
    first: u64,
    others: u64,
    missed_others: u64,
}

impl Fragments {
    fn at(given: &Given<'_>, point: usize) -> Self {
        let ways = [false, true].map(|is_backward| given.passages(point, is_backward));
        let sum = |of: fn(&Passage) -> u32| ways.iter().map(|at| u64::from(of(at))).sum();
        Self {
            point,
            first: sum(|at| at.fragments[0]),
            others: sum(|at| at.fragments[1]),
            missed_others: sum(|at| at.missed_without_ports),
        }
    }

    fn has_first_alone(&self) -> bool {
        self.first >= ENOUGH && self.others == 0
    }
}

/// Each point that shows first fragments and none of the others that passed it; the first of all if
/// no point shows any other.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let points = 0..given.outcome.points.len();
    let points: Vec<Fragments> = points.map(|point| Fragments::at(given, point)).collect();
    let filtered = points.iter().filter(|at| at.has_first_alone());
    match points.iter().all(|at| at.others == 0) {
        true => filtered.take(1).map(no_others_anywhere).collect(),
        false => filtered
            .filter(|at| at.missed_others >= ENOUGH)
            .map(others_passed)
            .collect(),
    }
}

fn no_others_anywhere(at: &Fragments) -> Finding {
    let seen = format!(
        "No capture has a fragment that is not the first of its datagram: {} has {} first ones. What \
         became of the others cannot be seen here, and what is said to arrive is their first \
         fragments.",
        name(at.point),
        number::count(at.first)
    );
    Finding::at(&CAUSE, at.point, 0.8, seen)
}

fn others_passed(at: &Fragments) -> Finding {
    let seen = format!(
        "{} has {}, and none of the {} behind these that passed it.",
        name(at.point),
        number::counted(at.first, "first fragment"),
        number::count(at.missed_others),
    );
    Finding::at(&CAUSE, at.point, 0.95, seen)
}

/// Of losses that are all fragments without ports: whether a filter at the point behind would look
/// the same, in words.
pub(super) fn may_be_filter(given: &Given<'_>, to: usize) -> Option<String> {
    Fragments::at(given, to).has_first_alone().then(|| {
        format!(
            " {} has no fragment but first ones: if its capture has a filter for ports, that is all \
             there is to it.",
            name(to)
        )
    })
}
