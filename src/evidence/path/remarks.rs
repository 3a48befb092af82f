//! What is said of each frame.

use super::look::Keeping;
use super::name;
use crate::decode::DecodeOptions;
use crate::evidence::gaps::{self, Piece};
use crate::evidence::kept::KeptFrame;
use crate::evidence::room::{Pooled, Room};
use crate::model::number;
use crate::report::comparison::Comparison;
use crate::source::Filter;
use std::collections::BTreeMap;

/// Most bytes that are said of each frame: what it is, and where it comes from.
pub(super) const USUAL_BYTES: usize = 120;

/// The frames that were kept, with a comment on each.
pub(super) fn written(
    keeping: Keeping,
    comparison: &Comparison,
    decode: &DecodeOptions,
) -> Vec<KeptFrame> {
    let whole = whole(&keeping);
    let Room { frames, .. } = &keeping.room;
    let fragments = frames.iter().map(|pooled| (&pooled.frame, pooled.datagram));
    let datagrams = gaps::by_datagram(fragments, decode);
    let mut left = keeping.room.left_bytes();
    let mut frames: Vec<KeptFrame> = keeping.room.frames.into_iter().map(|of| of.frame).collect();
    for piece in datagrams.values().flatten() {
        if let Some(frame) = frames.get_mut(piece.frame) {
            frame.comment.get_or_insert_with(|| piece.told());
        }
    }
    let filter = comparison.options.filter.as_deref();
    // What a filter took away is not missing.
    if filter.and_then(Filter::drops_fragments).is_none() {
        for (number, mut pieces) in datagrams {
            let Some(Some(point)) = whole.get(number as usize) else {
                continue;
            };
            let fate = format!("is not whole at {}", name(comparison, *point));
            for (frame, remark) in gaps::missing(&mut pieces, &fate) {
                add(&mut frames, frame, &remark, &mut left);
            }
        }
    }
    for frame in &mut frames {
        let origin = origin(frame, comparison);
        let comment = frame.comment.take();
        frame.comment = Some(comment.map_or(origin.clone(), |told| format!("{told}\n{origin}")));
    }
    frames
}

/// `(frame 17 at B)`.
pub(super) fn origin(frame: &KeptFrame, comparison: &Comparison) -> String {
    let point = name(comparison, frame.interface);
    let number = number::count(frame.origin.number);
    format!("(frame {number} at {point})")
}

/// The points of the datagrams all fragments of which are there that the capture has.
fn whole(keeping: &Keeping) -> Vec<Option<u32>> {
    let mut kept: BTreeMap<u64, u64> = BTreeMap::new();
    for Pooled { datagram, .. } in &keeping.room.frames {
        if let Some(datagram) = datagram {
            *kept.entry(*datagram).or_default() += 1;
        }
    }
    let datagrams = (0..).zip(&keeping.datagrams);
    datagrams
        .map(|(number, whole)| {
            let is_there = kept.get(&number) == Some(&whole.fragments);
            (is_there && !whole.is_partial).then_some(whole.point)
        })
        .collect()
}

fn add(frames: &mut [KeptFrame], frame: usize, remark: &str, left: &mut u64) {
    let Some(comment) = frames
        .get_mut(frame)
        .and_then(|frame| frame.comment.as_mut())
    else {
        return;
    };
    // Up to three bytes of padding more.
    let bytes = remark.len() as u64 + 4;
    if let Some(rest) = left.checked_sub(bytes) {
        *left = rest;
        comment.push('\n');
        comment.push_str(remark);
    }
}

impl Piece {
    /// What it is.
    fn told(&self) -> String {
        format!(
            "datagram {:#06x}, bytes {} to {}",
            self.id,
            number::count(self.offset.into()),
            number::count(self.end.into())
        )
    }
}
