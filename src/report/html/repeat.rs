//! How to have the same figures again.

use super::bounds::{FILES, LINE, clipped};
use super::section::{Part, Section};
use crate::report::beside::Beside;
use crate::report::document::{Options, Receiver, Report, Sort};
use crate::report::shell;

/// Ports that are taken for VXLAN and Geneve without being told.
const KNOWN_PORTS: [u16; 3] = [4789, 8472, 6081];

/// Longest command. What is longer, because of its paths, is left out.
const COMMAND_BYTES: usize = 8_000;

pub(super) fn section(report: &Report, beside: Option<&Beside<'_>>) -> Option<Section> {
    let options = options(report);
    let inputs = inputs(report);
    let analyze = |format: &str| {
        let words = ["fraglens analyze".to_owned(), format!("--format {format}")];
        let words: Vec<String> = words.into_iter().chain(options.clone()).collect();
        format!("{} {inputs}", words.join(" "))
    };
    let page = format!("{} > report.html", analyze("html"));
    let mut commands: Vec<String> = beside.iter().flat_map(|beside| beside.commands()).collect();
    let is_anonymized = beside.is_some_and(|beside| beside.is_anonymized);
    if !is_anonymized {
        commands.extend([page, analyze("json")]);
    }
    let mut causes: Vec<&str> = report
        .findings
        .iter()
        .map(|found| found.id.as_str())
        .collect();
    causes.truncate(FILES);
    if !causes.is_empty() {
        commands.push(format!(
            "fraglens explain {}",
            clipped(&causes.join(" "), LINE)
        ));
    }
    let mut lead = beside.map_or_else(String::new, |beside| format!("{} ", beside.words()));
    if !is_anonymized {
        lead.push_str("With the options in effect, defaults included.");
    }
    if report.benchmark.is_some() {
        lead.push_str(" What a benchmark printed was given with --benchmark.");
    }
    if report
        .kernel_counters
        .iter()
        .any(|counter| counter.is_difference)
    {
        lead.push_str(" What the kernel counted was given with --nstat, or read by a watch.");
    }
    Some(Section::of(
        "repeat",
        "How to repeat it",
        lead,
        Part::Commands(shell::fitting(commands, COMMAND_BYTES)),
    ))
}

/// The options in effect as they are typed.
fn options(report: &Report) -> Vec<String> {
    let options = &report.options;
    let mut typed = Vec::new();
    let ports = |name: &str, ports: &[u16]| {
        let unknown = ports.iter().filter(|port| !KNOWN_PORTS.contains(port));
        unknown
            .map(|port| format!("{name} {port}"))
            .collect::<Vec<_>>()
    };
    typed.extend(ports("--vxlan-port", &options.vxlan_ports));
    typed.extend(ports("--geneve-port", &options.geneve_ports));
    if !options.auto_tunnel {
        typed.push("--no-auto-tunnel".to_owned());
    }
    // Without the option, the two differ.
    if options.reassembly_timeout_ipv4_seconds == options.reassembly_timeout_ipv6_seconds {
        let time = time(options.reassembly_timeout_ipv4_seconds);
        typed.push(format!("--reassembly-timeout {time}"));
    }
    typed.push(format!(
        "--reassembly-memory {}",
        size(options.reassembly_memory_bytes)
    ));
    typed.push(format!(
        "--timeline-bucket {}",
        time(options.timeline_bucket_seconds)
    ));
    typed.push(format!(
        "--sort {} --top {}",
        sort(options),
        options.top.unwrap_or(0)
    ));
    for receiver in one_of_each_family(&report.receivers) {
        for (name, value) in &receiver.settings {
            typed.extend(of_receiver(name, *value).filter(|option| !typed.contains(option)));
        }
    }
    typed
}

/// All receivers of a family have the same settings.
fn one_of_each_family(receivers: &[Receiver]) -> Vec<&Receiver> {
    let first = |is_v4: bool| {
        let mut receivers = receivers.iter();
        receivers.find(|receiver| receiver.address.is_ipv4() == is_v4)
    };
    first(true).into_iter().chain(first(false)).collect()
}

/// The option for a kernel setting; `None` if there is none.
fn of_receiver(name: &str, value: u64) -> Option<String> {
    let value = match name {
        "net.ipv4.ipfrag_time" => format!("--ipfrag-time {value}s"),
        "net.ipv4.ipfrag_high_thresh" => format!("--ipfrag-high-thresh {}", size(value)),
        "net.ipv4.ipfrag_max_dist" => format!("--ipfrag-max-dist {value}"),
        "net.ipv6.ip6frag_time" => format!("--ip6frag-time {value}s"),
        "net.ipv6.ip6frag_high_thresh" => format!("--ip6frag-high-thresh {}", size(value)),
        "fragment_truesize" => format!("--fragment-truesize {value}"),
        "kernel_hz" => format!("--kernel-hz {value}"),
        _ => return None,
    };
    Some(value)
}

fn sort(options: &Options) -> &'static str {
    match options.sort {
        Sort::Missing => "missing",
        Sort::Bytes => "bytes",
        Sort::Packets => "packets",
        Sort::Fragments => "fragments",
        Sort::Bad => "bad",
    }
}

/// `30s`, `500ms`.
fn time(seconds: f64) -> String {
    if seconds.fract() == 0.0 {
        format!("{seconds}s")
    } else {
        format!("{}ms", (seconds * 1e3).round())
    }
}

/// `64MiB`, or bytes where that would not be all of it.
fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes > 0 && bytes % (1 << 20) == 0 => format!("{}MiB", bytes >> 20),
        bytes => bytes.to_string(),
    }
}

/// The files and the filter.
fn inputs(report: &Report) -> String {
    let files = &report.capture.files;
    let shown = files.iter().take(FILES);
    let mut words: Vec<String> = shown.map(|file| shell::path(&file.path)).collect();
    if files.len() > FILES {
        words.push("…".to_owned());
    }
    if let Some(filter) = &report.options.filter {
        words.insert(0, format!("--filter {}", shell::word(filter)));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn options_are_those_in_effect() {
        let mut report = samples::with_finding();
        report.options.vxlan_ports.push(5799);
        report.options.auto_tunnel = false;
        report.options.reassembly_timeout_ipv6_seconds = 30.0;
        report.options.timeline_bucket_seconds = 0.1;
        report.receivers[0].settings = [
            ("kernel_hz".to_owned(), 250),
            ("net.ipv4.ipfrag_high_thresh".to_owned(), 4 << 20),
        ]
        .into();
        assert_eq!(
            options(&report).join(" "),
            "--vxlan-port 5799 --no-auto-tunnel --reassembly-timeout 30s --reassembly-memory 64MiB \
             --timeline-bucket 100ms --sort missing --top 10 --kernel-hz 250 \
             --ipfrag-high-thresh 4MiB"
        );
    }
}
