//! Bytes nobody would send, and every beginning of those somebody would.

use super::super::Whole;
use super::frames::{ALL, Literal};
use super::*;
use crate::model::Sum;
use crate::model::facts::MAX_LAYERS;
use proptest::prelude::*;

/// What holds of the facts of any bytes at all.
fn check(decoder: &mut Decoder, link_type: u32, data: &[u8], wire_bytes: u32) -> Packet {
    let mut packet = Packet::default();
    let cut = Frame {
        wire_bytes,
        ..frame(link_type, data)
    };
    decoder.frame(&cut, &mut packet);
    assert!(packet.layers.len() <= MAX_LAYERS);
    for layer in &packet.layers {
        assert!(layer.payload_captured <= layer.payload_bytes);
        let end = (layer.payload_start + layer.payload_captured) as usize;
        assert!(layer.payload_captured == 0 || end <= data.len());
        if let Fragment::Piece(piece) = layer.fragment {
            assert_eq!(piece.offset % 8, 0);
            assert_eq!(
                piece.sum.is_some(),
                layer.payload_captured == layer.payload_bytes
            );
        }
    }
    again(decoder, data, &packet);
    packet
}

/// The same bytes as the payload of a datagram.
fn again(decoder: &mut Decoder, data: &[u8], packet: &Packet) {
    let mut inner = Packet::default();
    for layer in &packet.layers {
        for sum in [None, Some(Sum(0x1234))] {
            let whole = Whole::begun_by(layer, layer.payload_bytes, sum);
            decoder.transport(&whole, data);
            decoder.carries_tunnel(&whole, data);
            decoder.datagram(&whole, data, &mut inner);
        }
    }
}

/// Cut anywhere, a frame never looks damaged: it stops, or is not judged.
#[test]
fn every_beginning_is_read_as_far_as_it_goes() {
    let mut decoder = decoder();
    for literal in ALL {
        let bytes = literal.bytes();
        let whole = facts(&mut decoder, literal);
        for length in 0..bytes.len() {
            let part = &bytes[..length];
            let packet = check(&mut decoder, literal.link_type, part, bytes.len() as u32);
            assert!(packet.layers.len() <= whole.layers.len());
            let is_cut = packet.stop.is_some() || unjudged(&packet, length);
            let is_tail = told_alike(&packet, &whole);
            assert!(is_cut || is_tail, "{} cut to {length}", literal.name);
            check(&mut decoder, literal.link_type, part, length as u32);
        }
    }
}

/// Whether some layer has less payload than it claims.
fn unjudged(packet: &Packet, length: usize) -> bool {
    packet
        .layers
        .iter()
        .any(|layer| (layer.payload_start + layer.payload_bytes) as usize > length)
}

/// Whether only padding was cut.
fn told_alike(part: &Packet, whole: &Packet) -> bool {
    part.layers.len() == whole.layers.len()
        && part
            .layers
            .iter()
            .zip(&whole.layers)
            .all(|(a, b)| a.transport == b.transport)
}

/// Claims to be any link type that is decoded.
fn link_types() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![0u32, 1, 9, 12, 50, 51, 101, 108, 113, 228, 229, 276])
}

fn literals() -> impl Strategy<Value = &'static Literal> {
    (0..ALL.len()).prop_map(|index| ALL[index])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_bytes_are_survived(
        link_type in link_types(),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        more in 0u32..2000,
    ) {
        check(&mut decoder(), link_type, &bytes, bytes.len() as u32 + more);
    }

    #[test]
    fn damaged_frames_are_survived(
        literal in literals(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        more in 0u32..100_000,
    ) {
        let mut bytes = literal.bytes();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        check(&mut decoder(), literal.link_type, &bytes, bytes.len() as u32 + more);
    }

    /// Ordinary UDP is no tunnel, whatever it carries.
    #[test]
    fn random_payloads_are_no_tunnels(
        payload in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut bytes = vec![0x45, 0, 0, 0, 0, 1, 0, 0, 64, 17, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2];
        bytes.extend([0x30, 0x39, 0x30, 0x3a]);
        bytes.extend((payload.len() as u16 + 12).to_be_bytes());
        // No checksum, and the first bytes of VXLAN.
        bytes.extend([0, 0, 8, 0, 0, 0]);
        bytes.extend(&payload);
        let packet = check(&mut decoder(), 101, &bytes, bytes.len() as u32);
        prop_assert_eq!(packet.layers[0].carries, Carries::Flow);
    }
}
