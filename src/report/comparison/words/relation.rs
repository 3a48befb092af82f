//! What to know before figures are read, where captures do not show the same.

use super::listed;
use crate::model::number;
use crate::report::comparison::document::{Comparison, Relation};
use crate::report::document::{CaptureFile, Severity};
use crate::report::escape;

/// Captures that are named, at most.
const NAMED: usize = 4;

/// What to know before figures are read, where captures do not show the same.
pub(in crate::report::comparison) fn relation(comparison: &Comparison) -> Option<String> {
    let unreadable = unreadable(comparison);
    match comparison.relation {
        Relation::Same => None,
        Relation::Unrelated if !unreadable.is_empty() => Some(format!(
            "{} could not be read, so that there is nothing to compare.",
            named(&unreadable)
        )),
        Relation::Unrelated if has_no_packets(comparison) => Some(
            match comparison.options.filter {
                Some(_) => {
                    "There is nothing to compare: no packet of any capture matches the filter."
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
        Relation::Unrelated => Some(
            "These captures do not show the same traffic: nothing of any point was found at \
             another, so that nothing can be said of what is between them."
                .to_owned(),
        ),
        Relation::Partly if comparison.off_path.is_empty() => Some(
            "Not all captures show the same traffic: of some points next to nothing was found \
             at the others, and nothing is said of losses there."
                .to_owned(),
        ),
        Relation::Partly => Some(left_out(comparison, &unreadable)),
    }
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

/// Which captures are no points of the path, and why.
fn left_out(comparison: &Comparison, unreadable: &[&CaptureFile]) -> String {
    let files = comparison.off_path.iter().map(|off| &off.file);
    let strangers: Vec<&CaptureFile> = files.filter(|file| !is_unreadable(file)).collect();
    let mut told = Vec::new();
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
