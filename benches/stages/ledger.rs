//! From facts to counters.

use crate::sample::Sample;
use criterion::{BatchSize, Criterion};
use fraglens::account::{Ledger, PlainPacket, PlainPackets};
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
    for sample in [Sample::small(), Sample::small_many_flows()] {
        sample.sets_throughput(&mut group, sample.made.frames);
        let blocks = sample.blocks();
        for (name, at_once) in [("one-by-one", 1), ("together", sample.made.frames as usize)] {
            let batches = plain_packets(&blocks, at_once);
            group.bench_function(format!("plain/{}/{name}", sample.name), |bencher| {
                bencher.iter_with_large_drop(|| {
                    let mut ledger = Ledger::new(Duration::from_secs(1));
                    for packets in &batches {
                        ledger.plain_packets(0, black_box(packets));
                    }
                    let count: usize = batches.iter().map(PlainPackets::len).sum();
                    assert_eq!(ledger.capture.frames, count as u64);
                    ledger
                });
            });
        }
    }
    group.finish();
}

/// Ordinary packets, past the layers, so many at once: what looking flows up in step is
/// for. A few flows have the ports of tunnels and are none.
fn plain_packets(blocks: &[Block], at_once: usize) -> Vec<PlainPackets> {
    let decoder = Decoder::new(&DecodeOptions::default());
    let mut batches: Vec<PlainPackets> = Vec::new();
    for frame in blocks.iter().flat_map(|block| block.frames()) {
        let Some(plain) = decoder.plain(&frame) else {
            continue;
        };
        let packet = PlainPacket {
            key: plain.key,
            ip_bytes: plain.ip_bytes,
            wire_bytes: frame.wire_bytes,
            timestamp: frame.timestamp,
        };
        if batches.last().is_none_or(|batch| batch.len() == at_once) {
            batches.push(PlainPackets::default());
        }
        if let Some(batch) = batches.last_mut() {
            batch.push(packet, plain.segment());
        }
    }
    batches
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
