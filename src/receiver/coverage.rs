//! Which bytes of a datagram are held, by the rules of `inet_frag_queue_insert`.

/// What a piece meant for what is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    Added,
    /// Inside one contiguous run: the first copy stays.
    Duplicate,
    /// It overlaps in part, or contradicts a known end: the datagram is discarded.
    Contradiction,
}

/// The bytes of one datagram that are held.
#[derive(Clone, Debug, Default)]
pub(super) struct Coverage {
    /// Contiguous runs, first byte and the one after the last; in order, none touching.
    runs: Vec<(u32, u32)>,
    /// Largest end seen.
    reach: u32,
    is_last_in: bool,
}

impl Coverage {
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn clear(&mut self) {
        self.runs.clear();
        self.reach = 0;
        self.is_last_in = false;
    }

    /// Takes bytes from `start` to `end`; `more` is MF. The ends are judged first.
    pub fn insert(&mut self, start: u32, end: u32, more: bool) -> Fit {
        if more {
            if end > self.reach && self.is_last_in {
                return Fit::Contradiction;
            }
        } else {
            if end < self.reach || (self.is_last_in && end != self.reach) {
                return Fit::Contradiction;
            }
            self.is_last_in = true;
        }
        self.reach = self.reach.max(end);
        if start >= end {
            return Fit::Contradiction;
        }
        self.add(start, end)
    }

    fn add(&mut self, start: u32, end: u32) -> Fit {
        // Nearly always the piece behind the last.
        if let Some(last) = self.runs.last_mut()
            && last.1 == start
        {
            last.1 = end;
            return Fit::Added;
        }
        let after = self.runs.partition_point(|run| run.1 <= start);
        match self.runs.get(after) {
            Some(run) if run.0 < end => {
                if run.0 <= start && end <= run.1 {
                    Fit::Duplicate
                } else {
                    Fit::Contradiction
                }
            }
            _ => {
                self.runs.insert(after, (start, end));
                self.join(after);
                Fit::Added
            }
        }
    }

    /// Joins a run with its neighbours where they touch.
    fn join(&mut self, at: usize) {
        let next = at.saturating_add(1);
        if let (Some(run), Some(after)) = (self.runs.get(at), self.runs.get(next))
            && run.1 == after.0
        {
            let end = after.1;
            self.runs.remove(next);
            self.runs[at].1 = end;
        }
        if let Some(before) = at.checked_sub(1)
            && self.runs[before].1 == self.runs[at].0
        {
            let (_, end) = self.runs.remove(at);
            self.runs[before].1 = end;
        }
    }

    /// Length of the payload, once all of it is there.
    pub fn whole_bytes(&self) -> Option<u32> {
        match self.runs.as_slice() {
            [(0, end)] if self.is_last_in && *end == self.reach => Some(*end),
            _ => None,
        }
    }
}
