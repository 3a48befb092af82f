//! A few megabytes of each kind of traffic.

use crate::traffic::{FILE_HEADER, Kind, Made, Point, Traffic};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Throughput};
use fraglens::source::{Block, Memory, Source, SourceOptions};
use std::sync::Arc;

/// More than a second-level cache holds, and little enough for `--test`.
const SAMPLE_BYTES: u64 = 8_000_000;

/// A capture in memory.
pub struct Sample {
    pub name: &'static str,
    pub made: Made,
    capture: Arc<[u8]>,
}

impl Sample {
    fn new(name: &'static str, kind: Kind, flows: u32) -> Self {
        let mut capture = FILE_HEADER.to_vec();
        let mut traffic = Traffic::at(Point::default(), kind, flows, 1);
        while traffic.sent() < SAMPLE_BYTES {
            traffic.message(&mut capture);
        }
        traffic.finish(&mut capture);
        Self {
            name,
            made: traffic.made(),
            capture: capture.into(),
        }
    }

    pub fn netperf() -> Self {
        Self::new("netperf", Kind::Netperf, Kind::Netperf.usual_flows())
    }

    pub fn netperf_loss() -> Self {
        let kind = Kind::NetperfLoss;
        Self::new("netperf-loss", kind, kind.usual_flows())
    }

    pub fn vxlan_inner() -> Self {
        let kind = Kind::VxlanInner;
        Self::new("vxlan-inner", kind, kind.usual_flows())
    }

    pub fn vxlan_outer() -> Self {
        let kind = Kind::VxlanOuter;
        Self::new("vxlan-outer", kind, kind.usual_flows())
    }

    pub fn small() -> Self {
        Self::new("small-1000-flows", Kind::Small, 1000)
    }

    pub fn small_many_flows() -> Self {
        Self::new("small-1000000-flows", Kind::Small, 1_000_000)
    }

    pub fn mixed() -> Self {
        Self::new("mixed", Kind::Mixed, Kind::Mixed.usual_flows())
    }

    pub fn stream() -> Self {
        Self::new("stream", Kind::Stream, Kind::Stream.usual_flows())
    }

    /// The capture as a source.
    pub fn source(&self) -> Memory {
        Memory::new(Arc::clone(&self.capture), &SourceOptions::default())
    }

    /// All its blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let mut source = self.source();
        let mut blocks = Vec::new();
        loop {
            let mut block = Block::default();
            if !source.fill(&mut block) {
                return blocks;
            }
            blocks.push(block);
        }
    }

    /// Bytes of the capture, and how many `elements` they are.
    pub fn sets_throughput(&self, group: &mut BenchmarkGroup<'_, WallTime>, elements: u64) {
        group.throughput(Throughput::ElementsAndBytes {
            elements,
            bytes: self.capture.len() as u64,
        });
    }
}
