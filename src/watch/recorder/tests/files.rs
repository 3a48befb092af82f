//! What is recorded, when, and what it is called.

use super::*;

/// Runs seconds with the same findings; all that was noticed.
fn run(watching: &mut Watching, seconds: std::ops::Range<i64>, ids: &[&str]) -> Vec<Notice> {
    seconds
        .flat_map(|second| watching.second(second, ids))
        .collect()
}

#[test]
fn the_seconds_before_and_after_a_finding_are_in_one_file() {
    let mut watching = Watching::new();
    assert_eq!(run(&mut watching, 0..20, &[]), []);
    let started = watching.second(20, &["D09"]);
    let findings = vec!["D09".to_owned()];
    assert_eq!(started, [Notice::Started { findings }]);
    assert!(watching.recorder.counts().is_recording);
    assert!(name::is_part(&watching.names()[0]));
    assert_eq!(run(&mut watching, 21..31, &["D09"]), []);
    let notices = watching.second(31, &[]);
    let written = written(&notices);
    assert_eq!(watching.names(), ["fraglens-2026-01-02T030426Z-D09.pcapng"]);

    // The finding was there at second 21: all frames of the seconds 11 to 31.
    let (frames, facts) = read(Path::new(&written.path));
    let numbers: Vec<u64> = frames.iter().map(number).collect();
    assert_eq!(numbers, (111..=311).collect::<Vec<_>>());
    assert_eq!(frames[0].time, at(11.0));
    assert_eq!(frames[1].time, at(11.1));
    assert_eq!((written.frames, facts.frames), (201, 201));
    assert_eq!(written.bytes, facts.bytes);
    assert_eq!(written.missed_frames, 0);
    assert!(!written.is_late && !written.is_cut);
    // Nothing was lost while it was recorded.
    assert_eq!(facts.dropped_frames, Some(0));
}

#[test]
fn two_interfaces_with_different_link_types_are_recorded_byte_for_byte() {
    let mut watching = Watching::new();
    for second in 0..3 {
        let (wire, ring) = (&mut watching.wire, &watching.ring);
        wire.block_of(1, ring, f64::from(second), 7, 61);
        wire.block_of(0, ring, f64::from(second), 5, 1514);
    }
    let expected = everything(&watching.ring);
    watching.recorder.tick(&snapshot(3, &["D09"]));
    let notices = watching.recorder.finish(&snapshot(3, &["D09"]));
    let (frames, facts) = read(Path::new(&written(&notices).path));
    assert_eq!(frames, expected);
    assert_eq!(facts.link_types, [LinkType::ETHERNET, LinkType::RAW]);
    assert_eq!(watching.names().len(), 1, "{:?}", watching.names());
}

#[test]
fn findings_are_told_in_the_file_and_on_the_frames_that_show_them() {
    let mut watching = Watching::new();
    watching.second(0, &["D09"]);
    watching.second(1, &["D09", "D14"]);
    let notices = watching.recorder.finish(&snapshot(2, &["D14"]));
    assert_eq!(written(&notices).findings, ["D09", "D14"]);
    let file = std::fs::read(&written(&notices).path).unwrap();
    let text = String::from_utf8_lossy(&file);
    for told in [
        "D09 error: reassembly memory ran out\nsince: ",
        "\nseen: 4 MiB were full after 0.3 s.\nconfidence: 0.90\ndisprove: nstat -az IpReasmFails\n",
        "shown by: frame 3 of eth0, 2026-01-02T03:04:05.300000000Z: D09 is \\u{1b}[31mhere",
        "D14 error: ",
        "recorded because of what appeared at 2026-01-02T03:04:06",
        "frames from 2026-01-02T03:03:56",
        "tun\\u{1b}[31m",
    ] {
        assert!(text.contains(told), "{told}");
    }
    assert!(!text.contains("\u{1b}["));
    // The frame was written before the second finding came.
    assert_eq!(text.matches("D09: D09 is").count(), 1);
    assert_eq!(text.matches("D14: D14 is").count(), 0);
}

