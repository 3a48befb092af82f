//! The key, and the pseudo-random numbers that are drawn from it.

use sha2::{Digest, Sha256};
use siphasher::sip::SipHasher24;
use std::hash::{Hash, Hasher};

/// Bytes of a key: two of AES-128.
pub const KEY_BYTES: usize = 32;

/// Why there is no anonymizer.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Prefix-preserving encryption needs two keys that differ.
    #[error("the two halves of the key are equal")]
    EqualHalves,
    /// The system gave no random bytes.
    #[error("no random key could be drawn: {0}")]
    Random(getrandom::Error),
}

/// A key that can be used.
#[derive(Clone, Copy)]
pub(super) struct Key([u8; KEY_BYTES]);

impl Key {
    /// The key given, or a random one.
    pub fn new(given: Option<[u8; KEY_BYTES]>) -> Result<Self, KeyError> {
        let mut key = given.unwrap_or_default();
        if given.is_none() {
            getrandom::fill(&mut key).map_err(KeyError::Random)?;
        }
        let (one, other) = key.split_at(KEY_BYTES / 2);
        match one == other {
            true => Err(KeyError::EqualHalves),
            false => Ok(Self(key)),
        }
    }

    /// The bytes, for the addresses.
    pub fn bytes(&self) -> [u8; KEY_BYTES] {
        self.0
    }

    /// A source of numbers for one purpose; those for another tell nothing of them.
    pub fn numbers(&self, purpose: &str) -> Numbers {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update(purpose.as_bytes());
        let digest: [u8; 32] = hasher.finalize().into();
        let mut key = [0; 16];
        key.copy_from_slice(&digest[..16]);
        Numbers(key)
    }
}

/// Numbers that follow from what is asked for, and cannot be told without the key.
#[derive(Clone, Copy)]
pub(super) struct Numbers([u8; 16]);

impl Numbers {
    /// The number of this.
    pub fn of(&self, what: &impl Hash) -> u64 {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        what.hash(&mut hasher);
        hasher.finish()
    }

    /// The number of this, from 1 to `0xffff`.
    pub fn word(&self, what: &impl Hash) -> u16 {
        (self.of(what) % 0xffff) as u16 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_equal_halves_is_refused() {
        assert!(matches!(
            Key::new(Some([7; KEY_BYTES])),
            Err(KeyError::EqualHalves)
        ));
    }

    #[test]
    fn random_keys_differ() {
        let [one, other] = [Key::new(None), Key::new(None)].map(Result::unwrap);
        assert_ne!(one.bytes(), other.bytes());
    }

    #[test]
    fn purposes_are_apart_and_the_same_key_says_the_same() {
        let mut bytes = [1; KEY_BYTES];
        bytes[0] = 2;
        let key = Key::new(Some(bytes)).unwrap();
        assert_eq!(key.numbers("a").of(&5), key.numbers("a").of(&5));
        assert_ne!(key.numbers("a").of(&5), key.numbers("b").of(&5));
        assert!((0..100_000).all(|number| key.numbers("a").word(&number) != 0));
    }
}
