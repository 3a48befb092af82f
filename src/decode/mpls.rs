//! MPLS label stacks (RFC 3032), with IP or a pseudowire (RFC 4385, RFC 4448) below.
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |                Label                  | TC  |S|       TTL     |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```
//!
//! Labels say nothing of what is below them; the first nibble does (RFC 4928).

use super::link::{Content, Found, ether_type};
use super::view::View;
use super::vlan;
use crate::model::facts::{LayerKind, Stop};

const LABEL: usize = 4;
/// Bottom of stack, in the third byte of a label.
const BOTTOM: u8 = 0x01;
const CONTROL_WORD: usize = 4;
const ETHER_TYPE: usize = 12;

/// Reads a label stack; gives what is below it.
pub(super) fn parse(view: View<'_>) -> Result<Found<'_>, Stop> {
    let mut rest = view;
    loop {
        let label = rest
            .array::<LABEL>(0)
            .ok_or(rest.truncated(LayerKind::Mpls))?;
        rest = rest.skip(LABEL);
        if label[2] & BOTTOM != 0 {
            break;
        }
    }
    match rest.u8(0).map(|octet| octet >> 4) {
        None => Err(rest.truncated(LayerKind::Mpls)),
        Some(4 | 6) => Ok((Content::Ip, rest)),
        Some(0) if is_ethernet(rest.skip(CONTROL_WORD)) => {
            Ok((Content::Ethernet, rest.skip(CONTROL_WORD)))
        }
        Some(_) if is_ethernet(rest) => Ok((Content::Ethernet, rest)),
        Some(nibble) => Err(rest.unsupported(LayerKind::Mpls, u32::from(nibble))),
    }
}

/// Whether there is an Ethernet header with an EtherType that is decoded.
fn is_ethernet(view: View<'_>) -> bool {
    view.u16(ETHER_TYPE).is_some_and(|kind| {
        vlan::is_tag(kind) || matches!(kind, ether_type::IPV4 | ether_type::IPV6 | ether_type::ARP)
    })
}
