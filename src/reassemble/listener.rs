//! Whoever drives reassembly, and what it is told.

use super::datagram::{Carried, Datagram, Fate};
use super::fragment::FragmentFacts;
use super::recent::Completed;
use crate::model::{ScopeTag, Sum};

/// Whoever drives reassembly: answers its questions and hears the outcomes.
///
/// Every datagram is told of once, once its fate is known: to
/// [`Listener::reassembled`] or to [`Listener::lost`].
pub trait Listener {
    /// Whether a payload beginning with `captured` is a tunnel's, so that its bytes
    /// are kept. Asked once a datagram, when its first fragment comes.
    fn is_tunnel(&mut self, datagram: &Datagram, captured: &[u8]) -> bool;

    /// What the tunnel carries that `captured`, the first fragment, begins. Asked
    /// when the whole will not show it: the datagram is lost, or the bytes are.
    fn carried(&mut self, datagram: &Datagram, captured: &[u8]) -> Option<Carried>;

    /// Told of a datagram that became whole; gives the scope inside it if it carries
    /// a tunnel.
    fn reassembled(&mut self, whole: &WholeDatagram<'_>) -> Option<ScopeTag>;

    /// Told of a datagram that will not become whole.
    fn lost(&mut self, datagram: &Datagram, fate: Fate);

    /// Told of a copy of one of a datagram's pieces that came after it was whole.
    fn late_copy(&mut self, completed: &Completed, copy: &FragmentFacts);
}

/// A datagram whose pieces all came.
#[derive(Clone, Copy, Debug)]
pub struct WholeDatagram<'a> {
    /// What came of it.
    pub datagram: &'a Datagram,
    /// The beginning of its payload, as far as it was captured without a gap, where
    /// it carries a tunnel.
    pub captured: &'a [u8],
    /// What of that came in the first fragment, if nobody has asked yet what the
    /// tunnel carries; else the answer is with the datagram.
    pub unread_first: Option<&'a [u8]>,
    /// Sum of its payload; `None` where some of it was not captured.
    pub sum: Option<Sum>,
    /// Payload bytes.
    pub payload_bytes: u32,
    /// The fragment that completed it.
    pub completed_by: &'a FragmentFacts,
}
