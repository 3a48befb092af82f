//! The glance at ordinary frames against the walk: they never disagree.

use super::frames::ALL;
use super::made::{ETHERNET, Made, made};
use super::*;
use crate::decode::checksum::sum;
use crate::decode::{IpFields, geneve, vxlan};
use crate::model::facts::{LARGEST_MTU, Segment};
use crate::model::{Ports, Protocol, ScopeTag};
use proptest::prelude::*;

/// What is done to a frame once it is made.
#[derive(Clone, Debug)]
enum Damage {
    None,
    /// In front of everything else, where the headers are.
    Byte(usize, u8),
    /// The sums stay right.
    Swap(usize, usize),
    Cut(usize),
    Snaplen(u32),
    LinkType(u32),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        Just(Damage::None),
        (12..90usize, any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        (
            12..90usize,
            prop::sample::select(vec![0, 1, 2, 4, 5, 8, 17, 40, 0x46, 0x60, 0xff])
        )
            .prop_map(|(at, byte)| Damage::Byte(at, byte)),
        (6..40usize, 6..40usize).prop_map(|(one, other)| Damage::Swap(one, other)),
        (0..120usize).prop_map(Damage::Cut),
        (1..100u32).prop_map(Damage::Snaplen),
        prop::sample::select(vec![0, 101, 113, 228]).prop_map(Damage::LinkType),
    ]
}

/// Whether the glance says what the walk says, and says nothing of what is unusual.
fn check(decoder: &mut Decoder, frame: &Frame<'_>) -> bool {
    let mut packet = Packet::default();
    decoder.frame(frame, &mut packet);
    let plain = decoder.plain(frame);
    match (plain, ordinary(frame, &packet)) {
        (None, None) => false,
        (Some(plain), Some(layer)) => {
            assert_eq!(plain.key, layer.flow_key());
            assert_eq!(plain.ip_bytes, layer.ip_bytes);
            let fields = IpFields::of(frame.data, ETHERNET, layer.addresses.version);
            assert_eq!(plain.ip, fields);
            assert_eq!(plain.segment(), segment_of(&layer.transport));
            let lasting = plain.lasting_sum().map(|sum| sum.0 % 0xffff);
            assert_eq!(lasting, lasting_of(layer, plain.upper()));
            true
        }
        (plain, layer) => panic!("{plain:?} is not {layer:?}"),
    }
}

fn segment_of(transport: &Transport) -> Option<Segment> {
    match transport {
        Transport::Tcp(tcp) => Some(tcp.segment),
        _ => None,
    }
}

/// The sum of UDP with blanks where NAT writes; zero has one form.
fn lasting_of(layer: &Layer, upper: &[u8]) -> Option<u16> {
    let mut blanked = upper.to_vec();
    for at in [0, 2, 6] {
        blanked[at..at + 2].fill(0);
    }
    (layer.protocol == Protocol::UDP).then(|| sum(&blanked).0 % 0xffff)
}

/// The layer of a packet that is ordinary by its facts.
fn ordinary<'p>(frame: &Frame<'_>, packet: &'p Packet) -> Option<&'p Layer> {
    let [layer] = &packet.layers[..] else {
        return None;
    };
    let is_v4 = layer.header_checksum.is_some();
    let header = if is_v4 { 20 } else { 40 };
    let checks = [
        packet.stop.is_none(),
        frame.link_type == LinkType::ETHERNET,
        !frame.is_truncated(),
        layer.payload_start as usize == ETHERNET + header,
        layer.payload_captured == layer.payload_bytes,
        layer.ip_bytes as usize == layer.payload_bytes as usize + header,
        layer.ip_bytes <= LARGEST_MTU,
        layer.scope == ScopeTag::WIRE,
        layer.fragment == Fragment::No,
        layer.carries == Carries::Flow,
        layer.final_destination.is_none(),
        layer
            .header_checksum
            .is_none_or(|verdict| verdict == Verdict::Good),
        !layer.ip_longer,
        !layer.super_frame,
    ];
    let is_ordinary = match layer.transport {
        Transport::Udp(udp) => {
            layer.protocol == Protocol::UDP
                && udp.checksum == Verdict::Good
                && udp.length == UdpLength::Right
                && !is_suspect(udp.ports, &frame.data[layer.payload_start as usize + 8..])
        }
        Transport::Tcp(tcp) => tcp.checksum == Verdict::Good,
        _ => false,
    };
    (is_ordinary && checks.iter().all(|holds| *holds)).then_some(layer)
}

/// Whether a UDP payload has to be looked at closely.
fn is_suspect(ports: Ports, payload: &[u8]) -> bool {
    let telling = [4789, 8472, 6081, 4790, 4500, 51820, 51821, 51871];
    let word = payload.first_chunk().map(|word| u32::from_be_bytes(*word));
    telling.contains(&ports.source)
        || telling.contains(&ports.destination)
        || word.is_some_and(|word| vxlan::may_begin(word) || geneve::may_begin(word))
}

#[test]
fn of_the_literal_frames_the_ordinary_ones() {
    let mut decoder = decoder();
    let mut plain = 0;
    for literal in ALL {
        let bytes = literal.bytes();
        plain += usize::from(check(&mut decoder, &frame(literal.link_type, &bytes)));
        for length in 0..bytes.len() {
            check(&mut decoder, &frame(literal.link_type, &bytes[..length]));
        }
    }
    assert!(plain > 0);
}

#[test]
fn what_was_made_ordinary_is() {
    let mut decoder = decoder();
    for (is_v6, protocol) in [
        (false, Protocol::UDP),
        (false, Protocol::TCP),
        (true, Protocol::UDP),
        (true, Protocol::TCP),
    ] {
        for bytes in (0..200).chain([1472, 8900]) {
            let made = Made {
                is_v6,
                protocol,
                ports: (40_000, 53),
                payload: vec![0xa7; bytes],
                padding: bytes % 5,
            };
            assert!(check(&mut decoder, &frame(1, &made.frame())), "{made:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn glance_and_walk_agree(
        made in made(),
        damages in prop::collection::vec(damage(), 1..3),
        repaired in any::<bool>(),
    ) {
        let mut bytes = made.frame();
        let (mut cut_off, mut link_type) = (0, 1);
        for damage in damages {
            match damage {
                Damage::None => {}
                Damage::Byte(at, byte) => {
                    if let Some(slot) = bytes.get_mut(at) {
                        *slot = byte;
                    }
                }
                Damage::Swap(one, other) => {
                    if one.max(other) * 2 + 1 < bytes.len() {
                        for half in 0..2 {
                            bytes.swap(one * 2 + half, other * 2 + half);
                        }
                    }
                }
                Damage::Cut(count) => bytes.truncate(bytes.len().saturating_sub(count)),
                Damage::Snaplen(count) => cut_off = count,
                Damage::LinkType(other) => link_type = other,
            }
        }
        if repaired {
            made.repair(&mut bytes);
        }
        let cut = Frame {
            wire_bytes: bytes.len() as u32 + cut_off,
            ..frame(link_type, &bytes)
        };
        check(&mut decoder(), &cut);
        check(&mut decoder_of_known_ports(), &cut);
    }

    #[test]
    fn glance_and_walk_agree_about_anything(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
    ) {
        check(&mut decoder(), &frame(1, &bytes));
    }
}
