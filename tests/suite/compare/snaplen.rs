//! Captures that hold no more than the beginning of each frame, whatever it is.

use super::sight::{BEGIN, EDGE, Packet, Sight, Stream};
use super::{Captures, Faults, flow_to};
use crate::findings::capture::{MILLISECOND, SECOND};
use crate::findings::packet::{A_TO_B, A_TO_C, ACK, Sum, TCP, cut, noise, tcp_at};
use crate::support::{count, fraglens};
use serde_json::Value;
use std::path::PathBuf;

const HOUR: i64 = 3_600 * SECOND as i64;
const WEB: u16 = 80;
/// Ethernet, IPv4 and the ports of UDP.
const WITH_PORTS: u32 = 38;
/// The same with the header of TCP.
const WITH_TCP: u32 = 54;

fn segment(number: u32) -> Packet {
    let data = noise(1_000, number.into());
    let sequence = 77_000 + number * 1_000;
    let bytes = tcp_at((sequence, 1), A_TO_B, (4000, WEB), ACK, &data, Sum::Right);
    Packet {
        time: BEGIN + EDGE + u64::from(number) * MILLISECOND,
        ip: cut(A_TO_B, TCP, number, &bytes, 1_500).remove(0),
        port: WEB,
        datagram: number,
        index: 0,
        is_last: true,
    }
}

/// Datagrams whole and in fragments, and TCP; some are lost.
fn traffic() -> (Sight, Sight) {
    let datagrams = Sight::of(&[
        Stream::to(5001, A_TO_B),
        Stream {
            datagrams: 500,
            gap: 2 * MILLISECOND,
            ..Stream::fragmented(5002, A_TO_B)
        },
    ]);
    let here = datagrams.and(&Sight((0..800).map(segment).collect()));
    let there = here
        .later(MILLISECOND)
        .without(|packet| packet.datagram % 40 == 17 && packet.index < 2);
    (here, there)
}

/// What comes of captures that are cut so, with clocks hours apart.
fn cut_at(sights: [&Sight; 2], snaplens: [u32; 2]) -> Value {
    let [here, there] = sights;
    let mut captures = Captures::new();
    captures.add(&here.capture().pcap_cut(snaplens[0]));
    let there = there.by_clock(5 * HOUR, 0);
    captures.add(&there.capture().pcap_cut(snaplens[1]));
    captures.compared(&[])
}

const WHOLE: u32 = 65_535;

#[test]
fn whatever_is_told_apart_is_matched() {
    let (here, there) = traffic();
    for snaplen in [WITH_TCP, 60, 64, 66, 68, 80, 90, 96, 128] {
        for snaplens in [[WHOLE, snaplen], [snaplen, WHOLE], [snaplen, snaplen]] {
            let comparison = cut_at([&here, &there], snaplens);
            let path = &comparison["path"];
            let mut faults = Faults::new();
            faults.must_be("relation", &comparison["relation"], "same");
            faults.must_have_lost(&format!("{snaplens:?}"), path, &here, &there);
            for number in ["corrupted", "appeared", "duplicated", "outside"] {
                faults.must_be(number, &path[number], 0);
            }
            faults.must_be("translated", &path["changes"]["nat_flows"], 0);
            faults.must_be("problems", &comparison["problems"], Vec::<Value>::new());
            faults.end();
        }
    }
}

/// Of TCP it takes more of the header, of others the ports; fragments have no more than addresses.
#[test]
fn what_is_not_told_apart_is_left_out_and_named() {
    let (here, there) = traffic();
    for snaplen in [34, 36, WITH_PORTS, 46] {
        let comparison = cut_at([&here, &there], [snaplen, snaplen]);
        let mut faults = Faults::new();
        let is_left_out = |packet: &Packet| {
            let is_ported = snaplen >= WITH_PORTS && packet.port != WEB;
            !packet.is_fragment() && !is_ported
        };
        let [kept, left] = [&here, &there].map(|sight| {
            let kept = sight.0.iter().filter(|packet| !is_left_out(packet));
            Sight(kept.cloned().collect())
        });
        let too_short = here.0.len() + there.0.len() - kept.0.len() - left.0.len();
        let limits = &comparison["limits"];
        let told = &limits["packets_cut_too_short"];
        faults.must_be("left out", told, too_short as u64);
        let path = &comparison["path"];
        faults.must_be(
            "matched",
            &comparison["points"][1]["matched"],
            left.0.len() as u64,
        );
        let lost = kept.missing_in(&left).counted();
        faults.must_be("lost", &path["lost"]["packets"], lost.packets);
        faults.must_be("translated", &path["changes"]["nat_flows"], 0);
        let problems = comparison["problems"].to_string();
        faults.unless(problems.contains("cut so short"), || {
            format!("at {snaplen} is told {problems}")
        });
        faults.end();
    }
}

