//! What lies above one IP header, for the transports to read and judge.

use super::checksum::{self, Judgement};
use super::view::View;
use crate::model::facts::{LayerKind, Stop, Transport};
use crate::model::{IpVersion, Ports, Protocol, ScopeTag, Sum, Verdict};

/// The upper-layer packet of one datagram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Upper<'a> {
    /// From the upper-layer header on; claims the upper-layer packet's length.
    pub view: View<'a>,
    /// Upper-layer protocol.
    pub protocol: Protocol,
    /// Version of the IP header.
    pub version: IpVersion,
    /// Wide sum of the pseudo-header without its length; `None` where a routing header
    /// of unknown kind hides the final destination.
    pub pseudo: Option<u64>,
    /// The sum of everything claimed, where that is known without the bytes.
    pub known_sum: Option<Sum>,
    /// The sum of everything behind so many bytes, where that is known.
    pub known_excess: Option<(u32, Sum)>,
    /// Whether it came in one packet.
    pub origin: Origin,
    /// Scope of its IP header.
    pub scope: ScopeTag,
}

/// How an upper-layer packet came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// In one packet.
    Packet,
    /// In one packet whose length field says super-frame.
    SuperFrame,
    /// In one packet whose length goes beyond the frame, and so is wrong.
    Overlong,
    /// In fragments. Whoever fragments has finished the checksum before, so that
    /// none of it can be left to a NIC (RFC 791 knows no such thing; Linux calls
    /// `skb_checksum_help` first).
    Fragments,
}

/// What was read above an IP header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    /// The facts.
    pub transport: Transport,
    /// The verdict with the sum behind it.
    pub judgement: Judgement,
    /// Why not everything could be read.
    pub stop: Option<Stop>,
}

impl Read {
    /// No header was read.
    pub fn nothing(stop: Option<Stop>) -> Self {
        Self {
            transport: Transport::None,
            judgement: Judgement::plain(Verdict::Unverifiable),
            stop,
        }
    }
}

impl Upper<'_> {
    /// The wide sum of the first `count` bytes; `None` if they are not all known.
    #[inline]
    fn sum(&self, count: u32) -> Option<u64> {
        if let Some(known) = self.known_sum {
            return self.known(count, known).map(checksum::part);
        }
        self.view.bytes.get(..count as usize).map(checksum::wide)
    }

    /// The same where the sum of all of it is known.
    #[inline(never)]
    fn known(&self, count: u32, all: Sum) -> Option<Sum> {
        if count == self.view.claimed {
            return Some(all);
        }
        match self.known_excess {
            Some((after, excess)) if after == count => Some(all.minus(excess)),
            _ => self.view.bytes.get(..count as usize).map(checksum::sum),
        }
    }

    /// Judges a checksum over the first `covered` bytes, whose pseudo-header says
    /// `length`, and which holds `field`.
    #[inline(always)]
    pub fn judge(&self, covered: u32, length: u32, field: Option<u16>) -> Judgement {
        let Some(pseudo) = self.pseudo else {
            return Judgement::plain(Verdict::Unverifiable);
        };
        let pseudo = checksum::add(pseudo, checksum::length(length));
        let judgement = checksum::judge(self.sum(covered), pseudo, field);
        self.by_origin(judgement)
    }

    /// Judges a checksum over the first `covered` bytes that has no pseudo-header
    /// and is never left to a NIC alone.
    pub fn judge_bare(&self, covered: u32) -> Judgement {
        checksum::judge(self.sum(covered), 0, None)
    }

    /// Takes "offloaded" back where nothing can have been offloaded.
    #[inline]
    fn by_origin(&self, mut judgement: Judgement) -> Judgement {
        if self.origin == Origin::Fragments {
            judgement.looks_partial = false;
            if judgement.verdict == Verdict::Offloaded {
                judgement.verdict = Verdict::Bad;
            }
        }
        judgement
    }

    /// Both ports, which TCP, UDP, UDP-Lite and SCTP begin with.
    pub fn ports(&self) -> Option<Ports> {
        Some(Ports {
            source: self.view.u16(0)?,
            destination: self.view.u16(2)?,
        })
    }

    /// The facts of a header that is not all there, or not to be trusted.
    pub fn cut(&self, judgement: Judgement, stop: Stop) -> Read {
        Read {
            transport: match self.ports() {
                Some(ports) => Transport::Cut {
                    ports,
                    checksum: judgement.verdict,
                },
                None => Transport::None,
            },
            judgement,
            stop: Some(stop),
        }
    }

    /// The facts of a header that the bytes end in; its checksum can still be told
    /// from the sum of the whole datagram, where that is known.
    #[cold]
    pub fn truncated(&self, layer: LayerKind) -> Read {
        let judgement = match self.known_sum {
            Some(_) => self.judge(self.view.claimed, self.view.claimed, None),
            None => Judgement::plain(Verdict::Unverifiable),
        };
        self.cut(judgement, self.view.truncated(layer))
    }
}
