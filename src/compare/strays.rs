//! Packets that one point alone saw, and that fell out of line or were kept aside. Most of these
//! are lost, and nobody asks for them again: no more is kept of one than that sighting until somebody does.
//! What it is found by is written down once anybody looks for something of the kind.
//!
//! Of a datagram in fragments that is the first that came; the others are kept behind it.

use super::brief::{Brief, Common, Place};
use super::content::hash;
use super::index::Index;
use super::parts::{Part, Parts};
use super::sighting::{Form, Sighting};
use super::slab::{NONE, Slab};
use crate::model::Timestamp;

/// Such packets, by number and by flow.
#[derive(Debug, Default)]
pub(super) struct Strays {
    all: Slab<Stray>,
    /// Of datagrams in fragments, what came behind the first.
    parts: Parts,
    /// By flow, under its own number.
    lines: Vec<Line>,
    /// By what else they may be found by.
    by_key: Index,
    /// Those that nobody asked for.
    count: usize,
    /// Those of them that are in fragments.
    in_fragments: usize,
    /// Those of them that may come in fragments elsewhere.
    uncut: usize,
    /// Those that wait in line, and are not forgotten here yet.
    in_line: usize,
}

/// What is kept of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stray {
    pub sighting: Sighting,
    /// When it was seen, by the clock of the first point.
    pub time: Timestamp,
    pub flow: u32,
    point: u8,
    /// Whether it is looked for by its bytes.
    pub is_wanted: bool,
    /// As in [`Parcel`](super::parcel::Parcel).
    pub tells_time: bool,
    standing: Standing,
    /// How many of its flow came to the point before.
    pub order: u32,
    next: u32,
    /// The one in front, unless it is the first.
    previous: u32,
    /// The parcel that it became; before that, where what it is found by begins.
    number: u32,
}

/// What is to be known of one that fares as the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gist {
    pub point: usize,
    pub order: u32,
    /// When it was seen, by the clock of the first point, and by that of its own.
    pub time: Timestamp,
    pub seen: Timestamp,
    pub ip_bytes: u32,
    pub tells_time: bool,
}

/// Whether somebody asked for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Stray,
    Parcel,
    InLine,
}

/// Datagrams in fragments that came to a point last: what comes is of one of these, or of none.
const LATEST: usize = 8;

/// What a stray is by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Became {
    /// Nobody asked for it.
    Nothing,
    Parcel(u32),
    /// It is told elsewhere what became of it.
    InLine,
}

/// Those of one flow that nobody asked for, in the order in which they came.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line {
    first: u32,
    last: u32,
    count: u32,
    /// The first that is looked for by its bytes, and not found by them yet; what is in front of it
    /// is, or is not looked for.
    unfound: u32,
    /// The point that saw all of them.
    point: u16,
    /// Whether some became parcels that were not looked for by their bytes.
    is_mixed: bool,
    /// Of a stream, up to where it was seen.
    reach: Option<u32>,
    /// Those that are kept in brief; they are in the line once somebody asks for it.
    briefs: Option<Briefs>,
}

/// Those of a flow that are kept in brief.
#[derive(Clone, Copy, Debug)]
struct Briefs {
    common: Common,
    /// Where the last of them is.
    last: u32,
    count: u32,
}

const _: () = assert!(size_of::<Line>() == 64);

impl Briefs {
    /// None yet, which will have in common with one what they have.
    fn of(stray: &Newcomer<'_>) -> Option<Self> {
        let common = Common::of(stray)?;
        common.ahead(stray)?;
        Some(Self {
            common,
            last: NONE,
            count: 0,
        })
    }
}

/// Where there is none.
const EMPTY: Line = Line {
    first: NONE,
    last: NONE,
    count: 0,
    unfound: NONE,
    point: 0,
    is_mixed: false,
    reach: None,
    briefs: None,
};

/// One that is about to be kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Newcomer<'a> {
    pub sighting: &'a Sighting,
    pub point: usize,
    pub time: Timestamp,
    pub flow: u32,
    pub order: u32,
    pub is_wanted: bool,
    pub tells_time: bool,
}

