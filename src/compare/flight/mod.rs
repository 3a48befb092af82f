//! What is under way: every sighting finds the parcel it is of, at whatever point that was
//! seen before, or becomes one.

mod abreast;
mod aside;
mod at_hand;
mod begun;
mod caught_up;
mod clocks;
mod cut_aside;
mod damages;
mod due;
mod find;
mod finish;
mod in_brief;
mod joined;
mod joined_at_hand;
mod lone;
mod messages;
mod nameless;
mod queue;
mod recall;
mod recut;
mod reused;
mod second_look;
mod settle;
mod step;
mod stray;
mod stretch;
mod supers;
mod uncut;

use self::abreast::Known;
pub(super) use self::abreast::{ABREAST, AT_ONCE};
use self::aside::Aside;
use self::clocks::Trust;
use self::damages::Damages;
use self::due::Due;
use self::find::{Fit, Found, Latest};
use self::joined::{Messages, is_message};
use self::lone::Lone;
pub(super) use self::settle::LINGER;
use self::step::Told;
use self::stray::Held;
use self::supers::Supers;
use super::book::Book;
use super::clock::Clock;
use super::content::hash;
use super::copies::Copies;
use super::index::Index;
use super::march::March;
use super::names::Name;
use super::parcel::{Mask, Parcel, Piece, Seen, UNKNOWN};
use super::paths::Paths;
use super::refused::RefusedAt;
use super::rows::Rows;
use super::sighting::{Batch, Form, Sighting, UDP_HEADER};
use super::slab::{NONE, Slab};
use super::strays::{Stray, Strays};
use super::stretches::Stretches;
use super::wrong_times::WrongTimes;
use crate::model::facts::LARGEST_MTU;
use crate::model::{Addresses, Duration, Protocol, Timestamp};
use hashbrown::HashMap;
use std::collections::VecDeque;

/// Parcels with the same key that are looked at.
const MAX_CHAIN: usize = 256;
/// Sightings of a flow that are looked for by content; then every eighth.
const EAGER: u16 = 1024;
/// Packets from this size on may be super-frames, of which there are few in flight.
pub(super) const SUPER_BYTES: u32 = 1_500;
/// Pieces in flight at once.
pub(super) const MAX_IN_FLIGHT: usize = 1 << 21;

/// Sightings of which flows are fetched together.
pub(super) const FETCHED: usize = 16;

/// What is known of so many flows is in a cache anyway.
const NEAR: usize = 1 << 12;

/// Keys of things that are no sightings of their own. Theirs are hashes of two words, as
/// [`Identity::key`](super::sighting::Identity::key) has them; these are of more.
const DATAGRAM: u64 = 11;
const BY_CONTENT: u64 = 12;
const NAMELESS: u64 = 13;
const BEGUN: u64 = 14;

/// All that is under way.
pub(super) struct Flight {
    pub points: usize,
    everywhere: Mask,
    window: Duration,
    pub paths: Paths,
    refused: RefusedAt,
    pub march: March,
    copies: Copies,
    index: Index,
    parcels: Slab<Parcel>,
    strays: Strays,
    lone: Lone,
    aside: Aside,
    pieces: Slab<Piece>,
    damages: Damages,
    /// Of each piece, by point.
    seen: Stretches<Seen>,
    /// By point: the latest fragment that it saw.
    latest: Vec<Latest>,
    supers: Supers,
    /// Whether one point has joined what others have of UDP, and what may be joined then.
    joins_udp: bool,
    messages: Messages,
    pub clocks: Vec<Clock>,
    /// How many packets it takes to know a clock well enough to tell at once how long a
    /// packet took, and whether all are known so.
    march_after: u64,
    is_acquainted: bool,
    /// Whether no more comes.
    is_ending: bool,
    /// The clock of each point against that of the point in front of it: the fastest packet
    /// of one segment need not be that of another.
    beside: Vec<Clock>,
    /// From when to when each point captured, by its own clock.
    pub spans: Vec<Option<(Timestamp, Timestamp)>>,
    /// Seen not long ago, and seen before that but not everywhere; in order of time.
    young: VecDeque<Due>,
    /// What is known of so many of the next of these was read.
    young_fetched: usize,
    /// When the latest of all that were among these was first seen.
    begun_until: Timestamp,
    old: Rows<Due>,
    now: Timestamp,
    /// When what goes the other way than what is taken is next: time does not go on beyond that.
    held: Timestamp,
    /// What is known of packets that all points take at once; away while some are taken.
    abreast: Option<Box<Known>>,
    /// Parcels of the stretch at hand.
    at_hand: Vec<u32>,
    /// Away while it is written in.
    book: Option<Box<Book>>,
    /// Ways that addresses go: those that go back.
    backward: HashMap<(usize, Addresses), bool>,
    /// Parcels given up early for want of room.
    pub crowded_out: u64,
    /// Times that were set right, and what captures say instead.
    pub wrong_times: WrongTimes,
    /// Times at which a clock was set back.
    pub clocks_set_back: u64,
}

