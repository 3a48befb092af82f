//! Where the difference between sent and delivered went, in figures and in a sentence.

use super::destination::{Destination, Pattern};
use super::finding::Finding;
use super::known::Known;
use super::reconcile::Reconciled;
use crate::account::{Flow, Loss};
use crate::model::{mtu, number};
use crate::receiver::Forecast;

/// Where the difference between sent and delivered went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Bytes on the wire that were offered here, copies left out.
    pub sent_bytes: u64,
    /// Those of them that a Linux receiver can hand to applications.
    pub delivered_bytes: u64,
    /// What of the difference each finding explains.
    pub parts: Vec<Part>,
    /// Bytes of datagrams that the capture began or ended in the middle of.
    pub undecided_bytes: u64,
    /// What is left of the difference. Negative if findings explain more.
    pub residual_bytes: i64,
    /// All of it in plain words.
    pub sentence: String,
}

/// What one finding explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Id of its cause.
    pub cause: &'static str,
    /// Bytes.
    pub bytes: u64,
}

/// Explains what the findings found; `None` if nothing was sent.
pub(super) fn explain(known: &Known<'_>, findings: &[Finding]) -> Option<Explanation> {
    let ledger = known.given.ledger;
    let flows = || {
        let listed = ledger.flows.iter().map(|(_, flow)| flow);
        listed.chain(ledger.flows.beyond())
    };
    let total = |of: fn(&Flow) -> u64| flows().map(of).sum::<u64>();
    let unattributed: u64 = known
        .tunnels
        .iter()
        .map(|(_, _, tunnel)| tunnel.unattributed_bytes)
        .sum();
    let sent_bytes = total(Flow::bytes) + unattributed - total(Flow::duplicate_bytes);
    if sent_bytes == 0 {
        return None;
    }
    let refused: u64 = known
        .destinations
        .iter()
        .map(Destination::refused_bytes)
        .sum();
    let delivered_bytes = total(Flow::deliverable_bytes).saturating_sub(refused);
    let undecided_bytes = known.undecided_bytes() - refused_unfinished(known);
    let parts: Vec<Part> = findings.iter().filter_map(part).collect();
    let explained: u64 = parts.iter().map(|part| part.bytes).sum();
    let difference = sent_bytes.saturating_sub(delivered_bytes);
    Some(Explanation {
        sent_bytes,
        delivered_bytes,
        residual_bytes: signed(difference) - signed(explained) - signed(undecided_bytes),
        parts,
        undecided_bytes,
        sentence: sentence(known, findings, sent_bytes, delivered_bytes) + &said(known, findings),
    })
}

