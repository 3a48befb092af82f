//! Options of IPv4, IPv6 and TCP: known ones without what they tell, others as padding of
//! the same length.

use super::addresses::AddressMap;

/// Rewritten options.
pub(super) type Options = Vec<u8>;

const END: u8 = 0;
const NO_OPERATION: u8 = 1;

const RECORD_ROUTE: u8 = 7;
const TIMESTAMP: u8 = 68;
const LOOSE_ROUTE: u8 = 131;
const STRICT_ROUTE: u8 = 137;
const ROUTER_ALERT: u8 = 148;

/// Options of IPv4 (RFC 791 section 3.1).
pub(super) fn of_ipv4(options: &[u8], map: &AddressMap) -> Options {
    one_by_one(options, |option| one_of_ipv4(option, map))
}

/// Options of a kind, a length and what that leaves room for, each made another of the same
/// length; behind the last that is whole come ends.
fn one_by_one(options: &[u8], other: impl Fn(&[u8]) -> Options) -> Options {
    let mut new = Vec::with_capacity(options.len());
    let mut rest = options;
    while let Some((&kind, behind)) = rest.split_first() {
        let length = match kind {
            END => break,
            NO_OPERATION => 1,
            // What is shorter than its own head is taken for as long.
            _ => behind
                .first()
                .map_or(0, |length| usize::from(*length))
                .max(2),
        };
        let Some((option, others)) = rest.split_at_checked(length) else {
            break;
        };
        new.extend(other(option));
        rest = others;
    }
    new.resize(options.len(), END);
    new
}

fn one_of_ipv4(option: &[u8], map: &AddressMap) -> Options {
    let mut new = option.to_vec();
    match option.first() {
        Some(&(RECORD_ROUTE | LOOSE_ROUTE | STRICT_ROUTE)) => {
            routes(&mut new, map);
        }
        Some(&TIMESTAMP) => timestamps(&mut new, map),
        Some(&ROUTER_ALERT) if option.len() == 4 => {}
        _ => new.fill(NO_OPERATION),
    }
    new
}

/// Kind, length, pointer, addresses.
fn routes(option: &mut [u8], map: &AddressMap) {
    let Some(list) = option.get_mut(3..) else {
        return;
    };
    // The last is looked for from the end.
    let odd = list.len() % 4;
    let (begin, addresses) = list.split_at_mut(odd);
    begin.fill(0);
    for address in addresses.as_chunks_mut::<4>().0 {
        *address = map.v4(*address);
    }
}

/// Kind, length, pointer, overflow and flag, then times, with addresses unless the flag
/// is 0.
fn timestamps(option: &mut [u8], map: &AddressMap) {
    let has_addresses = option.get(3).is_some_and(|flags| flags & 0x0f != 0);
    let list = option.get_mut(4..).unwrap_or_default();
    if !has_addresses {
        list.fill(0);
        return;
    }
    let (pairs, rest) = list.as_chunks_mut::<8>();
    for [a, b, c, d, time @ ..] in pairs {
        [*a, *b, *c, *d] = map.v4([*a, *b, *c, *d]);
        time.fill(0);
    }
    rest.fill(0);
}

const PAD_N: u8 = 1;
const ROUTER_ALERT_V6: u8 = 5;
const JUMBO: u8 = 0xc2;
const HOME_ADDRESS: u8 = 0xc9;

/// Options of a hop-by-hop or destination options header (RFC 8200 section 4.2).
pub(super) fn of_ipv6(options: &[u8], map: &AddressMap) -> Options {
    let mut new = Vec::with_capacity(options.len());
    let mut rest = options;
    while let Some((&kind, behind)) = rest.split_first() {
        if kind == END {
            new.push(END);
            rest = behind;
            continue;
        }
        let length = behind.first().map_or(0, |length| usize::from(*length));
        let Some((option, others)) = rest.split_at_checked(2 + length) else {
            break;
        };
        new.extend(one_of_ipv6(kind, option, map));
        rest = others;
    }
    new.resize(options.len(), END);
    new
}

