//! What is assumed of the hosts that fragments go to.

use super::args::{positive_time, size_of};
use super::options::span;
use crate::receiver::{Settings, Truesize};
use anyhow::Context;
use clap::{Args, ValueHint};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Kernel settings of the hosts that fragments go to.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Receiver (what a Linux host makes of the fragments)")]
pub struct ReceiverArgs {
    /// Read its settings from what `sysctl -a` printed there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub receiver_settings: Option<PathBuf>,

    /// net.ipv4.ipfrag_time [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = positive_time)]
    pub ipfrag_time: Option<Duration>,

    /// net.ipv4.ipfrag_high_thresh: memory for unfinished datagrams [default: 4MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_of)]
    pub ipfrag_high_thresh: Option<u64>,

    /// net.ipv4.ipfrag_max_dist; 0 for no limit [default: 64]
    #[arg(long, value_name = "N")]
    pub ipfrag_max_dist: Option<u32>,

    /// net.ipv6.ip6frag_time [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = positive_time)]
    pub ip6frag_time: Option<Duration>,

    /// net.ipv6.ip6frag_high_thresh [default: 4MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_of)]
    pub ip6frag_high_thresh: Option<u64>,

    /// Memory that its driver takes for each fragment [default: as with veth, by length]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub fragment_truesize: Option<u32>,

    /// Timer interrupts a second its kernel was built with (CONFIG_HZ) [default: 250]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub kernel_hz: Option<u32>,
}

/// The settings: those of the file, or else `settings`, changed by what was typed.
///
/// # Errors
///
/// The file cannot be read or holds a setting that is none.
pub(super) fn settings(args: &ReceiverArgs, mut settings: Settings) -> anyhow::Result<Settings> {
    if let Some(path) = &args.receiver_settings {
        let text = fs::read_to_string(path).with_context(|| {
            format!(
                "cannot read the receiver's settings from {}",
                path.display()
            )
        })?;
        settings
            .read_sysctl(&text)
            .with_context(|| path.display().to_string())?;
    }
    let given = |value: &mut u64, given: Option<u64>| *value = given.unwrap_or(*value);
    given(&mut settings.ipfrag_high_thresh, args.ipfrag_high_thresh);
    given(&mut settings.ip6frag_high_thresh, args.ip6frag_high_thresh);
    settings.ipfrag_time = args.ipfrag_time.map_or(settings.ipfrag_time, span);
    settings.ip6frag_time = args.ip6frag_time.map_or(settings.ip6frag_time, span);
    settings.ipfrag_max_dist = args.ipfrag_max_dist.unwrap_or(settings.ipfrag_max_dist);
    settings.kernel_hz = args.kernel_hz.unwrap_or(settings.kernel_hz);
    if let Some(bytes) = args.fragment_truesize {
        settings.truesize = Truesize::Fixed(bytes);
    }
    Ok(settings)
}
