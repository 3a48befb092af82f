//! What decoding states about one frame: its IP layers, outermost first.
//!
//! Facts are written into a [`Packet`] that the caller keeps and reuses, so
//! that stating them allocates nothing.

use super::address::Addresses;
use super::flow::{FlowKey, Ports};
use super::protocol::Protocol;
use super::scope::ScopeTag;
use super::sum::Sum;
use super::verdict::Verdict;

/// Most IP layers of one packet that are opened; what is deeper is counted as
/// undecoded.
pub const MAX_LAYERS: usize = 8;

/// Largest MTU of Ethernet that switches and NICs offer. A longer packet was not on a
/// wire like this: a NIC was still to cut it up, or had joined several.
pub const LARGEST_MTU: u32 = 9_216;

/// The facts of one frame, or of one reassembled datagram.
#[derive(Clone, Debug, Default)]
pub struct Packet {
    /// IP layers, outermost first; at most [`MAX_LAYERS`].
    pub layers: Vec<Layer>,
    /// Why decoding ended before the innermost payload; `None` if it did not.
    pub stop: Option<Stop>,
    /// Which way the capturing host passed it, where the link layer says so.
    pub direction: Option<Direction>,
}

/// Which way the capturing host passed a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It came in.
    Incoming,
    /// It was sent by the host.
    Outgoing,
}

impl Packet {
    /// The logical ports that OVN wrote into the tunnel header around the innermost
    /// layer.
    pub fn ovn(&self) -> Option<OvnPorts> {
        let around = self.layers.len().checked_sub(2)?;
        self.layers.get(around)?.ovn
    }

    /// Forgets the facts and keeps the room for the next.
    pub fn clear(&mut self) {
        self.layers.clear();
        self.stop = None;
        self.direction = None;
    }
}

/// One IP header and what it says of itself.
#[derive(Clone, Debug)]
pub struct Layer {
    /// VLANs and tunnels around this header.
    pub scope: ScopeTag,
    /// Addresses of the header as they are on the wire.
    pub addresses: Addresses,
    /// The last destination, where a routing header or a source route names
    /// another than `addresses`; pseudo-headers are built with it.
    pub final_destination: Option<[u8; 16]>,
    /// The home address of a Mobile IPv6 packet (RFC 6275 section 6.3), which
    /// stands for the source in pseudo-headers.
    pub home_address: Option<[u8; 16]>,
    /// What the payload is, after IPv6 extension headers. For a non-first IPv6
    /// fragment: what its fragment header claims.
    pub protocol: Protocol,
    /// Length of the IP packet in bytes, header included, as it claims itself;
    /// for a super-frame whose field is 0, what the frame carries.
    pub ip_bytes: u32,
    /// Where the payload begins in the decoded buffer: after the IPv4 header, or
    /// after the last IPv6 extension header (the fragment header for a fragment).
    pub payload_start: u32,
    /// Bytes of payload that were captured.
    pub payload_captured: u32,
    /// Bytes of payload the packet claims. More than `payload_captured` where the
    /// snaplen cut it or the claim is false.
    pub payload_bytes: u32,
    /// Bytes of extension headers at the beginning of the payload, in front of the
    /// upper-layer header. Not 0 only for a first IPv6 fragment whose fragmentable
    /// part begins with some.
    pub extension_bytes: u16,
    /// TTL or hop limit.
    pub hop_limit: u8,
    /// IPv4 DF; false for IPv6.
    pub dont_fragment: bool,
    /// Whether a fragment, and which.
    pub fragment: Fragment,
    /// Verdict on the header checksum; `None` for IPv6, which has none.
    pub header_checksum: Option<Verdict>,
    /// Whether the IP length goes beyond the frame's length on the wire.
    pub ip_longer: bool,
    /// Whether the length says super-frame: IPv4 total length 0, IPv6 payload
    /// length 0 with payload or a jumbo option.
    pub super_frame: bool,
    /// What is above, if this is no fragment.
    pub transport: Transport,
    /// What this layer carries.
    pub carries: Carries,
    /// The logical ports that OVN writes into the Geneve header of a tunnel.
    pub ovn: Option<OvnPorts>,
}

/// The logical ports of OVN's Geneve option (class 0x0102, type 0x80).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OvnPorts {
    /// Tunnel key of the logical ingress port, 15 bits.
    pub ingress: u16,
    /// Tunnel key of the logical egress port.
    pub egress: u16,
}

/// Whether an IP packet is a fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fragment {
    /// A whole datagram.
    #[default]
    No,
    /// IPv6 fragment header with offset 0 and no MF: a whole datagram (RFC 6946).
    Atomic,
    /// A piece of a datagram.
    Piece(Piece),
}

/// The place of a fragment in its datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Identification field.
    pub id: u32,
    /// Offset in bytes, a multiple of 8.
    pub offset: u32,
    /// MF.
    pub more: bool,
    /// One's-complement sum of the payload; `None` if not all of it was captured.
    pub sum: Option<Sum>,
}

/// What a layer carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carries {
    /// Payload of a flow: this is the innermost layer.
    #[default]
    Flow,
    /// A tunnel that was opened: the packets inside are in this scope. Not
    /// necessarily followed by a layer: what is inside may be no IP, or cut off.
    Tunnel(ScopeTag),
    /// A WireGuard message (recognised, encrypted): a flow.
    WireGuard,
    /// An ESP packet (recognised, encrypted): a flow.
    Esp,
}