/// Bytes behind the beginning of what is cut are not compared, and that is said.
#[test]
fn what_was_not_compared_is_counted() {
    let here = Sight::of(&[Stream {
        bytes: 1_000,
        ..Stream::to(5001, A_TO_B)
    }]);
    let there = here.later(MILLISECOND).map(|mut packet| {
        packet.ip[100] ^= if packet.datagram % 20 == 5 { 4 } else { 0 };
        packet
    });
    for snaplens in [[200, 200], [200, 128], [WHOLE, 200], [128, WHOLE]] {
        let comparison = cut_at([&here, &there], snaplens);
        let path = &comparison["path"];
        let shorter = snaplens[0].min(snaplens[1]) as usize;
        let cut = here
            .0
            .iter()
            .filter(|packet| packet.ip.len() + 14 > shorter);
        let mut faults = Faults::new();
        let what = format!("{snaplens:?}");
        faults.must_be(&what, &path["partly_compared"], cut.count() as u64);
        faults.must_be(&what, &path["lost"]["packets"], 0);
        faults.end();
    }
}

/// All that packets show of one another is how long they are.
#[test]
fn short_captures_of_other_hosts_are_other_traffic() {
    let to = |path| {
        let stream = Stream {
            datagrams: 400,
            gap: MILLISECOND / 4,
            ..Stream::to(5001, path)
        };
        Sight::only(&[stream])
    };
    let (here, there) = (to(A_TO_B), to(A_TO_C));
    for snaplen in [34, WITH_PORTS, 42, 46] {
        let comparison = cut_at([&here, &there], [snaplen, snaplen]);
        assert_eq!(comparison["relation"], "unrelated", "{snaplen}");
        assert_eq!(count(&comparison, "path.lost.packets"), 0);
        let comparison = cut_at([&here, &here], [snaplen, snaplen]);
        if snaplen >= WITH_PORTS {
            assert_eq!(comparison["relation"], "same", "{snaplen}");
            let flow = flow_to(&comparison, 5001);
            assert_eq!(count(flow, "path.arrived.packets"), 400);
        }
    }
}

/// In a tunnel, or with a snaplen for addresses alone, nothing is left that tells packets apart.
#[test]
fn a_capture_that_is_cut_too_short_for_the_path_is_told_as_that() {
    let here = Sight::of(&[Stream::to(5001, A_TO_B)]);
    let [middle, there] = [1, 2].map(|hops| here.later(hops * MILLISECOND));
    let mut captures = Captures::new();
    captures.add(&here.pcap());
    captures.add(&middle.capture().pcap_cut(WITH_PORTS - 4));
    captures.add(&there.pcap());
    let comparison = captures.compared(&[]);
    let mut faults = Faults::new();
    let off_path = &comparison["off_path"][0];
    faults.must_be("packets", &off_path["packets"], 0);
    let cut = off_path["packets_cut_too_short"].as_u64();
    faults.unless(cut > Some(1_000), || format!("{cut:?} cut too short"));
    let text = |paths: &[PathBuf]| {
        let mut command = fraglens();
        let output = command.args(["compare", "--quiet"]).args(paths).output();
        let said = String::from_utf8(output.unwrap().stdout).unwrap();
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = text(&captures.paths);
    let is_told = said.contains("is cut so short (snaplen) that packets there cannot be told from");
    faults.unless(is_told && !said.contains("other traffic"), || said.clone());
    let said = text(&[captures.paths[1].clone(), captures.paths[1].clone()]);
    let is_told = said.contains("these captures are cut so short (snaplen)");
    faults.unless(is_told, || said.clone());
    faults.end();
}
