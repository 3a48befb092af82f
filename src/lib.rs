//! draft
#![allow(missing_docs)]
pub mod decode;
pub mod model;
