//! A list of keys with their records that grows without moving them.

/// Entries of one chunk: at the size of a flow's, half a megabyte.
const CHUNK: usize = 1 << 12;

/// Keys with their records, by position.
///
/// In chunks: one vector would copy all of it to grow, and hold it twice meanwhile.
#[derive(Clone, Debug)]
pub(super) struct Entries<K, V> {
    chunks: Vec<Vec<Entry<K, V>>>,
    len: usize,
}

/// Begins where a cache line does, so that a record of a flow lies in two of them.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Entry<K, V>(K, V);

impl<K, V> Default for Entries<K, V> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<K: Eq, V> Entries<K, V> {
    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds an entry; gives its position.
    pub fn push(&mut self, key: K, value: V) -> u32 {
        let position = self.len;
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(Entry(key, value)),
            // The first chunk grows as it needs to: most tables are small.
            last => {
                let mut chunk = Vec::with_capacity(if last.is_some() { CHUNK } else { 0 });
                chunk.push(Entry(key, value));
                self.chunks.push(chunk);
            }
        }
        self.len += 1;
        position as u32
    }

    /// Whether the entry at a position is that of `key`.
    #[inline]
    pub fn holds(&self, position: u32, key: &K) -> bool {
        self.get(position).is_some_and(|(held, _)| held == key)
    }

    /// The record at a position that holds one.
    #[inline]
    pub fn value(&mut self, position: u32) -> &mut V {
        let (chunk, place) = split(position);
        &mut self.chunks[chunk][place].1
    }

    /// The key and the record at a position that holds them.
    pub fn get(&self, position: u32) -> Option<(&K, &V)> {
        let (chunk, place) = split(position);
        let entry = self.chunks.get(chunk)?.get(place)?;
        Some((&entry.0, &entry.1))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.chunks
            .iter()
            .flatten()
            .map(|entry| (&entry.0, &entry.1))
    }

    /// Chunk by chunk, each freed when its entries are gone.
    pub fn into_iter(self) -> impl Iterator<Item = (K, V)> {
        self.chunks
            .into_iter()
            .flatten()
            .map(|entry| (entry.0, entry.1))
    }
}

fn split(position: u32) -> (usize, usize) {
    let position = position as usize;
    (position / CHUNK, position % CHUNK)
}
