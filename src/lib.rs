//! draft
#![allow(missing_docs)]
pub mod account;
pub mod cli;
pub mod decode;
pub mod model;
pub mod pipeline;
pub mod reassemble;
pub mod report;
pub mod source;
