//! Who gets how many lines of a screen that is too small for everybody.

/// A part of the overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    Sentence,
    Rates,
    Memory,
    Capture,
    Host,
    Interfaces,
    Findings,
    Flows,
    Keys,
}

/// How many there are.
pub(super) const PARTS: usize = 10;

/// In turn: who has less than so many lines gets them, if it wants them. The first
/// ten lines are what is to be seen of a very small screen, the first 24 what is to
/// be seen of most.
const TURNS: [(Part, u16); 29] = [
    (Part::Head, 1),
    (Part::Keys, 1),
    (Part::Sentence, 1),
    (Part::Capture, 1),
    (Part::Findings, 1),
    (Part::Rates, 2),
    (Part::Flows, 2),
    (Part::Memory, 1),
    (Part::Sentence, 2),
    (Part::Capture, 2),
    (Part::Findings, 2),
    (Part::Sentence, 3),
    (Part::Host, 1),
    (Part::Rates, 4),
    (Part::Flows, 5),
    (Part::Findings, 3),
    (Part::Memory, 2),
    (Part::Host, 2),
    (Part::Findings, 4),
    (Part::Sentence, 5),
    (Part::Capture, 4),
    (Part::Flows, 8),
    (Part::Interfaces, 2),
    (Part::Findings, 8),
    (Part::Host, 6),
    (Part::Flows, 16),
    (Part::Rates, 8),
    (Part::Interfaces, 8),
    (Part::Capture, 12),
];

/// Lines for each part, by its place in [`Part`], given what each wants. What is left
/// over in the end goes to findings, to the host and to the flows.
pub(super) fn divide(height: u16, wanted: &[u16; PARTS]) -> [u16; PARTS] {
    let mut given = [0; PARTS];
    let mut left = height;
    let rest = [Part::Findings, Part::Host, Part::Flows];
    let rest = rest.map(|part| (part, u16::MAX));
    for (part, least) in TURNS.into_iter().chain(rest) {
        let part = part as usize;
        let more = least
            .min(wanted[part])
            .saturating_sub(given[part])
            .min(left);
        given[part] += more;
        left -= more;
    }
    given
}
