//! UDP (RFC 768) and UDP-Lite (RFC 3828).
//!
//! ```text
//!  0      7 8     15 16    23 24    31
//! +--------+--------+--------+--------+
//! |   Source Port   | Destination Port|
//! +--------+--------+--------+--------+
//! | Length/Coverage |    Checksum     |
//! +--------+--------+--------+--------+
//! ```

use super::checksum::Judgement;
use super::upper::{Origin, Read, Upper};
use super::view::View;
use crate::model::facts::{LayerKind, Transport, Udp, UdpLength};
use crate::model::{IpVersion, Ports, Protocol, Verdict};

/// Bytes of the header.
pub(super) const HEADER: usize = 8;

/// Destination ports whose protocols may leave the checksum over IPv6 at zero
/// besides those that are opened as tunnels (RFC 6935, RFC 6936): GTP-U, LISP data
/// and control, GRE-in-UDP (RFC 8086), VXLAN-GPE, MPLS-in-UDP (RFC 7510).
const ZERO_CHECKSUM_PORTS: [u16; 6] = [2152, 4341, 4342, 4754, 4790, 6635];

/// Whether `port` is one that tunnels run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PortUse {
    /// A tunnel is to be expected.
    Tunnel,
    /// Anything else.
    Ordinary,
}

/// The payload of a UDP datagram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<'a> {
    /// Ports.
    pub ports: Ports,
    /// The payload.
    pub view: View<'a>,
    /// Bytes of payload by the UDP header; in a first fragment more than `view`
    /// claims.
    pub stated: u32,
}

/// A UDP header and how far it says it reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Ports.
    pub ports: Ports,
    /// The length field, or the coverage of UDP-Lite.
    field: u16,
    checksum: u16,
    length: UdpLength,
    /// Bytes that the checksum covers, where the field says something sensible.
    covered: Option<u32>,
}

impl Header {
    /// The header of UDP, or of UDP-Lite; `None` if it is cut off.
    #[inline]
    pub fn of(upper: &Upper<'_>) -> Option<Self> {
        let word = u64::from_be_bytes(upper.view.array::<HEADER>(0)?);
        let field = (word >> 16) as u16;
        let (length, covered) = match upper.protocol {
            Protocol::UDP_LITE => coverage(upper, field),
            _ => extent(upper, field),
        };
        Some(Self {
            ports: Ports {
                source: (word >> 48) as u16,
                destination: (word >> 32) as u16,
            },
            field,
            checksum: word as u16,
            length,
            covered,
        })
    }

    /// The payload of a UDP datagram.
    #[inline]
    pub fn body<'a>(&self, upper: &Upper<'a>) -> Body<'a> {
        let stated = match self.length {
            UdpLength::Longer | UdpLength::BelowHeader => u32::from(self.field),
            UdpLength::Right | UdpLength::Shorter => self.covered.unwrap_or(0),
        };
        Body {
            ports: self.ports,
            view: upper.view.at_most(stated).skip(HEADER),
            stated: stated.saturating_sub(HEADER as u32),
        }
    }

    /// The facts of the header, its checksum judged. Inlined by force: facts in
    /// registers need not be copied.
    #[inline(always)]
    pub fn facts(&self, upper: &Upper<'_>, port_use: PortUse) -> (Udp, Judgement) {
        let pseudo_length = match upper.protocol {
            Protocol::UDP_LITE => upper.view.claimed,
            _ => self.covered.unwrap_or(0),
        };
        let judgement = match (self.checksum, self.covered) {
            (0, _) => Judgement::plain(zero(upper, port_use, self.ports.destination)),
            (field, Some(covered)) => upper.judge(covered, pseudo_length, Some(field)),
            (_, None) => Judgement::plain(Verdict::Unverifiable),
        };
        let udp = Udp {
            ports: self.ports,
            checksum: judgement.verdict,
            length: self.length,
            is_unsummed: self.checksum == 0,
        };
        (udp, judgement)
    }
}

/// Reads a UDP-Lite header and judges its checksum.
pub(super) fn parse_lite(upper: &Upper<'_>) -> Read {
    match Header::of(upper) {
        Some(header) => read(header.facts(upper, PortUse::Ordinary)),
        None => upper.truncated(LayerKind::Udp),
    }
}

/// Facts for those who have no place for them yet.
#[inline]
pub(super) fn read((udp, judgement): (Udp, Judgement)) -> Read {
    Read {
        transport: Transport::Udp(udp),
        judgement,
        stop: None,
    }
}

/// What a checksum field of zero means.
fn zero(upper: &Upper<'_>, port_use: PortUse, destination: u16) -> Verdict {
    let may_be_absent = upper.protocol != Protocol::UDP_LITE
        && (upper.version == IpVersion::V4
            || port_use == PortUse::Tunnel
            || ZERO_CHECKSUM_PORTS.contains(&destination));
    if may_be_absent {
        Verdict::Absent
    } else {
        Verdict::Bad
    }
}

/// Compares a UDP length with the datagram, and says how many bytes it stands for.
#[inline]
fn extent(upper: &Upper<'_>, length: u16) -> (UdpLength, Option<u32>) {
    let whole = upper.view.claimed;
    let claimed = u32::from(length);
    // Beyond 65,535 bytes the field cannot hold the length: RFC 2675 section 4
    // writes 0, Linux 0 or the lower 16 bits.
    let is_wide = whole > 0xffff && (length == 0 || claimed == whole & 0xffff);
    if is_wide || (length == 0 && upper.origin == Origin::SuperFrame) {
        return (UdpLength::Right, Some(whole));
    }
    if claimed < HEADER as u32 {
        (UdpLength::BelowHeader, None)
    } else if claimed > whole {
        (UdpLength::Longer, None)
    } else if claimed < whole && matches!(upper.origin, Origin::SuperFrame | Origin::Overlong) {
        // The IP length is absent or wrong: there is nothing to hold against UDP's.
        (UdpLength::Right, Some(claimed))
    } else if claimed < whole {
        (UdpLength::Shorter, Some(claimed))
    } else {
        (UdpLength::Right, Some(whole))
    }
}

/// The same for UDP-Lite, whose field says how much the checksum covers: 0 is all
/// of it, less than the header must not be (RFC 3828 section 3.1).
fn coverage(upper: &Upper<'_>, coverage: u16) -> (UdpLength, Option<u32>) {
    let whole = upper.view.claimed;
    match u32::from(coverage) {
        0 => (UdpLength::Right, Some(whole)),
        short if short < HEADER as u32 => (UdpLength::BelowHeader, None),
        long if long > whole => (UdpLength::Longer, None),
        covered => (UdpLength::Right, Some(covered)),
    }
}