impl<'a> Newcomer<'a> {
    pub fn new(
        sighting: &'a Sighting,
        point: usize,
        time: Timestamp,
        flow: u32,
        order: u32,
    ) -> Self {
        Self {
            sighting,
            point,
            time,
            flow,
            order,
            is_wanted: false,
            tells_time: true,
        }
    }
}

impl Stray {
    /// One that nobody asked for yet, behind others of its flow.
    #[inline(always)]
    pub fn of(newcomer: &Newcomer<'_>, previous: u32) -> Self {
        Self {
            sighting: *newcomer.sighting,
            time: newcomer.time,
            flow: newcomer.flow,
            point: newcomer.point as u8,
            is_wanted: newcomer.is_wanted,
            tells_time: newcomer.tells_time,
            standing: Standing::Stray,
            order: newcomer.order,
            next: NONE,
            previous,
            number: NONE,
        }
    }

    /// The point that saw it.
    pub fn point(&self) -> usize {
        self.point as usize
    }

    #[inline(always)]
    pub fn gist(&self) -> Gist {
        Gist {
            point: self.point(),
            order: self.order,
            time: self.time,
            seen: self.sighting.time,
            ip_bytes: self.sighting.ip_bytes,
            tells_time: self.tells_time,
        }
    }
}

/// A key of what a point saw: who looks for what others saw does not go through all that is its own.
fn of_point(key: u64, point: usize) -> u64 {
    hash(&[key, point as u64])
}

/// Whether a place in a stream is that of another or behind it. Both wrap.
fn is_behind(place: u32, other: u32) -> bool {
    place.wrapping_sub(other) <= u32::MAX / 2
}

impl Strays {
    /// How many there are that nobody asked for.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no other point than this has strays of a flow.
    pub fn may_be_of(&self, flow: u32, point: usize) -> bool {
        let line = self.line(flow);
        line.count == 0 || line.point as usize == point
    }

    /// How many of a flow a point saw.
    pub fn of(&self, flow: u32, point: usize) -> u32 {
        let line = self.line(flow);
        match line.point as usize == point {
            true => line.count,
            false => 0,
        }
    }

    /// Whether some of a flow became parcels that were not looked for by their bytes.
    pub fn is_mixed(&self, flow: u32) -> bool {
        self.line(flow).is_mixed
    }

    /// From now on that is so.
    pub fn mix(&mut self, flow: u32) {
        self.line_mut(flow).is_mixed = true;
    }

    /// Takes note of a piece of a stream; says whether it is behind all that was seen of that.
    pub fn goes_on(&mut self, flow: u32, sighting: &Sighting) -> bool {
        let reach = &mut self.line_mut(flow).reach;
        let goes_on = reach.is_none_or(|reach| is_behind(sighting.offset, reach));
        if reach.is_none_or(|reach| is_behind(sighting.end(), reach)) {
            *reach = Some(sighting.end());
        }
        goes_on
    }

    fn line_mut(&mut self, flow: u32) -> &mut Line {
        let flow = flow as usize;
        if flow >= self.lines.len() {
            self.lines.resize(flow + 1, EMPTY);
        }
        &mut self.lines[flow]
    }

    fn line(&self, flow: u32) -> Line {
        self.lines.get(flow as usize).copied().unwrap_or(EMPTY)
    }

    /// Adds one of a flow that no other point has strays of; gives its number.
    pub fn add(&mut self, stray: &Newcomer<'_>) -> u32 {
        debug_assert!(self.may_be_of(stray.flow, stray.point));
        let previous = self.line_mut(stray.flow).last;
        let number = self.all.insert(|| Stray::of(stray, previous));
        let line = &mut self.lines[stray.flow as usize];
        match previous {
            NONE => line.first = number,
            previous => self.all[previous].next = number,
        }
        line.last = number;
        line.count += 1;
        line.point = stray.point as u16;
        if stray.is_wanted && line.unfound == NONE {
            line.unfound = number;
        }
        self.count += 1;
        self.in_fragments += usize::from(stray.sighting.form == Form::Piece);
        self.uncut += usize::from(stray.sighting.may_come_cut());
        number
    }

