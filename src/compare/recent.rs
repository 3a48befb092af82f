//! What was seen not long ago, for copies of it.
//!
//! Two generations, of which the older is forgotten when the younger is full: a packet is
//! remembered for as many as fit into one, at least. Most packets are no copies, so that
//! marks are all that is looked at; and packets that passed at once are put into their places
//! only when somebody asks.

use super::sighting::Sighting;
use crate::model::Timestamp;

/// Packets of a generation, at least; what is known of more would not stay in a cache.
const FEWEST: usize = 1 << 13;

/// What is known of a packet with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing.
    Unknown,
    /// Not every point saw it yet.
    Waits,
    /// Every point saw it, the last of them then.
    Passed(Timestamp),
    /// The same, with other bytes.
    Differed(Timestamp),
}

/// Packets by key. A key is a hash already.
#[derive(Debug, Default)]
pub(super) struct Recent {
    young: Generation,
    old: Generation,
    /// What passed since somebody asked, and before that as many as are remembered.
    passed: [Vec<(u64, Note)>; 2],
}

/// Where a packet is noted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    generation: u32,
    place: u32,
}

#[derive(Debug, Default)]
struct Generation {
    number: u32,
    /// Part of the key at each place; 0 where there is none.
    marks: Vec<u16>,
    notes: Vec<Note>,
    len: usize,
}

/// Many of these have to stay in a cache.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    /// When every point had seen it; [`WAITS`] before, or [`FORGOTTEN`].
    passed: Timestamp,
    /// Half of its key.
    key: u32,
    /// Its bytes.
    check: u32,
}

/// No time.
const WAITS: Timestamp = Timestamp::MIN;

/// No time either: what is noted next under its key takes its place.
const FORGOTTEN: Timestamp = Timestamp(WAITS.0 + 1);

fn no_longer_waiting(passed: Timestamp) -> Timestamp {
    passed.max(Timestamp(FORGOTTEN.0 + 1))
}

impl Recent {
    /// Notes a packet that every point has seen, as one that passed last.
    pub fn note_passed(&mut self, key: u64, sighting: &Sighting, time: Timestamp) {
        if self.passed[1].len() >= FEWEST {
            self.passed.swap(0, 1);
            self.passed[1].clear();
        }
        let note = Note {
            passed: no_longer_waiting(time),
            key: half(key),
            check: check(sighting),
        };
        self.passed[1].push((key, note));
    }

    /// Puts what passed into its places, while so many wait.
    fn catch_up(&mut self, waiting: usize) {
        if self.passed[1].is_empty() {
            return;
        }
        let mut passed = std::mem::take(&mut self.passed);
        for (key, note) in passed.iter_mut().flat_map(|passed| passed.drain(..)) {
            self.make_room(waiting);
            self.young.add(key, note);
        }
        self.passed = passed;
    }

    fn make_room(&mut self, waiting: usize) {
        if self.young.is_full() {
            self.turn(waiting);
        }
    }

    /// Notes a packet, while so many wait; in the place of one with the same key.
    pub fn note(&mut self, key: u64, sighting: &Sighting, waiting: usize) -> Ticket {
        self.catch_up(waiting);
        self.make_room(waiting);
        let note = Note {
            passed: WAITS,
            key: half(key),
            check: check(sighting),
        };
        self.young.add(key, note)
    }

    /// The next generation has room for all that wait.
    fn turn(&mut self, waiting: usize) {
        std::mem::swap(&mut self.young, &mut self.old);
        let packets = waiting.saturating_mul(2).max(FEWEST).next_power_of_two();
        self.young.begin(self.old.number.wrapping_add(1), packets);
    }

    /// Every point has seen it.
    pub fn passed(&mut self, ticket: Ticket, time: Timestamp) {
        if let Some(note) = self.noted(ticket) {
            note.passed = no_longer_waiting(time);
        }
    }

    /// It is known elsewhere from now on.
    pub fn forget(&mut self, ticket: Ticket) {
        if let Some(note) = self.noted(ticket) {
            note.passed = FORGOTTEN;
        }
    }

    fn noted(&mut self, ticket: Ticket) -> Option<&mut Note> {
        let mut generations = [&mut self.young, &mut self.old].into_iter();
        let generation = generations.find(|known| known.number == ticket.generation)?;
        generation.notes.get_mut(ticket.place as usize)
    }

    /// What is known of a packet with a key, while so many wait.
    pub fn before(&mut self, key: u64, sighting: &Sighting, waiting: usize) -> Before {
        self.catch_up(waiting);
        let note = self.young.find(key).or_else(|| self.old.find(key));
        match note {
            None => Before::Unknown,
            Some(note) if note.passed == WAITS => Before::Waits,
            Some(note) if note.check == check(sighting) => Before::Passed(note.passed),
            Some(note) => Before::Differed(note.passed),
        }
    }
}

impl Generation {
    fn begin(&mut self, number: u32, packets: usize) {
        // Half of the places stay empty.
        let places = packets * 2;
        self.number = number;
        self.len = 0;
        self.marks.clear();
        self.marks.resize(places, 0);
        self.notes.resize(places, Note::default());
    }

