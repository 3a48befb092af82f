//! What a shard does with its fragments: reassemble, open tunnels, count.

use super::fragments::{Fragments, Part};
use super::live::Looked;
use super::order::Load;
use super::worker::innermost_piece;
use super::{Options, SHARDS};
use crate::account::{Ledger, Offered, Span};
use crate::decode::{Decoder, Whole};
use crate::model::counters::add_fields;
use crate::model::facts::{Carries, Layer, LayerKind, MAX_LAYERS, Packet, Stop, Why};
use crate::model::{ScopeTag, Sum, Timestamp};
use crate::reassemble::{
    Carried, Completed, Datagram, Fate, FragmentFacts, Limits, Listener, Payload, Place,
    Reassembler, WholeDatagram,
};

/// One shard of the reassembly.
#[derive(Debug)]
pub(super) struct Shard {
    /// By depth. Each has a clock and a bound of its own, so that it does not matter
    /// how far one depth is ahead of another.
    reassemblers: Vec<Reassembler>,
    limits: Limits,
    opener: Opener,
}

/// Opens what a shard has put together.
#[derive(Debug)]
struct Opener {
    decoder: Decoder,
    ledger: Ledger,
    /// Of datagrams given up that were opened before `recent`.
    past: Ledger,
    /// Datagrams opened since then are the ones that are looked at.
    recent: Timestamp,
    packet: Packet,
    /// Fragments found inside reassembled tunnel packets in this step.
    derived: Derived,
    /// The buffer number of `derived`.
    buffer: u32,
    /// When the capture began, and ended once it has.
    within: Span,
}

/// Fragments found inside reassembled tunnel packets, with their bytes.
#[derive(Debug, Default)]
pub(super) struct Derived {
    pub(super) fragments: Fragments,
    bytes: Vec<u8>,
}

impl Shard {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            reassemblers: Vec::new(),
            limits: options.reassembly.shared_by(SHARDS),
            opener: Opener {
                decoder: Decoder::new(&options.decode),
                ledger: Ledger::new(options.timeline_bucket),
                past: Ledger::new(options.timeline_bucket),
                recent: Timestamp::MIN,
                packet: Packet::default(),
                derived: Derived::default(),
                buffer: 0,
                within: Span {
                    first: Timestamp::MIN,
                    last: Timestamp::MAX,
                },
            },
        }
    }

    /// Takes the fragments of this shard that have `depth` IP headers around them,
    /// in the order of the capture; gives the fragments found inside what they make.
    pub(super) fn step(&mut self, shard: usize, depth: usize, load: &Load) -> Derived {
        self.opener.buffer = load.buffer_of(shard);
        while self.reassemblers.len() <= depth {
            let limits = self.limits.at_depth(self.reassemblers.len(), MAX_LAYERS);
            self.reassemblers.push(Reassembler::new(limits));
        }
        let reassembler = &mut self.reassemblers[depth];
        let opener = &mut self.opener;
        load.each(Part::Datagrams, shard, depth, |fragment| {
            let captured = load.bytes(&fragment.payload);
            reassembler.take(fragment, captured, opener);
        });
        std::mem::take(&mut self.opener.derived)
    }

    /// Is told when the capture began, before anything else.
    pub(super) fn begins(&mut self, first: Timestamp) {
        self.opener.within.first = first;
    }

    /// Ends what is unfinished, the capture having ended at `end`.
    pub(super) fn finish(&mut self, end: Timestamp) {
        self.opener.within.last = end;
        for reassembler in &mut self.reassemblers {
            reassembler.finish(end, &mut self.opener);
        }
    }

    /// Takes what was counted since it was taken before, after what is over was ended.
    pub(super) fn take(&mut self, looked: &Looked) -> Counted {
        if let Some(clock) = looked.clock {
            for reassembler in &mut self.reassemblers {
                reassembler.expire(clock, &mut self.opener);
            }
        }
        let mut ledger = self.opener.ledger.take();
        for reassembler in &mut self.reassemblers {
            ledger.reassembly_limits += reassembler.take_limits_hit();
        }
        ledger.scopes = self.opener.decoder.take_scopes();
        Counted {
            ledgers: [ledger, self.opener.past.take(), self.unfinished(looked)],
            held: self.held(),
        }
    }

    /// What was counted by a shard that is at its end.
    pub(super) fn into_ledger(mut self) -> Ledger {
        let mut ledger = self.opener.ledger;
        ledger.merge(self.opener.past);
        for reassembler in &mut self.reassemblers {
            ledger.reassembly_limits += reassembler.take_limits_hit();
        }
        ledger.scopes = self.opener.decoder.into_scopes();
        ledger
    }

    /// What would be lost if the capture ended now, of datagrams opened recently.
    fn unfinished(&mut self, looked: &Looked) -> Ledger {
        let opener = &mut self.opener;
        opener.recent = looked.recent;
        opener.within.last = looked.end;
        for reassembler in &mut self.reassemblers {
            reassembler.tell_unfinished(looked.recent, opener);
        }
        opener.within.last = Timestamp::MAX;
        opener.ledger.take()
    }

    fn held(&self) -> Held {
        let mut held = Held::default();
        for reassembler in &self.reassemblers {
            held.datagrams += reassembler.open_datagrams() as u64;
            held.bytes += reassembler.memory_bytes() as u64;
        }
        held
    }
}

