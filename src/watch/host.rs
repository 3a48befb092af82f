//! What the kernel of this host says, from one moment to another.

use super::{Host, HostCounter};
use crate::host::{Interface, Reading, Statistics};
use std::collections::BTreeSet;

/// What was read of this host at one moment.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// The counters of its network namespace.
    pub reading: Reading,
    /// Those of its interfaces.
    pub statistics: Vec<Statistics>,
}

/// The name of the device that captures on all interfaces.
const ALL: &str = "any";

/// Counters that bear on what is captured, in the order of nstat.
const SHOWN: [&str; 35] = [
    "IpInHdrErrors",
    "IpInDiscards",
    "IpOutDiscards",
    "IpReasmTimeout",
    "IpReasmReqds",
    "IpReasmOKs",
    "IpReasmFails",
    "IpFragOKs",
    "IpFragFails",
    "IpFragCreates",
    "TcpRetransSegs",
    "TcpInErrs",
    "TcpInCsumErrors",
    "UdpInDatagrams",
    "UdpNoPorts",
    "UdpInErrors",
    "UdpRcvbufErrors",
    "UdpSndbufErrors",
    "UdpInCsumErrors",
    "UdpMemErrors",
    "Ip6InDiscards",
    "Ip6ReasmTimeout",
    "Ip6ReasmReqds",
    "Ip6ReasmOKs",
    "Ip6ReasmFails",
    "Ip6FragOKs",
    "Ip6FragFails",
    "Ip6FragCreates",
    "Udp6InDatagrams",
    "Udp6NoPorts",
    "Udp6InErrors",
    "Udp6RcvbufErrors",
    "Udp6InCsumErrors",
    "IpExtReasmOverlaps",
    "IpExtInCsumErrors",
];

/// What the kernel says of the interfaces `captured` on, and of the whole namespace:
/// `start` is when capturing began, `previous` the moment before `now`.
pub fn host(
    start: &Moment,
    previous: &Moment,
    now: &Moment,
    interfaces: &[Interface],
    captured: &[String],
) -> Host {
    Host {
        counters: counters(&start.reading, &previous.reading, &now.reading),
        fragment_memory_bytes: now.reading.fragment_memory_bytes(),
        fragment_memory_limit_bytes: now.reading.ipv4.memory_bytes,
        interface_counts: counts(&start.statistics, &now.statistics, captured),
        interfaces: connected(interfaces, captured),
    }
}

fn counters(start: &Reading, previous: &Reading, now: &Reading) -> Vec<HostCounter> {
    let seconds = (now.at - previous.at).as_secs_f64();
    let known = SHOWN
        .iter()
        .filter_map(|name| Some((*name, *now.counters.get(*name)?)));
    known
        .map(|(name, value)| HostCounter {
            name: name.to_owned(),
            since_start: added(start, name, value),
            per_second: if seconds > 0.0 {
                added(previous, name, value) as f64 / seconds
            } else {
                0.0
            },
        })
        .collect()
}

/// What was added to a counter since; one that was not there then was 0.
fn added(since: &Reading, name: &str, value: u64) -> u64 {
    value.saturating_sub(since.counters.get(name).copied().unwrap_or(0))
}

fn counts(start: &[Statistics], now: &[Statistics], captured: &[String]) -> Vec<Statistics> {
    let is_captured = |one: &&Statistics| is_any(captured) || captured.contains(&one.name);
    let counted = now.iter().filter(is_captured).map(|now| {
        let before = start.iter().find(|start| start.name == now.name);
        since(before.unwrap_or(&Statistics::default()), now)
    });
    counted.collect()
}

fn since(start: &Statistics, now: &Statistics) -> Statistics {
    // One that counts less than before is another interface of the same name.
    let added = |of: fn(&Statistics) -> u64| of(now).checked_sub(of(start)).unwrap_or(of(now));
    Statistics {
        name: now.name.clone(),
        rx_packets: added(|one| one.rx_packets),
        tx_packets: added(|one| one.tx_packets),
        rx_bytes: added(|one| one.rx_bytes),
        tx_bytes: added(|one| one.tx_bytes),
        rx_errors: added(|one| one.rx_errors),
        rx_dropped: added(|one| one.rx_dropped),
        tx_errors: added(|one| one.tx_errors),
        tx_dropped: added(|one| one.tx_dropped),
    }
}

fn is_any(captured: &[String]) -> bool {
    captured.iter().any(|name| name == ALL)
}

/// The interfaces captured on, and all that are under and over them.
fn connected(all: &[Interface], captured: &[String]) -> Vec<Interface> {
    let under = |one: &Interface, other: &Interface| is_over(one, other);
    let over = |one: &Interface, other: &Interface| is_over(other, one);
    let (under, over) = (reached(all, captured, under), reached(all, captured, over));
    let is_connected = |one: &&Interface| under.contains(&one.index) || over.contains(&one.index);
    let connected = all
        .iter()
        .filter(|one| is_any(captured) || is_connected(one));
    connected.cloned().collect()
}

/// Whether packets of `upper` go through `lower`.
fn is_over(upper: &Interface, lower: &Interface) -> bool {
    upper.parent.as_deref() == Some(&lower.name) || lower.master.as_deref() == Some(&upper.name)
}

