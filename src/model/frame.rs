//! One captured frame, borrowed from the block it was read in.

use super::time::Timestamp;
use std::fmt;

/// A libpcap link-layer header type (`LINKTYPE_` number).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// BSD loopback: protocol family in the byte order of the capturing host.
    pub const NULL: Self = Self(0);
    /// IEEE 802.3 Ethernet.
    pub const ETHERNET: Self = Self(1);
    /// PPP, RFC 1661, possibly in HDLC-like framing.
    pub const PPP: Self = Self(9);
    /// Raw IP, the number in files of some BSDs.
    pub const RAW_BSD: Self = Self(12);
    /// Raw IP, the number OpenBSD uses.
    pub const RAW_OPENBSD: Self = Self(14);
    /// PPP in HDLC-like framing, RFC 1662.
    pub const PPP_HDLC: Self = Self(50);
    /// PPPoE; begins with the PPPoE header.
    pub const PPP_ETHER: Self = Self(51);
    /// Raw IP, version from the first nibble.
    pub const RAW: Self = Self(101);
    /// OpenBSD loopback: protocol family in network byte order.
    pub const LOOP: Self = Self(108);
    /// Linux "cooked" capture.
    pub const LINUX_SLL: Self = Self(113);
    /// Raw IPv4.
    pub const IPV4: Self = Self(228);
    /// Raw IPv6.
    pub const IPV6: Self = Self(229);
    /// Linux "cooked" capture, version 2.
    pub const LINUX_SLL2: Self = Self(276);

    /// The name users of tcpdump know, where there is one.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::NULL => "NULL",
            Self::ETHERNET => "EN10MB",
            Self::PPP => "PPP",
            Self::PPP_HDLC => "PPP_SERIAL",
            Self::PPP_ETHER => "PPP_ETHER",
            Self::RAW | Self::RAW_BSD | Self::RAW_OPENBSD => "RAW",
            Self::LOOP => "LOOP",
            Self::LINUX_SLL => "LINUX_SLL",
            Self::IPV4 => "IPV4",
            Self::IPV6 => "IPV6",
            Self::LINUX_SLL2 => "LINUX_SLL2",
            _ => return None,
        })
    }
}

impl fmt::Display for LinkType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "LINKTYPE_{}", self.0),
        }
    }
}

/// Where a frame is: which input, and its number there.
///
/// Ordered as the capture is: inputs in time order, frames as they lie in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId {
    /// Index of the input in reading order.
    pub file: u32,
    /// Number of the frame in that input, from 1 as in Wireshark.
    pub number: u64,
}

/// One captured frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Where it is.
    pub id: FrameId,
    /// When it was captured.
    pub timestamp: Timestamp,
    /// Length on the wire in bytes, link-layer header included, FCS excluded
    /// where the capture says so. Never less than `data.len()`.
    pub wire_bytes: u32,
    /// How `data` begins.
    pub link_type: LinkType,
    /// Interface it was captured on: its number in the input, from 0 over all sections of
    /// a pcapng file. 0 where the format knows of none.
    pub interface: u32,
    /// What was captured of it; shorter than `wire_bytes` under a snaplen.
    pub data: &'a [u8],
}

impl Frame<'_> {
    /// Whether the capture holds less than the wire carried.
    pub fn is_truncated(&self) -> bool {
        self.data.len() < self.wire_bytes as usize
    }
}
