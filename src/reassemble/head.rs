//! The beginning of a datagram, kept for its transport header.

/// Bytes of a datagram's beginning that are kept for its transport header: room
/// for TCP's fixed header, the longest that is read, behind some IPv6 extension
/// headers.
pub const HEAD_BYTES: usize = 128;

/// The beginning of a datagram's payload, filled as pieces come.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    bytes: [u8; HEAD_BYTES],
    /// One bit for each 8-byte unit that was captured whole.
    units: u16,
    /// End of the captured bytes in the last, partial unit, if that came.
    partial_end: u8,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            bytes: [0; HEAD_BYTES],
            units: 0,
            partial_end: 0,
        }
    }
}

impl Head {
    /// Takes what a piece at `offset` holds of the head.
    pub fn put(&mut self, offset: u32, captured: &[u8]) {
        let start = offset as usize;
        let Some(room) = self.bytes.get_mut(start..) else {
            return;
        };
        let taken = captured.len().min(room.len());
        room[..taken].copy_from_slice(&captured[..taken]);
        let end = start + taken;
        for unit in start / 8..end / 8 {
            self.units |= 1 << unit;
        }
        if !end.is_multiple_of(8) {
            self.partial_end = end as u8;
        }
    }

    /// Forgets what was captured. The bytes stay, and are not shown before they are
    /// written again.
    pub(super) fn clear(&mut self) {
        self.units = 0;
        self.partial_end = 0;
    }

    /// The captured bytes from the start on, without a gap.
    pub fn bytes(&self) -> &[u8] {
        let whole = self.units.trailing_ones() as usize * 8;
        let partial = usize::from(self.partial_end);
        let end = if partial > whole && partial < whole + 8 {
            partial
        } else {
            whole
        };
        &self.bytes[..end.min(HEAD_BYTES)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_fills_from_tiny_fragments() {
        let mut head = Head::default();
        head.put(16, &[3; 4]);
        assert!(head.bytes().is_empty());
        head.put(0, &[1; 8]);
        assert_eq!(head.bytes(), [1; 8]);
        head.put(8, &[2; 8]);
        assert_eq!(head.bytes().len(), 20);
        assert_eq!(head.bytes()[16..], [3; 4]);
    }

    #[test]
    fn the_head_takes_no_more_than_it_holds() {
        let mut head = Head::default();
        head.put(0, &[7; 200]);
        assert_eq!(head.bytes(), [7; HEAD_BYTES]);
        head.put(136, &[9; 8]);
        assert_eq!(head.bytes(), [7; HEAD_BYTES]);
    }
    #[test]
    fn a_head_used_again_shows_nothing_of_before() {
        let mut head = Head::default();
        head.put(0, &[7; 20]);
        head.clear();
        assert!(head.bytes().is_empty());
        head.put(16, &[3; 4]);
        assert!(head.bytes().is_empty());
        head.put(0, &[1; 12]);
        assert_eq!(head.bytes(), [1; 12]);
    }
}
