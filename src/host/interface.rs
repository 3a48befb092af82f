//! One network interface.

use super::{Address, Encapsulation, Mac, Offload};
use crate::model::LinkType;
use serde::{Serialize, Serializer};

/// One network interface, as the kernel describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interface {
    /// Its number, unique in the network namespace.
    pub index: u32,
    /// Its name, as the kernel has it: any bytes but `/` and white space.
    pub name: String,
    /// Whether it carries packets.
    pub state: State,
    /// The largest packet it sends, in bytes, without the link-layer header.
    pub mtu: Option<u32>,
    /// Its hardware address; `None` where the link layer has none of 6 bytes.
    pub mac: Option<Mac>,
    /// What libpcap captures on it; `None` where fraglens does not know that.
    #[serde(serialize_with = "by_name")]
    pub link_type: Option<LinkType>,
    /// What kind of device it is, in the words of `ip -d link` (`veth`, `bridge`,
    /// `vxlan`); where that has none, `loopback` or `physical`.
    pub kind: String,
    /// The bridge, bond or VRF that it is a part of.
    pub master: Option<String>,
    /// The interface that it sends through, or the other end of a veth; `None` also
    /// where that is in another network namespace.
    pub parent: Option<String>,
    /// Its addresses, in the order of the kernel.
    pub addresses: Vec<Address>,
    /// What it puts around each packet.
    pub encapsulation: Option<Encapsulation>,
    /// What of the work on packets is left to it.
    pub offload: Option<Offload>,
}

/// Whether an interface carries packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It does.
    Up,
    /// It does not: it is switched off, or has no carrier.
    Down,
    /// Its driver does not say, as with a loopback.
    Unknown,
}

impl State {
    /// In lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Unknown => "unknown",
        }
    }
}

fn by_name<S: Serializer>(link_type: &Option<LinkType>, serializer: S) -> Result<S::Ok, S::Error> {
    match link_type {
        Some(link_type) => serializer.collect_str(link_type),
        None => serializer.serialize_none(),
    }
}
