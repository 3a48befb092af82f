//! WireGuard messages (wireguard.com/protocol), recognised and left closed.
//!
//! ```text
//! type 1 | reserved 3, zero | 1: initiation, 148 bytes in all
//!                             2: response, 92 bytes
//!                             3: cookie reply, 64 bytes
//!                             4: data, 16 bytes of header, then a multiple of 16,
//!                                at least the tag of 16
//! ```

use super::view::View;

/// The ports it is commonly given: the examples' and Calico's two, Cilium's.
/// Elsewhere it is not looked for: a number from 1 to 4 in little-endian is a
/// common beginning, and a flow stays a flow either way.
pub(super) const PORTS: [u16; 3] = [51820, 51821, 51871];

/// Whether `port` is one of WireGuard's.
pub(super) fn is_port(port: u16) -> bool {
    PORTS.contains(&port)
}

/// Whether a UDP payload that is `payload_bytes` long is a WireGuard message.
pub(super) fn is_message(view: View<'_>, payload_bytes: u32) -> bool {
    match view.array::<4>(0) {
        Some([1, 0, 0, 0]) => payload_bytes == 148,
        Some([2, 0, 0, 0]) => payload_bytes == 92,
        Some([3, 0, 0, 0]) => payload_bytes == 64,
        Some([4, 0, 0, 0]) => payload_bytes >= 32 && payload_bytes.is_multiple_of(16),
        _ => false,
    }
}
