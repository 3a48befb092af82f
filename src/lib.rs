//! draft
#![allow(missing_docs)]
pub mod model;
pub mod report;
