//! Decoded blocks in the order of the capture, on their way through one depth of
//! reassembly.

use super::SHARDS;
use super::feed::Decoded;
use super::lanes::LANES;
use super::shard::Derived;
use std::collections::VecDeque;
use std::sync::Arc;

/// What the fragments of one block lie in: the block, and what was put together of
/// its fragments on the way inwards.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) decoded: Decoded,
    /// Of each depth that is done, and of each shard there.
    pub(super) derived: Vec<Derived>,
}

/// Blocks that wait for their turn at one depth. Workers finish them in any order.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The number of the block in front.
    first: u64,
    waiting: VecDeque<Place>,
}

/// What is known of one block in the order.
#[derive(Debug)]
enum Place {
    /// It is still being decoded.
    Missing,
    /// It has nothing for this depth.
    Skipped,
    Waiting {
        load: Arc<Load>,
        shards_left: usize,
        /// What each shard has derived.
        derived: Vec<Derived>,
    },
}

impl Load {
    pub(super) fn new(decoded: Decoded) -> Self {
        Self {
            decoded,
            derived: Vec::new(),
        }
    }

    /// Whether there are fragments with at least `depth` IP headers around them.
    pub(super) fn reaches(&self, depth: usize) -> bool {
        let derived = self.derived.iter().map(|derived| &derived.fragments);
        std::iter::once(&self.decoded.fragments)
            .chain(derived)
            .any(|fragments| fragments.reach(depth))
    }
}

impl Order {
    /// Puts block `number` in its place; `None` if it has nothing for this depth.
    pub(super) fn put(&mut self, number: u64, load: Option<Load>) {
        let index = (number - self.first) as usize;
        while self.waiting.len() <= index {
            self.waiting.push_back(Place::Missing);
        }
        self.waiting[index] = match load {
            None => Place::Skipped,
            Some(load) => Place::Waiting {
                load: Arc::new(load),
                shards_left: LANES,
                derived: (0..SHARDS).map(|_| Derived::default()).collect(),
            },
        };
        self.drop_skipped();
    }

    /// Puts a block behind the others; the order has no gaps then.
    pub(super) fn push(&mut self, load: Load) {
        self.put(self.first + self.waiting.len() as u64, Some(load));
    }

    /// The first block from number `next` on that has something for a shard, unless
    /// it or one before it is still being decoded. `next` becomes its number.
    pub(super) fn get(&self, next: &mut u64) -> Option<Arc<Load>> {
        *next = self.first.max(*next);
        loop {
            match self.waiting.get((*next - self.first) as usize)? {
                Place::Missing => return None,
                Place::Skipped => *next += 1,
                Place::Waiting { load, .. } => return Some(Arc::clone(load)),
            }
        }
    }

    /// A shard is done with block `number` and holds no more of it. Only those of
    /// reassembly find something.
    pub(super) fn done(&mut self, number: u64, shard: usize, found: Derived) {
        let place = self.waiting.get_mut((number - self.first) as usize);
        if let Some(Place::Waiting {
            shards_left,
            derived,
            ..
        }) = place
        {
            *shards_left -= 1;
            if let Some(derived) = derived.get_mut(shard) {
                *derived = found;
            }
        }
    }

    /// Takes the block in front if all shards are done with it.
    pub(super) fn pop(&mut self) -> Option<Load> {
        let Place::Waiting { shards_left: 0, .. } = self.waiting.front()? else {
            return None;
        };
        let Some(Place::Waiting { load, derived, .. }) = self.pop_place() else {
            return None;
        };
        self.drop_skipped();
        // Every shard let go of it before it said that it was done.
        let mut load = Arc::into_inner(load)?;
        load.derived.extend(derived);
        Some(load)
    }

    /// Leaves no place in front that nobody will come for.
    fn drop_skipped(&mut self) {
        while let Some(Place::Skipped) = self.waiting.front() {
            self.pop_place();
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    fn pop_place(&mut self) -> Option<Place> {
        self.first += 1;
        self.waiting.pop_front()
    }
}
