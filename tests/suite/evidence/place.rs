//! Where a bundle goes: nothing that is there is touched, and it appears whole.

use super::{FILES, names};
use crate::support::{fraglens, pcap};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

/// Makes a bundle of a capture, from this folder.
fn evidence(here: &Path, arguments: &[&str]) -> Output {
    let mut command = fraglens();
    command.current_dir(here).arg("evidence");
    command.arg(pcap("sample.pcap")).args(arguments);
    command.output().unwrap()
}

/// That nothing was written, for this reason.
#[track_caller]
fn assert_refused(output: &Output, status: i32, said: &str) {
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(status), "{message}");
    assert!(message.contains(said), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[track_caller]
fn assert_made(output: &Output) {
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!((output.status.code(), message.as_str()), (Some(0), ""));
}

#[test]
fn what_is_there_is_not_touched() {
    let here = tempfile::tempdir().unwrap();
    fs::create_dir(here.path().join("folder")).unwrap();
    fs::write(here.path().join("folder/.notes"), "mine").unwrap();
    fs::write(here.path().join("file"), "mine").unwrap();
    symlink("nowhere", here.path().join("link")).unwrap();
    for taken in ["folder", "file", "link"] {
        let output = evidence(here.path(), &["-o", taken, "--tar", "case.tar.zst"]);
        let said = format!(
            "fraglens: cannot write {taken}: {taken} exists and is no empty folder; nothing was written"
        );
        assert_refused(&output, 1, &said);
    }
    assert_eq!(names(here.path()), ["file", "folder", "link"]);
    assert_eq!(names(&here.path().join("folder")), [".notes"]);
    let notes = fs::read_to_string(here.path().join("folder/.notes"));
    assert_eq!(notes.unwrap(), "mine");
}

#[test]
fn an_empty_folder_is_filled_and_stays_what_it_is() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o2770)).unwrap();
    let before = fs::metadata(&folder).unwrap();
    assert_made(&evidence(here.path(), &["-o", "folder"]));
    let after = fs::metadata(&folder).unwrap();
    assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
    assert_eq!(names(&folder), FILES);
    assert_eq!(names(here.path()), ["folder"]);
}

#[test]
fn an_empty_folder_is_found_by_any_name() {
    let here = tempfile::tempdir().unwrap();
    let (target, stood_in) = (here.path().join("target"), here.path().join("stood-in"));
    fs::create_dir(&target).unwrap();
    fs::create_dir(&stood_in).unwrap();
    symlink("target", here.path().join("link")).unwrap();
    assert_made(&evidence(here.path(), &["-o", "link"]));
    assert_eq!(names(&target), FILES);
    let archive = ["-o", ".", "--tar", "../case.tar.zst"];
    assert_made(&evidence(&stood_in, &archive));
    assert_eq!(names(&stood_in), FILES);
    let listed = Command::new("tar")
        .args(["--zstd", "-tf", "case.tar.zst"])
        .current_dir(here.path())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.starts_with("stood-in/\nstood-in/report.html\n"),
        "{listed}"
    );
    assert_made(&evidence(here.path(), &["-o", "new/"]));
    assert_eq!(names(&here.path().join("new")), FILES);
}

#[test]
fn where_nothing_can_be_written_nothing_is_left() {
    let here = tempfile::tempdir().unwrap();
    assert_refused(
        &evidence(here.path(), &["-o", "missing/bundle"]),
        1,
        "cannot write missing/bundle: No such file",
    );
    assert_refused(
        &evidence(here.path(), &["-o", "/proc/bundle"]),
        1,
        "cannot write /proc/bundle: ",
    );
    assert_refused(
        &evidence(
            here.path(),
            &["-o", "bundle", "--tar", "missing/case.tar.zst"],
        ),
        1,
        "cannot write missing/case.tar.zst: No such file",
    );
    assert_eq!(names(here.path()), [""; 0]);
}

#[test]
fn a_bundle_whose_archive_cannot_be_written_is_none() {
    let here = tempfile::tempdir().unwrap();
    let output = evidence(here.path(), &["-o", "bundle", "--tar", "/dev/full"]);
    assert_refused(&output, 1, "cannot write /dev/full: No space left");
    // One name for both.
    let output = evidence(here.path(), &["-o", "bundle", "--tar", "bundle"]);
    assert_refused(&output, 2, "bundle");
    assert_eq!(names(here.path()), [""; 0]);
}

#[test]
fn an_input_is_never_replaced() {
    let here = tempfile::tempdir().unwrap();
    let capture = here.path().join("a.pcap");
    fs::copy(pcap("sample.pcap"), &capture).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = fraglens();
        command.current_dir(here.path()).arg("evidence");
        command.args(arguments).output().unwrap()
    };
    assert_refused(&run(&["a.pcap", "-o", "a.pcap"]), 1, "nothing was written");
    let output = run(&["a.pcap", "-o", "bundle", "--tar", "a.pcap"]);
    assert_refused(&output, 2, "overwritten");
    assert_eq!(names(here.path()), ["a.pcap"]);
    let sample = fs::read(pcap("sample.pcap")).unwrap();
    assert!(fs::read(&capture).unwrap() == sample);
}

/// A file system that is full soon, in a mount namespace of its own.
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let here = tempfile::tempdir().unwrap();
    let script = format!(
        "mount -t tmpfs -o size=96k tmpfs . || exit 77; cd \"$PWD\"; \
         '{}' evidence '{}' -o bundle --tar case.tar.zst; echo \"$?\"; ls -A",
        env!("CARGO_BIN_EXE_fraglens"),
        pcap("netperf-loss3.pcap.zst").display()
    );
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .current_dir(here.path())
        .output()
        .unwrap();
    if !output.status.success() {
        eprintln!("SKIPPED a_full_disk_leaves_nothing_behind: nothing can be mounted");
        return;
    }
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1\n");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        "fraglens: cannot write bundle: No space left on device (os error 28)\n"
    );
}
