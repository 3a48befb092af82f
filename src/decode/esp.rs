//! ESP (RFC 4303), alone or in UDP (RFC 3948), recognised and left closed.
//!
//! ```text
//! | Security Parameters Index, never 0 on the wire | Sequence Number | ...
//! ```

use super::view::View;

/// The port of IKE and ESP behind address translation.
pub(super) const PORT: u16 = 4500;
/// SPI and sequence number; a shorter payload is a keepalive.
const HEADER: u32 = 8;

/// Whether `port` is that of ESP in UDP.
pub(super) fn is_port(port: u16) -> bool {
    port == PORT
}

/// Whether a UDP payload on that port is ESP: four zero bytes are IKE instead
/// (RFC 3948 section 2.2).
pub(super) fn is_packet(view: View<'_>, payload_bytes: u32) -> bool {
    payload_bytes > HEADER && view.u32(0).is_some_and(|spi| spi != 0)
}
