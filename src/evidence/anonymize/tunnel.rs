//! Tunnel headers, and payload that was expected to have one.

use super::checksum::{Field, Zero};
use super::link::Content;
use super::rewrite::Rewrite;
use super::transport::Upper;
use crate::model::facts::{LayerKind, Transport, Why};
use crate::model::{Sum, TunnelKind};

const BRIDGING: u16 = 0x6558;

const GRE_CHECKSUM: u16 = 0x8000;
const GRE_ROUTING: u16 = 0x4000;
const GRE_KEY: u16 = 0x2000;
const GRE_SEQUENCE: u16 = 0x1000;
const GRE_VERSION: u16 = 0x0007;

const VXLAN: usize = 8;
const GENEVE: usize = 8;
/// Class and type of the option that OVN has its logical ports in.
const OVN_OPTION: [u8; 3] = [0x01, 0x02, 0x80];

impl Rewrite<'_> {
    /// Rewrites a tunnel in UDP.
    pub fn udp_tunnel(&mut self, upper: &Upper<'_>, at: usize, end: usize) {
        let Some(kind) = self.tunnel_kind(upper.layer) else {
            return self.blank(at, end);
        };
        let (content, inside) = match kind {
            TunnelKind::Geneve => self.geneve(at),
            kind => self.vxlan(kind, at),
        };
        self.enter(content, inside, end, upper.index);
    }

    fn vxlan(&mut self, kind: TunnelKind, at: usize) -> (Content, usize) {
        self.keep(at, VXLAN);
        self.put_vni(kind, at + 4);
        let content = match (kind, self.u8(at), self.u8(at + 3)) {
            (TunnelKind::VxlanGpe, flags, next) if flags & 0x04 != 0 => match next {
                1 => Content::EtherType(0x0800),
                2 => Content::EtherType(0x86dd),
                5 => Content::EtherType(0x8847),
                _ => Content::Ethernet,
            },
            _ => Content::Ethernet,
        };
        (content, at + VXLAN)
    }

    fn geneve(&mut self, at: usize) -> (Content, usize) {
        self.keep(at, GENEVE);
        self.put_vni(TunnelKind::Geneve, at + 4);
        let inside = at + GENEVE + usize::from(self.u8(at) & 0x3f) * 4;
        let mut option = at + GENEVE;
        while option < inside {
            self.keep(option, 4);
            let data = usize::from(self.u8(option + 3) & 0x1f) * 4;
            if self.array::<3>(option) == Some(OVN_OPTION) {
                self.keep(option + 4, 4.min(data));
            }
            option += 4 + data;
        }
        (ether_type(self.u16(at + 2)), inside)
    }

    /// Maps the 24 bits of a VNI.
    fn put_vni(&mut self, kind: TunnelKind, at: usize) {
        if let Some([a, b, c]) = self.array(at) {
            let vni = u32::from_be_bytes([0, a, b, c]);
            let [_, mapped @ ..] = self.known.map.ids.tunnel(kind, vni).to_be_bytes();
            self.put(at, &mapped);
        }
    }

    /// Payload on a port of tunnels that is none: it must go on being none, for the same
    /// reason.
    pub fn no_tunnel(&mut self, upper: &Upper<'_>, at: usize) {
        let is_innermost = upper.index + 1 == self.layers.len();
        let Some(stop) = self.stop.filter(|_| is_innermost) else {
            return;
        };
        let first = self.u8(at);
        match (stop.layer, stop.why) {
            // Flags that no VXLAN header has.
            (LayerKind::Vxlan, Why::Malformed) => self.put(at, &[0xf0]),
            (LayerKind::Vxlan, Why::Unsupported(next)) => self.put(at, &[0x0c, 0, 0, next as u8]),
            (LayerKind::Geneve, Why::Unsupported(_)) if first >> 6 != 0 => {
                self.put(at, &[first & 0xc0]);
            }
            (LayerKind::Geneve, Why::Unsupported(protocol)) => {
                let [.., high, low] = protocol.to_be_bytes();
                self.put(at, &[0, 0, high, low]);
            }
            // Reserved bits.
            (LayerKind::Geneve, Why::Malformed) => self.put(at, &[0, 0x3f]),
            // Options that go on beyond what was captured.
            (LayerKind::Geneve, Why::Truncated) => self.put(at, &[first & 0x3f]),
            _ => {}
        }
    }

    /// Rewrites GRE (RFC 2784, RFC 2890, RFC 1701) and what it carries.
    pub fn gre(&mut self, upper: &Upper<'_>) {
        let Upper { start, end, .. } = *upper;
        self.keep(start, 4.min(end.saturating_sub(start)));
        let flags = self.u16(start);
        if flags & GRE_VERSION != 0 {
            return;
        }
        let mut at = start + 4;
        if flags & (GRE_CHECKSUM | GRE_ROUTING) != 0 {
            self.keep(at + 2, 2);
            at += 4;
        }
        if flags & GRE_KEY != 0 {
            self.gre_key(upper, at);
            at += 4;
        }
        if flags & GRE_SEQUENCE != 0 {
            self.keep(at, 4);
            at += 4;
        }
        if flags & GRE_ROUTING != 0 {
            at = self.gre_routes(at, end);
        }
        if self.tunnel_kind(upper.layer).is_some() {
            let (content, inside) = self.gre_content(flags, self.u16(start + 2), at);
            self.enter(content, inside, end, upper.index);
        } else {
            self.gre_closed(self.u16(start + 2), at, end);
        }
        self.settle_gre(upper);
    }

    /// The upper 24 bits of the key are the id of NVGRE (RFC 7637 section 3.2).
    fn gre_key(&mut self, upper: &Upper<'_>, at: usize) {
        let Some(key) = self.array(at).map(u32::from_be_bytes) else {
            return;
        };
        let ids = &self.known.map.ids;
        let mapped = match self.tunnel_kind(upper.layer) {
            Some(TunnelKind::Nvgre) => ids.tunnel(TunnelKind::Nvgre, key >> 8) << 8 | key & 0xff,
            _ => ids.tunnel(TunnelKind::Gre, key),
        };
        self.put(at, &mapped.to_be_bytes());
    }

    /// Source routes: family 2, offset 1, length 1, and addresses, which are blank.
    fn gre_routes(&mut self, at: usize, end: usize) -> usize {
        let mut at = at;
        while at + 4 <= end {
            self.keep(at, 4);
            let (family, length) = (self.u16(at), usize::from(self.u8(at + 3)));
            at += 4 + length;
            if family == 0 && length == 0 {
                break;
            }
        }
        at
    }

    fn gre_content(&mut self, flags: u16, protocol: u16, at: usize) -> (Content, usize) {
        match protocol {
            0x88be if flags & GRE_SEQUENCE == 0 => (Content::Ethernet, at),
            0x88be => {
                self.erspan(at);
                self.keep(at + 4, 4);
                (Content::Ethernet, at + 8)
            }
            0x22eb => {
                self.erspan(at);
                // Not the time, nor the group.
                self.keep(at + 10, 2);
                let subheader = usize::from(self.u8(at + 11) & 1) * 8;
                (Content::Ethernet, at + 12 + subheader)
            }
            0x880b => (Content::Ppp, at),
            // Version 2 of WCCP has 4 bytes more.
            0x883e if self.u8(at) >> 4 != 4 => (Content::Ip, at + 4),
            0x883e => (Content::Ip, at),
            other => (ether_type(other), at),
        }
    }

    /// Version, VLAN, flags, session.
    fn erspan(&mut self, at: usize) {
        let Some(word) = self.array(at).map(u32::from_be_bytes) else {
            return;
        };
        let ids = &self.known.map.ids;
        let vlan = u32::from(ids.vlan((word >> 16) as u16 & 0x0fff));
        let session = ids.tunnel(TunnelKind::Erspan, word & 0x03ff);
        let mapped = word & 0xf000_fc00 | vlan << 16 | session;
        self.put(at, &mapped.to_be_bytes());
    }

    /// What could not be opened: an ERSPAN header that is cut off says how long it is.
    fn gre_closed(&mut self, protocol: u16, at: usize, end: usize) {
        self.blank(at, end);
        if protocol == 0x22eb && at + 12 <= end {
            self.keep(at + 11, 1);
        }
    }

    fn settle_gre(&mut self, upper: &Upper<'_>) {
        let Transport::Gre {
            checksum: Some(verdict),
        } = upper.layer.transport
        else {
            return;
        };
        let end = upper.start.saturating_add(upper.claimed as usize);
        self.settle_field(
            upper.index,
            Field {
                at: upper.start + 4,
                old: self.u16(upper.start + 4),
                start: upper.start,
                end: end.min(upper.end),
                verdict,
                zero: Zero::Number,
                pseudo: [Sum(0); 2],
                old_pseudo: [Sum(0); 2],
                salt: self.salt,
            },
        );
    }
}

fn ether_type(kind: u16) -> Content {
    match kind {
        BRIDGING => Content::Ethernet,
        other => Content::EtherType(other),
    }
}
