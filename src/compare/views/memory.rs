//! What was asked for not long ago, by key: two generations, of which the older is forgotten.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Keys of a generation, at most.
pub(super) const MAX_KEYS: usize = 1 << 16;

/// Things by key. A key is a hash already.
#[derive(Debug, Default)]
pub(super) struct Memory<T> {
    recent: HashMap<u64, T, RandomState>,
    before: HashMap<u64, T, RandomState>,
}

impl<T: Default> Memory<T> {
    /// What is known of something, which is nothing yet where it is new.
    pub fn of(&mut self, key: u64) -> &mut T {
        if self.recent.len() >= MAX_KEYS {
            self.turn();
        }
        self.recent
            .entry(key)
            .or_insert_with(|| self.before.remove(&key).unwrap_or_default())
    }

    /// Forgets what was not asked for since this was called before.
    pub fn turn(&mut self) {
        std::mem::swap(&mut self.recent, &mut self.before);
        self.recent.clear();
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.recent.len() + self.before.len()
    }
}
