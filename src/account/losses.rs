//! What cannot be delivered of a flow, by the reason.

use crate::model::counters::add_fields;
use crate::model::facts::{Layer, Transport, UdpLength};
use crate::model::{Duration, IpVersion, Verdict};
use crate::reassemble::{Datagram, Fate};

/// Why a datagram cannot be delivered. One reason each: the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// Fragments never came: neither the first nor all but the first.
    Gap,
    /// Nothing came but the first fragment.
    OnlyFirst,
    /// The first fragment never came.
    NoFirst,
    /// All fragments came, the last after the timeout.
    Late,
    /// A fragment with MF had a length that is no multiple of 8.
    Ragged,
    /// Pieces contradict each other.
    Overlap,
    /// Pieces contradict each other that came too far apart to be of one datagram.
    OverlapAfterPause,
    /// A piece ended beyond 65,535 bytes.
    Oversized,
    /// Given up for fraglens's own memory bound.
    Evicted,
    /// Unfinished because the capture began or ended: no loss.
    Unfinished,
    /// It came in a tunnel packet whose fragments never all came.
    InTunnel,
    /// A wrong IPv4 header checksum.
    HeaderChecksum,
    /// A wrong checksum in a header of the tunnel packet around it.
    OuterChecksum,
    /// A wrong transport checksum, in one packet.
    Checksum,
    /// A wrong transport checksum over fragments.
    ChecksumOfWhole,
    /// A wrong transport checksum over fragments that came too far apart to be of one
    /// datagram.
    Spliced,
    /// UDP over IPv6 without a checksum.
    NoChecksum,
    /// A length field that goes beyond the datagram or is below its minimum.
    Length,
}

impl Loss {
    /// How many there are.
    pub const COUNT: usize = Self::Length as usize + 1;

    /// All of them, in this order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Gap,
        Self::OnlyFirst,
        Self::NoFirst,
        Self::Late,
        Self::Ragged,
        Self::Overlap,
        Self::OverlapAfterPause,
        Self::Oversized,
        Self::Evicted,
        Self::Unfinished,
        Self::InTunnel,
        Self::HeaderChecksum,
        Self::OuterChecksum,
        Self::Checksum,
        Self::ChecksumOfWhole,
        Self::Spliced,
        Self::NoChecksum,
        Self::Length,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::OnlyFirst => "only_first",
            Self::NoFirst => "no_first",
            Self::Late => "late",
            Self::Ragged => "ragged",
            Self::Overlap => "overlap",
            Self::OverlapAfterPause => "overlap_after_pause",
            Self::Oversized => "oversized",
            Self::Evicted => "evicted",
            Self::Unfinished => "unfinished",
            Self::InTunnel => "in_tunnel",
            Self::HeaderChecksum => "header_checksum",
            Self::OuterChecksum => "outer_checksum",
            Self::Checksum => "checksum",
            Self::ChecksumOfWhole => "checksum_of_whole",
            Self::Spliced => "spliced",
            Self::NoChecksum => "no_checksum",
            Self::Length => "length",
        }
    }

    /// Of what a tunnel packet carries, for how that is; `None` if it can be delivered.
    pub(super) fn of_carried(outer: &Layer) -> Option<Self> {
        match of_transport(&outer.transport, Self::OuterChecksum) {
            _ if outer.header_checksum == Some(Verdict::Bad) => Some(Self::OuterChecksum),
            // Without a checksum in a tunnel over IPv6: absent, or of no tunnel port.
            Some(Self::NoChecksum) => Some(Self::OuterChecksum),
            loss => loss,
        }
    }

    /// Of a datagram that came in one packet; `None` if it can be delivered.
    pub(super) fn of_packet(layer: &Layer) -> Option<Self> {
        if layer.header_checksum == Some(Verdict::Bad) {
            Some(Self::HeaderChecksum)
        } else if layer.ip_longer {
            Some(Self::Length)
        } else {
            of_transport(&layer.transport, Self::Checksum)
        }
    }

    /// Of a datagram whose fragments all came in time.
    pub(super) fn of_whole(datagram: &Datagram, transport: &Transport) -> Option<Self> {
        if datagram.tally.header_checksums.bad > 0 {
            Some(Self::HeaderChecksum)
        } else if has_pause(datagram) {
            of_transport(transport, Self::Spliced)
        } else {
            of_transport(transport, Self::ChecksumOfWhole)
        }
    }

    /// Of a datagram that did not become whole. `is_cut`: what it lacks lies outside the
    /// capture.
    pub(super) fn of_unfinished(datagram: &Datagram, fate: Fate, is_cut: bool) -> Self {
        match fate {
            Fate::Overlapped if has_pause(datagram) => Self::OverlapAfterPause,
            Fate::Overlapped => Self::Overlap,
            Fate::Oversized => Self::Oversized,
            Fate::Evicted => Self::Evicted,
            _ if datagram.tally.ragged > 0 => Self::Ragged,
            _ if datagram.is_rest_of_expired() => Self::Late,
            _ if is_cut => Self::Unfinished,
            _ if !datagram.has_first() => Self::NoFirst,
            _ if pieces(datagram) == 1 => Self::OnlyFirst,
            _ => Self::Gap,
        }
    }
}

