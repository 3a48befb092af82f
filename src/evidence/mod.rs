//! What is handed on as proof: frames, with what they prove beside them, and the bundle
//! that holds them.
//!
//! Input: a report, and the capture that it is about, which is read once more. Output:
//! an [`Excerpt`]: as few frames as it takes to find the same again, with a comment on
//! each that shows something; and a [`Bundle`]: a folder with the report in every form,
//! the excerpt, and a manifest.
//!
//! ```text
//! Report ──► Wanted ──► Pool ──► Excerpt ──► Kept ──────────► pcapng ──► Bundle ──► archive
//!            frames,     the      the rings    frames with     report.*,
//!            hosts       second   in which     comments, or    MANIFEST
//!                        reading  all is       the same
//!                                 found again  anonymized
//! ```
//!
//! What must hold: memory and files have a bound; what is written depends on nothing but
//! what is given; a frame that is kept is kept as it was, to the byte; a bundle is there
//! whole or not at all.

pub mod anonymize;
pub mod archive;
mod bundle;
mod datagrams;
mod document;
mod excerpt;
mod gaps;
mod hashed;
mod kept;
pub mod manifest;
mod path;
pub mod pcapng;
mod pool;
mod remarks;
mod ring;
mod room;
#[cfg(test)]
mod tests;
mod wanted;

pub use bundle::{Bundle, Exists, Finished};
pub use document::Document;
pub use excerpt::Excerpt;
pub use hashed::{Hashed, HashingWriter, sha256_of};
pub use kept::{Kept, KeptFrame};
pub use manifest::Manifest;
#[cfg(test)]
pub(crate) use path::tests as path_tests;
pub use path::{Changed, Gathering, PathExcerpt};
pub use pool::{Pool, Reading};
pub use remarks::Context;
pub use wanted::Wanted;
