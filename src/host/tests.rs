//! Messages as the kernel writes them, read.

use super::features::Features;
use super::*;
use crate::model::LinkType;
use netlink_packet_core::{
    DefaultNla, Emitable, NetlinkDeserializable, NetlinkHeader, ParseableParametrized,
};
use netlink_packet_generic::GenlHeader;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
const ETHER: u16 = 1;
const TUNNEL: u16 = 768;

/// An attribute: length, type, value, padding.
fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let attribute = DefaultNla::new(kind, value.to_vec());
    let mut bytes = vec![0; attribute.buffer_len()];
    attribute.emit(&mut bytes);
    bytes
}

fn message(kind: u16, body: &[u8]) -> RouteNetlinkMessage {
    let mut header = NetlinkHeader::default();
    header.message_type = kind;
    RouteNetlinkMessage::deserialize(&header, body).unwrap()
}

/// RTM_NEWLINK of an interface with a name and other attributes.
fn link(index: u32, layer: u16, name: &str, attributes: &[Vec<u8>]) -> RouteNetlinkMessage {
    let mut body = vec![0, 0];
    body.extend(layer.to_ne_bytes());
    body.extend(index.to_ne_bytes());
    body.extend([0; 8]);
    body.extend(attribute(3, &[name.as_bytes(), b"\0"].concat()));
    body.extend(attributes.concat());
    message(NEW_LINK, &body)
}

/// IFLA_LINKINFO: a kind and its data.
fn info(kind: &str, data: &[Vec<u8>]) -> Vec<u8> {
    let kind = attribute(1, kind.as_bytes());
    attribute(18, &[kind, attribute(2, &data.concat())].concat())
}

fn only(message: RouteNetlinkMessage) -> Interface {
    let links = by_index(&[message]);
    let mut all = assemble(&links, BTreeMap::new(), &BTreeMap::new());
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn v4(d: u8) -> Option<IpAddr> {
    Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, d)))
}

#[test]
fn an_interface_is_what_the_kernel_says_and_nothing_else() {
    let bare = only(link(3, ETHER, "eth\u{1b}0", &[]));
    assert_eq!(bare.name, "eth\u{1b}0");
    assert_eq!(
        (bare.state, bare.mtu, bare.mac),
        (State::Unknown, None, None)
    );
    assert_eq!((bare.encapsulation, bare.offload), (None, None));
    assert_eq!(bare.kind, "physical");
    let told = [
        attribute(1, &[2, 0, 0, 0, 0, 9]),
        attribute(4, &1450_u32.to_ne_bytes()),
        attribute(16, &[6]),
    ];
    let told = only(link(3, ETHER, "eth0", &told));
    assert_eq!((told.state, told.mtu), (State::Up, Some(1450)));
    assert_eq!(told.mac.unwrap().to_string(), "02:00:00:00:00:09");
    assert_eq!(told.link_type, Some(LinkType::ETHERNET));
}

#[test]
fn others_are_named_unless_they_are_in_another_namespace() {
    let lower = [attribute(5, &7_u32.to_ne_bytes())];
    let master = [attribute(10, &7_u32.to_ne_bytes())];
    let elsewhere = [lower[0].clone(), attribute(37, &0_u32.to_ne_bytes())];
    let links = by_index(&[
        link(9, ETHER, "away", &elsewhere),
        link(8, ETHER, "port", &master),
        link(4, ETHER, "upper", &lower),
        link(7, ETHER, "br0", &[]),
    ]);
    let all = assemble(&links, BTreeMap::new(), &BTreeMap::new());
    let seen = all.iter().map(|one| {
        let others = (one.parent.as_deref(), one.master.as_deref());
        (one.index, others)
    });
    let expected = [
        (4, (Some("br0"), None)),
        (7, (None, None)),
        (8, (None, Some("br0"))),
        (9, (None, None)),
    ];
    assert!(seen.eq(expected));
}

#[test]
fn parameters_of_tunnels_are_read() {
    let vxlan = info(
        "vxlan",
        &[
            attribute(1, &42_u32.to_ne_bytes()),
            attribute(2, &[10, 0, 0, 2]),
            attribute(4, &[10, 0, 0, 1]),
            attribute(15, &5799_u16.to_be_bytes()),
            attribute(18, &[1]),
            attribute(19, &[0]),
        ],
    );
    let expected = UdpTunnel {
        id: Some(42),
        local: v4(1),
        remote: v4(2),
        port: Some(5799),
        udpcsum: Some(true),
        udp6zerocsumtx: Some(false),
        ..UdpTunnel::default()
    };
    let read = only(link(3, ETHER, "vx", &[vxlan]));
    assert_eq!(read.encapsulation, Some(Encapsulation::Vxlan(expected)));
    assert_eq!(read.kind, "vxlan");

    let group = Ipv6Addr::new(0xff05, 0, 0, 0, 0, 0, 0, 1);
    let geneve = [
        attribute(1, &[0; 4]),
        attribute(7, &group.octets()),
        attribute(6, &[]),
    ];
    let expected = UdpTunnel {
        group: Some(group.into()),
        external: true,
        ..UdpTunnel::default()
    };
    let read = only(link(3, ETHER, "gnv", &[info("geneve", &geneve)]));
    assert_eq!(read.encapsulation, Some(Encapsulation::Geneve(expected)));

    let vlan = info("vlan", &[attribute(1, &7_u16.to_ne_bytes())]);
    let read = only(link(3, ETHER, "v", &[vlan])).encapsulation;
    assert_eq!(read, Some(Encapsulation::Vlan(Vlan { id: Some(7) })));
}

