//! Where a packet with a route in it is going in the end: IPv6 routing headers
//! (RFC 8200 section 4.4) and IPv4 source routes (RFC 791 section 3.1).
//!
//! Pseudo-headers hold the last destination, not the next (RFC 8200 section 8.1).
//!
//! ```text
//! |  Next Header  |  Hdr Ext Len  |  Routing Type | Segments Left |
//! |                type-specific data, 4 bytes                    |
//! |                addresses                                      |
//! ```

/// Deprecated source route, RFC 5095; mobility, RFC 6275 section 6.4.
const TYPE_SOURCE_ROUTE: u8 = 0;
const TYPE_MOBILITY: u8 = 2;
/// RPL, RFC 6554.
const TYPE_RPL: u8 = 3;
/// Segment routing, RFC 8754 section 2.
const TYPE_SEGMENT_ROUTING: u8 = 4;
/// Where the addresses begin.
const ADDRESSES: usize = 8;

/// Loose and strict source route options of IPv4.
const LOOSE_ROUTE: u8 = 131;
const STRICT_ROUTE: u8 = 137;

/// Where a route ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// It is used up: at the destination the IP header names.
    Done,
    /// Here.
    Ends([u8; 16]),
    /// Of a kind that is not known.
    Unknown,
}

/// Where an IPv6 routing header leads; `destination` is that of the IPv6 header.
pub(super) fn last_destination(header: &[u8], destination: &[u8; 16]) -> Route {
    let (Some(&kind), Some(&segments_left)) = (header.get(2), header.get(3)) else {
        return Route::Unknown;
    };
    if segments_left == 0 {
        return Route::Done;
    }
    let addresses = header.get(ADDRESSES..).unwrap_or_default();
    let last = match kind {
        TYPE_SOURCE_ROUTE | TYPE_MOBILITY => addresses.last_chunk::<16>().copied(),
        // Segments are listed from the last to the first.
        TYPE_SEGMENT_ROUTING => addresses.first_chunk::<16>().copied(),
        TYPE_RPL => rpl(header, addresses, destination),
        _ => None,
    };
    last.map_or(Route::Unknown, Route::Ends)
}

/// The last address of an RPL header, which leaves out the first CmprE bytes that
/// it shares with the destination (RFC 6554 section 3).
fn rpl(header: &[u8], addresses: &[u8], destination: &[u8; 16]) -> Option<[u8; 16]> {
    let shared = usize::from(header.get(4)? & 0x0f);
    let padding = usize::from(header.get(5)? >> 4);
    let (list, _) = addresses.split_at_checked(addresses.len().checked_sub(padding)?)?;
    let mut last = *destination;
    let own = last.get_mut(shared..)?;
    let tail = list.get(list.len().checked_sub(own.len())?..)?;
    own.copy_from_slice(tail);
    Some(last)
}

/// The last hop of an IPv4 source route that is not used up: while the pointer is
/// within the option, the header names the next hop instead.
pub(super) fn source_route(mut options: &[u8]) -> Option<[u8; 4]> {
    loop {
        match *options.first()? {
            0 => return None,
            1 => options = options.get(1..)?,
            kind => {
                let length = usize::from(*options.get(1)?);
                let option = options.get(..length)?;
                if kind == LOOSE_ROUTE || kind == STRICT_ROUTE {
                    let pointer = usize::from(*option.get(2)?);
                    let is_used_up = pointer > length || length < 7;
                    return if is_used_up {
                        None
                    } else {
                        option.last_chunk().copied()
                    };
                }
                options = options.get(length.max(2)..)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: [u8; 16] = [0xfe; 16];

    #[test]
    fn routes_of_ipv6() {
        let mut header = vec![59, 4, TYPE_SOURCE_ROUTE, 2, 0, 0, 0, 0];
        header.extend([1; 16]);
        header.extend([2; 16]);
        assert_eq!(last_destination(&header, &HERE), Route::Ends([2; 16]));
        header[2] = TYPE_SEGMENT_ROUTING;
        assert_eq!(last_destination(&header, &HERE), Route::Ends([1; 16]));
        header[2] = 99;
        assert_eq!(last_destination(&header, &HERE), Route::Unknown);
        header[3] = 0;
        assert_eq!(last_destination(&header, &HERE), Route::Done);
    }

    #[test]
    fn rpl_shares_a_prefix() {
        // CmprI 8, CmprE 8, 4 bytes of padding: one address of 8 bytes is whole.
        let header = [59, 1, TYPE_RPL, 1, 0x88, 0x00, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        let mut last = HERE;
        last[8..].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(last_destination(&header, &HERE), Route::Ends(last));
    }

    #[test]
    fn routes_of_ipv4() {
        // NOP, loose route with pointer at its first of two addresses.
        let mut options = [1, 131, 11, 4, 10, 0, 0, 1, 10, 0, 0, 2];
        assert_eq!(source_route(&options), Some([10, 0, 0, 2]));
        options[3] = 12;
        assert_eq!(source_route(&options), None);
        for hostile in [
            &[131][..],
            &[131, 0],
            &[131, 2],
            &[7, 0, 0],
            &[7, 1, 131, 3],
        ] {
            assert_eq!(source_route(hostile), None);
        }
    }
}
