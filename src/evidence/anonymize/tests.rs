//! Frames made by hand, and frames nobody would send.

use super::*;
use crate::decode::{DecodeOptions, sum};
use crate::evidence::pcapng::InterfaceFacts;
use crate::evidence::{Kept, KeptFrame};
use crate::model::{FrameId, LinkType, Timestamp};
use crate::pipeline;
use proptest::prelude::*;

fn anonymizer() -> Anonymizer {
    let options = AnonymizeOptions {
        key: Some(std::array::from_fn(|place| place as u8)),
        macs: true,
        ids: true,
    };
    Anonymizer::new(&options).unwrap()
}

fn kept(link_type: LinkType, frames: &[Vec<u8>]) -> Kept {
    let frames = (1..).zip(frames).map(|(number, data)| KeptFrame {
        origin: FrameId { file: 0, number },
        interface: 0,
        timestamp: Timestamp(number as i64 * 1_000_000),
        wire_bytes: data.len() as u32,
        link_type,
        data: data.clone(),
        comment: Some("alice".to_owned()),
    });
    Kept {
        interfaces: vec![InterfaceFacts {
            name: "alices0".to_owned(),
            description: "alices uplink".to_owned(),
            link_type,
            snaplen: 0,
        }],
        statistics: vec![None],
        frames: frames.collect(),
    }
}

/// What becomes of frames, which must say the same.
fn disguised(link_type: LinkType, frames: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let anonymizer = anonymizer();
    let original = kept(link_type, frames);
    let new = anonymizer.frames(&original, &DecodeOptions::default());
    let options = pipeline::Options {
        threads: 1,
        ..pipeline::Options::default()
    };
    prove(&original, &new, &anonymizer, &options).unwrap();
    assert_eq!(new.interfaces[0].name, "interface-1");
    assert_eq!(new.interfaces[0].description, "");
    assert!(new.frames.iter().all(|frame| frame.comment.is_none()));
    new.frames.into_iter().map(|frame| frame.data).collect()
}

/// An IPv4 packet with a right header checksum.
fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let length = (20 + payload.len()) as u16;
    let mut packet = vec![0x45, 0, 0, 0, 0, 9, 0, 0, 64, protocol, 0, 0];
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    packet.extend([192, 0, 2, 1, 198, 51, 100, 7]);
    let checksum = !sum(&packet).0;
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
    packet.extend(payload);
    packet
}

fn ethernet(kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    frame.extend(kind.to_be_bytes());
    frame.extend(payload);
    frame
}

/// An ICMP or ICMPv6 message; its checksum is that of `pseudo` and the message.
fn message(head: [u8; 8], body: &[u8], pseudo: &[u8]) -> Vec<u8> {
    let mut message = [&head[..], body].concat();
    let checksum = !sum(&[pseudo, &message].concat()).0;
    message[2..4].copy_from_slice(&checksum.to_be_bytes());
    message
}

#[test]
fn arp_names_the_same_stations_as_the_frame_around_it() {
    let mut arp = vec![0, 1, 8, 0, 6, 4, 0, 2];
    arp.extend([2, 0, 0, 0, 0, 1, 192, 0, 2, 1]);
    arp.extend([2, 0, 0, 0, 0, 2, 198, 51, 100, 7]);
    arp.extend(*b"padding of eighteen");
    let new = disguised(LinkType::ETHERNET, &[ethernet(0x0806, &arp)]);
    let anonymizer = anonymizer();
    let (mapped, frame) = (&anonymizer.addresses, &new[0]);
    assert_eq!(frame[6..12], frame[22..28]);
    assert_eq!(frame[0..6], frame[32..38]);
    assert_ne!(frame[6..12], [2, 0, 0, 0, 0, 1]);
    assert_eq!(frame[28..32], mapped.v4([192, 0, 2, 1]));
    assert_eq!(frame[38..42], mapped.v4([198, 51, 100, 7]));
    assert!(frame[42..].iter().all(|byte| *byte == 0));
}

#[test]
fn what_is_not_decoded_is_gone() {
    for kind in [0x88cc, 0x0004, 0x8863, 0x8902] {
        let new = disguised(
            LinkType::ETHERNET,
            &[ethernet(kind, b"....alices switch, port 7")],
        );
        assert!(!new[0].windows(5).any(|five| five == b"alice"), "{kind:x}");
    }
    let unknown = disguised(LinkType(147), &[b"alice and bob".to_vec()]);
    assert_eq!(unknown[0], [0; 13]);
}

#[test]
fn a_quoted_packet_is_rewritten_like_a_packet() {
    let mut quoted = ipv4(17, &[0x0f, 0xa0, 0x13, 0x88, 0, 16, 0xab, 0xcd]);
    quoted.extend(*b"alice is");
    let message = message([3, 4, 0, 0, 0, 0, 5, 0xdc], &quoted, &[]);
    let new = disguised(LinkType::RAW, &[ipv4(1, &message)]);
    let anonymizer = anonymizer();
    let (frame, map) = (&new[0], &anonymizer.addresses);
    let quote = &frame[28..];
    assert_eq!(quote[12..16], map.v4([192, 0, 2, 1]));
    assert_eq!(quote[16..20], map.v4([198, 51, 100, 7]));
    assert!(sum(&quote[..20]).is_all_ones());
    // Ports and length stay, the checksum and the payload do not.
    assert_eq!(quote[20..26], [0x0f, 0xa0, 0x13, 0x88, 0, 16]);
    assert_ne!(quote[26..28], [0xab, 0xcd]);
    assert_ne!(quote[26..28], [0, 0]);
    assert_eq!(quote[28..], [0; 8]);
    assert!(sum(&frame[20..]).is_all_ones());
}

