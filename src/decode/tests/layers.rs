//! Each link type, tag, header and tunnel once.

use super::frames::*;
use super::*;
use crate::model::facts::{IcmpQuote, OvnPorts};
use crate::model::{Addresses, Ports, Protocol, ScopeTag, TunnelKind};

#[test]
fn links_lead_to_the_packet() {
    let udp = "v4 udp/5001 good";
    for literal in [
        &UDP_PADDED,
        &SNAP,
        &SLL,
        &SLL2,
        &NULL_LE,
        &LOOP,
        &PPP_HDLC,
        &PPP_SHORT,
        &PPPOE,
        &MPLS_IP,
    ] {
        assert_eq!(told(literal), udp, "{}", literal.name);
    }
    assert_eq!(told(&NULL_BE), "v6 udp/5001 good");
    assert_eq!(told(&RAW6), "v6 udp/5001 good");
    assert_eq!(told(&MPLS_PW), "vlans [9] v4 udp/5001 good");
    assert_eq!(told(&QINQ_TCP6), "vlans [100, 7] v6 tcp/80 good +8");
}

#[test]
fn other_links_are_named() {
    let literal = Literal {
        link_type: 253,
        ..UDP_PADDED
    };
    assert_eq!(told(&literal), "! Link at 0: Unsupported(253)");
}

#[test]
fn padding_stays_out_of_the_payload() {
    let packet = facts(&mut decoder(), &UDP_PADDED);
    let layer = &packet.layers[0];
    assert_eq!((layer.payload_start, layer.payload_bytes), (34, 16));
    assert_eq!((layer.payload_captured, layer.ip_bytes), (16, 36));
    assert_eq!(layer.scope, ScopeTag::WIRE);
    assert_eq!((layer.hop_limit, layer.dont_fragment), (64, true));
    assert_eq!(
        layer.addresses,
        Addresses::v4([192, 0, 2, 1], [198, 51, 100, 2])
    );
    let ports = Ports {
        source: 40000,
        destination: 5001,
    };
    assert_eq!(layer.flow_key().ports, Some(ports));
}

#[test]
fn fragments_are_pieces_and_nothing_else() {
    assert_eq!(told(&FRAGMENT_FIRST), "v4 piece 0..24+ of udp");
    assert_eq!(told(&FRAGMENT_LAST), "v4 piece 24..56 of udp");
}

#[test]
fn extension_headers() {
    // Hop-by-hop, segment routing with a segment left, atomic fragment, destination options.
    let packet = facts(&mut decoder(), &EXTENSIONS);
    assert_eq!(story(&decoder(), &packet), "v6 atomic udp/5001 good");
    let layer = &packet.layers[0];
    let last: std::net::Ipv6Addr = "2001:db8::99".parse().unwrap();
    assert_eq!(layer.final_destination, Some(last.octets()));
    assert_eq!(layer.payload_start, 14 + 40 + 8 + 40 + 8 + 8);
    assert_eq!(layer.extension_bytes, 0);
    // The sum is right with the home address only, and with the last hop only.
    assert_eq!(told(&HOME_ADDRESS), "v6 udp/5001 good");
    assert_eq!(told(&SOURCE_ROUTE), "v4 udp/5001 good");
}

#[test]
fn tunnels_over_udp() {
    let inner = "v4 udp/5001 good";
    let cases = [
        (&VXLAN_5799, "v4 udp/5799 absent [vxlan 42]"),
        (&VXLAN_GPE, "v4 udp/4790 good [vxlan-gpe 42]"),
        (&GENEVE_OVN, "v4 udp/6081 good [geneve 77]"),
        (&GENEVE_7777, "v6 udp/7777 good [geneve 77]"),
    ];
    for (literal, outer) in cases {
        assert_eq!(told(literal), format!("{outer} > {inner}"));
    }
    let vlans = "vlans [7] v4 udp/4789 absent [vxlan 42] > vlans [5] v4 udp/5001 good";
    assert_eq!(told(&VXLAN_VLANS), vlans);
    let arp = "v4 udp/4444 absent [vxlan 1] > ! InnerEthernet at 64: Unsupported(2054)";
    assert_eq!(told(&ARP_IN_VXLAN), arp);
}

#[test]
fn tunnels_over_ip() {
    let inner = "v4 udp/5001 good";
    let cases = [
        (&GRE_CHECKSUM, "v4 gre good [gre 121]"),
        (&NVGRE, "v4 gre [nvgre 4660]"),
        (&GRETAP, "v6 gre [gretap]"),
        (&ERSPAN1, "v4 gre [erspan]"),
        (&ERSPAN2, "v4 gre [erspan 291]"),
        (&ERSPAN3, "v4 gre [erspan 341]"),
        (&IPIP, "v4 [ipip]"),
        (&IP6TNL, "v6 [ip6tnl]"),
    ];
    for (literal, outer) in cases {
        assert_eq!(
            told(literal),
            format!("{outer} > {inner}"),
            "{}",
            literal.name
        );
    }
    assert_eq!(told(&SIT), "v4 [sit] > v6 udp/5001 good");
}

