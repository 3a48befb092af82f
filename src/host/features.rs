//! Features of interfaces, as `ethtool -k` shows them, by the netlink family "ethtool".

use super::netlink::Netlink;
use super::{Offload, Unavailable};
use netlink_packet_core::{
    DecodeError, DefaultNla, Emitable, NLA_F_NESTED, NlaBuffer, NlasIterator,
    ParseableParametrized, parse_string, parse_u32,
};
use netlink_packet_generic::ctrl::nlas::GenlCtrlAttrs;
use netlink_packet_generic::ctrl::{GenlCtrl, GenlCtrlCmd};
use netlink_packet_generic::{GenlFamily, GenlHeader, GenlMessage};
use netlink_sys::protocols::NETLINK_GENERIC;
use std::collections::BTreeMap;
use std::io;

// Numbers of Linux, include/uapi/linux/ethtool_netlink.h.
const FEATURES_GET: u8 = 11;
const FEATURES_HEADER: u16 = 1;
const FEATURES_ACTIVE: u16 = 4;
const HEADER_DEVICE_INDEX: u16 = 1;
const BITSET_IS_LIST: u16 = 1;
const BITSET_BITS: u16 = 3;
const BIT_NAME: u16 = 2;
const BIT_VALUE: u16 = 3;

/// What each of these interfaces does for the kernel. Those are left out of which the
/// kernel does not say it.
pub(super) fn offloads(
    indices: impl Iterator<Item = u32>,
) -> Result<BTreeMap<u32, Offload>, Unavailable> {
    let mut generic = Netlink::open(NETLINK_GENERIC)?;
    let family = family_id(&mut generic)?;
    // One by one: what a kernel says of all may be larger than it has room for.
    let mut offloads = BTreeMap::new();
    for index in indices {
        let mut question = GenlMessage::from_payload(Features::of(index));
        question.set_resolved_family_id(family);
        let told = generic.get(question).unwrap_or_default();
        offloads.extend(told.iter().filter_map(|told| told.payload.offload()));
    }
    Ok(offloads)
}

/// The number that this kernel gave to the family.
fn family_id(generic: &mut Netlink) -> Result<u16, Unavailable> {
    let name = GenlCtrlAttrs::FamilyName(Features::family_name().to_owned());
    let told = generic.get(GenlMessage::from_payload(GenlCtrl {
        cmd: GenlCtrlCmd::GetFamily,
        nlas: vec![name],
    }))?;
    let mut attributes = told.iter().flat_map(|message| &message.payload.nlas);
    let id = attributes.find_map(|attribute| match attribute {
        GenlCtrlAttrs::FamilyId(id) => Some(*id),
        _ => None,
    });
    id.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound).into())
}

/// The features of one interface; as a question, without them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Features {
    index: Option<u32>,
    /// Names of those that are on.
    active: Option<Vec<String>>,
}

impl Features {
    fn of(index: u32) -> Self {
        Self {
            index: Some(index),
            active: None,
        }
    }

    /// The header of a message: the interface that it is about.
    fn header(&self) -> DefaultNla {
        let index = self.index.unwrap_or_default().to_ne_bytes().to_vec();
        let index = DefaultNla::new(HEADER_DEVICE_INDEX, index);
        let mut value = vec![0; index.buffer_len()];
        index.emit(&mut value);
        DefaultNla::new(FEATURES_HEADER | NLA_F_NESTED, value)
    }

    pub(super) fn offload(&self) -> Option<(u32, Offload)> {
        Some((self.index?, Offload::read(self.active.as_deref()?)))
    }
}

impl GenlFamily for Features {
    fn family_name() -> &'static str {
        "ethtool"
    }

    fn command(&self) -> u8 {
        FEATURES_GET
    }

    fn version(&self) -> u8 {
        1
    }
}

/// Only questions are sent.
impl Emitable for Features {
    fn buffer_len(&self) -> usize {
        self.header().buffer_len()
    }

    fn emit(&self, buffer: &mut [u8]) {
        self.header().emit(buffer);
    }
}

impl ParseableParametrized<[u8], GenlHeader> for Features {
    fn parse_with_param(bytes: &[u8], _: GenlHeader) -> Result<Self, DecodeError> {
        let mut features = Self::default();
        if let Some(header) = find(bytes, FEATURES_HEADER)? {
            let index = find(header.value(), HEADER_DEVICE_INDEX)?;
            features.index = index.map(|index| parse_u32(index.value())).transpose()?;
        }
        if let Some(set) = find(bytes, FEATURES_ACTIVE)? {
            features.active = Some(names_in(set.value())?);
        }
        Ok(features)
    }
}

/// The names of the bits that are 1. A list holds only those; else each has a value.
fn names_in(set: &[u8]) -> Result<Vec<String>, DecodeError> {
    let is_list = find(set, BITSET_IS_LIST)?.is_some();
    let Some(bits) = find(set, BITSET_BITS)? else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for bit in NlasIterator::new(bits.value()) {
        let bit = bit?;
        let is_on = is_list || find(bit.value(), BIT_VALUE)?.is_some();
        if let Some(name) = find(bit.value(), BIT_NAME)?.filter(|_| is_on) {
            names.push(parse_string(name.value())?);
        }
    }
    Ok(names)
}

fn find(bytes: &[u8], kind: u16) -> Result<Option<NlaBuffer<&[u8]>>, DecodeError> {
    let mut attributes = NlasIterator::new(bytes);
    attributes
        .find(|attribute| !matches!(attribute, Ok(other) if other.kind() != kind))
        .transpose()
}
