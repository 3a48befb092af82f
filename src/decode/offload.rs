//! Checksums that are wrong only because a NIC was to finish them.
//!
//! Local Checksum Offload (Linux `Documentation/networking/checksum-offloads.rst`): the
//! sender of a tunnel computes an outer checksum as it will be right once the NIC has
//! finished the inner one. So what the walk took for bad is looked at again when the
//! whole packet is known.

use super::checksum::Judgement;
use super::upper::Upper;
use crate::model::facts::{Layer, MAX_LAYERS, Transport};
use crate::model::{Sum, Verdict};

/// A transport checksum, as the walk found it.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// Sum of all it covers, pseudo-header and itself included.
    total: Sum,
    /// Where it begins in the decoded buffer.
    start: u32,
}

/// What may have to be taken back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Suspicions {
    /// Transport checksums found bad, by layer.
    bad: [Option<Found>; MAX_LAYERS],
    /// The innermost checksum that was left to a NIC.
    unfinished: Option<Found>,
}

impl Suspicions {
    /// Notes the transport checksum of a layer.
    #[inline]
    pub fn transport(&mut self, layer: usize, upper: &Upper<'_>, judgement: &Judgement) {
        let found = Found {
            total: judgement.total,
            start: upper.view.start,
        };
        match judgement.verdict {
            Verdict::Offloaded => self.unfinished = Some(found),
            Verdict::Bad => {
                if let Some(slot) = self.bad.get_mut(layer) {
                    *slot = Some(found);
                }
            }
            Verdict::Good | Verdict::Absent | Verdict::Unverifiable => {}
        }
    }

    /// Takes back what the whole packet explains.
    #[inline]
    pub fn settle(&self, layers: &mut [Layer]) {
        let Some(inner) = self.unfinished else {
            return;
        };
        for (layer, bad) in layers.iter_mut().zip(&self.bad) {
            if let Some(outer) = bad
                && becomes_right(*outer, inner)
            {
                offload(&mut layer.transport);
            }
        }
    }
}

/// Whether finishing the inner checksum makes the outer one verify.
///
/// The unfinished field holds the pseudo-header sum P; with the sum T of what it
/// covers, the NIC writes ~T, which changes the bytes by ~T - P = -(P + T): the
/// total of the inner checksum, subtracted. Were the inner packet at an odd
/// distance, its bytes would count swapped. By chance this holds once in 65,536.
fn becomes_right(outer: Found, inner: Found) -> bool {
    let Some(distance) = inner.start.checked_sub(outer.start) else {
        return false;
    };
    let change = if distance % 2 == 0 {
        inner.total
    } else {
        inner.total.swapped()
    };
    outer.total.minus(change).is_all_ones()
}

fn offload(transport: &mut Transport) {
    match transport {
        Transport::Udp(udp) => udp.checksum = Verdict::Offloaded,
        Transport::Gre { checksum } => *checksum = Some(Verdict::Offloaded),
        _ => {}
    }
}
