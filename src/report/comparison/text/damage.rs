//! Packets whose bytes are not the same at both ends, frame by frame.

use crate::model::number;
use crate::report::comparison::document::Segment;
use crate::report::comparison::ways::ways;
use crate::report::comparison::{Comparison, words};
use crate::report::text::page::{Page, Tone};
use std::io::{self, Write};

pub(super) fn write(comparison: &Comparison, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    for segment in ways(comparison).iter().flat_map(|way| &way.segments) {
        if !segment.damage.is_empty() {
            write_segment(comparison, segment, page)?;
        }
    }
    Ok(())
}

fn write_segment(
    comparison: &Comparison,
    segment: &Segment,
    page: &mut Page<'_, impl Write>,
) -> io::Result<()> {
    let title = format!("Damage from {}", words::stretch(comparison, segment));
    let shown = segment.damage.len() as u64;
    let remark = if shown < segment.corrupted {
        let all = number::counted(segment.corrupted, "packet");
        format!("the first {} of {all}", number::count(shown))
    } else {
        number::counted(segment.corrupted, "packet")
    };
    page.heading(&title, &remark)?;
    for common in words::damage_in_common(segment) {
        page.paragraph("  ", 2, &common, Tone::Normal)?;
    }
    for damage in &segment.damage {
        let frames = format!(
            "frame {} of {}, frame {} of {}: {}",
            number::count(damage.from_frame),
            words::point_name(comparison, segment.from),
            number::count(damage.to_frame),
            words::point_name(comparison, segment.to),
            words::damage_of(segment, damage),
        );
        page.paragraph("  ", 4, &frames, Tone::Normal)?;
    }
    Ok(())
}
