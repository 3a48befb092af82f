//! What is above IP: headers are kept, payload is not.

use super::checksum::{Field, Unfinished, Zero, pseudo};
use super::link::Content;
use super::network::is_extension;
use super::options::of_tcp;
use super::rewrite::Rewrite;
use crate::model::facts::{Carries, Layer, Transport, UdpLength};
use crate::model::{Protocol, Sum, Verdict};

const UDP: usize = 8;
const UDP_CHECKSUM: usize = 6;
const TCP: usize = 20;
const TCP_CHECKSUM: usize = 16;
const TCP_DATA_OFFSET: usize = 12;
const ICMP_CHECKSUM: usize = 2;
const SCTP: usize = 12;
const SCTP_CHECKSUM: usize = 8;

/// An upper-layer packet.
#[derive(Clone, Copy)]
pub(super) struct Upper<'a> {
    /// Which layer it is above.
    pub index: usize,
    pub layer: &'a Layer,
    /// Where it begins.
    pub start: usize,
    /// Where what was captured of it ends.
    pub end: usize,
    /// How long it says it is.
    pub claimed: u32,
}

impl Upper<'_> {
    fn captured(&self) -> usize {
        self.end.saturating_sub(self.start)
    }
}

impl<'a> Rewrite<'a> {
    /// Rewrites what is above a layer.
    pub fn upper(&mut self, index: usize, start: usize, end: usize, claimed: u32) {
        let layers = self.layers;
        let Some(layer) = layers.get(index) else {
            return;
        };
        let upper = Upper {
            index,
            layer,
            start,
            end,
            claimed,
        };
        match layer.protocol {
            Protocol::UDP | Protocol::UDP_LITE => self.udp(&upper),
            Protocol::TCP => self.tcp(&upper),
            Protocol::ICMP | Protocol::ICMPV6 => self.icmp(&upper),
            Protocol::SCTP => self.sctp(&upper),
            Protocol::GRE => self.gre(&upper),
            Protocol::IPV4 => self.enter(Content::EtherType(0x0800), start, end, index),
            Protocol::IPV6 => self.enter(Content::EtherType(0x86dd), start, end, index),
            // A header that goes on beyond what was captured: how long it is.
            kind if is_extension(kind) => self.keep(start, 2.min(upper.captured())),
            _ => self.blank(start, end),
        }
    }

    fn udp(&mut self, upper: &Upper<'_>) {
        let Upper { start, end, .. } = *upper;
        if upper.captured() < UDP {
            return self.keep(start, upper.captured().min(UDP_CHECKSUM));
        }
        self.keep(start, UDP_CHECKSUM);
        let field = self.u16(start + 4);
        let covered = covered(upper, field);
        let stated = match udp_length(upper.layer) {
            Some(UdpLength::Longer | UdpLength::BelowHeader) => u32::from(field),
            _ => covered.unwrap_or(0),
        };
        let body = start + UDP;
        let body_end = end.min(start.saturating_add(stated as usize)).max(body);
        self.udp_payload(upper, body, body_end);
        self.blank(body_end, end);
        let length = match upper.layer.protocol {
            Protocol::UDP_LITE => upper.claimed,
            _ => covered.unwrap_or(0),
        };
        let covered = covered.map_or(0, |covered| covered as usize);
        self.settle(upper, UDP_CHECKSUM, covered, length, Zero::Absent);
    }

    fn udp_payload(&mut self, upper: &Upper<'_>, body: usize, end: usize) {
        match upper.layer.carries {
            Carries::Tunnel(_) => self.udp_tunnel(upper, body, end),
            // What they are known by.
            Carries::WireGuard => self.put(body, &[self.u8(body), 0, 0, 0]),
            Carries::Esp => self.put(body, &[0, 0, 0, 1]),
            Carries::Flow => {
                self.blank(body, end);
                self.no_tunnel(upper, body);
            }
        }
    }

    fn tcp(&mut self, upper: &Upper<'_>) {
        let Upper { start, end, .. } = *upper;
        let captured = upper.captured();
        self.keep(start, captured.min(TCP_CHECKSUM));
        if captured < TCP_CHECKSUM + 2 {
            return;
        }
        self.keep(start + TCP_CHECKSUM + 2, 2.min(captured - TCP_CHECKSUM - 2));
        let header = usize::from(self.u8(start + TCP_DATA_OFFSET) >> 4) * 4;
        let is_whole = matches!(upper.layer.transport, Transport::Tcp(_));
        let options_end = start.saturating_add(header).min(end);
        match self.old.get(start + TCP..options_end) {
            Some(options) if is_whole => {
                let new = of_tcp(options);
                self.put(start + TCP, &new);
                self.blank(options_end, end);
            }
            _ => self.blank(start + TCP, end),
        }
        let claimed = upper.claimed;
        self.settle(upper, TCP_CHECKSUM, claimed as usize, claimed, Zero::Number);
    }

    fn icmp(&mut self, upper: &Upper<'_>) {
        let Upper { start, end, .. } = *upper;
        let captured = upper.captured();
        self.head_of_message(upper.layer.protocol, start, end);
        if captured < ICMP_CHECKSUM + 2 {
            return self.put(start + ICMP_CHECKSUM, &[0]);
        }
        self.message(upper.layer.protocol, start, end);
        let claimed = upper.claimed;
        self.settle(
            upper,
            ICMP_CHECKSUM,
            claimed as usize,
            claimed,
            Zero::Number,
        );
    }

