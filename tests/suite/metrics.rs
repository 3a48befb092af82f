//! The metrics of a watch, as a real Prometheus scrapes, stores and judges them.

use crate::support::{Setup, in_repository, none, pcap};
use fraglens::host::Statistics;
use fraglens::watch::metrics::{Metrics, Server};
use fraglens::watch::{
    Active, Captured, Capturing, Host, HostCounter, Rates, Reassembly, Snapshot, Totals,
};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a watch would know after the capture of a path that loses fragments.
fn snapshot() -> Snapshot {
    let window = Setup::default().files(&[pcap("netperf-loss3.pcap.zst")]);
    let now = window.capture.last_timestamp.expect("there are frames");
    let captured = |name: &str, state, dropped| Captured {
        name: name.to_owned(),
        state,
        frames: window.capture.frames,
        received: window.capture.frames + dropped,
        dropped,
        ..Captured::default()
    };
    Snapshot {
        timestamp: now,
        elapsed_seconds: 10.0,
        interval_seconds: 1.0,
        rates: Rates::default(),
        totals: Totals {
            frames: window.capture.frames,
            bytes: window.capture.bytes,
            deliverable_bytes: window.throughput.deliverable_bytes,
            counters: window.totals,
        },
        captured: vec![
            captured("eth0", Capturing::Live, 0),
            captured("evil\u{1b}[2J\"\\", Capturing::Gone, 7),
        ],
        reassembly: Reassembly {
            open_datagrams: 3,
            memory_bytes: 1 << 20,
            memory_limit_bytes: 64 << 20,
            flows: window.flows_total,
        },
        host: Some(Host {
            counters: vec![HostCounter {
                name: "IpReasmFails".to_owned(),
                since_start: 4_711,
                per_second: 11.0,
            }],
            fragment_memory_bytes: Some(4_000_000),
            fragment_memory_limit_bytes: Some(4_194_304),
            interface_counts: vec![Statistics {
                name: "eth0".to_owned(),
                ..Statistics::default()
            }],
            interfaces: Vec::new(),
        }),
        findings: window
            .findings
            .iter()
            .map(|finding| Active {
                since: now,
                finding: finding.clone(),
            })
            .collect(),
        window,
        recorder: None,
        window_seconds: 8.0,
    }
}

fn metrics(snapshot: &Snapshot) -> Arc<Metrics> {
    let metrics = Metrics::new(5);
    metrics.update(snapshot);
    Arc::new(metrics)
}