#[test]
fn a_storm_of_findings_is_one_file() {
    let mut watching = Watching::new();
    let mut notices = Vec::new();
    for second in 0..20 {
        let ids: Vec<String> = (0..=second).map(|n| format!("D{n:02}")).collect();
        let mut ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        // One of them comes and goes.
        if second % 2 == 1 {
            ids.remove(0);
        }
        if second < 11 {
            notices.extend(watching.second(second, &ids));
        } else {
            notices.extend(watching.second(second, &["D03"]));
        }
    }
    let is_started = |notice: &Notice| matches!(notice, Notice::Started { .. });
    assert_eq!(count(&notices, is_started), 1);
    assert_eq!(written(&notices).findings.len(), 11);
    // It was active all the time; cleared and back, it is recorded again.
    assert_eq!(watching.second(20, &["D03"]), []);
    assert_eq!(watching.second(21, &[]), []);
    assert_eq!(watching.second(22, &["D03"]).len(), 1);
    assert_eq!(watching.names().len(), 2);
}

#[test]
fn a_mild_finding_is_not_recorded() {
    let mut watching = Watching::with(|options| options.on = Severity::Error);
    let mut mild = snapshot(1, &["D09"]);
    mild.findings[0].finding.severity = Severity::Warning;
    assert_eq!(watching.recorder.tick(&mild), []);
    // It becomes grave.
    assert_eq!(watching.recorder.tick(&snapshot(2, &["D09"])).len(), 1);
}

#[test]
fn what_is_saved_by_hand_is_what_is_in_memory() {
    let mut watching = Watching::new();
    watching.second(0, &["D09"]);
    let path = watching.recorder.save_now(&snapshot(1, &["D09"])).unwrap();
    let again = watching.recorder.save_now(&snapshot(1, &["D09"])).unwrap();
    assert!(path.ends_with("fraglens-2026-01-02T030406Z-saved.pcapng"));
    assert!(again.ends_with("fraglens-2026-01-02T030406Z-saved-2.pcapng"));
    assert_eq!(read(&path).0, everything(&watching.ring));
    assert!(watching.recorder.counts().is_recording);
    assert_eq!(watching.recorder.counts().written, 2);
}

#[test]
fn losses_while_it_was_recorded_are_in_the_file() {
    let mut watching = Watching::new();
    run(&mut watching, 0..15, &[]);
    watching.second(15, &["D09"]);
    let mut last = snapshot(17, &["D09"]);
    last.captured[0].dropped += 3;
    last.captured[0].interface_dropped += 4;
    let notices = watching.recorder.finish(&last);
    let (_, facts) = read(Path::new(&written(&notices).path));
    assert_eq!(facts.dropped_frames, Some(7));
}

#[test]
fn what_the_ring_could_not_keep_is_said() {
    let mut watching = Watching::new();
    // 40 MB in a ring of 32 MiB: the beginning is gone.
    watching.wire.block(&watching.ring, 0.0, 40_000, 1000);
    watching.recorder.tick(&snapshot(1, &["D09"]));
    let notices = watching.recorder.finish(&snapshot(2, &["D09"]));
    let written = written(&notices);
    let (frames, facts) = read(Path::new(&written.path));
    assert!(written.is_late);
    assert!(written.is_cut, "{written:?}");
    assert_eq!(frames.len() as u64, written.frames);
    assert!(facts.bytes <= 16 << 20);
    let text = Notice::Written(written.clone()).to_string();
    assert!(
        text.contains("begins late") && text.contains("ends early"),
        "{text}"
    );
}

#[test]
fn frames_dropped_before_they_were_written_are_counted() {
    let mut watching = Watching::with(|options| options.bytes = 1 << 30);
    watching.wire.block(&watching.ring, 0.0, 100, 1000);
    watching.recorder.tick(&snapshot(1, &["D09"]));
    watching.wire.block(&watching.ring, 1.0, 70_000, 1000);
    let notices = watching.recorder.finish(&snapshot(2, &["D09"]));
    let written = written(&notices);
    assert!(!written.is_late && !written.is_cut);
    assert_eq!(written.frames + written.missed_frames, 70_100);
    assert!(written.missed_frames > 30_000);
    let (_, facts) = read(Path::new(&written.path));
    // The kernel counted some too.
    let dropped = snapshot(2, &[]).captured[0].dropped;
    assert_eq!(facts.dropped_frames, Some(written.missed_frames + dropped));
}

#[test]
fn recordings_are_read_by_others_too() {
    let mut watching = Watching::new();
    watching.second(0, &["D09"]);
    let notices = watching.recorder.finish(&snapshot(1, &["D09"]));
    let path = &written(&notices).path;
    let Ok(output) = std::process::Command::new("capinfos").arg(path).output() else {
        eprintln!("SKIPPED: capinfos is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("D09 error: reassembly memory ran out"),
        "{text}"
    );
    assert!(text.contains("Name = eth0"), "{text}");
}