#[test]
fn neighbours_are_not_named() {
    let station = [2, 0, 0, 0, 0, 1];
    let address: [u8; 16] = *b"\x20\x01\x0d\xb8alices-house";
    let mut body = address.to_vec();
    body.extend([2, 1]);
    body.extend(station);
    let pseudo = [&address[..], &address, &[0, 0, 0, 32, 0, 0, 0, 58]].concat();
    let advertised = message([136, 0, 0, 0, 0x60, 0, 0, 0], &body, &pseudo);
    let mut packet = vec![0x60, 0, 0, 0, 0, 32, 58, 255];
    packet.extend(address);
    packet.extend(address);
    packet.extend(advertised);
    let new = disguised(LinkType::ETHERNET, &[ethernet(0x86dd, &packet)]);
    let anonymizer = anonymizer();
    let (mapped, icmp) = (anonymizer.addresses.v6(address), &new[0][54..]);
    assert_eq!(new[0][22..38], mapped);
    assert_eq!(icmp[8..24], mapped);
    assert_eq!(icmp[26..32], anonymizer.ids.mac(station));
    assert_eq!(icmp[4], 0x60);
}

#[test]
fn tunnels_on_linux_have_addresses_for_stations() {
    // SLL of an ipip device: ARPHRD_TUNNEL, 4 bytes of address.
    let mut frame = vec![0, 0, 3, 0, 0, 4, 192, 0, 2, 1, 9, 9, 9, 9, 8, 0];
    frame.extend(ipv4(99, b"alice"));
    let new = disguised(LinkType::LINUX_SLL, &[frame]);
    let anonymizer = anonymizer();
    assert_eq!(new[0][6..10], anonymizer.addresses.v4([192, 0, 2, 1]));
    assert_eq!(new[0][10..14], [0; 4]);
    assert_eq!(new[0][36..], [0; 5]);
}

#[test]
fn vlans_and_vnis_are_mapped_where_they_are_asked_for() {
    let inner = ethernet(0x0800, &ipv4(99, b"alice"));
    let mut vxlan = vec![0x08, 0, 0, 0, 0x12, 0x34, 0x56, 0];
    vxlan.extend(inner);
    let mut udp = vec![0xd0, 0, 0x12, 0xb5, 0, 0, 0, 0];
    udp.extend(vxlan);
    let length = (udp.len() as u16).to_be_bytes();
    udp[4..6].copy_from_slice(&length);
    let mut tagged = vec![0x20, 0x2a, 0x08, 0x00];
    tagged.extend(ipv4(17, &udp));
    let new = disguised(LinkType::ETHERNET, &[ethernet(0x8100, &tagged)]);
    let ids = &anonymizer().ids;
    let tag = u16::from_be_bytes([new[0][14], new[0][15]]);
    assert_eq!(tag, 0x2000 | ids.vlan(42));
    let vni = u32::from_be_bytes([0, new[0][50], new[0][51], new[0][52]]);
    assert_eq!(vni, ids.tunnel(crate::model::TunnelKind::Vxlan, 0x12_3456));
}

/// Frames that differ in nothing but payload become the same.
#[test]
fn payload_leaves_no_trace() {
    let udp = |payload: &[u8; 4]| {
        let mut udp = vec![0x0f, 0xa0, 0x13, 0x88, 0, 12, 0, 0];
        udp.extend(payload);
        let pseudo = [192, 0, 2, 1, 198, 51, 100, 7, 0, 17, 0, 12];
        let checksum = !sum(&[&pseudo[..], &udp].concat()).0;
        udp[6..8].copy_from_slice(&checksum.to_be_bytes());
        ipv4(17, &udp)
    };
    let new = disguised(LinkType::RAW, &[udp(b"yes."), udp(b"no!!")]);
    assert_eq!(new[0], new[1]);
}

proptest! {
    #[test]
    fn any_bytes_become_as_many(
        link_type in prop::sample::select(vec![0, 1, 9, 12, 50, 51, 101, 108, 113, 228, 229, 276]),
        frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..8),
        missing in 0u32..2_000,
    ) {
        let mut original = kept(LinkType(link_type), &frames);
        for frame in &mut original.frames {
            frame.wire_bytes += missing;
        }
        let new = anonymizer().frames(&original, &DecodeOptions::default());
        for (before, after) in original.frames.iter().zip(&new.frames) {
            prop_assert_eq!(before.data.len(), after.data.len());
            prop_assert_eq!(before.wire_bytes, after.wire_bytes);
        }
        prop_assert_eq!(original.frames.len(), new.frames.len());
    }

    /// Bytes that begin like a packet get further in.
    #[test]
    fn what_begins_like_a_packet_does_no_harm(
        start in prop::sample::select(vec![
            vec![0x45, 0, 0, 200, 0, 1, 0x20, 0, 64, 17],
            vec![0x4f, 0, 0, 200, 0, 1, 0, 0, 64, 6],
            vec![0x45, 0, 0, 200, 0, 1, 0, 0, 64, 1],
            vec![0x45, 0, 0, 200, 0, 1, 0, 0, 64, 47],
            vec![0x60, 0, 0, 0, 0, 200, 43, 64],
            vec![0x60, 0, 0, 0, 0, 200, 0, 64],
            vec![0x60, 0, 0, 0, 0, 200, 44, 64],
            vec![0x60, 0, 0, 0, 0, 200, 58, 64],
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..220),
        again in 0usize..4,
    ) {
        let frame = [start, rest].concat();
        let frames = vec![frame.clone(); again + 1];
        let new = anonymizer().frames(&kept(LinkType::RAW, &frames), &DecodeOptions::default());
        for after in &new.frames {
            prop_assert_eq!(after.data.len(), frame.len());
            prop_assert_eq!(&after.data, &new.frames[0].data);
        }
    }
}
