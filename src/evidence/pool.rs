//! The second reading: frames that may prove something, the nearest ones.

use super::datagrams::{self, Datagrams};
use super::kept::{Kept, KeptFrame};
use super::pcapng::{InterfaceFacts, Statistics};
use super::ring::Ring;
use super::room::Room;
use super::wanted::Wanted;
use crate::decode::{DecodeOptions, Decoder};
use crate::model::facts::{Fragment, Packet};
use crate::model::{Duration, Frame, FrameId, LinkType, Timestamp, escape};
use crate::source::{Block, FileFacts, FilterSet, Source};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

/// What is missing of a datagram may yet come, unless the capture goes on for some time.
const GOES_ON_AFTER: Duration = Duration::from_millis(100);

/// Bytes of a comment: most frames have none.
const COMMENT_BYTES: usize = 20;

/// Most interfaces that frames of a pool are of; those beyond are put to the last.
const MAX_INTERFACES: usize = 1024;

/// How a capture is read for the second time.
#[derive(Clone)]
pub struct Reading {
    /// Frames that do not match are left out, as they were before.
    pub filter: Option<FilterSet>,
    /// How frames are decoded.
    pub decode: DecodeOptions,
    /// Most bytes of a file with what is kept.
    pub limit_bytes: u64,
}

/// Frames near to what is to be shown, and no more of them than a file may hold.
#[derive(Debug)]
pub struct Pool {
    room: Room<Ring>,
    interfaces: Interfaces,
}

impl Pool {
    /// Reads a capture to its end, or as far as `flow` lets it, and keeps what is near.
    pub fn read(
        source: &mut dyn Source,
        wanted: &Wanted,
        reading: &Reading,
        flow: &dyn Fn() -> ControlFlow<()>,
    ) -> Self {
        let mut look = Look {
            filter: reading.filter.clone(),
            decoder: Decoder::new(&reading.decode),
            packet: Packet::default(),
            datagrams: Datagrams::default(),
            wanted,
            awaited: None,
        };
        let mut pool = Self {
            room: Room::new(reading.limit_bytes, COMMENT_BYTES),
            interfaces: Interfaces::default(),
        };
        let mut block = Block::default();
        while flow().is_continue() && source.fill(&mut block) {
            for frame in block.frames() {
                if let Some((ring, datagram)) = look.at(&frame) {
                    pool.take(&frame, ring, datagram);
                }
            }
        }
        pool.draw_in();
        pool.interfaces.learn(&source.files());
        pool
    }

    /// Frames that would have been taken if there had been room.
    pub(super) fn left_out(&self) -> u64 {
        self.room.left_out
    }

    /// The frames up to a ring, as a capture of their own.
    pub(super) fn up_to(&self, ring: Ring) -> (Kept, Vec<Option<u64>>) {
        let near = self
            .room
            .frames
            .iter()
            .filter(|pooled| pooled.place <= ring);
        let (frames, datagrams) = near
            .map(|pooled| (pooled.frame.clone(), pooled.datagram))
            .unzip();
        let kept = Kept {
            interfaces: self.interfaces.facts.clone(),
            statistics: self.interfaces.statistics.clone(),
            frames,
        };
        (kept, datagrams)
    }

    /// The rings in which there are frames, from the innermost.
    pub(super) fn rings(&self) -> Vec<Ring> {
        let rings = self.room.frames.iter().map(|pooled| pooled.place);
        let distinct: std::collections::BTreeSet<Ring> = rings.collect();
        distinct.into_iter().collect()
    }

    fn take(&mut self, frame: &Frame<'_>, ring: Ring, datagram: Option<u64>) {
        let interface = &mut self.interfaces;
        self.room.take(ring, datagram, || {
            KeptFrame::of(frame, interface.index(frame))
        });
    }

    /// A fragment that is named stands for its whole datagram.
    fn draw_in(&mut self) {
        let mut nearest: HashMap<u64, Ring> = HashMap::new();
        for pooled in &self.room.frames {
            if let Some(datagram) = pooled.datagram {
                let ring = nearest.entry(datagram).or_insert(pooled.place);
                *ring = pooled.place.min(*ring);
            }
        }
        for pooled in &mut self.room.frames {
            if let Some(ring) = pooled.datagram.and_then(|datagram| nearest.get(&datagram)) {
                pooled.place = *ring;
            }
        }
    }
}

/// Looks at each frame.
struct Look<'a> {
    filter: Option<FilterSet>,
    decoder: Decoder,
    packet: Packet,
    datagrams: Datagrams<Ring>,
    wanted: &'a Wanted,
    /// When a frame is wanted that shows that the capture went on.
    awaited: Option<Timestamp>,
}

