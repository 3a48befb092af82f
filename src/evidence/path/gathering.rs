//! Point after point, as much as there is room for.

use super::clocks::Clocks;
use super::exhibits::{Exhibit, Exhibits};
use super::look::{Aim, Because, Keeping, Look, Whole};
use super::sought::{Sought, is_same_time};
use super::{PathExcerpt, remarks, told};
use crate::evidence::kept::{Kept, KeptFrame};
use crate::evidence::pcapng::{InterfaceFacts, Statistics};
use crate::evidence::pool::Reading;
use crate::evidence::room::Room;
use crate::model::escape;
use crate::pipeline::Progress;
use crate::report::comparison::Comparison;
use crate::report::comparison::document::Point;
use crate::source::{Block, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Collects what a comparison names from the captures of its points.
pub struct Gathering<'a> {
    comparison: &'a Comparison,
    reading: Reading,
    exhibits: Exhibits,
    clocks: Clocks,
    keeping: Keeping,
    /// How many of the datagrams that are kept were known when each point was read; `None`:
    /// it was not yet.
    known: Vec<Option<usize>>,
}

/// At a point that is read again, nothing is named any more.
static NOTHING: BTreeMap<u64, Exhibit> = BTreeMap::new();

/// A capture is not the one that was compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} changed while it was read; copy it first")]
pub struct Changed(pub String);

impl<'a> Gathering<'a> {
    /// Nothing yet of what a comparison names.
    pub fn new(comparison: &'a Comparison, reading: Reading) -> Self {
        let room = reading
            .limit_bytes
            .saturating_sub(told::most_bytes(comparison));
        Self {
            comparison,
            reading,
            exhibits: Exhibits::of(comparison),
            clocks: Clocks::of(comparison),
            keeping: Keeping {
                room: Room::new(room, remarks::USUAL_BYTES),
                datagrams: Vec::new(),
            },
            known: vec![None; comparison.points.len()],
        }
    }

    /// The point that is to be read next: those at which something is named, then those at
    /// which what is named elsewhere may have come by. `None`: nothing more is looked for.
    pub fn next_point(&self) -> Option<u32> {
        let mut points = (0..).zip(&self.known);
        let is_named = |(point, known): &(u32, &Option<usize>)| {
            known.is_none() && self.named(*point).is_some_and(|named| !named.is_empty())
        };
        if let Some((point, _)) = points.clone().find(is_named) {
            return Some(point);
        }
        let next = points.find(|(point, _)| !self.sought(*point).is_empty());
        next.map(|(point, _)| point)
    }

    /// Reads the capture of a point, and keeps what is looked for. Ends where nothing more
    /// is wanted, or where `flow` breaks.
    ///
    /// # Errors
    ///
    /// What is there is not what was named.
    pub fn read(
        &mut self,
        point: u32,
        source: &mut dyn Source,
        flow: &dyn Fn(Progress) -> ControlFlow<()>,
    ) -> Result<(), Changed> {
        let sought = self.sought(point);
        let known = self.keeping.datagrams.len();
        let before = self.known.get_mut(point as usize);
        // What is named is looked for once.
        let is_first = before.is_some_and(|before| before.replace(known).is_none());
        let named = self.exhibits.at(point).filter(|_| is_first);
        let aim = Aim {
            point,
            named: named.unwrap_or(&NOTHING),
            sought,
            clocks: &self.clocks,
        };
        let mut look = Look::new(
            aim,
            self.reading.filter.clone(),
            &self.reading.decode,
            &mut self.keeping,
        );
        let mut block = Block::default();
        loop {
            let progress = Progress {
                read: source.progress(),
                frames: look.frames(),
            };
            if flow(progress).is_break() {
                return Ok(());
            }
            if look.is_done() || !source.fill(&mut block) {
                break;
            }
            if !block.frames().all(|frame| look.at(&frame)) {
                return Err(changed(self.comparison, point));
            }
        }
        match look.has_found_all() {
            true => Ok(()),
            false => Err(changed(self.comparison, point)),
        }
    }

