//! Every cause, one file each: what is known, and nothing that is only presumed.

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

/// Every cause, by id.
pub static ALL: [&Cause; 30] = [
    &fragment_loss_amplified::CAUSE,
    &only_first_fragments::CAUSE,
    &first_fragment_missing::CAUSE,
    &ovs_minimum_fragment::CAUSE,
    &reassembly_memory::CAUSE,
    &reassembly_timeout::CAUSE,
    &fragment_distance::CAUSE,
    &overlapping_fragments::CAUSE,
    &duplicated_packets::CAUSE,
    &ip_id_reused::CAUSE,
    &vxlan_nat_checksum::CAUSE,
    &inner_checksum_mangled::CAUSE,
    &checksum_offload::CAUSE,
    &outer_checksum_offload::CAUSE,
    &nat_on_fragments::CAUSE,
    &corruption::CAUSE,
    &zero_udp_checksum::CAUSE,
    &tcpdump_bad_length::CAUSE,
    &super_frames::CAUSE,
    &tunnel_mtu_too_large::CAUSE,
    &pmtu_black_hole::CAUSE,
    &fragments_hashed_apart::CAUSE,
    &odd_fragment_length::CAUSE,
    &ipv6_extension_headers::CAUSE,
    &not_the_network::CAUSE,
    &capture_loss::CAUSE,
    &capture_blind_spot::CAUSE,
    &wrong_udp_length::CAUSE,
    &packet_rate_bound::CAUSE,
    &no_segmentation_offload::CAUSE,
];
