//! What reassembly says of a datagram it has put together.

use super::checksum::{pseudo_of, sum};
use super::upper::{Origin, Upper};
use super::view::View;
use crate::model::facts::{Carries, Fragment, Layer, Transport};
use crate::model::{Addresses, Protocol, ScopeTag, Sum};

/// A whole datagram, by the headers of its first fragment and the lengths and
/// sums of all of them.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// VLANs and tunnels around it.
    pub scope: ScopeTag,
    /// Its addresses.
    pub addresses: Addresses,
    /// [`Layer::final_destination`] of the first fragment.
    pub final_destination: Option<[u8; 16]>,
    /// [`Layer::home_address`] of the first fragment.
    pub home_address: Option<[u8; 16]>,
    /// Upper-layer protocol, as the first fragment says.
    pub protocol: Protocol,
    /// [`Layer::extension_bytes`] of the first fragment.
    pub extension_bytes: u16,
    /// Length of the whole payload.
    pub payload_bytes: u32,
    /// Sum of the whole payload; `None` if not all of it was captured.
    pub sum: Option<Sum>,
    /// Where in the payload the UDP length ends and the sum of what is beyond it, if
    /// something is; only that much of a UDP datagram is covered by its checksum.
    pub excess: Option<(u32, Sum)>,
    /// Length of the IP packet it would have been, header included.
    pub ip_bytes: u32,
    /// TTL or hop limit of the first fragment.
    pub hop_limit: u8,
    /// IPv4 DF of the first fragment.
    pub dont_fragment: bool,
}

impl Whole {
    /// The datagram that `first` begins, once it is known to be `payload_bytes`
    /// long with this sum.
    ///
    /// Before that, `first.payload_bytes` and no sum give what the first fragment
    /// says alone: ports, and [`UdpLength::Longer`](crate::model::facts::UdpLength)
    /// where its UDP length goes beyond its own end.
    pub fn begun_by(first: &Layer, payload_bytes: u32, sum: Option<Sum>) -> Self {
        let header_bytes = first.ip_bytes.saturating_sub(first.payload_bytes);
        Self {
            scope: first.scope,
            addresses: first.addresses,
            final_destination: first.final_destination,
            home_address: first.home_address,
            protocol: first.protocol,
            extension_bytes: first.extension_bytes,
            payload_bytes,
            sum,
            excess: None,
            ip_bytes: header_bytes.saturating_add(payload_bytes),
            hop_limit: first.hop_limit,
            dont_fragment: first.dont_fragment,
        }
    }

    /// Its payload.
    pub(super) fn view<'a>(&self, captured: &'a [u8]) -> View<'a> {
        View::new(captured, self.payload_bytes).claim(self.payload_bytes)
    }

    /// The layer it is. The header checksums of its fragments have been judged with
    /// them.
    pub(super) fn layer(&self, view: View<'_>) -> Layer {
        Layer {
            scope: self.scope,
            addresses: self.addresses,
            final_destination: self.final_destination,
            home_address: self.home_address,
            protocol: self.protocol,
            ip_bytes: self.ip_bytes,
            payload_start: view.start,
            payload_captured: view.captured(),
            payload_bytes: view.claimed,
            extension_bytes: self.extension_bytes,
            hop_limit: self.hop_limit,
            dont_fragment: self.dont_fragment,
            fragment: Fragment::No,
            header_checksum: None,
            ip_longer: false,
            super_frame: false,
            transport: Transport::None,
            carries: Carries::Flow,
            ovn: None,
        }
    }

    /// The sum of what is behind extension headers, a multiple of 8 bytes long.
    fn sum_behind(&self, extensions: Option<&[u8]>) -> Option<Sum> {
        Some(self.sum?.minus(sum(extensions?)))
    }

    /// What is above its headers, for the transports.
    pub(super) fn upper<'a>(&self, view: View<'a>) -> Upper<'a> {
        let extensions = usize::from(self.extension_bytes);
        Upper {
            view: view.skip(extensions),
            protocol: self.protocol,
            version: self.addresses.version,
            pseudo: Some(pseudo_of(
                &self.addresses,
                self.final_destination,
                self.home_address,
                self.protocol,
            )),
            known_sum: match extensions {
                0 => self.sum,
                _ => self.sum_behind(view.bytes.get(..extensions)),
            },
            known_excess: self
                .excess
                .map(|(after, sum)| (after.saturating_sub(u32::from(self.extension_bytes)), sum)),
            origin: Origin::Fragments,
            scope: self.scope,
        }
    }
}
