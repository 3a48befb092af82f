//! What reading one IP header of either version gives.

use super::checksum::sum;
use super::upper::{Origin, Upper};
use super::view::View;
use super::{ipv4, ipv6};
use crate::model::facts::{Layer, LayerKind, Piece, Stop};
use crate::model::{IpVersion, ScopeTag};

/// What is above an IP header that was read; its facts are in a [`Layer`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Network<'a> {
    /// The upper-layer packet; of a fragment, its piece of the payload.
    pub upper: View<'a>,
    /// Wide sum of the pseudo-header without its length; `None` where the last
    /// destination is not known.
    pub pseudo: Option<u64>,
    /// Why the headers behind it could not be read.
    pub stop: Option<Stop>,
}

impl<'a> Network<'a> {
    /// What is above the header, for the transports.
    #[inline]
    pub fn upper(&self, layer: &Layer) -> Upper<'a> {
        Upper {
            view: self.upper,
            protocol: layer.protocol,
            version: layer.addresses.version,
            pseudo: self.pseudo,
            known_sum: None,
            known_excess: None,
            origin: if layer.super_frame {
                Origin::SuperFrame
            } else if layer.ip_longer {
                Origin::Overlong
            } else {
                Origin::Packet
            },
            scope: layer.scope,
        }
    }
}

/// Reads an IP header and states its facts.
#[inline]
pub(super) fn parse(
    version: IpVersion,
    view: View<'_>,
    scope: ScopeTag,
    state: impl FnOnce(Layer),
) -> Result<Network<'_>, Stop> {
    match version {
        IpVersion::V4 => ipv4::parse(view, scope, state),
        IpVersion::V6 => ipv6::parse(view, scope, state),
    }
}

/// The version that the first nibble of an IP header names.
pub(super) fn version(view: View<'_>, around: LayerKind) -> Result<IpVersion, Stop> {
    match view.u8(0).map(|octet| octet >> 4) {
        Some(4) => Ok(IpVersion::V4),
        Some(6) => Ok(IpVersion::V6),
        Some(version) => Err(view.unsupported(around, u32::from(version))),
        None => Err(view.truncated(around)),
    }
}

/// The place of a fragment with this payload.
#[inline]
pub(super) fn piece(id: u32, offset: u32, more: bool, payload: View<'_>) -> Piece {
    Piece {
        id,
        offset,
        more,
        sum: payload.is_complete().then(|| sum(payload.bytes)),
    }
}