fn one_of_ipv6(kind: u8, option: &[u8], map: &AddressMap) -> Options {
    let mut new = option.to_vec();
    let keep = match kind {
        ROUTER_ALERT_V6 => 4,
        JUMBO => 6,
        HOME_ADDRESS => {
            let data = new.get_mut(2..).unwrap_or_default();
            if let Some(address) = data.first_chunk_mut::<16>() {
                *address = map.v6(*address);
                18
            } else {
                2
            }
        }
        _ => {
            if let Some(first) = new.first_mut() {
                *first = PAD_N;
            }
            2
        }
    };
    new.iter_mut().skip(keep).for_each(|byte| *byte = 0);
    new
}

const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// Options of TCP (RFC 9293 section 3.1).
pub(super) fn of_tcp(options: &[u8]) -> Options {
    one_by_one(options, |option| {
        if is_harmless(option) {
            option.to_vec()
        } else {
            vec![NO_OPERATION; option.len()]
        }
    })
}

/// Whether an option of TCP holds what one of its kind holds, and no more: in one that is
/// too long anything can be.
fn is_harmless(option: &[u8]) -> bool {
    match option {
        [NO_OPERATION] => true,
        [MSS, 4, ..] => option.len() == 4,
        [WINDOW_SCALE, 3, ..] => option.len() == 3,
        [SACK_PERMITTED, 2] => true,
        [SACK, length, ..] => usize::from(*length) == option.len() && option.len() % 8 == 2,
        [TIMESTAMPS, 10, ..] => option.len() == 10,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::anonymize::{AnonymizeOptions, Anonymizer};

    fn anonymizer() -> Anonymizer {
        let mut key = [1; 32];
        key[0] = 0;
        let options = AnonymizeOptions {
            key: Some(key),
            ..AnonymizeOptions::default()
        };
        Anonymizer::new(&options).unwrap()
    }

    #[test]
    fn routes_of_ipv4_are_mapped() {
        let anonymizer = anonymizer();
        let map = &anonymizer.addresses;
        let options = [1, 131, 11, 4, 10, 0, 0, 1, 10, 0, 0, 2];
        let new = of_ipv4(&options, map);
        assert_eq!(new[..4], options[..4]);
        assert_eq!(new[4..8], map.v4([10, 0, 0, 1]));
        assert_eq!(new[8..], map.v4([10, 0, 0, 2]));
    }

    #[test]
    fn unknown_options_become_padding() {
        let anonymizer = anonymizer();
        let map = &anonymizer.addresses;
        assert_eq!(of_ipv4(&[130, 4, 9, 9], map), [1, 1, 1, 1]);
        assert_eq!(of_ipv4(&[130, 40, 9, 9], map), [0; 4]);
        assert_eq!(of_ipv6(&[7, 2, 9, 9], map), [1, 2, 0, 0]);
        assert_eq!(of_ipv6(&[5, 2, 0, 1], map), [5, 2, 0, 1]);
        assert_eq!(
            of_tcp(&[2, 4, 5, 180, 30, 4, 1, 2, 0, 7, 7, 7]),
            [2, 4, 5, 180, 1, 1, 1, 1, 0, 0, 0, 0]
        );
    }

    #[test]
    fn known_options_of_another_length_hold_nothing() {
        let anonymizer = anonymizer();
        let map = &anonymizer.addresses;
        let mss = [&[2, 12][..], b"SECRETWORD"].concat();
        assert_eq!(of_tcp(&mss), [1; 12]);
        let sack = [&[5, 12][..], b"SECRETWORD"].concat();
        assert_eq!(of_tcp(&sack), [1; 12]);
        let alert = [&[148, 12][..], b"SECRETWORD"].concat();
        assert_eq!(of_ipv4(&alert, map), [1; 12]);
    }
}
