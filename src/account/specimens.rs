//! One lost datagram of each reason, with all its pieces.

use super::exhibits::Exhibit;
use super::losses::Loss;
use crate::model::FlowKey;
use crate::reassemble::Datagram;
use std::ops::Range;

/// Most pieces that are kept of a specimen.
pub const MAX_PIECES: usize = 512;

/// A datagram that could not be delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specimen {
    /// The first fragment of it to come.
    pub exhibit: Exhibit,
    /// Its flow: of a tunnel packet the one inside, if its headers could be read.
    pub flow: Option<FlowKey>,
    /// Bytes of its payload, as far as a fragment told.
    pub payload_bytes: Option<u32>,
    /// Payload of its largest fragment with MF; 0 if there was none.
    pub fragment_bytes: u32,
    /// Payload bytes that came, piece by piece and in order: the first of them.
    pub pieces: Vec<Range<u32>>,
    /// How many more pieces came.
    pub omitted: u64,
}

impl Specimen {
    fn of(datagram: &Datagram) -> Self {
        let pieces = datagram.pieces();
        let flow = match &datagram.tunnel {
            Some(carried) => carried.flow,
            None => Some(datagram.flow_key()),
        };
        Self {
            exhibit: Exhibit::of(datagram),
            flow,
            payload_bytes: datagram.claimed_payload_bytes(),
            fragment_bytes: datagram.tally.largest.payload_bytes,
            omitted: pieces.len().saturating_sub(MAX_PIECES) as u64,
            pieces: pieces.take(MAX_PIECES).collect(),
        }
    }
}

/// The first lost datagram of each reason.
#[derive(Clone, Debug, Default)]
pub struct Specimens {
    /// By reason; empty until something is lost.
    each: Vec<Option<Box<Specimen>>>,
}

impl Specimens {
    /// Those there are, by reason.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, &Specimen)> {
        let each = Loss::ALL.into_iter().zip(&self.each);
        each.filter_map(|(loss, specimen)| Some((loss, specimen.as_deref()?)))
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Specimen> {
        self.each
            .iter_mut()
            .flatten()
            .map(|specimen| &mut **specimen)
    }

    /// Keeps a lost datagram if none was lost earlier for that reason. What the end of
    /// the capture cut off is not lost.
    pub(super) fn offer(&mut self, loss: Loss, datagram: &Datagram) {
        if loss == Loss::Unfinished {
            return;
        }
        if self.each.is_empty() {
            self.each.resize_with(Loss::COUNT, || None);
        }
        let kept = &mut self.each[loss as usize];
        let is_first = kept
            .as_ref()
            .is_none_or(|kept| datagram.arrival.frame < kept.exhibit.frame);
        if is_first {
            *kept = Some(Box::new(Specimen::of(datagram)));
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        if self.each.is_empty() {
            *self = other;
            return;
        }
        for (kept, other) in self.each.iter_mut().zip(other.each) {
            let Some(other) = other else { continue };
            if kept
                .as_ref()
                .is_none_or(|kept| other.exhibit < kept.exhibit)
            {
                *kept = Some(other);
            }
        }
    }
}
