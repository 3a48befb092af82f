//! Several hosts that go by the address of one router, as pods do by that of their node: what
//! tells their packets apart behind it are translated ports, identifiers of echoes, and what
//! errors quote; fragments have nothing but their identification.

use super::sight::{BEATS, BEGIN, Packet, Sight};
use super::{Captures, Faults, compare};
use crate::cases::wire::sum;
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{
    ACK, ICMP, Path, Sum, TCP, UDP, cut, noise, tcp_at, udp, v4, v6, whole,
};
use crate::support::count;
use serde_json::{Value, json};

const HOSTS: u8 = 3;
const ROUNDS: u32 = 200;
const SERVER: [u8; 4] = [192, 0, 2, 9];
const ROUTER: [u8; 4] = [192, 0, 2, 1];
/// Where all of them send from, and where they send to.
const SOURCE: u16 = 4_000;
const PORT: u16 = 5_001;

const ECHO: u8 = 8;
const REPLY: u8 = 0;
const UNREACHABLE: u8 = 3;

/// Where packets are captured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Where each host has its own address.
    Inside,
    /// Behind the router.
    Outside,
}

/// One of the hosts, as it is known at a point.
#[derive(Clone, Copy)]
struct Host {
    number: u8,
    at: At,
}

impl Host {
    fn address(self) -> [u8; 4] {
        match self.at {
            At::Inside => [10, 1, 0, 11 + self.number],
            At::Outside => ROUTER,
        }
    }

    fn out(self) -> Path {
        let path = v4(self.address(), SERVER);
        match self.at {
            At::Inside => path,
            At::Outside => path.routed(),
        }
    }

    fn back(self) -> Path {
        let path = v4(SERVER, self.address());
        match self.at {
            At::Inside => path.routed(),
            At::Outside => path,
        }
    }

    /// What stands for its port or identifier.
    fn name(self) -> u16 {
        match self.at {
            At::Inside => SOURCE,
            At::Outside => 40_000 + u16::from(self.number),
        }
    }

    /// A message of ICMP, with what is in its second word.
    fn message(kind: u8, code: u8, word: [u8; 4], data: &[u8]) -> Vec<u8> {
        let mut message = [&[kind, code, 0, 0][..], &word, data].concat();
        let checksum = !sum(&message);
        message[2..4].copy_from_slice(&checksum.to_be_bytes());
        message
    }

    fn query(self, kind: u8, sequence: u16, bytes: usize) -> Vec<u8> {
        let word = [self.name().to_be_bytes(), sequence.to_be_bytes()].concat();
        let word = word.try_into().unwrap();
        Self::message(kind, 0, word, &vec![0x5a; bytes])
    }

    fn datagram(self, round: u32, bytes: usize) -> Vec<u8> {
        let data = noise(bytes, u64::from(self.number) << 32 | u64::from(round));
        let mut datagram = udp(self.out(), PORT, &data, Sum::Zero);
        datagram[..2].copy_from_slice(&self.name().to_be_bytes());
        datagram
    }

    /// All it sends in a round, and all that comes back: way, protocol and what is in it.
    fn round(self, round: u32) -> [(Path, u8, Vec<u8>); 6] {
        let sequence = round as u16;
        let small = self.datagram(round, 100);
        // As it came to the server; the router translates no more of it than addresses and ports.
        let quoted = cut(self.out().routed(), UDP, round, &small, 1_500).remove(0);
        let error = Self::message(UNREACHABLE, 3, [0; 4], &quoted);
        [
            (self.out(), ICMP, self.query(ECHO, sequence, 56)),
            (self.out(), ICMP, self.query(ECHO, sequence, 4_000)),
            (self.out(), UDP, self.datagram(round, 4_000)),
            (self.back(), ICMP, self.query(REPLY, sequence, 56)),
            (self.back(), ICMP, self.query(REPLY, sequence, 4_000)),
            (self.back(), ICMP, error),
        ]
    }
}

