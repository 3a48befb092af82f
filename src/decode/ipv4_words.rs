//! The IPv4 header as nearly all packets have it, without options: three words.

use super::checksum::{add, verifies};
use super::ip_fields::IpFields;
use super::ipv4::HEADER;
use super::network::piece;
use super::upper::{Origin, Upper};
use super::view::View;
use crate::model::facts::{Carries, Fragment, Layer, Transport};
use crate::model::{Addresses, IpVersion, Protocol, ScopeTag, Verdict};

/// A header without options, as three words read little-endian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    first: u64,
    second: u64,
    last: u32,
}

impl Words {
    /// Version 4 and five words of header.
    const SHAPE: u64 = 0x45;
    const MORE: u16 = 0x2000;
    const OFFSET: u16 = 0x1fff;
    const DONT_FRAGMENT: u16 = 0x4000;

    /// The words of a packet that has such a header.
    #[inline]
    pub fn of(packet: &[u8]) -> Option<Self> {
        let (first, rest) = packet.first_chunk::<HEADER>()?.split_first_chunk::<8>()?;
        let (second, last) = rest.split_first_chunk::<8>()?;
        let words = Self {
            first: u64::from_le_bytes(*first),
            second: u64::from_le_bytes(*second),
            last: u32::from_le_bytes(*last.first_chunk()?),
        };
        (words.first & 0xff == Self::SHAPE).then_some(words)
    }

    /// Total length.
    #[inline]
    pub fn total(self) -> u16 {
        ((self.first >> 16) as u16).swap_bytes()
    }

    /// What of it is not told with its layer.
    #[inline]
    pub fn fields(self) -> IpFields {
        IpFields::of_v4(self.first, self.second)
    }

    /// Whether it is a fragment.
    #[inline]
    pub fn is_piece(self) -> bool {
        self.flags() & (Self::MORE | Self::OFFSET) != 0
    }

    /// Upper-layer protocol.
    #[inline]
    pub fn protocol(self) -> Protocol {
        Protocol((self.second >> 8) as u8)
    }

    /// Whether the header checksum verifies.
    #[inline]
    pub fn verifies(self) -> bool {
        verifies(add(add(self.first, self.second), u64::from(self.last)))
    }

    /// The wide sum of both addresses.
    #[inline]
    pub fn address_sum(self) -> u64 {
        (self.second >> 32).wrapping_add(u64::from(self.last))
    }

    /// Both addresses.
    #[inline]
    pub fn addresses(self) -> Addresses {
        let source = (self.second >> 32) as u32;
        Addresses::v4(source.to_le_bytes(), self.last.to_le_bytes())
    }

    #[inline]
    fn flags(self) -> u16 {
        ((self.first >> 48) as u16).swap_bytes()
    }

    #[inline]
    fn verdict(self) -> Verdict {
        match (self.second >> 16) as u16 {
            _ if self.verifies() => Verdict::Good,
            0 => Verdict::Offloaded,
            _ => Verdict::Bad,
        }
    }

    #[inline]
    fn fragment(self, payload: View<'_>) -> Fragment {
        if !self.is_piece() {
            return Fragment::No;
        }
        let flags = self.flags();
        let id = u32::from(((self.first >> 32) as u16).swap_bytes());
        let offset = u32::from(flags & Self::OFFSET) << 3;
        Fragment::Piece(piece(id, offset, flags & Self::MORE != 0, payload))
    }
}