    /// One is kept in brief, under a number, of a flow that no other point has strays of; `None` if
    /// that may not be.
    #[inline(always)]
    pub fn add_brief(&mut self, stray: &Newcomer<'_>, number: u32) -> Option<Place> {
        debug_assert!(self.may_be_of(stray.flow, stray.point));
        let line = self.line_mut(stray.flow);
        if line.briefs.is_none() {
            line.briefs = Briefs::of(stray);
        }
        let briefs = line.briefs.as_mut()?;
        let ahead = briefs.common.ahead(stray)?;
        let before = std::mem::replace(&mut briefs.last, number);
        briefs.count += 1;
        line.count += 1;
        line.point = stray.point as u16;
        self.count += 1;
        Some(Place { before, ahead })
    }

    /// Whether any of a flow is kept in brief, as others of it are to be.
    #[inline(always)]
    pub fn is_in_brief(&self, flow: u32) -> bool {
        let line = self.lines.get(flow as usize);
        line.is_some_and(|line| line.briefs.is_some() && !line.is_mixed)
    }

    /// Where the last of a flow is that is kept in brief, the point that saw it, and how many there
    /// are.
    pub fn briefs_of(&self, flow: u32) -> Option<(u32, usize, u32)> {
        let line = self.lines.get(flow as usize)?;
        let briefs = line.briefs?;
        Some((briefs.last, line.point.into(), briefs.count))
    }

    /// What is to be known of one that is kept in brief, as long as it fares as the one before.
    #[inline(always)]
    pub fn gist_of(&self, brief: &Brief) -> Option<Gist> {
        let line = &self.lines[brief.flow as usize];
        let common = &line.briefs.as_ref()?.common;
        Some(Gist {
            point: line.point.into(),
            order: brief.order,
            time: brief.time,
            seen: common.seen(brief),
            ip_bytes: brief.ip_bytes(),
            tells_time: brief.tells_time,
        })
    }

    /// One that is kept in brief, in full.
    pub fn in_full(&self, brief: &Brief) -> Option<Stray> {
        let line = &self.lines[brief.flow as usize];
        let sighting = line.briefs.as_ref()?.common.sighting(brief);
        let point = line.point.into();
        let mut newcomer = Newcomer::new(&sighting, point, brief.time, brief.flow, brief.order);
        newcomer.tells_time = brief.tells_time;
        Some(Stray::of(&newcomer, NONE))
    }

    /// One that is kept in brief is over.
    #[inline(always)]
    pub fn take_brief(&mut self, flow: u32) {
        let line = &mut self.lines[flow as usize];
        line.count -= 1;
        self.count -= 1;
        if let Some(briefs) = &mut line.briefs {
            briefs.count -= 1;
            if briefs.count == 0 {
                line.briefs = None;
            }
        }
    }

    /// All of a flow that are kept in brief, in their order, are kept in full from now on; gives
    /// their numbers.
    pub fn unfold(&mut self, flow: u32, briefs: &[Brief]) -> Vec<u32> {
        let strays: Option<Vec<Stray>> = briefs.iter().map(|brief| self.in_full(brief)).collect();
        let strays = strays.unwrap_or_default().into_iter();
        let numbers: Vec<u32> = strays.map(|stray| self.all.insert(|| stray)).collect();
        self.lines[flow as usize].briefs = None;
        let line = self.line_of(flow).collect();
        let all = self.merge(line, &numbers);
        self.relink(flow, &all);
        numbers
    }

    /// Two rows of one flow, each in the order in which they came.
    fn merge(&self, some: Vec<u32>, others: &[u32]) -> Vec<u32> {
        let mut all = some;
        all.extend_from_slice(others);
        let some = all.first().map_or(0, |first| self.all[*first].order);
        // They wrap.
        all.sort_by_key(|number| self.all[*number].order.wrapping_sub(some) as i32);
        all
    }

