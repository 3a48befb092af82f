//! Numbers of either byte order at constant places in fixed-size headers.

/// Byte order of a capture, or of a section of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The 16-bit number at `AT` of a header of `N` bytes; a place outside does not compile.
    #[inline(always)]
    pub(super) fn u16<const AT: usize, const N: usize>(self, header: &[u8; N]) -> u16 {
        const { assert!(AT + 2 <= N) };
        let bytes = [header[AT], header[AT + 1]];
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    /// The 32-bit number at `AT` of a header of `N` bytes; a place outside does not compile.
    #[inline(always)]
    pub(super) fn u32<const AT: usize, const N: usize>(self, header: &[u8; N]) -> u32 {
        const { assert!(AT + 4 <= N) };
        let bytes = [header[AT], header[AT + 1], header[AT + 2], header[AT + 3]];
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    /// An unsigned number of exactly 8 bytes.
    pub(super) fn u64(self, bytes: &[u8]) -> Option<u64> {
        let bytes = *bytes.first_chunk::<8>()?;
        Some(match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        })
    }
}
