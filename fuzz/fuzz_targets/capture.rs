//! Any bytes as a capture file, all the way to the report.
//!
//! Whatever the file holds, the report is the same for small blocks and two threads as
//! for large ones and one, and every format can be written.
#![no_main]

use fraglens::model::FrameId;
use fraglens::pipeline::{self, Options};
use fraglens::report::text::Style;
use fraglens::report::{Parts, build, csv, document, json, text};
use fraglens::source::{Block, HashPolicy, Memory, Source, SourceOptions};
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;

fuzz_target!(|bytes: &[u8]| {
    frames_are_numbered(bytes);
    let one = analyze(bytes, 512 * 1024, 1);
    let other = analyze(bytes, 64, 2);
    assert!(one == other, "blocks and threads change nothing");
});

/// Frames are numbered from 1 without gaps, and lie in their block.
fn frames_are_numbered(bytes: &[u8]) {
    let mut source = source(bytes, 4096);
    let mut block = Block::default();
    let mut last = FrameId::default();
    while source.fill(&mut block) {
        assert!(block.frame_count() > 0);
        assert_eq!(block.frames().count() as u64, block.frame_count());
        for frame in block.frames() {
            assert_eq!(frame.id.number, last.number + 1);
            assert!(frame.data.len() <= frame.wire_bytes as usize);
            let start = block.offset_of(frame.data);
            assert!(frame.data.is_empty() || start + frame.data.len() <= block.bytes().len());
            last = frame.id;
        }
    }
}

/// The report in all formats.
fn analyze(bytes: &[u8], block_bytes: usize, threads: usize) -> Vec<u8> {
    let mut source = source(bytes, block_bytes);
    let options = Options {
        threads,
        ..Options::default()
    };
    let analysis = pipeline::analyze(&mut source, &options, &|_| ControlFlow::Continue(()))
        .expect("threads start");
    let parts = Parts {
        files: &source.files(),
        ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
    };
    let report = build(&parts, options_of_report());
    let fragmented = report.totals.datagrams;
    assert_eq!(
        fragmented.fragmented,
        fragmented.reassembled
            + fragmented.timed_out
            + fragmented.incomplete
            + fragmented.overlapped
            + fragmented.oversized
            + fragmented.evicted
    );
    let mut out = Vec::new();
    text::write(&report, Style::PLAIN, &mut out).expect("memory takes it");
    json::write(&report, &mut out).expect("memory takes it");
    csv::write(&report, &mut out).expect("memory takes it");
    out
}

fn source(bytes: &[u8], block_bytes: usize) -> Memory {
    let options = SourceOptions {
        block_bytes,
        hash: HashPolicy::Never,
    };
    Memory::new(bytes, &options)
}

fn options_of_report() -> document::Options {
    document::Options {
        filter: None,
        vxlan_ports: vec![4789],
        geneve_ports: vec![6081],
        auto_tunnel: true,
        reassembly_timeout_ipv4_seconds: 30.0,
        reassembly_timeout_ipv6_seconds: 60.0,
        reassembly_memory_bytes: 64 << 20,
        timeline_bucket_seconds: 1.0,
        sort: document::Sort::Missing,
        top: None,
    }
}
