//! What each stage of the data path costs, alone and all together.
//!
//! `cargo bench`, or `cargo bench -- reassembly` for one group. `cargo bench -- --test`
//! runs everything once: whether the benches still do what they say. All data is made
//! up by `traffic`, the same in every run, and every result is compared with what was
//! made. Throughput is bytes of the capture file, and frames or fragments.
#![allow(
    missing_docs,
    reason = "criterion's macros write functions without any"
)]
#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "a bench that cannot run fails"
)]

#[path = "../traffic/mod.rs"]
mod traffic;

mod boundary_scan;
mod checksum;
mod decode;
mod ledger;
mod pipeline;
mod reassembly;
mod recorder;
mod sample;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    stages,
    boundary_scan::bench,
    decode::bench,
    checksum::bench,
    reassembly::bench,
    ledger::bench,
    pipeline::bench,
    recorder::bench
);
criterion_main!(stages);
