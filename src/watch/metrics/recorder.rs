//! What is recorded, and what could not be.

use super::family::Family;
use super::series::Series;
use crate::watch::Snapshot;

static RECORDINGS: Family = Family::counter(
    "recordings",
    "Recordings: completed, failed, and deleted to keep the bounds",
);
static MEMORY: Family = Family::gauge(
    "recorder_memory",
    "Memory that the packets of the last seconds take",
)
.bytes();
static MEMORY_LIMIT: Family =
    Family::gauge("recorder_memory_limit", "The bound on it (--record-memory)").bytes();
static DROPPED: Family = Family::counter(
    "recorder_dropped_frames",
    "Frames that are not recorded because that memory ran out",
);

pub(super) fn gather(snapshot: &Snapshot, series: &mut Series) {
    let Some(counts) = &snapshot.recorder else {
        return;
    };
    let outcomes = [
        ("written", counts.written),
        ("failed", counts.failed),
        ("deleted", counts.deleted),
    ];
    for (outcome, count) in outcomes {
        series.count(&RECORDINGS, [("outcome", outcome)], count);
    }
    series.count(&MEMORY, [], counts.ring.memory_bytes);
    series.count(&MEMORY_LIMIT, [], counts.ring.memory_limit_bytes);
    series.count(&DROPPED, [], counts.ring.dropped_frames);
}
