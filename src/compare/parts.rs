//! What came of datagrams in fragments behind the first that is kept of each.

use super::sighting::Sighting;
use super::slab::{NONE, Slab};
use crate::model::Timestamp;

/// Fragments by the number of what they are behind.
#[derive(Debug, Default)]
pub(super) struct Parts {
    all: Slab<Part>,
    /// Where those of a number are.
    ends: Vec<Ends>,
}

/// A fragment of a datagram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub sighting: Sighting,
    /// When it was seen, by the clock of the first point.
    pub time: Timestamp,
    /// How many of its flow came to the point before.
    pub order: u32,
    /// Whether it is looked for by its bytes.
    pub is_wanted: bool,
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

/// Where nothing came behind.
const NOTHING: Ends = Ends {
    first: NONE,
    last: NONE,
};

impl Part {
    pub fn new(sighting: &Sighting, time: Timestamp, order: u32, is_wanted: bool) -> Self {
        Self {
            sighting: *sighting,
            time,
            order,
            is_wanted,
            next: NONE,
        }
    }
}

impl Parts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    fn ends(&self, number: u32) -> Ends {
        self.ends.get(number as usize).copied().unwrap_or(NOTHING)
    }

    /// Adds one behind all others of a number.
    pub fn add(&mut self, number: u32, part: Part) {
        let place = self.all.insert(|| part);
        if self.ends.len() <= number as usize {
            self.ends.resize(number as usize + 1, NOTHING);
        }
        let ends = &mut self.ends[number as usize];
        match ends.last {
            NONE => ends.first = place,
            last => self.all[last].next = place,
        }
        ends.last = place;
    }

    /// The last of a number.
    pub fn last_of(&self, number: u32) -> Option<&Part> {
        match self.ends(number).last {
            NONE => None,
            last => Some(&self.all[last]),
        }
    }

    /// Those of a number, in the order in which they came.
    pub fn of(&self, number: u32) -> impl Iterator<Item = &Part> + Clone {
        let known = |place: u32| (place != NONE).then(|| &self.all[place]);
        let first = known(self.ends(number).first);
        std::iter::successors(first, move |part| known(part.next))
    }

    /// Forgets those of a number.
    pub fn forget(&mut self, number: u32) {
        let Some(ends) = self.ends.get_mut(number as usize) else {
            return;
        };
        let mut at = std::mem::replace(ends, NOTHING).first;
        while at != NONE {
            self.all.remove(at);
            at = self.all[at].next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;

    fn part(order: u32) -> Part {
        Part::new(&example(order), Timestamp(0), order, false)
    }

    #[test]
    fn parts_are_known_in_order_until_they_are_forgotten() {
        let mut parts = Parts::default();
        let orders = |parts: &Parts, number: u32| {
            let orders = parts.of(number).map(|part| part.order);
            orders.collect::<Vec<_>>()
        };
        for (number, order) in [(3, 0), (1, 1), (3, 2), (3, 3), (1, 4)] {
            parts.add(number, part(order));
        }
        assert_eq!(orders(&parts, 3), [0, 2, 3]);
        assert_eq!(orders(&parts, 1), [1, 4]);
        assert_eq!((orders(&parts, 0), orders(&parts, 9)), (vec![], vec![]));
        assert_eq!(parts.last_of(3).map(|part| part.order), Some(3));
        parts.forget(3);
        parts.forget(9);
        assert_eq!((orders(&parts, 3), parts.len()), (vec![], 2));
        assert!(parts.last_of(3).is_none());
        parts.add(3, part(5));
        assert_eq!(
            (orders(&parts, 3), orders(&parts, 1)),
            (vec![5], vec![1, 4])
        );
    }
}
