//! The vocabulary every other room speaks: time, addresses, flow keys, counters,
//! and the facts that decoding states about a packet.
//!
//! Plain data. Nothing here reads, writes, allocates per packet or knows a
//! stage; what is counted can be merged (`AddAssign` or a `merge` method), so
//! that workers, files and machines add up to the same totals in any order.

pub mod address;
pub mod counters;
pub mod escape;
pub mod facts;
pub mod flow;
pub mod frame;
pub mod mtu;
pub mod number;
pub mod protocol;
pub mod scope;
pub mod size_class;
pub mod sum;
pub mod time;
pub mod verdict;

pub use address::{Addresses, IpVersion};
pub use counters::Counters;
pub use flow::{FlowKey, Ports};
pub use frame::{Frame, FrameId, LinkType};
pub use protocol::Protocol;
pub use scope::{Network, Scope, ScopeSet, ScopeTag, TunnelKey, TunnelKind, VlanStack};
pub use sum::Sum;
pub use time::{Duration, Timestamp};
pub use verdict::{Verdict, VerdictCounts};