/// All that passes a point so many segments behind the first.
fn seen(at: At, mtu: usize, segments: u64) -> Sight {
    let hosts = (0..HOSTS).map(|number| Host { number, at });
    let rounds = hosts.flat_map(|host| (0..ROUNDS).map(move |round| (host, round)));
    let packets = rounds.flat_map(|(host, round)| {
        let kinds = host.round(round).into_iter().enumerate();
        kinds.flat_map(move |(kind, (path, protocol, bytes))| {
            // The server numbers all alike that it sends to one address.
            let id = u32::from(host.number) * 7 + 3 * round + 1_000 * kind as u32;
            let pieces = cut(path, protocol, id, &bytes, mtu);
            let last = pieces.len() - 1;
            let sent = BEGIN
                + u64::from(round) * 5 * MILLISECOND
                + u64::from(host.number) * MILLISECOND
                + kind as u64 * 50 * MICROSECOND;
            let took = match path.to == host.back().to {
                true => 3 - segments,
                false => segments,
            };
            let pieces = pieces.into_iter().enumerate();
            pieces.map(move |(index, ip)| Packet {
                time: sent + took * 100 * MICROSECOND + index as u64 * MICROSECOND,
                ip,
                port: 100 * kind as u16 + u16::from(host.number),
                datagram: round,
                index: index as u32,
                is_last: index == last,
            })
        })
    });
    Sight::between_beats(packets)
}

fn faults_of(faults: &mut Faults, segment: &Value, lost: &Sight) {
    faults.must_count("lost", &segment["lost"], lost.counted());
    for number in ["appeared", "corrupted", "duplicated", "outside"] {
        let is = count(segment, number);
        faults.unless(is == 0, || format!("{number} is {is}"));
    }
    let one_sided = segment["one_sided"].as_array().unwrap();
    faults.unless(one_sided.is_empty(), || format!("one-sided: {one_sided:?}"));
}

/// What of them is lost in the last segment, and nothing else.
fn are_told_apart(inside_mtu: usize) {
    let here = seen(At::Inside, inside_mtu, 0);
    let [router, server] = [1, 2].map(|segments| seen(At::Outside, 1_500, segments));
    let is_out = |packet: &Packet| packet.port < 300;
    let is_lost = |packet: &Packet| is_out(packet) && packet.datagram % 20 == 7;
    let server = server.without(is_lost);
    let comparison = compare(&[&here, &router, &server]);
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    let segments = &comparison["segments"];
    faults_of(&mut faults, &segments[0], &Sight::default());
    faults_of(&mut faults, &segments[1], &router.missing_in(&server));
    faults.end();
}

#[test]
fn hosts_behind_one_address_are_told_apart() {
    are_told_apart(1_500);
}

/// A router that translates puts fragments together, and an interface of it shows them so.
#[test]
fn so_they_are_where_datagrams_are_whole_in_front() {
    are_told_apart(9_000);
}

/// Each query is a flow of its own, named by its identifier, and each error by what it quotes.
#[test]
fn identifiers_and_quotes_are_named() {
    let here = seen(At::Inside, 1_500, 0);
    let behind = seen(At::Outside, 1_500, 1);
    let comparison = compare(&[&here, &behind]);
    let mut faults = Faults::new();
    let flows = comparison["flows"].as_array().unwrap();
    let of = |protocol: &str, back: bool| -> Vec<Vec<(Value, Value)>> {
        let flows = flows.iter().filter(|flow| {
            let is_back = flow["key"]["src"] == "192.0.2.9";
            flow["key"]["protocol"] == protocol && is_back == back
        });
        let names = flows.map(|flow| {
            let seen = flow["seen_as"].as_array().unwrap().iter();
            let key = |seen: &Value| {
                (
                    seen["key"]["src_port"].clone(),
                    seen["key"]["dst_port"].clone(),
                )
            };
            seen.map(key).collect()
        });
        let mut names: Vec<Vec<(Value, Value)>> = names.collect();
        names.sort_by_key(|name| format!("{name:?}"));
        names
    };
    let query = |port: u16| (Value::from(port), Value::Null);
    let named: Vec<_> = (40_000..40_003)
        .map(|name| vec![query(4_000), query(name)])
        .collect();
    faults.unless(of("icmp", false) == named, || {
        format!("{:?}", of("icmp", false))
    });
    let error = |port: u16| (Value::from(port), Value::from(PORT));
    let errors = (40_000..40_003).map(|name| vec![error(4_000), error(name)]);
    let mut back: Vec<_> = named.iter().cloned().chain(errors).collect();
    back.sort_by_key(|name| format!("{name:?}"));
    faults.unless(of("icmp", true) == back, || {
        format!("{:?}", of("icmp", true))
    });
    let translated = count(&comparison, "path.changes.nat_flows");
    faults.must_be("translated", &Value::from(translated), 12);
    faults.end();
}

