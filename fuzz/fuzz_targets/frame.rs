//! Any bytes as a frame of each link type, and as the payload of a datagram that was
//! put together: decoding states facts that lie within the bytes, and never panics.
#![no_main]

use fraglens::decode::{DecodeOptions, Decoder, Whole, sum};
use fraglens::model::facts::{Fragment, MAX_LAYERS, Packet};
use fraglens::model::{Addresses, Frame, FrameId, LinkType, Protocol, ScopeTag, Timestamp};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

const LINK_TYPES: [LinkType; 14] = [
    LinkType::NULL,
    LinkType::ETHERNET,
    LinkType::PPP,
    LinkType::RAW_BSD,
    LinkType::RAW_OPENBSD,
    LinkType::PPP_HDLC,
    LinkType::PPP_ETHER,
    LinkType::RAW,
    LinkType::LOOP,
    LinkType::LINUX_SLL,
    LinkType::IPV4,
    LinkType::IPV6,
    LinkType::LINUX_SLL2,
    // One that is not decoded.
    LinkType(147),
];

const PROTOCOLS: [Protocol; 9] = [
    Protocol::UDP,
    Protocol::TCP,
    Protocol::ICMP,
    Protocol::ICMPV6,
    Protocol::IPV4,
    Protocol::IPV6,
    Protocol::GRE,
    Protocol::UDP_LITE,
    Protocol::SCTP,
];

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// Bytes of the wire beyond those captured.
    cut: u16,
    /// Bytes of extension headers that a first fragment was found to begin with, in
    /// units of 8; never more than there are.
    extensions: u8,
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let mut decoder = Decoder::new(&DecodeOptions::default());
    let mut packet = Packet::default();
    for link_type in LINK_TYPES {
        let frame = Frame {
            id: FrameId { file: 0, number: 1 },
            timestamp: Timestamp(0),
            wire_bytes: input.bytes.len() as u32 + u32::from(input.cut),
            link_type,
            interface: 0,
            data: input.bytes,
        };
        decoder.frame(&frame, &mut packet);
        check(&packet, &input);
    }
    for protocol in PROTOCOLS {
        for addresses in [
            Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            Addresses::v6([1; 16], [2; 16]),
        ] {
            let whole = whole(&input, addresses, protocol);
            decoder.datagram(&whole, input.bytes, &mut packet);
            check(&packet, &input);
            let _ = decoder.transport(&whole, input.bytes);
            let _ = decoder.carries_tunnel(&whole, input.bytes);
        }
    }
});

fn whole(input: &Input<'_>, addresses: Addresses, protocol: Protocol) -> Whole {
    let payload_bytes = input.bytes.len() as u32 + u32::from(input.cut);
    Whole {
        scope: ScopeTag::WIRE,
        addresses,
        final_destination: None,
        home_address: None,
        protocol,
        extension_bytes: (u16::from(input.extensions) * 8).min(input.bytes.len() as u16 & !7),
        payload_bytes,
        sum: (input.cut == 0).then(|| sum(input.bytes)),
        excess: None,
        ip_bytes: payload_bytes + 20,
        hop_limit: 64,
        dont_fragment: false,
    }
}

/// What holds for the facts of any bytes.
fn check(packet: &Packet, input: &Input<'_>) {
    assert!(packet.layers.len() <= MAX_LAYERS);
    for layer in &packet.layers {
        let start = layer.payload_start as usize;
        let captured = layer.payload_captured as usize;
        let payload = input.bytes.get(start..start + captured);
        assert!(payload.is_some(), "the payload lies in the frame");
        if let (Fragment::Piece(piece), Some(payload)) = (&layer.fragment, payload) {
            assert!(piece.offset.is_multiple_of(8));
            assert!(piece.more || piece.offset > 0);
            if let Some(known) = piece.sum {
                let whole = &payload[..layer.payload_bytes as usize];
                assert_eq!(known, sum(whole), "the sum is that of the payload");
            }
        }
    }
    if let Some(stop) = &packet.stop {
        // What a layer begins with may have been cut, but was on the wire.
        let wire_bytes = input.bytes.len() + usize::from(input.cut);
        assert!(stop.offset as usize <= wire_bytes, "{stop:?} in {packet:?}");
    }
}
