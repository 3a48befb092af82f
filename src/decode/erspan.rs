//! ERSPAN types I, II and III (draft-foschiano-erspan).
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |  Ver  |          VLAN         | COS | En|T|    Session ID     |
//! |      Reserved         |                  Index                |   II
//! |                          Timestamp                            |   III
//! |             SGT               |P|    FT   |   Hw ID   |D|Gra|O|   III
//! |             Platform-specific subheader, 8 bytes, if O        |   III
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! ```
//!
//! Type I has no header at all.

use super::link::Content;
use super::tunnel::Tunnel;
use super::view::View;
use crate::model::TunnelKind;
use crate::model::facts::{LayerKind, Stop};

/// GRE protocol of types I and II.
pub(super) const ETHER_TYPE_1_2: u16 = 0x88be;
/// GRE protocol of type III.
pub(super) const ETHER_TYPE_3: u16 = 0x22eb;

const HEADER_2: usize = 8;
const HEADER_3: usize = 12;
const SUBHEADER: usize = 8;
/// The mirrored frame was cut by the mirror.
const TRUNCATED: u32 = 0x0400;
const SESSION: u32 = 0x03ff;
/// In the last byte of a type III header: a subheader follows.
const OPTIONAL: u8 = 0x01;
/// What a cut frame may have been long, for want of any statement: as long as an
/// IP packet can say it is.
const ANY_LENGTH: u32 = 0xffff;

/// Reads an ERSPAN header behind a GRE header; without a sequence number it is
/// of type I.
pub(super) fn parse(protocol: u16, has_sequence: bool, view: View<'_>) -> Result<Tunnel<'_>, Stop> {
    if protocol == ETHER_TYPE_1_2 && !has_sequence {
        return Ok(tunnel(None, view));
    }
    let word = view.u32(0).ok_or(view.truncated(LayerKind::Erspan))?;
    let header = if protocol == ETHER_TYPE_3 {
        let flags = view
            .u8(HEADER_3.wrapping_sub(1))
            .ok_or(view.truncated(LayerKind::Erspan))?;
        HEADER_3.wrapping_add(if flags & OPTIONAL != 0 { SUBHEADER } else { 0 })
    } else {
        HEADER_2
    };
    if view.bytes.len() < header {
        return Err(view.truncated(LayerKind::Erspan));
    }
    let mut inside = view.skip(header);
    if word & TRUNCATED != 0 {
        inside = inside.claim(inside.claimed.max(ANY_LENGTH));
    }
    Ok(tunnel(Some(word & SESSION), inside))
}

fn tunnel(session: Option<u32>, view: View<'_>) -> Tunnel<'_> {
    Tunnel {
        kind: TunnelKind::Erspan,
        id: session,
        content: Content::Ethernet,
        view,
        ovn: None,
    }
}
