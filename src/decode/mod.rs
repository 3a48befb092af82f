//! Bytes to facts: what one frame, or one reassembled datagram, says of itself.
//!
//! Input: a [`Frame`](crate::model::Frame), or the payload of a datagram that
//! reassembly has put together ([`Whole`]). Output: the IP layers in it, outermost
//! first, with the verdict on every checksum, in a
//! [`Packet`](crate::model::facts::Packet) that the caller keeps.
//!
//! Invariants:
//! - Nothing here fails or panics, whatever the bytes are: what could not be read
//!   is a [`Stop`](crate::model::facts::Stop) beside what could.
//! - Lengths in headers are claims. Reads never go beyond what was captured, and
//!   what was cut by the snaplen is told apart from what the wire did not have.
//! - Nothing is allocated per packet; only a scope never met before is stored.
//! - The same bytes give the same facts in any order and on any worker.
//!
//! It must not: put fragments together, count, format, or look at the clock.
//!
//! Read `walk.rs` first: it goes through the layers of a packet. What most packets are has
//! a shorter way at each step, which never says anything else; `plain.rs` is the shortest,
//! for frames of which nothing but their flow is to be said. Each protocol has a file
//! with its header, its parser and its tests. Nothing else uses `etherparse`.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

pub mod checksum;
pub mod decoder;
pub mod options;
pub mod plain;
pub mod whole;

#[cfg(target_arch = "x86_64")]
mod avx2;
mod erspan;
mod esp;
mod extension;
mod geneve;
mod gre;
mod icmp;
mod ip_fields;
mod ipv4;
mod ipv4_words;
mod ipv6;
mod link;
mod mpls;
mod network;
mod offload;
mod plausible;
mod ppp;
mod routing;
mod scopes;
mod sctp;
mod tcp;
mod tunnel;
mod udp;
mod udp_payload;
mod upper;
mod view;
mod vlan;
mod vxlan;
mod walk;
mod wireguard;

#[cfg(test)]
pub(crate) mod tests;

pub use checksum::sum;
pub use decoder::Decoder;
pub use ip_fields::IpFields;
pub use link::{Stations, stations, whereabouts};
pub use options::{AutoTunnel, DecodeOptions};
pub use plain::Plain;
pub use whole::Whole;