/// A sighting as it comes.
#[derive(Clone, Copy, Debug)]
struct Arrival<'a> {
    point: usize,
    sighting: &'a Sighting,
    /// By the clock of the first point.
    time: Timestamp,
    /// Its place among those of its flow, if that is known.
    order: Option<u32>,
}

impl<'a> Arrival<'a> {
    /// What comes now.
    fn of(point: usize, sighting: &'a Sighting, time: Timestamp) -> Self {
        Self {
            point,
            sighting,
            time,
            order: None,
        }
    }

    /// What was kept aside comes again, in its order and its time.
    fn again(stray: &'a Stray) -> Self {
        Self {
            point: stray.point(),
            sighting: &stray.sighting,
            time: stray.time,
            order: Some(stray.order),
        }
    }

    /// Whether it is what was kept aside so.
    fn is(self, stray: &Stray) -> bool {
        (self.point, self.order) == (stray.point(), Some(stray.order))
    }

    fn parts(self) -> (usize, &'a Sighting, Timestamp) {
        (self.point, self.sighting, self.time)
    }

    /// The same with another sighting.
    fn with(self, sighting: &Sighting) -> Arrival<'_> {
        Arrival { sighting, ..self }
    }
}

impl Flight {
    pub fn new(
        clocks: Vec<Clock>,
        window: Duration,
        book: Book,
        backward: HashMap<(usize, Addresses), bool>,
        march_after: u64,
    ) -> Self {
        let points = clocks.len();
        let beside = (0..points).map(|point| {
            let front = point.saturating_sub(1);
            Clock::new(clocks[point].rough() - clocks[front].rough())
        });
        let beside = beside.collect();
        Self {
            points,
            everywhere: ((1_u32 << points) - 1) as Mask,
            window,
            paths: Paths::new(points),
            refused: RefusedAt::new(points),
            march: March::new(points),
            copies: Copies::default(),
            index: Index::default(),
            parcels: Slab::default(),
            strays: Strays::default(),
            lone: Lone::new(points),
            aside: Aside::new(points),
            pieces: Slab::default(),
            damages: Damages::default(),
            seen: Stretches::default(),
            latest: vec![Latest::NONE; points],
            supers: Supers::default(),
            joins_udp: false,
            messages: Messages::default(),
            clocks,
            march_after,
            is_acquainted: false,
            is_ending: false,
            beside,
            spans: vec![None; points],
            young: VecDeque::new(),
            young_fetched: 0,
            begun_until: Timestamp::MIN,
            old: Rows::default(),
            now: Timestamp::MIN,
            held: Timestamp::MAX,
            abreast: None,
            at_hand: Vec::new(),
            book: Some(Box::new(book)),
            backward,
            crowded_out: 0,
            wrong_times: WrongTimes::default(),
            clocks_set_back: 0,
        }
    }

    /// Some point shows datagrams of UDP that others have as several.
    pub fn expect_joined(&mut self) {
        self.joins_udp = true;
    }

    /// All points but one.
    fn others(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        (0..self.points).filter(move |other| *other != point)
    }

    /// Takes in flows that a point met.
    pub fn meet(&mut self, point: usize, batch: &Batch) {
        self.paths.meet(point, &batch.lanes, &batch.bases);
        self.refused.take(point, &batch.refused);
    }

