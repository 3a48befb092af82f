//! What is said of the capture as a whole.

use crate::evidence::pcapng::{MAX_COMMENT_BYTES, MAX_ROOM_BYTES};
use crate::model::{escape, number};
use crate::report::comparison::Comparison;
use crate::report::comparison::document::{Clock, ClockBasis, PathFinding, Point};

/// Bytes that describe an interface, and say what became of its frames, beside its texts.
const INTERFACE_BYTES: usize = 160;

/// Bytes of the head of a file, beside comments.
const HEAD_BYTES: usize = 128;

/// Comments on the capture: what times mean, which clock is which, what was found.
pub(super) fn of_all(comparison: &Comparison, not_shown: &[String], left_out: u64) -> Vec<String> {
    let points = comparison.points.iter();
    let clocks = points.map(|point| clock(point, comparison));
    let explanation = comparison.explanation.as_ref();
    let sentence = explanation.map(|told| told.sentence.clone());
    let findings = comparison.findings.iter().map(|finding| {
        let without = match not_shown.contains(&finding.id) {
            false => "",
            true => " (not all frames that show it are here)",
        };
        format!("{}{without}", line(finding))
    });
    let comments = [order(comparison)]
        .into_iter()
        .chain(clocks)
        .chain(room(left_out))
        .chain(sentence)
        .chain(findings);
    comments
        .map(|comment| escape::line(&comment).into_owned())
        .collect()
}

/// Most bytes that the file takes beside its frames, whatever is kept.
pub(super) fn most_bytes(comparison: &Comparison) -> u64 {
    let findings = comparison.findings.iter();
    let findings: Vec<String> = findings.map(|finding| finding.id.clone()).collect();
    let comments = of_all(comparison, &findings, u64::MAX);
    let comments: usize = comments.iter().map(|text| option_bytes(text)).sum();
    let points = comparison.points.iter();
    let interfaces = points.map(|point| {
        let name = escape::line(&point.name);
        let description = escape::line(&point.file.path);
        INTERFACE_BYTES + option_bytes(&name) + option_bytes(&description)
    });
    (HEAD_BYTES + comments.min(MAX_ROOM_BYTES) + interfaces.sum::<usize>()) as u64
}

fn option_bytes(text: &str) -> usize {
    text.len().min(MAX_COMMENT_BYTES) + 8
}

fn order(comparison: &Comparison) -> String {
    let points = number::counted(comparison.points.len() as u64, "capture");
    let first = comparison.points.first();
    let first = first.map_or("the first", |point| &point.name);
    format!(
        "{points} of one path, each an interface: frame.interface_name is the point. Times are \
         what each capture says, by its own clock; frames lie in the order of the clock of {first}."
    )
}

fn clock(point: &Point, comparison: &Comparison) -> String {
    let first = comparison.points.first();
    let first = first.map_or("the first", |point| &point.name);
    let told = match (point.clock.basis, point.clock.offset_seconds) {
        (ClockBasis::Reference, _) => "its clock is the one that others are seen from".to_owned(),
        (ClockBasis::None, _) | (_, None) => {
            format!("nothing was matched, so its clock is taken for that of {first}")
        }
        (basis, Some(offset)) => format!(
            "its clock is {} that of {first}{}{}",
            ahead(offset),
            drift(&point.clock),
            rests_on(basis)
        ),
    };
    format!("{} is {}: {told}.", point.name, point.file.path)
}

fn ahead(seconds: f64) -> String {
    let which = if seconds < 0.0 { "behind" } else { "ahead of" };
    format!("{:.9} s {which}", seconds.abs())
}

fn drift(clock: &Clock) -> String {
    let error = clock.drift_error_ppm;
    let error = error.map_or_else(String::new, |error| format!(" (plus or minus {error:.3})"));
    clock.drift_ppm.map_or_else(String::new, |ppm| {
        let which = if ppm < 0.0 { "slow" } else { "fast" };
        format!(
            " where the comparison begins, and runs {:.3} ppm{error} {which}",
            ppm.abs()
        )
    })
}

fn rests_on(basis: ClockBasis) -> &'static str {
    match basis {
        ClockBasis::BothDirections => {
            ", if the fastest packets of both directions are equally fast"
        }
        ClockBasis::OneDirection => ", if the fastest packets need no time",
        ClockBasis::Alike => ", about: what was matched looks too much alike to say more",
        ClockBasis::Reference | ClockBasis::None => "",
    }
}

/// What does not fit would be taken for lost.
fn room(left_out: u64) -> Option<String> {
    (left_out > 0).then(|| {
        let frames = number::counted(left_out, "frame");
        format!(
            "There was no room for {frames} more of the same datagrams (--evidence-bytes): a \
             fragment that is not here need not have been lost."
        )
    })
}

fn line(finding: &PathFinding) -> String {
    let severity = finding.severity.name();
    format!(
        "{} {severity}: {}. {}",
        finding.id, finding.title, finding.seen
    )
}