    fn sctp(&mut self, upper: &Upper<'_>) {
        let Upper { start, end, .. } = *upper;
        self.keep(start, upper.captured().min(SCTP_CHECKSUM));
        self.blank(start + SCTP, end);
        self.chunks(start + SCTP, end);
        let (Some(old), Transport::Sctp { checksum, .. }) = (
            self.array::<4>(start + SCTP_CHECKSUM),
            upper.layer.transport,
        ) else {
            return;
        };
        if upper.captured() < SCTP {
            return;
        }
        let noise = self.known.map.fill.of(&("sctp", old, start)) as u32 | 1;
        let right = crc32c::crc32c(self.new.get(start..end).unwrap_or_default());
        let value = match checksum {
            Verdict::Good => right,
            Verdict::Offloaded | Verdict::Absent => 0,
            Verdict::Unverifiable if old == [0; 4] => 0,
            Verdict::Unverifiable => noise,
            Verdict::Bad if right == noise => !right,
            Verdict::Bad => right ^ noise,
        };
        if checksum == Verdict::Offloaded {
            self.left_to_nic(Unfinished {
                total: Sum(0),
                start,
            });
        }
        self.put(start + SCTP_CHECKSUM, &value.to_le_bytes());
    }

    /// Keeps the heads of SCTP chunks (RFC 9260 section 3.2): type, flags, length.
    fn chunks(&mut self, at: usize, end: usize) {
        const HEAD: usize = 4;
        let mut at = at;
        while at + HEAD <= end {
            let length = usize::from(self.u16(at + 2));
            if length < HEAD || at + length > end {
                return;
            }
            self.keep(at, HEAD);
            at += length.next_multiple_of(4);
        }
    }

    /// Writes a checksum that is what the original's was; `length` is that of its
    /// pseudo-header.
    fn settle(&mut self, upper: &Upper<'_>, at: usize, covered: usize, length: u32, zero: Zero) {
        let Some(verdict) = verdict_of(&upper.layer.transport) else {
            return;
        };
        let (layer, protocol) = (upper.layer, upper.layer.protocol);
        let map = &self.known.map.addresses;
        let version = layer.addresses.version;
        let old = |length| pseudo(layer, &layer.addresses, |other| other, protocol, length);
        let addresses = map.pair(&layer.addresses);
        let other = |address| map.octets(version, address);
        let new = |length| pseudo(layer, &addresses, other, protocol, length);
        // Windows leaves the length out of what it hands to a NIC that segments.
        let short = match layer.super_frame && protocol == Protocol::TCP {
            true => 0,
            false => length,
        };
        let has_pseudo = protocol != Protocol::ICMP;
        let sums = |of: &dyn Fn(u32) -> Sum| match has_pseudo {
            true => [of(length), of(short)],
            false => [Sum(0); 2],
        };
        let field = Field {
            at: upper.start + at,
            old: self.u16(upper.start + at),
            start: upper.start,
            end: upper.start.saturating_add(covered).min(upper.end),
            verdict,
            zero,
            pseudo: sums(&new),
            old_pseudo: sums(&old),
            salt: self.salt,
        };
        self.settle_field(upper.index, field);
    }

    /// Writes a checksum, and notes what has to do with those outside.
    pub fn settle_field(&mut self, index: usize, field: Field) {
        let value = field.value(&self.new, self.unfinished, &self.known.map.fill);
        if field.verdict == Verdict::Offloaded {
            self.left_to_nic(Unfinished {
                total: field.total(&self.new, value),
                start: field.start,
            });
        }
        if index == 0 {
            self.outermost = Some(field);
        }
        self.put(field.at, &value.to_be_bytes());
    }

    /// The innermost is met first.
    fn left_to_nic(&mut self, unfinished: Unfinished) {
        self.unfinished.get_or_insert(unfinished);
    }
}

/// What decoding says of the checksum.
fn verdict_of(transport: &Transport) -> Option<Verdict> {
    match transport {
        Transport::Udp(udp) => Some(udp.checksum),
        Transport::Tcp(tcp) => Some(tcp.checksum),
        Transport::Icmp(icmp) => Some(icmp.checksum),
        Transport::Cut { checksum, .. } => Some(*checksum),
        Transport::Sctp { .. } | Transport::Gre { .. } | Transport::None => None,
    }
}

fn udp_length(layer: &Layer) -> Option<UdpLength> {
    match layer.transport {
        Transport::Udp(udp) => Some(udp.length),
        _ => None,
    }
}

/// Bytes that the checksum covers, where the length field says something sensible.
fn covered(upper: &Upper<'_>, field: u16) -> Option<u32> {
    let (whole, field) = (upper.claimed, u32::from(field));
    match udp_length(upper.layer)? {
        UdpLength::Longer | UdpLength::BelowHeader => None,
        UdpLength::Shorter => Some(field),
        UdpLength::Right if upper.layer.protocol == Protocol::UDP_LITE && field != 0 => Some(field),
        UdpLength::Right => {
            let is_wide = whole > 0xffff && (field == 0 || field == whole & 0xffff);
            let is_cut = upper.layer.super_frame || upper.layer.ip_longer;
            match is_cut && !is_wide && field >= UDP as u32 && field < whole {
                true => Some(field),
                false => Some(whole),
            }
        }
    }
}