/// Indices of the interfaces that steps in one direction lead to, however many.
fn reached(
    all: &[Interface],
    captured: &[String],
    leads_to: impl Fn(&Interface, &Interface) -> bool,
) -> BTreeSet<u32> {
    let mut edge: Vec<&Interface> = all
        .iter()
        .filter(|one| captured.contains(&one.name))
        .collect();
    let mut reached: BTreeSet<u32> = edge.iter().map(|one| one.index).collect();
    while let Some(from) = edge.pop() {
        let next = all.iter().filter(|to| leads_to(from, to));
        edge.extend(next.filter(|to| reached.insert(to.index)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::State;
    use crate::model::Timestamp;

    fn moment(seconds: i64, counters: &[(&str, u64)], statistics: &[(&str, u64)]) -> Moment {
        let counters = counters.iter();
        let statistics = statistics.iter();
        Moment {
            reading: Reading {
                at: Timestamp(seconds * 1_000_000_000),
                counters: counters
                    .map(|(name, value)| ((*name).to_owned(), *value))
                    .collect(),
                ..Reading::default()
            },
            statistics: statistics
                .map(|(name, packets)| Statistics {
                    name: (*name).to_owned(),
                    rx_packets: *packets,
                    ..Statistics::default()
                })
                .collect(),
        }
    }

    fn interface(index: u32, name: &str, parent: &str, master: &str) -> Interface {
        let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        Interface {
            index,
            name: name.to_owned(),
            state: State::Up,
            mtu: Some(1500),
            mac: None,
            link_type: None,
            kind: "physical".to_owned(),
            master: named(master),
            parent: named(parent),
            addresses: Vec::new(),
            encapsulation: None,
            offload: None,
        }
    }

    fn eth0() -> Vec<String> {
        vec!["eth0".to_owned()]
    }

    #[test]
    fn counters_are_of_the_capture_and_of_the_interval() {
        let start = moment(0, &[("UdpRcvbufErrors", 1_000), ("IpForwarding", 1)], &[]);
        let previous = moment(10, &[("UdpRcvbufErrors", 1_500)], &[]);
        let now = moment(
            12,
            &[
                ("UdpRcvbufErrors", 5_892),
                ("IpReasmFails", 4),
                ("IpForwarding", 1),
            ],
            &[],
        );
        let shown = host(&start, &previous, &now, &[], &eth0());
        let expected = [
            ("IpReasmFails", 4, 2.0),
            ("UdpRcvbufErrors", 4_892, 2_196.0),
        ];
        let counters = shown.counters.iter();
        let counters = counters.map(|of| (of.name.as_str(), of.since_start, of.per_second));
        assert!(counters.eq(expected), "{:?}", shown.counters);
        let stopped = host(&start, &now, &now, &[], &eth0());
        assert_eq!(stopped.counters[1].per_second, 0.0);
    }

    #[test]
    fn counters_are_listed_once_and_in_the_order_of_nstat() {
        let names: BTreeSet<&str> = SHOWN.into();
        assert_eq!(names.len(), SHOWN.len());
        let order = ["Ip", "Tcp", "Udp", "Ip6", "Udp6", "IpExt"];
        let group = |name: &str| {
            let fits = |begin: &&str| name.starts_with(*begin);
            let longest = order
                .iter()
                .copied()
                .filter(fits)
                .max_by_key(|begin| begin.len());
            order.iter().position(|begin| Some(*begin) == longest)
        };
        assert!(SHOWN.is_sorted_by_key(|name| group(name)));
    }

    #[test]
    fn an_interface_that_was_made_anew_counts_from_nothing() {
        let start = moment(0, &[], &[("eth0", 100), ("eth1", 7)]);
        let counts = |packets| {
            let now = moment(1, &[], &[("eth0", packets), ("eth1", 9)]);
            host(&start, &start, &now, &[], &eth0()).interface_counts
        };
        assert_eq!(counts(130).len(), 1);
        assert_eq!(counts(130)[0].rx_packets, 30);
        assert_eq!(counts(20)[0].rx_packets, 20);
        let all = host(&start, &start, &start, &[], &["any".to_owned()]);
        assert_eq!(all.interface_counts.len(), 2);
    }

    #[test]
    fn interfaces_under_and_over_are_shown_and_those_beside_are_not() {
        let all = [
            interface(1, "lo", "", ""),
            interface(2, "eth0", "", "br0"),
            interface(3, "eth1", "", "br0"),
            interface(4, "br0", "", ""),
            interface(5, "vxlan.calico", "eth0", ""),
            interface(6, "br0.7", "br0", ""),
            interface(7, "veth0", "veth1", ""),
            interface(8, "veth1", "veth0", ""),
        ];
        let of = |name: &str| -> Vec<String> {
            let found = connected(&all, &[name.to_owned()]);
            found.into_iter().map(|one| one.name).collect()
        };
        assert_eq!(of("eth0"), ["eth0", "br0", "vxlan.calico", "br0.7"]);
        assert_eq!(of("vxlan.calico"), ["eth0", "vxlan.calico"]);
        assert_eq!(of("br0.7"), ["eth0", "eth1", "br0", "br0.7"]);
        assert_eq!(of("veth0"), ["veth0", "veth1"]);
        assert_eq!(of("gone"), [""; 0]);
        assert_eq!(of("any").len(), all.len());
    }
}