/// Reads a header without options and with a length: the same as
/// [`ipv4::parse`](super::ipv4::parse) in fewer steps. `None` for all others; inside: what is
/// above it, if it is no fragment.
#[inline]
pub(super) fn parse<'a>(
    view: View<'a>,
    scope: ScopeTag,
    state: impl FnOnce(Layer),
) -> Option<Option<Upper<'a>>> {
    let words = Words::of(view.bytes)?;
    let total = u32::from(words.total());
    let captured = view.bytes.get(HEADER..)?;
    let protocol = words.protocol();
    if protocol == Protocol::AH {
        return None;
    }
    let is_longer = total > view.claimed;
    let claimed = total.checked_sub(HEADER as u32)?;
    let payload = View {
        bytes: captured.get(..claimed as usize).unwrap_or(captured),
        start: view.start.saturating_add(HEADER as u32),
        claimed,
    };
    let fragment = words.fragment(payload);
    state(Layer {
        scope,
        addresses: words.addresses(),
        final_destination: None,
        home_address: None,
        protocol,
        ip_bytes: total,
        payload_start: payload.start,
        payload_captured: payload.captured(),
        payload_bytes: claimed,
        extension_bytes: 0,
        hop_limit: words.second as u8,
        dont_fragment: words.flags() & Words::DONT_FRAGMENT != 0,
        fragment,
        header_checksum: Some(words.verdict()),
        ip_longer: is_longer,
        super_frame: false,
        transport: Transport::None,
        carries: Carries::Flow,
        ovn: None,
    });
    let is_whole = fragment == Fragment::No;
    Some(is_whole.then(|| Upper {
        view: payload,
        protocol,
        version: IpVersion::V4,
        pseudo: Some(add(words.address_sum(), u64::from(protocol.0) << 8)),
        known_sum: None,
        known_excess: None,
        origin: match is_longer {
            true => Origin::Overlong,
            false => Origin::Packet,
        },
        scope,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::{checksum::fold, ipv4, network::Network};
    use super::*;
    use proptest::prelude::*;

    /// Bytes that begin like a header without options, with the lengths and flags that
    /// matter at their borders, and a checksum that may be right.
    fn packet() -> impl Strategy<Value = (Vec<u8>, u32)> {
        let total = prop_oneof![Just(0u16), 18..24u16, 30..50u16, any::<u16>()];
        let flags = prop_oneof![Just(0u16), Just(0x4000), Just(0x2000), any::<u16>()];
        let protocol = prop_oneof![Just(17u8), Just(6), Just(51), any::<u8>()];
        let bytes = prop::collection::vec(any::<u8>(), 0..60);
        (total, flags, protocol, bytes, 0..40u32, 0..3u8).prop_map(
            |(total, flags, protocol, mut bytes, missing, sum)| {
                let field = |at: usize, value: &[u8], bytes: &mut Vec<u8>| {
                    if let Some(space) = bytes.get_mut(at..at + value.len()) {
                        space.copy_from_slice(value);
                    }
                };
                field(0, &[0x45], &mut bytes);
                field(2, &total.to_be_bytes(), &mut bytes);
                field(6, &flags.to_be_bytes(), &mut bytes);
                field(9, &[protocol], &mut bytes);
                if sum > 0 {
                    field(10, &[0, 0], &mut bytes);
                }
                if let (2, Some(header)) = (sum, bytes.get(..20)) {
                    let right = !super::super::checksum::sum(header).0;
                    field(10, &right.to_be_bytes(), &mut bytes);
                }
                let wire = bytes.len() as u32 + missing.saturating_sub(20);
                (bytes, wire)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn the_short_way_says_what_the_long_way_says((bytes, wire) in packet()) {
            let view = View::new(&bytes, wire);
            let (mut short, mut long) = (Vec::new(), Vec::new());
            let above = parse(view, ScopeTag(7), |layer| short.push(layer));
            if let Some(above) = above {
                let network = ipv4::parse(view, ScopeTag(7), |layer| long.push(layer));
                let network: Network<'_> = network.expect("the long way reads it too");
                prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
                prop_assert!(network.stop.is_none());
                if let Some(above) = above {
                    let mut upper = network.upper(&long[0]);
                    prop_assert_eq!(above.pseudo.map(fold), upper.pseudo.map(fold));
                    upper.pseudo = above.pseudo;
                    prop_assert_eq!(format!("{above:?}"), format!("{upper:?}"));
                }
            }
        }
    }
}
