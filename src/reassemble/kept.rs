//! The bytes of a datagram, for those that carry a tunnel.

/// Buffers that wait for the next datagram.
const POOLED: usize = 4;

/// Largest buffer that waits: room for a jumbo frame.
const LARGEST_POOLED_BYTES: usize = 16 << 10;

/// Bytes of a datagram as far as they came.
#[derive(Debug, Default)]
pub struct KeptBytes {
    bytes: Vec<u8>,
    /// Bytes that were really put in.
    filled: usize,
    /// Bytes from the beginning on without a gap, as far as that has been noticed.
    beginning: usize,
}

/// A few empty buffers, so that not every tunnel packet asks for memory.
#[derive(Debug, Default)]
pub(super) struct Pool {
    waiting: Vec<KeptBytes>,
}

impl Pool {
    /// An empty buffer.
    pub(super) fn take(&mut self) -> KeptBytes {
        self.waiting.pop().unwrap_or_default()
    }

    /// Takes a buffer back that nobody needs any longer.
    pub(super) fn give(&mut self, kept: Option<KeptBytes>) {
        if let Some(mut kept) = kept
            && self.waiting.len() < POOLED
            && kept.memory_bytes() <= LARGEST_POOLED_BYTES
        {
            kept.clear();
            self.waiting.push(kept);
        }
    }
}

impl KeptBytes {
    /// Puts the captured bytes of a piece at its place. Pieces do not overlap.
    pub fn put(&mut self, offset: usize, captured: &[u8]) {
        if captured.is_empty() {
            return;
        }
        let end = offset + captured.len();
        if offset == self.bytes.len() {
            self.bytes.extend_from_slice(captured);
        } else {
            self.put_apart(offset, captured);
        }
        self.filled += captured.len();
        if offset <= self.beginning {
            self.beginning = self.beginning.max(end);
        }
    }

    /// The same for a piece that does not follow the last one.
    fn put_apart(&mut self, offset: usize, captured: &[u8]) {
        let end = offset + captured.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        if let Some(place) = self.bytes.get_mut(offset..end) {
            place.copy_from_slice(captured);
        }
    }

    /// Everything put in so far, with zeros between, if that is `held` bytes.
    pub fn all(&self, held: usize) -> Option<&[u8]> {
        (self.filled == held).then_some(&self.bytes)
    }

    /// The bytes from the beginning on, as far as they came without a gap.
    pub fn beginning(&self) -> &[u8] {
        if self.filled == self.bytes.len() {
            &self.bytes
        } else {
            self.bytes.get(..self.beginning).unwrap_or_default()
        }
    }

    /// The first `count` bytes.
    pub fn first(&self, count: usize) -> &[u8] {
        self.bytes.get(..count).unwrap_or_default()
    }

    /// Bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.filled = 0;
        self.beginning = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_nothing_changes_nothing() {
        let mut kept = KeptBytes::default();
        kept.put(0, &[1; 16]);
        kept.put(64, &[2; 8]);
        kept.put(8, &[]);
        kept.put(1000, &[]);
        assert_eq!(kept.beginning(), [1; 16]);
        assert_eq!(kept.all(24).map(<[u8]>::len), Some(72));
    }

    #[test]
    fn the_beginning_ends_at_the_first_gap() {
        let mut kept = KeptBytes::default();
        kept.put(0, &[1; 5]);
        kept.put(8, &[2; 8]);
        assert_eq!(kept.beginning(), [1; 5]);
        assert_eq!(kept.all(13).map(<[u8]>::len), Some(16));
        assert_eq!(kept.all(16), None);
    }

    #[test]
    fn pieces_in_any_order_make_the_whole() {
        let mut kept = KeptBytes::default();
        kept.put(16, &[3; 3]);
        kept.put(8, &[2; 8]);
        kept.put(0, &[1; 8]);
        assert_eq!(kept.beginning().len(), 19);
    }
    #[test]
    fn a_buffer_from_the_pool_knows_nothing_of_its_past() {
        let mut pool = Pool::default();
        let mut kept = pool.take();
        kept.put(8, &[9; 8]);
        kept.put(0, &[9; 8]);
        let memory_bytes = kept.memory_bytes();
        pool.give(Some(kept));
        let mut kept = pool.take();
        assert_eq!(kept.memory_bytes(), memory_bytes, "it is the same");
        kept.put(8, &[1; 4]);
        assert!(kept.beginning().is_empty());
        assert_eq!(kept.first(8), [0; 8]);
    }

    #[test]
    fn the_pool_is_bounded() {
        let mut pool = Pool::default();
        for _ in 0..2 * POOLED {
            let mut kept = KeptBytes::default();
            kept.put(0, &[0; 100]);
            pool.give(Some(kept));
        }
        assert_eq!(pool.waiting.len(), POOLED);
        pool.waiting.clear();
        let mut large = KeptBytes::default();
        large.put(0, &[0; LARGEST_POOLED_BYTES + 1]);
        pool.give(Some(large));
        assert!(pool.waiting.is_empty());
    }
}
