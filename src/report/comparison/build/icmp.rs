//! What ICMP errors say.

use crate::compare::{DropsTold, Outcome};
use crate::diagnose::path::told;
use crate::report::comparison::document::{Direction, IcmpErrors};

/// Most that are listed: who sends errors may say anything.
const MAX_LISTED: usize = 100;

pub(super) fn errors(outcome: &Outcome) -> Vec<IcmpErrors> {
    let told = outcome.drops_told.iter().take(MAX_LISTED);
    told.map(row).collect()
}

fn row(told: &DropsTold) -> IcmpErrors {
    IcmpErrors {
        segment: told.segment.map(|pair| pair as u32),
        direction: Direction::of(told.is_backward),
        from: told.says.by,
        kind: told.says.kind,
        code: told.says.code,
        next_hop_mtu: (told.says.mtu > 0).then_some(told.says.mtu),
        says: told::why(&told.says, told.errors),
        errors: told.errors,
        flows: told.flows.len() as u64,
        point: told.first.point as u32,
        frame: told.first.frame,
    }
}
