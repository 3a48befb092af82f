//! What the kernel of this host has counted, at one moment.

use crate::model::Timestamp;
use crate::witness::{self, Counted, KernelCounters};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

/// What the kernel has counted in the network namespace of this process since it was
/// made, and how much its fragments may take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// When it was read, by the clock of whoever read it.
    pub at: Timestamp,
    /// Values under the names of [`KernelCounters`]; at most
    /// [`MAX_COUNTERS`](witness::MAX_COUNTERS).
    pub counters: BTreeMap<String, u64>,
    /// What the kernel lets IPv4 fragments do.
    pub ipv4: FragmentLimits,
    /// What the kernel lets IPv6 fragments do.
    pub ipv6: FragmentLimits,
}

/// What a kernel lets the fragments of unfinished datagrams do; `None` where it has no
/// such setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentLimits {
    /// Bytes of memory beyond which they are refused (`ipfrag_high_thresh`,
    /// `ip6frag_high_thresh`).
    pub memory_bytes: Option<u64>,
    /// How long they are kept (`ipfrag_time`, `ip6frag_time`).
    pub time: Option<Duration>,
}

/// Reads the counters of this host.
///
/// # Errors
///
/// The kernel has no such files, or other ones than it should.
pub fn read(at: Timestamp) -> io::Result<Reading> {
    Files::of_kernel().read(at)
}

impl Reading {
    /// Bytes that the fragments of unfinished datagrams take, IPv4 and IPv6 together.
    pub fn fragment_memory_bytes(&self) -> Option<u64> {
        let taken = |name| self.counters.get(name).copied();
        let (ipv4, ipv6) = (
            taken("sockstat.FRAG.memory"),
            taken("sockstat.FRAG6.memory"),
        );
        ipv4.or(ipv6)?;
        Some(ipv4.unwrap_or(0).saturating_add(ipv6.unwrap_or(0)))
    }
}

/// What was counted from one moment to another. Counters that one of them lacks are left
/// out: nothing says what they were then.
pub fn between(earlier: &Reading, later: &Reading) -> KernelCounters {
    let values = later.counters.iter().filter_map(|(name, &last)| {
        let counted = Counted {
            first: *earlier.counters.get(name)?,
            last,
            snapshots: 2,
        };
        Some((name.clone(), counted))
    });
    let nanoseconds = u64::try_from(later.at.0.saturating_sub(earlier.at.0));
    KernelCounters {
        values: values.collect(),
        duration: nanoseconds.ok().map(Duration::from_nanos),
    }
}

/// Where the kernel shows its counters and settings.
struct Files {
    /// `/proc/self/net`: of the namespace that the process is in.
    counters: PathBuf,
    /// `/proc/sys/net`: of the namespace of whoever opens a file there.
    settings: PathBuf,
}

/// Every kernel has the first; the others depend on how it was built and booted.
const COUNTERS: [&str; 5] = ["snmp", "snmp6", "netstat", "sockstat", "sockstat6"];

impl Files {
    fn of_kernel() -> Self {
        Self {
            counters: PathBuf::from("/proc/self/net"),
            settings: PathBuf::from("/proc/sys/net"),
        }
    }

    fn read(&self, at: Timestamp) -> io::Result<Reading> {
        let mut text = String::new();
        for (index, name) in COUNTERS.iter().enumerate() {
            let path = self.counters.join(name);
            match fs::read_to_string(&path) {
                Ok(part) => text.push_str(&part),
                Err(error) if index > 0 && error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(about(&path, error.kind(), &error)),
            }
        }
        let counters = witness::kernel_counters(&text)
            .map_err(|error| about(&self.counters, io::ErrorKind::InvalidData, &error))?;
        let values = counters.values.into_iter();
        Ok(Reading {
            at,
            counters: values.map(|(name, value)| (name, value.last)).collect(),
            ipv4: self.limits("ipv4/ipfrag_high_thresh", "ipv4/ipfrag_time"),
            ipv6: self.limits("ipv6/ip6frag_high_thresh", "ipv6/ip6frag_time"),
        })
    }

    fn limits(&self, memory: &str, time: &str) -> FragmentLimits {
        FragmentLimits {
            memory_bytes: self.setting(memory),
            time: self.setting(time).map(Duration::from_secs),
        }
    }

    fn setting(&self, name: &str) -> Option<u64> {
        let text = fs::read_to_string(self.settings.join(name)).ok()?;
        text.trim().parse().ok()
    }
}

