//! What is handed on as proof: frames, with what they prove beside them.
//!
//! Input: a report, and the capture that it is about, which is read once more. Output:
//! an [`Excerpt`]: as few frames as it takes to find the same again, with a comment on
//! each that shows something.
//!
//! ```text
//! Report ──► Wanted ──► Pool ──► Excerpt ──► Kept ──► pcapng
//!            frames,     the      the rings    frames    as a file
//!            hosts       second   in which     with
//!                        reading  all is       comments
//!                                 found again
//! ```
//!
//! What must hold: memory and files have a bound; what is written depends on nothing but
//! what is given; a frame that is kept is kept as it was, to the byte.

mod datagrams;
mod excerpt;
mod kept;
pub mod pcapng;
mod pool;
mod remarks;
mod ring;
#[cfg(test)]
mod tests;
mod wanted;

pub use excerpt::Excerpt;
pub use kept::{Kept, KeptFrame};
pub use pool::{Pool, Reading};
pub use remarks::Context;
pub use wanted::Wanted;
