//! Calico with VXLAN: 2.9 of 9.38 Gbit/s without checksum offload, and 63 seconds until a
//! connection opens with it.

use super::stream::{Around, RECEIVER, SENDER};
use super::told::{Beside, Told};
use super::wire::{Capture, Header, ICMP, Link, TCP, UDP, ethernet, sum, tcp, vxlan};
use crate::support::{none, pcap};

fn told(capture: &str) -> Told {
    Told::of_file(capture, &pcap(capture), Beside::default())
}

#[test]
fn what_is_left_to_the_nic_is_not_wrong() {
    let mut faults = Vec::new();
    // With offload at the sender, with segmentation too; and the same host without any.
    let captures = [
        ("offload-sender.pcap.zst", 16, 10),
        ("tcp-superframes.pcap.zst", 31, 0),
        ("no-offload.pcap.zst", 0, 0),
    ];
    for (capture, tcp, udp) in captures {
        let left = tcp + udp;
        let told = told(capture)
            .finds_no_fault()
            .never_says(&[" bad, ", "wrong checksum"])
            .holds(&[
                ("totals.checksums.tcp.offloaded", tcp),
                ("totals.checksums.udp.offloaded", udp),
                ("totals.checksums.tcp.bad", 0),
                ("totals.checksums.udp.bad", 0),
            ]);
        let told = if left > 0 {
            told.finds(&[("D18", "info", 0.9)]).says(&[
                &format!(
                    "{left} packets have the bare sum of the pseudo-header in place of a checksum"
                ),
                "the capture was made beside their sender",
                "left to the NIC",
            ])
        } else {
            told.never_finds(&["D18"])
        };
        faults.extend(told.into_faults());
    }
    none(&faults);
}

/// Wrong is what the receiver drops.
#[test]
fn what_is_wrong_is_called_wrong() {
    told("corruption.pcap")
        .never_finds(&["D18"])
        .finds(&[("D21", "error", 0.7)])
        .says(&[
            "ICMP 1 bad",
            "TCP 1 bad",
            "5 datagrams of 3 flows have a checksum that is wrong",
        ])
        .holds(&[
            ("totals.checksums.icmp.bad", 1),
            ("totals.checksums.tcp.offloaded", 0),
        ])
        .end();
}

/// Ping fails and curl works, and tcpdump calls the checksums of both incorrect: one is a
/// fault, the other an artefact.
#[test]
fn a_fault_is_told_from_an_artefact() {
    let mut capture = Capture::new(Link::Ethernet, 65_535);
    for number in 0..10_u16 {
        let ping = header(ICMP).packet(&echo_request(number, 0x1234));
        let curl = header(TCP).packet(&tcp_left_to_nic(u32::from(number) * 100, &[0; 100]));
        for packet in [ping, curl] {
            capture.packet(&packet);
            capture.wait(0.5);
        }
    }
    Told::of_bytes("ping and curl", &capture.bytes, Beside::default())
        .finds_first("D21")
        .finds(&[("D21", "error", 0.5), ("D18", "info", 0.9)])
        .says(&[
            "10 packets have the bare sum of the pseudo-header",
            "TCP 10 left to the NIC",
            "ICMP 10 bad",
        ])
        .holds(&[
            ("totals.checksums.icmp.bad", 10),
            ("totals.checksums.tcp.bad", 0),
            ("totals.checksums.tcp.offloaded", 10),
        ])
        .end();
}

fn header(protocol: u8) -> Header {
    Header {
        from: SENDER,
        to: RECEIVER,
        protocol,
        id: 1,
    }
}

fn echo_request(number: u16, checksum: u16) -> Vec<u8> {
    let words = [0x0800, checksum, 7, number].map(u16::to_be_bytes).concat();
    [&words, &[0; 56][..]].concat()
}

