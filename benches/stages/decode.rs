//! From frames to facts, checksums included.

use crate::sample::Sample;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use fraglens::decode::{DecodeOptions, Decoder};
use fraglens::model::facts::{Fragment, Packet};
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    let samples = [
        Sample::netperf(),
        Sample::vxlan_inner(),
        Sample::vxlan_outer(),
        Sample::small(),
    ];
    for sample in samples {
        sample.sets_throughput(&mut group, sample.made.frames);
        let blocks = sample.blocks();
        let mut decoder = Decoder::new(&DecodeOptions::default());
        let mut packet = Packet::default();
        group.bench_function(sample.name, |bencher| {
            bencher.iter(|| {
                let mut fragments = 0;
                for frame in blocks.iter().flat_map(|block| block.frames()) {
                    decoder.frame(&frame, black_box(&mut packet));
                    let innermost = packet.layers.last().expect("an IP packet");
                    fragments += u64::from(matches!(innermost.fragment, Fragment::Piece(_)));
                }
                assert_eq!(fragments, sample.made.fragments);
                fragments
            });
        });
    }
    plain(&mut group, &Sample::small());
    group.finish();
}

/// The glance at ordinary frames that spares them the rest.
fn plain(group: &mut BenchmarkGroup<'_, WallTime>, sample: &Sample) {
    sample.sets_throughput(group, sample.made.frames);
    let blocks = sample.blocks();
    let decoder = Decoder::new(&DecodeOptions::default());
    group.bench_function("plain", |bencher| {
        bencher.iter(|| {
            let frames = blocks.iter().flat_map(|block| block.frames());
            let plain = frames.filter_map(|frame| decoder.plain(&frame));
            let ip_bytes = plain.map(|plain| u64::from(black_box(plain).ip_bytes));
            ip_bytes.sum::<u64>()
        });
    });
}
