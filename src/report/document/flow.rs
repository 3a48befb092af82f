//! Flows: one direction of an innermost 5-tuple.

use super::scalar::{Time, display};
use super::tunnel::TunnelKey;
use crate::model::{Counters, Protocol};
use schemars::JsonSchema;
use serde::Serialize;
use std::net::IpAddr;

/// One direction of an innermost 5-tuple, inside its tunnel and VLAN stack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Flow {
    /// Which flow.
    pub key: FlowKey,
    /// Counters of its innermost IP packets; `bytes` are those of the frames.
    pub counters: Counters,
    /// What was offered and what could be delivered, per second.
    pub throughput: Throughput,
    /// Datagrams by size, smallest first; classes without any are left out.
    pub sizes: Vec<SizeClass>,
    /// Datagrams of no size class, because their last fragment never came.
    pub datagrams_of_unknown_size: u64,
    /// The MTU that fragmented the flow; `null` if nothing was fragmented.
    pub mtu: Option<Mtu>,
    /// Fragments of its reassembled datagrams; `null` if there were none.
    pub fragments_per_datagram: Option<FragmentsPerDatagram>,
    /// Largest datagram in bytes, IP header included; `null` if no size is known.
    pub largest_datagram_bytes: Option<u32>,
    /// What is missing of its datagrams.
    pub gaps: Gaps,
    /// Packets whose tunnel packet came in fragments that never became whole. They
    /// are in `bytes` and `sizes`, in no other counter.
    pub packets_lost_in_tunnel: u64,
    /// Packets larger than the wire allows (length 0, or above 9,216 bytes), not yet cut up by the sender's NIC or
    /// put together by the receiver's (TSO, GSO, GRO).
    pub super_frames: u64,
    /// The encryption that keeps what it carries closed; `null` if there is none.
    pub closed: Option<Closed>,
    /// The logical ports that OVN writes into the Geneve header around it; `null`
    /// without OVN.
    pub ovn: Option<OvnPorts>,
    /// ICMP errors that quote a packet of this flow.
    pub icmp_errors: IcmpErrors,
    /// First packet; `null` for a flow known only from ICMP errors.
    pub first_timestamp: Option<Time>,
    /// Last packet; `null` for a flow known only from ICMP errors.
    pub last_timestamp: Option<Time>,
}

/// The identity of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FlowKey {
    /// Source address of the innermost IP header.
    pub src: IpAddr,
    /// Destination address of the innermost IP header.
    pub dst: IpAddr,
    /// `null` for protocols without ports, and for fragments whose first never came. Of ICMP
    /// `compare` has here the identifier of a query, and of an error that quotes a packet with
    /// ports its source port.
    pub src_port: Option<u16>,
    /// `null` for protocols without ports, and for fragments whose first never came. Of ICMP
    /// `compare` has here the destination port of a packet that an error quotes.
    pub dst_port: Option<u16>,
    /// `udp`, `tcp`, …; `ip-proto-N` where fraglens knows no name.
    #[serde(serialize_with = "display")]
    #[schemars(with = "String")]
    pub protocol: Protocol,
    /// VLAN ids in front of the innermost IP header, outermost first.
    pub vlans: Vec<u16>,
    /// The tunnel around the flow; `null` on the wire.
    pub tunnel: Option<TunnelKey>,
}

/// What a flow offered and what of it could be delivered.
///
/// Deliverable is a datagram that is whole and whose checksum is right or was not
/// checked. Rates are `null` where the flow lasts no measurable time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Throughput {
    /// From the first packet to the last; `null` with fewer than two packets.
    pub duration_seconds: Option<f64>,
    /// IP packets offered per second; each fragment is one.
    pub packets_per_second: Option<f64>,
    /// Bits offered per second, from the bytes on the wire of the frames.
    pub bits_per_second: Option<f64>,
    /// Datagrams offered per second, whole or not.
    pub datagrams_per_second: Option<f64>,
    /// Datagrams that could be delivered.
    pub deliverable_datagrams: u64,
    /// Bytes of those datagrams as offered on the wire, comparable with `bytes`.
    pub deliverable_bytes: u64,
    /// Bytes on the wire of fragments that were copies of others: offered, but
    /// nothing is missing for them.
    pub duplicate_bytes: u64,
    /// Bits per second of what could be delivered.
    pub deliverable_bits_per_second: Option<f64>,
}