#[test]
fn an_end_of_a_tunnel_that_may_be_any_is_none() {
    for (kind, local, remote) in [
        ("ipip", 2, 3),
        ("sit", 2, 3),
        ("gre", 6, 7),
        ("gretap", 6, 7),
    ] {
        let data = [attribute(local, &[0; 4]), attribute(remote, &[10, 0, 0, 2])];
        let read = only(link(3, TUNNEL, "t", &[info(kind, &data)]));
        let expected = IpTunnel {
            local: None,
            remote: v4(2),
        };
        assert_eq!(
            read.encapsulation,
            Some(Encapsulation::Ip(expected)),
            "{kind}"
        );
        assert_eq!(read.link_type, Some(LinkType::RAW));
    }
}

#[test]
fn the_address_of_a_point_to_point_link_is_the_near_one() {
    let address = |index: u8, attributes: &[Vec<u8>]| {
        let body = [&[2, 24, 0, 0, index, 0, 0, 0], &attributes.concat()[..]].concat();
        message(NEW_ADDRESS, &body)
    };
    let far = attribute(1, &[10, 0, 0, 2]);
    let near = attribute(2, &[10, 0, 0, 1]);
    let read = address::by_interface(&[address(3, &[far.clone(), near]), address(3, &[far])]);
    let read: Vec<String> = read[&3].iter().map(ToString::to_string).collect();
    assert_eq!(read, ["10.0.0.1/24", "10.0.0.2/24"]);
}

/// ETHTOOL_MSG_FEATURES_GET_REPLY about interface 3.
fn features(set: &[Vec<u8>]) -> Features {
    let header = attribute(1, &attribute(1, &3_u32.to_ne_bytes()));
    let body = [header, attribute(4, &set.concat())].concat();
    let header = GenlHeader {
        cmd: 11,
        version: 1,
    };
    Features::parse_with_param(&body, header).unwrap()
}

fn bit(name: &str, rest: &[u8]) -> Vec<u8> {
    let name = attribute(2, &[name.as_bytes(), b"\0"].concat());
    attribute(1, &[&name, rest].concat())
}

#[test]
fn offloads_are_those_that_are_on() {
    let on = [bit("tx-checksum-ip-generic", &[]), bit("rx-gro", &[])].concat();
    let list = features(&[attribute(1, &[]), attribute(3, &on)]);
    let (index, offload) = list.offload().unwrap();
    assert_eq!(index, 3);
    assert!(offload.tx_checksumming && offload.gro);
    assert!(!offload.tso && !offload.gso && !offload.tx_udp_tnl_segmentation);

    let value = attribute(3, &[]);
    let mixed = [bit("tx-tcp-segmentation", &value), bit("rx-gro", &[])].concat();
    let (_, offload) = features(&[attribute(3, &mixed)]).offload().unwrap();
    assert!(offload.tso && !offload.gro);
}

#[test]
fn offloads_that_are_not_told_are_unknown() {
    let header = GenlHeader {
        cmd: 11,
        version: 1,
    };
    let nothing = attribute(1, &attribute(1, &3_u32.to_ne_bytes()));
    let told = Features::parse_with_param(&nothing, header).unwrap();
    assert_eq!(told.offload(), None);
    assert!(Features::parse_with_param(&[9, 0, 4], header).is_err());
}

#[test]
fn what_an_interface_counts_is_read_as_far_as_the_kernel_goes() {
    let counts: Vec<u8> = (1..=23_u64).flat_map(u64::to_ne_bytes).collect();
    let told = link(3, ETHER, "eth0", &[attribute(23, &counts)]);
    let expected = Statistics {
        name: "eth0".to_owned(),
        rx_packets: 1,
        tx_packets: 2,
        rx_bytes: 3,
        tx_bytes: 4,
        rx_errors: 5,
        tx_errors: 6,
        rx_dropped: 7,
        tx_dropped: 8,
    };
    assert_eq!(Statistics::read(&told), Some(expected));
    assert_eq!(Statistics::read(&link(3, ETHER, "eth0", &[])), None);
}

#[test]
fn this_kernel_counts_its_loopback() {
    let counted = statistics().unwrap();
    assert!(counted.iter().any(|one| one.name == "lo"));
}
