//! P01, packet-rate-bound.

use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "P01",
    name: "packet-rate-bound",
    title: "Packets, not bits, are the limit",
    severity: Severity::Info,
    meaning: "A host, virtual switch or tunnel handles only so many packets a second, and with \
              small packets that limit comes long before the link is full. Most of the work for a \
              packet is the same for 64 bytes as for 1,500. So the throughput in bits looks poor \
              while nothing is broken. Often one processor core does all the work for one flow. \
              Compare paths by packets per second here.",
    signature: "Very small packets at a high and steady rate of packets, with a low rate of bits, \
              and losses that begin at that rate of packets.",
    confirms: "One core is fully busy with softirq; larger messages bring more bits at about the \
              same packets per second.",
    denies: "The packets are large, or the rate of bits does not grow with their size.",
    disprove: "Run the same test with large packets, as in `iperf3 -u -b 0 -l 1400 -c PEER`: if it \
              brings no more bits per second, packets are not the limit.",
    fix: &[
        Fix {
            when: "an application of your own",
            kind: FixKind::Advice,
            command: "put more into a packet, or hand many packets over in a call: UDP_SEGMENT and UDP_GRO, sendmmsg and recvmmsg",
        },
        Fix {
            when: "Linux, to spread flows over cores; it parts fragments from their head, see D29",
            kind: FixKind::Command,
            command: "ethtool -N eth0 rx-flow-hash udp4 sdfn",
        },
        Fix {
            when: "Linux, one busy queue",
            kind: FixKind::Command,
            command: "echo f > /sys/class/net/eth0/queues/rx-0/rps_cpus",
        },
        Fix {
            when: "Linux, to see which core drops (a row a core, second column)",
            kind: FixKind::Command,
            command: "cat /proc/net/softnet_stat",
        },
    ],
    references: &[
        "Linux Documentation/networking/scaling.rst",
        "RFC 2544 section 9.1",
    ],
};

/// Small packets at a high rate.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let capture = &known.given.ledger.capture;
    let seconds = known.seconds();
    if seconds < SHORTEST_SECONDS || capture.frames == 0 {
        return None;
    }
    let rate = capture.frames as f64 / seconds;
    let mean = capture.bytes / capture.frames;
    let seen = format!(
        "{} of {} bytes on average are {}.",
        number::rate(rate, "packets"),
        number::count(mean),
        number::bit_rate(capture.bytes as f64 * 8.0 / seconds),
    );
    let finding =
        Finding::new(&CAUSE, confidence::POSSIBLE, seen).in_these(known.busiest_small_flows());
    (rate >= HIGH_RATE && mean <= SMALL_BYTES).then_some(finding)
}

/// Time it takes to measure a rate.
const SHORTEST_SECONDS: f64 = 0.1;
/// Packets a second that keep a core busy in an overlay.
const HIGH_RATE: f64 = 50_000.0;
/// Mean length of frames that are mostly headers, also those of a tunnel.
const SMALL_BYTES: u64 = 150;
