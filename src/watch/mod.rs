//! What a person, a scraper or a log sees of a capture that goes on.
//!
//! Input: a [`Snapshot`] each second, which is plain data (its part about this host is put
//! together by [`host()`]). Output: a [`Screen`], a [`Line`] of JSON, [`metrics`], and what
//! the [`recorder`] writes of the frames themselves.
//!
//! What must hold: nothing here reads a clock, a device or the network but
//! [`metrics::Server`], which answers scrapers and shows nothing of the time, so that a
//! snapshot looks the same whenever it is drawn; nothing from a packet reaches a
//! terminal as it is.

mod findings;
mod host;
mod lines;
pub mod metrics;
pub mod recorder;
#[cfg(test)]
pub(crate) mod samples;
mod screen;
mod snapshot;
mod terminal;

pub use findings::{Became, Change, Findings};
pub use host::{Moment, host};
pub use lines::Line;
pub use screen::{Command, Look, Screen};
pub use snapshot::{
    Active, Captured, Capturing, Host, HostCounter, Rates, Reassembly, Snapshot, Totals,
};
pub use terminal::{Event, Terminal};
