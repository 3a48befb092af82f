//! The directory: its bounds, what is in the way there, and disks that are full.

use super::*;
use std::fs;
use std::process::Command;

/// A recording of one second each, one after the other; the bound is looked at all along.
fn many(watching: &mut Watching, recordings: i64, check: impl Fn(&[String])) -> Vec<Notice> {
    let mut notices = Vec::new();
    for recording in 0..recordings {
        let second = recording * 100;
        notices.extend(watching.second(second, &["D09"]));
        check(&watching.names());
        notices.extend(watching.second(second + 50, &[]));
        check(&watching.names());
    }
    notices
}

fn is_written(notice: &Notice) -> bool {
    matches!(notice, Notice::Written(_))
}

fn is_deleted(notice: &Notice) -> bool {
    matches!(notice, Notice::Deleted { .. })
}

fn is_failed(notice: &Notice) -> bool {
    matches!(notice, Notice::Failed { .. })
}

#[test]
fn there_are_never_more_files_than_allowed_and_the_oldest_goes() {
    let mut watching = Watching::with(|options| options.files = 3);
    let others = ["notes.txt", "fraglens-2020-01-01T000000Z-D09-keep.pcapng"];
    for name in others {
        fs::write(watching.directory.path().join(name), "mine").unwrap();
    }
    let notices = many(&mut watching, 6, |names| {
        let recordings = names.iter().filter(|name| name::is_recording(name));
        assert!(recordings.count() <= 3);
    });
    assert_eq!(count(&notices, is_written), 6);
    assert_eq!(count(&notices, is_deleted), 3);
    assert_eq!(watching.recorder.counts().deleted, 3);
    let names = watching.names();
    assert_eq!(names.len(), 3 + others.len());
    assert!(
        others
            .iter()
            .all(|other| names.iter().any(|name| name == other))
    );
    assert!(
        names.contains(&"fraglens-2026-01-02T031226Z-D09.pcapng".to_owned()),
        "{names:?}"
    );
}

#[test]
fn there_are_never_more_bytes_than_allowed() {
    let mut watching = Watching::with(|options| options.bytes = 2 << 20);
    let directory = watching.directory.path().to_owned();
    let mut notices = Vec::new();
    for recording in 0..8 {
        let second = recording * 100;
        watching
            .wire
            .block(&watching.ring, second as f64, 1000, 1000);
        notices.extend(watching.recorder.tick(&snapshot(second + 1, &["D09"])));
        watching
            .recorder
            .save_now(&snapshot(second + 1, &["D09"]))
            .unwrap();
        notices.extend(watching.recorder.tick(&snapshot(second + 50, &[])));
        let sizes = names(&directory)
            .into_iter()
            .map(|name| fs::metadata(directory.join(name)).unwrap().len());
        assert!(sizes.sum::<u64>() <= 2 << 20);
    }
    assert_eq!(count(&notices, is_written), 8);
    assert!(count(&notices, is_deleted) >= 8);
    assert!(written(&notices).is_cut);
}

#[test]
fn what_a_killed_run_left_is_removed_and_what_another_writes_is_not() {
    let mut first = Watching::new();
    first.second(0, &["D09"]);
    let directory = first.directory.path().to_owned();
    fs::write(directory.join(".fraglens-killed.pcapng.part"), "left").unwrap();
    assert_eq!(first.names().len(), 2);
    let _second = Recorder::new(options(&directory), interfaces(), ring(1 << 20)).unwrap();
    assert_eq!(first.names().len(), 1);
    let notices = first.recorder.finish(&snapshot(1, &["D09"]));
    assert_eq!(written(&notices).frames, 10);
}

#[test]
fn nothing_is_written_over() {
    let mut watching = Watching::new();
    let taken = watching
        .directory
        .path()
        .join("fraglens-2026-01-02T030406Z-D09.pcapng");
    fs::write(&taken, "mine").unwrap();
    watching.second(0, &["D09"]);
    let notices = watching.recorder.finish(&snapshot(1, &["D09"]));
    assert!(written(&notices).path.ends_with("Z-D09-2.pcapng"));
    assert_eq!(fs::read(&taken).unwrap(), b"mine");
}

#[test]
fn a_link_called_like_a_recording_is_left_alone() {
    let mut watching = Watching::with(|options| options.files = 1);
    let directory = watching.directory.path().to_owned();
    fs::write(directory.join("target"), "mine").unwrap();
    let link = directory.join("fraglens-2020-01-01T000000Z-D09.pcapng");
    std::os::unix::fs::symlink(directory.join("target"), &link).unwrap();
    many(&mut watching, 3, |_| {});
    assert_eq!(fs::read(&link).unwrap(), b"mine");
}

#[test]
fn a_directory_that_vanishes_is_said_and_tried_again() {
    let mut watching = Watching::new();
    let directory = watching.directory.path().to_owned();
    watching.second(0, &["D09"]);
    fs::remove_dir_all(&directory).unwrap();
    let notices = watching.second(50, &["D14"]);
    // The open one could not be completed, the next one not begun.
    assert_eq!(count(&notices, is_failed), 2, "{notices:?}");
    assert!(!directory.exists());
    assert_eq!(watching.second(51, &["D14"]), []);
    fs::create_dir(&directory).unwrap();
    assert_eq!(watching.second(52, &["D09"]).len(), 1);
    let notices = watching.recorder.finish(&snapshot(53, &[]));
    assert_eq!(count(&notices, is_written), 1);
    assert_eq!(watching.recorder.counts().failed, 2);
}

#[test]
fn bounds_that_allow_nothing_are_refused() {
    let directory = TempDir::new().unwrap();
    let refused = |change: fn(&mut RecorderOptions)| {
        let mut options = options(directory.path());
        change(&mut options);
        Recorder::new(options, interfaces(), ring(0)).is_err()
    };
    assert!(refused(|options| options.files = 0));
    assert!(refused(|options| options.bytes = LEAST_RECORD_BYTES - 1));
    assert!(refused(
        |options| options.directory = "/dev/null/here".into()
    ));
    assert!(!refused(|options| options.bytes = LEAST_RECORD_BYTES));
}

/// A file system of 1 MiB.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let directory = TempDir::new().unwrap();
        let is_mounted = mount(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"], directory.path());
        if !is_mounted {
            eprintln!("SKIPPED: mounting a file system takes rights");
        }
        is_mounted.then_some(Self(directory))
    }
}

fn mount(arguments: &[&str], place: &Path) -> bool {
    let mut command = Command::new("mount");
    let output = command.args(arguments).arg(place).output();
    output.is_ok_and(|output| output.status.success())
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_said_and_tried_again() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let place = disk.0.path();
    let mut watching = Watching::with(|options| options.directory = place.to_owned());
    let mut storm = |second: i64, ids: &[&str]| {
        watching
            .wire
            .block(&watching.ring, second as f64, 2000, 1000);
        watching.recorder.tick(&snapshot(second + 1, ids))
    };
    for (failures, second) in [(1, 0), (2, 100)] {
        let notices = storm(second, &["D09"]);
        let Notice::Failed {
            error,
            failures: said,
            ..
        } = &notices[0]
        else {
            panic!("{notices:?}");
        };
        assert!(error.contains("No space left"), "{error}");
        assert_eq!(*said, failures);
        // Nothing is left that would keep it full.
        assert_eq!(names(place), Vec::<String>::new());
        storm(second + 50, &[]);
    }
    assert!(mount(&["-o", "remount,size=16m"], place));
    storm(200, &["D09"]);
    let notices = storm(250, &[]);
    assert_eq!(written(&notices).frames, 2000);
    assert_eq!(names(place).len(), 1);
}
