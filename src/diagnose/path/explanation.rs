//! The whole path in figures: what was sent, what arrived, and where the rest went.

use super::finding::Finding;
use super::given::Given;
use super::sentence;
use super::sums::ends_of;
use crate::compare::Between;
use crate::model::Timestamp;
use std::cmp::Reverse;

/// Where the difference between sent and delivered went, for what goes one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whether that is what goes back: where nothing goes forward.
    pub is_backward: bool,
    /// IP bytes that entered the path.
    pub sent_bytes: u64,
    /// The same per second.
    pub sent_bits_per_second: Option<f64>,
    /// IP bytes of those that arrived: at the last point at which anything is found.
    pub arrived_bytes: u64,
    /// Datagrams that entered the path.
    pub sent_datagrams: u64,
    /// The point at which they did.
    pub arrived_at: usize,
    /// Those of which everything arrived.
    pub arrived_datagrams: u64,
    /// Those of these that are of no use: some bytes are others, or a checksum went wrong.
    pub spoiled_datagrams: u64,
    /// Datagrams in fragments of which nothing is missing at the last point.
    pub whole_fragmented_datagrams: u64,
    /// Fragmented datagrams that the receivers' kernels would deliver, of whatever traffic: put
    /// together and not spoiled.
    pub predicted_datagrams: Option<u64>,
    /// What others counted of the same.
    pub counted_datagrams: Option<u64>,
    /// Bytes by finding.
    pub parts: Vec<Share>,
    /// Bytes missing that no finding explains.
    pub residual_bytes: i64,
    /// All of it in one sentence.
    pub sentence: String,
}

/// What one finding explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its cause.
    pub cause: &'static str,
    /// The pair of neighbours it is between.
    pub segment: usize,
    /// Bytes that are missing because of it.
    pub bytes: u64,
}

/// Explains what goes forward, or back if nothing goes forward; `None` if nothing was matched.
pub(super) fn explain(given: &Given<'_>, findings: &[Finding]) -> Option<Explanation> {
    let outcome = given.outcome;
    if outcome.points.iter().all(|point| point.tally.matched == 0) {
        return None;
    }
    let is_backward = is_all_backward(given);
    let known = Known::of(given, is_backward)?;
    let way = given.sums.one_way(is_backward);
    let (sent, passed) = (&way[known.first].front, &way[known.last].front_passed);
    let arrived_bytes = passed.bytes.min(sent.bytes);
    let missing = sent.bytes - arrived_bytes;
    let parts = parts(findings, is_backward);
    let explained: u64 = parts.iter().map(|part| part.bytes).sum();
    let forecasts = given.sums.innermost(outcome);
    let predicted = forecasts.iter().map(|f| f.predicted.reassembled);
    let predicted = predicted.sum::<u64>();
    let delivered = predicted.saturating_sub(given.fragmented_spoiled());
    let mut explanation = Explanation {
        is_backward,
        sent_bytes: sent.bytes,
        sent_bits_per_second: rate(given, known.first, sent.bytes, is_backward),
        arrived_bytes,
        sent_datagrams: sent.datagrams,
        arrived_at: known.to,
        arrived_datagrams: passed.datagrams.min(sent.datagrams),
        spoiled_datagrams: known.spoiled(way).min(passed.datagrams),
        whole_fragmented_datagrams: given.fragmented_whole(),
        predicted_datagrams: (!forecasts.is_empty()).then_some(delivered),
        counted_datagrams: counted(given),
        parts,
        residual_bytes: i64::try_from(missing).unwrap_or(i64::MAX)
            - i64::try_from(explained).unwrap_or(i64::MAX),
        sentence: String::new(),
    };
    explanation.sentence = sentence::of(given, &explanation);
    Some(explanation)
}

/// The part of the path of which anything is known.
struct Known {
    /// The pairs of points where it is entered, and left: the two ends, or neighbours where at an
    /// end nothing is found.
    first: usize,
    last: usize,
    /// Where it is left.
    to: usize,
}

impl Known {
    fn of(given: &Given<'_>, is_backward: bool) -> Option<Self> {
        let way = given.sums.one_way(is_backward);
        let points = given.outcome.points.len();
        let both_ends = way.len().checked_sub(1)?;
        let is_empty = |point: usize| given.outcome.points[point].tally.matched == 0;
        let used = given.segments().map(|(pair, _)| pair);
        let used = used.filter(|pair| way[*pair].front.packets > 0);
        let is_parted = is_empty(0) || is_empty(points - 1) || given.ends_side_by_side();
        let used: Vec<usize> = match is_parted {
            true => used.collect(),
            false => Vec::new(),
        };
        let (first, last) = match (used.first(), used.last(), is_backward) {
            (Some(first), Some(last), false) => (*first, *last),
            (Some(first), Some(last), true) => (*last, *first),
            _ => (both_ends, both_ends),
        };
        let (front, back) = ends_of(points, last);
        let to = if is_backward { front } else { back };
        Some(Self { first, last, to })
    }

    /// Datagrams that are spoiled on it.
    fn spoiled(&self, way: &[Between]) -> u64 {
        let pairs = self.first.min(self.last)..=self.first.max(self.last);
        pairs.map(|pair| way[pair].spoiled).sum()
    }
}

/// Whether there is something to explain on the way back alone.
fn is_all_backward(given: &Given<'_>) -> bool {
    let is_used = |is_backward: bool| {
        let pairs = given.sums.one_way(is_backward).iter();
        pairs.map(|between| between.front.packets).sum::<u64>() > 0
    };
    !is_used(false) && is_used(true)
}

/// What findings say is missing of what goes one way.
fn parts(findings: &[Finding], is_backward: bool) -> Vec<Share> {
    let parts = findings.iter().filter_map(|finding| {
        Some(Share {
            cause: finding.cause.id,
            segment: finding.segment?,
            bytes: finding.missing?[usize::from(is_backward)],
        })
    });
    parts.filter(|part| part.bytes > 0).collect()
}

/// Bits per second of what entered, from its first packet to its last. Flows that are next to
/// nothing of it are left out: a packet of neighbour discovery before and one after would stretch
/// the time.
fn rate(given: &Given<'_>, pair: usize, bytes: u64, is_backward: bool) -> Option<f64> {
    let flows = given.outcome.flows.iter();
    let those = flows.filter(|flow| flow.is_backward == is_backward && !flow.account.is_carrier);
    let sizes = those.filter_map(|flow| {
        let bytes = flow.between(pair).front.bytes;
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
    let common = common(given, pair);
    let spans = most.map(|(_, span)| (span.0.max(common.0), span.1.min(common.1)));
    let span = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
    let seconds = (span.1 - span.0).as_secs_f64();
    (seconds > 0.0).then(|| (bytes - left) as f64 * 8.0 / seconds)
}

/// When both points of a pair captured: what was sent before and after is not among that.
fn common(given: &Given<'_>, pair: usize) -> (Timestamp, Timestamp) {
    let (front, back) = ends_of(given.outcome.points.len(), pair);
    let points = given.outcome.points.iter().enumerate();
    let ends = points.filter(|(place, _)| *place == front || *place == back);
    let spans = ends.filter_map(|(place, point)| {
        let (from, until) = point.span?;
        let by_the_first = |time| given.outcome.to_reference(place, time);
        Some((by_the_first(from), by_the_first(until)))
    });
    let whole = (Timestamp::MIN, Timestamp::MAX);
    spans.fold(whole, |one, other| (one.0.max(other.0), one.1.min(other.1)))
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
