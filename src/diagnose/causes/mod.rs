//! Every cause, one file each: what is known of it, and how it shows in a capture.
//! Nothing that is only presumed.

use super::finding::Finding;
use super::known::Known;
use crate::diagnose::Cause;

mod capture_blind_spot;
mod capture_loss;
mod checksum_offload;
mod corruption;
mod duplicated_packets;
mod first_fragment_missing;
mod fragment_distance;
mod fragment_loss_amplified;
mod fragments_hashed_apart;
mod inner_checksum_mangled;
mod ip_id_reused;
mod ipv6_extension_headers;
mod nat_on_fragments;
mod no_segmentation_offload;
mod not_the_network;
mod odd_fragment_length;
mod only_first_fragments;
mod outer_checksum_offload;
mod overlapping_fragments;
mod ovs_minimum_fragment;
mod packet_rate_bound;
mod pmtu_black_hole;
mod reassembly_memory;
mod reassembly_timeout;
mod super_frames;
mod tcpdump_bad_length;
mod tunnel_mtu_too_large;
mod vxlan_nat_checksum;
mod wrong_udp_length;
mod zero_udp_checksum;

pub(super) use corruption::DAMAGE;
pub(super) use tunnel_mtu_too_large::MTU_OF_TUNNELS;

/// Looks for one cause.
pub(super) type Judge = fn(&Known<'_>) -> Option<Finding>;

/// Lists the modules of causes, by id.
macro_rules! causes {
    ($($module:ident,)+) => {
        /// Every cause, by id.
        pub static ALL: [&Cause; [$(stringify!($module)),+].len()] = [$(&$module::CAUSE),+];

        /// Who looks for each, in the same order.
        pub(super) static JUDGES: [Judge; ALL.len()] = [$($module::judge),+];
    };
}

causes! {
    fragment_loss_amplified,
    only_first_fragments,
    first_fragment_missing,
    ovs_minimum_fragment,
    reassembly_memory,
    reassembly_timeout,
    fragment_distance,
    overlapping_fragments,
    duplicated_packets,
    ip_id_reused,
    vxlan_nat_checksum,
    inner_checksum_mangled,
    checksum_offload,
    outer_checksum_offload,
    nat_on_fragments,
    corruption,
    zero_udp_checksum,
    tcpdump_bad_length,
    super_frames,
    tunnel_mtu_too_large,
    pmtu_black_hole,
    fragments_hashed_apart,
    odd_fragment_length,
    ipv6_extension_headers,
    not_the_network,
    capture_loss,
    capture_blind_spot,
    wrong_udp_length,
    packet_rate_bound,
    no_segmentation_offload,
}
