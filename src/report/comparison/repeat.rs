//! The commands that show the same again.

use super::Comparison;
use super::document::CompareOptions;
use crate::report::shell;
use std::collections::{BTreeMap, BTreeSet};

/// Frames that a command shows of each file.
const FRAMES: usize = 50;

/// Files whose frames are shown.
const FILES: usize = 5;

/// UDP ports that are open without being told.
const KNOWN_PORTS: [u16; 3] = [4789, 8472, 6081];

/// All commands, whatever their length.
pub(super) fn commands(comparison: &Comparison) -> Vec<String> {
    let mut commands = vec![compare(comparison)];
    let ids = comparison
        .findings
        .iter()
        .map(|found| shell::word(&found.id));
    let ids: Vec<String> = ids.collect();
    if !ids.is_empty() {
        commands.push(format!("fraglens explain {}", ids.join(" ")));
    }
    commands.extend(show_frames(comparison));
    commands
}

/// With what is not as it is by itself.
fn compare(comparison: &Comparison) -> String {
    let mut command = "fraglens compare".to_owned();
    command.push_str(&options(&comparison.options));
    for point in &comparison.points {
        command.push(' ');
        command.push_str(&shell::path(&point.file.path));
    }
    command
}

fn options(options: &CompareOptions) -> String {
    let mut typed = String::new();
    let named = |name, ports: &[u16]| -> Vec<(&'static str, u16)> {
        ports.iter().map(|port| (name, *port)).collect()
    };
    let ports = [
        named("--vxlan-port", &options.vxlan_ports),
        named("--geneve-port", &options.geneve_ports),
    ];
    for (option, port) in ports.concat() {
        if !KNOWN_PORTS.contains(&port) {
            typed.push_str(&format!(" {option} {port}"));
        }
    }
    if !options.auto_tunnel {
        typed.push_str(" --no-auto-tunnel");
    }
    if let Some(filter) = &options.filter {
        typed.push_str(&format!(" --filter {}", shell::word(filter)));
    }
    typed
}

/// A command for each capture that has frames which show a finding.
fn show_frames(comparison: &Comparison) -> Vec<String> {
    let mut frames: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for shown in comparison.findings.iter().flat_map(|found| &found.evidence) {
        frames.entry(shown.point).or_default().insert(shown.frame);
    }
    let commands = frames.iter().filter_map(|(point, frames)| {
        let point = comparison.points.get(usize::try_from(*point).ok()?)?;
        let frames: Vec<String> = frames.iter().take(FRAMES).map(u64::to_string).collect();
        let filter = format!("frame.number in {{{}}}", frames.join(", "));
        let (path, filter) = (shell::path(&point.file.path), shell::word(&filter));
        Some(format!("tshark -r {path} -Y {filter}"))
    });
    commands.take(FILES).collect()
}
