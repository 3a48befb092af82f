//! What to know before figures are read, where captures do not show the same.

use super::listed;
use crate::model::number;
use crate::report::comparison::document::{Comparison, OffPath, Point, Relation};
use crate::report::document::{CaptureFile, Severity, Time};
use crate::report::escape;

/// Captures that are named, at most.
const NAMED: usize = 4;

/// What to know before figures are read, where captures do not show the same.
pub(in crate::report::comparison) fn relation(comparison: &Comparison) -> Option<String> {
    let unreadable = unreadable(comparison);
    match comparison.relation {
        Relation::Same => one_after_the_other(comparison),
        Relation::Unrelated if !unreadable.is_empty() => Some(format!(
            "{} could not be read, so that there is nothing to compare.",
            named(&unreadable)
        )),
        Relation::Unrelated if has_no_packets(comparison) => Some(
            match comparison.options.filter {
                Some(_) => {
                    "There is nothing to compare: no packet of any capture matches the filter."
                }
                None if are_cut_too_short(comparison) => {
                    "There is nothing to compare: these captures are cut so short (snaplen) that no \
                     packet can be told from others."
                }
                None => "There is nothing to compare: these captures hold no IP packets.",
            }
            .to_owned(),
        ),
        Relation::Unrelated if !empty_points(comparison).is_empty() => {
            let empty = empty_points(comparison);
            let names = listed(&empty);
            Some(format!(
                "Nothing can be compared with {names}, which {} no IP packets: other traffic, \
                 another time, or all of it was lost before it came there.",
                if empty.len() == 1 { "shows" } else { "show" }
            ))
        }
        Relation::Unrelated => Some(with_times(
            comparison,
            "These captures do not show the same traffic: nothing of any point was found at \
             another, so that nothing can be said of what is between them.",
        )),
        Relation::Partly if comparison.off_path.is_empty() => Some(with_times(
            comparison,
            "Not all captures show the same traffic: of some points next to nothing was found \
             at the others, and nothing is said of losses there.",
        )),
        Relation::Partly => Some(left_out(comparison, &unreadable)),
    }
}

/// What was said, and whether that may be because of when the captures were made.
fn with_times(comparison: &Comparison, said: &str) -> String {
    let said = [Some(said.to_owned()), one_after_the_other(comparison)];
    let said: Vec<String> = said.into_iter().flatten().collect();
    said.join(" ")
}

/// What two points may be of which one had ended when the other began.
fn one_after_the_other(comparison: &Comparison) -> Option<String> {
    let spans = || comparison.points.iter().filter_map(span);
    let (_, end, one) = spans().min_by_key(|(_, end, _)| *end)?;
    let (begin, _, other) = spans().max_by_key(|(begin, _, _)| *begin)?;
    let [one, other] = (end < begin).then_some([one, other])?.map(escape::line);
    Some(format!(
        "{one} had ended when {other} began: if both are files of one capture, as tcpdump -C and \
         -G write them, join them with mergecap first."
    ))
}

/// When a point began and ended by the clock of the first one, as far as that is known, and its
/// name.
fn span(point: &Point) -> Option<(i64, i64, &str)> {
    let ahead = point.clock.offset_seconds.unwrap_or_default() * 1e9;
    let at = |time: Time| time.0.0.saturating_sub(ahead as i64);
    let (begin, end) = (point.first_timestamp?, point.last_timestamp?);
    Some((at(begin), at(end), &point.name))
}

/// Names of points without packets.
fn empty_points(comparison: &Comparison) -> Vec<String> {
    let empty = comparison.points.iter();
    let empty = empty.filter(|point| point.datagrams + point.fragments == 0);
    empty
        .map(|point| escape::line(&point.name).to_string())
        .collect()
}

fn has_no_packets(comparison: &Comparison) -> bool {
    let mut points = comparison.points.iter();
    let mut off_path = comparison.off_path.iter();
    points.all(|point| point.datagrams + point.fragments == 0)
        && off_path.all(|capture| capture.packets == 0)
}

/// Whether the snaplen left too little of packets.
fn are_cut_too_short(comparison: &Comparison) -> bool {
    let mut limits = comparison.limits.iter();
    limits.any(|(name, hits)| name == "packets_cut_too_short" && *hits > 0)
}