/// What the transport header says, and the verdict on its checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// No transport header was read: a fragment, cut off, or a protocol not known.
    #[default]
    None,
    /// UDP or UDP-Lite.
    Udp(Udp),
    /// TCP.
    Tcp(Tcp),
    /// ICMP or ICMPv6.
    Icmp(Icmp),
    /// SCTP.
    Sctp {
        /// Ports.
        ports: Ports,
        /// Verdict on the CRC32c.
        checksum: Verdict,
    },
    /// GRE, of any version.
    Gre {
        /// Verdict on the optional checksum, if there is one.
        checksum: Option<Verdict>,
    },
    /// A UDP, UDP-Lite, TCP or SCTP header of which little more than the ports is
    /// there: cut by the snaplen, or split over fragments; or a TCP header that
    /// says it is shorter than it must be or longer than its packet.
    Cut {
        /// Ports.
        ports: Ports,
        /// Verdict on the checksum; [`Verdict::Unverifiable`] unless the sum of the
        /// whole datagram is known.
        checksum: Verdict,
    },
}

/// Facts of a UDP or UDP-Lite header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Udp {
    /// Ports.
    pub ports: Ports,
    /// Verdict on the checksum.
    pub checksum: Verdict,
    /// Whether the length field contradicts the datagram.
    pub length: UdpLength,
    /// Whether the checksum field says that the sender computed none.
    pub is_unsummed: bool,
}

/// How a UDP length field compares with the datagram it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UdpLength {
    /// It fits.
    #[default]
    Right,
    /// It goes beyond the end of the datagram.
    Longer,
    /// Bytes are left over after it.
    Shorter,
    /// It is below 8.
    BelowHeader,
}

/// Facts of a TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Ports.
    pub ports: Ports,
    /// What was sent.
    pub segment: Segment,
    /// Verdict on the checksum.
    pub checksum: Verdict,
}

/// What a TCP header says of the segment it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number: of SYN if that is set, else of the first byte of payload.
    pub sequence: u32,
    /// Acknowledgement number; without meaning unless ACK is set.
    pub acknowledgement: u32,
    /// Bytes of payload after the TCP header.
    pub payload_bytes: u32,
    /// Flags as in octet 13: FIN 0x01, SYN 0x02, RST 0x04, PSH 0x08, ACK 0x10.
    pub flags: u8,
}

impl Segment {
    /// SYN.
    pub const SYN: u8 = 0x02;
    /// RST.
    pub const RST: u8 = 0x04;
    /// ACK.
    pub const ACK: u8 = 0x10;

    /// Whether one of these flags is set.
    #[inline]
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }
}

/// Facts of an ICMP or ICMPv6 header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icmp {
    /// Type.
    pub kind: u8,
    /// Code.
    pub code: u8,
    /// Verdict on the checksum.
    pub checksum: Verdict,
    /// The flow an error is about, when it says that a packet was dropped.
    pub quoted: Option<IcmpQuote>,
}

/// An ICMP error about a packet of some flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcmpQuote {
    /// What it says.
    pub error: IcmpError,
    /// The flow of the packet quoted, as that packet's header names it; without
    /// ports where the quote holds none (non-first fragment, quote cut short).
    pub flow: FlowKey,
}

/// Why a packet was dropped, as an ICMP error says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IcmpError {
    /// ICMP type 3 code 4, RFC 1191; with the next-hop MTU, 0 if not given.
    FragmentationNeeded {
        /// Next-hop MTU in bytes.
        mtu: u32,
    },
    /// ICMPv6 type 2, RFC 4443.
    PacketTooBig {
        /// Next-hop MTU in bytes.
        mtu: u32,
    },
    /// ICMP type 11 code 1 or ICMPv6 type 3 code 1.
    ReassemblyTimeExceeded,
    /// Nothing that bears on fragmentation; type and code say what.
    Other,
}

/// Where and why decoding of a frame ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The layer that could not be read.
    pub layer: LayerKind,
    /// Byte offset in the decoded buffer where it begins.
    pub offset: u32,
    /// What is wrong.
    pub why: Why,
}

/// Names of the layers a stop can be at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    /// The capture's link-layer header.
    Link,
    /// VLAN tag.
    Vlan,
    /// MPLS label stack.
    Mpls,
    /// PPPoE or PPP.
    Ppp,
    /// IPv4 header.
    Ipv4,
    /// IPv6 header or one of its extension headers.
    Ipv6,
    /// UDP or UDP-Lite header.
    Udp,
    /// TCP header.
    Tcp,
    /// ICMP or ICMPv6 header.
    Icmp,
    /// SCTP header.
    Sctp,
    /// GRE header.
    Gre,
    /// VXLAN or VXLAN-GPE header.
    Vxlan,
    /// Geneve header.
    Geneve,
    /// ERSPAN header.
    Erspan,
    /// The Ethernet frame inside a tunnel.
    InnerEthernet,
}

/// Why a layer could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// The bytes end before the header does: cut by the snaplen if the frame is
    /// truncated, else too short on the wire.
    Truncated,
    /// A field has a value it must not have.
    Malformed,
    /// A link type, EtherType, protocol or version that is not decoded.
    Unsupported(u32),
    /// Deeper nesting than is opened.
    TooDeep,
}

impl Layer {
    /// The flow this layer belongs to if it is innermost.
    pub fn flow_key(&self) -> FlowKey {
        FlowKey {
            addresses: self.addresses,
            ports: self.transport.ports(),
            protocol: self.protocol,
            scope: self.scope,
        }
    }
}

impl Transport {
    /// The ports, where the protocol has some and they were read.
    pub fn ports(&self) -> Option<Ports> {
        match self {
            Self::Udp(udp) => Some(udp.ports),
            Self::Tcp(tcp) => Some(tcp.ports),
            Self::Sctp { ports, .. } | Self::Cut { ports, .. } => Some(*ports),
            Self::None | Self::Icmp(_) | Self::Gre { .. } => None,
        }
    }
}
