//! Checksum verdicts and lengths.

use super::frames::*;
use super::*;

#[test]
fn verdicts_of_whole_packets() {
    let cases = [
        // The sender's kernel left both checksums to the NIC.
        (&UDP_PARTIAL, "v4 header-offloaded udp/5001 offloaded"),
        (&UDP_BAD, "v4 udp/5001 bad"),
        // With a finished transport checksum nothing excuses an empty header checksum.
        (&EMPTY_HEADER, "v4 header-offloaded udp/5001 good"),
        (&UDP6_ZERO, "v6 udp/5001 bad"),
        (
            &VXLAN6_ZERO,
            "v6 udp/4789 absent [vxlan 42] > v4 udp/5001 good",
        ),
        (&TSO, "v4 header-offloaded super tcp/80 offloaded +80"),
        (&BIG6, "v6 super tcp/80 offloaded +80"),
        // Local Checksum Offload.
        (
            &LCO,
            "v4 udp/8472 offloaded [vxlan 42] > v4 tcp/80 offloaded +8",
        ),
        (
            &LCO6,
            "v6 udp/8472 offloaded [vxlan 42] > v4 tcp/80 offloaded +8",
        ),
        (&UDP_SHORTER, "v4 udp/5001 good shorter"),
        (&UDP_LONGER, "v4 udp/5001 unverifiable longer"),
        (&UDP_TINY, "v4 udp/5001 unverifiable belowheader"),
        // What is there verifies, but is not all that is claimed.
        (&IP_LONGER, "v4 ip-longer udp/5001 good"),
        (
            &TCP_CUT,
            "v4 ip-longer tcp/80 cut unverifiable > ! Tcp at 34: Truncated",
        ),
    ];
    for (literal, expected) in cases {
        assert_eq!(told(literal), expected, "{}", literal.name);
    }
}

/// An outer checksum that is wrong for another reason stays bad.
#[test]
fn local_checksum_offload_explains_only_what_it_explains() {
    let mut bytes = LCO.bytes();
    bytes[41] ^= 1;
    let mut decoder = decoder();
    let mut packet = Packet::default();
    decoder.frame(&frame(1, &bytes), &mut packet);
    let expected = "v4 udp/8472 bad [vxlan 42] > v4 tcp/80 offloaded +8";
    assert_eq!(story(&decoder, &packet), expected);
}

/// A cut frame is never judged, not even where the field looks offloaded; but that
/// look excuses an empty header checksum.
#[test]
fn cut_frames_are_unverifiable() {
    let mut decoder = decoder();
    let mut packet = Packet::default();
    for (literal, expected) in [
        (&UDP_BAD, "v4 udp/5001 unverifiable"),
        (&UDP_PARTIAL, "v4 header-offloaded udp/5001 unverifiable"),
        (&EMPTY_HEADER, "v4 header-offloaded udp/5001 unverifiable"),
    ] {
        let bytes = literal.bytes();
        let cut = Frame {
            wire_bytes: bytes.len() as u32,
            ..frame(1, &bytes[..44])
        };
        decoder.frame(&cut, &mut packet);
        assert_eq!(story(&decoder, &packet), expected, "{}", literal.name);
    }
}

/// 0xffff stands for a computed zero (RFC 768); 0x0000 would say "none".
#[test]
fn all_ones_verify_for_a_computed_zero() {
    let mut bytes = UDP_BAD.bytes();
    bytes[40..42].copy_from_slice(&[0, 0]);
    // A payload word that brings the sum to all ones without the field.
    let sum = super::super::sum(&bytes[34..50])
        .plus(super::super::sum(&bytes[26..34]))
        .plus(crate::model::Sum(17 + 16));
    let word = crate::model::Sum(u16::from_be_bytes([bytes[42], bytes[43]]));
    let needed = crate::model::Sum(0xffff).minus(sum.minus(word)).0;
    bytes[42..44].copy_from_slice(&needed.to_be_bytes());
    let mut packet = Packet::default();
    for (field, verdict) in [([0xff, 0xff], Verdict::Good), ([0, 0], Verdict::Absent)] {
        bytes[40..42].copy_from_slice(&field);
        decoder().frame(&frame(1, &bytes), &mut packet);
        let Transport::Udp(udp) = packet.layers[0].transport else {
            panic!()
        };
        assert_eq!(udp.checksum, verdict);
    }
}