    /// Whether one of some points may have refused a flow, which none of them knows.
    pub(in crate::compare) fn is_refused(&self, flow: u32, points: Mask) -> bool {
        if self.refused.is_empty() {
            return false;
        }
        let keys = (0..self.points).filter_map(|point| self.paths.key_at(flow, point));
        let mut names = keys.map(|key| Name::of(key).hash());
        names.any(|name| self.refused.may_have(points, name))
    }

    /// Whether the window is so much longer than what is taken in one go that packets may be taken
    /// before others.
    pub fn waits_for_long(&self) -> bool {
        self.window >= Duration(20 * AT_ONCE.0)
    }

    /// The time of a sighting by the clock of the first point.
    #[inline(always)]
    pub fn time_of(&self, point: usize, sighting: &Sighting) -> Timestamp {
        self.time_at(point, sighting.time)
    }

    /// A time by the clock of a point by that of the first.
    #[inline(always)]
    pub fn time_at(&self, point: usize, time: Timestamp) -> Timestamp {
        match point {
            0 => time,
            _ => self.clocks[point].to_reference(time),
        }
    }

    /// Reads what is known of the flows of sightings that a point is about to take: in a
    /// large comparison that is far away in memory, and here all wait for it together.
    pub fn fetch<'a>(&self, point: usize, next: impl Iterator<Item = &'a Sighting>) {
        if self.paths.count() <= NEAR {
            return;
        }
        let mut flows = [NONE; FETCHED];
        for (flow, sighting) in flows.iter_mut().zip(next) {
            *flow = self.paths.bound_to(point, sighting.lane);
        }
        self.fetch_flows(point, &flows);
    }

    fn fetch_flows(&self, point: usize, flows: &[u32]) {
        if self.paths.count() <= NEAR {
            return;
        }
        let known = flows.iter().filter(|flow| **flow != NONE);
        let read = known.fold(0, |read, flow| {
            let book = self.book.as_ref().map_or(0, |book| book.read(*flow));
            read ^ book ^ self.paths.read(*flow, point) ^ self.march.read(*flow, point)
        });
        std::hint::black_box(read);
    }

    /// Takes the next sighting, whichever point it is of, with its time by the clock of the
    /// first.
    pub fn take(&mut self, point: usize, sighting: &Sighting, time: Timestamp) {
        self.pass(time);
        self.take_now(Arrival::of(point, sighting, time));
    }

    /// Takes a sighting before others that are earlier.
    pub fn take_early(&mut self, point: usize, sighting: &Sighting) {
        self.take_now(self.arrival(point, sighting));
    }

    /// A sighting as it comes, with its time by the clock of the first.
    fn arrival<'a>(&self, point: usize, sighting: &'a Sighting) -> Arrival<'a> {
        Arrival::of(point, sighting, self.time_of(point, sighting))
    }

    fn take_now(&mut self, arrival: Arrival<'_>) {
        let (point, sighting, _) = arrival.parts();
        let flow = self.paths.flow_of(point, sighting.lane);
        if sighting.form == Form::Piece {
            if self.paths.comes_in_fragments(point, sighting.lane) {
                self.all_fall_out();
            }
            self.end_lone_in_fragments(point, sighting);
            if flow != NONE && self.keep_piece_aside(arrival, flow) {
                return;
            }
        } else if flow != NONE && (self.in_step(arrival, flow) || self.keep_aside(arrival, flow)) {
            return;
        }
        // It may have turned out meanwhile.
        let flow = self.paths.flow_of(point, sighting.lane);
        if self.take_known(arrival, flow) {
            return;
        }
        // It may have turned out meanwhile.
        let flow = self.paths.flow_of(point, sighting.lane);
        if flow != NONE && self.takes_over(arrival, flow) {
            return;
        }
        let is_spread = sighting.form == Form::Segment && self.spread(arrival, flow);
        if !is_spread && !self.join_messages(arrival, flow) {
            self.begin(arrival, flow);
        }
    }

    /// Takes a sighting of what is under way, or a copy of what is over; says whether it is
    /// either. A copy is no damage to another of its name.
    fn take_known(&mut self, arrival: Arrival<'_>, flow: u32) -> bool {
        let (point, sighting, _) = arrival.parts();
        let found = self.find(arrival, flow);
        let flow = self.paths.flow_of(point, sighting.lane);
        let is_sure = found.is_some_and(|found| found.fit != Fit::Damaged);
        if !is_sure && self.told(arrival, flow) == Told::Copy {
            return true;
        }
        if let Some(found) = found {
            self.join(arrival, &found);
        }
        found.is_some()
    }

    /// A sighting is of something that somebody saw.
    fn join(&mut self, arrival: Arrival<'_>, found: &Found) {
        let (point, sighting, _) = arrival.parts();
        if found.fit == Fit::Part && sighting.form == Form::Whole {
            self.bind_base(point, sighting, found.parcel);
        }
        let (offset, bytes) = match found.fit {
            Fit::Message(offset) => (offset, sighting.bytes - UDP_HEADER),
            _ => place_in(&self.parcels[found.parcel], sighting).unwrap_or((0, sighting.bytes)),
        };
        let piece = match found.piece {
            NONE => {
                let flow = self.paths.resolve(self.parcels[found.parcel].flow);
                self.show_content(found.parcel, flow, sighting);
                self.show_begin(found.parcel, point, flow, sighting);
                self.add_piece(found.parcel, sighting, offset, bytes)
            }
            piece => piece,
        };
        match found.fit {
            Fit::Copy => {
                self.seen_mut(piece, point).came_again(sighting);
                return;
            }
            Fit::Damaged => {
                self.damages.note(piece, sighting);
                self.pieces[piece].damaged |= bit(point);
            }
            Fit::Message(_) => self.parcels[found.parcel].is_super_udp = true,
            Fit::Same | Fit::Part => {}
        }
        self.see(arrival, found.parcel, piece);
        if let Fit::Message(_) | Fit::Part = found.fit {
            self.leave_super(found.parcel, offset + bytes);
        }
    }

    /// A point saw a piece of a parcel.
    fn see(&mut self, arrival: Arrival<'_>, number: u32, piece: u32) {
        let (point, sighting, time) = arrival.parts();
        self.name(point, sighting, number);
        let flow = self.paths.resolve(self.parcels[number].flow);
        let counted_in = self.counted_in(number, piece);
        let order = match arrival.order {
            Some(order) => order,
            None => self.paths.next_order(counted_in, point),
        };
        *self.seen_mut(piece, point) = Seen::of(sighting, order);
        self.ask_the_way(flow);
        let others = self.pieces[piece].seen;
        if others != 0 {
            let is_alike = self.parcels[number].id == sighting.id;
            let is_intact = self.pieces[piece].damaged == 0;
            let tells_time = self.parcels[number].tells_time_of(sighting);
            let trust = Trust::of(sighting, is_alike, is_intact && tells_time);
            let seen_at = |flight: &Self, other: usize| *flight.seen(piece, other);
            self.learn(point, sighting, others, seen_at, flow, trust);
            let (points, seen) = (self.points, &self.seen);
            let order_at = |point: usize| seen[piece as usize * points + point].order;
            let reordered = self.paths.come(counted_in, point, others, order_at);
            self.pieces[piece].reordered |= reordered;
        }
        let known = &mut self.pieces[piece];
        known.seen |= bit(point);
        if sighting.form == Form::Segment {
            // Where others saw it, it may have been the rest of a frame.
            known.ip_bytes = known.ip_bytes.max(sighting.ip_bytes);
        }
        let parcel = &mut self.parcels[number];
        parcel.seen |= bit(point);
        parcel.first = parcel.first.min(time);
        parcel.last = parcel.last.max(time);
        parcel.is_carrier |= sighting.is_carrier;
        if sighting.form == Form::Piece {
            self.latest[point] = Latest {
                parcel: number,
                lane: sighting.lane,
                end: sighting.end(),
            };
        }
        if parcel.length == UNKNOWN && parcel.form == Form::Piece && sighting.ends_datagram() {
            parcel.length = sighting.end();
        }
        self.count_lone(number);
        if sighting.is_carrier {
            self.paths.get_mut(flow).is_carrier = true;
        }
        if others == 0 && self.parcels[number].seen != bit(point) {
            self.learn_recut(point, number, piece, flow);
        }
        if others != 0 && sighting.is_nameless() {
            self.leave_nameless(number, sighting, point);
        }
        self.settle_at_once(number, piece, sighting);
    }

    /// The flow among whose packets a piece is counted.
    fn counted_in(&mut self, number: u32, piece: u32) -> u32 {
        let counted_in = match (self.pieces[piece].counted_in, self.parcels[number]) {
            (
                NONE,
                Parcel {
                    flow, ported: NONE, ..
                },
            ) => flow,
            (NONE, Parcel { ported, .. }) => ported,
            (known, _) => known,
        };
        self.pieces[piece].counted_in = counted_in;
        self.paths.resolve(counted_in)
    }

    /// A first fragment shows the ports of its datagram.
    fn name(&mut self, point: usize, sighting: &Sighting, parcel: u32) {
        if sighting.ported == super::sighting::NO_LANE {
            return;
        }
        let known = match self.parcels[parcel] {
            // What is whole somewhere is found by the flow with ports.
            Parcel {
                ported: NONE,
                form: Form::Whole,
                flow,
                ..
            } => flow,
            parcel => parcel.ported,
        };
        let ported = match known {
            NONE => self.paths.flow_or_new(point, sighting.ported),
            known => {
                let known = self.paths.resolve(known);
                let mine = self.paths.flow_of(point, sighting.ported);
                if mine != known && self.paths.may_bind(point, sighting.ported, known) {
                    self.bind_told(point, sighting.ported, known);
                }
                known
            }
        };
        self.parcels[parcel].ported = ported;
        self.ask_the_way(ported);
        let steps = self.paths.get(self.parcels[parcel].flow).steps;
        let flow = self.paths.get_mut(ported);
        flow.is_carrier |= sighting.is_carrier;
        if flow.steps == 0 {
            flow.steps = steps;
        }
    }

    /// Something that nobody saw before; gives its parcel.
    fn begin(&mut self, arrival: Arrival<'_>, flow: u32) -> u32 {
        let (point, sighting, time) = arrival.parts();
        let flow = match flow {
            NONE => self.paths.add(point, sighting.lane),
            flow => flow,
        };
        let number = self.begin_known(arrival, flow);
        let piece = self.parcels[number].pieces;
        let order = self.seen(piece, point).order;
        self.young
            .push_back(Due::new(time, order, Held::parcel(number)));
        self.begun_until = self.begun_until.max(time);
        self.keep_to_bounds();
        number
    }

    /// The same of a flow that is known; it is not due yet.
    fn begin_known(&mut self, arrival: Arrival<'_>, flow: u32) -> u32 {
        let (point, sighting, _) = arrival.parts();
        let (number, piece) = self.open(arrival, flow, bit(point));
        self.parcels[number].tells_time = self.tells_time(flow, sighting);
        self.see(arrival, number, piece);
        number
    }

    /// A parcel with its first piece, to be found by all its keys by those who did not see it.
    fn open(&mut self, arrival: Arrival<'_>, flow: u32, seen: Mask) -> (u32, u32) {
        let (point, sighting, _) = arrival.parts();
        let (number, piece) = self.make_parcel(arrival, flow);
        self.add_identity(number, sighting, flow, seen);
        self.add_datagram(number, point, flow, sighting);
        self.show_content(number, flow, sighting);
        self.show_begin(number, point, flow, sighting);
        self.note_begun(flow);
        if may_be_super(&self.parcels[number], sighting) {
            self.supers.add(number, &self.parcels[number]);
        } else if self.joins_udp && is_message(sighting) {
            self.messages.note(flow, number, sighting);
        }
        (number, piece)
    }

    /// Lets a parcel be found by what tells it from others of its flow, by those who did not see
    /// it.
    fn add_identity(&mut self, number: u32, sighting: &Sighting, flow: u32, seen: Mask) {
        match sighting.is_nameless() {
            true => self.line_up_nameless(number, sighting, flow, seen),
            false => self.add_key(number, sighting.identity().key(flow)),
        }
    }

    /// Lets a parcel be found by those who have it in other fragments, or whole.
    fn add_datagram(&mut self, number: u32, point: usize, flow: u32, sighting: &Sighting) {
        let base = match sighting.form {
            Form::Piece => Some(flow),
            _ if sighting.may_be_cut() => self.paths.base_of(point, sighting.lane),
            Form::Whole | Form::Segment => None,
        };
        if let Some(base) = base {
            self.add_key(number, datagram_key(base, sighting.id));
        }
    }

    /// A parcel with its first piece.
    fn make_parcel(&mut self, arrival: Arrival<'_>, flow: u32) -> (u32, u32) {
        let (_, sighting, time) = arrival.parts();
        let parcel = Parcel::of(sighting, flow, time);
        let number = self.parcels.insert(|| parcel);
        let (offset, bytes) = place_in(&parcel, sighting).unwrap_or((0, sighting.bytes));
        (number, self.add_piece(number, sighting, offset, bytes))
    }

    /// Writes in the book, which is away meanwhile.
    #[inline(always)]
    fn write_down(&mut self, write: impl FnOnce(&mut Self, &mut Book)) {
        if let Some(mut book) = self.book.take() {
            write(self, &mut book);
            self.book = Some(book);
        }
    }

    /// Something of a flow is under way from now on. What waited may be of one that has become part
    /// of another meanwhile.
    #[inline(always)]
    fn note_begun(&mut self, flow: u32) {
        let named = self.paths.get_mut(flow);
        named.named += 1;
        if !named.is_part() {
            return named.begins();
        }
        let whole = self.paths.resolve(flow);
        self.paths.get_mut(whole).begins();
    }

    /// Something of it no longer is, which was found by the number of this flow.
    #[inline(always)]
    fn note_over(&mut self, flow: u32) {
        let named = self.paths.get_mut(flow);
        named.named -= 1;
        if !named.is_part() {
            named.under_way -= 1;
            return;
        }
        let whole = self.paths.resolve(flow);
        self.paths.get_mut(whole).under_way -= 1;
    }

    /// Lets what is seen be found by its bytes, where that may be needed.
    fn show_content(&mut self, number: u32, flow: u32, sighting: &Sighting) {
        let is_wanted = self.paths.is_wanting(flow) && self.is_looked_for(flow, sighting);
        if is_wanted || may_be_renumbered(sighting) || self.paths.is_translated(flow) {
            self.add_key(number, content_key(sighting));
        }
        if is_wanted {
            self.note_looked_for(sighting);
        }
    }

    /// What was taken for two parcels is one.
    fn unite(&mut self, part: u32, whole: u32) {
        self.retire(part);
        let taken = self.parcels[part];
        self.parcels[part].is_open = false;
        self.parcels[whole].take_over(&taken);
        self.count_lone(whole);
        let mut at = taken.pieces;
        while at != NONE {
            let Piece {
                offset,
                bytes,
                next,
                ..
            } = self.pieces[at];
            match self.exact(&self.parcels[whole], offset, bytes) {
                NONE => {
                    let first = std::mem::replace(&mut self.parcels[whole].pieces, at);
                    self.pieces[at].next = first;
                }
                known => self.unite_pieces(at, known),
            }
            at = next;
        }
    }

    /// No point saw both.
    fn unite_pieces(&mut self, part: u32, whole: u32) {
        let taken = self.pieces[part];
        for point in (0..self.points).filter(|point| taken.seen & bit(*point) != 0) {
            *self.seen_mut(whole, point) = *self.seen(part, point);
        }
        let known = &mut self.pieces[whole];
        known.seen |= taken.seen;
        known.reordered |= taken.reordered;
        if known.content != taken.content {
            known.damaged |= taken.seen;
        }
        self.pieces.remove(part);
    }

    #[inline(always)]
    fn keep_to_bounds(&mut self) {
        if self.pieces.len() + self.strays.held() > MAX_IN_FLIGHT {
            self.make_room();
        }
    }

    /// By content are looked for all at first, then some: the same at every point.
    fn is_looked_for(&self, flow: u32, sighting: &Sighting) -> bool {
        flow == NONE || self.paths.get(flow).sightings < EAGER || sighting.is_one_in(8)
    }

    fn add_key(&mut self, parcel: u32, key: u64) {
        let first = self.parcels[parcel].keys;
        self.parcels[parcel].keys = self.index.insert(key, parcel, first);
    }

    fn add_piece(&mut self, parcel: u32, sighting: &Sighting, offset: u32, bytes: u32) -> u32 {
        let next = self.parcels[parcel].pieces;
        let make = || Piece::of(sighting, offset, bytes, next);
        let piece = self.pieces.insert(make);
        let needed = (piece as usize + 1) * self.points;
        while self.seen.len() < needed {
            self.seen.push(Seen::default);
        }
        let known = &mut self.parcels[parcel];
        known.pieces = piece;
        known.reach = known.reach.max(self.pieces[piece].end());
        piece
    }

    pub fn seen(&self, piece: u32, point: usize) -> &Seen {
        &self.seen[piece as usize * self.points + point]
    }

    fn seen_mut(&mut self, piece: u32, point: usize) -> &mut Seen {
        &mut self.seen[piece as usize * self.points + point]
    }

    pub fn piece(&self, piece: u32) -> &Piece {
        &self.pieces[piece]
    }
}

