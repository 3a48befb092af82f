//! Frames and counts with nothing of the original in them.

mod addresses;
mod ids;
mod secret;

pub use secret::{KEY_BYTES, KeyError};

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
        })
    }
}
