//! Headers between an IP header and its upper layer: IPv6 extension headers
//! (RFC 8200 section 4), and the Authentication Header (RFC 4302) of either version.
//!
//! ```text
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//! |  Next Header  |  Hdr Ext Len  |                               |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+        Options or data        +
//! |               8 bytes * (Hdr Ext Len + 1) in all              |
//! +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//!
//! |  Next Header  |   Reserved    |      Fragment Offset    |Res|M|
//! |                         Identification                        |
//! ```

use super::routing;
use super::view::View;
use crate::model::Protocol;
use crate::model::facts::{LayerKind, Stop};
use etherparse::{IpAuthHeaderSlice, Ipv6FragmentHeaderSlice, Ipv6RawExtHeaderSlice};

/// Most extension headers of one packet that are read. RFC 8200 section 4.1 names
/// seven; more than twice as many is an attempt to hide something.
const MAX_HEADERS: usize = 16;

const HOP_BY_HOP: Protocol = Protocol(0);
const ROUTING: Protocol = Protocol(43);
const FRAGMENT: Protocol = Protocol(44);
const DESTINATION_OPTIONS: Protocol = Protocol(60);
const MOBILITY: Protocol = Protocol(135);
const HIP: Protocol = Protocol(139);
const SHIM6: Protocol = Protocol(140);

/// Home Address option, RFC 6275 section 6.3.
const OPTION_HOME_ADDRESS: u8 = 0xc9;
/// Jumbo Payload option, RFC 2675 section 2.
const OPTION_JUMBO: u8 = 0xc2;

/// What the headers between an IP header and its upper layer say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain<'a> {
    /// The protocol of `upper`.
    pub protocol: Protocol,
    /// What follows the last header that was read.
    pub upper: View<'a>,
    /// The fragment header, if there is one.
    pub fragment: Option<FragmentHeader<'a>>,
    /// The last destination of a routing header not yet used up.
    pub final_destination: Option<[u8; 16]>,
    /// The home address of a destination option.
    pub home_address: Option<[u8; 16]>,
    /// Whether a routing header of unknown kind hides the last destination.
    pub destination: Destination,
    /// Why the chain could not be read to its end.
    pub stop: Option<Stop>,
}

/// Whether the destination that pseudo-headers are built with is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// It is.
    Known,
    /// A routing header of unknown kind holds it.
    Hidden,
}

/// An IPv6 fragment header, RFC 8200 section 4.5.
#[derive(Clone, Copy, Debug)]
pub(super) struct FragmentHeader<'a> {
    /// Identification.
    pub id: u32,
    /// Offset in bytes.
    pub offset: u32,
    /// M flag.
    pub more: bool,
    /// What follows the header.
    pub payload: View<'a>,
}

impl FragmentHeader<'_> {
    /// Whether it says that this is no fragment (RFC 6946).
    pub fn is_atomic(&self) -> bool {
        self.offset == 0 && !self.more
    }
}

impl<'a> Chain<'a> {
    /// No header at all in front of `upper`.
    pub fn none(protocol: Protocol, upper: View<'a>) -> Self {
        Self {
            protocol,
            upper,
            fragment: None,
            final_destination: None,
            home_address: None,
            destination: Destination::Known,
            stop: None,
        }
    }

    /// Reads the headers of an IPv6 packet, the first of them of kind `protocol`;
    /// `destination` is that of the IPv6 header.
    #[inline]
    pub fn v6(protocol: Protocol, view: View<'a>, destination: &[u8; 16]) -> Self {
        let mut chain = Self::none(protocol, view);
        if is_extension(protocol) {
            chain.walk(destination);
        }
        chain
    }

    /// Reads the Authentication Headers of an IPv4 packet.
    #[inline]
    pub fn v4(protocol: Protocol, view: View<'a>) -> Self {
        let mut chain = Self::none(protocol, view);
        if protocol == Protocol::AH {
            chain.walk(&[0; 16]);
        }
        chain
    }