impl Throughput {
    /// Of `bytes` offered, what could neither be delivered nor was a copy.
    pub fn missing_bytes(&self, bytes: u64) -> u64 {
        bytes
            .saturating_sub(self.deliverable_bytes)
            .saturating_sub(self.duplicate_bytes)
    }
}

/// Datagrams of one range of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SizeClass {
    /// Smallest datagram of the class in bytes, IP header included.
    pub datagram_bytes_from: u32,
    /// Largest datagram of the class; `null` for the last class, which is open.
    pub datagram_bytes_to: Option<u32>,
    /// Datagrams of the class, whole or not.
    pub datagrams: u64,
    /// Those that could be delivered.
    pub delivered: u64,
}

/// The range an MTU was in, both ends included: a full-size fragment of IP length
/// L was made by an MTU of L to L + 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mtu {
    /// Smallest MTU in bytes that makes these fragments.
    pub from: u32,
    /// Largest MTU in bytes that makes these fragments.
    pub to: u32,
}

/// How many fragments the reassembled datagrams of a flow had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FragmentsPerDatagram {
    /// Fewest.
    pub min: u32,
    /// Most.
    pub max: u32,
}

/// What is missing of datagrams that lack fragments, where their size is known. Those
/// that the capture began or ended within are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gaps {
    /// Such datagrams.
    pub datagrams: u64,
    /// Fragments of them that came, copies left out.
    pub fragments_seen: u64,
    /// Fragments that did not.
    pub fragments_missing: u64,
    /// Datagrams without their first fragment.
    pub without_first: u64,
    /// Datagrams without their last fragment.
    pub without_last: u64,
    /// Datagrams of which nothing came but the first fragment.
    pub only_first: u64,
    /// Datagrams that lack fragments and are in none of the other figures: nothing that
    /// came tells how long they were, or how long their fragments.
    pub datagrams_unmeasured: u64,
    /// Fragments of the other datagrams by where they begin, in 10 equal parts of the
    /// payload from its beginning to its end; empty if there are no such datagrams.
    pub positions: Vec<PositionGap>,
    /// Missing fragments by how many fragments they are behind the one missing before in
    /// the same datagram: 1, 2 and so on; the last, of 16, is for all that are farther.
    /// Empty if none is missing behind another.
    pub distances: Vec<u64>,
    /// The distance that at least nine in ten of these have, if there are 8 or more and it
    /// is not 1: every second fragment, every third.
    pub every_nth: Option<u64>,
}

/// Fragments at one place of datagrams that lack some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PositionGap {
    /// That it takes to carry this part of the datagrams, come or not.
    pub expected: u64,
    /// That did not come.
    pub missing: u64,
}

/// Encryption that is recognised and left closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Closed {
    /// WireGuard messages.
    Wireguard,
    /// IPsec ESP.
    Esp,
}

impl Closed {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wireguard => "wireguard",
            Self::Esp => "esp",
        }
    }
}

/// Logical ports of OVN, as tunnel keys of its southbound database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OvnPorts {
    /// Logical ingress port.
    pub ingress: u16,
    /// Logical egress port.
    pub egress: u16,
}

/// ICMP errors that quote a packet of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IcmpErrors {
    /// ICMP type 3 code 4: too large, and DF was set.
    pub fragmentation_needed: u64,
    /// ICMPv6 type 2: too large.
    pub packet_too_big: u64,
    /// ICMP type 11 code 1, ICMPv6 type 3 code 1: fragments never came.
    pub reassembly_time_exceeded: u64,
    /// Smallest next-hop MTU any of them named; `null` if none did.
    pub lowest_mtu: Option<u32>,
}

impl IcmpErrors {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.fragmentation_needed + self.packet_too_big + self.reassembly_time_exceeded
    }
}
