//! The timeline of the document.

use crate::account;
use crate::report::document::{Bucket, Time, Timeline};

/// The buckets in order. Gaps are filled with empty buckets, unless the pauses are
/// so long that there would be more of those than of the others may ever be.
pub(super) fn timeline(timeline: &account::Timeline) -> Timeline {
    let width = timeline.width();
    let mut buckets = Vec::new();
    let spans = match (timeline.iter().next(), timeline.iter().last()) {
        (Some((first, _)), Some((last, _))) => (last - first).0 / width.0 + 1,
        _ => 0,
    };
    let fills_gaps = spans <= account::MAX_BUCKETS as i64;
    let mut next = None;
    for (start, bucket) in timeline.iter() {
        while let Some(gap) = next
            && gap < start
            && fills_gaps
        {
            buckets.push(row(gap, &account::Bucket::default()));
            next = Some(gap + width);
        }
        buckets.push(row(start, bucket));
        next = Some(start + width);
    }
    Timeline {
        bucket_seconds: width.as_secs_f64(),
        buckets,
    }
}

fn row(start: crate::model::Timestamp, bucket: &account::Bucket) -> Bucket {
    Bucket {
        start: Time(start),
        packets: bucket.packets,
        bytes: bucket.bytes,
        fragments: bucket.fragments,
        datagrams_completed: bucket.datagrams_completed,
        deliverable_bytes: bucket.deliverable_bytes,
        datagrams_lost: bucket.datagrams_lost,
    }
}
