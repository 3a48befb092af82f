//! From facts to counters.

use crate::sample::Sample;
use criterion::{BatchSize, Criterion};
use fraglens::account::{Ledger, PlainPacket};
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
        let packets = plain_packets(&sample.blocks());
        for (name, at_once) in [("one-by-one", 1), ("together", packets.len())] {
            group.bench_function(format!("plain/{}/{name}", sample.name), |bencher| {
                bencher.iter_with_large_drop(|| {
                    let mut ledger = Ledger::new(Duration::from_secs(1));
                    for packets in packets.chunks(at_once) {
                        ledger.plain_packets(0, black_box(packets));
                    }
                    assert_eq!(ledger.capture.frames, packets.len() as u64);
                    ledger
                });
            });
        }
    }
    group.finish();
}

/// Ordinary packets, past the layers: what looking flows up in step is for. A few
/// flows have the ports of tunnels and are none.
fn plain_packets(blocks: &[Block]) -> Vec<PlainPacket> {
    let decoder = Decoder::new(&DecodeOptions::default());
    let frames = blocks.iter().flat_map(|block| block.frames());
    frames
        .filter_map(|frame| {
            let plain = decoder.plain(&frame)?;
            Some(PlainPacket {
                key: plain.key,
                ip_bytes: plain.ip_bytes,
                wire_bytes: frame.wire_bytes,
                timestamp: frame.timestamp,
            })
        })
        .collect()
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
