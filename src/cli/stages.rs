//! What every reading command is told about how it reads.

use super::args::{positive_time, reassembly_memory};
use super::options::span;
use super::receiver::{self, ReceiverArgs};
use crate::decode::{AutoTunnel, DecodeOptions};
use crate::model;
use crate::pipeline;
use crate::reassemble::Limits;
use crate::receiver::Settings;
use crate::source::FilterSet;
use clap::Args;
use std::time::Duration;

/// How frames are decoded and reassembled.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct StageArgs {
    /// Threads that decode; the report is the same for any number [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Input")]
    pub threads: Option<u16>,

    /// UDP port that carries VXLAN, besides 4789 and 8472; may be repeated
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Decoding")]
    pub vxlan_port: Vec<u16>,

    /// UDP port that carries Geneve, besides 6081; may be repeated
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Decoding")]
    pub geneve_port: Vec<u16>,

    /// Open tunnels only on known ports, not wherever the bytes are VXLAN beyond doubt
    #[arg(long, help_heading = "Decoding")]
    pub no_auto_tunnel: bool,

    /// How long a datagram may stay unfinished [default: 30s for IPv4, 60s for IPv6]
    ///
    /// Counted from its first fragment by the clock of the capture, as Linux does
    /// (net.ipv4.ipfrag_time, net.ipv6.ip6frag_time).
    #[arg(long, value_name = "TIME", value_parser = positive_time, help_heading = "Reassembly")]
    pub reassembly_timeout: Option<Duration>,

    /// Most memory for unfinished datagrams; beyond it the oldest are given up
    ///
    /// A bound of fraglens, not of the receiver. What is given up is counted as
    /// evicted.
    #[arg(long, value_name = "SIZE", value_parser = reassembly_memory, default_value = "64MiB", help_heading = "Reassembly")]
    pub reassembly_memory: u64,

    /// What is assumed of the receivers
    #[command(flatten)]
    pub receiver: ReceiverArgs,
}

/// The same, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct StageOptions {
    /// Threads that decode; `None`: one a core.
    pub threads: Option<u16>,
    /// How frames are decoded; each port once, ascending.
    pub decode: DecodeOptions,
    /// Bounds of reassembly.
    pub reassembly: Limits,
    /// What is assumed of the receivers, as typed.
    pub receiver: ReceiverArgs,
}

impl From<StageArgs> for StageOptions {
    fn from(args: StageArgs) -> Self {
        let timeout = args.reassembly_timeout.map(span);
        let linux = Limits::default();
        Self {
            threads: args.threads,
            decode: DecodeOptions {
                vxlan_ports: ascending(args.vxlan_port),
                geneve_ports: ascending(args.geneve_port),
                auto_tunnel: match args.no_auto_tunnel {
                    true => AutoTunnel::Off,
                    false => AutoTunnel::On,
                },
            },
            reassembly: Limits {
                timeout_v4: timeout.unwrap_or(linux.timeout_v4),
                timeout_v6: timeout.unwrap_or(linux.timeout_v6),
                memory_bytes: usize::try_from(args.reassembly_memory).unwrap_or(usize::MAX),
            },
            receiver: args.receiver,
        }
    }
}

impl StageOptions {
    /// As the pipeline takes them; `receiver` is what is assumed of receivers unless it
    /// was typed.
    ///
    /// # Errors
    ///
    /// The file with the receivers' settings cannot be read.
    pub(super) fn pipeline(
        &self,
        filter: Option<FilterSet>,
        receiver: Settings,
        timeline_bucket: model::Duration,
    ) -> anyhow::Result<pipeline::Options> {
        Ok(pipeline::Options {
            filter,
            decode: self.decode.clone(),
            reassembly: self.reassembly,
            receiver: receiver::settings(&self.receiver, receiver)?,
            timeline_bucket,
            threads: self.threads.map_or(0, usize::from),
        })
    }
}

fn ascending(mut ports: Vec<u16>) -> Vec<u16> {
    ports.sort_unstable();
    ports.dedup();
    ports
}