fn about(path: &Path, kind: io::ErrorKind, error: &dyn std::error::Error) -> io::Error {
    io::Error::new(kind, format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1_000_000_000)
    }

    /// A kernel that shows these files and nothing else.
    fn kernel(files: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let files = Files {
            counters: folder.path().to_owned(),
            settings: folder.path().join("sys"),
        };
        (folder, files)
    }

    const SNMP: &str = "Ip: Forwarding ReasmFails\nIp: 1 7\nUdp: RcvbufErrors\nUdp: 12\n";

    #[test]
    fn all_files_are_one_reading() {
        let (_folder, files) = kernel(&[
            ("snmp", SNMP),
            ("snmp6", "Ip6ReasmFails                   \t3\n"),
            ("netstat", "IpExt: InNoRoutes ReasmOverlaps\nIpExt: 0 5\n"),
            ("sockstat", "sockets: used 9\nFRAG: inuse 2 memory 4096\n"),
            ("sockstat6", "FRAG6: inuse 1 memory 1000\n"),
            ("sys/ipv4/ipfrag_high_thresh", "4194304\n"),
            ("sys/ipv4/ipfrag_time", "30\n"),
        ]);
        let reading = files.read(at(5)).unwrap();
        let of = |name: &str| reading.counters.get(name).copied();
        assert_eq!(of("IpReasmFails"), Some(7));
        assert_eq!(of("UdpRcvbufErrors"), Some(12));
        assert_eq!(of("Ip6ReasmFails"), Some(3));
        assert_eq!(of("IpExtReasmOverlaps"), Some(5));
        assert_eq!(reading.fragment_memory_bytes(), Some(5096));
        assert_eq!(reading.ipv4.memory_bytes, Some(4 << 20));
        assert_eq!(reading.ipv4.time, Some(Duration::from_secs(30)));
        assert_eq!(reading.ipv6, FragmentLimits::default());
        assert_eq!(reading.at, at(5));
    }

    #[test]
    fn a_kernel_without_ipv6_has_counters_and_one_without_any_has_none() {
        let (_folder, files) = kernel(&[("snmp", SNMP)]);
        let reading = files.read(at(0)).unwrap();
        assert_eq!(reading.fragment_memory_bytes(), None);
        assert_eq!(reading.ipv4, FragmentLimits::default());

        let (folder, files) = kernel(&[]);
        let error = files.read(at(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let path = folder.path().join("snmp").display().to_string();
        assert!(error.to_string().contains(&path), "{error}");

        let (_folder, files) = kernel(&[("snmp", "Ip: A B\nIp: 1\n")]);
        let error = files.read(at(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn this_kernel_counts_what_is_looked_for() {
        let reading = read(at(0)).unwrap();
        for name in ["IpReasmFails", "UdpRcvbufErrors", "TcpInCsumErrors"] {
            assert!(reading.counters.contains_key(name), "{name}");
        }
        assert!(reading.fragment_memory_bytes().is_some());
        assert!(reading.ipv4.memory_bytes.is_some());
    }

    #[test]
    fn this_kernel_counts_what_no_socket_has_room_for() {
        let deaf = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let sender = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let before = read(at(0)).unwrap();
        // More than any default of `net.core.rmem_default` holds.
        for _ in 0..20_000 {
            sender
                .send_to(&[0; 1400], deaf.local_addr().unwrap())
                .unwrap();
        }
        let counted = between(&before, &read(at(3)).unwrap());
        assert!(counted.growth("UdpRcvbufErrors") > Some(0));
        assert_eq!(counted.duration, Some(Duration::from_secs(3)));
    }

    #[test]
    fn what_grew_is_known_only_of_what_was_read_twice() {
        let reading = |seconds, values: &[(&str, u64)]| Reading {
            at: at(seconds),
            counters: values
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
            ..Reading::default()
        };
        let earlier = reading(10, &[("UdpRcvbufErrors", 100)]);
        let later = reading(13, &[("UdpRcvbufErrors", 6688), ("IpReasmFails", 4)]);
        let counted = between(&earlier, &later);
        assert_eq!(counted.growth("UdpRcvbufErrors"), Some(6588));
        assert!(counted.is_difference("UdpRcvbufErrors"));
        assert_eq!(counted.growth("IpReasmFails"), None);
        assert_eq!(counted.duration, Some(Duration::from_secs(3)));
        // The clock was set back.
        assert_eq!(between(&later, &earlier).duration, None);
    }
}
