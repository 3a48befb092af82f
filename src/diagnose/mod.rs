//! Why less arrives than was sent: what is known of each cause.
//!
//! Each [`Cause`] is a page of knowledge: what it is, what in a capture shows it,
//! what speaks for and against it, the cheapest way to prove it wrong, and what to
//! do about it. [`ALL`] has them by id. Nothing here reads a capture, and no text
//! states what is only presumed.

mod cause;
mod causes;
mod lookup;

#[cfg(test)]
mod tests;

pub use cause::{Cause, Fix, FixKind, Severity};
pub use causes::ALL;
pub use lookup::{find, nearest};
