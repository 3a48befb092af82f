//! SplitMix64 (Steele, Lea and Flood 2014): good enough for bytes and choices, the
//! same everywhere, and as fast as memory.

#[derive(Clone, Copy, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, near enough to evenly.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Bytes that shrink to about half when they are compressed, as the payload of
    /// much real traffic does: four random bits in each.
    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        let (words, rest) = bytes.as_chunks_mut::<8>();
        for word in words {
            *word = (self.next() & 0x0f0f_0f0f_0f0f_0f0f).to_le_bytes();
        }
        for byte in rest {
            *byte = (self.next() & 0x0f) as u8;
        }
    }
}
