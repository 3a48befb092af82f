//! `nstat`, and `/proc/net/snmp6`, which has the same form without a rate.
//!
//! ```text
//! #kernel
//! IpReasmFails                    916778             0.0
//! Ip6ReasmFails                   0
//! ```

use super::super::Unreadable;
use super::super::figures::figure;
use super::{Source, Tally};

/// What the names of the kernel begin with. Anything else may be any word before a
/// number.
const PROTOCOLS: [&str; 8] = ["Ip", "Icmp", "Tcp", "Udp", "MPTcp", "Sctp", "Tls", "Xfrm"];

/// Takes over a line if it is one of theirs.
pub(super) fn line(line: &str, tally: &mut Tally) -> Result<(), Unreadable> {
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    let (source, name, value) = match words.as_slice() {
        [name, value, rate] if figure(rate).is_some() => (Source::Nstat, *name, value),
        [name, value] => (Source::Snmp6, *name, value),
        _ => return Ok(()),
    };
    if PROTOCOLS.iter().any(|begin| name.starts_with(begin)) {
        tally.add(source, name.to_owned(), value)?;
    }
    Ok(())
}