    fn is_full(&self) -> bool {
        self.len * 2 >= self.marks.len()
    }

    fn add(&mut self, key: u64, note: Note) -> Ticket {
        let place = self.place_of(key);
        if self.marks[place] == 0 {
            self.marks[place] = mark(key);
            self.len += 1;
        }
        self.notes[place] = note;
        Ticket {
            generation: self.number,
            place: place as u32,
        }
    }

    fn find(&self, key: u64) -> Option<&Note> {
        if self.marks.is_empty() {
            return None;
        }
        let place = self.place_of(key);
        let note = &self.notes[place];
        (self.marks[place] != 0 && note.passed != FORGOTTEN).then_some(note)
    }

    /// Where a key is, or would be.
    fn place_of(&self, key: u64) -> usize {
        let last = self.marks.len() - 1;
        let mut place = key as usize & last;
        while self.marks[place] != 0 {
            if self.marks[place] == mark(key) && self.notes[place].key == half(key) {
                return place;
            }
            place = (place + 1) & last;
        }
        place
    }
}

/// The half in which the place of a key is not.
fn half(key: u64) -> u32 {
    (key >> 32) as u32
}

/// Never 0.
fn mark(key: u64) -> u16 {
    (key >> 48) as u16 | 1
}

/// What two packets have in common if their bytes and identifications are the same.
fn check(sighting: &Sighting) -> u32 {
    let sum = sighting.sum.map_or(0, |sum| u32::from(sum.0));
    (sighting.head as u32).rotate_left(16) ^ sum ^ sighting.id.rotate_left(8) ^ sighting.bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;

    #[test]
    fn what_passed_is_told_from_what_waits_and_from_other_bytes() {
        let mut recent = Recent::default();
        let packet = example(7);
        assert_eq!(recent.before(7, &packet, 0), Before::Unknown);
        let ticket = recent.note(7, &packet, 0);
        assert_eq!(recent.before(7, &packet, 0), Before::Waits);
        recent.passed(ticket, Timestamp(5));
        assert_eq!(recent.before(7, &packet, 0), Before::Passed(Timestamp(5)));
        let other = recent.before(7, &example(8), 0);
        assert_eq!(other, Before::Differed(Timestamp(5)));
        recent.forget(ticket);
        assert_eq!(recent.before(7, &packet, 0), Before::Unknown);
    }

    #[test]
    fn a_generation_is_remembered_and_not_more_than_two() {
        let mut recent = Recent::default();
        let packet = example(1);
        let count = 5 * FEWEST as u64;
        // Keys whose first places are the same crowd each other.
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !31;
        for number in 1..=count {
            let ticket = recent.note(key(number), &packet, 0);
            recent.passed(ticket, Timestamp(number as i64));
        }
        for number in count - FEWEST as u64..=count {
            let before = recent.before(key(number), &packet, 0);
            assert_eq!(before, Before::Passed(Timestamp(number as i64)));
        }
        let long_ago = count - 2 * FEWEST as u64;
        assert_eq!(recent.before(key(long_ago), &packet, 0), Before::Unknown);
        assert!(recent.young.marks.len() <= 2 * FEWEST);
    }

    #[test]
    fn what_passed_at_once_is_remembered_as_long() {
        let mut recent = Recent::default();
        let packet = example(1);
        let count = 5 * FEWEST as u64 + 7;
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for number in 1..=count {
            recent.note_passed(key(number), &packet, Timestamp(number as i64));
        }
        for number in count - FEWEST as u64..=count {
            let before = recent.before(key(number), &packet, 0);
            assert_eq!(before, Before::Passed(Timestamp(number as i64)));
        }
        assert_eq!(recent.before(key(1), &packet, 0), Before::Unknown);
        assert!(recent.passed.iter().all(Vec::is_empty));
        let ticket = recent.note(key(count), &packet, 0);
        assert_eq!(recent.before(key(count), &packet, 0), Before::Waits);
        recent.note_passed(key(9), &packet, Timestamp(9));
        recent.forget(ticket);
        assert_eq!(recent.before(key(count), &packet, 0), Before::Unknown);
        assert_eq!(
            recent.before(key(9), &packet, 0),
            Before::Passed(Timestamp(9))
        );
    }

    #[test]
    fn one_key_has_one_place() {
        let mut recent = Recent::default();
        for number in 0..100 {
            let ticket = recent.note(7, &example(number), 0);
            if number % 2 == 0 {
                recent.forget(ticket);
                assert_eq!(recent.before(7, &example(number), 0), Before::Unknown);
            }
        }
        assert_eq!(recent.young.len, 1);
        assert_eq!(recent.before(7, &example(99), 0), Before::Waits);
    }

    #[test]
    fn a_generation_has_room_for_all_that_wait() {
        let mut recent = Recent::default();
        let packet = example(1);
        for key in 0..4 * FEWEST {
            recent.note(
                (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                &packet,
                key,
            );
        }
        assert!(recent.young.marks.len() >= 4 * FEWEST);
    }
}
