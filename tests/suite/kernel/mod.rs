//! The receiver model against a real Linux kernel: traffic between network namespaces
//! loses fragments at random, and what fraglens predicts from a capture at the receiver
//! is held against what that kernel counted.

mod counters;
mod network;
mod scenario;

use crate::support::{count, fraglens, none};
use counters::Version;
use flate2::read::GzDecoder;
use scenario::{Load, Outcome, Scenario};
use serde_json::Value;
use std::fs;
use std::io::Read;

/// How often a scenario is repeated whose capture lost something.
const ATTEMPTS: usize = 3;

/// A prediction may be off by a twentieth or by this many.
const FEW: u64 = 5;

fn messages(bytes: u32, mbits: u32, seconds: f32, lost_per_mille: u32) -> Load {
    Load::Messages {
        bytes,
        mbits,
        seconds,
        lost_per_mille,
    }
}

fn fragments(pattern: &'static str, times: u32, quiet_seconds: f32) -> Load {
    Load::Fragments {
        pattern,
        times,
        quiet_seconds,
    }
}

/// Room where memory fills up and timers empty it, again and again. When exactly they
/// do depends on the state of the kernel's timer wheel, which no capture tells, and how
/// many datagrams then pass depends on that alone: their number is not compared.
const TIMER_ROOM_PERCENT: u64 = 20;

fn scenarios() -> Vec<Scenario> {
    let scenario = |name, load| Scenario {
        name,
        version: Version::V4,
        load,
        parameters: &[],
        options: &[],
        pasted: false,
        room_percent: 5,
    };
    vec![
        scenario("3 % lost at defaults", messages(65_507, 1_000, 3.0, 30)),
        Scenario {
            parameters: &["net.ipv4.ipfrag_time=2"],
            options: &["--ipfrag-time", "2s"],
            room_percent: TIMER_ROOM_PERCENT,
            ..scenario("0.5 % lost, 2 s", messages(65_507, 150, 6.0, 5))
        },
        scenario("two fragments each", messages(2_800, 300, 2.0, 2)),
        Scenario {
            parameters: &[
                "net.ipv4.ipfrag_low_thresh=196608",
                "net.ipv4.ipfrag_high_thresh=262144",
                "net.ipv4.ipfrag_time=1",
            ],
            options: &["--ipfrag-high-thresh", "262144", "--ipfrag-time", "1s"],
            room_percent: TIMER_ROOM_PERCENT,
            ..scenario("256 KiB, 1 s", messages(8_192, 40, 4.5, 10))
        },
        Scenario {
            parameters: &["net.ipv4.ipfrag_time=1"],
            pasted: true,
            ..scenario("pasted settings", messages(8_192, 100, 2.5, 10))
        },
        Scenario {
            parameters: &["net.ipv4.ipfrag_time=1"],
            options: &["--ipfrag-time", "1s"],
            ..scenario("far apart", fragments("distance", 20, 1.5))
        },
        Scenario {
            parameters: &["net.ipv4.ipfrag_max_dist=0"],
            options: &["--ipfrag-max-dist", "0"],
            ..scenario("no max_dist", fragments("distance", 20, 0.0))
        },
        Scenario {
            parameters: &["net.ipv4.ipfrag_time=1"],
            options: &["--ipfrag-time", "1s"],
            ..scenario("overlaps", fragments("overlap", 20, 1.5))
        },
        scenario("duplicates", fragments("duplicate", 20, 0.0)),
        Scenario {
            version: Version::V6,
            parameters: &["net.ipv6.ip6frag_time=2"],
            options: &["--ip6frag-time", "2s"],
            room_percent: TIMER_ROOM_PERCENT,
            ..scenario("IPv6, 2 s", messages(65_487, 150, 5.0, 5))
        },
        Scenario {
            version: Version::V6,
            parameters: &["net.ipv6.ip6frag_time=1"],
            options: &["--ip6frag-time", "1s"],
            ..scenario("IPv6 overlaps", fragments("overlap", 20, 1.5))
        },
    ]
}

/// One after the other: they would disturb each other.
#[test]
fn a_kernel_counts_what_the_receiver_model_predicts() {
    let hz = kernel_hz();
    let mut faults = Vec::new();
    eprintln!(
        "{:22} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>5} {:>9} {:>9} {:>6}",
        "kernel",
        "Reqds",
        "OKs",
        "Fails",
        "Timeout",
        "Overlap",
        "captured",
        "lost",
        "mem seen",
        "mem end",
        "s"
    );
    for scenario in scenarios() {
        match captured_whole(&scenario) {
            Ok(outcome) => faults.extend(differences(&scenario, &outcome, hz.as_deref())),
            Err(fault) => faults.push(fault),
        }
    }
    none(&faults);
}

