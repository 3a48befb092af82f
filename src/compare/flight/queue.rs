//! What one point has aside, in the order of time, and what of it is looked at once more.

use super::due::Due;
use super::stray::Held;
use crate::compare::brief::Brief;
use crate::compare::fifo::Fifo;
use crate::compare::lately::{Lately, Print};
use crate::model::Timestamp;

/// Strays of one point in order of time, and of what came at one time in that in which it came.
#[derive(Debug)]
pub(super) struct Queue {
    entries: Fifo<Entry>,
    /// When the first of them is due, or [`Due::NEVER`].
    first: Due,
    /// When the last was seen.
    latest: Timestamp,
    /// How many of them were looked at again.
    looked: usize,
    /// How many were taken. It wraps, and so do numbers of entries.
    taken: u32,
}

/// Something that is kept aside.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    /// In brief, by this point, under this number.
    Brief(u8, u32),
    Held(Held),
}

/// One of them: what it is itself is far away in memory, unless it is kept in brief.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Brief(Brief),
    Held {
        since: Timestamp,
        held: Held,
        /// Of what is looked at again.
        print: Option<Print>,
    },
}

const _: () = assert!(size_of::<Entry>() == 48);

impl Entry {
    fn since(&self) -> Timestamp {
        match self {
            Self::Brief(brief) => brief.time,
            Self::Held { since, .. } => *since,
        }
    }

    /// Of what is due at one time it is in front of all that is in no queue: see
    /// [`may_be_left_in_brief`](super::Flight::may_be_left_in_brief).
    fn due(&self) -> Due {
        Due::first_of(self.since())
    }

    fn print(&self) -> Option<Print> {
        match self {
            Self::Brief(brief) => Some(brief.print),
            Self::Held { print, .. } => *print,
        }
    }
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            entries: Fifo::default(),
            first: Due::NEVER,
            latest: Timestamp::MIN,
            looked: 0,
            taken: 0,
        }
    }
}

impl Queue {
    /// Whether what was seen then is behind all else. One that is before would wait for those in
    /// front of it, which may be hours ahead.
    #[inline(always)]
    pub fn goes_on(&self, since: Timestamp) -> bool {
        self.first == Due::NEVER || self.latest <= since
    }

    /// Adds a stray behind all else, if that is where it belongs; says whether it did.
    pub fn add(&mut self, due: Due, print: Option<Print>) -> bool {
        let goes_on = self.goes_on(due.since());
        if goes_on {
            self.push(Entry::Held {
                since: due.since(),
                held: due.held(),
                print,
            });
        }
        goes_on
    }

    /// Adds what is kept in brief, which [goes on](Self::goes_on).
    #[inline(always)]
    pub fn add_brief(&mut self, brief: Brief) {
        self.push(Entry::Brief(brief));
    }

    #[inline(always)]
    fn push(&mut self, entry: Entry) {
        if self.first == Due::NEVER {
            self.first = entry.due();
        }
        self.latest = entry.since();
        self.entries.push(entry);
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of what is added next.
    pub fn next_number(&self) -> u32 {
        self.number_of(self.len())
    }

    fn place_of(&self, number: u32) -> usize {
        number.wrapping_sub(self.taken) as usize
    }

    /// What is kept in brief under a number.
    pub fn brief(&self, number: u32) -> Option<&Brief> {
        match self.entries.get(self.place_of(number))? {
            Entry::Brief(brief) => Some(brief),
            Entry::Held { .. } => None,
        }
    }

    /// What was kept in brief is kept in full from now on.
    pub fn unfold(&mut self, number: u32, held: Held) {
        let place = self.place_of(number);
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = Entry::Held {
                since: entry.since(),
                held,
                print: entry.print(),
            };
        }
    }

    /// When the first is due, or [`Due::NEVER`].
    #[inline(always)]
    pub fn first(&self) -> Due {
        self.first
    }

    /// When the last was seen, if there is one.
    pub fn latest(&self) -> Option<Timestamp> {
        (self.first != Due::NEVER).then_some(self.latest)
    }

    /// What is so far behind the first, and what is behind that until then, as long as it is kept in
    /// brief, and side by side in memory.
    #[inline(always)]
    pub fn briefs_in_turn(&self, place: usize, until: Timestamp) -> impl Iterator<Item = &Brief> {
        let entries = self.entries.from(place).iter().enumerate();
        entries.map_while(move |(behind, entry)| match entry {
            Entry::Brief(brief) if behind == 0 || brief.time <= until => Some(brief),
            Entry::Brief(_) | Entry::Held { .. } => None,
        })
    }

    /// Takes the first, if that is kept in full.
    pub fn pop_held(&mut self) -> Option<Held> {
        let held = match self.entries.first()? {
            Entry::Brief(_) => return None,
            Entry::Held { held, .. } => *held,
        };
        self.drop_first(1);
        Some(held)
    }

    /// So many of the first are over, which are side by side.
    pub fn drop_first(&mut self, many: usize) {
        self.entries.drop_first(many);
        self.looked = self.looked.saturating_sub(many);
        self.taken = self.taken.wrapping_add(many as u32);
        self.first = self.due_at(0);
    }

    /// What is so far behind the first, if that is kept in full.
    pub fn held_at(&self, place: usize) -> Option<Held> {
        match self.entries.get(place)? {
            Entry::Brief(_) => None,
            Entry::Held { held, .. } => Some(*held),
        }
    }

    /// When that is due, or [`Due::NEVER`].
    #[inline(always)]
    pub fn due_at(&self, place: usize) -> Due {
        self.entries.get(place).map_or(Due::NEVER, Entry::due)
    }

    /// The number of what is so far behind the first.
    pub fn number_of(&self, place: usize) -> u32 {
        self.taken.wrapping_add(place as u32)
    }

    #[inline(always)]
    fn kept(&self, entry: &Entry, place: usize, point: usize) -> Kept {
        match entry {
            Entry::Brief(_) => Kept::Brief(point as u8, self.number_of(place)),
            Entry::Held { held, .. } => Kept::Held(*held),
        }
    }

    /// The next that was not looked at again, seen before some time, if it may be what was noted
    /// lately; those in front of it surely are not.
    pub fn look_again(&mut self, until: Timestamp, lately: &Lately, point: usize) -> Option<Kept> {
        let may_be_it = |entry: &Entry| entry.print().is_some_and(|print| lately.may_have(print));
        loop {
            let entries = self.entries.from(self.looked);
            let mut rest = entries.iter();
            match rest.position(|entry| entry.since() >= until || may_be_it(entry)) {
                None if entries.is_empty() => return None,
                None => self.looked += entries.len(),
                Some(behind) => {
                    let (entry, place) = (&entries[behind], self.looked + behind);
                    let is_before = entry.since() < until;
                    let found = is_before.then(|| self.kept(entry, place, point));
                    self.looked = place + usize::from(is_before);
                    return found;
                }
            }
        }
    }
}
