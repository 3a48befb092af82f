//! What became of datagrams in fragments, by whether all of them had entered: where something on
//! the way puts them together, what had not does not leave.

use super::between::Count;
use crate::model::counters::add_fields;

/// Datagrams that entered in fragments, and what of that left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFragments {
    /// Those that entered with all fragments.
    pub whole: Left,
    /// Those of which some were missing by then.
    pub incomplete: Left,
}

/// Datagrams in fragments by how much of what had entered left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Those of which all left.
    pub all: u64,
    /// Those of which a part left.
    pub some: u64,
    /// Those of which nothing left.
    pub none: Count,
}

add_fields!(InFragments { whole, incomplete });
add_fields!(Left { all, some, none });

impl Left {
    /// How many entered.
    pub fn entered(&self) -> u64 {
        self.passed() + self.none.datagrams
    }

    /// Those of which anything left.
    pub fn passed(&self) -> u64 {
        self.all + self.some
    }
}

impl InFragments {
    /// One more entered, whole or not.
    pub(super) fn of(&mut self, is_whole: bool) -> &mut Left {
        match is_whole {
            true => &mut self.whole,
            false => &mut self.incomplete,
        }
    }

    /// Those of which nothing left.
    pub fn none(&self) -> Count {
        let mut none = self.whole.none;
        none += self.incomplete.none;
        none
    }
}