/// Runs it until the capture has everything that the kernel counted.
fn captured_whole(scenario: &Scenario) -> Result<Outcome, String> {
    for _ in 0..ATTEMPTS {
        let outcome = scenario.run();
        let report = analyze(&outcome, &[])?;
        let captured = count(&report, "totals.fragments.total");
        print_row(scenario, &outcome, captured);
        if outcome.capture_lost == 0 && captured == outcome.kernel.fragments {
            return Ok(outcome);
        }
    }
    Err(format!(
        "{}: {ATTEMPTS} captures lost something, so nothing can be compared; the machine may be too busy",
        scenario.name
    ))
}

fn print_row(scenario: &Scenario, outcome: &Outcome, captured: u64) {
    let kernel = outcome.kernel;
    eprintln!(
        "{:22} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>5} {:>9} {:>9} {:>6.1}",
        scenario.name,
        kernel.fragments,
        kernel.reassembled,
        kernel.failed,
        kernel.timed_out,
        kernel.overlaps,
        captured,
        outcome.capture_lost,
        outcome.memory_seen,
        outcome.memory_at_end,
        outcome.took.as_secs_f32()
    );
}

/// The report of the program, or what it said instead.
fn analyze(outcome: &Outcome, options: &[&str]) -> Result<Value, String> {
    let words = ["analyze", "--quiet", "--format", "json"];
    let output = fraglens()
        .args(words)
        .args(options)
        .arg(&outcome.capture)
        .output()
        .expect("fraglens starts");
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or_default();
        return Err(format!("fraglens analyze {}: {said}", options.join(" ")));
    }
    Ok(serde_json::from_slice(&output.stdout).expect("the report is JSON"))
}

/// Where the prediction is not what the kernel counted.
fn differences(scenario: &Scenario, outcome: &Outcome, hz: Option<&str>) -> Vec<String> {
    let settings = outcome.settings.to_str().expect("the path is text");
    let mut options = scenario.options.to_vec();
    if scenario.pasted {
        options.extend(["--receiver-settings", settings]);
    }
    if let Some(hz) = hz {
        options.extend(["--kernel-hz", hz]);
    }
    let predicted = match prediction(scenario, outcome, &options) {
        Ok(predicted) => predicted,
        Err(fault) => return vec![format!("{}: {fault}", scenario.name)],
    };
    let kernel = outcome.kernel;
    let pairs = [
        ("fragments", kernel.fragments),
        ("reassembled", kernel.reassembled),
        ("failed", kernel.failed),
        ("timed_out", kernel.timed_out),
    ];
    let is_compared = |field: &str| field != "reassembled" || scenario.counts_datagrams();
    let pairs = pairs.into_iter().filter(|(field, _)| is_compared(field));
    let wrong = pairs.filter_map(|(field, counted)| {
        let told = predicted[field].as_u64();
        let right = told.is_some_and(|told| scenario.agree(told, counted));
        let told = told.map_or("nothing".to_owned(), |told| told.to_string());
        (!right).then(|| {
            format!(
                "{}: predicted.{field} is {told}, the kernel counted {counted}",
                scenario.name
            )
        })
    });
    wrong.collect()
}

/// What fraglens predicts for the receiver.
fn prediction(scenario: &Scenario, outcome: &Outcome, options: &[&str]) -> Result<Value, String> {
    let report = analyze(outcome, options)?;
    let receivers = report["receivers"].as_array();
    let receivers = receivers.ok_or("the report has no list `receivers`")?;
    let of_address = |receiver: &&Value| receiver["address"] == scenario.receiver();
    let receiver = receivers.iter().find(of_address).ok_or_else(|| {
        let many = receivers.len();
        format!(
            "no prediction for {}: `receivers` has {many} entries",
            scenario.receiver()
        )
    })?;
    Ok(receiver["predicted"].clone())
}

impl Scenario {
    /// Whether the number of datagrams put together is the model's to tell.
    fn counts_datagrams(&self) -> bool {
        self.room_percent < TIMER_ROOM_PERCENT
    }

    /// Random loss leaves room for what happened at the same moment; fragments made by
    /// hand do not.
    fn agree(&self, predicted: u64, counted: u64) -> bool {
        let room = match self.load {
            Load::Messages { .. } => FEW.max(counted * self.room_percent / 100),
            Load::Fragments { .. } => 0,
        };
        predicted.abs_diff(counted) <= room
    }
}

/// Timer ticks a second of this kernel, if it says how it was configured.
fn kernel_hz() -> Option<String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let in_boot = fs::read_to_string(format!("/boot/config-{}", release.trim())).ok();
    let configuration = in_boot.or_else(|| {
        let mut text = String::new();
        let packed = fs::File::open("/proc/config.gz").ok()?;
        GzDecoder::new(packed).read_to_string(&mut text).ok()?;
        Some(text)
    })?;
    let line = |line: &str| line.strip_prefix("CONFIG_HZ=").map(str::to_owned);
    configuration.lines().find_map(line)
}
