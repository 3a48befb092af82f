//! The screen in a real terminal.

use super::watching::FRAGLENS;
use super::{start_receiving, start_sending};
use crate::kernel::network::{Network, RECEIVER};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Nothing on the screen takes longer than this.
const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal of 80 columns and 24 lines; gone when it is dropped.
struct Terminal(String);

impl Terminal {
    fn start(network: &Network, words: &str) -> Self {
        let terminal = Self(network.name().to_owned());
        let inside = format!("{FRAGLENS} watch {words}; echo ended with $?; stty -a; sleep 60");
        let server = ["tmux", "-L", &terminal.0, "-f", "/dev/null"];
        let session = [
            "new-session",
            "-d",
            "-x",
            "80",
            "-y",
            "24",
            "bash",
            "-c",
            &inside,
        ];
        network.run_at_receiver(&[&server[..], &session].concat());
        terminal
    }

    fn tmux(&self, words: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-L", &self.0])
            .args(words)
            .output()
            .expect("tmux starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn picture(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Waits for a picture with a text in it.
    fn shows(&self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let picture = self.picture();
            if picture.contains(text) {
                return picture;
            }
            assert!(Instant::now() < end, "no \"{text}\" in\n{picture}");
            thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn a_screen_shows_what_is_wrong_and_leaves_the_terminal_as_it_was() {
    let network = Network::new();
    network.lose_fragments(30);
    let _receiver = start_receiving(&network);
    let _sender = start_sending(&network, &["flood", RECEIVER, "65507", "200", "15"]);
    let terminal = Terminal::start(&network, "-i b0");
    let picture = terminal.shows("D01");
    for text in [
        "fraglens watch",
        "offered",
        "b0",
        "0 dropped",
        "? help",
        "10.1.0.2",
    ] {
        assert!(picture.contains(text), "no \"{text}\" in\n{picture}");
    }
    assert_eq!(picture.lines().count(), 24, "{picture}");
    assert!(picture.lines().all(|line| line.chars().count() <= 80));
    terminal.press("?");
    terminal.shows("filter");
    terminal.press("Escape");
    terminal.tmux(&["resize-window", "-x", "40", "-y", "10"]);
    terminal.shows("0 dropped");
    terminal.tmux(&["resize-window", "-x", "100", "-y", "40"]);
    terminal.shows("Flows");
    terminal.press("q");
    let picture = terminal.shows("ended with 0");
    let settings = terminal.shows("speed");
    // The report stands where the screen was, and the terminal echoes again.
    assert!(!picture.contains("? help"), "{picture}");
    assert!(
        settings.contains(" echo ") && settings.contains(" icanon "),
        "{settings}"
    );
}

#[test]
fn what_is_saved_at_the_screen_is_a_bundle() {
    let network = Network::new();
    network.lose_fragments(30);
    let folder = tempfile::TempDir::new().expect("a folder");
    let _receiver = start_receiving(&network);
    let _sender = start_sending(&network, &["flood", RECEIVER, "65507", "50", "30"]);
    let words = format!("-i b0 --record {}", folder.path().display());
    let terminal = Terminal::start(&network, &words);
    terminal.shows("D01");
    terminal.press("s");
    terminal.shows("wrote the bundle");
    terminal.press("q");
    terminal.shows("ended with 0");
    let entries = fs::read_dir(folder.path()).expect("the folder is there");
    let mut bundles = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.is_dir());
    let bundle = bundles.next().expect("a bundle");
    assert!(bundle.with_extension("pcapng").is_file());
    let manifest = json(&bundle.join("MANIFEST.json"));
    let findings = manifest["findings_repeated"].to_string();
    assert!(findings.contains("D01"), "{manifest:#}");
    assert_eq!(manifest["host"]["interfaces"][0]["name"], "b0");
    assert!(manifest["host"]["kernel_release"].is_string());
    let snapshot = json(&bundle.join("snapshot.json"));
    assert_eq!(snapshot["captured"][0]["name"], "b0");
    for output in manifest["outputs"].as_array().expect("a list") {
        let name = output["name"].as_str().expect("a name");
        let file = fs::metadata(bundle.join(name)).expect("it is there");
        assert_eq!(output["bytes"], file.len(), "{name}");
    }
    assert!(bundles.next().is_none());
}

fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("it is there");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn a_terminal_that_goes_away_ends_it_with_a_report() {
    let network = Network::new();
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("report.json");
    let terminal = Terminal::start(&network, &format!("-i b0 -o {}", path.display()));
    terminal.shows("? help");
    terminal.tmux(&["kill-server"]);
    let end = Instant::now() + PATIENCE;
    while !path.exists() {
        assert!(Instant::now() < end, "no report");
        thread::sleep(Duration::from_millis(100));
    }
    let report = std::fs::read_to_string(&path).expect("it is there");
    assert!(
        report.contains("\"schema_version\"") || report.contains("Capture"),
        "{report}"
    );
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let network = Network::new();
    let terminal = Terminal::start(&network, "-i b0");
    terminal.shows("? help");
    let pids = terminal.tmux(&["list-panes", "-F", "#{pane_pid}"]);
    let kill = format!("pkill -TERM -P {}", pids.trim());
    Command::new("sh")
        .args(["-c", &kill])
        .output()
        .expect("sh starts");
    terminal.shows("ended with 0");
    assert!(terminal.shows("speed").contains(" echo "));
}
