//! What the capturing host says of itself, as evidence: each with a near miss, in which it
//! says nothing of the kind.

use super::capture::{Capture, MICROSECOND};
use super::packet::{
    A_TO_B, ACK, NODES, Path, Sum, TCP, UDP, Way, checksum_of_udp, cut, in_vxlan, noise, tcp, udp,
    vxlan, whole,
};
use super::row::{FITS, LIKELY, POSSIBLE, SURE};
use crate::support::{OfHost, Setup, none, value};
use fraglens::host::{
    Address, Encapsulation, Interface, IpTunnel, Offload, Reading, State, UdpTunnel, between,
};
use fraglens::model::Timestamp;
use serde_json::Value;
use std::net::IpAddr;

/// A capture on a host, and what a cause must say there.
struct Case {
    name: &'static str,
    cause: &'static str,
    capture: Capture,
    host: OfHost,
    expected: Expected,
}

enum Expected {
    /// So grave, so sure, and these words.
    Says((&'static str, f64), &'static str),
    /// Not these words, if anything.
    SaysNot(&'static str),
    /// The cause does not show.
    Nothing,
}

use Expected::{Nothing, Says, SaysNot};

impl Case {
    fn finding(&self) -> Option<Value> {
        let report = value(&Setup::default().bytes_on(&self.capture.pcap(), &self.host));
        let findings = report["findings"].as_array().unwrap().iter();
        let mut of_cause = findings.filter(|finding| finding["id"] == self.cause);
        of_cause.next().cloned()
    }

    fn fault(&self) -> Option<String> {
        let finding = self.finding();
        let seen = finding
            .as_ref()
            .map_or("", |finding| finding["seen"].as_str().unwrap_or_default());
        let is_right = match (&self.expected, &finding) {
            (Nothing, found) => found.is_none(),
            (SaysNot(words), _) => !seen.contains(words),
            (Says(..), None) => false,
            (Says((severity, confidence), words), Some(found)) => {
                found["severity"] == *severity
                    && found["confidence"] == *confidence
                    && seen.contains(words)
            }
        };
        let finding = finding
            .as_ref()
            .map(|found| format!("{} {} {seen}", found["severity"], found["confidence"]));
        (!is_right).then(|| format!("{}: {}: {finding:?}", self.cause, self.name))
    }
}

fn case(
    cause: &'static str,
    name: &'static str,
    capture: &Capture,
    host: OfHost,
    expected: Expected,
) -> Case {
    Case {
        name,
        cause,
        capture: capture.clone(),
        host,
        expected,
    }
}

#[test]
fn what_the_host_says_is_used_where_it_bears_on_the_flows() {
    let mut cases = socket_buffers();
    cases.extend(checksums());
    cases.extend(overlays_in_fragments());
    cases.extend(overlays());
    cases.extend(underlays());
    cases.extend(segmentation());
    let faults: Vec<String> = cases.iter().filter_map(Case::fault).collect();
    none(&faults);
}

#[test]
fn a_healthy_host_is_no_finding() {
    let host = OfHost {
        interfaces: vec![
            eth0("192.0.2.1", offload(true)),
            interface("lo", "127.0.0.1"),
            overlay(1450, vxlan_device(42)),
            interface("veth0", "10.0.0.1"),
        ],
        kernel: counted("UdpRcvbufErrors", 0),
        ..OfHost::default()
    };
    for capture in [datagrams(A_TO_B, Sum::Right), in_overlay()] {
        let report = value(&Setup::default().bytes_on(&capture.pcap(), &host));
        assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{report}");
    }
}

fn interface(name: &str, address: &str) -> Interface {
    Interface {
        index: name.bytes().map(u32::from).sum(),
        name: name.to_owned(),
        state: State::Up,
        mtu: Some(1500),
        mac: None,
        link_type: None,
        kind: "physical".to_owned(),
        master: None,
        parent: None,
        addresses: vec![Address {
            address: address.parse().unwrap(),
            prefix_length: 24,
        }],
        encapsulation: None,
        offload: None,
    }
}

fn offload(is_on: bool) -> Option<Offload> {
    Some(Offload {
        tx_checksumming: is_on,
        tso: is_on,
        gso: is_on,
        gro: is_on,
        tx_udp_tnl_segmentation: is_on,
        tx_udp_tnl_csum_segmentation: is_on,
    })
}

fn eth0(address: &str, offload: Option<Offload>) -> Interface {
    Interface {
        offload,
        ..interface("eth0", address)
    }
}

fn host(interfaces: impl IntoIterator<Item = Interface>) -> OfHost {
    OfHost {
        interfaces: interfaces.into_iter().collect(),
        ..OfHost::default()
    }
}

fn captured_on(name: &str, host: OfHost) -> OfHost {
    OfHost {
        captured_on: vec![name.to_owned()],
        ..host
    }
}

/// What a counter grew by in three seconds.
fn counted(name: &str, by: u64) -> Option<fraglens::witness::KernelCounters> {
    let reading = |seconds: i64, value| Reading {
        at: Timestamp(seconds * 1_000_000_000),
        counters: [(name.to_owned(), value)].into(),
        ..Reading::default()
    };
    Some(between(&reading(10, 700), &reading(13, 700 + by)))
}

/// Three datagrams of 100 bytes.
fn datagrams(path: Path, sum: Sum) -> Capture {
    let packet = whole(path, UDP, &udp(path, 5000, &noise(100, 1), sum));
    Capture::new().packets(&vec![packet; 3])
}

fn socket_buffers() -> Vec<Case> {
    let capture = datagrams(A_TO_B, Sum::Right);
    let with = |address: &str, full| OfHost {
        kernel: counted("UdpRcvbufErrors", full),
        ..host([eth0(address, None)])
    };
    let in_pieces = cut(
        A_TO_B,
        UDP,
        1,
        &udp(A_TO_B, 5000, &noise(4000, 1), Sum::Right),
        1500,
    );
    let lossy = in_pieces.iter().enumerate().filter(|(at, _)| *at != 1);
    let lossy = capture.clone().packets(lossy.map(|(_, packet)| packet));
    let lossy = lossy.pause(40 * super::capture::SECOND).packets(&[whole(
        A_TO_B,
        UDP,
        &udp(A_TO_B, 5000, &noise(100, 1), Sum::Right),
    )]);
    vec![
        case(
            "D34",
            "all came whole, and sockets were full",
            &capture,
            with("10.0.0.2", 6588),
            Says(
                ("warning", SURE),
                "All of 3 UDP datagrams to this host came whole, and no checksum is wrong.",
            ),
        ),
        case(
            "D34",
            "the rate is that of the counters",
            &capture,
            with("10.0.0.2", 6588),
            Says(("warning", SURE), "6,588 whole datagrams away"),
        ),
        case(
            "D34",
            "a second",
            &capture,
            with("10.0.0.2", 6588),
            Says(("warning", SURE), "UdpRcvbufErrors, 2,196 datagrams/s"),
        ),
        case(
            "D34",
            "one lacks a fragment",
            &lossy,
            with("10.0.0.2", 6588),
            Says(("warning", SURE), "4 of 5 UDP datagrams to this host"),
        ),
        case(
            "D34",
            "what is captured goes to another host",
            &capture,
            with("10.0.0.9", 6588),
            Says(
                ("info", POSSIBLE),
                "None of the UDP captured goes to this host.",
            ),
        ),
        case(
            "D34",
            "no socket was full",
            &capture,
            with("10.0.0.2", 0),
            Nothing,
        ),
    ]
}

/// A host with an address, one of whose counters grew by 3.
fn refusing(address: &str, counter: &str) -> OfHost {
    OfHost {
        kernel: counted(counter, 3),
        ..host([eth0(address, None)])
    }
}

fn checksums() -> Vec<Case> {
    let left = datagrams(A_TO_B, Sum::PseudoHeader);
    let wrong = datagrams(A_TO_B, Sum::Wrong);
    let inner = whole(
        A_TO_B,
        UDP,
        &udp(A_TO_B, 5000, &noise(100, 1), Sum::PseudoHeader),
    );
    let in_tunnel = Capture::new().packet(&vxlan(NODES, &inner, Sum::Zero));
    let finished = whole(A_TO_B, UDP, &udp(A_TO_B, 5000, &noise(100, 1), Sum::Right));
    let as_if_finished = checksum_of_udp(&udp(NODES, 4789, &in_vxlan(&finished), Sum::Right));
    let waiting = Capture::new().packet(&vxlan(NODES, &inner, Sum::Is(as_if_finished)));
    let with_udpcsum = |is_on| UdpTunnel {
        udpcsum: Some(is_on),
        ..vxlan_device(42)
    };
    let strange = Interface {
        name: "eth\u{1b}0".to_owned(),
        ..eth0("10.0.0.1", offload(true))
    };
    let on = "tx-checksumming is on on eth0, so checksums of what this host sends";
    vec![
        case(
            "D18",
            "sent here, and left to the NIC",
            &left,
            host([eth0("10.0.0.1", offload(true))]),
            Says(("info", SURE), on),
        ),
        case(
            "D18",
            "a name that is a command to a terminal",
            &left,
            host([strange]),
            Says(("info", SURE), "on on eth\\u{1b}0,"),
        ),
        case(
            "D18",
            "sent here in a tunnel",
            &in_tunnel,
            captured_on("eth0", host([eth0("192.0.2.1", offload(true))])),
            Says(("info", SURE), on),
        ),
        case(
            "D18",
            "the address inside a tunnel is any tenant's",
            &in_tunnel,
            host([eth0("10.0.0.1", offload(true))]),
            SaysNot("tx-checksumming"),
        ),
        case(
            "D18",
            "off",
            &left,
            host([eth0("10.0.0.1", offload(false))]),
            SaysNot("tx-checksumming"),
        ),
        case(
            "D18",
            "sent elsewhere",
            &left,
            host([eth0("10.0.0.2", offload(true))]),
            SaysNot("tx-checksumming"),
        ),
        case(
            "D21",
            "wrong beside their sender proves nothing",
            &wrong,
            host([eth0("10.0.0.1", None)]),
            Nothing,
        ),
        case(
            "D21",
            "wrong at the receiver",
            &wrong,
            host([eth0("10.0.0.2", None)]),
            Says(("error", FITS), "wrong"),
        ),
        case(
            "D21",
            "wrong at the receiver, whose kernel says so too",
            &wrong,
            refusing("10.0.0.2", "UdpInCsumErrors"),
            Says(
                ("error", LIKELY),
                "The kernel of this host refused 3 packets for a wrong checksum meanwhile \
                 (UdpInCsumErrors).",
            ),
        ),
        case(
            "D21",
            "wrong on its way past a host whose kernel refused something",
            &wrong,
            refusing("10.0.0.9", "UdpInCsumErrors"),
            SaysNot("refused"),
        ),
        case(
            "D21",
            "wrong, and another counter grew",
            &wrong,
            refusing("10.0.0.2", "UdpNoPorts"),
            SaysNot("refused"),
        ),
        case(
            "D19",
            "the tunnel has checksums outside",
            &waiting,
            host([eth0("192.0.2.1", None), overlay(1450, with_udpcsum(true))]),
            Says(("info", SURE), "udpcsum is on on vxlan.calico."),
        ),
        case(
            "D19",
            "not this one",
            &waiting,
            host([eth0("192.0.2.1", None), overlay(1450, with_udpcsum(false))]),
            SaysNot("udpcsum"),
        ),
    ]
}

/// A VXLAN device on eth0 of the first node.
fn vxlan_device(id: u32) -> UdpTunnel {
    UdpTunnel {
        id: Some(id),
        local: Some(NODES.from),
        port: Some(4789),
        ..UdpTunnel::default()
    }
}

fn overlay(mtu: u32, device: UdpTunnel) -> Interface {
    Interface {
        kind: "vxlan".to_owned(),
        mtu: Some(mtu),
        parent: Some("eth0".to_owned()),
        encapsulation: Some(Encapsulation::Vxlan(device)),
        ..interface("vxlan.calico", "10.1.0.1")
    }
}

fn node(overlay: Interface) -> OfHost {
    host([eth0("192.0.2.1", None), overlay])
}

/// A small packet in VXLAN, with VNI 42.
fn in_overlay() -> Capture {
    let inner = whole(A_TO_B, UDP, &udp(A_TO_B, 5000, &noise(100, 1), Sum::Right));
    Capture::new().packet(&vxlan(NODES, &inner, Sum::Zero))
}

const MISFIT: &str = "The MTU of the overlay vxlan.calico, 1500, does not fit into the 1500 of \
                      eth0: it puts 50 bytes around each packet.";

fn overlays_in_fragments() -> Vec<Case> {
    let inner = whole(A_TO_B, UDP, &udp(A_TO_B, 5000, &noise(1472, 1), Sum::Right));
    let outer = udp(NODES, 4789, &in_vxlan(&inner), Sum::Zero);
    let fragments = Capture::new().packets(&cut(NODES, UDP, 1, &outer, 1500));
    vec![
        case(
            "D26",
            "in fragments, and this device makes them",
            &fragments,
            node(overlay(1500, vxlan_device(42))),
            Says(("warning", SURE), MISFIT),
        ),
        case(
            "D26",
            "in fragments, and this device does not",
            &fragments,
            node(overlay(1450, vxlan_device(42))),
            SaysNot("The MTU of the overlay"),
        ),
        case(
            "D26",
            "in fragments of another network",
            &fragments,
            node(overlay(1500, vxlan_device(7))),
            SaysNot("The MTU of the overlay"),
        ),
    ]
}

fn overlays() -> Vec<Case> {
    let elsewhere = UdpTunnel {
        local: Some(NODES.to),
        ..vxlan_device(42)
    };
    let used = ("warning", LIKELY);
    let unused = ("info", LIKELY);
    let case = |name, capture: &Capture, overlay, expected| {
        case("D26", name, capture, node(overlay), expected)
    };
    vec![
        case(
            "too large and in use",
            &in_overlay(),
            overlay(1500, vxlan_device(42)),
            Says(used, MISFIT),
        ),
        case(
            "what fits is said",
            &in_overlay(),
            overlay(1500, vxlan_device(42)),
            Says(used, "Packets of more than 1,450 bytes have to be cut up"),
        ),
        case(
            "a byte too large",
            &in_overlay(),
            overlay(1451, vxlan_device(42)),
            Says(used, "vxlan.calico, 1451,"),
        ),
        case(
            "it fits exactly",
            &in_overlay(),
            overlay(1450, vxlan_device(42)),
            Nothing,
        ),
        case(
            "the traffic is another network's",
            &in_overlay(),
            overlay(1500, vxlan_device(7)),
            Says(unused, "None of its packets are in the capture."),
        ),
        case(
            "the same id between other ends",
            &in_overlay(),
            overlay(
                1500,
                UdpTunnel {
                    local: Some(A_TO_B.to),
                    ..elsewhere
                },
            ),
            Says(unused, "None of its packets"),
        ),
        case(
            "it is not in use",
            &datagrams(A_TO_B, Sum::Right),
            overlay(1500, vxlan_device(42)),
            Says(unused, MISFIT),
        ),
    ]
}

fn underlays() -> Vec<Case> {
    let capture = datagrams(A_TO_B, Sum::Right);
    let with = |mtu, change: fn(&mut Interface, &mut UdpTunnel)| {
        let mut device = vxlan_device(42);
        let mut changed = overlay(mtu, device);
        change(&mut changed, &mut device);
        Interface {
            encapsulation: Some(Encapsulation::Vxlan(device)),
            ..changed
        }
    };
    let v6: fn(&mut Interface, &mut UdpTunnel) = |_, device| {
        device.local = Some(IpAddr::from([
            0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        ]));
    };
    let gre = Interface {
        kind: "gretap".to_owned(),
        mtu: Some(1463),
        encapsulation: Some(Encapsulation::Ip(IpTunnel {
            local: None,
            remote: Some(NODES.to),
        })),
        ..interface("gretap1", "10.2.0.1")
    };
    let fallback = Interface {
        mtu: Some(9000),
        encapsulation: Some(Encapsulation::Ip(IpTunnel::default())),
        ..gre.clone()
    };
    let unused = ("info", LIKELY);
    let case = |name, overlay, expected| case("D26", name, &capture, node(overlay), expected);
    vec![
        case(
            "over IPv6 it takes 20 bytes more",
            with(1450, v6),
            Says(unused, "70 bytes around each packet"),
        ),
        case("over IPv6 it fits", with(1430, v6), Nothing),
        case(
            "known by the address it sends from",
            with(1500, |overlay, _| overlay.parent = None),
            Says(unused, MISFIT),
        ),
        case(
            "known by the neighbour it sends to",
            gre,
            Says(
                unused,
                "gretap1, 1463, does not fit into the 1500 of eth0: it puts 38 bytes",
            ),
        ),
        case("where it sends to is unknown", fallback, Nothing),
        case(
            "what lies below is unknown",
            with(1500, |overlay, device| {
                overlay.parent = None;
                device.local = None;
            }),
            Nothing,
        ),
        case(
            "something else says where each packet goes",
            with(1500, |_, device| device.external = true),
            Nothing,
        ),
        case(
            "switched off",
            with(1500, |overlay, _| overlay.state = State::Down),
            Nothing,
        ),
    ]
}

fn segmentation() -> Vec<Case> {
    let segment = |bytes| {
        let segment = tcp(A_TO_B, (4000, 80), ACK, &noise(bytes, 1), Sum::Right);
        whole(A_TO_B, TCP, &segment)
    };
    let large = Capture::new().packets(&[segment(1000), segment(20_000)]);
    let full = vec![segment(1460); 1200];
    let fast = Capture::every(10 * MICROSECOND).packets(&full);
    let sent = Capture::cooked(Way::Out, &full, 10 * MICROSECOND);
    let here = |is_on| host([eth0("10.0.0.1", offload(is_on))]);
    let pods = |is_on| {
        let calico = Interface {
            offload: offload(is_on),
            ..overlay(1450, vxlan_device(42))
        };
        captured_on("vxlan.calico", node(calico))
    };
    vec![
        case(
            "D24",
            "made on the way out",
            &large,
            here(true),
            Says(
                ("info", SURE),
                "tcp-segmentation-offload and generic-segmentation-offload are on on eth0.",
            ),
        ),
        case(
            "D24",
            "made on the way in",
            &large,
            host([eth0("10.0.0.2", offload(true))]),
            Says(("info", SURE), "generic-receive-offload is on on eth0."),
        ),
        case(
            "D24",
            "not made here",
            &large,
            here(false),
            Says(("info", FITS), "are off on eth0."),
        ),
        case(
            "D24",
            "passing by",
            &large,
            host([eth0("10.0.0.9", offload(true))]),
            SaysNot("eth0"),
        ),
        case(
            "S01",
            "the workaround of D16",
            &fast,
            pods(false),
            Says(
                ("warning", LIKELY),
                "tx-checksumming and tcp-segmentation-offload are off on vxlan.calico.",
            ),
        ),
        case(
            "S01",
            "its own, with offload off",
            &sent,
            here(false),
            Says(("warning", SURE), "are off on eth0."),
        ),
        case(
            "S01",
            "its own, with offload on",
            &sent,
            here(true),
            Says(("info", POSSIBLE), "But tx-checksumming"),
        ),
        case(
            "S01",
            "received here",
            &fast,
            captured_on("eth0", host([eth0("10.0.0.2", offload(false))])),
            Says(("info", POSSIBLE), "none was joined by a receiver."),
        ),
    ]
}