/// Which captures are no points of the path, and why.
fn left_out(comparison: &Comparison, unreadable: &[&CaptureFile]) -> String {
    let off_path = comparison.off_path.iter();
    let readable = off_path.filter(|off| !is_unreadable(&off.file));
    let (cut, strangers): (Vec<&OffPath>, Vec<&OffPath>) =
        readable.partition(|off| off.packets_cut_too_short > off.packets);
    let [cut, strangers] = [cut, strangers]
        .map(|some| -> Vec<&CaptureFile> { some.into_iter().map(|off| &off.file).collect() });
    let mut told = Vec::new();
    if !cut.is_empty() {
        told.push(format!(
            "{} {} cut so short (snaplen) that packets there cannot be told from others: capture \
             with tcpdump -s 192, or without -s.",
            named(&cut),
            if cut.len() == 1 { "is" } else { "are" },
        ));
    }
    if !unreadable.is_empty() {
        told.push(format!("{} could not be read.", named(unreadable)));
    }
    let paths = paths_of_their_own(comparison);
    if !strangers.is_empty() {
        told.push(format!(
            "Next to nothing of {} was found in {}: other traffic, another time, or all of it was \
             lost before it came there; or it is encrypted, or made anew by a proxy.",
            named(&strangers),
            match paths.is_empty() {
                true => "other captures",
                false => "those of the path",
            }
        ));
    }
    for path in paths {
        told.push(format!(
            "{} show the same traffic: compare them by themselves.",
            named(&path)
        ));
    }
    let rest = match comparison.off_path.len() {
        1 => "It is left out of the path, which goes on between the others.",
        _ => "They are left out of the path, which goes on between the others.",
    };
    told.push(rest.to_owned());
    told.join(" ")
}

/// Captures that are none of the path and show the same traffic as each other.
fn paths_of_their_own(comparison: &Comparison) -> Vec<Vec<&CaptureFile>> {
    let all = &comparison.off_path;
    let paths = (0..).zip(all).filter_map(|(place, capture)| {
        let others = capture.shares_with.as_slice();
        // Each is told with the first of it.
        let is_first = others.first().is_some_and(|other| place < *other);
        let others = others.iter().filter_map(|other| all.get(*other as usize));
        is_first.then(|| {
            std::iter::once(capture)
                .chain(others)
                .map(|off| &off.file)
                .collect()
        })
    });
    paths.collect()
}

fn unreadable(comparison: &Comparison) -> Vec<&CaptureFile> {
    comparison
        .files()
        .filter(|file| is_unreadable(file))
        .collect()
}

fn is_unreadable(file: &CaptureFile) -> bool {
    let mut problems = file.problems.iter();
    file.frames == 0 && problems.any(|problem| problem.severity == Severity::Error)
}

fn named(files: &[&CaptureFile]) -> String {
    let names = files.iter().take(NAMED);
    let mut names: Vec<String> = names
        .map(|file| escape::line(&file.path).into_owned())
        .collect();
    let others = files.len() - names.len();
    if others > 0 {
        names.push(number::counted(others as u64, "other"));
    }
    listed(&names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::comparison::samples::{identical, unrelated};

    /// Moves a point to so many seconds later, and its clock ahead by as much.
    fn moved(comparison: &Comparison, later: i64, ahead: Option<f64>) -> Comparison {
        let mut moved = comparison.clone();
        let point = &mut moved.points[1];
        let times = [&mut point.first_timestamp, &mut point.last_timestamp];
        for time in times.into_iter().flatten() {
            time.0.0 += later * 1_000_000_000;
        }
        point.clock.offset_seconds = ahead;
        moved
    }

    #[test]
    fn files_of_one_capture_are_asked_for() {
        let told = relation(&unrelated()).unwrap_or_default();
        assert!(told.contains("nothing of any point"), "{told}");
        assert!(told.contains("A had ended when B began"), "{told}");
        let at_once = relation(&moved(&unrelated(), -86_400, None)).unwrap_or_default();
        assert!(!at_once.contains("mergecap"), "{at_once}");
    }

    #[test]
    fn what_only_clocks_put_apart_is_at_one_time() {
        let ahead = moved(&identical(), 7_200, Some(7_200.0));
        assert_eq!(relation(&ahead), None);
        let later = moved(&identical(), 7_200, Some(0.0));
        let told = relation(&later).unwrap_or_default();
        assert!(told.starts_with("A had ended when B began"), "{told}");
    }

    #[test]
    fn another_capture_may_go_on_all_the_time() {
        let mut three = moved(&identical(), 7_200, Some(0.0));
        let mut third = three.points[0].clone();
        third.name = "C".to_owned();
        third.last_timestamp = three.points[1].last_timestamp;
        three.points.push(third);
        let told = relation(&three).unwrap_or_default();
        assert!(told.starts_with("A had ended when B began"), "{told}");
    }
}