/// Where nothing is under way yet.
#[cfg(test)]
pub(super) fn of_points(points: usize) -> Flight {
    let clocks = vec![Clock::new(Duration(0)); points];
    let book = Book::new(points, Duration::from_secs(1));
    Flight::new(clocks, Duration::from_secs(5), book, HashMap::new(), 0)
}

/// The same of two points.
#[cfg(test)]
pub(super) fn of_two_points() -> Flight {
    of_points(2)
}

/// Pairs of points between which is counted: neighbours, then the ends if others are
/// between them.
#[inline]
pub(super) fn pairs(points: usize) -> impl Iterator<Item = (usize, usize)> {
    let neighbours = points.saturating_sub(1);
    let ends = neighbours + usize::from(points > 2);
    (0..ends).map(move |pair| match pair < neighbours {
        true => (pair, pair + 1),
        false => (0, neighbours),
    })
}

fn bit(point: usize) -> Mask {
    1 << point
}

/// The point nearest to one among others, those in front first.
fn nearest(others: Mask, point: usize, points: usize) -> Option<usize> {
    let in_front = (0..point).rev().find(|other| others & bit(*other) != 0);
    in_front.or_else(|| (point + 1..points).find(|other| others & bit(*other) != 0))
}

fn datagram_key(flow: u32, id: u32) -> u64 {
    hash(&[DATAGRAM, flow.into(), id.into()])
}

