//! What is taken again and again while a capture goes on is, put together, what is counted
//! at once.

use crate::support::{self, Setup};
use fraglens::model::{Duration, Timestamp};
use fraglens::pipeline::{self, Window};
use fraglens::report::{Parts, build, document};
use fraglens::source::{CaptureFiles, HashPolicy, Source, SourceOptions};
use std::path::{Path, PathBuf};

/// Small blocks, so that much happens between two harvests.
const BLOCK_BYTES: usize = 4096;

/// The report from harvests, and how many there were with frames in them.
fn harvested(path: &Path, threads: usize) -> (String, usize) {
    let reading = SourceOptions {
        block_bytes: BLOCK_BYTES,
        hash: HashPolicy::Never,
    };
    let paths = [PathBuf::from(path)];
    let mut source = CaptureFiles::open(&paths, &reading);
    let options = pipeline::Options {
        threads,
        ..pipeline::Options::default()
    };
    let mut window = Window::new(
        Duration::from_secs(10),
        options.timeline_bucket,
        Timestamp(0),
    );
    let (harvests, rest) = pipeline::watch(&mut source, &options, |live| {
        let mut harvests = 0;
        // The clock of the watcher goes as it likes: half a window in 40 harvests.
        let mut elapsed = Duration::default();
        while !live.is_over() {
            let harvest = live.harvest(window.begins(), None);
            elapsed = Duration(elapsed.0 + Duration::from_millis(125).0);
            let now = Timestamp(elapsed.0);
            harvests += usize::from(window.take(harvest, now, elapsed).frames > 0);
            window.look(|recent| assert!(recent.ledger.flows.len() <= pipeline::MAX_RECENT));
        }
        harvests
    })
    .expect("threads start");
    let tally = *window.tally();
    let analysis = window.finish(rest);
    assert!(tally.frames <= analysis.ledger.capture.frames);
    let parts = Parts {
        files: &source.files(),
        ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
    };
    let report = build(&parts, document::Options::default());
    (support::text(&report), harvests)
}

#[test]
fn harvests_add_up_to_the_report() {
    let mut harvests = 0;
    let captures = support::all_captures("harvests_add_up_to_the_report");
    assert!(captures.len() > 10, "{captures:?}");
    for path in &captures {
        let at_once = support::text(&Setup::default().files(std::slice::from_ref(path)));
        for threads in [1, 3] {
            let (report, some) = harvested(path, threads);
            assert!(report == at_once, "{} in {threads} threads", path.display());
            harvests += some;
        }
    }
    // Else nothing was taken while the capture went on.
    assert!(harvests > 20, "{harvests} harvests");
}