/// A Prometheus of its own, which is gone when this is dropped.
struct Prometheus {
    process: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Prometheus {
    /// With the configuration in the docs, but for the target and the pace.
    fn start(target: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = document("docs/prometheus/prometheus.yml")
            .replace("127.0.0.1:9464", &target.to_string())
            .replace("15s", "1s");
        fs::write(folder.path().join("prometheus.yml"), config).unwrap();
        let rules = document("docs/prometheus/alerts.yml");
        fs::write(folder.path().join("alerts.yml"), rules).unwrap();
        let address = free_address();
        let process = Command::new("prometheus")
            .current_dir(folder.path())
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .arg(format!("--web.listen-address={address}"))
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.path().join("log")).unwrap())
            .spawn()
            .expect("prometheus starts; scripts/setup test installs it");
        Self {
            process,
            address,
            _folder: folder,
        }
    }

    /// What its API says; `None` while it does not say anything.
    fn ask(&self, path: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        // In HTTP/1.0 nothing comes in chunks.
        write!(stream, "GET /api/v1/{path} HTTP/1.0\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        serde_json::from_str(body).ok()
    }

    /// The series an expression has now, or what is wrong with it.
    fn query(&self, expression: &str) -> Result<Vec<Value>, String> {
        let answer = self
            .ask(&format!("query?query={}", escaped(expression)))
            .ok_or("no answer")?;
        match answer["data"]["result"].as_array() {
            Some(series) => Ok(series.clone()),
            None => Err(answer.to_string()),
        }
    }

    /// The value of the only series.
    fn value(&self, expression: &str) -> f64 {
        let series = self.query(expression).unwrap();
        assert_eq!(series.len(), 1, "{expression}: {series:?}");
        series[0]["value"][1].as_str().unwrap().parse().unwrap()
    }

    /// Waits until an expression has a result.
    fn wait_for(&mut self, expression: &str) {
        let begin = Instant::now();
        while !self
            .query(expression)
            .is_ok_and(|series| !series.is_empty())
        {
            let ended = self.process.try_wait().unwrap();
            assert!(ended.is_none(), "prometheus ended: {ended:?}");
            assert!(begin.elapsed() < PATIENCE, "never: {expression}");
            thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn document(path: &str) -> String {
    fs::read_to_string(in_repository(path)).unwrap()
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// Text within a URL (RFC 3986 section 2.1).
fn escaped(text: &str) -> String {
    let bytes = text.bytes();
    bytes.map(|byte| format!("%{byte:02X}")).collect()
}

/// Every expression of the dashboard, as Grafana would send it.
fn dashboard_expressions(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("expr").and_then(Value::as_str);
            let own = own.map(|expression| {
                expression
                    .replace("$__rate_interval", "1m")
                    .replace("$instance", ".*")
            });
            own.into_iter()
                .chain(fields.values().flat_map(dashboard_expressions))
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(dashboard_expressions).collect(),
        _ => Vec::new(),
    }
}

fn promtool(arguments: &[&str], input: &str) -> Result<(), String> {
    let mut process = Command::new("promtool")
        .args(arguments)
        .current_dir(in_repository("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool starts; scripts/setup test installs it");
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = process.wait_with_output().unwrap();
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!(
        "promtool {arguments:?}: {}",
        String::from_utf8_lossy(&said)
    ))
}

#[test]
fn prometheus_scrapes_what_a_watch_sees() {
    let snapshot = snapshot();
    let server = Server::start(([127, 0, 0, 1], 0).into(), metrics(&snapshot)).unwrap();
    let mut prometheus = Prometheus::start(server.address());
    // Rates need two scrapes, rules one evaluation.
    prometheus.wait_for("count_over_time(fraglens_frames_total[1m]) > 2");

    let counters = &snapshot.totals.counters;
    let frames = snapshot.totals.frames;
    for (expression, expected) in [
        ("up{job=\"fraglens\"}", 1),
        ("fraglens_build_info", 1),
        ("fraglens_frames_total", frames),
        ("fraglens_frame_bytes_total", snapshot.totals.bytes),
        ("sum(fraglens_fragments_total)", counters.fragments.total),
        (
            "fraglens_datagrams_total{outcome=\"reassembled\"}",
            counters.datagrams.reassembled,
        ),
        ("fraglens_capture_frames_total{interface=\"eth0\"}", frames),
        // The escape of the sample is plain text with a backslash in it.
        (
            r#"fraglens_capture_dropped_frames_total{interface="evil\\u{1b}[2J\"\\"}"#,
            7,
        ),
        ("fraglens_capture_state{state=\"gone\"} == 1", 1),
        ("fraglens_host_counter_total{name=\"IpReasmFails\"}", 4_711),
        (
            "count(fraglens_finding_active == 1)",
            snapshot.findings.len() as u64,
        ),
    ] {
        assert_eq!(
            prometheus.value(expression),
            expected as f64,
            "{expression}"
        );
    }
    assert!(!snapshot.findings.is_empty(), "nothing is active");
    for finding in snapshot.findings {
        let expression = format!(
            "fraglens_finding_active{{id=\"{}\"}} == 1",
            finding.finding.id
        );
        assert_eq!(prometheus.value(&expression), 1.0);
    }
    every_rule_is_healthy(&prometheus);
    every_panel_has_data(&prometheus);
}

fn every_rule_is_healthy(prometheus: &Prometheus) {
    let rules = prometheus.ask("rules").unwrap();
    let rules = rules["data"]["groups"][0]["rules"].as_array().unwrap();
    assert!(rules.len() > 10, "{rules:?}");
    for rule in rules {
        assert_eq!(rule["health"], "ok", "{rule}");
    }
}

fn every_panel_has_data(prometheus: &Prometheus) {
    let dashboard: Value = serde_json::from_str(&document("docs/grafana/fraglens.json")).unwrap();
    let expressions = dashboard_expressions(&dashboard);
    assert!(expressions.len() > 20, "{expressions:?}");
    let faults: Vec<String> = expressions
        .iter()
        .filter_map(|expression| match prometheus.query(expression) {
            Ok(series) if series.is_empty() => Some(format!("no data: {expression}")),
            Ok(_) => None,
            Err(error) => Some(format!("{expression}: {error}")),
        })
        .collect();
    none(&faults);
}

#[test]
fn every_alert_fires_when_it_should() {
    for check in [
        ["check", "config", "docs/prometheus/prometheus.yml"],
        ["check", "rules", "docs/prometheus/alerts.yml"],
        ["test", "rules", "tests/prometheus/alerts_test.yml"],
    ] {
        promtool(&check, "").unwrap();
    }
    let tests = document("tests/prometheus/alerts_test.yml");
    for line in document("docs/prometheus/alerts.yml").lines() {
        if let Some(name) = line.trim().strip_prefix("- alert: ") {
            let tested = format!("- alertname: {name}\n");
            assert!(
                tests.matches(&tested).count() >= 2,
                "{name} is not tested both ways"
            );
        }
    }
}

#[test]
fn names_and_units_are_those_prometheus_asks_for() {
    let mut text = String::new();
    metrics(&snapshot()).encode(&mut text).unwrap();
    // promtool reads the older format only, in which the suffix belongs to the name.
    let older: Vec<String> = text
        .lines()
        .filter(|line| !line.starts_with("# UNIT") && *line != "# EOF")
        // What a kernel has are counters, too; promtool takes the word for the type.
        .filter(|line| !line.contains("fraglens_host_counter"))
        .map(|line| older(line, &text))
        .collect();
    promtool(&["check", "metrics"], &format!("{}\n", older.join("\n"))).unwrap();
}

fn older(line: &str, text: &str) -> String {
    let words: Vec<&str> = line.splitn(4, ' ').collect();
    let ["#", keyword, name, rest] = words[..] else {
        return line.to_owned();
    };
    let is = |kind: &str| text.contains(&format!("# TYPE {name} {kind}\n"));
    match (is("counter"), is("info")) {
        (true, _) => format!("# {keyword} {name}_total {rest}"),
        (_, true) => format!("# {keyword} {name}_info {}", rest.replace("info", "gauge")),
        _ => line.to_owned(),
    }
}
