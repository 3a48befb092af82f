//! draft
#![allow(missing_docs)]
pub mod cli;
pub mod model;
pub mod report;
