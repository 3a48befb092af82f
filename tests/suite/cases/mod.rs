//! The field reports that fraglens exists for. For each, what a user must be told without
//! knowing the answer beforehand, held against the text and the JSON of the program.
//!
//! Captures are made here, packet by packet, so that what was sent, lost and left whole
//! is known without fraglens; the figures are those of the reports.

mod calico_checksum_offload;
mod calico_qperf;
mod kube_ovn;
mod nothing_wrong;
mod openstack_sweep;
mod ovs_vxlan;
mod stream;
pub mod told;
pub mod wire;
