//! iperf3, in both of its forms.

mod json;
mod text;

use super::run::Runs;
use super::{Run, Side, Unreadable};

/// Reads the summary of every run; intervals are passed over.
pub(super) fn read(text: &str) -> Result<Option<Runs>, Unreadable> {
    match json::read(text)? {
        None => text::read(text),
        runs => Ok(runs),
    }
}

/// What the receiver says of its datagrams, from gaps in their numbers.
#[derive(Clone, Copy)]
struct Datagrams {
    lost: u64,
    /// Up to the last one that came.
    total: u64,
}

impl Datagrams {
    /// Where nothing came there are no gaps, and nothing is known of the losses.
    fn apply(self, run: &mut Run) {
        run.received.messages = Some(self.total.saturating_sub(self.lost));
        run.lost_messages = (self.total > 0).then_some(self.lost);
    }
}

/// iperf3 prints zeros for an end it knows nothing of: a sender that sent nothing, and
/// a receiver of messages without a byte.
fn forget_zeros(run: &mut Run) {
    if run.sent.bytes == Some(0) {
        run.sent = Side::UNKNOWN;
    }
    let came = run.received.messages.is_some_and(|messages| messages > 0);
    if came && run.received.bytes == Some(0) {
        run.received.bytes = None;
        run.received.bits_per_second = None;
    }
}
