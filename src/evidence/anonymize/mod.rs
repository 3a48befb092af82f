//! Frames and counts with nothing of the original in them.
//!
//! Input: frames that were kept, and what was counted of their captures. Output: the same
//! with other addresses, without payload and without names; and the proof that it says the
//! same.
//!
//! | what | becomes |
//! | --- | --- |
//! | IP addresses, wherever a header has one | others with the same prefixes in common |
//! | MAC addresses, VLAN and tunnel ids | others, if asked for |
//! | payload, padding, options and messages that are not known | zeros |
//! | two bytes of each fragment | others for others, the same for copies |
//! | checksums | good, bad, unfinished or absent, as they were |
//! | comments, names, hashes, quotes of files | nothing |
//!
//! Lengths, times, ports, sequence numbers, identifications and flags stay.
//!
//! Invariants:
//! - New bytes begin as zeros, and only what is known to be harmless is copied: what nobody
//!   thought of is gone.
//! - What is wrong by its checksum is so by another error: the old one is a difference of
//!   addresses where a NAT made it.
//! - No byte follows from payload without the key.
//! - Nothing here fails or panics, whatever the frames are. The same key gives the same.
//!
//! It must not: decide what is a finding, or write files.
//!
//! Read `frames.rs` first, then `rewrite.rs`, which goes along the layers that decoding
//! found; `datagrams.rs` and `pieces.rs` are for what came in fragments.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod addresses;
mod checksum;
mod counts;
mod datagrams;
mod files;
mod frames;
mod ids;
mod link;
mod network;
mod options;
mod pieces;
mod prove;
mod quote;
mod rewrite;
mod secret;
mod transport;
mod tunnel;

#[cfg(test)]
mod tests;

pub use prove::{Difference, agree, prove};
pub use secret::{KEY_BYTES, KeyError};

use crate::reassemble::Limits;
use addresses::AddressMap;
use ids::IdMap;
use secret::{Key, Numbers};

/// What is hidden besides addresses and payload, and by what key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnonymizeOptions {
    /// The key; a random one if there is none.
    pub key: Option<[u8; KEY_BYTES]>,
    /// Whether MAC addresses are mapped.
    pub macs: bool,
    /// Whether VLAN ids, VNIs, VSIDs, sessions and keys are mapped.
    pub ids: bool,
}

/// Maps whatever says who was captured. The same key maps the same to the same.
pub struct Anonymizer {
    addresses: AddressMap,
    ids: IdMap,
    /// What is written where something must differ that says nothing.
    fill: Numbers,
    /// Bounds of the reassembly that checksums are judged by.
    reassembly: Limits,
}

impl Anonymizer {
    /// One with this key.
    ///
    /// # Errors
    ///
    /// The key cannot be used, or none could be drawn.
    pub fn new(options: &AnonymizeOptions) -> Result<Self, KeyError> {
        let key = Key::new(options.key)?;
        Ok(Self {
            addresses: AddressMap::new(&key),
            ids: IdMap::new(&key, options.ids, options.macs),
            fill: key.numbers("fill"),
            reassembly: Limits::default(),
        })
    }

    /// How many different addresses were mapped so far.
    pub fn mapped_addresses(&self) -> u64 {
        self.addresses.count()
    }

    /// The same for an analysis with other bounds of reassembly.
    #[must_use]
    pub fn with_reassembly(self, reassembly: Limits) -> Self {
        Self { reassembly, ..self }
    }
}
