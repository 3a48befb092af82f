//! Values as they come, by name and source.

use super::super::Unreadable;
use super::super::figures::count;
use super::{Counted, KernelCounters, MAX_COUNTERS, is_name};
use std::collections::BTreeMap;

/// What printed a counter. Some of them print the same counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Nstat,
    Snmp,
    Snmp6,
    Sockstat,
    Ethtool,
}

#[derive(Default)]
pub(super) struct Tally {
    /// At most one entry for each source of a counter.
    values: BTreeMap<String, Vec<(Source, Counted)>>,
    line: usize,
}

impl Tally {
    /// The line that is being read, from 1.
    pub(super) fn at_line(&mut self, number: usize) {
        self.line = number;
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Takes over a value. What is no name or no number, or negative, as some settings
    /// in `/proc/net/snmp` are, is passed over: false.
    pub(super) fn add(
        &mut self,
        source: Source,
        name: String,
        value: &str,
    ) -> Result<bool, Unreadable> {
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || !is_name(&name) {
            return Ok(false);
        }
        let value = count(value).ok_or(Unreadable::TooLarge { line: self.line })?;
        if self.values.len() >= MAX_COUNTERS && !self.values.contains_key(&name) {
            return Err(Unreadable::TooManyCounters);
        }
        let sources = self.values.entry(name).or_default();
        match sources.iter_mut().find(|(known, _)| *known == source) {
            Some((_, counted)) => {
                counted.last = value;
                counted.snapshots = counted.snapshots.saturating_add(1);
            }
            None => sources.push((source, first(value))),
        }
        Ok(true)
    }

    pub(super) fn into_counters(self) -> Result<KernelCounters, Unreadable> {
        if self.values.is_empty() {
            return Err(Unreadable::NoCounters);
        }
        let values = self.values.into_iter();
        let values = values.filter_map(|(name, sources)| Some((name, most_often(&sources)?)));
        Ok(KernelCounters {
            values: values.collect(),
            duration: None,
        })
    }
}

const fn first(value: u64) -> Counted {
    Counted {
        first: value,
        last: value,
        snapshots: 1,
    }
}

/// Of the source with most values; of the first such source.
fn most_often(sources: &[(Source, Counted)]) -> Option<Counted> {
    let counted = sources.iter().rev().map(|(_, counted)| *counted);
    counted.max_by_key(|counted| counted.snapshots)
}
