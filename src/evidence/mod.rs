//! What is handed on as proof: frames, with what they prove beside them.
//!
//! Input: frames and sentences about them. Output: bytes to any
//! [`Write`](std::io::Write). What is written depends on nothing but what is given.

mod kept;
pub mod pcapng;
pub use kept::{Kept, KeptFrame};

#[cfg(test)]
mod tests;