/// The checksum field holds the sum of the pseudo-header alone.
fn tcp_left_to_nic(sequence: u32, payload: &[u8]) -> Vec<u8> {
    let mut segment = tcp(40_000, 80, sequence, payload);
    let length = (segment.len() as u16).to_be_bytes();
    let pseudo = [&SENDER, &RECEIVER, &[0, TCP][..], &length].concat();
    segment[16..18].copy_from_slice(&sum(&pseudo).to_be_bytes());
    segment
}

#[test]
fn sixty_three_seconds_have_a_name() {
    told("syn-retries-63s.pcap")
        .finds_first("D16")
        .finds(&[("D16", "error", 0.7)])
        .says(&[
            "NAT breaks the VXLAN checksum (63 s)",
            "6 packets of vxlan 192.0.2.1 > 192.0.2.2 that open TCP connections have a wrong outer \
             UDP checksum. The receiving host drops such packets, and TCP tries again after 1, 2, \
             4, 8 seconds",
            "use Linux 5.7 or later",
        ])
        .holds(&[
            ("explanation.residual_bytes", 0),
            ("totals.checksums.udp.bad", 6),
        ])
        .holds(&[("findings.0.name", "vxlan-nat-checksum")])
        .end();
}

#[test]
fn frames_larger_than_the_wire_show_segmentation_offload() {
    told("tcp-superframes.pcap.zst")
        .finds(&[("D24", "info", 0.7)])
        .never_finds(&["S01"])
        .says(&[
            "10 packets are larger than a wire carries",
            "10 super-frames (TSO, GSO or GRO)",
        ])
        .end();
}

/// TCP at 2.9 Gbit/s in frames that all fit the MTU, captured at the sender and elsewhere.
#[test]
fn no_larger_frames_at_a_high_rate_show_that_it_is_off() {
    let mut faults = Vec::new();
    // Bits a second; what the sender is told of it, and what a capture elsewhere allows.
    let rates = [
        (2.9e9, Some(("warning", "info"))),
        (0.9e9, Some(("warning", "info"))),
        (0.1e9, None),
    ];
    for around in [
        Around::Nothing,
        Around::Vxlan {
            port: 4789,
            vni: 4096,
        },
    ] {
        for (rate, expected) in rates {
            for link in [Link::SentByThisHost, Link::Ethernet] {
                let capture = wire_size_tcp(link, around, rate);
                let case = format!("{rate:e} bit/s, link {}", link as u32);
                let told = Told::of_bytes(case, &capture, Beside::default()).never_finds(&["D24"]);
                let told = match expected {
                    None => told.never_finds(&["S01"]),
                    Some((at_sender, elsewhere)) => {
                        let is_sender = link == Link::SentByThisHost;
                        let severity = if is_sender { at_sender } else { elsewhere };
                        told.finds(&[("S01", severity, 0.0)]).says(&[
                            "10.16.0.8 > 10.16.0.9 sends",
                            "none was left for a NIC to cut up",
                        ])
                    }
                };
                faults.extend(told.into_faults());
            }
        }
    }
    none(&faults);
}

/// Segments of 1,348 bytes, as they fit an MTU of 1,450 in VXLAN.
fn wire_size_tcp(link: Link, around: Around, bits_per_second: f64) -> Vec<u8> {
    const SEGMENT: usize = 1_348;
    let mut capture = Capture::new(link, 110);
    let outer = Header {
        from: [192, 0, 2, 1],
        to: [192, 0, 2, 2],
        protocol: UDP,
        id: 1,
    };
    for number in 0..2_000 {
        let packet = header(TCP).packet(&tcp(40_000, 80, number * SEGMENT as u32, &[0; SEGMENT]));
        let packet = match around {
            Around::Vxlan { port, vni } => outer.packet(&vxlan(port, vni, &ethernet(&packet))),
            Around::Nothing | Around::Ipip => packet,
        };
        capture.packet(&packet);
        capture.wait((packet.len() * 8) as f64 / bits_per_second);
    }
    capture.bytes
}