#[test]
fn closed_tunnels_are_flows() {
    assert_eq!(told(&WIREGUARD), "v4 udp/51820 good (wireguard)");
    assert_eq!(told(&ESP_IN_UDP), "v4 udp/4500 absent (esp)");
}

#[test]
fn scopes_name_the_tunnel() {
    let mut decoder = decoder();
    let packet = facts(&mut decoder, &VXLAN_VLANS);
    let outer = decoder.scopes().get(packet.layers[0].scope).unwrap();
    assert_eq!(outer.vlans.ids(), [7]);
    let inner = decoder.scopes().get(packet.layers[1].scope).unwrap();
    assert_eq!(inner.parent, packet.layers[0].scope);
    let tunnel = inner.tunnel.unwrap();
    assert_eq!((tunnel.kind, tunnel.id), (TunnelKind::Vxlan, Some(42)));
    assert_eq!(tunnel.destination_port, Some(4789));
    assert_eq!(tunnel.endpoints, packet.layers[0].addresses);
    // The tunnel itself is without the VLANs inside it.
    let Carries::Tunnel(tag) = packet.layers[0].carries else {
        panic!()
    };
    assert!(decoder.scopes().get(tag).unwrap().vlans.is_empty());
    // The same tags come back, also from another decoder.
    assert_eq!(
        facts(&mut decoder, &VXLAN_VLANS).layers[1].scope,
        packet.layers[1].scope
    );
    let other = facts(&mut super::decoder(), &VXLAN_VLANS);
    assert_eq!(other.layers[1].scope, packet.layers[1].scope);
}

#[test]
fn ovn_ports_are_read() {
    let packet = facts(&mut decoder(), &GENEVE_OVN);
    let ports = OvnPorts {
        ingress: 3,
        egress: 9,
    };
    assert_eq!(packet.layers[0].ovn, Some(ports));
}

#[test]
fn unknown_ports_are_opened_only_if_asked() {
    let mut decoder = decoder_of_known_ports();
    let packet = facts(&mut decoder, &VXLAN_5799);
    assert_eq!(story(&decoder, &packet), "v4 udp/5799 absent");
    let mut decoder = Decoder::new(&DecodeOptions {
        vxlan_ports: vec![5799],
        auto_tunnel: AutoTunnel::Off,
        ..DecodeOptions::default()
    });
    assert_eq!(facts(&mut decoder, &VXLAN_5799).layers.len(), 2);
}

