//! Files with what others counted.

use super::UsageError;
use crate::witness::{self, Benchmark, KernelCounters, Unreadable};
use anyhow::Context;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Most of a file that is read: whoever gives a capture here by mistake is told so.
const MOST_BYTES: u64 = 64 << 20;

/// What a benchmark printed into a file.
///
/// # Errors
///
/// The file cannot be read, or no benchmark that is known printed it.
pub(super) fn benchmark(path: Option<&Path>) -> anyhow::Result<Option<Benchmark>> {
    read(path, witness::benchmark)
}

/// The counters of a kernel in a file.
///
/// # Errors
///
/// The file cannot be read, or holds none.
pub(super) fn kernel(path: Option<&Path>) -> anyhow::Result<Option<KernelCounters>> {
    read(path, witness::kernel_counters)
}

fn read<T>(
    path: Option<&Path>,
    parse: fn(&str) -> Result<T, Unreadable>,
) -> anyhow::Result<Option<T>> {
    let Some(path) = path else {
        return Ok(None);
    };
    let shown = path.display();
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    file.take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {shown}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let parsed = parse(&text).map_err(|why| UsageError::Witness(shown.to_string(), why))?;
    Ok(Some(parsed))
}
