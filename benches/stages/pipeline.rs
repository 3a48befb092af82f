//! From a capture in memory to the ledger, all stages together.

use crate::sample::Sample;
use criterion::{BenchmarkId, Criterion};
use fraglens::account::Ledger;
use fraglens::model::Counters;
use fraglens::pipeline::{self, Options};
use std::ops::ControlFlow;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pipeline");
    let samples = [
        Sample::netperf(),
        Sample::netperf_loss(),
        Sample::vxlan_inner(),
        Sample::vxlan_outer(),
        Sample::small(),
        Sample::small_many_flows(),
        Sample::mixed(),
        Sample::stream(),
    ];
    for sample in samples {
        sample.sets_throughput(&mut group, sample.made.frames);
        for threads in [1, 2] {
            let id = BenchmarkId::new(sample.name, format!("threads-{threads}"));
            group.bench_function(id, |bencher| {
                bencher.iter_with_large_drop(|| {
                    let ledger = analyze(&sample, threads);
                    assert_eq!(ledger.capture.frames, sample.made.frames);
                    ledger
                });
            });
            holds_what_was_made(&analyze(&sample, threads), &sample);
        }
    }
    group.finish();
}

fn analyze(sample: &Sample, threads: usize) -> Ledger {
    let options = Options {
        threads,
        ..Options::default()
    };
    let analysis = pipeline::analyze(&mut sample.source(), &options, &|_| {
        ControlFlow::Continue(())
    });
    analysis.expect("threads start").ledger
}

/// Every message that nothing is missing of was found, and its checksum is right.
fn holds_what_was_made(ledger: &Ledger, sample: &Sample) {
    let mut flows = Counters::default();
    for (_, flow) in ledger.flows.iter() {
        flows += flow.counters();
    }
    let datagrams = flows.datagrams;
    assert_eq!(
        datagrams.unfragmented + datagrams.reassembled,
        sample.made.whole
    );
    let checksums = [flows.checksums.udp, flows.checksums.tcp];
    let good: u64 = checksums.iter().map(|verdicts| verdicts.good).sum();
    assert_eq!(good, sample.made.whole);
    assert!(checksums.iter().all(|verdicts| verdicts.bad == 0));
}
