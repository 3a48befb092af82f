//! Whether all of the traffic is seen.

use super::family::Family;
use super::series::Series;
use crate::watch::{Capturing, Snapshot};

static FRAMES: Family = Family::counter("capture_frames", "Frames read from an interface");
static RECEIVED: Family = Family::counter(
    "capture_received_frames",
    "Frames that passed the filter, by libpcap's count; dropped ones are in it",
);
static DROPPED: Family = Family::counter(
    "capture_dropped_frames",
    "Frames lost because fraglens was too slow; nothing is known of them",
);
static INTERFACE_DROPPED: Family = Family::counter(
    "capture_interface_dropped_frames",
    "Frames that the interface or its driver lost",
);
static STATE: Family = Family::gauge(
    "capture_state",
    "1 for the state that an interface is in, 0 for the others",
);

/// Every state by name. Each has a series, so that an alert sees it end.
const STATES: [(Capturing, &str); 3] = [
    (Capturing::Live, "live"),
    (Capturing::Down, "down"),
    (Capturing::Gone, "gone"),
];

pub(super) fn gather(snapshot: &Snapshot, series: &mut Series) {
    for captured in &snapshot.captured {
        let interface = ("interface", captured.name.as_str());
        series.count(&FRAMES, [interface], captured.frames);
        series.count(&RECEIVED, [interface], captured.received);
        series.count(&DROPPED, [interface], captured.dropped);
        series.count(&INTERFACE_DROPPED, [interface], captured.interface_dropped);
        for (state, name) in STATES {
            let is_now = u64::from(captured.state == state);
            series.count(&STATE, [interface, ("state", name)], is_now);
        }
    }
}
