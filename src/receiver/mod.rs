//! What the kernel of a Linux host makes of the fragments sent to it.
//!
//! Input: the fragments towards each host, and its messages that it gave up a datagram,
//! in the order of the capture. Output: a [`Forecast`] for each host: how many datagrams
//! its kernel puts together, refuses and gives up, and how many it would with other
//! settings.
//!
//! Unlike reassembly, which says what the capture holds, this replays what happens in
//! the host: memory that fills up and is refused to everybody, timers that are rounded,
//! datagrams that are discarded when others come between. `model.rs` has the rules.
//!
//! What must hold: a forecast depends on the order of these alone; alternatives
//! come from replaying the same fragments; memory is bounded, and what could not be
//! modelled for it is counted.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic,))]

mod coverage;
mod forecast;
mod host;
mod memory;
mod model;
mod receivers;
mod settings;
mod sysctl;
#[cfg(test)]
mod tests;
mod timer;

pub use forecast::{Alternative, Change, Forecast, GivenUp, Host, Predicted};
pub use memory::{MAX_STEPS, MemoryCurve};
pub use receivers::{NotModelled, Receivers, shard_of};
pub use settings::{Settings, Truesize};
pub use sysctl::SysctlError;
