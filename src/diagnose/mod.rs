//! Why less arrives than was sent: what is known of each cause, and which of them show.
//!
//! Input: what was counted of a capture, and what receivers would make of it. Output:
//! the causes that show, and where the difference between sent and delivered went.
//!
//! Each [`Cause`] is a page of knowledge: what it is, what in a capture shows it,
//! what speaks for and against it, the cheapest way to prove it wrong, and what to
//! do about it. [`ALL`] has them by id. Beside the page stands how its signature is
//! looked for: one file a cause.
//!
//! What must hold: the same ledger gives the same findings. Each lost byte is claimed by
//! one cause at most. No text states what is only presumed, and what a healthy capture
//! shows is never more than [`Severity::Info`].

mod cause;
mod causes;
mod destination;
mod diagnosis;
mod explanation;
mod finding;
mod foremost;
mod known;
mod lookup;
pub mod path;
mod reconcile;
mod stack;
mod this_host;

#[cfg(test)]
mod tests;

pub use cause::{Cause, Fix, FixKind, Severity};
pub use causes::ALL;
pub use diagnosis::{Diagnosis, diagnose};
pub use explanation::{Explanation, Part};
pub use finding::{Evidence, Finding};
pub use known::Given;
pub use lookup::{every, find, nearest};
pub use reconcile::{Compared, Messages, Reconciled};
