//! Options at the end of pcapng blocks.
//!
//! Taken one at a time, since pcap-parser's parsers of whole blocks collect the
//! options of every packet in a vector, and its getters of numbers know only
//! little-endian sections.

use super::bytes::ByteOrder;
use pcap_parser::nom::error::Error;
use pcap_parser::{parse_option_be, parse_option_le};

/// Code of the option that ends the list.
const END_OF_OPTIONS: u16 = 0;

/// The options in a list: code and value, without padding. Ends at the first that
/// is no option: what comes after it cannot be trusted, the block itself can.
pub(super) fn options(order: ByteOrder, list: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let (after, option) = match order {
            ByteOrder::Little => parse_option_le::<Error<&[u8]>>(rest),
            ByteOrder::Big => parse_option_be::<Error<&[u8]>>(rest),
        }
        .ok()?;
        // The value borrows from the list, at a known place behind the code and length.
        let value = rest.get(4..)?.get(..usize::from(option.len))?;
        rest = after;
        (option.code.0 != END_OF_OPTIONS).then_some((option.code.0, value))
    })
}
