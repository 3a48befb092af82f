//! The timeline of the document.

use crate::account;
use crate::report::document::{Bucket, Time, Timeline};

/// The capture in equal steps.
pub(super) fn timeline(timeline: &account::Timeline) -> Timeline {
    let even = timeline.in_equal_steps();
    Timeline {
        bucket_seconds: even.width().as_secs_f64(),
        buckets: even.iter().map(row).collect(),
    }
}

fn row((start, bucket): (crate::model::Timestamp, &account::Bucket)) -> Bucket {
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