/// What is known by other addresses on the way is told to be the same conversation.
#[test]
fn their_order_is_found() {
    let here = seen(At::Inside, 9_000, 0);
    let [router, server] = [1, 2].map(|segments| seen(At::Outside, 1_500, segments));
    let mut captures = Captures::of(&[&server, &here, &router]);
    let comparison = captures.compared(&["--order", "auto"]);
    let points = comparison["points"].as_array().unwrap().iter();
    let order: Vec<&Value> = points.map(|point| &point["file"]["path"]).collect();
    captures.paths.rotate_left(1);
    let must: Vec<Value> = captures.paths.iter().map(|path| json!(path)).collect();
    assert!(
        order.iter().copied().eq(&must),
        "found {order:?}, must be {must:?}"
    );
    let nat = comparison["segments"][1]["changes"]["nat"]
        .as_array()
        .unwrap();
    assert_eq!(
        nat.len(),
        0,
        "between router and server nothing is translated"
    );
}

/// One host's own capture beside that of the router, where all of them have one address: what is
/// of others is not of this path.
#[test]
fn what_others_send_in_the_name_of_all_is_not_of_the_path() {
    let all = seen(At::Inside, 1_500, 0);
    let is_mine =
        |packet: &Packet| packet.port.is_multiple_of(100) || [BEATS, 9].contains(&packet.port);
    let mine = Sight(all.0.into_iter().filter(is_mine).collect());
    let behind = seen(At::Outside, 1_500, 1);
    let comparison = compare(&[&mine, &behind]);
    let mut faults = Faults::new();
    let segment = &comparison["segments"][0];
    faults.must_be("lost", &segment["lost"]["packets"], 0);
    faults.must_be("appeared", &segment["appeared"], 0);
    let seen = segment["one_sided"].as_array().unwrap().iter();
    let others: u64 = seen.map(|one| one["packets"].as_u64().unwrap()).sum();
    let must = (behind.0.len() - mine.0.len()) as u64;
    faults.must_be("of others", &Value::from(others), must);
    faults.end();
}

/// Packets at a point, from these.
fn packets(all: impl Iterator<Item = (u64, u16, u32, Vec<Vec<u8>>)>) -> Sight {
    let packets = all.flat_map(|(time, port, datagram, pieces)| {
        let last = pieces.len() - 1;
        let pieces = pieces.into_iter().enumerate();
        pieces.map(move |(index, ip)| Packet {
            time: BEGIN + time + index as u64 * MICROSECOND,
            ip,
            port,
            datagram,
            index: index as u32,
            is_last: index == last,
        })
    });
    Sight::between_beats(packets)
}

fn must_be_whole(comparison: &Value, sent: &Sight) {
    let segment = &comparison["segments"][0];
    let mut faults = Faults::new();
    faults.must_be("relation", &comparison["relation"], "same");
    faults.must_be("sent", &segment["sent"]["packets"], sent.0.len() as u64);
    for number in [
        "lost.packets",
        "appeared",
        "corrupted",
        "duplicated",
        "outside",
    ] {
        let is = count(segment, number);
        faults.unless(is == 0, || format!("{number} is {is}"));
    }
    faults.end();
}

/// A port of the router is for the next connection once one is over, and a host begins another
/// from the same port of its own: names of both sides come again, in other pairs.
#[test]
fn names_come_again_for_others() {
    let sight = |at: At, segments: u64| {
        let exchanges = (0..600_u32).flat_map(move |number| {
            let host = Host {
                number: (number % 3) as u8,
                at,
            };
            let name = match at {
                At::Inside => 4_000 + number as u16 / 3 % 70,
                At::Outside => 40_000 + number as u16 % 111,
            };
            let (out, back) = (host.out(), host.back());
            let ports = [name.to_be_bytes(), 53_u16.to_be_bytes()];
            let of = |path: Path, ports: [[u8; 2]; 2], seed: u32| {
                let mut datagram = udp(path, 53, &noise(40, seed.into()), Sum::Zero);
                datagram[..4].copy_from_slice(&ports.concat());
                cut(path, UDP, seed, &datagram, 1_500)
            };
            let asked = of(out, ports, 2 * number + 1);
            let answered = of(back, [ports[1], ports[0]], 2 * number + 2);
            let time = u64::from(number) * 5 * MILLISECOND;
            let took = segments * 100 * MICROSECOND;
            [
                (time + took, 53, 2 * number, asked),
                (time + MILLISECOND - took, 53, 2 * number + 1, answered),
            ]
        });
        packets(exchanges)
    };
    let here = sight(At::Inside, 0);
    must_be_whole(&compare(&[&here, &sight(At::Outside, 1)]), &here);
}

