//! D01, fragment-loss-amplified.

use crate::account::Loss;
use crate::diagnose::destination::{Destination, Pattern};
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "D01",
    name: "fragment-loss-amplified",
    title: "Fragment loss costs whole messages",
    severity: Severity::Warning,
    meaning: "A message that is cut into many fragments is lost with any one of them. With n \
              fragments and a loss of p for each, (1 - p)^n of the messages survive: at 47 \
              fragments, 1 % of loss leaves 62 % of the messages and 3 % leaves 24 %. So the \
              network may drop little, and the size of the messages makes much of it. The \
              fragments that did arrive of a lost message were carried for nothing.",
    signature: "Messages of many fragments. What is missing is spread evenly over all positions; few \
              fragments are missing, but many messages have a hole.",
    confirms: "The share of fragments that arrived, to the power of the fragments in a message, is \
              the share of messages that are whole. Messages that fit the MTU get through at the \
              rate of single fragments.",
    denies: "It is always the same position that is missing. Or every message is whole at the \
              receiver's NIC, and the application still counts losses.",
    disprove: "Run the same test with messages that fit the MTU, as in `iperf3 -u -l 1400 -c PEER`: \
              if they are lost as often as the large ones, size is not the reason.",
    fix: &[
        Fix {
            when: "netperf",
            kind: FixKind::Command,
            command: "netperf -H PEER -t UDP_STREAM -- -m 1400",
        },
        Fix {
            when: "iperf3",
            kind: FixKind::Command,
            command: "iperf3 -c PEER -u -l 1400 -b 1G",
        },
        Fix {
            when: "qperf",
            kind: FixKind::Command,
            command: "qperf -m 1400 PEER udp_bw",
        },
        Fix {
            when: "an application of your own",
            kind: FixKind::Advice,
            command: "send messages of at most MTU - 28 bytes (IPv4) or MTU - 48 (IPv6); for speed, many of them a call with UDP_SEGMENT",
        },
    ],
    references: &[
        "RFC 8085 section 3.2",
        "RFC 8900 section 6.1",
        "esnet/iperf#496",
    ],
};

/// Datagrams that lack fragments by no other rule than chance.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let worst = by_chance(known).next()?;
    let lost: u64 = by_chance(known).map(Destination::chance_bytes).sum();
    let seen = format!(
        "{} of the fragments to {} never came ({} of {}), and so {} of its {} in fragments are \
         not whole. {}{}",
        number::share(worst.fragment_loss()),
        worst.address(),
        number::count(worst.fragments_missing()),
        number::count(worst.fragments_expected()),
        number::count(worst.lacking().datagrams),
        number::counted(worst.decided(), "datagram"),
        what_chance_leaves(worst),
        what_is_undecided(worst),
    );
    let exhibits = known.exhibits();
    let mut finding = Finding::new(&CAUSE, sureness(worst), seen)
        .missing(lost)
        .shown_by(exhibits.of_loss(Loss::Gap), "not all of it came")
        .in_these(known.lacking_flows(by_chance(known)));
    // Where a rule takes them from another host, they do not show chance.
    if known
        .destinations
        .iter()
        .all(|host| host.only_first.datagrams == 0)
    {
        finding = finding.shown_by(
            exhibits.of_loss(Loss::OnlyFirst),
            "only its first fragment came",
        );
    }
    if !has_rule(known, Pattern::NoFirst) {
        finding = finding.shown_by(
            exhibits.of_loss(Loss::NoFirst),
            "its first fragment never came",
        );
    }
    (worst.lacking().datagrams > 0).then_some(finding)
}

fn has_rule(known: &Known<'_>, rule: Pattern) -> bool {
    known
        .destinations
        .iter()
        .any(|host| host.pattern() == Some(rule))
}

fn what_chance_leaves(host: &Destination) -> String {
    let pieces = number::counted(host.pieces, "fragment");
    let whole = number::percent(host.reassembled, host.decided());
    if host.is_mixed() {
        return format!("They have up to {pieces}; {whole} are whole, of the large ones fewer.");
    }
    format!(
        "At {pieces} a datagram, such a loss by chance alone would leave {} of them whole; {whole} are.",
        number::share(host.expected_whole()),
    )
}

/// Datagrams that are in none of those figures.
fn what_is_undecided(host: &Destination) -> String {
    match host.gaps.unfinished {
        0 => String::new(),
        unfinished => format!(
            " Left out: {} that the capture begins or ends within.",
            number::counted(unfinished, "datagram")
        ),
    }
}

fn by_chance<'k>(known: &'k Known<'_>) -> impl Iterator<Item = &'k Destination> {
    let is_by_chance = |host: &&Destination| host.pattern() == Some(Pattern::Chance);
    known.destinations.iter().filter(is_by_chance)
}

/// Datagrams from which on chance can be told from a rule.
const FEWEST: u64 = 30;

/// Chance predicts how many datagrams stay whole; a rule that is not known would leave
/// more or fewer.
fn sureness(host: &Destination) -> f64 {
    if host.decided() < FEWEST {
        return confidence::FITS;
    }
    let whole = host.reassembled as f64;
    let expected = host.expected_whole() * host.decided() as f64;
    // Four standard deviations of a binomial distribution, and what the loss itself is
    // not known to.
    let deviation = (expected * (1.0 - host.expected_whole())).sqrt();
    let spread = 4.0 * deviation + 0.1 * expected;
    let is_none_of_many = host.reassembled == 0 && expected >= 3.0;
    if (whole - expected).abs() <= spread && !is_none_of_many && !is_at_one_place(host) {
        confidence::SURE
    } else {
        confidence::FITS
    }
}

/// Whether it is always the same end that is missing, of datagrams with more.
fn is_at_one_place(host: &Destination) -> bool {
    let gaps = &host.gaps;
    let is_nearly_all = |datagrams: u64| datagrams * 10 >= gaps.datagrams * 9;
    host.pieces > 2 && (is_nearly_all(gaps.without_first) || is_nearly_all(gaps.without_last))
}
