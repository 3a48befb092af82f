//! Every cause that takes two captures to see, one file each: what is known of it, and how
//! it shows.

use super::finding::Finding;
use super::given::Given;
use crate::diagnose::Cause;

mod both_ways_elsewhere;
mod capture_missed;
mod checksum_broken;
mod checksum_finished;
mod corrupted;
mod cut_by_nic;
mod cut_on_the_way;
mod dropped_as_told;
mod duplicated;
mod filtered_by_ports;
mod lost_behind;
pub(super) mod lost_in_host;
mod lost_on_the_way;
mod made_anew;
pub(super) mod nothing_beyond;
mod one_sided;
mod only_first_pass;
mod reassembled;
mod reordered;
mod side_by_side;
mod silent;
mod tunnel_in_fragments;

/// Looks for one cause, wherever along the path it is.
pub(super) type Judge = fn(&Given<'_>) -> Vec<Finding>;

/// Lists the modules of causes, by id.
macro_rules! causes {
    ($($module:ident,)+) => {
        /// Every cause that takes two captures to see, by id.
        pub static ALL: [&Cause; [$(stringify!($module)),+].len()] = [$(&$module::CAUSE),+];

        /// Who looks for each, in the same order.
        pub(super) static JUDGES: [Judge; ALL.len()] = [$($module::judge),+];
    };
}

causes! {
    lost_on_the_way,
    only_first_pass,
    capture_missed,
    reassembled,
    cut_on_the_way,
    checksum_broken,
    corrupted,
    duplicated,
    reordered,
    checksum_finished,
    cut_by_nic,
    lost_behind,
    one_sided,
    silent,
    nothing_beyond,
    tunnel_in_fragments,
    dropped_as_told,
    lost_in_host,
    both_ways_elsewhere,
    made_anew,
    side_by_side,
    filtered_by_ports,
}
