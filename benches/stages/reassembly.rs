//! From fragments to datagrams. How they are decoded is not measured here.

use crate::sample::Sample;
use criterion::Criterion;
use fraglens::decode::{DecodeOptions, Decoder};
use fraglens::model::facts::{Fragment, Layer, Packet, Piece};
use fraglens::model::{Frame, ScopeTag, Timestamp};
use fraglens::reassemble::{
    Carried, Completed, Datagram, Fate, FragmentFacts, Limits, Listener, Place, Reassembler,
    WholeDatagram,
};
use fraglens::source::Block;
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reassembly");
    let cases = [
        (Sample::netperf(), Content::Flow),
        (Sample::netperf_loss(), Content::Flow),
        (Sample::vxlan_inner(), Content::Flow),
        // The bytes are kept.
        (Sample::vxlan_outer(), Content::Tunnel),
    ];
    for (sample, carried) in cases {
        sample.sets_throughput(&mut group, sample.made.fragments);
        let blocks = sample.blocks();
        let fragments = fragments(&blocks);
        assert_eq!(fragments.len() as u64, sample.made.fragments);
        group.bench_function(sample.name, |bencher| {
            bencher.iter(|| {
                let mut tally = Tally::new(carried);
                let mut reassembler = Reassembler::new(Limits::default());
                for (fragment, captured) in &fragments {
                    reassembler.take(black_box(fragment), captured, &mut tally);
                }
                reassembler.finish(Timestamp::MAX, &mut tally);
                assert_eq!(tally.whole, sample.made.whole);
                tally.whole
            });
        });
    }
    group.finish();
}

/// What the datagrams of a sample carry.
#[derive(Clone, Copy)]
enum Content {
    Flow,
    Tunnel,
}

/// What is inside the tunnels.
const INSIDE: ScopeTag = ScopeTag(1);

struct Tally {
    carried: Content,
    whole: u64,
}

impl Tally {
    fn new(carried: Content) -> Self {
        Self { carried, whole: 0 }
    }
}

impl Listener for Tally {
    fn is_tunnel(&mut self, _: &Datagram, _: &[u8]) -> bool {
        matches!(self.carried, Content::Tunnel)
    }

    fn carried(&mut self, _: &Datagram, captured: &[u8]) -> Option<Carried> {
        black_box(captured);
        Some(Carried {
            inside: INSIDE,
            flow: None,
            ip_bytes: 0,
        })
    }

    fn reassembled(&mut self, whole: &WholeDatagram<'_>) -> Option<ScopeTag> {
        let whole = black_box(whole);
        self.whole += 1;
        let is_tunnel = matches!(self.carried, Content::Tunnel);
        if is_tunnel {
            assert_eq!(whole.captured.len(), whole.payload_bytes as usize);
        }
        is_tunnel.then_some(INSIDE)
    }

    fn lost(&mut self, datagram: &Datagram, _: Fate) {
        black_box(datagram);
    }

    fn late_copy(&mut self, completed: &Completed, _: &FragmentFacts) {
        black_box(completed);
    }
}

/// All innermost fragments with the captured bytes of their payload.
fn fragments(blocks: &[Block]) -> Vec<(FragmentFacts, &[u8])> {
    let mut decoder = Decoder::new(&DecodeOptions::default());
    let mut packet = Packet::default();
    let mut found = Vec::new();
    for frame in blocks.iter().flat_map(|block| block.frames()) {
        decoder.frame(&frame, &mut packet);
        if let Some(layer) = packet.layers.last()
            && let Fragment::Piece(piece) = &layer.fragment
        {
            let start = layer.payload_start as usize;
            let end = start + layer.payload_captured as usize;
            let depth = packet.layers.len() - 1;
            found.push((facts(&frame, depth, layer, piece), &frame.data[start..end]));
        }
    }
    found
}

/// Its bytes are handed over beside, so it lies in no buffer.
fn facts(frame: &Frame<'_>, depth: usize, layer: &Layer, piece: &Piece) -> FragmentFacts {
    let place = Place {
        frame: frame.id,
        timestamp: frame.timestamp,
        wire_bytes: frame.wire_bytes.into(),
        depth: depth as u8,
        ovn: None,
        direction: None,
        buffer: 0,
        start: 0,
    };
    FragmentFacts::of(layer, piece, &place)
}
