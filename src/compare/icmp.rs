//! What address translation changes of an ICMP message, and what it tells messages between the
//! same hosts apart by: the identifier of an echo, and what the packet says that an error
//! quotes (RFC 5508; Linux `nf_nat_icmp_reply_translation`). Several hosts may ask, and be told
//! of errors, in the name of one.

use super::content;
use crate::model::{Ports, Protocol};
use std::ops::Range;

/// How much of a message tells it from others between its hosts.
pub(super) const TELLING: usize = 6;

pub(super) const CHECKSUM: usize = 2;
const IDENTIFIER: usize = 4;
/// Where a quoted packet begins.
const QUOTE: usize = 8;

/// Echo, timestamp, information and address mask, and their replies.
const QUERIES: [u8; 8] = [8, 0, 13, 14, 15, 16, 17, 18];
const QUERIES_V6: [u8; 2] = [128, 129];

/// Unreachable, quench, redirect, time exceeded and parameter problem.
const ERRORS: [u8; 5] = [3, 4, 5, 11, 12];
/// Unreachable, too big, time exceeded and parameter problem.
const ERRORS_V6: [u8; 4] = [1, 2, 3, 4];

/// Where in a message which parts of the packet are that it quotes.
struct Quote {
    protocol: Protocol,
    /// The checksum of an IPv4 header, and the addresses.
    header: [Range<usize>; 2],
    /// The upper-layer header, of which at least ports are there, if it begins the datagram.
    upper: Option<usize>,
}

/// What takes the place of ports: of queries the identifier, and of errors the ports of the
/// packet that they quote, as that has them.
pub(super) fn ports(protocol: Protocol, message: &[u8]) -> Option<Ports> {
    if is_query(protocol, message) {
        return Some(Ports {
            source: word(message, IDENTIFIER)?,
            destination: 0,
        });
    }
    let quote = Quote::of(protocol, message)?;
    let upper = message.get(quote.upper?..)?;
    if quote.protocol.has_ports() {
        return Some(Ports {
            source: word(upper, 0)?,
            destination: word(upper, 2)?,
        });
    }
    is_query(quote.protocol, upper).then(|| ports(quote.protocol, upper))?
}

/// Bytes in front of what stays the same.
pub(super) fn header(protocol: Protocol, message: &[u8]) -> usize {
    if is_query(protocol, message) {
        return IDENTIFIER + 2;
    }
    let quote = Quote::of(protocol, message);
    let quoted = quote.and_then(|quote| Some((quote.upper?, quote.protocol)));
    match quoted {
        // Errors are about no errors (RFC 1122, section 3.2.2), and if: about no more of them.
        Some((upper, Protocol::ICMP | Protocol::ICMPV6)) => upper + IDENTIFIER + 2,
        Some((upper, protocol)) => upper + content::header(protocol, &[]),
        None => CHECKSUM + 2,
    }
}

/// Where words are that change, besides the checksum.
pub(super) fn variable(protocol: Protocol, message: &[u8]) -> impl Iterator<Item = usize> {
    let identifier = is_query(protocol, message).then_some(IDENTIFIER);
    let quote = Quote::of(protocol, message);
    let quoted = quote.into_iter().flat_map(|quote| quote.variable(message));
    identifier.into_iter().chain(quoted)
}

fn is_query(protocol: Protocol, message: &[u8]) -> bool {
    is_one_of(protocol, message, &QUERIES, &QUERIES_V6)
}

fn is_one_of(protocol: Protocol, message: &[u8], kinds: &[u8], kinds_v6: &[u8]) -> bool {
    let kinds = match protocol {
        Protocol::ICMP => kinds,
        Protocol::ICMPV6 => kinds_v6,
        _ => return false,
    };
    message.first().is_some_and(|kind| kinds.contains(kind))
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_be_bytes(*word))
}

impl Quote {
    /// Of an error; `None` if too little of it is there, or it is none.
    fn of(protocol: Protocol, message: &[u8]) -> Option<Self> {
        if !is_one_of(protocol, message, &ERRORS, &ERRORS_V6) {
            return None;
        }
        let ip = message.get(QUOTE..)?;
        let quote = match protocol {
            Protocol::ICMPV6 => Self::v6(ip.first_chunk()?),
            _ => Self::v4(ip.first_chunk()?),
        };
        let upper = quote.upper.filter(|upper| message.len() >= upper + 4);
        Some(Self { upper, ..quote })
    }

    /// Where words of it are that change.
    fn variable(self, message: &[u8]) -> impl Iterator<Item = usize> {
        let upper = self.upper.into_iter().flat_map(move |upper| {
            let is_query = is_query(self.protocol, message.get(upper..).unwrap_or_default());
            let fixed = content::fixed_words(self.protocol).iter().copied();
            let words = fixed.chain(is_query.then_some(IDENTIFIER));
            words.map(move |at| upper + at)
        });
        let header = self.header.into_iter().flat_map(|range| range.step_by(2));
        header.chain(upper)
    }