/// What was counted by a shard.
pub(super) struct Counted {
    /// Everything but what is in the next two; of datagrams given up that were opened
    /// before what is recent; and of those that are open and recent.
    pub ledgers: [Ledger; 3],
    pub held: Held,
}

/// What is held of datagrams that are not whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Datagrams.
    pub datagrams: u64,
    /// Memory, in bytes.
    pub bytes: u64,
}

add_fields!(Held { datagrams, bytes });

/// The block is buffer 0, then come those derived from it.
impl Load {
    /// The number of the buffer that a shard derives next.
    fn buffer_of(&self, shard: usize) -> u32 {
        (1 + self.derived.len() + shard) as u32
    }

    /// Gives `take` the fragments of a shard that have `depth` IP headers around them, in
    /// the order of the capture.
    pub(super) fn each(
        &self,
        part: Part,
        shard: usize,
        depth: usize,
        mut take: impl FnMut(&FragmentFacts),
    ) {
        let fragments = self.fragments(part, shard, depth);
        if self.derived.is_empty() {
            fragments.for_each(take);
        } else {
            // What lies in the block and what was found in reassembled packets must be
            // brought into one order again.
            let mut fragments: Vec<_> = fragments.collect();
            fragments.sort_by_key(|fragment| fragment.frame);
            fragments.into_iter().for_each(&mut take);
        }
    }

    fn fragments(
        &self,
        part: Part,
        shard: usize,
        depth: usize,
    ) -> impl Iterator<Item = &FragmentFacts> {
        let derived = self.derived.iter().map(|derived| &derived.fragments);
        std::iter::once(&self.decoded.fragments)
            .chain(derived)
            .filter(move |fragments| fragments.has(depth))
            .flat_map(move |fragments| fragments.of_shard(shard, part))
            .filter(move |fragment| usize::from(fragment.depth) == depth)
    }

    fn bytes(&self, payload: &Payload) -> &[u8] {
        let bytes = match payload.buffer.checked_sub(1) {
            None => self.decoded.block.bytes(),
            Some(derived) => &self.derived[derived as usize].bytes,
        };
        let start = payload.start as usize;
        bytes
            .get(start..start + payload.captured as usize)
            .unwrap_or_default()
    }
}

impl Listener for Opener {
    fn is_tunnel(&mut self, datagram: &Datagram, captured: &[u8]) -> bool {
        let begun = whole(datagram, datagram.header.payload_bytes, None);
        self.decoder.carries_tunnel(&begun, captured)
    }

    fn carried(&mut self, datagram: &Datagram, captured: &[u8]) -> Option<Carried> {
        let begun = whole(datagram, datagram.header.payload_bytes, None);
        self.decoder.datagram(&begun, captured, &mut self.packet);
        let inner = self.packet.layers.get(1..)?;
        let innermost = inner
            .last()
            .filter(|layer| !matches!(layer.carries, Carries::Tunnel(_)));
        Some(Carried {
            inside: self.inside()?,
            flow: innermost.map(Layer::flow_key),
            ip_bytes: innermost.map_or(0, |layer| layer.ip_bytes),
        })
    }

    fn reassembled(&mut self, reassembled: &WholeDatagram<'_>) -> Option<ScopeTag> {
        let datagram = reassembled.datagram;
        let whole = whole(datagram, reassembled.payload_bytes, reassembled.sum);
        if datagram.is_tunnel
            && !reassembled.captured.is_empty()
            && let Some(inside) = self.decoded(&whole, reassembled)
        {
            self.count_opened(inside, &whole, reassembled);
            return Some(inside);
        }
        let inside = self.as_first_shows(reassembled);
        let transport = self.decoder.transport(&whole, datagram.head.bytes());
        match inside {
            Some(inside) => {
                self.ledger.reassembled_tunnel(inside, datagram, &transport);
                self.ledger.stop(&unopened(), true);
            }
            None => self
                .ledger
                .reassembled_flow(datagram, &transport, whole.ip_bytes),
        }
        inside
    }

