//! draft
#![allow(missing_docs)]
pub mod account;
pub mod model;
pub mod reassemble;
pub mod source;
