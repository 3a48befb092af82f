//! The whole path in one sentence.

use super::finding::Finding;
use super::given::Given;
use super::pattern::Look;
use super::sums::ends_of;
use crate::model::{Timestamp, number};
use std::cmp::Reverse;

/// Where the difference between sent and delivered went, for what goes forward.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// IP bytes that entered the path.
    pub sent_bytes: u64,
    /// The same per second.
    pub sent_bits_per_second: Option<f64>,
    /// IP bytes of those that arrived.
    pub arrived_bytes: u64,
    /// Datagrams that entered the path.
    pub sent_datagrams: u64,
    /// Those of which everything arrived.
    pub arrived_datagrams: u64,
    /// Datagrams in fragments of which nothing is missing at the last point.
    pub whole_fragmented_datagrams: u64,
    /// Fragmented datagrams that the receivers' kernels would deliver.
    pub predicted_datagrams: Option<u64>,
    /// What others counted of the same.
    pub counted_datagrams: Option<u64>,
    /// Bytes by finding.
    pub parts: Vec<(&'static str, u64)>,
    /// Bytes missing that no finding explains.
    pub residual_bytes: i64,
    /// All of it in one sentence.
    pub sentence: String,
}

/// Explains what goes forward; `None` if nothing was matched.
pub(super) fn explain(given: &Given<'_>, findings: &[Finding]) -> Option<Explanation> {
    let outcome = given.outcome;
    let points = outcome.points.len();
    let whole = given.sums.forward.last()?;
    if outcome.points.iter().all(|point| point.tally.matched == 0) {
        return None;
    }
    let missing = whole.front.bytes - whole.front_passed.bytes;
    let parts: Vec<(&'static str, u64)> = findings
        .iter()
        .filter_map(|finding| Some((finding.cause.id, finding.missing_bytes?)))
        .filter(|(_, bytes)| *bytes > 0)
        .collect();
    let explained: u64 = parts.iter().map(|(_, bytes)| *bytes).sum();
    let forecasts = given.sums.innermost(outcome);
    let predicted = forecasts.iter().map(|f| f.predicted.reassembled);
    let mut explanation = Explanation {
        sent_bytes: whole.front.bytes,
        sent_bits_per_second: rate(given, whole.front.bytes),
        arrived_bytes: whole.front_passed.bytes,
        sent_datagrams: whole.front.datagrams,
        arrived_datagrams: whole.front_passed.datagrams,
        whole_fragmented_datagrams: given.fragmented_whole(),
        predicted_datagrams: (!forecasts.is_empty()).then(|| predicted.sum()),
        counted_datagrams: counted(given),
        parts,
        residual_bytes: i64::try_from(missing).unwrap_or(i64::MAX)
            - i64::try_from(explained).unwrap_or(i64::MAX),
        sentence: String::new(),
    };
    explanation.sentence = sentence(given, &explanation, points);
    Some(explanation)
}

/// Bits per second of what entered, from its first packet to its last. Flows that are next to
/// nothing of it are left out: a packet of neighbour discovery before and one after would stretch
/// the time.
fn rate(given: &Given<'_>, bytes: u64) -> Option<f64> {
    let last = given.outcome.series.len().checked_sub(1)?;
    let flows = given.outcome.flows.iter();
    let forward = flows.filter(|flow| !flow.is_backward && !flow.account.is_carrier);
    let sizes = forward.filter_map(|flow| {
        let bytes = flow.account.between[last].front.bytes;
        Some((bytes, flow.account.span?)).filter(|_| bytes > 0)
    });
    let mut sizes: Vec<(u64, (Timestamp, Timestamp))> = sizes.collect();
    sizes.sort_unstable_by_key(|(bytes, span)| (Reverse(*bytes), *span));
    let next_to_nothing = bytes / 100;
    let mut left = bytes;
    let most = sizes.into_iter().take_while(|(bytes, _)| {
        let is_more = left > next_to_nothing;
        left = left.saturating_sub(*bytes);
        is_more
    });
    let spans = most.map(|(_, span)| span);
    let span = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
    let seconds = (span.1 - span.0).as_secs_f64();
    (seconds > 0.0).then(|| (bytes - left) as f64 * 8.0 / seconds)
}

/// Datagrams that a benchmark or the receiver's kernel counted.
fn counted(given: &Given<'_>) -> Option<u64> {
    let by_benchmark = given.benchmark.and_then(|benchmark| {
        let received = benchmark.runs.iter().map(|run| run.received.messages);
        received.sum::<Option<u64>>()
    });
    let by_kernel = || given.kernel.and_then(|kernel| kernel.growth("IpReasmOKs"));
    by_benchmark.or_else(by_kernel)
}

fn sentence(given: &Given<'_>, explained: &Explanation, points: usize) -> String {
    let mut told = vec![sent(explained)];
    told.extend((0..points - 1).map(|pair| lost(given, pair)));
    told.push(format!(
        "{} of {} arrived with all that entered",
        number::count(explained.arrived_datagrams),
        number::counted(explained.sent_datagrams, "datagram"),
    ));
    if let Some(predicted) = explained.predicted_datagrams {
        told.push(format!(
            "{} in fragments came whole to the end, of which the receiver model delivers {}",
            number::counted(explained.whole_fragmented_datagrams, "datagram"),
            number::count(predicted)
        ));
    }
    if let Some(counted) = explained.counted_datagrams {
        let by = match given.benchmark {
            Some(benchmark) => benchmark.program.name(),
            None => "the kernel",
        };
        told.push(format!("{by} counted {}", number::count(counted)));
    }
    format!("{}.", told.join("; "))
}

fn sent(explained: &Explanation) -> String {
    match explained.sent_bits_per_second {
        Some(rate) => format!("sent {}", number::bit_rate(rate)),
        None => format!("sent {}", number::bytes(explained.sent_bytes)),
    }
}

/// What a segment loses of what goes forward.
fn lost(given: &Given<'_>, pair: usize) -> String {
    let name = given.segment_name(pair);
    let between = &given.sums.forward[pair];
    let packets = between.front.packets - between.front_passed.packets;
    let (from, to) = ends_of(given.outcome.points.len(), pair);
    let is_known = [from, to]
        .iter()
        .all(|point| given.outcome.points[*point].tally.matched > 0);
    if !is_known {
        return format!("nothing is known of {name}");
    }
    if packets == 0 {
        return format!("{name} loses nothing");
    }
    let fragments = between.front.fragments - between.front_passed.fragments;
    let (lost, sent, noun) = match fragments == packets {
        true => (fragments, between.front.fragments, "fragments"),
        false => (packets, between.front.packets, "packets"),
    };
    let look = given.look_forward(pair);
    let how = match look.pattern {
        Look::Random => look
            .evenly
            .map_or_else(String::new, |evenly| format!(", {evenly}")),
        Look::TooFew => String::new(),
        _ => format!(": {}", look.described),
    };
    format!(
        "{name} loses {} of {noun} ({} of {}){how}",
        number::percent(lost, sent),
        number::count(lost),
        number::count(sent),
    )
}