    /// The line of a flow has these, in this order.
    fn relink(&mut self, flow: u32, all: &[u32]) {
        for (place, number) in all.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|before| all.get(before));
            let stray = &mut self.all[*number];
            stray.previous = before.copied().unwrap_or(NONE);
            stray.next = all.get(place + 1).copied().unwrap_or(NONE);
        }
        let line = &mut self.lines[flow as usize];
        line.first = all.first().copied().unwrap_or(NONE);
        line.last = all.last().copied().unwrap_or(NONE);
    }

    pub fn get(&self, number: u32) -> &Stray {
        &self.all[number]
    }

    /// Reads what is known of one, both lines of a cache.
    pub fn read(&self, number: u32) -> u32 {
        let stray = &self.all[number];
        stray.sighting.bytes ^ stray.number
    }

    /// Those of a flow that nobody asked for, in the order in which they came, where none is kept in
    /// brief.
    pub fn line_of(&self, flow: u32) -> impl Iterator<Item = u32> + '_ {
        self.line_from(self.first_of(flow))
    }

    fn line_from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let known = |number: u32| (number != NONE).then_some(number);
        std::iter::successors(known(first), move |number| known(self.all[*number].next))
    }

    /// The same from the last on, but for what is kept in brief.
    pub fn line_backwards(&self, flow: u32) -> impl Iterator<Item = u32> + '_ {
        let line = self.line(flow);
        let known = |number: u32| (number != NONE).then_some(number);
        std::iter::successors(known(line.last), move |number| {
            known(self.all[*number].previous).filter(|_| *number != line.first)
        })
    }

    /// The first of a flow that nobody asked for, or [`NONE`], where none is kept in brief.
    pub fn first_of(&self, flow: u32) -> u32 {
        let line = self.line(flow);
        debug_assert!(line.briefs.is_none());
        line.first
    }

    /// Whether there are any of a flow.
    pub fn has_any_of(&self, flow: u32) -> bool {
        self.line(flow).count > 0
    }

    /// The datagram of a flow that a fragment goes on with: one of the latest, of which it is behind
    /// all that came.
    pub fn gone_on_with(&self, flow: u32, fragment: &Sighting) -> Option<u32> {
        let mut latest = self.line_backwards(flow).take(LATEST);
        let number = latest.find(|stray| self.all[*stray].sighting.id == fragment.id)?;
        let last = self.latest_of(number);
        (last.more && last.end() <= fragment.offset).then_some(number)
    }

    /// What came last of one.
    pub fn latest_of(&self, number: u32) -> &Sighting {
        let last = self.parts.last_of(number);
        last.map_or(&self.all[number].sighting, |part| &part.sighting)
    }

    /// Whether any is in fragments.
    pub fn has_fragments(&self) -> bool {
        self.in_fragments > 0
    }

    /// Whether any may come in fragments elsewhere.
    pub fn has_uncut(&self) -> bool {
        self.uncut > 0
    }

    /// From now on those of a flow that are looked for by their bytes are found by them.
    pub fn be_found_by_bytes(&mut self, flow: u32, key: impl Fn(&Sighting) -> u64) {
        let mut next = std::mem::replace(&mut self.line_mut(flow).unfound, NONE);
        while next != NONE {
            let number = next;
            let stray = &self.all[number];
            next = stray.next;
            if stray.is_wanted {
                self.be_found_by(number, key(&stray.sighting));
            }
        }
    }

    /// From now on one is found under this key, too.
    pub fn be_found_by(&mut self, number: u32, key: u64) {
        let stray = &mut self.all[number];
        debug_assert_eq!(stray.standing, Standing::Stray);
        let key = of_point(key, stray.point());
        stray.number = self.by_key.insert(key, number, stray.number);
    }

    /// Those that a point saw and that are found under a key, the oldest first.
    pub fn found_by(&self, key: u64, point: usize) -> impl Iterator<Item = u32> + '_ {
        self.by_key.oldest(of_point(key, point))
    }

    /// All that may come in fragments elsewhere.
    pub fn uncut(&self) -> impl Iterator<Item = u32> + '_ {
        let all = self
            .lines
            .iter()
            .flat_map(|line| self.line_from(line.first));
        all.filter(|number| self.all[*number].sighting.may_come_cut())
    }

    /// Adds a fragment behind those of a datagram.
    pub fn add_part(&mut self, number: u32, part: Part) {
        self.parts.add(number, part);
    }

    /// What came of a datagram behind its first fragment.
    pub fn parts_of(&self, number: u32) -> impl Iterator<Item = &Part> + Clone {
        self.parts.of(number)
    }

    /// Somebody asks for one: it is this parcel from now on.
    pub fn becomes(&mut self, number: u32, parcel: u32) {
        self.leave(number, Standing::Parcel);
        self.all[number].number = parcel;
    }

    /// Takes one that nobody asked for.
    pub fn take(&mut self, number: u32) -> Stray {
        self.leave(number, Standing::Parcel);
        let stray = self.all[number];
        self.all.remove(number);
        stray
    }

    /// It is no longer in the line of its flow. Mostly it is the first: what is behind that does
    /// not get to know, as it is far away in memory, and nobody asks what is in front of a first.
    fn leave(&mut self, number: u32, standing: Standing) {
        let stray = &mut self.all[number];
        debug_assert_eq!(stray.standing, Standing::Stray);
        stray.standing = standing;
        self.by_key.remove(stray.number);
        let Stray {
            flow,
            next,
            previous,
            sighting,
            ..
        } = *stray;
        self.uncut -= usize::from(sighting.may_come_cut());
        if sighting.form == Form::Piece {
            self.parts.forget(number);
            self.in_fragments -= 1;
        }
        let line = &mut self.lines[flow as usize];
        if line.unfound == number {
            line.unfound = next;
        }
        let is_first = line.first == number;
        match is_first {
            true => line.first = next,
            false => self.all[previous].next = next,
        }
        match next {
            NONE if is_first => line.last = NONE,
            NONE => line.last = previous,
            _ if is_first => {}
            next => self.all[next].previous = previous,
        }
        line.count -= 1;
        self.count -= 1;
    }

    /// One waits in line from now on.
    pub fn lines_up(&mut self, number: u32) {
        self.leave(number, Standing::InLine);
        self.in_line += 1;
    }

    /// How many there are that are no parcels, with all fragments.
    pub fn held(&self) -> usize {
        self.count + self.in_line + self.parts.len()
    }

    /// What became of one.
    pub fn became(&self, number: u32) -> Became {
        let stray = &self.all[number];
        match stray.standing {
            Standing::Stray => Became::Nothing,
            Standing::InLine => Became::InLine,
            Standing::Parcel => Became::Parcel(stray.number),
        }
    }

    /// Forgets one that is none any more.
    pub fn remove(&mut self, number: u32) {
        let standing = self.all[number].standing;
        debug_assert_ne!(standing, Standing::Stray);
        self.in_line -= usize::from(standing == Standing::InLine);
        // Its parcel may become another.
        self.all[number].standing = Standing::InLine;
        self.all.remove(number);
    }
}

