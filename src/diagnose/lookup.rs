//! From what somebody typed to a cause.

use super::{ALL, Cause, path};

/// Most causes that are suggested for a name that is none.
const SUGGESTIONS: usize = 3;

/// Every cause by id: those that take two captures, and those that one shows.
pub fn every() -> impl Iterator<Item = &'static Cause> {
    path::ALL.iter().chain(&ALL).copied()
}

/// The cause with this id or name, in upper or lower case.
pub fn find(text: &str) -> Option<&'static Cause> {
    let is_it = |cause: &&'static Cause| {
        names(cause)
            .iter()
            .any(|name| name.eq_ignore_ascii_case(text))
    };
    every().find(is_it)
}

/// What may have been meant by a text that is no id and no name, likeliest first:
/// names that hold it, then those that few changes turn into it.
pub fn nearest(text: &str) -> Vec<&'static Cause> {
    let text = text.to_ascii_lowercase();
    if text.is_empty() {
        return Vec::new();
    }
    let ranked = every().map(|cause| (distance(cause, &text), cause));
    let mut near: Vec<_> = ranked
        .filter(|(changes, _)| *changes <= tolerance(&text))
        .collect();
    // Stable: among equals the order of ids stays.
    near.sort_by_key(|(changes, _)| *changes);
    let near = near.into_iter().map(|(_, cause)| cause);
    near.take(SUGGESTIONS).collect()
}

fn names(cause: &Cause) -> [&'static str; 2] {
    [cause.id, cause.name]
}

/// As many typing errors as are forgiven: one in a short word, a third of a long one.
fn tolerance(text: &str) -> usize {
    (text.chars().count() / 3).max(1)
}

/// Changes between the text and the nearest name of a cause; none if the text is a
/// part of its name or title.
fn distance(cause: &Cause, text: &str) -> usize {
    let is_part = |whole: &str| whole.to_ascii_lowercase().contains(text);
    // Shorter parts occur everywhere.
    if text.chars().count() >= 3 && (is_part(cause.name) || is_part(cause.title)) {
        return 0;
    }
    let changes = names(cause).map(|name| edits(&name.to_ascii_lowercase(), text));
    changes.into_iter().min().unwrap_or(usize::MAX)
}

/// How many characters have to be added, taken away or replaced to make one text of
/// the other (Levenshtein).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    // The changes from what has been read of `from` to each beginning of `to`.
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (read, letter) in from.chars().enumerate() {
        let mut diagonal = read;
        row[0] = read + 1;
        for (at, wanted) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *wanted);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[to.len()]
}
