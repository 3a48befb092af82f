//! Captures of the same traffic at several points of its path: what got lost, changed,
//! delayed or duplicated, and between which of them.
//!
//! ```text
//!  capture ─► reader ┐             paths: which flow of one point is which of another
//!  capture ─► reader ┼─► intake    clock: how far apart times are
//!  capture ─► reader ┘      │
//!            ┌──────────────┘
//!            └► inlets ─► feeds, by way ─► merge ─► flight
//!                                                     │
//!                             abreast, by flow┌───────┤ all else
//!                                             │in step│
//!                                             │  march parcels
//!                                             └────┴───┴──► book ─► accounts ─► outcome
//! ```
//!
//! Before that so much of each capture is sampled as it takes to know how they hang together
//! (`aligned`). A reader has an observer, which sees frames, and hands sightings over; who would wait
//! for it reads the next blocks of its capture meanwhile (`blocks`).
//!
//! Input: captures, each with a clock of its own. Output: an [`Outcome`]: for each flow and
//! each pair of neighbouring points what was seen on both sides and what on one alone.
//!
//! A *sighting* is one innermost packet or fragment that one point saw, in whatever tunnel;
//! outer fragments are sightings too, and put together for what is inside. A *parcel* is a
//! datagram (or a stretch of a TCP stream) with all sightings of it. A sighting finds its
//! parcel by flow and identification, where there is one; by its bytes where there is none,
//! or where NAT has changed addresses; by its place in the stream where a NIC cuts and joins
//! packets. That two flows of two points are one is learnt from what was matched. Packets of
//! a flow that all points know, and that come to all in the same order, are not looked for at
//! all: each is the next in line, and is counted with those before it that fared alike. What
//! all points have at hand as the next of its flow never waits in line, either. What goes ahead and
//! what goes back come to points in different orders, but each for itself in one, and so they are
//! taken one beside the other (`feeds`); where flows come in different orders otherwise, that is
//! looked for flow by flow (`by_flow`). A packet of a flow that no other point knows stands in
//! nobody's way: it is kept aside, and so is a datagram of which each fragment comes behind those before: it becomes a parcel
//! once somebody may have it.
//!
//! What must hold: memory follows what is under way, never the length of a file; the same
//! captures give the same outcome; what was seen in front and behind is counted alike, so
//! that nothing depends on which way traffic goes; nothing here reads a clock.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod align;
mod aligned;
mod alike;
mod between;
mod beyond;
mod blocks;
mod book;
mod brief;
mod by_flow;
mod clock;
mod content;
mod conversations;
mod copies;
mod damage;
mod delay;
mod examples;
mod extent;
mod feed;
mod feeds;
mod fifo;
mod flight;
mod gaps;
mod group;
mod icmp;
mod in_fragments;
mod in_host;
mod index;
mod inlet;
mod intake;
mod kinds;
mod lanes;
mod lately;
mod long_gaps;
mod look;
mod march;
mod marks;
mod merge;
mod names;
mod observer;
mod one_sided;
mod order;
mod outcome;
mod parcel;
mod parts;
mod paths;
mod reader;
mod recent;
mod refused;
mod remade;
mod rise;
mod rows;
mod run;
mod shape;
mod side_by_side;
mod sieve;
mod sighting;
mod slab;
mod strays;
mod stretches;
mod told;
mod two_way;
mod views;
mod whose;
mod words;
mod wrong_times;

pub use between::{Apart, Between, Count, OneSided, Pair, Shown};
pub use book::{Account, MAX_ACCOUNTS, Missed, Passage, Series, Tally};
pub use damage::{Damage, DamageLook};
pub use delay::{DelayFigures, Delays};
pub use examples::{Example, Examples, Oddity};
pub use in_fragments::{InFragments, Left};
pub use in_host::InHost;
pub use kinds::Kinds;
pub use lanes::MAX_LANES;
pub use look::VERDICT_NAMES;
pub use outcome::{ClockFacts, FlowFacts, OrderFacts, Outcome, PointFacts, Stranger};
pub use run::{BLOCK_BYTES, MARCH_AFTER, MAX_POINTS, Open, Options, Order, Pass, Read, compare};
pub use shape::{Fate, Fates, Lengths, NUMBERS, PARTS, Place, Runs, SIZES, Shape};
pub use side_by_side::SideBySide;
pub use told::{DropsTold, Says};
pub use views::through::Amount;
