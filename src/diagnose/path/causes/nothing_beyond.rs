//! C15, path-ends.

use crate::compare::{FlowFacts, PointFacts};
use crate::diagnose::path::finding::{Evidence, Finding};
use crate::diagnose::path::given::{Given, MAX_FLOWS};
use crate::diagnose::path::sums::name;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C15",
    name: "path-ends",
    title: "What passed here is not found further on",
    severity: Severity::Warning,
    meaning: "A flow passes the first points, and the capture that was given for the next one \
              shows nothing of it, nor of anything else that passed. All of it may be lost in \
              between: by a policy, for want of a route, or because packets do not fit into a \
              tunnel. Or that capture is of another interface, another host or another time. \
              Files that have nothing in common do not say which, and so none of it is counted \
              as lost.",
    signature: "Packets pass the points in front, and of none anything is found in a capture \
                behind them; none come from there, either.",
    confirms: "The counters of the interface behind stand still while those in front grow: \
               `ip -s -s link show dev eth0`. A connection waits in SYN-SENT.",
    denies: "Both hosts exchange packets (`ss -ti`, `ping`) while the capture behind shows none: \
             then it is not where they pass.",
    disprove: "Capture both at the same time, and send something small and something large: \
               `ping -c 3 192.0.2.1` and `ping -c 3 -M do -s 1400 192.0.2.1`; if either is seen \
               behind, not everything is lost.",
    fix: &[
        Fix {
            when: "Linux, which way the host is reached",
            kind: FixKind::Command,
            command: "ip route get 192.0.2.1",
        },
        Fix {
            when: "Linux, where in the kernel packets are dropped",
            kind: FixKind::Command,
            command: "perf trace --no-syscalls -e skb:kfree_skb --duration 10",
        },
        Fix {
            when: "Kubernetes, which policy drops",
            kind: FixKind::Command,
            command: "kubectl get networkpolicy -A",
        },
        Fix {
            when: "overlays whose packets do not fit into the network below",
            kind: FixKind::Advice,
            command: "take the overhead of the tunnel from the MTU of pods and VMs: 50 bytes of \
                      VXLAN over IPv4, 58 of OVN's Geneve",
        },
    ],
    references: &["RFC 7348 section 4.3", "RFC 8900 section 3.8"],
};

/// Of what goes one way so much may come from where nothing arrives: more shows that the capture
/// there is not of this traffic.
const HARDLY_ANY: u64 = 20;

/// Either end of the path, if packets go on from it to a capture that shows nothing of them.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let ends = [false, true].into_iter();
    ends.filter_map(|is_backward| finding(given, is_backward))
        .collect()
}

/// The capture in which nothing is found of what goes one way, if there is one.
pub(in crate::diagnose::path) fn next(given: &Given<'_>, is_backward: bool) -> Option<String> {
    let lost = Lost::of(given, is_backward)?;
    lost.beyond.into_iter().next().map(|next| next.name)
}

/// What goes on from the last point at which anything is found.
struct Lost {
    from: usize,
    /// By packets.
    flows: Vec<(u64, usize)>,
    /// To where it goes.
    beyond: Vec<Beyond>,
}

impl Lost {
    /// `None` if nothing goes on, or if it goes on to nowhere.
    fn of(given: &Given<'_>, is_backward: bool) -> Option<Self> {
        let from = last_point(given, is_backward)?;
        let beyond = beyond(given, from, is_backward);
        let flows = flows_at(given, from, is_backward);
        let coming = sum(&flows_at(given, from, !is_backward));
        let goes_on = !beyond.is_empty() && !flows.is_empty();
        let none_comes = coming <= sum(&flows) / HARDLY_ANY;
        (goes_on && none_comes).then_some(Self {
            from,
            flows,
            beyond,
        })
    }
}

fn finding(given: &Given<'_>, is_backward: bool) -> Option<Finding> {
    let Lost {
        from,
        flows: going,
        beyond,
    } = Lost::of(given, is_backward)?;
    let next = beyond.first()?;
    let seen = format!(
        "{} of {} passed {} and are not found in {}{}.",
        number::counted(sum(&going), "packet"),
        number::counted(going.len() as u64, "flow"),
        name(from),
        next.told(),
        further(beyond.len() - 1),
    );
    let flows = going.iter().take(MAX_FLOWS).map(|(_, flow)| *flow);
    let flows: Vec<usize> = flows.collect();
    Some(Finding {
        is_backward: Some(is_backward),
        evidence: evidence(given, from, &flows, is_backward),
        flows,
        ..Finding::at(&CAUSE, from, next.confidence(), seen)
    })
}

