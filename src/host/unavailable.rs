//! Why interfaces could not be read.

use netlink_packet_core::DecodeError;
use std::io;

/// Why the interfaces of this host could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// The kernel has no netlink, or refuses to answer.
    #[error("the kernel does not tell the network interfaces of this host (by netlink): {0}")]
    Refused(#[from] io::Error),
    /// The kernel answered what is no netlink message.
    #[error("what the kernel says of the network interfaces of this host cannot be read: {0}")]
    Garbled(#[from] DecodeError),
    /// They changed while they were listed, each time.
    #[error("the network interfaces of this host change faster than they can be listed")]
    Changing,
}