fn part(finding: &Finding) -> Option<Part> {
    Some(Part {
        cause: finding.cause.id,
        bytes: finding.missing_bytes.filter(|bytes| *bytes > 0)?,
    })
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// All of it in plain words: of the host that lacks most, if that lacks fragments.
fn sentence(known: &Known<'_>, findings: &[Finding], sent: u64, delivered: u64) -> String {
    let worst = known.destinations.first();
    let lacking = worst.filter(|host| {
        let lacks = host.lacking().datagrams + host.only_first.datagrams;
        lacks > 0 || host.refused_bytes() > 0
    });
    match lacking {
        Some(host) => of_fragments(known, host),
        None => of_all(known, findings, sent, delivered),
    }
}

fn of_fragments(known: &Known<'_>, host: &Destination) -> String {
    let mut clauses = vec![format!(
        "{} were offered to {} in {}",
        rate_or_bytes(host.bit_rate(host.sent_bytes), host.sent_bytes),
        host.address(),
        messages_of(host),
    )];
    if host.only_first.datagrams > 0 {
        clauses.push(format!(
            "only the first fragment comes of {}",
            number::counted(host.only_first.datagrams, "message"),
        ));
    }
    if host.pattern() == Some(Pattern::NoFirst) {
        clauses.push("the first fragment of each is missing".to_owned());
    } else if host.fragments_missing() > 0 && host.pieces > 0 {
        let left = if host.is_mixed() {
            number::percent(host.reassembled, host.decided())
        } else {
            number::share(host.expected_whole())
        };
        clauses.push(format!(
            "{} of the fragments are missing, which alone would leave {left} of the messages",
            number::share(host.fragment_loss()),
        ));
    }
    clauses.push(what_arrives(known, host));
    let mut sentence = clauses.join("; ");
    sentence.push('.');
    sentence.push_str(&what_would_arrive(host));
    sentence
}

fn messages_of(host: &Destination) -> String {
    if host.ends_tunnel {
        return format!(
            "{}, {} of them in fragments, of which {} are missing",
            number::counted(host.fragmented + host.unfragmented, "tunnel packet"),
            number::count(host.fragmented),
            number::share(host.fragment_loss()),
        );
    }
    let bytes = number::count(host.message_bytes().into());
    let pieces = number::counted(host.pieces, "fragment");
    if host.is_mixed() {
        format!("messages of up to {bytes} bytes and {pieces}")
    } else {
        format!("{bytes}-byte messages of {pieces}")
    }
}

fn what_arrives(known: &Known<'_>, host: &Destination) -> String {
    let memory = host
        .forecast
        .as_ref()
        .and_then(|forecast| memory_full(known, forecast));
    let delivered = host.delivered_bytes();
    let because = memory.map_or_else(String::new, |memory| format!("{memory}, so "));
    format!(
        "{because}a Linux receiver delivers {} of {}{}",
        number::count(host.delivered_datagrams()),
        number::count(host.fragmented + host.unfragmented + host.only_first.datagrams),
        host.bit_rate(delivered)
            .map_or_else(String::new, |rate| format!(" ({})", number::bit_rate(rate))),
    )
}

fn memory_full(known: &Known<'_>, forecast: &Forecast) -> Option<String> {
    let since = forecast.predicted.first_full?;
    Some(format!(
        "the receiver's {} of reassembly memory filled up after {}",
        number::bytes(forecast.high_thresh()),
        number::duration(known.seconds_since_begin(since)),
    ))
}

/// What messages that need no fragments would do.
fn what_would_arrive(host: &Destination) -> String {
    if host.full_bytes == 0 || host.ends_tunnel {
        return String::new();
    }
    let bytes = mtu::largest_message(host.host.version, host.full_bytes);
    let is_chance = host.only_first.datagrams == 0 && host.pattern() != Some(Pattern::NoFirst);
    if !is_chance {
        return format!(
            " Messages of at most {} bytes need no fragments.",
            number::count(bytes.into())
        );
    }
    format!(
        " Messages of at most {} bytes would get {} through.",
        number::count(bytes.into()),
        number::share(1.0 - host.fragment_loss()),
    )
}

fn of_all(known: &Known<'_>, findings: &[Finding], sent: u64, delivered: u64) -> String {
    let seconds = known.seconds();
    let rate = |bytes: u64| (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds);
    let offered = rate_or_bytes(rate(sent), sent);
    let undecided = known.undecided_bytes();
    if undecided > 0 && delivered + undecided >= sent {
        return format!(
            "{offered} were offered, and nothing of it is lost or damaged as far as the capture goes: \
             it begins or ends within datagrams of {}.",
            number::bytes(undecided),
        );
    }
    if delivered >= sent {
        return format!(
            "{offered} were offered and all of it can be delivered: every datagram is whole, and no \
             checksum is wrong."
        );
    }
    let mut sentence = format!(
        "{offered} were offered, of which {} can be delivered.",
        number::percent(delivered, sent)
    );
    if let Some(worst) = findings
        .iter()
        .find(|finding| finding.missing_bytes > Some(0))
    {
        sentence.push_str(&format!(
            " {} of what is missing is explained by {} ({}).",
            number::percent(worst.missing_bytes.unwrap_or(0), sent - delivered),
            worst.cause.id,
            lowered(worst.cause.title),
        ));
    }
    sentence
}

fn rate_or_bytes(rate: Option<f64>, bytes: u64) -> String {
    rate.map_or_else(|| number::bytes(bytes), number::bit_rate)
}

/// A title within a sentence: abbreviations stay as they are.
fn lowered(title: &str) -> String {
    let mut letters = title.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => title.to_owned(),
    }
}

/// What the benchmark said, of the run that lost most.
fn said(known: &Known<'_>, findings: &[Finding]) -> String {
    let lost = |run: &&Reconciled| {
        let sent = run.run.sent.messages.unwrap_or(0);
        sent.saturating_sub(run.run.received.messages.unwrap_or(sent))
    };
    let Some(run) = known.runs.iter().max_by_key(lost) else {
        return String::new();
    };
    let (Some(sent), Some(received)) = (run.run.sent.messages, run.run.received.messages) else {
        return String::new();
    };
    let program = known
        .given
        .benchmark
        .map_or("", |benchmark| benchmark.program.name());
    let seen = run.messages.map_or_else(String::new, |messages| {
        format!(
            "; the capture has {} of them ({}), of which a Linux receiver would deliver {}",
            number::count(messages.seen),
            number::percent(messages.seen, sent),
            number::count(messages.predicted),
        )
    });
    let size = run.run.message_bytes.filter(|_| known.runs.len() > 1);
    let size = size.map_or_else(String::new, |bytes| {
        format!(" of {} bytes", number::count(bytes))
    });
    let about = if run.is_estimated { "about " } else { "" };
    format!(
        " {program} sent {about}{}{size} and received {about}{}{seen}.{}",
        number::counted(sent, "message"),
        number::count(received),
        so(run, findings),
    )
}

/// What the difference to a benchmark means, where it is not the network's.
fn so(run: &Reconciled, findings: &[Finding]) -> String {
    let found = |id| findings.iter().any(|finding| finding.cause.id == id);
    let behind = run.unexplained().filter(|messages| *messages > 0);
    if let Some(lost) = run.received_unseen().filter(|_| found("D36")) {
        return format!(
            " More were received than that: the capture itself lost at least {} (D36).",
            number::counted(lost, "message"),
        );
    }
    match behind.filter(|_| found("D34")) {
        Some(lost) => format!(
            " {} lost behind this point: not by the network (D34).",
            match lost {
                1 => "1 was".to_owned(),
                _ => format!("{} were", number::count(lost.unsigned_abs())),
            },
        ),
        None => String::new(),
    }
}

/// What looks undecided and is not, since a receiver refuses it.
fn refused_unfinished(known: &Known<'_>) -> u64 {
    let hosts = known.destinations.iter();
    hosts
        .map(|host| host.losses.of(Loss::Unfinished).bytes - host.undecided_bytes())
        .sum()
}
