//! What a packet carries, in one shape for all kinds of tunnel.

use super::link::Content;
use super::view::View;
use crate::model::TunnelKind;
use crate::model::facts::OvnPorts;

/// What is inside an upper-layer packet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inside<'a> {
    /// Payload of a flow.
    Flow,
    /// A WireGuard message, which stays closed.
    WireGuard,
    /// An ESP packet, which stays closed.
    Esp,
    /// A tunnel that can be opened.
    Tunnel(Tunnel<'a>),
}

/// A tunnel that can be opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tunnel<'a> {
    /// Encapsulation.
    pub kind: TunnelKind,
    /// VNI, VSID, session or key.
    pub id: Option<u32>,
    /// What is inside.
    pub content: Content,
    /// Where it is.
    pub view: View<'a>,
    /// Logical ports of OVN.
    pub ovn: Option<OvnPorts>,
}