fn content_key(sighting: &Sighting) -> u64 {
    hash(&[BY_CONTENT, sighting.content(), 0])
}

/// Fragments whose identifications are not the same everywhere: of IPv6, where one is
/// fragmented anew, and of whatever something on the way has written anew.
fn may_be_renumbered(sighting: &Sighting) -> bool {
    sighting.form == Form::Piece && sighting.is_renumbered
}

/// Whether a NIC may cut it into several packets. UDP of such a size is cut by routers, too.
fn may_be_super(parcel: &Parcel, sighting: &Sighting) -> bool {
    let is_cut_so = parcel.form == Form::Segment || sighting.protocol == Protocol::UDP;
    is_cut_so && parcel.form != Form::Piece && parcel.length > SUPER_BYTES
}

/// How far apart two times are.
pub(super) fn apart(one: Timestamp, other: Timestamp) -> Duration {
    let apart = one.0.abs_diff(other.0);
    Duration(i64::try_from(apart).unwrap_or(i64::MAX))
}

/// What of a parcel a sighting is; `None` if it cannot be any.
fn place_in(parcel: &Parcel, sighting: &Sighting) -> Option<(u32, u32)> {
    let (offset, bytes) = match (parcel.form, sighting.form) {
        (Form::Segment, Form::Segment) => {
            (sighting.offset.wrapping_sub(parcel.start), sighting.bytes)
        }
        (Form::Segment, _) | (_, Form::Segment) => return None,
        (_, Form::Piece) => (sighting.offset, sighting.bytes),
        (Form::Piece, Form::Whole) => (0, sighting.bytes),
        (Form::Whole, Form::Whole) if parcel.length == sighting.bytes => (0, sighting.bytes),
        (Form::Whole, Form::Whole) => return None,
    };
    // Sizes of a stream's stretches are bounded by those of packets.
    (offset <= LARGEST_MTU * 64 && bytes <= LARGEST_MTU * 64).then_some((offset, bytes))
}

