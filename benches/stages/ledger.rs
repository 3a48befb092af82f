//! From facts to counters.

use crate::sample::Sample;
use criterion::{BatchSize, Criterion};
use fraglens::account::Ledger;
use fraglens::decode::{DecodeOptions, Decoder};
use fraglens::model::facts::Packet;
use fraglens::model::{Duration, Frame};
use fraglens::source::Block;
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ledger");
    let samples = [
        Sample::small(),
        Sample::small_many_flows(),
        Sample::vxlan_inner(),
    ];
    for sample in samples {
        sample.sets_throughput(&mut group, sample.made.frames);
        let blocks = sample.blocks();
        let packets = packets(&blocks);
        let count = || {
            let mut ledger = Ledger::new(Duration::from_secs(1));
            for (frame, packet) in &packets {
                ledger.frame(frame, black_box(packet));
            }
            ledger.settle();
            assert_eq!(ledger.capture.frames, sample.made.frames);
            ledger
        };
        group.bench_function(sample.name, |bencher| bencher.iter_with_large_drop(count));
        group.bench_function(format!("merge/{}", sample.name), |bencher| {
            bencher.iter_batched(
                || (count(), count()),
                |(mut one, other)| {
                    one.merge(other);
                    assert_eq!(one.capture.frames, 2 * sample.made.frames);
                    one
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn packets(blocks: &[Block]) -> Vec<(Frame<'_>, Packet)> {
    let mut decoder = Decoder::new(&DecodeOptions::default());
    let frames = blocks.iter().flat_map(|block| block.frames());
    frames
        .map(|frame| {
            let mut packet = Packet::default();
            decoder.frame(&frame, &mut packet);
            (frame, packet)
        })
        .collect()
}
