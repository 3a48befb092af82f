//! Rights are a process's own: each test gives them up in a child.
#![allow(clippy::unwrap_used)]

use super::*;
use std::collections::BTreeMap;
use std::env;
use std::process::Command;

/// What the child is to do; empty: it is no child.
const ASKED: &str = "FRAGLENS_TEST_PRIVILEGES";

/// What a child says of itself, by name.
type Said = BTreeMap<String, String>;

fn child(asked: &str) -> Said {
    let program = env::current_exe().unwrap();
    let name = "cli::privileges::tests::what_the_child_does";
    let output = Command::new(program)
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(ASKED, asked)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let said = lines.map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
    said.collect()
}

#[test]
fn what_the_child_does() {
    let Ok(asked) = env::var(ASKED) else {
        return;
    };
    let privileges = Privileges {
        user: asked.contains("user").then(|| "nobody".to_owned()),
        keep_net_raw: asked.contains("keep"),
    };
    match privileges.give_up_of_this_thread() {
        Ok(given_up) => println!("\nsentences: {}", given_up.sentences().join(" ")),
        Err(error) => println!("\nerror: {error:#}"),
    }
    let open = pcap::Capture::from_device("lo")
        .unwrap()
        .promisc(true)
        .open();
    println!(
        "opened: {}",
        open.map_or_else(|error| error.to_string(), |_| "yes".to_owned())
    );
    println!(
        "{}",
        fs::read_to_string("/proc/thread-self/status").unwrap()
    );
}

const NONE: &str = "0000000000000000";
const NET_RAW: &str = "0000000000002000";

fn is_root() -> bool {
    Uid::effective().is_root()
}

#[test]
fn nothing_is_left_of_any_set() {
    let said = child("all");
    for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
        assert_eq!(said[set], NONE, "{set}");
    }
    assert_eq!(said["NoNewPrivs"], "1");
    let sentences = &said["sentences"];
    assert!(sentences.contains("set-user-ID"), "{sentences}");
    assert!(is_denied(&said["opened"]), "{}", said["opened"]);
    assert_eq!(sentences.contains("--keep-net-raw"), is_root());
    if is_root() {
        assert_eq!(said["CapBnd"], NONE);
        assert!(sentences.contains("still may write what belongs to root"));
    }
}

#[test]
fn another_user_is_another_user_for_good() {
    let said = child("user");
    if !is_root() {
        assert!(said["error"].starts_with("cannot become user nobody"));
        return;
    }
    let nobody = named("nobody").unwrap();
    let four = |id: u32| {
        [
            id.to_string(),
            id.to_string(),
            id.to_string(),
            id.to_string(),
        ]
    };
    assert!(said["Uid"].split_whitespace().eq(four(nobody.uid.as_raw())));
    assert!(said["Gid"].split_whitespace().eq(four(nobody.gid.as_raw())));
    assert!(!said["Groups"].split_whitespace().any(|group| group == "0"));
    for set in ["CapPrm", "CapEff", "CapBnd"] {
        assert_eq!(said[set], NONE, "{set}");
    }
    let sentences = &said["sentences"];
    assert!(
        sentences.contains("can no longer become uid 0 again"),
        "{sentences}"
    );
    assert!(!sentences.contains("belongs to root"), "{sentences}");
}

#[test]
fn one_right_is_kept_if_asked_for_and_opens_promiscuous_devices() {
    for asked in ["keep", "keep user"] {
        let said = child(asked);
        if !is_root() {
            assert_eq!(said["CapEff"], NONE);
            continue;
        }
        for set in ["CapPrm", "CapEff"] {
            assert_eq!(said[set], NET_RAW, "{asked} {set}");
        }
        for set in ["CapInh", "CapAmb", "CapBnd"] {
            assert_eq!(said[set], NONE, "{asked} {set}");
        }
        assert_eq!(said["NoNewPrivs"], "1");
        assert_eq!(said["opened"], "yes");
        assert!(!is_denied(&said["opened"]));
        let sentences = &said["sentences"];
        assert!(sentences.contains("keeps CAP_NET_RAW"), "{sentences}");
        assert!(!sentences.contains("CAP_NET_RAW is gone"), "{sentences}");
    }
}

#[test]
fn a_user_that_is_none_is_told_before_anything_is_given_up() {
    let privileges = Privileges {
        user: Some("no-such-user".to_owned()),
        keep_net_raw: false,
    };
    let error = privileges.give_up_of_this_thread().unwrap_err();
    assert_eq!(error.to_string(), "there is no user no-such-user");
    assert!(!prctl::get_no_new_privs().unwrap());
}

#[test]
fn threads_would_keep_their_rights() {
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || wait.recv());
    let error = Privileges::default().give_up().unwrap_err();
    assert!(error.to_string().contains("one thread"), "{error}");
    drop(done);
    assert!(thread.join().unwrap().is_err());
}

#[test]
fn who_had_no_rights_lost_none() {
    let given_up = GivenUp::new(
        CapsHashSet::new(),
        CapsHashSet::new(),
        None,
        Uid::from_raw(1000),
    );
    assert_eq!(given_up.sentences().len(), 1);
    assert!(!given_up.can_open_devices());
}
