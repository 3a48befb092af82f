//! `/proc/net/snmp` and `/proc/net/netstat`: a line of names and a line of values; and
//! `/proc/net/sockstat`: names and values in turns.
//!
//! ```text
//! Udp: InDatagrams NoPorts InErrors
//! Udp: 1923470 12 776649
//! FRAG: inuse 38 memory 3881456
//! ```

use super::super::Unreadable;
use super::{Source, Tally};

/// The line of names before.
#[derive(Default)]
pub(super) struct Names<'a> {
    protocol: &'a str,
    names: Vec<&'a str>,
}

/// More than any line has: `TcpExt` has about 130.
const MOST_NAMES: usize = 1024;

/// Takes over a line; false if it is none of theirs.
pub(super) fn line<'a>(
    line: &'a str,
    names: &mut Names<'a>,
    tally: &mut Tally,
) -> Result<bool, Unreadable> {
    let Some((protocol, rest)) = line.trim().split_once(": ") else {
        return Ok(false);
    };
    let words: Vec<&str> = rest.split_whitespace().take(MOST_NAMES).collect();
    let is_value = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let values = words.iter().filter(|word| is_value(word)).count();
    if values == 0 {
        let names_after = Names {
            protocol,
            names: words,
        };
        *names = names_after;
        return Ok(true);
    }
    if protocol.starts_with("FRAG") {
        in_use(protocol, &words, tally)?;
        return Ok(true);
    }
    if values < words.len() || protocol != names.protocol {
        return Ok(false);
    }
    pairs(std::mem::take(names), &words, tally)?;
    Ok(true)
}

fn pairs(names: Names<'_>, values: &[&str], tally: &mut Tally) -> Result<(), Unreadable> {
    if names.names.len() != values.len() {
        let line = tally.line();
        return Err(Unreadable::Uneven { line });
    }
    for (name, value) in names.names.iter().zip(values) {
        tally.add(Source::Snmp, format!("{}{name}", names.protocol), value)?;
    }
    Ok(())
}

fn in_use(protocol: &str, words: &[&str], tally: &mut Tally) -> Result<(), Unreadable> {
    for pair in words.chunks_exact(2) {
        if let [name, value] = pair {
            tally.add(
                Source::Sockstat,
                format!("sockstat.{protocol}.{name}"),
                value,
            )?;
        }
    }
    Ok(())
}