    /// Reads header after header until one is no extension header.
    fn walk(&mut self, destination: &[u8; 16]) {
        for _ in 0..MAX_HEADERS {
            let go_on = match self.protocol {
                Protocol::AH => self.authentication(),
                FRAGMENT => self.fragment(),
                kind if is_extension(kind) => self.generic(destination),
                _ => return,
            };
            if go_on.is_none() {
                return;
            }
        }
        if is_extension(self.protocol) {
            self.stop = Some(self.upper.malformed(LayerKind::Ipv6));
        }
    }

    fn authentication(&mut self) -> Option<()> {
        match IpAuthHeaderSlice::from_slice(self.upper.bytes) {
            Ok(header) => {
                self.protocol = Protocol(header.next_header().0);
                self.upper = self.upper.skip(header.slice().len());
                Some(())
            }
            Err(_) => self.truncated(),
        }
    }

    /// Goes on behind the header of a first or atomic fragment only: what follows
    /// the others is from the middle of the datagram.
    fn fragment(&mut self) -> Option<()> {
        if self.fragment.is_some_and(|earlier| !earlier.is_atomic()) {
            return None;
        }
        let Ok(header) = Ipv6FragmentHeaderSlice::from_slice(self.upper.bytes) else {
            return self.truncated();
        };
        self.protocol = Protocol(header.next_header().0);
        self.upper = self.upper.skip(header.slice().len());
        let offset = u32::from(header.fragment_offset().byte_offset());
        self.fragment = Some(FragmentHeader {
            id: header.identification(),
            offset,
            more: header.more_fragments(),
            payload: self.upper,
        });
        (offset == 0).then_some(())
    }

    fn generic(&mut self, destination: &[u8; 16]) -> Option<()> {
        let Ok(header) = Ipv6RawExtHeaderSlice::from_slice(self.upper.bytes) else {
            return self.truncated();
        };
        let bytes = header.slice();
        let next = Protocol(header.next_header().0);
        match self.protocol {
            ROUTING => match routing::last_destination(bytes, destination) {
                routing::Route::Done => {}
                routing::Route::Ends(last) => self.final_destination = Some(last),
                routing::Route::Unknown => self.destination = Destination::Hidden,
            },
            DESTINATION_OPTIONS => {
                let home = option(bytes, OPTION_HOME_ADDRESS)
                    .and_then(|data| data.first_chunk::<16>().copied());
                self.home_address = home.or(self.home_address);
            }
            // These are what the packet is about when nothing follows them.
            MOBILITY | HIP | SHIM6 if next == Protocol::NO_NEXT_HEADER => return None,
            _ => {}
        }
        self.protocol = next;
        self.upper = self.upper.skip(bytes.len());
        Some(())
    }

    fn truncated(&mut self) -> Option<()> {
        self.stop = Some(self.upper.truncated(LayerKind::Ipv6));
        None
    }
}

/// The jumbo payload length of a packet that begins with a hop-by-hop header.
pub(super) fn jumbo_length(protocol: Protocol, view: View<'_>) -> Option<u32> {
    if protocol != HOP_BY_HOP {
        return None;
    }
    let header = Ipv6RawExtHeaderSlice::from_slice(view.bytes).ok()?;
    let data = option(header.slice(), OPTION_JUMBO)?;
    data.first_chunk().copied().map(u32::from_be_bytes)
}

fn is_extension(protocol: Protocol) -> bool {
    matches!(
        protocol,
        HOP_BY_HOP
            | ROUTING
            | FRAGMENT
            | Protocol::AH
            | DESTINATION_OPTIONS
            | MOBILITY
            | HIP
            | SHIM6
    )
}

/// The data of the first option of kind `wanted` in a hop-by-hop or destination
/// options header (RFC 8200 section 4.2): type, length, data; type 0 is one byte.
fn option(header: &[u8], wanted: u8) -> Option<&[u8]> {
    let mut rest = header.get(2..)?;
    loop {
        let kind = *rest.first()?;
        if kind == 0 {
            rest = rest.get(1..)?;
            continue;
        }
        let length = usize::from(*rest.get(1)?);
        let data = rest.get(2..)?.get(..length)?;
        if kind == wanted {
            return Some(data);
        }
        rest = rest.get(2..)?.get(length..)?;
    }
}
