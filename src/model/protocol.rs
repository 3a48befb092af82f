//! IP protocol numbers (IANA "Assigned Internet Protocol Numbers").

use std::fmt;

/// The upper-layer protocol of an IP packet, after IPv6 extension headers.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Protocol(pub u8);

impl Protocol {
    /// RFC 792.
    pub const ICMP: Self = Self(1);
    /// IPv4 in IP, RFC 2003.
    pub const IPV4: Self = Self(4);
    /// RFC 9293.
    pub const TCP: Self = Self(6);
    /// RFC 768.
    pub const UDP: Self = Self(17);
    /// IPv6 in IP, RFC 2473 and RFC 4213.
    pub const IPV6: Self = Self(41);
    /// RFC 2784.
    pub const GRE: Self = Self(47);
    /// RFC 4303.
    pub const ESP: Self = Self(50);
    /// RFC 4302.
    pub const AH: Self = Self(51);
    /// RFC 4443.
    pub const ICMPV6: Self = Self(58);
    /// "No next header", RFC 8200 section 4.7.
    pub const NO_NEXT_HEADER: Self = Self(59);
    /// RFC 9260.
    pub const SCTP: Self = Self(132);
    /// RFC 3828.
    pub const UDP_LITE: Self = Self(136);

    /// The keyword users of tcpdump know, where there is one.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::ICMP => "icmp",
            Self(2) => "igmp",
            Self::IPV4 => "ipip",
            Self::TCP => "tcp",
            Self::UDP => "udp",
            Self::IPV6 => "ipv6",
            Self::GRE => "gre",
            Self::ESP => "esp",
            Self::AH => "ah",
            Self::ICMPV6 => "icmpv6",
            Self(89) => "ospf",
            Self(103) => "pim",
            Self(112) => "vrrp",
            Self::SCTP => "sctp",
            Self::UDP_LITE => "udplite",
            _ => return None,
        })
    }

    /// Whether the protocol begins with a source and a destination port.
    pub fn has_ports(self) -> bool {
        matches!(self, Self::TCP | Self::UDP | Self::UDP_LITE | Self::SCTP)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "ip-proto-{}", self.0),
        }
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} ({})", self.0)
    }
}