    fn named(&self, point: u32) -> Option<&BTreeMap<u64, Exhibit>> {
        self.exhibits.at(point)
    }

    /// Datagrams that are named at other points, and have not been looked for at this one.
    fn sought(&self, point: u32) -> Sought {
        let mut sought = Sought::default();
        if !self.clocks.knows(point) {
            return sought;
        }
        let known = self.known.get(point as usize).copied().flatten();
        let datagrams = &self.keeping.datagrams;
        for datagram in datagrams.iter().skip(known.unwrap_or(0)) {
            let is_elsewhere = datagram.because == Because::Named && datagram.point != point;
            let is_here = |here: &Whole| {
                here.point == point
                    && here.identity == datagram.identity
                    && is_same_time(here.time, datagram.time)
            };
            if is_elsewhere && self.clocks.knows(datagram.point) && !datagrams.iter().any(is_here) {
                sought.add(datagram.identity, datagram.time, datagram.place);
            }
        }
        sought
    }

    /// What was collected.
    pub fn finish(self) -> PathExcerpt {
        let comparison = self.comparison;
        let left_out = self.keeping.room.left_out;
        let mut frames = remarks::written(self.keeping, comparison, &self.reading.decode);
        let clocks = self.clocks;
        frames.sort_by_cached_key(|frame| {
            let time = clocks.by_first(frame.interface, frame.timestamp);
            (time, frame.origin)
        });
        let (shown, not_shown) = shown(comparison, &frames);
        let interfaces = (0..).zip(&comparison.points);
        let interfaces = interfaces.map(|(index, point)| interface(index, point, &frames));
        let kept = Kept {
            interfaces: interfaces.collect(),
            statistics: comparison.points.iter().map(statistics).collect(),
            frames,
        };
        PathExcerpt {
            comments: told::of_all(comparison, &not_shown, left_out),
            kept,
            shown,
            not_shown,
            left_out,
        }
    }
}

fn changed(comparison: &Comparison, point: u32) -> Changed {
    let point = comparison.points.get(point as usize);
    let path = point.map_or("-", |point| &point.file.path);
    Changed(escape::line(path).into_owned())
}

/// Ids of the findings all frames of which are there, and of the others.
fn shown(comparison: &Comparison, frames: &[KeptFrame]) -> (Vec<String>, Vec<String>) {
    let there = frames.iter();
    let there: BTreeSet<(u32, u64)> = there
        .map(|frame| (frame.interface, frame.origin.number))
        .collect();
    let (mut shown, mut not_shown) = (Vec::new(), Vec::new());
    for finding in &comparison.findings {
        let mut evidence = finding.evidence.iter();
        let is_shown = !finding.evidence.is_empty()
            && evidence.all(|named| there.contains(&(named.point, named.frame)));
        let list = if is_shown { &mut shown } else { &mut not_shown };
        if !list.contains(&finding.id) {
            list.push(finding.id.clone());
        }
    }
    (shown, not_shown)
}

/// A point is an interface: Wireshark shows and filters by its name.
fn interface(index: u32, point: &Point, frames: &[KeptFrame]) -> InterfaceFacts {
    let first = frames.iter().find(|frame| frame.interface == index);
    let link_type = first.map(|frame| frame.link_type);
    let stated = point.file.link_types.first().copied();
    InterfaceFacts {
        name: escape::line(&point.name).into_owned(),
        description: escape::line(&point.file.path).into_owned(),
        link_type: link_type.or(stated).unwrap_or_default(),
        snaplen: point.file.snaplen.unwrap_or(0),
    }
}

/// What a capture lost is a fact about it, whichever of its frames are kept.
fn statistics(point: &Point) -> Option<Statistics> {
    let (dropped, from) = (point.dropped_frames?, point.first_timestamp?.0);
    Some(Statistics {
        from,
        until: point.last_timestamp.map_or(from, |last| last.0),
        received: point.file.frames.saturating_add(dropped),
        interface_dropped: 0,
        dropped,
    })
}
