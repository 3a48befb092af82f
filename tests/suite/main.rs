//! What fraglens promises, held against whole captures: in-process through
//! [`support`], and as a program where the process is what matters.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod anonymized;
mod capture_files;
mod cases;
mod cli;
mod cli_output;
mod compare;
mod corpus;
mod corpus_differences;
mod determinism;
mod evidence;
mod explain;
mod explained;
mod findings;
mod gaps;
mod goldens;
mod harvested;
mod house;
mod invariants;
mod kernel;
mod live;
mod manifest;
mod metrics;
mod mutation;
mod page;
mod support;
mod truncation;
mod tunnel_fragments;
