//! Whether an expression loses fragments.
//!
//! A non-first fragment has no ports: libpcap has every test of ports, or of bytes
//! behind a transport header, fail on it, and on every fragment of IPv6.

use super::{Filter, LinkType};

/// Names of protocols behind which `name[...]` looks into the payload of IP.
const TRANSPORTS: [&str; 9] = [
    "tcp", "udp", "icmp", "icmp6", "sctp", "igmp", "pim", "vrrp", "carp",
];

/// Says why an expression may throw away fragments of datagrams it lets others
/// pass of; `None` if it does not.
///
/// Reads the words only, since the expression may come from a capture: compiling
/// one can ask name servers. One that looks at the fragment field itself
/// (`ip[6:2]`) is left alone: whoever writes that means it.
pub fn may_drop_fragments(expression: &str) -> Option<String> {
    let words = words(expression);
    if looks_at_fragment_field(&words) {
        return None;
    }
    let mut previous = "";
    for word in &words {
        if let Some(reason) = reason(previous, word) {
            return Some(reason);
        }
        previous = word;
    }
    None
}

impl Filter {
    /// As [`may_drop_fragments`], for an expression the user gave: the compiled program
    /// shows tests that the words do not, such as `geneve` by its port.
    pub fn drops_fragments(expression: &str) -> Option<String> {
        if looks_at_fragment_field(&words(expression)) {
            return None;
        }
        may_drop_fragments(expression).or_else(|| {
            let compiled = Self::compile(expression, LinkType::ETHERNET).ok()?;
            compiled.tests_fragment_offset().then(|| {
                "it tests the payload of IP, which fragments other than the first do not match"
                    .to_owned()
            })
        })
    }
}

fn reason(previous: &str, word: &str) -> Option<String> {
    match word {
        "port" | "portrange" => Some(format!(
            "it tests ports (\"{word}\"), which fragments other than the first do not have"
        )),
        "[" if TRANSPORTS.contains(&previous) => Some(format!(
            "it looks into {previous} headers, which fragments other than the first do not have"
        )),
        "greater" | "less" | "len" => Some(format!(
            "it tests the packet length (\"{word}\"), which differs between fragments of one datagram"
        )),
        _ => None,
    }
}

///
/// Only an alternative can let the other fragments in: `port 53 or ip[6:2] & 0x1fff != 0`.
fn looks_at_fragment_field(words: &[&str]) -> bool {
    let looks = words.windows(3).any(|words| words == ["ip", "[", "6"]);
    let has_alternative = words.contains(&"or") || words.windows(2).any(|pair| pair == ["|", "|"]);
    looks && has_alternative
}

/// Splits into names, numbers and single signs.
fn words(expression: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let length = if name(first) {
            rest.find(|c| !name(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        if !first.is_whitespace() {
            words.push(word);
        }
        rest = after;
    }
    words
}