#[cfg(test)]
mod of_memory {
    //! What two points see, made up, and what is told of it.

    use super::*;
    use crate::compare::sighting::example;
    use crate::model::{FlowKey, ScopeTag};

    /// Both have met one flow.
    pub fn of_one_flow() -> Flight {
        let mut flight = of_two_points();
        (0..2).for_each(|point| meet_one(&mut flight, point, Addresses::default()));
        flight
    }

    /// Each of two points has met one flow, of hosts of which one is another behind NAT; captures last
    /// twenty seconds.
    pub fn behind_nat() -> Flight {
        behind_nat_by(Protocol::UDP)
    }

    /// The same, by a protocol.
    pub fn behind_nat_by(protocol: Protocol) -> Flight {
        let mut flight = of_two_points();
        for (point, host) in [(0, 1), (1, 2)] {
            let addresses = Addresses::v4([10, 0, 0, host], [10, 0, 1, 1]);
            meet_one_by(&mut flight, point, addresses, protocol);
        }
        let span = Some((Timestamp(0), Timestamp(20_000_000_000)));
        flight.spans.fill(span);
        flight
    }

    /// So many points have met one flow, and seen its first packet; captures last ten seconds.
    pub fn begun_at(points: usize) -> Flight {
        let mut flight = of_points(points);
        flight
            .spans
            .fill(Some((Timestamp(0), Timestamp(10_000_000_000))));
        for point in 0..points {
            meet_one(&mut flight, point, Addresses::default());
            take(&mut flight, point, 0, &example(1));
        }
        flight
    }

