//! From bytes to blocks to frames.

use crate::sample::Sample;
use criterion::Criterion;
use fraglens::source::{Block, Source};
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("boundary_scan");
    for sample in [Sample::netperf(), Sample::small()] {
        sample.sets_throughput(&mut group, sample.made.frames);
        let mut block = Block::default();
        group.bench_function(sample.name, |bencher| {
            bencher.iter(|| {
                let mut source = sample.source();
                let mut frames = 0;
                while source.fill(&mut block) {
                    frames += block.frames().map(black_box).count() as u64;
                }
                assert_eq!(frames, sample.made.frames);
                frames
            });
        });
    }
    group.finish();
}