/// Pieces of one datagram come in a row. What has not come so long after the last of
/// them will not come because the capture goes on.
pub(super) const PIECES_COME_WITHIN: Duration = Duration::from_millis(50);

/// Whether the pieces of a datagram came so far apart that they can be of two. The
/// identifications of IPv6 have 32 bits, and come round in no time that matters.
fn has_pause(datagram: &Datagram) -> bool {
    datagram.key.addresses.version == IpVersion::V4
        && datagram.arrival.longest_pause > PIECES_COME_WITHIN
}

/// Fragments that came, copies left out.
pub(super) fn pieces(datagram: &Datagram) -> u64 {
    datagram.tally.fragments() - datagram.tally.duplicate
}

/// Why a receiver would not hand the payload on. Bytes left over after a UDP length
/// are cut off by receivers.
fn of_transport(transport: &Transport, wrong: Loss) -> Option<Loss> {
    if let Transport::Udp(udp) = transport {
        if udp.is_unsummed && udp.checksum == Verdict::Bad {
            return Some(Loss::NoChecksum);
        }
        if matches!(udp.length, UdpLength::Longer | UdpLength::BelowHeader) {
            return Some(Loss::Length);
        }
    }
    let verdict = super::counting::checksum_of(transport);
    (verdict == Some(Verdict::Bad)).then_some(wrong)
}

/// Datagrams, and the bytes on the wire of the frames that carried them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Datagrams.
    pub datagrams: u64,
    /// Bytes on the wire of their frames, copies left out.
    pub bytes: u64,
}

/// What cannot be delivered, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    each: [Lost; Loss::COUNT],
}

impl Losses {
    /// What was lost for one reason.
    pub fn of(&self, loss: Loss) -> Lost {
        self.each[loss as usize]
    }

    /// What was lost for any of some reasons.
    pub fn of_any(&self, losses: &[Loss]) -> Lost {
        let each = losses.iter().map(|loss| self.of(*loss));
        each.fold(Lost::default(), |mut sum, lost| {
            sum += lost;
            sum
        })
    }

    /// Takes out what was lost for one reason.
    pub fn take(&mut self, loss: Loss) -> Lost {
        std::mem::take(&mut self.each[loss as usize])
    }

    pub(super) fn count(&mut self, loss: Loss, bytes: u64) {
        self.each[loss as usize] += Lost {
            datagrams: 1,
            bytes,
        };
    }
}

add_fields!(Lost { datagrams, bytes });

impl std::ops::AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        for (lost, other) in self.each.iter_mut().zip(other.each) {
            *lost += other;
        }
    }
}
