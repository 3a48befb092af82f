//! What ICMP messages hold: packets they are about, addresses of neighbours and routers.

use super::checksum::{Field, Zero};
use super::network::{IPV4, IPV6, header_bytes};
use super::options::of_tcp;
use super::rewrite::Rewrite;
use crate::decode::sum;
use crate::model::{IpVersion, Protocol, Sum, Verdict};

/// Where the body of a message begins.
const BODY: usize = 8;

/// Redirect of ICMP: the better router is in the header.
const REDIRECT: u8 = 5;

/// Neighbour discovery options (RFC 4861 section 4.6).
const PREFIX_INFORMATION: u8 = 3;
const REDIRECTED_HEADER: u8 = 4;
const MTU: u8 = 5;

/// A quoted packet.
struct Quote {
    at: usize,
    end: usize,
    /// Where the packet ended that is quoted.
    whole_end: usize,
    version: IpVersion,
    is_fragment: bool,
}

impl Rewrite<'_> {
    /// Rewrites what follows the first eight bytes of a message.
    pub fn message(&mut self, protocol: Protocol, start: usize, end: usize) {
        let body = start + BODY;
        if body > end {
            return;
        }
        match (protocol, self.u8(start)) {
            (Protocol::ICMP, 3 | 4 | 11 | 12) => self.quote(body, end),
            (Protocol::ICMP, REDIRECT) => self.quote(body, end),
            (Protocol::ICMPV6, 1..=4) => self.quote(body, end),
            (Protocol::ICMPV6, 130..=132) => self.addresses(body, 1, end),
            (Protocol::ICMPV6, 133) => self.neighbours(body, end),
            (Protocol::ICMPV6, 134) => {
                self.keep(body, 8.min(end - body));
                self.neighbours(body + 8, end);
            }
            (Protocol::ICMPV6, 135 | 136) => {
                self.addresses(body, 1, end);
                self.neighbours(body + 16, end);
            }
            (Protocol::ICMPV6, 137) => {
                self.addresses(body, 2, end);
                self.neighbours(body + 32, end);
            }
            _ => self.blank(body, end),
        }
    }

    /// Type, code and checksum, and of the four bytes behind them what is known to say
    /// nothing of anybody: identifiers, sequence numbers, MTUs, pointers, times, flags.
    pub fn head_of_message(&mut self, protocol: Protocol, start: usize, end: usize) {
        const REST: usize = 4;
        let captured = end.saturating_sub(start);
        self.keep(start, captured.min(REST));
        match (protocol, self.u8(start)) {
            // Half of a gateway is not copied, and no other is made of it.
            (Protocol::ICMP, REDIRECT) if captured >= BODY => self.put_v4(start + REST),
            (Protocol::ICMP, 0 | 3 | 4 | 8..=18) | (Protocol::ICMPV6, 1..=4 | 128..=134 | 136) => {
                self.keep(start, captured.min(BODY));
            }
            _ => {}
        }
    }

    fn addresses(&mut self, at: usize, count: usize, end: usize) {
        for place in (at..).step_by(16).take(count) {
            if place + 16 <= end {
                self.put_v6(place);
            }
        }
    }

    /// Options: type, length in units of 8 bytes, data.
    fn neighbours(&mut self, at: usize, end: usize) {
        let mut at = at;
        while at + 8 <= end {
            let length = usize::from(self.u8(at + 1)) * 8;
            if length == 0 || at + length > end {
                return;
            }
            self.keep(at, 2);
            match self.u8(at) {
                1 | 2 => self.put_mac(at + 2),
                PREFIX_INFORMATION if length >= 32 => {
                    self.keep(at, 16);
                    self.put_v6(at + 16);
                }
                REDIRECTED_HEADER => self.quote(at + 8, at + length),
                MTU => self.keep(at, 8),
                _ => {}
            }
            at += length;
        }
    }

    /// A packet as far as it is quoted: headers, and ports.
    fn quote(&mut self, at: usize, end: usize) {
        let captured = end.saturating_sub(at);
        match self.u8(at) >> 4 {
            4 if header_bytes(self.u8(at)) >= IPV4 && header_bytes(self.u8(at)) <= captured => {
                self.quote_v4(at, end);
            }
            6 if captured >= IPV6 => self.quote_v6(at, end),
            _ => self.blank(at, end),
        }
    }

    fn quote_v4(&mut self, at: usize, end: usize) {
        self.header_v4(at);
        let header = header_bytes(self.u8(at));
        let old = self.old.get(at..at + header).unwrap_or_default();
        let verdict = match self.u16(at + 10) {
            _ if sum(old).is_all_ones() => Verdict::Good,
            0 => Verdict::Offloaded,
            _ => Verdict::Bad,
        };
        self.settle_header(at, verdict);
        let place = self.u16(at + 6);
        if place & 0x1fff != 0 {
            return;
        }
        let (next, behind) = self.behind(IpVersion::V4, at);
        let (protocol, behind) = match next {
            Protocol::AH => self.chain(&[0; 16], next, behind, end),
            next => (next, behind),
        };
        let quote = Quote {
            at: behind,
            end,
            whole_end: at + usize::from(self.u16(at + 2)),
            version: IpVersion::V4,
            is_fragment: place & 0x2000 != 0,
        };
        self.quoted_upper(at, protocol, &quote);
    }

    fn quote_v6(&mut self, at: usize, end: usize) {
        self.header_v6(at);
        let Some(destination) = self.array(at + 24) else {
            return;
        };
        let (next, behind) = self.behind(IpVersion::V6, at);
        let (protocol, upper) = self.chain(&destination, next, behind, end);
        let quote = Quote {
            at: upper,
            end,
            whole_end: at + IPV6 + usize::from(self.u16(at + 4)),
            version: IpVersion::V6,
            // With extension headers it may be, or go elsewhere.
            is_fragment: upper != behind,
        };
        let is_later = self.is_later_fragment(next, behind, upper);
        if !is_later {
            self.quoted_upper(at, protocol, &quote);
        }
    }

    /// Whether the last header before `upper` is that of a fragment from further back.
    fn is_later_fragment(&self, next: Protocol, behind: usize, upper: usize) -> bool {
        const FRAGMENT: u8 = 44;
        let (mut next, mut at) = (next.0, behind);
        while at < upper {
            if next == FRAGMENT {
                return self.u16(at + 2) & 0xfff8 != 0;
            }
            next = self.u8(at);
            at += (usize::from(self.u8(at + 1)) + 1) * 8;
        }
        false
    }

    fn quoted_upper(&mut self, header: usize, protocol: Protocol, quote: &Quote) {
        let (at, end) = (quote.at, quote.end);
        let captured = end.saturating_sub(at);
        let checksum = match protocol {
            Protocol::UDP | Protocol::UDP_LITE => {
                self.keep(at, captured.min(6));
                6
            }
            Protocol::TCP => {
                self.quoted_tcp(at, end);
                16
            }
            Protocol::ICMP | Protocol::ICMPV6 => {
                self.head_of_message(protocol, at, end);
                2
            }
            Protocol::SCTP => return self.keep(at, captured.min(8)),
            _ => return,
        };
        if captured >= checksum + 2 {
            self.settle_quoted(header, protocol, quote, checksum);
        } else if captured > checksum {
            self.put(at + checksum, &[0]);
        }
    }

    fn quoted_tcp(&mut self, at: usize, end: usize) {
        self.keep(at, end.saturating_sub(at).min(20));
        let header = usize::from(self.u8(at + 12) >> 4) * 4;
        if let Some(options) = self.old.get(at + 20..(at + header).min(end)) {
            let new = of_tcp(options);
            self.put(at + 20, &new);
        }
    }

    /// A checksum of a packet that is quoted whole can be told to be right; of any other
    /// nothing can be said.
    fn settle_quoted(&mut self, header: usize, protocol: Protocol, quote: &Quote, at: usize) {
        let addresses = match quote.version {
            IpVersion::V4 => header + 12..header + 20,
            IpVersion::V6 => header + 8..header + 40,
        };
        let length = quote.whole_end.saturating_sub(quote.at) as u32;
        let pseudo = |bytes: &[u8]| match (protocol, bytes.get(addresses.clone())) {
            (Protocol::ICMP, _) | (_, None) => Sum(0),
            (_, Some(both)) => sum(both)
                .plus(Sum(u16::from(protocol.0)))
                .plus(sum(&length.to_be_bytes())),
        };
        let (old_pseudo, new_pseudo) = (pseudo(self.old), pseudo(&self.new));
        let old = self.u16(quote.at + at);
        let covered = self.old.get(quote.at..quote.whole_end);
        let verdict = match covered.filter(|_| !quote.is_fragment && quote.whole_end <= quote.end) {
            None => Verdict::Unverifiable,
            Some(covered) if sum(covered).plus(old_pseudo).is_all_ones() => Verdict::Good,
            Some(_) if old == old_pseudo.0 => Verdict::Offloaded,
            Some(_) => Verdict::Bad,
        };
        let field = Field {
            at: quote.at + at,
            old,
            start: quote.at,
            end: quote.whole_end.min(quote.end),
            verdict,
            zero: match protocol {
                Protocol::UDP => Zero::Absent,
                _ => Zero::Number,
            },
            pseudo: [new_pseudo; 2],
            old_pseudo: [old_pseudo; 2],
            salt: self.salt,
        };
        let value = field.value(&self.new, None, &self.known.map.fill);
        self.put(field.at, &value.to_be_bytes());
    }
}