    fn v4(ip: &[u8; 20]) -> Self {
        let fragment = u16::from_be_bytes([ip[6], ip[7]]) & 0x1fff;
        let header = usize::from(ip[0] & 0xf).max(5) * 4;
        Self {
            protocol: Protocol(ip[9]),
            header: [QUOTE + 10..QUOTE + 12, QUOTE + 12..QUOTE + 20],
            upper: (fragment == 0).then_some(QUOTE + header),
        }
    }

    fn v6(ip: &[u8; 40]) -> Self {
        Self {
            protocol: Protocol(ip[6]),
            header: [0..0, QUOTE + 8..QUOTE + 40],
            upper: Some(QUOTE + 40),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_go_by_their_identifier() {
        let message = |kind: u8| [kind, 0, 1, 2, 0x12, 0x34, 0, 1];
        let by = |protocol, kind| ports(protocol, &message(kind)).map(|ports| ports.source);
        assert_eq!(by(Protocol::ICMP, 8), Some(0x1234));
        assert_eq!(by(Protocol::ICMP, 14), Some(0x1234));
        assert_eq!(by(Protocol::ICMPV6, 129), Some(0x1234));
        // An error has unused bytes there, or an MTU; neighbour discovery has flags.
        assert_eq!(by(Protocol::ICMP, 3), None);
        assert_eq!(by(Protocol::ICMPV6, 8), None);
        assert_eq!(by(Protocol::ICMPV6, 135), None);
        assert_eq!(by(Protocol::UDP, 8), None);
        assert_eq!(ports(Protocol::ICMP, &message(8)[..5]), None);
        assert_eq!(ports(Protocol::ICMP, &[]), None);
    }

    /// An error that quotes an IPv4 packet with these fields.
    fn error_v4(offset: u8, protocol: Protocol) -> Vec<u8> {
        let ip = [
            [0x46, 0, 0, 60],
            [0, 9, 0, offset],
            [63, protocol.0, 0xab, 0xcd],
            [10, 0, 0, 1],
            [10, 0, 0, 2],
            [1, 1, 1, 1],
        ];
        let upper = [[0x0f, 0xa0, 0, 53], [0, 40, 0x12, 0x34]];
        [
            vec![[3, 4, 7, 7], [0, 0, 5, 0xdc]],
            ip.to_vec(),
            upper.to_vec(),
        ]
        .concat()
        .concat()
    }

    #[test]
    fn errors_go_by_what_they_quote() {
        let message = error_v4(0, Protocol::UDP);
        let known = ports(Protocol::ICMP, &message).map(|ports| (ports.source, ports.destination));
        assert_eq!(known, Some((4_000, 53)));
        let changed: Vec<usize> = variable(Protocol::ICMP, &message).collect();
        assert_eq!(changed, [18, 20, 22, 24, 26, 32, 34, 38]);
        assert_eq!(header(Protocol::ICMP, &message), 40);
    }

    #[test]
    fn what_a_quote_does_not_show_is_not_made_up() {
        for message in [
            error_v4(5, Protocol::UDP),
            error_v4(0, Protocol::UDP)[..34].to_vec(),
        ] {
            assert_eq!(ports(Protocol::ICMP, &message), None);
            let changed: Vec<usize> = variable(Protocol::ICMP, &message).collect();
            assert_eq!(changed, [18, 20, 22, 24, 26]);
            assert_eq!(header(Protocol::ICMP, &message), 4);
        }
        assert_eq!(ports(Protocol::ICMP, &error_v4(0, Protocol(50))), None);
        assert_eq!(
            ports(Protocol::ICMP, &error_v4(0, Protocol::UDP)[..20]),
            None
        );
        assert_eq!(
            variable(Protocol::ICMP, &error_v4(0, Protocol::UDP)[..20]).count(),
            0
        );
    }

    #[test]
    fn an_error_may_be_about_an_echo() {
        let mut message = error_v4(0, Protocol::ICMP);
        message[32..].copy_from_slice(&[8, 0, 1, 2, 0x12, 0x34, 0, 9]);
        let known = ports(Protocol::ICMP, &message).map(|ports| ports.source);
        assert_eq!(known, Some(0x1234));
        let changed: Vec<usize> = variable(Protocol::ICMP, &message).collect();
        assert_eq!(changed[5..], [34, 36]);
    }

    #[test]
    fn quotes_of_ipv6_have_longer_addresses_and_no_checksum() {
        let mut message = vec![0; 8 + 40 + 8];
        message[0] = 2;
        message[8 + 6] = Protocol::TCP.0;
        message[49] = 80;
        let known = ports(Protocol::ICMPV6, &message).map(|ports| ports.source);
        assert_eq!(known, Some(80));
        let changed: Vec<usize> = variable(Protocol::ICMPV6, &message).collect();
        assert_eq!(changed.len(), 16 + 3);
        assert_eq!(changed[..2], [16, 18]);
        assert_eq!(changed[16..], [48, 50, 64]);
    }
}
