//! Writes the large captures that speed is measured with.
//!
//! ```text
//! cargo run --release --example generate -- netperf --bytes 1G -o netperf.pcap
//! ```
//!
//! The same arguments always give the same bytes. Memory follows the number of flows,
//! never the length of the capture. All traffic is sent at 10 Gbit/s without a pause.

#[path = "../traffic/mod.rs"]
mod traffic;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use traffic::point::Part;
use traffic::{FILE_HEADER, Kind, Made, Point, Traffic};

/// Written at once.
const CHUNK_BYTES: usize = 1 << 20;

/// Writes a large capture of made-up traffic
#[derive(Parser)]
#[command(name = "generate")]
struct Args {
    /// What is in it
    kind: Name,
    /// How long it gets where it is sent; ends with the message that reaches it
    #[arg(long, value_name = "N[K|M|G]", default_value = "1G", value_parser = bytes)]
    bytes: u64,
    /// Captured at another point: how many microseconds packets take to get there
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=60_000_000))]
    later: u64,
    /// Of 1,000 frames, those that are lost before they are captured: with --later those that
    /// were sent, else their answers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1000))]
    lost: u64,
    /// Captured at another point: behind the ends of tunnels
    #[arg(long)]
    inside: bool,
    /// Captured where fragments are put together, and behind the ends of tunnels
    #[arg(long)]
    whole: bool,
    /// Captured where segments are joined: before a NIC cuts them, or with --later behind one that
    /// joins them
    #[arg(long)]
    joined: bool,
    /// Captured where some flows do not come by: one of so many parts of them
    #[arg(long, value_name = "N/M")]
    without: Option<Part>,
    /// Flows that messages are spread over [default: as is usual for the kind]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    flows: Option<u32>,
    /// What all random choices follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where to; standard output unless told
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// 65,507-byte messages in 47 fragments, 1 flow
    Netperf,
    /// The same with 3 % of the fragments missing
    NetperfLoss,
    /// 8 KiB messages fragmented inside VXLAN, 100 flows
    VxlanInner,
    /// VXLAN whose outer packets are fragmented, 100 flows
    VxlanOuter,
    /// 60-byte packets, 1,000 flows
    Small,
    /// The same, half of them answers
    Answered,
    /// 60, 590 and 1,514-byte packets, 7 to 4 to 1, without identifications, 1,000 flows
    Mixed,
    /// TCP in 1,448-byte segments, twelve in a row, with acknowledgements, 200 flows
    Stream,
}

impl From<Name> for Kind {
    fn from(name: Name) -> Self {
        match name {
            Name::Netperf => Self::Netperf,
            Name::NetperfLoss => Self::NetperfLoss,
            Name::VxlanInner => Self::VxlanInner,
            Name::VxlanOuter => Self::VxlanOuter,
            Name::Small => Self::Small,
            Name::Answered => Self::Answered,
            Name::Mixed => Self::Mixed,
            Name::Stream => Self::Stream,
        }
    }
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let made = match &args.output {
        None => write(&args, &mut io::stdout().lock())?,
        Some(path) => File::create(path)
            .and_then(|mut file| write(&args, &mut file))
            .with_context(|| path.display().to_string())?,
    };
    eprintln!(
        "{} frames, {} fragments, {} messages, {} whole",
        made.frames, made.fragments, made.messages, made.whole
    );
    Ok(())
}

fn write(args: &Args, out: &mut impl Write) -> io::Result<Made> {
    let kind = Kind::from(args.kind);
    let flows = args.flows.unwrap_or(kind.usual_flows());
    let point = Point {
        later: args.later,
        lost_per_mille: args.lost,
        is_inside: args.inside,
        is_put_together: args.whole,
        is_joined: args.joined,
        without: args.without,
    };
    let mut traffic = Traffic::at(point, kind, flows, args.seed);
    let mut chunk = FILE_HEADER.to_vec();
    while FILE_HEADER.len() as u64 + traffic.sent() < args.bytes {
        traffic.message(&mut chunk);
        if chunk.len() >= CHUNK_BYTES {
            out.write_all(&chunk)?;
            chunk.clear();
        }
    }
    traffic.finish(&mut chunk);
    out.write_all(&chunk)?;
    Ok(traffic.made())
}

/// Bytes with a decimal suffix.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        Some((at, 'g' | 'G')) => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number".to_owned())?;
    number
        .checked_mul(unit)
        .ok_or_else(|| "too large".to_owned())
}
