//! Checksum fields over other bytes that are as right or wrong as they were.

use super::secret::Numbers;
use crate::decode::sum;
use crate::model::facts::Layer;
use crate::model::{Addresses, Protocol, Sum, Verdict};

/// Wrong values that are tried: one in 65,535 is right by chance, or unfinished.
const MOST_ERRORS: u16 = 16;

/// A checksum that was left to a NIC, by the new bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfinished {
    /// Sum of all it covers, pseudo-header and itself included.
    pub total: Sum,
    /// Where it begins in the buffer.
    pub start: usize,
}

/// What a field of 0 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    /// That there is no checksum.
    Absent,
    /// Nothing special.
    Number,
}

/// A checksum field and what it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// Where it is.
    pub at: usize,
    /// What the original holds there.
    pub old: u16,
    /// Where what it covers begins.
    pub start: usize,
    /// Where that ends.
    pub end: usize,
    /// What is to be said of it.
    pub verdict: Verdict,
    /// Meaning of 0.
    pub zero: Zero,
    /// Pseudo-header sums of the new packet that an unfinished checksum may hold; the
    /// first is that of the whole length.
    pub pseudo: [Sum; 2],
    /// The same of the original.
    pub old_pseudo: [Sum; 2],
    /// What makes an error differ from that of another packet.
    pub salt: u64,
}

impl Field {
    /// What is to stand in the field over `bytes`, which hold whatever.
    pub fn value(&self, bytes: &[u8], inner: Option<Unfinished>, numbers: &Numbers) -> u16 {
        if self.old == 0 && (self.zero == Zero::Absent || self.verdict == Verdict::Unverifiable) {
            return 0;
        }
        let rest = self.rest(bytes);
        match self.verdict {
            Verdict::Good => self.right(rest),
            Verdict::Absent => 0,
            Verdict::Unverifiable => numbers.word(&("unverifiable", self.old, self.at)),
            Verdict::Offloaded => self.unfinished(rest, inner),
            Verdict::Bad => self.wrong(rest, inner, numbers),
        }
    }

    /// Sum of all that is covered, but for the field.
    fn rest(&self, bytes: &[u8]) -> Sum {
        let covered = bytes.get(self.start..self.end).unwrap_or_default();
        let at = self.at.wrapping_sub(self.start);
        let (before, after) = covered.split_at_checked(at).unwrap_or((covered, &[]));
        // The field begins on an even byte.
        let after = after.get(2..).unwrap_or_default();
        sum(before).plus(sum(after)).plus(self.pseudo[0])
    }

    fn right(&self, rest: Sum) -> u16 {
        match (!rest.0, self.zero) {
            (0, Zero::Absent) => 0xffff,
            (right, _) => right,
        }
    }

    fn unfinished(&self, rest: Sum, inner: Option<Unfinished>) -> u16 {
        let pairs = self.old_pseudo.iter().zip(self.pseudo);
        for (old, new) in pairs {
            if self.old == old.0 {
                return new.0;
            }
        }
        match inner {
            // Right once the inner one is finished.
            Some(inner) => !rest.minus(self.change(inner)).0,
            None => self.pseudo[0].0,
        }
    }

    /// What finishing the inner checksum takes away here.
    fn change(&self, inner: Unfinished) -> Sum {
        match inner.start.wrapping_sub(self.start) % 2 {
            0 => inner.total,
            _ => inner.total.swapped(),
        }
    }

    fn wrong(&self, rest: Sum, inner: Option<Unfinished>, numbers: &Numbers) -> u16 {
        let right = Sum(self.right(rest));
        let candidates = (0..MOST_ERRORS).map(|attempt| {
            let error = numbers.word(&("error", self.old, self.at, self.salt, attempt));
            right.plus(Sum(error)).0
        });
        let is_bad = |value: &u16| {
            let total = rest.plus(Sum(*value));
            let is_explained =
                inner.is_some_and(|inner| total.minus(self.change(inner)).is_all_ones());
            *value != 0
                && !total.is_all_ones()
                && self.pseudo.iter().all(|partial| partial.0 != *value)
                && !is_explained
        };
        let mut candidates = candidates.filter(is_bad);
        candidates.next().unwrap_or(right.0 ^ 0x5555)
    }

    /// The sum of all that is covered, once the field holds `value`.
    pub fn total(&self, bytes: &[u8], value: u16) -> Sum {
        self.rest(bytes).plus(Sum(value))
    }
}

/// The pseudo-header of a layer between these addresses; `other` maps those that stand for
/// them.
pub(super) fn pseudo(
    layer: &Layer,
    addresses: &Addresses,
    other: impl Fn([u8; 16]) -> [u8; 16],
    protocol: Protocol,
    length: u32,
) -> Sum {
    let source = layer.home_address.map_or(addresses.source, &other);
    let destination = layer
        .final_destination
        .map_or(addresses.destination, &other);
    sum(&source)
        .plus(sum(&destination))
        .plus(Sum(u16::from(protocol.0)))
        .plus(sum(&length.to_be_bytes()))
}

/// The field of an IPv4 header over other bytes; `header` holds the new ones.
pub(super) fn of_header(header: &[u8], old: u16, verdict: Verdict, numbers: &Numbers) -> u16 {
    let field = Field {
        at: 10,
        old,
        start: 0,
        end: header.len(),
        verdict,
        zero: Zero::Number,
        pseudo: [Sum(0); 2],
        old_pseudo: [Sum(0); 2],
        salt: 0,
    };
    match verdict {
        // The sender left it to its NIC.
        Verdict::Offloaded => 0,
        _ => field.value(header, None, numbers),
    }
}