/// The last point on a way of whose packets some were found elsewhere.
fn last_point(given: &Given<'_>, is_backward: bool) -> Option<usize> {
    let is_known = |point: &PointFacts| point.tally.matched > 0;
    let points = &given.outcome.points;
    match is_backward {
        false => points.iter().rposition(is_known),
        true => points.iter().position(is_known),
    }
}

/// A capture in which nothing was found.
struct Beyond {
    name: String,
    packets: u64,
    /// Whether its clock has it at the same time, if that is known.
    is_meanwhile: Option<bool>,
}

impl Beyond {
    fn told(&self) -> String {
        let shows = match self.packets {
            0 => "no IP packets".to_owned(),
            some => format!("{} of something else", number::counted(some, "packet")),
        };
        let when = match self.is_meanwhile {
            Some(true) => ", at the same time by its clock",
            Some(false) => ", at another time by its clock",
            None => "",
        };
        format!("{}, which shows {shows}{when}", self.name)
    }

    fn confidence(&self) -> f64 {
        match self.is_meanwhile {
            Some(true) => 0.6,
            Some(false) => 0.2,
            None => 0.4,
        }
    }
}

/// The captures beyond a point, the nearest first: points of the path, and those left out of it.
fn beyond(given: &Given<'_>, from: usize, is_backward: bool) -> Vec<Beyond> {
    let outcome = given.outcome;
    let here = &outcome.points[from];
    let points = outcome.points.iter().enumerate();
    let points = points.filter(|(place, _)| match is_backward {
        false => *place > from,
        true => *place < from,
    });
    let points = points.map(|(place, point)| {
        let both = here.span.zip(point.span);
        let beyond = Beyond {
            name: format!("{} ({})", name(place), point.file.path),
            packets: point.tally.datagrams,
            is_meanwhile: both.map(|(here, there)| here.0 <= there.1 && there.0 <= here.1),
        };
        (point.given, beyond)
    });
    // Where the order was looked for, nobody knows where these belong.
    let strangers = outcome.strangers.iter();
    let strangers = strangers.filter(|stranger| {
        !outcome.order.was_wanted && (stranger.given < here.given) == is_backward
    });
    let strangers = strangers.map(|stranger| {
        let beyond = Beyond {
            name: stranger.file.path.clone(),
            packets: stranger.packets,
            is_meanwhile: None,
        };
        (stranger.given, beyond)
    });
    let mut all: Vec<(usize, Beyond)> = points.chain(strangers).collect();
    all.sort_by_key(|(given, _)| given.abs_diff(here.given));
    all.into_iter().map(|(_, beyond)| beyond).collect()
}

fn further(others: usize) -> String {
    match others {
        0 => String::new(),
        others => format!(
            ", nor in {} beyond",
            number::counted(others as u64, "capture")
        ),
    }
}

/// Flows that pass a point one way, and were found at another, the largest first.
fn flows_at(given: &Given<'_>, point: usize, is_backward: bool) -> Vec<(u64, usize)> {
    let is_meant = |flow: &FlowFacts| {
        flow.is_backward == is_backward
            && !flow.account.is_carrier
            && flow.keys.iter().flatten().count() > 1
            && !flow.stays_on_link(point)
    };
    let flows = given.outcome.flows.iter().enumerate();
    let those = flows.filter(|(_, flow)| is_meant(flow));
    let those = those.map(|(place, flow)| (flow.account.at[point].packets, place));
    let mut those: Vec<(u64, usize)> = those.filter(|(packets, _)| *packets > 0).collect();
    those.sort_unstable_by_key(|(packets, place)| (std::cmp::Reverse(*packets), *place));
    those
}

fn sum(flows: &[(u64, usize)]) -> u64 {
    flows.iter().map(|(packets, _)| packets).sum()
}

/// Frames that go on to a point of the path; of a capture that is none of it nobody looked.
fn evidence(given: &Given<'_>, from: usize, flows: &[usize], is_backward: bool) -> Vec<Evidence> {
    let is_last = from + 1 == given.outcome.points.len();
    match is_backward || is_last {
        true => Vec::new(),
        false => given.one_sided_frames(from, 0, flows),
    }
}
