//! Questions of one packet each, as those to name servers, whose addresses are translated on the
//! way: of each that is lost, and of each answer that is, nothing is on the other side.

use super::sight::{BEGIN, Packet, Sight};
use super::{Faults, compare};
use crate::findings::capture::{MICROSECOND, MILLISECOND};
use crate::findings::packet::{Sum, UDP, cut, noise, udp, v4};
use crate::support::count;

const QUESTIONS: u16 = 500;
const PORT: u16 = 53;
const POD: [u8; 4] = [10, 1, 0, 11];

/// Who asks whom in front of a node, and behind it.
struct Node {
    ends: [[[u8; 4]; 2]; 2],
    /// Ports are others behind, by so much.
    ports: u16,
}

const MASQUERADE: Node = Node {
    ends: [[POD, [192, 0, 2, 9]], [[192, 0, 2, 1], [192, 0, 2, 9]]],
    ports: 20_000,
};
const SERVICE: Node = Node {
    ends: [[POD, [10, 96, 0, 10]], [POD, [10, 1, 2, 9]]],
    ports: 0,
};

impl Node {
    /// A question as it is known at one of two points, or its answer.
    fn packet(&self, point: usize, number: u16, is_answer: bool) -> Packet {
        let [asking, asked] = self.ends[point];
        let is_routed = is_answer != (point == 1);
        let path = match is_answer {
            true => v4(asked, asking),
            false => v4(asking, asked),
        };
        let path = if is_routed { path.routed() } else { path };
        let took = if is_answer { 3 - point } else { point } as u64;
        let data = noise(40, u64::from(number) << 1 | u64::from(is_answer));
        let mut datagram = udp(path, PORT, &data, Sum::Zero);
        let port = (5_000 + number + point as u16 * self.ports).to_be_bytes();
        let place = if is_answer { 2..4 } else { 0..2 };
        datagram[place].copy_from_slice(&port);
        if is_answer {
            datagram[..2].copy_from_slice(&PORT.to_be_bytes());
        }
        let id = u32::from(number) * 7 + 11;
        Packet {
            time: BEGIN + u64::from(number) * 4 * MILLISECOND + took * 100 * MICROSECOND,
            ip: cut(path, UDP, id, &datagram, 1_500).remove(0),
            port: u16::from(is_answer),
            datagram: number.into(),
            index: 0,
            is_last: true,
        }
    }

    fn seen(&self, point: usize) -> Sight {
        let numbers = (0..QUESTIONS).flat_map(|number| [(number, false), (number, true)]);
        let packets = numbers.map(|(number, is_answer)| self.packet(point, number, is_answer));
        Sight::between_beats(packets)
    }
}

fn is_lost_on_its_way(packet: &Packet) -> bool {
    packet.port == 0 && packet.datagram % 20 == 7
}

/// Of what was asked behind the node.
fn is_lost_on_the_way_back(packet: &Packet) -> bool {
    packet.port == 1 && packet.datagram % 20 == 13
}

fn are_lost(node: &Node) {
    let is_asked = |packet: &Packet| packet.datagram % 20 != 7;
    let here = node.seen(0).without(|packet| {
        packet.port == 1 && (!is_asked(packet) || is_lost_on_the_way_back(packet))
    });
    let there = node
        .seen(1)
        .without(|packet| is_lost_on_its_way(packet) || packet.port == 1 && !is_asked(packet));
    let comparison = compare(&[&here, &there]);
    let mut faults = Faults::new();
    for (way, direction) in ["on its way", "on the way back"].into_iter().zip(0..) {
        let segment = &comparison["directions"][direction]["segments"][0];
        faults.must_be(way, &segment["lost"]["packets"], QUESTIONS / 20);
        let apart = segment["one_sided"].as_array().unwrap();
        faults.unless(apart.is_empty(), || format!("{way}: {apart:?}"));
        for number in ["appeared", "outside"] {
            let is = count(segment, number);
            faults.unless(is == 0, || format!("{way}: {number} is {is}"));
        }
    }
    faults.end();
}

#[test]
fn questions_and_answers_are_lost_behind_one_address() {
    are_lost(&MASQUERADE);
}

#[test]
fn questions_and_answers_of_a_service_are_lost() {
    are_lost(&SERVICE);
}
