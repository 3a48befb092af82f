//! The counters of the report, one set for totals, flows and tunnels alike.

use super::verdict::VerdictCounts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds up every named field.
macro_rules! add_fields {
    ($kind:ty { $($field:ident),+ $(,)? }) => {
        impl std::ops::AddAssign for $kind {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)+
            }
        }
    };
}
pub(crate) use add_fields;

/// Everything counted about the packets of a flow, a tunnel or a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// IP packets at this layer; each fragment is one.
    pub packets: u64,
    /// Flows: bytes on the wire of the frames that carried them, whatever the
    /// snaplen kept. Tunnels: bytes of their outer IP packets. Totals: both added.
    pub bytes: u64,
    /// Fragments by position and kind.
    pub fragments: FragmentCounts,
    /// Datagrams by outcome.
    pub datagrams: DatagramCounts,
    /// Length fields that contradict what they describe.
    pub bad_length: BadLengthCounts,
    /// Checksum fields by protocol and verdict.
    pub checksums: ChecksumCounts,
}
add_fields!(Counters {
    packets,
    bytes,
    fragments,
    datagrams,
    bad_length,
    checksums
});

/// Fragments by position and kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FragmentCounts {
    /// `first` + `middle` + `last` + `atomic`.
    pub total: u64,
    /// Offset 0 with MF.
    pub first: u64,
    /// Offset beyond 0 with MF.
    pub middle: u64,
    /// Offset beyond 0 without MF.
    pub last: u64,
    /// IPv6 fragment header with offset 0 and no MF (RFC 6946).
    pub atomic: u64,
    /// MF set and an IP payload as large as the largest with MF in the flow.
    pub full_size: u64,
    /// Copies of a piece, or pieces wholly inside what was held; also in their position.
    pub duplicate: u64,
    /// Pieces that contradict what was held; also in their position.
    pub overlapping: u64,
}
add_fields!(FragmentCounts {
    total,
    first,
    middle,
    last,
    atomic,
    full_size,
    duplicate,
    overlapping
});

/// Datagrams by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DatagramCounts {
    /// Whole in one packet; atomic fragments are.
    pub unfragmented: u64,
    /// `reassembled` + `timed_out` + `incomplete` + `overlapped` + `oversized` + `evicted`.
    pub fragmented: u64,
    /// Covered by their fragments without contradiction.
    pub reassembled: u64,
    /// Unfinished when the capture's clock passed first fragment + timeout.
    pub timed_out: u64,
    /// Unfinished when the capture ended before that.
    pub incomplete: u64,
    /// Pieces contradicted each other.
    pub overlapped: u64,
    /// A piece ended beyond 65,535 bytes.
    pub oversized: u64,
    /// Given up for fraglens's own memory bound.
    pub evicted: u64,
}
add_fields!(DatagramCounts {
    unfragmented,
    fragmented,
    reassembled,
    timed_out,
    incomplete,
    overlapped,
    oversized,
    evicted
});

/// Length fields that contradict what they describe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BadLengthCounts {
    /// `udp_longer` + `udp_shorter` + `udp_below_header` + `ip_longer`.
    pub total: u64,
    /// UDP length beyond the end of the whole datagram.
    pub udp_longer: u64,
    /// Bytes left over after the UDP length.
    pub udp_shorter: u64,
    /// UDP length below 8.
    pub udp_below_header: u64,
    /// IP length beyond the frame's length on the wire.
    pub ip_longer: u64,
    /// First fragments whose UDP length exceeds their own payload, which tcpdump
    /// 4.7 to 4.9.3 reported as "bad length"; no fault, not in `total`.
    pub first_fragment_artifact: u64,
}
add_fields!(BadLengthCounts {
    total,
    udp_longer,
    udp_shorter,
    udp_below_header,
    ip_longer,
    first_fragment_artifact
});

/// Checksum fields by protocol and verdict. Transport checksums count once a
/// datagram, when it is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecksumCounts {
    /// IPv4 header.
    pub ipv4: VerdictCounts,
    /// UDP and UDP-Lite.
    pub udp: VerdictCounts,
    /// TCP.
    pub tcp: VerdictCounts,
    /// ICMP and ICMPv6.
    pub icmp: VerdictCounts,
    /// SCTP's CRC32c.
    pub sctp: VerdictCounts,
    /// GRE, where the optional checksum is present.
    pub gre: VerdictCounts,
}
add_fields!(ChecksumCounts {
    ipv4,
    udp,
    tcp,
    icmp,
    sctp,
    gre
});
