//! Link headers, and what is between them and IP.

use super::rewrite::Rewrite;
use crate::model::LinkType;

/// Bytes of an Ethernet header.
const ETHERNET: usize = 14;
/// Up to here an EtherType is the length of an 802.2 frame.
const MAX_LENGTH: u16 = 1500;
/// `ARPHRD_` numbers of Linux tunnels, whose link-layer address is an IP address.
const OVER_IPV4: [u16; 3] = [768, 776, 778];
const OVER_IPV6: [u16; 2] = [769, 823];

/// What bytes are to be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Ethernet,
    EtherType(u16),
    Llc,
    Ppp,
    Pppoe,
    /// IP of the version in the first nibble.
    Ip,
}

impl Rewrite<'_> {
    /// Rewrites the link header of a frame; gives what is behind it.
    pub fn link(&mut self, link_type: LinkType) -> Option<(Content, usize)> {
        Some(match link_type {
            LinkType::ETHERNET => (Content::Ethernet, 0),
            LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD => (Content::Ip, 0),
            LinkType::IPV4 => (Content::EtherType(0x0800), 0),
            LinkType::IPV6 => (Content::EtherType(0x86dd), 0),
            LinkType::PPP | LinkType::PPP_HDLC => (Content::Ppp, 0),
            LinkType::PPP_ETHER => (Content::Pppoe, 0),
            LinkType::NULL | LinkType::LOOP => {
                self.keep(0, 4);
                (Content::Ip, 4)
            }
            LinkType::LINUX_SLL => {
                self.keep(0, 6);
                self.keep(14, 2);
                let (kind, length) = (self.u16(2), usize::from(self.u16(4)));
                self.station(6, kind, length);
                (self.cooked(14), 16)
            }
            LinkType::LINUX_SLL2 => {
                self.keep(0, 12);
                self.station(12, self.u16(8), usize::from(self.u8(11)));
                (self.cooked(0), 20)
            }
            _ => return None,
        })
    }

    /// What a "cooked" header says is behind it.
    fn cooked(&self, at: usize) -> Content {
        match self.u16(at) {
            4 => Content::Llc,
            kind => Content::EtherType(kind),
        }
    }

    /// A link-layer address of `length` in a field of 8 bytes.
    fn station(&mut self, at: usize, kind: u16, length: usize) {
        if OVER_IPV4.contains(&kind) {
            self.put_v4(at);
        } else if OVER_IPV6.contains(&kind) {
            // The first half of it.
            if let Some(half) = self.array::<8>(at) {
                let address = u128::from(u64::from_be_bytes(half)) << 64;
                let mapped = self.known.map.addresses.v6(address.to_be_bytes());
                self.put(at, mapped.first_chunk::<8>().unwrap_or(&[0; 8]));
            }
        } else if length == 6 {
            self.put_mac(at);
        }
    }

    /// Rewrites what is up to the next IP header, and on from there; that is `layer`.
    pub fn inside(&mut self, content: Content, at: usize, end: usize, layer: usize) {
        let (mut content, mut at, mut end) = (content, at, end.min(self.old.len()));
        while at < end {
            let behind = match content {
                Content::Ethernet => self.ethernet(at),
                Content::EtherType(0x0800 | 0x86dd) | Content::Ip => {
                    return self.network(layer, at, end);
                }
                Content::EtherType(0x8100 | 0x88a8 | 0x9100 | 0x9200) => self.vlan(at, end),
                Content::EtherType(length) if length <= MAX_LENGTH => {
                    end = end.min(at.saturating_add(usize::from(length)));
                    Some((Content::Llc, at))
                }
                Content::EtherType(0x8847 | 0x8848) => self.mpls(at, end),
                Content::EtherType(0x0806) => return self.arp(at, end),
                Content::EtherType(0x8864) | Content::Pppoe => self.pppoe(at, &mut end),
                Content::Ppp => self.ppp(at),
                Content::Llc => self.llc(at, end),
                Content::EtherType(_) => None,
            };
            let Some(behind) = behind else {
                return;
            };
            (content, at) = behind;
        }
    }

    fn ethernet(&mut self, at: usize) -> Option<(Content, usize)> {
        self.put_mac(at);
        self.put_mac(at + 6);
        self.keep(at + 12, 2);
        Some((Content::EtherType(self.u16(at + 12)), at + ETHERNET))
    }

    fn vlan(&mut self, at: usize, end: usize) -> Option<(Content, usize)> {
        if at + 4 > end {
            return None;
        }
        let tag = self.u16(at);
        let mapped = tag & 0xf000 | self.known.map.ids.vlan(tag & 0x0fff);
        self.put(at, &mapped.to_be_bytes());
        self.keep(at + 2, 2);
        Some((Content::EtherType(self.u16(at + 2)), at + 4))
    }

    /// Labels, and what is below them by its first nibble.
    fn mpls(&mut self, at: usize, end: usize) -> Option<(Content, usize)> {
        let mut at = at;
        loop {
            if at + 4 > end {
                return None;
            }
            self.keep(at, 4);
            at += 4;
            if self.u8(at - 2) & 1 != 0 {
                break;
            }
        }
        let is_ethernet = |at: usize| {
            let kind = self.u16(at + 12);
            at + ETHERNET <= end
                && matches!(
                    kind,
                    0x8100 | 0x88a8 | 0x9100 | 0x9200 | 0x0800 | 0x86dd | 0x0806
                )
        };
        match self.u8(at) >> 4 {
            4 | 6 => Some((Content::Ip, at)),
            0 if is_ethernet(at + 4) => {
                self.keep(at, 4);
                Some((Content::Ethernet, at + 4))
            }
            _ if is_ethernet(at) => Some((Content::Ethernet, at)),
            nibble => {
                if at < end {
                    self.put(at, &[nibble << 4]);
                }
                None
            }
        }
    }

    fn pppoe(&mut self, at: usize, end: &mut usize) -> Option<(Content, usize)> {
        self.keep(at, 6);
        if self.array::<2>(at)? != [0x11, 0] {
            return None;
        }
        let inside = at + 6;
        *end = (*end).min(inside.saturating_add(usize::from(self.u16(at + 4))));
        Some((Content::Ppp, inside))
    }

    fn ppp(&mut self, at: usize) -> Option<(Content, usize)> {
        let mut at = at;
        match self.array::<2>(at) {
            Some([0xff, 0x03]) => {
                self.keep(at, 2);
                at += 2;
            }
            Some([0x0f | 0x8f, 0]) => {
                self.keep(at, 4);
                return Some((Content::EtherType(self.u16(at + 2)), at + 4));
            }
            _ => {}
        }
        let first = self.u8(at);
        let (protocol, bytes) = match first & 1 {
            1 => (u16::from(first), 1),
            _ => (self.u16(at), 2),
        };
        self.keep(at, bytes);
        if bytes == 1 && matches!(first, 0x0f | 0x8f) {
            // With a zero behind it this would be Cisco's.
            self.put(at + 1, &[0xff]);
        }
        let content = match protocol {
            0x0021 => Content::EtherType(0x0800),
            0x0057 => Content::EtherType(0x86dd),
            0x0281 => Content::EtherType(0x8847),
            0x0283 => Content::EtherType(0x8848),
            _ => return None,
        };
        Some((content, at + bytes))
    }

    fn llc(&mut self, at: usize, end: usize) -> Option<(Content, usize)> {
        self.keep(at, 3.min(end - at));
        match self.array::<3>(at)? {
            [0xaa, 0xaa, 0x03] if at + 8 <= end => {
                self.keep(at, 8);
                Some((Content::EtherType(self.u16(at + 6)), at + 8))
            }
            [0x06, 0x06, 0x03] => Some((Content::Ip, at + 3)),
            _ => None,
        }
    }

    /// ARP (RFC 826) for IPv4 on Ethernet; any other is blank.
    fn arp(&mut self, at: usize, end: usize) {
        self.keep(at, 8.min(end - at));
        if at + 28 > end || self.array::<6>(at) != Some([0, 1, 8, 0, 6, 4]) {
            return;
        }
        self.put_mac(at + 8);
        self.put_v4(at + 14);
        self.put_mac(at + 18);
        self.put_v4(at + 24);
    }
}
