//! Datagrams that reassembly has put together.

use super::super::{Whole, sum};
use super::frames::*;
use super::*;
use crate::model::facts::Piece;

/// The pieces of the fragmented datagram: layers and payloads.
fn pieces() -> Vec<(Layer, Vec<u8>)> {
    [&FRAGMENT_FIRST, &FRAGMENT_LAST]
        .iter()
        .map(|literal| {
            let layer = facts(&mut decoder(), literal).layers.remove(0);
            let start = layer.payload_start as usize;
            let payload = literal.bytes()[start..][..layer.payload_bytes as usize].to_vec();
            (layer, payload)
        })
        .collect()
}

fn piece(layer: &Layer) -> Piece {
    match layer.fragment {
        Fragment::Piece(piece) => piece,
        _ => panic!(),
    }
}

#[test]
fn sums_of_pieces_make_the_verdict() {
    let pieces = pieces();
    let total = pieces.iter().fold(crate::model::Sum(0), |all, (layer, _)| {
        all.plus(piece(layer).sum.unwrap())
    });
    let (first, head) = &pieces[0];
    let decoder = decoder();
    let verdict = |sum| match decoder.transport(&Whole::begun_by(first, 56, sum), head) {
        Transport::Udp(udp) => (udp.checksum, udp.length, udp.ports.destination),
        _ => panic!(),
    };
    assert_eq!(
        verdict(Some(total)),
        (Verdict::Good, UdpLength::Right, 5001)
    );
    let wrong = total.plus(crate::model::Sum(1));
    assert_eq!(verdict(Some(wrong)), (Verdict::Bad, UdpLength::Right, 5001));
    assert_eq!(
        verdict(None),
        (Verdict::Unverifiable, UdpLength::Right, 5001)
    );
}

/// What tcpdump once called "bad length": a first fragment by itself.
#[test]
fn a_first_fragment_alone_is_shorter_than_its_udp_length() {
    let (first, head) = &pieces()[0];
    let alone = Whole::begun_by(first, first.payload_bytes, None);
    let Transport::Udp(udp) = decoder().transport(&alone, head) else {
        panic!()
    };
    assert_eq!(udp.length, UdpLength::Longer);
}

/// Whoever fragments has finished the checksum: what looks offloaded is bad.
#[test]
fn nothing_reassembled_is_offloaded() {
    let literal = &UDP_PARTIAL;
    let layer = facts(&mut decoder(), literal).layers.remove(0);
    let payload = &literal.bytes()[34..];
    let whole = Whole::begun_by(&layer, 16, Some(sum(payload)));
    let Transport::Udp(udp) = decoder().transport(&whole, payload) else {
        panic!()
    };
    assert_eq!(udp.checksum, Verdict::Bad);
}

#[test]
fn a_reassembled_tunnel_is_opened() {
    let layer = facts(&mut decoder(), &VXLAN_5799).layers.remove(0);
    let bytes = VXLAN_5799.bytes();
    let payload = &bytes[34..];
    let first_alone = Whole::begun_by(&layer, 64, None);
    let mut decoder = decoder();
    assert!(decoder.carries_tunnel(&first_alone, &payload[..64]));
    assert!(!decoder_of_known_ports().carries_tunnel(&first_alone, &payload[..64]));
    let whole = Whole::begun_by(&layer, payload.len() as u32, Some(sum(payload)));
    let mut packet = Packet::default();
    decoder.datagram(&whole, payload, &mut packet);
    let expected = "v4 udp/5799 absent [vxlan 42] > v4 udp/5001 good";
    assert_eq!(story(&decoder, &packet), expected);
    assert_eq!(packet.layers[0].payload_start, 0);
    assert_eq!(packet.layers[1].payload_start, 8 + 8 + 14 + 20);
    assert_eq!(
        packet.layers[1].scope,
        facts(&mut super::decoder(), &VXLAN_5799).layers[1].scope
    );
}

/// A decoder that never met the outer VLAN gives the scope inside the same tag.
#[test]
fn strangers_agree_on_scopes() {
    let mut met = decoder();
    let layer = facts(&mut met, &VXLAN_VLANS).layers.remove(0);
    let payload = &VXLAN_VLANS.bytes()[38..];
    let whole = Whole::begun_by(&layer, payload.len() as u32, Some(sum(payload)));
    let mut stranger = decoder();
    let mut packet = Packet::default();
    stranger.datagram(&whole, payload, &mut packet);
    let tag = packet.layers[1].scope;
    assert!(stranger.scopes().get(layer.scope).is_none());
    assert_eq!(stranger.scopes().get(tag), met.scopes().get(tag));
}

/// A TCP header split after 8 bytes: ports and verdict, no more.
#[test]
fn a_tiny_first_fragment_still_names_the_flow() {
    let layer = facts(&mut decoder(), &LCO).layers.remove(1);
    let whole = Whole::begun_by(&layer, layer.payload_bytes, Some(crate::model::Sum(0)));
    let bytes = LCO.bytes();
    let head = &bytes[layer.payload_start as usize..][..8];
    match decoder().transport(&whole, head) {
        Transport::Cut { ports, checksum } => {
            assert_eq!((ports.destination, checksum), (80, Verdict::Bad));
        }
        other => panic!("{other:?}"),
    }
}