const _: () = assert!(size_of::<Stray>() == 96);

/// One that nobody asked for.
#[cfg(test)]
pub(super) fn stray_of(
    sighting: &Sighting,
    point: usize,
    time: i64,
    flow: u32,
    order: u32,
) -> Stray {
    let newcomer = Newcomer::new(sighting, point, Timestamp(time), flow, order);
    Stray::of(&newcomer, NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;

    /// Adds one.
    fn add(strays: &mut Strays, flow: u32, point: usize, order: u32, is_wanted: bool) -> u32 {
        let sighting = example(order);
        let stray = Newcomer::new(&sighting, point, Timestamp(0), flow, order);
        strays.add(&Newcomer { is_wanted, ..stray })
    }

    /// Those of a flow that nobody asked for, in order.
    fn orders(strays: &Strays, flow: u32) -> Vec<u32> {
        let all = strays.line_of(flow);
        all.map(|stray| strays.get(stray).order).collect()
    }

    #[test]
    fn strays_of_a_flow_are_known_in_order_until_somebody_asks() {
        for asked in [[1, 0, 3, 2], [0, 1, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1]] {
            let mut strays = Strays::default();
            let numbers = [0, 1, 2, 3].map(|order| add(&mut strays, 7, 1, order, false));
            let mut left = vec![0, 1, 2, 3];
            for place in asked {
                assert_eq!(orders(&strays, 7), left);
                assert_eq!(strays.len(), left.len());
                assert_eq!(strays.of(7, 1) as usize, left.len());
                strays.becomes(numbers[place], 40 + place as u32);
                left.retain(|order| *order != place as u32);
            }
            assert_eq!((orders(&strays, 7), strays.len()), (vec![], 0));
            let became = numbers.map(|stray| strays.became(stray));
            assert_eq!(became, [40, 41, 42, 43].map(Became::Parcel));
        }
    }

    #[test]
    fn what_waits_in_line_is_held_until_it_is_forgotten() {
        let mut strays = Strays::default();
        let numbers = [0, 1, 2].map(|order| add(&mut strays, 7, 1, order, false));
        strays.lines_up(numbers[0]);
        strays.becomes(numbers[1], 3);
        assert_eq!((strays.len(), strays.held()), (1, 2));
        assert_eq!(strays.became(numbers[0]), Became::InLine);
        assert_eq!(orders(&strays, 7), [2]);
        strays.remove(numbers[1]);
        assert_eq!(strays.held(), 2);
        strays.remove(numbers[0]);
        assert_eq!(strays.held(), 1);
    }

    #[test]
    fn they_are_found_by_their_bytes_once_that_is_asked_until_they_are_none() {
        let mut strays = Strays::default();
        let add = |strays: &mut Strays, order: u32| add(strays, 7, 1, order, order != 1);
        let key = |sighting: &Sighting| sighting.id.into();
        let found = |strays: &Strays| {
            let found = |order: u64| strays.found_by(order, 1).count();
            [0, 1, 2, 3, 4].map(found)
        };
        let numbers = [0, 1, 2, 3].map(|order| add(&mut strays, order));
        assert_eq!(found(&strays), [0; 5]);
        strays.take(numbers[0]);
        strays.be_found_by_bytes(7, key);
        assert_eq!(found(&strays), [0, 0, 1, 1, 0]);
        assert_eq!(strays.found_by(3, 0).count(), 0, "another point saw it");
        add(&mut strays, 4);
        assert_eq!(found(&strays), [0, 0, 1, 1, 0]);
        strays.becomes(numbers[2], 9);
        strays.be_found_by_bytes(7, key);
        assert_eq!(found(&strays), [0, 0, 0, 1, 1]);
        strays.lines_up(numbers[3]);
        assert_eq!(found(&strays), [0, 0, 0, 0, 1]);
        assert_eq!(strays.became(numbers[2]), Became::Parcel(9));
    }

    #[test]
    fn one_point_has_strays_of_a_flow() {
        let mut strays = Strays::default();
        let number = add(&mut strays, 7, 1, 0, false);
        assert!(strays.may_be_of(7, 1) && !strays.may_be_of(7, 0));
        assert!(strays.may_be_of(6, 0) && strays.may_be_of(8, 0));
        assert_eq!((strays.of(7, 0), strays.of(99, 0)), (0, 0));
        strays.becomes(number, 3);
        assert!(strays.may_be_of(7, 0));
        strays.remove(number);
        // Its number is given to another.
        assert_eq!(add(&mut strays, 8, 0, 5, false), number);
        assert_eq!(strays.became(number), Became::Nothing);
        assert_eq!(orders(&strays, 8), [5]);
    }
}