impl Look<'_> {
    /// How near a frame is, and the datagram that it is a fragment of; `None` if it has
    /// nothing to do with what is to be shown.
    fn at(&mut self, frame: &Frame<'_>) -> Option<(Ring, Option<u64>)> {
        let filter = self.filter.as_mut();
        if filter.is_some_and(|filter| !filter.matches(frame)) {
            return None;
        }
        let mut ring = self.wanted.ring(frame.id)?;
        self.decoder.frame(frame, &mut self.packet);
        if ring > Ring::NAMED {
            if !self.is_related() {
                return None;
            }
            if self.is_awaited(frame) {
                ring = Ring::NAMED;
            }
        } else {
            self.awaited = Some(frame.timestamp + GOES_ON_AFTER);
        }
        let is_named = ring <= Ring::NAMED;
        match datagrams::fragment(&self.packet, frame) {
            None => Some((ring, None)),
            Some(fragment) => {
                let member = self.datagrams.follow(&fragment, ring);
                let nearest = if is_named {
                    ring.min(member.note)
                } else {
                    member.note
                };
                Some((nearest, Some(member.datagram)))
            }
        }
    }

    /// Whether it is the first frame long after one that is named, and no later piece of a
    /// datagram.
    fn is_awaited(&mut self, frame: &Frame<'_>) -> bool {
        let Some(layer) = self.packet.layers.last() else {
            return false;
        };
        let is_later_piece = matches!(&layer.fragment, Fragment::Piece(piece) if piece.offset > 0);
        let is_awaited = self
            .awaited
            .is_some_and(|awaited| frame.timestamp >= awaited);
        let is_it = is_awaited && !is_later_piece;
        if is_it {
            self.awaited = None;
        }
        is_it
    }

    fn is_related(&self) -> bool {
        self.packet.layers.iter().any(|layer| {
            let addresses = &layer.addresses;
            self.wanted.is_about(addresses.source())
                || self.wanted.is_about(addresses.destination())
        })
    }
}

/// The interfaces that frames are of, each once.
#[derive(Debug, Default)]
struct Interfaces {
    /// By input and number in it.
    indices: BTreeMap<(u32, u32), u32>,
    facts: Vec<InterfaceFacts>,
    statistics: Vec<Option<Statistics>>,
}

impl Interfaces {
    fn index(&mut self, frame: &Frame<'_>) -> u32 {
        self.of(frame.id, frame.interface, frame.link_type)
    }

    fn of(&mut self, id: FrameId, interface: u32, link_type: LinkType) -> u32 {
        let key = (id.file, interface);
        if let Some(index) = self.indices.get(&key) {
            return *index;
        }
        if self.facts.len() >= MAX_INTERFACES {
            return (MAX_INTERFACES - 1) as u32;
        }
        let index = self.facts.len() as u32;
        self.indices.insert(key, index);
        self.facts.push(InterfaceFacts {
            link_type,
            ..InterfaceFacts::default()
        });
        self.statistics.push(None);
        index
    }

    /// What the inputs say of their interfaces, once that is known.
    fn learn(&mut self, files: &[FileFacts]) {
        for (file, facts) in (0..).zip(files) {
            self.learn_losses(file, facts);
        }
        for ((file, number), index) in &self.indices {
            let file = files.get(*file as usize);
            let stated = file.and_then(|file| file.interfaces.get(*number as usize));
            let known = &mut self.facts[*index as usize];
            match (stated, file) {
                (Some(stated), _) => {
                    known.name = escape::line(&stated.name).into_owned();
                    known.description = escape::line(&stated.description).into_owned();
                    known.snaplen = stated.snaplen;
                }
                (None, Some(file)) => known.snaplen = file.snaplen.unwrap_or(0),
                (None, None) => {}
            }
        }
    }

    /// What a capture lost is a fact about it, whichever of its frames are kept.
    fn learn_losses(&mut self, file: u32, facts: &FileFacts) {
        let (Some(dropped), Some(from)) = (facts.dropped_frames, facts.first_timestamp) else {
            return;
        };
        let link_type = facts.link_types.first().copied().unwrap_or_default();
        let id = FrameId { file, number: 0 };
        let index = self.of(id, 0, link_type);
        self.statistics[index as usize] = Some(Statistics {
            from,
            until: from,
            received: facts.frames.saturating_add(dropped),
            interface_dropped: 0,
            dropped,
        });
    }
}