    /// A point meets the flow between two addresses.
    pub fn meet_one(flight: &mut Flight, point: usize, addresses: Addresses) {
        meet_one_by(flight, point, addresses, Protocol::UDP);
    }

    fn meet_one_by(flight: &mut Flight, point: usize, addresses: Addresses, protocol: Protocol) {
        let key = FlowKey {
            addresses,
            ports: None,
            protocol,
            scope: ScopeTag::WIRE,
        };
        let batch = Batch {
            lanes: vec![key],
            ..Batch::default()
        };
        flight.meet(point, &batch);
    }

    /// A packet of the first flow, new to who sees it.
    pub fn fresh(id: u32) -> Sighting {
        Sighting {
            is_fresh: true,
            ..example(id)
        }
    }

    pub fn take(flight: &mut Flight, point: usize, millisecond: i64, sighting: &Sighting) {
        flight.take(point, sighting, Timestamp(millisecond * 1_000_000));
    }

    /// Of each point, how many datagrams it saw, and how many of these the other did, too.
    pub fn tallies(mut flight: Flight) -> [(u64, u64); 2] {
        flight.finish();
        tallies_in(&flight.take_book())
    }

    /// The same, and how many packets were reordered.
    pub fn tallies_and_reordered(mut flight: Flight) -> ([(u64, u64); 2], u64) {
        flight.finish();
        let book = flight.take_book();
        let tallies = tallies_in(&book);
        let (accounts, _) = book.into_accounts();
        let reordered = accounts
            .iter()
            .flat_map(|account| account.between[0].reordered);
        (tallies, reordered.sum())
    }

