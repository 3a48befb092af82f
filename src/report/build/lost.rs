//! Lost datagrams as rows.

use super::findings::path_of;
use crate::account::{Ledger, Loss, Specimen};
use crate::model::FlowKey;
use crate::report::document::{LostDatagram, Piece, Time};
use crate::source::FileFacts;

/// The first of each reason; `keys` are those of the flows that are listed.
pub(super) fn lost_datagrams(
    ledger: &Ledger,
    keys: &[FlowKey],
    files: &[FileFacts],
) -> Vec<LostDatagram> {
    let specimens = ledger.specimens.iter();
    specimens
        .map(|(loss, specimen)| row(loss, specimen, keys, files))
        .collect()
}

fn row(loss: Loss, specimen: &Specimen, keys: &[FlowKey], files: &[FileFacts]) -> LostDatagram {
    let exhibit = &specimen.exhibit;
    let flow = specimen.flow.as_ref();
    let place = flow.and_then(|flow| keys.iter().position(|key| key == flow));
    LostDatagram {
        reason: loss.name(),
        frame: exhibit.frame.number,
        timestamp: Time(exhibit.timestamp),
        file: path_of(exhibit.frame, files),
        flow: place.map(|place| place as u64),
        identification: exhibit.pieces.map_or(0, |pieces| pieces.id),
        payload_bytes: specimen.payload_bytes,
        fragment_bytes: (specimen.fragment_bytes > 0).then_some(specimen.fragment_bytes),
        pieces: specimen
            .pieces
            .iter()
            .map(|piece| Piece {
                from: piece.start,
                to: piece.end,
            })
            .collect(),
        pieces_omitted: specimen.omitted,
    }
}