/// What a connection of TCP says: whether it is an answer, by its flags, how many bytes it has.
const SAID: [(bool, u8, usize); 8] = [
    (false, SYN, 0),
    (true, SYN | ACK, 0),
    (false, ACK, 0),
    (false, ACK, 200),
    (true, ACK, 0),
    (true, ACK, 900),
    (false, FIN | ACK, 0),
    (true, FIN | ACK, 0),
];
const SYN: u8 = 0x02;
const FIN: u8 = 0x01;

/// Short connections, each from a port of its own, for which the router has eight. What answers a
/// SYN, or what came late, has no identification.
#[test]
fn connections_come_one_after_the_other_by_one_port() {
    let sight = |at: At, segments: u64| {
        let said = (0..300_u32).flat_map(move |number| {
            let host = Host { number: 0, at };
            let port = match at {
                At::Inside => 4_000 + number as u16,
                At::Outside => 40_000 + number as u16 % 8,
            };
            let said = SAID.into_iter().enumerate();
            said.map(move |(place, (is_answer, flags, bytes))| {
                let numbers = (number * 7_919 + 1, number * 104_729 + 3);
                let data = noise(bytes, u64::from(number) << 8 | place as u64);
                let (path, ports, numbers, took) = match is_answer {
                    false => (host.out(), (port, 80), numbers, segments),
                    true => (
                        host.back(),
                        (80, port),
                        (numbers.1, numbers.0),
                        1 - segments,
                    ),
                };
                let segment = tcp_at(numbers, path, ports, flags, &data, Sum::Right);
                let packet = match is_answer && bytes == 0 {
                    true => whole(path, TCP, &segment),
                    false => cut(path, TCP, number * 8 + place as u32, &segment, 1_500).remove(0),
                };
                let sent = u64::from(number) * MILLISECOND + place as u64 * 60 * MICROSECOND;
                let time = sent + took * 20 * MICROSECOND;
                (time, 80, number * 8 + place as u32, vec![packet])
            })
        });
        packets(said)
    };
    let here = sight(At::Inside, 0);
    let comparison = compare(&[&here, &sight(At::Outside, 1)]);
    must_be_whole(&comparison, &here);
    let reordered = count(&comparison["segments"][0], "reordered");
    assert_eq!(reordered, 0, "in the order in which they were sent");
}

/// Large fragments that a translator puts together, and cuts to the size of its link.
#[test]
fn large_fragments_are_cut_anew_behind_it() {
    let sight = |at: At, mtu: usize| {
        let datagrams = (0..3 * ROUNDS).map(move |number| {
            let host = Host {
                number: (number % 3) as u8,
                at,
            };
            let pieces = cut(host.out(), UDP, number, &host.datagram(number, 20_000), mtu);
            (u64::from(number) * 2 * MILLISECOND, PORT, number, pieces)
        });
        packets(datagrams)
    };
    let here = sight(At::Inside, 9_000);
    let behind = sight(At::Outside, 1_500).later(100 * MICROSECOND);
    must_be_whole(&compare(&[&here, &behind]), &here);
}

/// Of IPv6, fragments that are put together and cut again have another identification.
#[test]
fn fragments_of_ipv6_have_new_identifications_behind_it() {
    let sight = |at: At| {
        let datagrams = (0..3 * ROUNDS).map(move |number| {
            let host = Host {
                number: (number % 3) as u8,
                at,
            };
            let (path, id) = match at {
                At::Inside => (v6(0x11 + u16::from(host.number), 9), number),
                At::Outside => (v6(1, 9), 70_000 + 7 * number),
            };
            let pieces = cut(path, UDP, id, &host.datagram(number, 4_000), 1_500);
            (u64::from(number) * 2 * MILLISECOND, PORT, number, pieces)
        });
        packets(datagrams)
    };
    let here = sight(At::Inside);
    let behind = sight(At::Outside).later(100 * MICROSECOND);
    must_be_whole(&compare(&[&here, &behind]), &here);
}

/// Answers that come back another way are not lost on the one that they did not take.
#[test]
fn answers_may_come_another_way() {
    let here = seen(At::Inside, 1_500, 0);
    let is_out = |packet: &Packet| packet.port < 300 || packet.port == BEATS;
    let out = Sight(
        here.0
            .iter()
            .filter(|packet| is_out(packet))
            .cloned()
            .collect(),
    );
    let behind = out.map(Packet::routed).later(100 * MICROSECOND);
    let comparison = compare(&[&here, &behind]);
    let segment = &comparison["segments"][0];
    let mut faults = Faults::new();
    faults.must_be("lost", &segment["lost"]["packets"], 0);
    let back = (here.0.len() - out.0.len()) as u64;
    faults.must_be("appeared", &segment["appeared"], back);
    faults.end();
}
