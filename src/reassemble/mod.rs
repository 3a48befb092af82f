//! Fragments in, datagrams out.
//!
//! Input: fragments in capture order, each with its place, its length and the
//! sum of its bytes. Output: one outcome for every datagram, told to a [`Listener`]
//! at the moment its fate is known. Driven by capture time alone, bounded by
//! [`Limits`].
//!
//! Bytes are only kept for datagrams that carry a tunnel (or whose first fragment
//! has not come yet, so that it may turn out to): for all others the ranges, the
//! sums and the head of the first fragment are enough.
//!
//! What must hold: a datagram has exactly one outcome; the same fragments in the
//! same order give the same outcomes; memory stays within the bound whatever comes.

mod arrival;
mod charges;
mod datagram;
mod expired;
mod fragment;
mod hash;
mod head;
mod index;
mod kept;
mod layout;
mod limits;
mod listener;
mod pieces;
mod queue;
mod reassembler;
mod recent;
mod rules;
mod slots;
mod tally;
mod tickets;

pub use arrival::Arrival;
pub use datagram::{Carried, Datagram, Fate, Gap};
pub use fragment::{Detour, FragmentFacts, Key, Payload, Place};
pub use head::HEAD_BYTES;
pub use layout::{Layout, Run};
pub use limits::{Limits, LimitsHit};
pub use listener::{Listener, WholeDatagram};
pub use pieces::MAX_DATAGRAM_BYTES;
pub use reassembler::Reassembler;
pub use recent::Completed;
pub use tally::{FragmentTally, LargestFull};
