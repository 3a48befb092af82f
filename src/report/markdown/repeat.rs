//! The commands that show the same again.

use super::page::{Page, words};
use crate::report::beside::Beside;
use crate::report::document::{CaptureFile, Options, Report};
use crate::report::shell;
use std::collections::{BTreeMap, BTreeSet};

/// Frames that a command shows of each file; each finding has some, the first of them.
const FRAMES: usize = 50;

/// Files whose frames are shown.
const FILES: usize = 5;

/// Longest command. What is longer, because of its paths, is left out.
const COMMAND_BYTES: usize = 4_000;

/// UDP ports that are open without being told.
const KNOWN_PORTS: [u16; 3] = [4789, 8472, 6081];

pub(super) fn write(report: &Report, beside: Option<&Beside<'_>>, page: &mut Page) {
    let files: Vec<&CaptureFile> = report
        .capture
        .files
        .iter()
        .filter(|f| is_stored(f))
        .collect();
    if files.is_empty() && beside.is_none() {
        return;
    }
    let mut commands: Vec<String> = beside.iter().flat_map(|beside| beside.commands()).collect();
    let can_be_read = !files.is_empty() && !beside.is_some_and(|beside| beside.is_anonymized);
    if can_be_read {
        commands.push(analyze(&files, &report.options));
    }
    if !report.findings.is_empty() {
        let ids = report
            .findings
            .iter()
            .map(|finding| shell::word(&finding.id));
        commands.push(format!(
            "fraglens explain {}",
            ids.collect::<Vec<_>>().join(" ")
        ));
    }
    if can_be_read {
        commands.extend(show_frames(report, &files));
    }
    let commands = shell::fitting(commands, COMMAND_BYTES);
    let shown = page.shown(&commands, usize::MAX);
    page.heading(3, "To see it again");
    if let Some(beside) = beside {
        page.paragraph(&words(&beside.words()));
    }
    page.commands(shown);
}

/// Whether a file can be read again: interfaces cannot, nor what was no capture.
fn is_stored(file: &CaptureFile) -> bool {
    file.format
        .as_deref()
        .is_some_and(|format| format != "live")
}

/// With what is not as it is by itself, as far as it decides what is found.
fn analyze(files: &[&CaptureFile], options: &Options) -> String {
    let mut command = "fraglens analyze".to_owned();
    let ports = options
        .vxlan_ports
        .iter()
        .map(|port| ("--vxlan-port", port));
    let ports = ports.chain(
        options
            .geneve_ports
            .iter()
            .map(|port| ("--geneve-port", port)),
    );
    for (option, port) in ports.filter(|(_, port)| !KNOWN_PORTS.contains(port)) {
        command.push_str(&format!(" {option} {port}"));
    }
    if !options.auto_tunnel {
        command.push_str(" --no-auto-tunnel");
    }
    let timeout = options.reassembly_timeout_ipv4_seconds;
    // The same for both only where it was asked for.
    if timeout == options.reassembly_timeout_ipv6_seconds {
        command.push_str(&format!(
            " --reassembly-timeout {}ms",
            (timeout * 1e3).round()
        ));
    }
    if let Some(filter) = &options.filter {
        command.push_str(&format!(" --filter {}", shell::word(filter)));
    }
    for file in files {
        command.push(' ');
        command.push_str(&shell::path(&file.path));
    }
    command
}

/// A command for each file that has frames which show a finding.
fn show_frames(report: &Report, files: &[&CaptureFile]) -> Vec<String> {
    let mut frames: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for shown in report.findings.iter().flat_map(|finding| &finding.evidence) {
        frames.entry(&shown.file).or_default().insert(shown.frame);
    }
    let commands = files.iter().filter_map(|file| {
        let frames = frames.get(file.path.as_str())?.iter().take(FRAMES);
        let frames: Vec<String> = frames.map(u64::to_string).collect();
        let filter = format!("frame.number in {{{}}}", frames.join(", "));
        let (path, filter) = (shell::path(&file.path), shell::word(&filter));
        Some(format!("tshark -r {path} -Y {filter}"))
    });
    commands.take(FILES).collect()
}
