//! The bytes of a datagram, for those that carry a tunnel.

/// Bytes of a datagram as far as they came.
#[derive(Debug, Default)]
pub struct KeptBytes {
    bytes: Vec<u8>,
    /// Bytes that were really put in.
    filled: usize,
    /// Bytes from the beginning on without a gap, as far as that has been noticed.
    beginning: usize,
}

impl KeptBytes {
    /// Puts the captured bytes of a piece at its place. Pieces do not overlap.
    pub fn put(&mut self, offset: usize, captured: &[u8]) {
        let end = offset + captured.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        if let Some(place) = self.bytes.get_mut(offset..end) {
            place.copy_from_slice(captured);
            self.filled += captured.len();
            if offset <= self.beginning {
                self.beginning = end;
            }
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

    /// Bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