/// Each bit that speaks for VXLAN has to be right.
#[test]
fn nothing_but_vxlan_is_taken_for_vxlan() {
    let bytes = VXLAN_5799.bytes();
    let (udp_payload, inner_ip) = (42, 64);
    let header = (udp_payload..udp_payload + 4).chain([udp_payload + 7]);
    let checked = header
        .chain([inner_ip - 2, inner_ip - 1])
        .chain(inner_ip..inner_ip + 20);
    for at in checked {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let mut packet = Packet::default();
            decoder().frame(&frame(1, &changed), &mut packet);
            assert_eq!(packet.layers.len(), 1, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn icmp_errors_name_the_flow() {
    let packet = facts(&mut decoder(), &ICMP_TOO_BIG);
    assert_eq!(
        story(&decoder(), &packet),
        "v4 icmp good mtu 1400 about udp"
    );
    let quote = quote(&packet);
    assert_eq!(
        quote.flow.addresses,
        Addresses::v4([192, 0, 2, 1], [198, 51, 100, 2])
    );
    let ports = Ports {
        source: 40000,
        destination: 5001,
    };
    assert_eq!(quote.flow.ports, Some(ports));
    assert_eq!(quote.flow.scope, ScopeTag::WIRE);
    assert_eq!(told(&ICMP_REASSEMBLY), "v4 icmp good too late about udp");
    assert_eq!(told(&ICMP6_TOO_BIG), "v6 icmpv6 good mtu 1280 about udp");
}

fn quote(packet: &Packet) -> IcmpQuote {
    match packet.layers[0].transport {
        Transport::Icmp(icmp) => icmp.quoted.unwrap(),
        _ => panic!(),
    }
}

#[test]
fn other_transports() {
    assert_eq!(told(&SCTP), "v4 sctp/5001 good");
    assert_eq!(told(&UDP_LITE), "v4 udplite/5001 good");
    let packet = facts(&mut decoder(), &SCTP);
    assert_eq!(packet.layers[0].protocol, Protocol::SCTP);
}

#[test]
fn tunnels_are_opened_to_a_bound() {
    // Ten IPv4 headers, one in the other, around a datagram.
    let mut bytes = RAW4.bytes();
    for _ in 0..10 {
        let mut outer = vec![
            0x45, 0, 0, 0, 0, 0, 0, 0, 64, 4, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
        ];
        let total = (bytes.len() + 20) as u16;
        outer[2..4].copy_from_slice(&total.to_be_bytes());
        let checksum = !super::super::sum(&outer).0;
        outer[10..12].copy_from_slice(&checksum.to_be_bytes());
        outer.extend(&bytes);
        bytes = outer;
    }
    let mut packet = Packet::default();
    decoder().frame(&frame(101, &bytes), &mut packet);
    assert_eq!(packet.layers.len(), crate::model::facts::MAX_LAYERS);
    let stop = packet.stop.unwrap();
    assert_eq!(stop.why, crate::model::facts::Why::TooDeep);
}

/// An error inside a tunnel is about a packet that went through it the other way.
#[test]
fn icmp_errors_in_tunnels_name_the_flow_in_the_reverse_tunnel() {
    let mut decoder = decoder();
    let there = facts(&mut decoder, &IPIP).layers[1].scope;
    // The same tunnel backwards, with an ICMP error inside.
    let mut bytes = vec![
        0x45, 0, 0, 0, 0, 0, 0, 0, 64, 4, 0, 0, 198, 51, 100, 2, 192, 0, 2, 1,
    ];
    bytes.extend(&ICMP_TOO_BIG.bytes()[14..]);
    let total = bytes.len() as u16;
    bytes[2..4].copy_from_slice(&total.to_be_bytes());
    let mut packet = Packet::default();
    decoder.frame(&frame(101, &bytes), &mut packet);
    let Transport::Icmp(icmp) = packet.layers[1].transport else {
        panic!()
    };
    assert_ne!(packet.layers[1].scope, there);
    assert_eq!(icmp.quoted.unwrap().flow.scope, there);
}

/// An Ethernet frame with UDP from port 40000; the checksums are left out.
fn udp_to(port: u16, payload: &[u8]) -> Vec<u8> {
    let udp_bytes = 8 + payload.len() as u16;
    let mut frame = vec![2; 12];
    frame.extend([8, 0, 0x45, 0]);
    frame.extend((20 + udp_bytes).to_be_bytes());
    frame.extend([0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    frame.extend(40_000u16.to_be_bytes());
    frame.extend(port.to_be_bytes());
    frame.extend(udp_bytes.to_be_bytes());
    frame.extend([0, 0]);
    frame.extend(payload);
    frame
}

/// Tunnel ports are ports like others: what is no tunnel on them is a flow.
#[test]
fn ordinary_udp_on_tunnel_ports_is_a_flow() {
    let texts: [(u16, &[u8]); 5] = [
        (4789, b"Hello, this is a line of text"),
        (8472, b"H\x00\x00\x00 numbers that begin like flags"),
        (4790, b"Hello, this is a line of text"),
        (6081, b"\x00Hello, this is a line of text"),
        (
            6081,
            b"\x02\x00\x65\x58\x00\x00\x05\x00\x00\x00\x00\x1f1234567890",
        ),
    ];
    for (port, text) in texts {
        let bytes = udp_to(port, text);
        let mut packet = Packet::default();
        decoder().frame(&frame(1, &bytes), &mut packet);
        let layers: Vec<Carries> = packet.layers.iter().map(|layer| layer.carries).collect();
        assert_eq!(layers, [Carries::Flow], "port {port}");
    }
}

/// A priority tag says nothing of a VLAN.
#[test]
fn vlan_0_is_no_vlan() {
    let plain = udp_to(5001, b"text");
    let tagged = [&plain[..12], &[0x81, 0, 0xa0, 0], &plain[12..]].concat();
    let mut packet = Packet::default();
    decoder().frame(&frame(1, &tagged), &mut packet);
    assert_eq!(packet.layers[0].scope, crate::model::ScopeTag::WIRE);
}

/// Nothing but the length of UDP tells where a packet of total length 0 ends.
#[test]
fn padding_behind_a_length_of_zero_is_no_excess() {
    let mut bytes = udp_to(5001, b"text");
    bytes[16..18].fill(0);
    bytes.resize(60, 0);
    let mut packet = Packet::default();
    decoder().frame(&frame(1, &bytes), &mut packet);
    assert!(packet.layers[0].super_frame);
    assert!(matches!(
        packet.layers[0].transport,
        crate::model::facts::Transport::Udp(udp) if udp.length == crate::model::facts::UdpLength::Right
    ));
}
