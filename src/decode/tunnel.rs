//! What a tunnel header says, in one shape for all kinds.

use super::link::Content;
use super::view::View;
use crate::model::TunnelKind;
use crate::model::facts::OvnPorts;

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
