//! Facts in, ledger out.
//!
//! Input: the facts of packets and the outcomes of reassembly, in any order.
//! Output: a [`Ledger`]: per flow, per tunnel and over time what was offered and
//! what of it can be delivered.
//!
//! What must hold: ledgers are monoids. However the facts are spread over
//! workers, shards, files or machines, merging their ledgers gives the same one.
//! Every table has a bound, and what is beyond it is chosen by identity, never by
//! order of arrival, so that this holds for an overfull ledger too.

mod counting;
mod entries;
mod exhibits;
mod flow;
mod gaps;
mod icmp_errors;
mod ledger;
mod losses;
mod places;
mod rare;
mod sizes;
mod specimens;
mod table;
mod tcp;
mod timeline;
mod tunnel;
mod undecoded;

pub use exhibits::{Exhibit, Exhibits, MAX_EXHIBITS, Pieces, Sign};
pub use flow::{Directions, Flow};
pub use gaps::Gaps;
pub use icmp_errors::IcmpErrors;
pub use ledger::{
    Capture, Ledger, MAX_FLOWS, MAX_TUNNELS, Offered, PlainPacket, PlainPackets, Span,
};
pub use losses::{Loss, Losses, Lost};
pub use places::Places;
pub use rare::{Closed, Order};
pub use sizes::{SizeCount, Sizes};
pub use specimens::{MAX_PIECES, Specimen, Specimens};
pub use table::{Merge, Rank, Table};
pub use tcp::{BlackHole, Segments, Syns};
pub use timeline::{Bucket, MAX_BUCKETS, Timeline};
pub use tunnel::{HopLimits, Tunnel};
pub use undecoded::Undecoded;
