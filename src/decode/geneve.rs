//! Geneve (RFC 8926 section 3.4).
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |Ver|  Opt Len  |O|C|    Rsvd.  |          Protocol Type        |
//! |        Virtual Network Identifier (VNI)       |    Reserved   |
//! |          Option Class         |      Type     |R|R|R| Length  |
//! |                      Option data, 4 bytes * Length            |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```
//!
//! The O bit (control packet) and the C bit (critical options) do not change what
//! is inside.

use super::link::{Content, ether_type};
use super::plausible;
use super::tunnel::Tunnel;
use super::view::View;
use crate::model::TunnelKind;
use crate::model::facts::{LayerKind, OvnPorts, Stop};

const HEADER: usize = 8;
const PROTOCOL: usize = 2;
const VNI: usize = 4;
/// Class and type of OVN's option (ovn-architecture(7), "Tunnel Encapsulations").
const OVN_OPTION: [u8; 3] = [0x01, 0x02, 0x80];

/// Reads a Geneve header on a port where one is expected.
pub(super) fn parse(view: View<'_>) -> Result<Tunnel<'_>, Stop> {
    let first = view.u8(0).ok_or(view.truncated(LayerKind::Geneve))?;
    if first >> 6 != 0 {
        return Err(view.unsupported(LayerKind::Geneve, u32::from(first >> 6)));
    }
    let (Some(protocol), Some(vni)) = (view.u16(PROTOCOL), view.u32(VNI)) else {
        return Err(view.truncated(LayerKind::Geneve));
    };
    let options_bytes = options_bytes(first);
    let options = view
        .bytes
        .get(HEADER..)
        .and_then(|rest| rest.get(..options_bytes));
    let Some(options) = options else {
        return Err(view.truncated(LayerKind::Geneve));
    };
    // Other datagrams go to this port as well.
    let is_reserved_zero = view.u8(1).is_some_and(|bits| bits & RESERVED == 0) && vni as u8 == 0;
    if !is_reserved_zero || !Options(options).are_whole() {
        return Err(view.malformed(LayerKind::Geneve));
    }
    let content = match protocol {
        ether_type::BRIDGING => Content::Ethernet,
        kind if kind > ether_type::MAX_LENGTH => Content::EtherType(kind),
        other => return Err(view.unsupported(LayerKind::Geneve, u32::from(other))),
    };
    Ok(Tunnel {
        kind: TunnelKind::Geneve,
        id: Some(vni >> 8),
        content,
        view: view.skip(HEADER.saturating_add(options_bytes)),
        ovn: Options(options).find_map(ovn),
    })
}

/// Whether a header that [`detect`] accepts can begin with this word: version and
/// reserved bits zero, and a protocol that is looked into.
#[inline]
pub(super) fn may_begin(word: u32) -> bool {
    word & 0xc03f_0000 == 0
        && matches!(
            word as u16,
            ether_type::BRIDGING | ether_type::IPV4 | ether_type::IPV6
        )
}

/// Finds Geneve on a port where none is expected; see `vxlan::detect`.
///
/// Of the header speak 16 bits of version, reserved bits and reserved byte, 14 of
/// the protocol, and options whose lengths add up; what is inside decides.
pub(super) fn detect(view: View<'_>, payload_bytes: u32) -> Option<Tunnel<'_>> {
    let [first, _, _, _, _, _, _, 0] = view.array::<HEADER>(0)? else {
        return None;
    };
    if !may_begin(view.u32(0)?) {
        return None;
    }
    let header_bytes = HEADER.checked_add(options_bytes(first))?;
    let tunnel = parse(view).ok()?;
    let inside_bytes = payload_bytes.checked_sub(u32::try_from(header_bytes).ok()?)?;
    match tunnel.content {
        Content::Ethernet => plausible::ethernet(tunnel.view, inside_bytes)?,
        Content::EtherType(kind) => {
            plausible::ip(kind, tunnel.view, |length| length == inside_bytes)?;
        }
        _ => return None,
    }
    Some(tunnel)
}

/// Six reserved bits behind the O and C bits.
const RESERVED: u8 = 0x3f;

fn options_bytes(first: u8) -> usize {
    usize::from(first & 0x3f).wrapping_mul(4)
}

/// Options one after the other: class and type, and data. What is left when it
/// ends is no whole option.
struct Options<'a>(&'a [u8]);

impl Options<'_> {
    /// Whether their lengths add up to the length of all.
    fn are_whole(mut self) -> bool {
        self.by_ref().for_each(drop);
        self.0.is_empty()
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = ([u8; 3], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (&[class_high, class_low, kind, length], rest) = self.0.split_first_chunk::<4>()?;
        let (data, rest) = rest.split_at_checked(usize::from(length & 0x1f).wrapping_mul(4))?;
        self.0 = rest;
        Some(([class_high, class_low, kind], data))
    }
}

/// One reserved bit, 15 bits of logical ingress port, 16 of logical egress port.
fn ovn((option, data): ([u8; 3], &[u8])) -> Option<OvnPorts> {
    if option != OVN_OPTION {
        return None;
    }
    let &[a, b, c, d] = data.first_chunk::<4>()?;
    Some(OvnPorts {
        ingress: u16::from_be_bytes([a & 0x7f, b]),
        egress: u16::from_be_bytes([c, d]),
    })
}
