//! What is wrong now.

use super::family::Family;
use super::series::Series;
use crate::diagnose::ALL;
use crate::report::document::Finding;
use crate::watch::Snapshot;

static ACTIVE: Family = Family::gauge(
    "finding_active",
    "1 while a cause shows, 0 for every other known cause",
);
static MISSING: Family = Family::gauge(
    "finding_missing",
    "Bytes of the last seconds that were not delivered because of a cause that shows, where known",
)
.bytes();
static WINDOW: Family =
    Family::gauge("window", "How many seconds findings and flows are about").seconds();

/// A cause that does not show is there with the severity it has where it is certain. One
/// that shows with another has a series more, for as long.
pub(super) fn gather(snapshot: &Snapshot, series: &mut Series) {
    series.measure(&WINDOW, [], snapshot.window_seconds);
    for active in &snapshot.findings {
        show(&active.finding, series);
    }
    for cause in ALL {
        let severity = ("severity", cause.severity.name());
        let labels = [("id", cause.id), ("name", cause.name), severity];
        series.count(&ACTIVE, labels, 0);
    }
}

fn show(finding: &Finding, series: &mut Series) {
    let severity = ("severity", finding.severity.name());
    let [id, name] = [("id", finding.id.as_str()), ("name", finding.name.as_str())];
    series.count(&ACTIVE, [id, name, severity], 1);
    if let Some(bytes) = finding.missing_bytes {
        series.count(&MISSING, [id, name], bytes);
    }
}
