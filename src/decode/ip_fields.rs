//! What an IP header says that is not told with its layer: by it a packet is known again.

use crate::model::IpVersion;

/// Identification, TTL and class of an IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpFields {
    /// Identification of IPv4; 0 of IPv6.
    pub id: u32,
    /// Whether there is one: of IPv4, 0 with DF is none (RFC 6864).
    pub is_numbered: bool,
    /// TTL, or hop limit.
    pub hop_limit: u8,
    /// TOS, or traffic class: DSCP and ECN.
    pub traffic_class: u8,
}

impl IpFields {
    const DONT_FRAGMENT: u64 = 0x40 << 48;
    const ID: u64 = 0xffff << 32;

    /// Of a header that begins somewhere; nothing of what was not captured.
    #[inline]
    pub fn of(data: &[u8], start: usize, version: IpVersion) -> Self {
        let header = data.get(start..).and_then(<[_]>::first_chunk::<9>);
        let [first @ .., second] = header.copied().unwrap_or_default();
        let first = u64::from_le_bytes(first);
        match version {
            IpVersion::V4 => Self::of_v4(first, second.into()),
            IpVersion::V6 => Self::of_v6(first),
        }
    }

    /// Of the first two words of a header, read little-endian.
    #[inline]
    pub(super) fn of_v4(first: u64, second: u64) -> Self {
        Self {
            id: ((first >> 32) as u16).swap_bytes().into(),
            is_numbered: first & Self::ID != 0 || first & Self::DONT_FRAGMENT == 0,
            hop_limit: second as u8,
            traffic_class: (first >> 8) as u8,
        }
    }

    /// Of the first word.
    #[inline]
    pub(super) fn of_v6(first: u64) -> Self {
        Self {
            id: 0,
            is_numbered: false,
            hop_limit: (first >> 56) as u8,
            traffic_class: (first as u8) << 4 | (first >> 8) as u8 >> 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes in front of it is of no matter.
    fn fields(header: &[u8], version: IpVersion) -> IpFields {
        IpFields::of(&[&[0xee; 14], header].concat(), 14, version)
    }

    #[test]
    fn they_are_where_the_rfcs_have_them() {
        // RFC 791, section 3.1: identification 0x1234, no flags, TTL 63, DSCP 46 and ECT(1).
        let v4 = |id: [u8; 2], flags: u8| {
            let header = [0x45, 0xb9, 0, 60, id[0], id[1], flags, 0, 63, 17, 0, 0];
            fields(&header, IpVersion::V4)
        };
        let expected = IpFields {
            id: 0x1234,
            is_numbered: true,
            hop_limit: 63,
            traffic_class: 0xb9,
        };
        assert_eq!(v4([0x12, 0x34], 0), expected);
        assert_eq!(v4([0x12, 0x34], 0x40), expected);
        assert!(v4([0, 0], 0).is_numbered && !v4([0, 0], 0x40).is_numbered);
        // RFC 8200, section 3: traffic class 0xb9, hop limit 63.
        let header = [0x6b, 0x9f, 0xff, 0xff, 0, 40, 17, 63, 1, 2, 3, 4];
        let expected = IpFields {
            id: 0,
            is_numbered: false,
            ..expected
        };
        assert_eq!(fields(&header, IpVersion::V6), expected);
    }

    #[test]
    fn of_what_was_not_captured_there_is_nothing() {
        let nothing = IpFields::of(&[0x45; 18], 10, IpVersion::V4);
        assert_eq!((nothing.id, nothing.hop_limit), (0, 0));
        assert_eq!(IpFields::of(&[], 3, IpVersion::V6).traffic_class, 0);
    }
}
