//! What the kernel says of one interface, but for its addresses and features.

use super::{Encapsulation, Mac, State};
use crate::model::LinkType;
use netlink_packet_route::link::{
    InfoData, InfoVxlan, LinkAttribute, LinkInfo, LinkLayerType, LinkMessage, State as Operation,
};

/// An interface that knows others by their index only.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) state: State,
    pub(super) mtu: Option<u32>,
    pub(super) mac: Option<Mac>,
    pub(super) link_type: Option<LinkType>,
    pub(super) kind: String,
    pub(super) master: Option<u32>,
    pub(super) parent: Option<u32>,
    pub(super) encapsulation: Option<Encapsulation>,
}

pub(super) fn read(message: &LinkMessage) -> Link {
    let layer = message.header.link_layer_type;
    let mut link = Link {
        name: String::new(),
        state: State::Unknown,
        mtu: None,
        mac: None,
        link_type: captured_as(layer),
        kind: kind_without_a_name(layer).to_owned(),
        master: None,
        parent: None,
        encapsulation: None,
    };
    let mut is_parent_elsewhere = false;
    for attribute in &message.attributes {
        match attribute {
            LinkAttribute::IfName(name) => link.name.clone_from(name),
            LinkAttribute::OperState(operation) => link.state = state(*operation),
            LinkAttribute::Mtu(mtu) => link.mtu = Some(*mtu),
            LinkAttribute::Address(address) => link.mac = mac(layer, address),
            LinkAttribute::Controller(index) => link.master = Some(*index),
            LinkAttribute::Link(index) => link.parent = Some(*index),
            LinkAttribute::LinkNetNsId(_) => is_parent_elsewhere = true,
            LinkAttribute::LinkInfo(infos) => infos.iter().for_each(|info| link.learn(info)),
            _ => {}
        }
    }
    // Its index is one of that namespace, and may be another interface's here.
    link.parent = link.parent.filter(|_| !is_parent_elsewhere);
    link
}

impl Link {
    fn learn(&mut self, info: &LinkInfo) {
        match info {
            LinkInfo::Kind(kind) => self.kind = kind.to_string(),
            LinkInfo::Data(data) => {
                self.encapsulation = Encapsulation::read(data);
                self.parent = self.parent.or_else(|| vxlan_device(data));
            }
            _ => {}
        }
    }
}

/// The interface that a VXLAN is bound to, which is not said where others say theirs.
fn vxlan_device(data: &InfoData) -> Option<u32> {
    let InfoData::Vxlan(told) = data else {
        return None;
    };
    told.iter().find_map(|attribute| match attribute {
        InfoVxlan::Link(index) => Some(*index),
        _ => None,
    })
}

fn state(operation: Operation) -> State {
    match operation {
        Operation::Up => State::Up,
        Operation::Unknown | Operation::Other(_) => State::Unknown,
        _ => State::Down,
    }
}

fn mac(layer: LinkLayerType, address: &[u8]) -> Option<Mac> {
    let has_macs = matches!(layer, LinkLayerType::Ether | LinkLayerType::Loopback);
    address.try_into().ok().filter(|_| has_macs).map(Mac)
}

fn kind_without_a_name(layer: LinkLayerType) -> &'static str {
    match layer {
        LinkLayerType::Loopback => "loopback",
        _ => "physical",
    }
}

/// The link-layer header that libpcap gives to frames of a device, as its
/// `map_arphrd_to_dlt` does; where it knows none, it captures "cooked".
fn captured_as(layer: LinkLayerType) -> Option<LinkType> {
    Some(match layer {
        LinkLayerType::Ether | LinkLayerType::Loopback => LinkType::ETHERNET,
        LinkLayerType::None | LinkLayerType::Tunnel | LinkLayerType::Sit => LinkType::RAW,
        LinkLayerType::Tunnel6
        | LinkLayerType::Ipgre
        | LinkLayerType::Ip6gre
        | LinkLayerType::Ppp => LinkType::LINUX_SLL,
        _ => return None,
    })
}