    /// What is told of the first flow if each point has these of it at hand, which goes first at one
    /// of them.
    pub fn told_at_hand(
        mut flight: Flight,
        first: usize,
        packets: &[Vec<Sighting>; 2],
    ) -> Option<String> {
        let is_taken = flight.take_at_hand(0, first, packets);
        is_taken.then(|| told(flight))
    }

    /// The same if they come one by one.
    pub fn told_one_by_one(
        mut flight: Flight,
        first: usize,
        packets: &[Vec<Sighting>; 2],
    ) -> String {
        for point in [first, 1 - first] {
            for packet in &packets[point] {
                flight.take(point, packet, packet.time);
            }
        }
        told(flight)
    }

    fn told(mut flight: Flight) -> String {
        flight.finish();
        let (accounts, _) = flight.take_book().into_accounts();
        let between = &accounts[0].between[0];
        format!(
            "{:?} {:?} {:?} {} {} {:?}",
            between.front,
            between.back,
            between.reordered,
            between.segmented,
            between.coalesced,
            between.shape,
        )
    }

    pub fn tallies_in(book: &Book) -> [(u64, u64); 2] {
        let tallies = [0, 1].map(|point| &book.tallies[point]);
        tallies.map(|tally| (tally.datagrams, tally.matched))
    }
}
