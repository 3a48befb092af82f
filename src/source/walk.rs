//! What walking over record boundaries yields, the same for every format.

use crate::model::Timestamp;

/// Result of walking over bytes that begin at a record boundary.
#[derive(Debug)]
pub(super) struct Walk {
    /// Bytes of whole records walked over.
    pub(super) consumed: usize,
    /// Frames in them.
    pub(super) frames: u64,
    /// Why the walk ended there.
    pub(super) end: End,
}

/// Why a walk ended.
#[derive(Debug)]
pub(super) enum End {
    /// The next record needs this many bytes from its start, more than there are.
    Incomplete { need: usize },
    /// A header was consumed that changes how the frames after it are read; no
    /// frame came before it.
    NewLayout,
    /// The next record changes how frames are read, and frames came before it.
    Boundary,
    /// The next record is impossible: what was expected and found.
    Damage(String),
}

/// One frame as its record states it, before it is numbered.
pub(super) struct Record<'a> {
    pub(super) timestamp: Timestamp,
    pub(super) wire_bytes: u32,
    pub(super) link_type: crate::model::LinkType,
    pub(super) interface: u32,
    pub(super) data: &'a [u8],
}

impl<'a> Record<'a> {
    /// Takes the frame check sequence off, if the capture kept it, and makes the
    /// wire length no less than what was captured: some writers claim so.
    #[inline(always)]
    pub(super) fn without_fcs(mut self, fcs_bytes: u32) -> Self {
        let captured = self.data.len() as u32;
        self.wire_bytes = self.wire_bytes.max(captured);
        if fcs_bytes > 0 {
            self.wire_bytes = self.wire_bytes.saturating_sub(fcs_bytes);
            let kept = captured.min(self.wire_bytes) as usize;
            self.data = self.data.get(..kept).unwrap_or(self.data);
        }
        self
    }
}

/// Most bytes a single record may claim. libpcap allows 262,144 captured bytes for
/// most link types; a snaplen beyond that is believed up to here, so that no
/// claim makes memory grow without bound.
pub(super) const MAX_RECORD_BYTES: u32 = 16 * 1024 * 1024;

/// libpcap's MAXIMUM_SNAPLEN.
pub(super) const MAX_SNAPLEN: u32 = 262_144;
