//! From frames to the memory of the flight recorder, once it is full.

use crate::sample::Sample;
use criterion::Criterion;
use fraglens::model::Duration;
use fraglens::watch::recorder::{Ring, RingLimits};

/// More than a second-level cache holds, and less than any sample has in three rounds.
const RING_BYTES: usize = 16 << 20;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("recorder");
    for sample in [Sample::netperf(), Sample::small()] {
        sample.sets_throughput(&mut group, sample.made.frames);
        let blocks = sample.blocks();
        let ring = Ring::new(RingLimits {
            seconds: Duration::from_secs(10),
            bytes: RING_BYTES,
        });
        group.bench_function(sample.name, |bencher| {
            bencher.iter(|| {
                for block in &blocks {
                    ring.push_block(block.frames());
                }
            });
        });
        assert!(ring.counts().frames > 0);
    }
    group.finish();
}