    fn lost(&mut self, datagram: &Datagram, fate: Fate) {
        let is_past = datagram.opened < self.recent;
        let ledger = match is_past {
            true => &mut self.past,
            false => &mut self.ledger,
        };
        ledger.lost(datagram, fate, self.within);
    }

    fn late_copy(&mut self, completed: &Completed, copy: &FragmentFacts) {
        self.ledger.late_copy(completed, copy);
    }
}

impl Opener {
    /// The scope inside the tunnel that the outermost layer just decoded carries.
    fn inside(&self) -> Option<ScopeTag> {
        match self.packet.layers.first()?.carries {
            Carries::Tunnel(inside) => Some(inside),
            _ => None,
        }
    }

    /// The scope inside the tunnel that a first fragment shows.
    fn as_first_shows(&mut self, reassembled: &WholeDatagram<'_>) -> Option<ScopeTag> {
        let datagram = reassembled.datagram;
        let carried = match reassembled.unread_first {
            Some(first) => self.carried(datagram, first),
            None => datagram.tunnel,
        };
        Some(carried?.inside)
    }

    /// Decodes a whole tunnel packet as far as it was captured; gives the scope inside
    /// the tunnel.
    fn decoded(&mut self, whole: &Whole, reassembled: &WholeDatagram<'_>) -> Option<ScopeTag> {
        self.decoder
            .datagram(whole, reassembled.captured, &mut self.packet);
        if reassembled.unread_first.is_some()
            && let Some(inside) = self.inside()
        {
            return Some(inside);
        }
        // What looked like a tunnel from its first fragment is counted as one, whatever
        // the whole looks like.
        let inside = self.as_first_shows(reassembled);
        self.decoder
            .datagram(whole, reassembled.captured, &mut self.packet);
        inside
    }

    /// Counts the layers of the tunnel packet just decoded, and passes on the fragment
    /// in it if there is one.
    fn count_opened(&mut self, inside: ScopeTag, whole: &Whole, reassembled: &WholeDatagram<'_>) {
        let datagram = reassembled.datagram;
        let bytes = reassembled.captured;
        let is_cut = bytes.len() < whole.payload_bytes as usize;
        let Some((outer, inner)) = self.packet.layers.split_first() else {
            return;
        };
        self.ledger
            .reassembled_tunnel(inside, datagram, &outer.transport);
        let wire_bytes = datagram.tally.wire_bytes - datagram.tally.duplicate_wire_bytes;
        let offered = Offered {
            frame: reassembled.completed_by.frame,
            timestamp: datagram.last_timestamp,
            wire_bytes,
            direction: datagram.direction,
        };
        self.ledger.inside(outer, inner, &offered);
        if let Some(stop) = &self.packet.stop {
            self.ledger.stop(stop, is_cut);
        }
        let Some((layer, piece)) = innermost_piece(&self.packet) else {
            return;
        };
        let depth = usize::from(datagram.depth) + inner.len();
        if depth >= MAX_LAYERS {
            self.ledger.stop(&too_deep(), false);
            return;
        }
        let place = Place {
            frame: reassembled.completed_by.frame,
            timestamp: datagram.last_timestamp,
            wire_bytes,
            depth: depth as u8,
            ovn: self.packet.ovn(),
            direction: datagram.direction,
            buffer: self.buffer,
            start: self.derived.bytes.len(),
        };
        self.derived.fragments.push(layer, piece, &place);
        self.derived.bytes.extend_from_slice(bytes);
    }
}

/// A tunnel packet that is whole, but not all of whose bytes are at hand.
fn unopened() -> Stop {
    Stop {
        layer: LayerKind::InnerEthernet,
        offset: 0,
        why: Why::Truncated,
    }
}

fn too_deep() -> Stop {
    Stop {
        layer: LayerKind::Ipv4,
        offset: 0,
        why: Why::TooDeep,
    }
}

/// What decoding needs to know of a datagram of `payload_bytes`.
pub fn whole(datagram: &Datagram, payload_bytes: u32, sum: Option<Sum>) -> Whole {
    let addresses = datagram.key.addresses;
    let header = &datagram.header;
    let header_bytes = header.datagram_header_bytes(addresses.version);
    Whole {
        scope: datagram.key.scope,
        addresses,
        final_destination: header
            .detour
            .as_ref()
            .and_then(|detour| detour.final_destination),
        home_address: header
            .detour
            .as_ref()
            .and_then(|detour| detour.home_address),
        protocol: header.protocol,
        extension_bytes: header.extension_bytes,
        payload_bytes,
        sum,
        excess: datagram.excess(),
        ip_bytes: header_bytes.saturating_add(payload_bytes),
        hop_limit: header.hop_limit,
        dont_fragment: header.dont_fragment,
    }
}
