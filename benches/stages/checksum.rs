//! The Internet checksum of packets as long as they come.

use criterion::{BenchmarkId, Criterion, Throughput};
use fraglens::decode::sum;
use fraglens::model::Sum;
use std::hint::black_box;

/// A small packet, a full-size fragment, a jumbo frame, the longest UDP payload.
const LENGTHS: [usize; 4] = [60, 1444, 9000, 65_507];

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("checksum");
    for length in LENGTHS {
        let bytes: Vec<u8> = (0..length).map(|at| (at * 197 + 13) as u8).collect();
        assert_eq!(sum(&bytes), plain(&bytes));
        group.throughput(Throughput::ElementsAndBytes {
            elements: 1,
            bytes: length as u64,
        });
        group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
            bencher.iter(|| sum(black_box(&bytes)));
        });
    }
    group.finish();
}

/// The sum word by word.
fn plain(bytes: &[u8]) -> Sum {
    let words = bytes
        .chunks(2)
        .map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0)));
    Sum::fold(words.sum())
}
