//! The keys, and what the words mean.

use super::super::row::Tone;
use super::Prose;

const KEYS: [(&str, &str); 15] = [
    ("Up Down", "the line above, the line below; also k and j"),
    ("PgUp PgDn", "a page up, a page down"),
    ("Home End", "the first line, the last line"),
    ("Tab", "from the findings to the flows and back"),
    (
        "Enter",
        "open the chosen flow or finding; in a flow, its gravest finding",
    ),
    ("Esc", "back; on the first page: no filter"),
    (
        "e",
        "the whole explanation, and what was counted since the start",
    ),
    (
        "/",
        "only flows that have this in their name: address, port, protocol, tunnel",
    ),
    (
        "o  < >",
        "sort the flows by the next column; by the one before or after",
    ),
    ("r", "sort the other way round"),
    ("p", "let what is shown stand still; capturing goes on"),
    ("s", "save the frames of the last seconds and a report"),
    ("?", "this page"),
    ("q", "end: the report of all that was captured follows"),
    ("Ctrl-C", "the same"),
];

const WORDS: [(&str, &str); 7] = [
    ("offered", "what is on the wire, in bits of the frames"),
    (
        "deliverable",
        "what of it is in datagrams that are whole and not corrupt",
    ),
    (
        "whole, lost",
        "datagrams that became whole, or came so; that were given up",
    ),
    (
        "memory",
        "what unfinished datagrams take: in fraglens, and in the kernel of this host",
    ),
    (
        "dropped",
        "frames that this capture lost, because fraglens was too slow or at the \
                 interface: what is missing may have arrived",
    ),
    (
        "host",
        "what the kernel of this host counts: a second, and since the start",
    ),
    (
        "cleared",
        "a finding that was true within the last minute and is no longer",
    ),
];

pub(super) fn page(prose: Prose) -> Prose {
    let prose = KEYS
        .into_iter()
        .fold(prose.title("Keys", Tone::Strong), |prose, (key, what)| {
            prose.field(key, what, Tone::Normal)
        });
    WORDS
        .into_iter()
        .fold(prose.heading("Words"), |prose, (word, meaning)| {
            prose.field(word, meaning, Tone::Normal)
        })
}
