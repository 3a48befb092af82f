//! The fragments found in one block, what hosts say about such, and who takes which.

use super::SHARDS;
use crate::model::facts::{Layer, Piece};
use crate::reassemble::{FragmentFacts, Place};
use crate::receiver::{self, GivenUp};

/// The fragments of one block (of one reassembled packet), in the order they were found.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    all: Vec<FragmentFacts>,
    /// Which of them each shard of reassembly takes.
    by_shard: [Vec<u32>; SHARDS],
    /// Which of them go to the hosts of each shard of the receiver model.
    by_host: [Vec<u32>; SHARDS],
    /// What hosts say about datagrams they gave up, in the same order.
    given_up: Vec<GivenUp>,
    /// One bit for each number of IP headers that is around some fragment or message.
    depths: u8,
}

/// What fragments are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The datagram they belong to.
    Datagrams,
    /// The host they go to.
    Hosts,
}

impl Fragments {
    pub(super) fn push(&mut self, layer: &Layer, piece: &Piece, place: &Place) {
        let facts = FragmentFacts::of(layer, piece, place);
        self.depths |= 1 << place.depth;
        let index = self.all.len() as u32;
        self.by_shard[facts.key.shard(SHARDS)].push(index);
        self.by_host[receiver::shard_of(&facts.key, SHARDS)].push(index);
        self.all.push(facts);
    }

    pub(super) fn push_given_up(&mut self, told: GivenUp) {
        self.depths |= 1 << told.depth;
        self.given_up.push(told);
    }

    /// What the hosts of one shard say about datagrams they gave up.
    pub(super) fn given_up(&self, shard: usize) -> impl Iterator<Item = &GivenUp> {
        let told = self.given_up.iter();
        told.filter(move |told| told.host.shard(SHARDS) == shard)
    }

    /// The fragments that one shard takes.
    pub(super) fn of_shard(
        &self,
        shard: usize,
        part: Part,
    ) -> impl Iterator<Item = &FragmentFacts> {
        let indices = match part {
            Part::Datagrams => &self.by_shard[shard],
            Part::Hosts => &self.by_host[shard],
        };
        indices.iter().map(|index| &self.all[*index as usize])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.depths == 0
    }

    /// Whether there are fragments or messages with `depth` IP headers around them.
    pub(super) fn has(&self, depth: usize) -> bool {
        self.depths >> depth & 1 != 0
    }

    /// The same with at least `depth` IP headers.
    pub(super) fn reach(&self, depth: usize) -> bool {
        self.depths >> depth != 0
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.given_up.clear();
        for indices in self.by_shard.iter_mut().chain(&mut self.by_host) {
            indices.clear();
        }
        self.depths = 0;
    }
}
