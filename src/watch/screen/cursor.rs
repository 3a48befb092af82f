//! Which line of a list is chosen, and which lines of it are to be seen.

/// How far a key moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

/// A place in a list that changes each second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    /// The chosen line.
    at: usize,
    /// The first line that is seen.
    top: usize,
    /// Lines that were seen when it was last drawn.
    seen: usize,
}

impl Cursor {
    /// The chosen line.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Moves within a list of `lines`.
    pub(super) fn step(&mut self, step: Step, lines: usize) {
        let page = self.seen.max(1);
        let moved = match step {
            Step::Up => self.at.saturating_sub(1),
            Step::Down => self.at.saturating_add(1),
            Step::PageUp => self.at.saturating_sub(page),
            Step::PageDown => self.at.saturating_add(page),
            Step::First => 0,
            Step::Last => lines,
        };
        self.go(moved, lines);
    }

    /// Goes to a line, or to the last.
    pub(super) fn go(&mut self, line: usize, lines: usize) {
        self.at = line.min(lines.saturating_sub(1));
    }

    /// The lines to show where there is room for `room` of `lines`.
    pub(super) fn window(&mut self, room: usize, lines: usize) -> std::ops::Range<usize> {
        self.seen = room;
        self.go(self.at, lines);
        let least = (self.at + 1).saturating_sub(room);
        self.top = self.top.clamp(least, self.at.max(least));
        self.top = self.top.min(lines.saturating_sub(room));
        self.top..lines.min(self.top + room)
    }

    /// As `step`, for text of which no line is chosen: what moves is what is seen.
    pub(super) fn scroll(&mut self, step: Step, lines: usize) {
        self.step(step, (lines + 1).saturating_sub(self.seen.max(1)));
    }

    /// As `window`, for text of which no line is chosen.
    pub(super) fn page(&mut self, room: usize, lines: usize) -> std::ops::Range<usize> {
        self.seen = room;
        self.at = self.at.min(lines.saturating_sub(room));
        self.at..lines.min(self.at + room)
    }

    /// The first and the last line that are seen of a page, from 1.
    pub(super) fn seen(&self, lines: usize) -> (usize, usize) {
        let to = lines.min(self.at + self.seen);
        (to.min(self.at + 1), to)
    }
}
