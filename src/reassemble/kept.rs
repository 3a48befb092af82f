//! The bytes of a datagram, for those that carry a tunnel.

/// Bytes of a datagram as far as they came.
#[derive(Debug, Default)]
pub struct KeptBytes {
    bytes: Vec<u8>,
    /// Bytes that were really put in; anything less than the whole is unusable.
    filled: usize,
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
        }
    }

    /// The datagram, if all `total` bytes of it were captured.
    pub fn whole(&self, total: u32) -> Option<&[u8]> {
        let total = total as usize;
        (self.filled == total && self.bytes.len() == total).then_some(&self.bytes)
    }

    /// Bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}
