//! Any sequence of fragments. What must hold: memory stays within the bound, every
//! fragment is told of in exactly one outcome, and a datagram that is whole has the
//! bytes and the sum that its pieces had.
#![no_main]

use fraglens::decode::sum;
use fraglens::model::{Addresses, Duration, FrameId, Protocol, ScopeTag, Sum, Timestamp, Verdict};
use fraglens::reassemble::{
    Carried, Completed, Datagram, Fate, FragmentFacts, Key, Limits, Listener, MAX_DATAGRAM_BYTES,
    Payload, Reassembler, WholeDatagram,
};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

/// Small enough to be met.
const MEMORY_BYTES: usize = 256 * 1024;

/// Header of a fragment, of either version: only what lengths add up to matters.
const IP_BYTES: u32 = 20;

#[derive(Arbitrary, Debug)]
struct Input {
    fragments: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
struct Step {
    /// Of few, so that datagrams meet: version, tunnel or flow, identification.
    is_v6: bool,
    carries_tunnel: bool,
    id: u8,
    /// In units of 8 bytes, 13 bits of it.
    offset: u16,
    /// Bytes of payload; few of them odd.
    bytes: u16,
    is_ragged: bool,
    more: bool,
    /// Bytes the snaplen cut.
    cut: u8,
    /// Milliseconds since the fragment before; capture clocks run backwards, too.
    later: i16,
}

fuzz_target!(|input: Input| {
    let limits = Limits {
        memory_bytes: MEMORY_BYTES,
        ..Limits::default()
    };
    let mut reassembler = Reassembler::new(limits);
    let mut told = Told::default();
    let mut now = Timestamp(0);
    let mut payload = Vec::new();
    for (number, step) in input.fragments.iter().enumerate() {
        now = now + Duration::from_millis(step.later.into());
        let fragment = fragment(step, number as u64 + 1, now, &mut payload);
        reassembler.take(&fragment, &payload, &mut told);
        assert!(reassembler.memory_bytes() <= MEMORY_BYTES);
    }
    reassembler.finish(now, &mut told);
    assert_eq!(reassembler.open_datagrams(), 0);
    assert_eq!(reassembler.memory_bytes(), 0);
    assert_eq!(told.fragments, input.fragments.len() as u64);
});

/// A fragment whose bytes follow from where in its datagram they are, so that pieces
/// agree wherever they lie.
fn fragment(step: &Step, number: u64, now: Timestamp, captured: &mut Vec<u8>) -> FragmentFacts {
    let offset = u32::from(step.offset & 0x1fff) * 8;
    let bytes = match step.is_ragged {
        true => step.bytes,
        false => step.bytes & !7,
    };
    let is_cut = step.cut >= 250;
    let present = u32::from(bytes).saturating_sub(if is_cut { step.cut.into() } else { 0 });
    let is_complete = present == u32::from(bytes);
    captured.clear();
    captured.extend((offset..offset + present).map(byte_at));
    let addresses = match step.is_v6 {
        true => Addresses::v6([1; 16], [2; 16]),
        false => Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
    };
    FragmentFacts {
        key: Key {
            addresses,
            scope: ScopeTag(step.carries_tunnel.into()),
            id: step.id.into(),
            protocol: Protocol::default(),
        },
        frame: FrameId { file: 0, number },
        timestamp: now,
        depth: 0,
        wire_bytes: u64::from(bytes) + 34,
        ip_bytes: u32::from(bytes) + IP_BYTES,
        offset,
        payload_bytes: bytes.into(),
        more: step.more,
        sum: is_complete.then(|| sum(captured)),
        payload: Payload::default(),
        protocol: Protocol::UDP,
        header_checksum: Some(Verdict::Good),
        ip_longer: false,
        hop_limit: 64,
        dont_fragment: false,
        ovn: None,
        direction: None,
        extension_bytes: 0,
        detour: None,
    }
}

fn byte_at(place: u32) -> u8 {
    (place.wrapping_mul(2_654_435_761) >> 24) as u8
}

#[derive(Default)]
struct Told {
    fragments: u64,
}

impl Listener for Told {
    fn is_tunnel(&mut self, datagram: &Datagram, _: &[u8]) -> bool {
        datagram.key.scope != ScopeTag::WIRE
    }

    fn carried(&mut self, datagram: &Datagram, captured: &[u8]) -> Option<Carried> {
        let bytes: Vec<u8> = (0..).map(byte_at).take(captured.len()).collect();
        assert_eq!(captured, bytes, "the bytes are those of its first piece");
        Some(Carried {
            inside: datagram.key.scope,
            flow: None,
            ip_bytes: 0,
        })
    }

    fn reassembled(&mut self, whole: &WholeDatagram<'_>) -> Option<ScopeTag> {
        self.fragments += whole.datagram.tally.fragments();
        assert!(whole.payload_bytes <= MAX_DATAGRAM_BYTES);
        let bytes: Vec<u8> = (0..whole.payload_bytes).map(byte_at).collect();
        for found in [Some(whole.captured), whole.unread_first]
            .into_iter()
            .flatten()
        {
            assert!(
                bytes.starts_with(found),
                "the bytes are those of its pieces"
            );
        }
        if let Some(found) = whole.sum {
            assert_eq!(canonical(found), canonical(sum(&bytes)));
        }
        whole.datagram.is_tunnel.then_some(whole.datagram.key.scope)
    }

    fn lost(&mut self, datagram: &Datagram, _: Fate) {
        self.fragments += datagram.tally.fragments();
    }

    fn late_copy(&mut self, _: &Completed, _: &FragmentFacts) {
        self.fragments += 1;
    }
}

/// Zero has two representations.
fn canonical(sum: Sum) -> u16 {
    match sum.0 {
        0xffff => 0,
        other => other,
    }
}
