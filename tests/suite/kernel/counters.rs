//! What a kernel counts about reassembly, read through a process in its namespace.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Sub;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V4,
    V6,
}

/// `IpReasm*` or `Ip6Reasm*`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub fragments: u64,
    pub reassembled: u64,
    pub failed: u64,
    pub timed_out: u64,
    /// Counted for IPv4 only.
    pub overlaps: u64,
}

impl Counters {
    pub fn read(process: u32, version: Version) -> Self {
        let of = |file: &str| read(process, file);
        let (numbers, prefix) = match version {
            Version::V4 => {
                let mut numbers = titled(&of("snmp"));
                numbers.extend(titled(&of("netstat")));
                (numbers, "Ip:")
            }
            Version::V6 => (listed(&of("snmp6")), "Ip6"),
        };
        let number = |name: &str| {
            let found = numbers.get(&format!("{prefix}Reasm{name}"));
            *found.unwrap_or_else(|| panic!("the kernel has no {prefix}Reasm{name}"))
        };
        Self {
            fragments: number("Reqds"),
            reassembled: number("OKs"),
            failed: number("Fails"),
            timed_out: number("Timeout"),
            overlaps: numbers.get("IpExt:ReasmOverlaps").copied().unwrap_or(0),
        }
    }
}

impl Sub for Counters {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            fragments: self.fragments - before.fragments,
            reassembled: self.reassembled - before.reassembled,
            failed: self.failed - before.failed,
            timed_out: self.timed_out - before.timed_out,
            overlaps: self.overlaps - before.overlaps,
        }
    }
}

/// What the kernel of a process counts of IP and UDP, as a user would paste it.
pub fn pasted(process: u32, version: Version) -> String {
    match version {
        Version::V4 => read(process, "snmp"),
        Version::V6 => read(process, "snmp6"),
    }
}

/// Bytes charged to unfinished datagrams now.
pub fn memory(process: u32, version: Version) -> u64 {
    let (file, line) = match version {
        Version::V4 => ("sockstat", "FRAG:"),
        Version::V6 => ("sockstat6", "FRAG6:"),
    };
    let text = read(process, file);
    let found = text.lines().find(|text| text.starts_with(line));
    let found = found.and_then(|text| text.split_whitespace().last());
    number(found.expect("the kernel has a memory counter"))
}

fn read(process: u32, file: &str) -> String {
    let path = format!("/proc/{process}/net/{file}");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Pairs of lines: `Ip: name name`, `Ip: 1 2`.
fn titled(text: &str) -> BTreeMap<String, u64> {
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let mut all = BTreeMap::new();
    for pair in lines.chunks_exact(2) {
        for (name, value) in pair[0].iter().zip(&pair[1]).skip(1) {
            // Some have -1 for "no limit"; none of those is wanted.
            if let Ok(value) = value.parse() {
                all.insert(format!("{}{name}", pair[0][0]), value);
            }
        }
    }
    all
}

/// Lines of a name and a number.
fn listed(text: &str) -> BTreeMap<String, u64> {
    let pairs = text.lines().map(|line| line.split_whitespace());
    let mut pairs = pairs.map(|mut words| (words.next(), words.next()));
    std::iter::from_fn(|| pairs.next())
        .map(|(name, value)| {
            (
                name.expect("a name").to_owned(),
                number(value.expect("a number")),
            )
        })
        .collect()
}

fn number<T: FromStr>(text: &str) -> T {
    let parsed = text.parse().ok();
    parsed.unwrap_or_else(|| panic!("{text} is no number"))
}
