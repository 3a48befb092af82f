//! VLAN tags: IEEE 802.1Q, 802.1ad, and the EtherTypes used before that.
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! | PCP |D|        VLAN id        |           EtherType           |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```

use super::view::View;
use crate::model::VlanStack;
use crate::model::facts::{LayerKind, Stop};
use etherparse::{SingleVlanHeaderSlice, VlanId};

/// Whether an EtherType announces a tag: customer, service, and two that
/// switches stacked tags with before 802.1ad.
pub(super) fn is_tag(ether_type: u16) -> bool {
    matches!(ether_type, 0x8100 | 0x88a8 | 0x9100 | 0x9200)
}

/// Reads one tag onto `stack`; gives the EtherType and what is behind it. Tags
/// beyond those a stack can hold are read and forgotten.
pub(super) fn parse<'a>(view: View<'a>, stack: &mut VlanStack) -> Result<(u16, View<'a>), Stop> {
    let header = SingleVlanHeaderSlice::from_slice(view.bytes)
        .map_err(|_| view.truncated(LayerKind::Vlan))?;
    // VLAN id 0 is no VLAN, only a priority (IEEE 802.1Q, "priority tag").
    if header.vlan_identifier() != VlanId::ZERO {
        stack.push(header.vlan_identifier().value());
    }
    Ok((header.ether_type().0, view.skip(header.slice().len())))
}
