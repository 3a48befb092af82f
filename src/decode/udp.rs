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
use etherparse::UdpHeaderSlice;

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

/// The payload of a UDP datagram; `None` if the header is cut off.
#[inline]
pub(super) fn body<'a>(upper: &Upper<'a>) -> Option<Body<'a>> {
    let header = UdpHeaderSlice::from_slice(upper.view.bytes).ok()?;
    let stated = match extent(upper, header.length()) {
        (UdpLength::Longer | UdpLength::BelowHeader, _) => u32::from(header.length()),
        (_, covered) => covered.unwrap_or(0),
    };
    Some(Body {
        ports: ports(&header),
        view: upper.view.at_most(stated).skip(HEADER),
        stated: stated.saturating_sub(HEADER as u32),
    })
}

fn ports(header: &UdpHeaderSlice<'_>) -> Ports {
    Ports {
        source: header.source_port(),
        destination: header.destination_port(),
    }
}

/// Reads a UDP header and judges its checksum.
pub(super) fn parse(upper: &Upper<'_>, port_use: PortUse) -> Read {
    match facts(upper, port_use) {
        Some((udp, judgement)) => Read {
            transport: Transport::Udp(udp),
            judgement,
            stop: None,
        },
        None => upper.truncated(LayerKind::Udp),
    }
}

/// The facts of a UDP header; `None` if it is cut off. Inlined by force: facts in
/// registers need not be copied.
#[inline(always)]
pub(super) fn facts(upper: &Upper<'_>, port_use: PortUse) -> Option<(Udp, Judgement)> {
    let header = UdpHeaderSlice::from_slice(upper.view.bytes).ok()?;
    let ports = ports(&header);
    let (length, covered) = match upper.protocol {
        Protocol::UDP_LITE => coverage(upper, header.length()),
        _ => extent(upper, header.length()),
    };
    let pseudo_length = match upper.protocol {
        Protocol::UDP_LITE => upper.view.claimed,
        _ => covered.unwrap_or(0),
    };
    let judgement = match header.checksum() {
        0 => Judgement::plain(zero(upper, port_use, ports.destination)),
        field => match covered {
            Some(covered) => upper.judge(covered, pseudo_length, Some(field)),
            None => Judgement::plain(Verdict::Unverifiable),
        },
    };
    let udp = Udp {
        ports,
        checksum: judgement.verdict,
        length,
    };
    Some((udp, judgement))
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
