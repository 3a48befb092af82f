//! Flows of points joined to flows of the path: by what was matched, not by names, since
//! NAT and tunnels change those.

use super::flight::pairs;
use super::lanes::without_ports;
use super::names::{Met, Name, Names};
use super::parcel::Mask;
use super::sighting::{Lane, NO_LANE};
use super::slab::NONE;
use crate::model::FlowKey;
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// The flows of all points.
#[derive(Debug)]
pub(super) struct Paths {
    points: usize,
    /// Of each point, by lane.
    lanes: Vec<Vec<Known>>,
    /// Of each point, the addresses between which fragments came.
    cut: Vec<HashSet<FlowKey, RandomState>>,
    /// The same in whatever tunnel, as hashes.
    cut_names: Vec<HashSet<u64, RandomState>>,
    /// The flow of the path that each is of.
    flows_of: Vec<Vec<u32>>,
    flows: Vec<PathFlow>,
    /// Lane of each flow at each point.
    at: Vec<u32>,
    /// Of each flow: how many of its packets came to each point; then, by pair of points and
    /// side, how far it has come by the order on the other side.
    orders: Vec<u32>,
    /// Of each flow, how its latest packets without an identification begin.
    heads: Vec<Heads>,
    by_name: Names,
    met: Met,
    /// Flows that go by other addresses and ports at some points than at others.
    translated: HashSet<u32, RandomState>,
    /// Flows that all points know by one name, of which became known which way they go. Where
    /// names are given anew, answers tell what is whose: what goes ahead and what goes back is to
    /// be taken in order.
    told: Vec<u32>,
    /// Whether any flow is known to go ahead, and any to go back.
    are_told: [bool; 2],
    /// How often a flow turned out to be known to more than one point, or not by its name alone.
    joined: u64,
    /// Flows that one point alone knows, and of which much was seen.
    lone: HashSet<u32, RandomState>,
    /// Those that became or ceased to be so.
    lone_told: Vec<u32>,
}

/// What is known of a lane.
#[derive(Clone, Copy, Debug)]
struct Known {
    key: FlowKey,
    /// The lane of fragments between the same addresses, which have no ports, once that
    /// matters; its own number if it is that.
    base: Lane,
    /// Whether a fragment of it was seen.
    has_fragments: bool,
    /// The number of its name, if it has ports.
    name: u32,
    /// Whether its addresses are the same wherever it is seen.
    is_never_translated: bool,
}

/// So many packets are enough to tell by their times which way a flow goes.
const SURE: i8 = 4;

/// A flow of the path, within one line of a cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct PathFlow {
    /// The flow that it turned out to be part of.
    same_as: u32,
    /// A flow that turned out to be part of this one, and the next of them.
    part: u32,
    next_part: u32,
    /// Parcels in flight that are found by its own number.
    pub named: u32,
    /// Points at which it is known.
    pub points: u16,
    /// Sightings of it, as far as that matters.
    pub sightings: u16,
    /// Parcels of it under way.
    pub under_way: u32,
    /// TTL steps seen between points, those towards the last counted positive.
    pub steps: i8,
    /// Whether a tunnel is in its packets.
    pub is_carrier: bool,
    /// Whether identifications of its packets were found to be the same at several points.
    pub keeps_ids: bool,
    /// Which way it goes where TTLs do not tell, as its addresses or times do: below 0 from the
    /// last point to the first. It is known from [`SURE`] on.
    way: i8,
    /// The points whose addresses were asked about that.
    pub asked: u16,
}

const _: () = assert!(size_of::<PathFlow>() == 32);

/// Of the hashes of how the latest two packets begin, the lower half; 0 where there was none yet.
/// Of packets that are all different, few enough pass for alike that bursts are not cut by them.
type Heads = [u32; 2];

impl Known {
    fn has_ports(&self) -> bool {
        self.key.ports.is_some()
    }

    /// Whether its addresses may be translated to those of another.
    fn may_become(&self, other: &Self) -> bool {
        let stays = self.is_never_translated || other.is_never_translated;
        !stays || self.key.addresses == other.key.addresses
    }
}

impl PathFlow {
    /// Something of it is under way from now on.
    #[inline(always)]
    pub fn begins(&mut self) {
        self.sightings = self.sightings.saturating_add(1);
        self.under_way += 1;
    }

    /// How the TTL of a packet differs between two points tells which way it goes.
    pub fn learn(&mut self, front: u8, back: u8, keeps_ids: bool) {
        self.keeps_ids |= keeps_ids;
        let steps = i16::from(front) - i16::from(back);
        if self.steps == 0 && steps != 0 {
            // It is to be asked anew.
            self.asked = 0;
        }
        self.steps = (i16::from(self.steps) + steps.signum()).clamp(-100, 100) as i8;
    }

    /// Whether it turned out to be part of another.
    #[inline(always)]
    pub fn is_part(&self) -> bool {
        self.same_as != NONE
    }

    /// Whether it goes from the last point to the first, as far as anything tells.
    pub fn is_backward(&self) -> bool {
        match self.steps {
            0 => self.way < 0,
            steps => steps < 0,
        }
    }

    /// The same, if it is known for sure which way it goes.
    pub fn knows_the_way(&self) -> Option<bool> {
        match self.steps {
            0 if self.way.abs() < SURE => None,
            0 => Some(self.way < 0),
            steps => Some(steps < 0),
        }
    }

    /// When a packet came to two points tells which way it goes.
    pub fn vote(&mut self, goes_back: bool) {
        self.way = (self.way + if goes_back { -1 } else { 1 }).clamp(-SURE, SURE);
        if self.way.abs() == SURE {
            self.asked = 0;
        }
    }
}

impl Paths {
    pub fn new(points: usize) -> Self {
        Self {
            points,
            lanes: vec![Vec::new(); points],
            cut: vec![HashSet::default(); points],
            cut_names: vec![HashSet::default(); points],
            flows_of: vec![Vec::new(); points],
            flows: Vec::new(),
            at: Vec::new(),
            orders: Vec::new(),
            heads: Vec::new(),
            by_name: Names::default(),
            met: Met::default(),
            translated: HashSet::default(),
            told: Vec::new(),
            are_told: [false; 2],
            joined: 0,
            lone: HashSet::default(),
            lone_told: Vec::new(),
        }
    }

    /// Takes in lanes of a point.
    pub fn meet(&mut self, point: usize, fresh: &[FlowKey], bases: &[(Lane, Lane)]) {
        let lanes = &mut self.lanes[point];
        let known = (lanes.len() as Lane..).zip(fresh).map(|(lane, key)| Known {
            key: *key,
            base: if key.ports.is_none() { lane } else { NO_LANE },
            has_fragments: false,
            name: match key.ports {
                None => NONE,
                Some(_) => self.met.meet(&Name::of(key), point),
            },
            is_never_translated: key.addresses.are_never_translated(),
        });
        lanes.extend(known);
        for (lane, base) in bases {
            lanes[*lane as usize].base = *base;
        }
        self.flows_of[point].resize(lanes.len(), NONE);
    }

    /// How many lanes a point has.
    pub fn lanes(&self, point: usize) -> usize {
        self.lanes[point].len()
    }

    /// The flow of a lane; [`NONE`] as long as that is not known.
    pub fn flow_of(&mut self, point: usize, lane: u32) -> u32 {
        let flow = self.flows_of[point][lane as usize];
        if flow == NONE || self.flows[flow as usize].same_as == NONE {
            return flow;
        }
        let resolved = self.resolve(flow);
        self.flows_of[point][lane as usize] = resolved;
        resolved
    }

    /// The flow that a lane was bound to, which may be part of another by now.
    #[inline(always)]
    pub fn bound_to(&self, point: usize, lane: u32) -> u32 {
        let flow = self.flows_of[point].get(lane as usize);
        flow.copied().unwrap_or(NONE)
    }

    /// Reads what is known of a flow.
    pub fn read(&self, flow: u32, point: usize) -> u32 {
        let order = self.orders[flow as usize * counts(self.points) + point];
        self.flows[flow as usize].same_as ^ order
    }

    /// How many flows there are.
    pub fn count(&self) -> usize {
        self.flows.len()
    }

    /// The flow that a flow turned out to be part of.
    pub fn resolve(&self, mut flow: u32) -> u32 {
        while flow != NONE && self.flows[flow as usize].same_as != NONE {
            flow = self.flows[flow as usize].same_as;
        }
        flow
    }

    /// The flow of fragments between the addresses of a lane, if they have a lane.
    pub fn base_of(&mut self, point: usize, lane: Lane) -> Option<u32> {
        let base = self.lanes[point][lane as usize].base;
        (base != NO_LANE).then(|| self.flow_or_new(point, base))
    }

    /// The flow of a lane, which is a new one as long as that is not known.
    pub fn flow_or_new(&mut self, point: usize, lane: Lane) -> u32 {
        match self.flow_of(point, lane) {
            NONE => self.add(point, lane),
            flow => flow,
        }
    }

    /// The lane of the fragments between the addresses of a lane, if there is one.
    pub fn base_lane(&self, point: usize, lane: Lane) -> Option<Lane> {
        let base = self.lanes[point][lane as usize].base;
        (base != NO_LANE).then_some(base)
    }

    /// The lane of a flow at a point.
    pub fn lane_at(&self, flow: u32, point: usize) -> u32 {
        self.at[flow as usize * self.points + point]
    }

    /// By what a lane goes.
    pub fn key_of(&self, point: usize, lane: Lane) -> &FlowKey {
        &self.lanes[point][lane as usize].key
    }

    /// The key of a flow at a point.
    pub fn key_at(&self, flow: u32, point: usize) -> Option<&FlowKey> {
        let lane = self.lane_at(flow, point);
        (lane != NO_LANE).then(|| self.key_of(point, lane))
    }

    #[inline(always)]
    pub fn get(&self, flow: u32) -> &PathFlow {
        &self.flows[flow as usize]
    }

    #[inline(always)]
    pub fn get_mut(&mut self, flow: u32) -> &mut PathFlow {
        &mut self.flows[flow as usize]
    }

    /// Whether a flow turned out to be part of another.
    pub fn is_part(&self, flow: u32) -> bool {
        self.flows[flow as usize].is_part()
    }

    /// Whether others turned out to be part of a flow.
    pub fn has_parts(&self, flow: u32) -> bool {
        self.flows[flow as usize].part != NONE
    }

    /// Whether anything of a flow is under way.
    pub fn is_under_way(&self, flow: u32) -> bool {
        self.flows[flow as usize].under_way > 0
    }

    /// Whether a flow is not known everywhere.
    pub fn is_wanting(&self, flow: u32) -> bool {
        (self.flows[flow as usize].points.count_ones() as usize) < self.points
    }

    /// Which way the addresses of a flow go, as far as that is known of those that it has now.
    pub fn tell_the_way(&mut self, flow: u32, goes_back: Option<bool>) {
        let known = &mut self.flows[flow as usize];
        known.asked = known.points;
        if let Some(goes_back) = goes_back {
            known.way = if goes_back { -SURE } else { SURE };
        }
        let told = known.knows_the_way();
        let is_told = told.is_some();
        if let Some(goes_back) = told {
            self.are_told[usize::from(goes_back)] = true;
        }
        if is_told && !self.is_wanting(flow) && !self.translated.contains(&flow) {
            self.told.push(flow);
        }
    }

    /// Whether times of packets of a flow tell how clocks are apart: not if it is unknown which
    /// way it goes, and others are known to go both ways.
    pub fn tells_clocks(&self, flow: u32) -> bool {
        !self.go_both_ways() || self.get(flow).knows_the_way().is_some()
    }

    /// Whether some flows are known to go ahead, and others to go back.
    pub fn go_both_ways(&self) -> bool {
        self.are_told == [true; 2]
    }

    /// Flows that all points know by one name, of which became known which way they go since this
    /// was asked.
    pub fn take_told(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.told)
    }

    /// Whether a packet of a flow without an identification begins with other bytes than the two
    /// before it, which it is remembered with: of those that are all alike none does, nor do the
    /// first.
    pub fn is_distinct(&mut self, flow: u32, head: u64) -> bool {
        if self.heads.len() <= flow as usize {
            self.heads.resize(self.flows.len(), [0; 2]);
        }
        let heads = &mut self.heads[flow as usize];
        let head = (head as u32).max(1);
        let is_distinct = !heads.contains(&head) && !heads.contains(&0);
        *heads = [heads[1], head];
        is_distinct
    }

    /// A new flow, of this lane.
    pub fn add(&mut self, point: usize, lane: u32) -> u32 {
        let flow = self.flows.len() as u32;
        self.flows.push(PathFlow {
            same_as: NONE,
            part: NONE,
            next_part: NONE,
            named: 0,
            points: 0,
            sightings: 0,
            under_way: 0,
            steps: 0,
            is_carrier: false,
            keeps_ids: false,
            way: 0,
            asked: 0,
        });
        self.at.resize(self.flows.len() * self.points, NO_LANE);
        self.orders
            .resize(self.flows.len() * counts(self.points), 0);
        let name = self.name(point, lane);
        if !self.by_name.add(name, flow) {
            self.joined += 1;
            self.end_lone_named(name);
        }
        self.bind(point, lane, flow);
        flow
    }

    /// A flow that no point has met, of the same addresses and ports at all of them; `None`
    /// if it may be one that is known.
    pub fn add_everywhere(&mut self, lane_at: impl Fn(usize) -> Lane) -> Option<u32> {
        let name = self.name(0, lane_at(0));
        let is_unmet = |point: usize| self.bound_to(point, lane_at(point)) == NONE;
        let is_it = |point: usize| is_unmet(point) && self.name(point, lane_at(point)) == name;
        if !(0..self.points).all(is_it) || self.by_name.has(&name) {
            return None;
        }
        let flow = self.add(0, lane_at(0));
        for point in 1..self.points {
            self.set(point, lane_at(point), flow);
        }
        Some(flow)
    }

    /// A lane turned out to be of a flow. What it was taken for becomes part of that; where a point
    /// has both, the later of the two becomes part of the earlier, so that names which come again
    /// and again are all parts of one.
    pub fn bind(&mut self, point: usize, lane: u32, flow: u32) {
        let before = self.flow_of(point, lane);
        let mut whole = flow;
        if before != NONE && before != flow {
            let is_shared = self.flows[before as usize].points & self.flows[flow as usize].points;
            let part = match is_shared != 0 && before < flow {
                true => std::mem::replace(&mut whole, before),
                false => before,
            };
            self.merge(part, whole);
        }
        self.set(point, lane, whole);
        self.note_translated(point, lane, whole);
    }

    fn set(&mut self, point: usize, lane: u32, flow: u32) {
        self.flows_of[point][lane as usize] = flow;
        let at = &mut self.at[flow as usize * self.points + point];
        if *at == NO_LANE || self.lanes[point][lane as usize].has_ports() {
            *at = lane;
        }
        let points = &mut self.flows[flow as usize].points;
        let is_known_elsewhere = *points & !(1 << point) != 0;
        *points |= 1 << point;
        if is_known_elsewhere {
            self.joined += 1;
            self.end_lone(flow);
        }
    }

    /// Notes whether a lane, of a flow, has other addresses than that has elsewhere.
    fn note_translated(&mut self, point: usize, lane: u32, flow: u32) {
        let mine = self.name(point, lane);
        let mut keys = (0..self.points).filter_map(|point| self.key_at(flow, point));
        let is_translated = keys.any(|key| Name::of(key) != mine);
        if is_translated {
            self.translated.insert(flow);
        }
    }

    /// Whether a lane may be of a flow: no point has both that and what the lane was taken
    /// for.
    pub fn may_bind(&self, point: usize, lane: u32, flow: u32) -> bool {
        let mine = match self.resolve(self.flows_of[point][lane as usize]) {
            NONE => 1 << point,
            before => self.flows[before as usize].points,
        };
        self.flows[flow as usize].points & mine == 0
    }

    /// Whether a lane may be of a flow by its bytes alone: where addresses and ports were
    /// translated in between, neither goes by its own where the other is known. Fragments have
    /// no ports, and others go between the same addresses.
    pub fn may_be_renamed(&self, point: usize, lane: u32, flow: u32) -> bool {
        self.may_bind(point, lane, flow) && self.is_free(point, lane, flow)
    }

    /// Whether a lane may be that of a flow from now on, whose ever it was, and whatever that flow
    /// had before.
    pub fn may_take_over(&self, point: usize, lane: u32, flow: u32) -> bool {
        self.lanes[point][lane as usize].has_ports() && self.is_free(point, lane, flow)
    }

    /// Whether neither a lane goes by its own name where a flow is known, nor that where the lane
    /// is.
    fn is_free(&self, point: usize, lane: u32, flow: u32) -> bool {
        let known = &self.lanes[point][lane as usize];
        let may_be = |other: usize| {
            let there = self.lane_at(flow, other);
            other == point || there == NO_LANE || {
                let there = &self.lanes[other][there as usize];
                let (mine, theirs) = (known.name, there.name);
                let has_met = |name: u32, point: usize| self.met.at(name) & 1 << point != 0;
                known.may_become(there)
                    && (theirs == mine || !(has_met(mine, other) || has_met(theirs, point)))
            }
        };
        (0..self.points).all(may_be)
    }

    /// Flows that answer, at other points, the one that a lane answers, if they go by another name
    /// there.
    pub fn answering(&self, point: usize, lane: u32) -> impl Iterator<Item = u32> + '_ {
        let asked = Name::answered(&self.lanes[point][lane as usize].key);
        let asked = self.by_name.all(asked).map(|flow| self.resolve(flow));
        let asked = asked.filter(|flow| self.is_translated(*flow));
        let others = (0..self.points).filter(move |other| *other != point);
        let keys = asked.flat_map(move |flow| {
            let others = others.clone();
            others.filter_map(move |other| self.key_at(flow, other))
        });
        let answers = keys.flat_map(|key| self.by_name.all(Name::answered(key)));
        answers.map(|flow| self.resolve(flow))
    }

    /// How much of the name of a lane would be translated if it were of a flow: of addresses and
    /// ports. Of flows with the same bytes the one is more likely of which that is less.
    pub fn renamed(&self, point: usize, lane: u32, flow: u32) -> usize {
        let mine = &self.lanes[point][lane as usize].key;
        let theirs = (0..self.points).filter_map(|other| self.key_at(flow, other));
        theirs.map(|key| differing(mine, key)).min().unwrap_or(0)
    }

    /// Whether a flow goes by other addresses and ports at some points than at others.
    pub fn is_translated(&self, flow: u32) -> bool {
        !self.translated.is_empty() && self.translated.contains(&flow)
    }

    /// Whether the fragments of a lane may be of a flow that has others at the same point:
    /// several hosts go by one address further on, and there their fragments have one lane.
    pub fn may_share(&self, point: usize, lane: u32, flow: u32) -> bool {
        let theirs = (0..self.points).map(|other| (other, self.lane_at(flow, other)));
        let mut known = theirs.filter(|(_, lane)| *lane != NO_LANE);
        !self.lanes[point][lane as usize].has_ports()
            && known.all(|(other, lane)| !self.lanes[other][lane as usize].has_ports())
    }

    /// What was counted of either is counted on: of flows with ports, no point has seen both.
    fn merge(&mut self, part: u32, whole: u32) {
        for point in 0..self.points {
            let lane = self.at[part as usize * self.points + point];
            if lane != NO_LANE {
                self.set(point, lane, whole);
            }
        }
        self.joined += 1;
        self.take_over_orders(part, whole);
        self.add_part(part, whole);
        let taken = self.flows[part as usize];
        let whole_flow = whole;
        let whole = &mut self.flows[whole as usize];
        whole.under_way += taken.under_way;
        whole.steps = whole.steps.saturating_add(taken.steps);
        whole.is_carrier |= taken.is_carrier;
        whole.keeps_ids |= taken.keeps_ids;
        if self.translated.remove(&part) {
            self.translated.insert(whole_flow);
        }
    }

    /// One flow becomes part of another, and so do its own parts. Those of which nothing is in flight
    /// any more are left out: nothing is found by their numbers.
    fn add_part(&mut self, part: u32, whole: u32) {
        [part, whole]
            .into_iter()
            .for_each(|flow| self.end_lone(flow));
        self.flows[part as usize].same_as = whole;
        let mut last = part;
        for mut next in [
            self.flows[part as usize].part,
            self.flows[whole as usize].part,
        ] {
            while next != NONE {
                if self.flows[next as usize].named > 0 {
                    self.flows[last as usize].next_part = next;
                    last = next;
                }
                next = self.flows[next as usize].next_part;
            }
        }
        self.flows[last as usize].next_part = NONE;
        self.flows[whole as usize].part = part;
    }

    /// The numbers by which parcels of a flow are found: its own, and those of flows that
    /// turned out to be part of it as long as something of them is in flight.
    pub fn names(&self, flow: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |number: u32| (number != NONE).then_some(number);
        let parts = next(self.flows[flow as usize].part);
        let parts = std::iter::successors(parts, move |part| {
            next(self.flows[*part as usize].next_part)
        });
        let named = parts.filter(|part| self.flows[*part as usize].named > 0);
        std::iter::once(flow).chain(named)
    }

    /// Flows that a lane may be of by its addresses and ports.
    pub fn alike(&self, point: usize, lane: u32) -> impl Iterator<Item = u32> + '_ {
        let flows = self.by_name.all(self.name(point, lane));
        flows.map(|flow| self.resolve(flow))
    }

    /// Whether a flow goes by the addresses and ports of a lane somewhere.
    pub fn goes_by_name(&self, point: usize, lane: u32, flow: u32) -> bool {
        self.alike(point, lane).any(|alike| alike == flow)
    }

    /// Whether one point alone knows a flow, and nobody one of the same name.
    #[inline(always)]
    pub fn is_single(&self, flow: u32) -> bool {
        let known = &self.flows[flow as usize];
        known.points.is_power_of_two() && !self.has_parts(flow) && self.by_name.is_single(flow)
    }

    /// Much was seen of a flow that one point alone knows.
    pub fn begin_lone(&mut self, flow: u32) {
        if self.lone.insert(flow) {
            self.lone_told.push(flow);
        }
    }

    /// A flow is to be held against those of other points from now on.
    pub fn end_lone(&mut self, flow: u32) {
        if !self.lone.is_empty() && self.lone.remove(&flow) {
            self.lone_told.push(flow);
        }
    }

    fn end_lone_named(&mut self, name: Name) {
        if !self.lone.is_empty() {
            let flows: Vec<u32> = self.by_name.all(name).collect();
            flows.into_iter().for_each(|flow| self.end_lone(flow));
        }
    }

    /// Whether one point alone knows a flow, of which much was seen.
    pub fn is_lone(&self, flow: u32) -> bool {
        self.lone.contains(&flow)
    }

    /// Whether any flow became or ceased to be so since they were taken.
    pub fn has_lone_told(&self) -> bool {
        !self.lone_told.is_empty()
    }

    /// These.
    pub fn take_lone_told(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.lone_told)
    }

    /// As long as this is the same, every flow that was single is.
    pub fn joined(&self) -> u64 {
        self.joined
    }

    /// Counts one more packet of a flow at a point; gives how many came before.
    #[inline(always)]
    pub fn next_order(&mut self, flow: u32, point: usize) -> u32 {
        let counts = counts(self.points);
        let order = &mut self.orders[flow as usize * counts + point];
        let before = *order;
        *order = order.wrapping_add(1);
        before
    }

    /// What is counted of a flow: of its packets by point, and how far it has come on each
    /// side of each pair of points.
    #[inline(always)]
    fn orders_of(&mut self, flow: u32, points: usize) -> (&mut [u32], &mut [[u32; 2]]) {
        debug_assert_eq!(points, self.points);
        let counts = counts(points);
        let first = flow as usize * counts;
        let (orders, highest) = self.orders[first..first + counts].split_at_mut(points);
        (orders, highest.as_chunks_mut().0)
    }

    /// Notes that a packet of a flow came to a point, which others saw before, each at some
    /// place in its order; gives where it was overtaken, as in
    /// [`Piece`](super::parcel::Piece).
    pub fn come(
        &mut self,
        flow: u32,
        point: usize,
        others: Mask,
        order_at: impl Fn(usize) -> u32,
    ) -> u32 {
        let mut reordered = 0;
        let points = self.points;
        let (_, highest) = self.orders_of(flow, points);
        for (pair, ((front, back), highest)) in pairs(points).zip(highest).enumerate() {
            let other = match point {
                _ if point == front => back,
                _ if point == back => front,
                _ => continue,
            };
            if others & (1 << other) != 0 {
                reordered |= overtaken(highest, [front, back].map(&order_at)) << (2 * pair);
            }
        }
        reordered
    }

    /// The same of a packet that comes to every point, of which there are so many, and is
    /// the next there.
    #[inline(always)]
    pub fn come_everywhere(&mut self, flow: u32, points: usize) -> u32 {
        let mut reordered = 0;
        let (orders, highest) = self.orders_of(flow, points);
        for (pair, ((front, back), highest)) in pairs(points).zip(highest).enumerate() {
            reordered |= overtaken(highest, [orders[front], orders[back]]) << (2 * pair);
        }
        for order in orders {
            *order = order.wrapping_add(1);
        }
        reordered
    }

    /// Notes that there are fragments of a flow; says whether that is new.
    pub fn comes_in_fragments(&mut self, point: usize, lane: u32) -> bool {
        let known = &mut self.lanes[point][lane as usize];
        let is_new = !std::mem::replace(&mut known.has_fragments, true);
        if is_new {
            self.cut[point].insert(known.key);
            self.cut_names[point].insert(Name::of(&known.key).hash());
        }
        is_new
    }

    /// Whether there are fragments between the addresses of a flow, wherever it is known.
    #[inline(always)]
    pub fn may_have_fragments(&self, flow: u32) -> bool {
        let are_any = self.cut.iter().any(|cut| !cut.is_empty());
        are_any && self.has_fragments(flow)
    }

    fn has_fragments(&self, flow: u32) -> bool {
        (0..self.points).any(|point| {
            let lane = self.lane_at(flow, point);
            lane != NO_LANE && !self.cut[point].is_empty() && self.lane_is_cut(point, lane)
        })
    }

    /// Whether other points than one have fragments between the addresses of a flow, in whatever
    /// tunnel.
    pub fn is_cut_elsewhere(&self, flow: u32, point: usize) -> bool {
        let others = (0..self.points).filter(|other| *other != point);
        let mut cut = others.map(|other| &self.cut_names[other]);
        let name = || {
            let key = self.key_at(flow, point)?;
            Some(Name::of(&without_ports(key)).hash())
        };
        cut.any(|cut| !cut.is_empty() && name().is_some_and(|name| cut.contains(&name)))
    }

    /// Whether other points know the flow of fragments between the addresses of a lane, by whatever
    /// addresses they have.
    pub fn is_base_known_elsewhere(&self, point: usize, lane: Lane) -> bool {
        let base = self.lanes[point][lane as usize].base;
        let flow = self.resolve(self.bound_to(point, base));
        flow != NONE && self.flows[flow as usize].points & !(1 << point) != 0
    }

    fn lane_is_cut(&self, point: usize, lane: Lane) -> bool {
        let known = &self.lanes[point][lane as usize];
        match self.lanes[point].get(known.base as usize) {
            Some(base) => base.has_fragments,
            // Nothing came there yet that may be cut.
            None => self.cut[point].contains(&without_ports(&known.key)),
        }
    }

    /// What is counted of a part, where nothing is counted of the whole. Where both were counted at
    /// one point, what came of the part stands behind what came of the whole, and has lower numbers: how
    /// far the whole had come tells nothing of that.
    fn take_over_orders(&mut self, part: u32, whole: u32) {
        let counts = counts(self.points);
        let [part, whole] = [part, whole].map(|flow| flow as usize * counts);
        let is_in_both = |place: usize| {
            let orders = [part, whole].map(|first| self.orders[first + place]);
            orders.iter().all(|order| *order > 0)
        };
        let are_mixed = (0..self.points).any(is_in_both);
        for place in 0..counts {
            let taken = self.orders[part + place];
            let known = &mut self.orders[whole + place];
            *known = match are_mixed && place >= self.points {
                true => 0,
                false => taken.max(*known),
            };
        }
    }

    fn name(&self, point: usize, lane: u32) -> Name {
        Name::of(&self.lanes[point][lane as usize].key)
    }

    /// The flows that fragments of a flow may be of, wherever it is known.
    pub fn bases(&self, flow: u32) -> impl Iterator<Item = u32> + '_ {
        let keys = (0..self.points).filter_map(move |point| self.key_at(flow, point));
        let flows = keys.flat_map(|key| self.by_name.all(Name::of(&without_ports(key))));
        flows.flat_map(|flow| self.names(self.resolve(flow)))
    }
}

/// How many of the addresses and ports of two flows differ.
fn differing(one: &FlowKey, other: &FlowKey) -> usize {
    let parts = |key: &FlowKey| {
        let ports = key.ports.unwrap_or_default();
        let ports = [ports.source, ports.destination];
        ([key.addresses.source, key.addresses.destination], ports)
    };
    let ((one, my_ports), (other, their_ports)) = (parts(one), parts(other));
    let addresses = one.iter().zip(&other).filter(|(one, other)| one != other);
    let ports = my_ports.iter().zip(&their_ports);
    addresses.count() + ports.filter(|(one, other)| one != other).count()
}

/// What is counted of a flow: points, and twice the pairs of points, of which there are no
/// more. It begins where lines of a cache do, or halves of them.
fn counts(points: usize) -> usize {
    (3 * points).next_multiple_of(8)
}

/// Whether a packet of which two points have seen one after the other had come to either of
/// them before one that both have seen already. Of a flow that goes forward, packets come to
/// the point behind in the order in which both have seen them, so that only the order in
/// front can tell; and the other way round. Which of them saw it first is not asked: that
/// may hang on a microsecond. There is a bit for each side.
fn overtaken(highest: &mut [u32; 2], orders: [u32; 2]) -> u32 {
    let [front, back] = [orders[0] < highest[0], orders[1] < highest[1]];
    *highest = [orders[0].max(highest[0]), orders[1].max(highest[1])];
    u32::from(front) | u32::from(back) << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Addresses, Ports, Protocol, ScopeTag};

    fn key(source: [u8; 4], port: u16) -> FlowKey {
        FlowKey {
            addresses: Addresses::v4(source, [10, 0, 0, 2]),
            ports: Some(Ports {
                source: port,
                destination: 53,
            }),
            protocol: Protocol::UDP,
            scope: ScopeTag::WIRE,
        }
    }

    const SENDER: [u8; 4] = [10, 0, 0, 1];
    const ROUTER: [u8; 4] = [192, 0, 2, 1];

    /// Two points; the second met the same flows in another order, and those of a router.
    fn paths() -> Paths {
        let mut paths = Paths::new(2);
        paths.meet(0, &[key(SENDER, 1), key(SENDER, 2), key(SENDER, 3)], &[]);
        let there = [key(SENDER, 2), key(SENDER, 1), key(ROUTER, 3)];
        paths.meet(1, &there, &[]);
        paths
    }

    #[test]
    fn a_flow_of_which_much_was_seen_alone_is_told_until_others_may_have_it() {
        let mut paths = paths();
        let flows = [0, 1, 2].map(|lane| paths.add(0, lane));
        flows.into_iter().for_each(|flow| paths.begin_lone(flow));
        paths.begin_lone(flows[0]);
        assert_eq!(paths.take_lone_told(), flows);
        assert!(!paths.has_lone_told() && paths.is_lone(flows[0]));
        // One has the name of the second, and one is found to be the third.
        paths.add(1, 0);
        assert_eq!(paths.take_lone_told(), [flows[1]]);
        paths.bind(1, 2, flows[2]);
        assert_eq!(paths.take_lone_told(), [flows[2]]);
        assert_eq!(flows.map(|flow| paths.is_lone(flow)), [true, false, false]);
        let other = paths.add(1, 1);
        paths.bind(1, 1, flows[0]);
        assert_eq!(paths.take_lone_told(), [flows[0]]);
        assert!(paths.is_part(other));
    }

    #[test]
    fn what_looks_like_the_two_before_it_is_not_distinct() {
        let mut paths = paths();
        let flow = paths.add(0, 0);
        let mut told = |heads: &[u64]| -> Vec<bool> {
            let heads = heads.iter();
            heads.map(|head| paths.is_distinct(flow, *head)).collect()
        };
        assert_eq!(told(&[5, 6, 7, 8]), [false, false, true, true]);
        assert_eq!(told(&[7, 9, 9, 9, 7]), [false, true, false, false, true]);
        assert_eq!(told(&[9, 7, 9, 7]), [false; 4]);
        let all_different: Vec<u64> = (1..2_000).map(|head| head << 8).collect();
        assert!(told(&all_different).iter().all(|is_distinct| *is_distinct));
    }

    #[test]
    fn what_goes_by_the_same_names_is_met_everywhere() {
        let mut paths = paths();
        let flow = paths.add_everywhere(|point| [0, 1][point]).unwrap();
        assert_eq!([paths.bound_to(0, 0), paths.bound_to(1, 1)], [flow; 2]);
        assert!(!paths.is_wanting(flow));
        assert_eq!(paths.add_everywhere(|point| [0, 1][point]), None, "known");
        assert_eq!(paths.add_everywhere(|point| [1, 2][point]), None, "NAT");
        let other = paths.add_everywhere(|point| [1, 0][point]);
        assert_ne!(other, Some(flow));
    }

    #[test]
    fn what_may_be_a_flow_that_some_point_met_is_not() {
        let mut paths = paths();
        let flow = paths.add(0, 1);
        assert_eq!(paths.add_everywhere(|point| [1, 0][point]), None);
        paths.bind(1, 0, flow);
        assert_eq!(paths.bound_to(1, 0), flow);
    }

    #[test]
    fn who_goes_by_the_same_name_elsewhere_is_not_renamed() {
        let mut paths = paths();
        let [first, _, third] = [0, 1, 2].map(|lane| paths.add(0, lane));
        assert!(
            paths.may_be_renamed(1, 2, third),
            "the router's is nowhere else"
        );
        assert!(
            !paths.may_be_renamed(1, 2, first),
            "nobody translated the first"
        );
        assert!(!paths.may_be_renamed(1, 0, third), "nor the second");
        assert!(paths.may_be_renamed(1, 1, first), "it has the same name");
        paths.bind(1, 2, third);
        assert!(!paths.may_be_renamed(1, 2, third), "it is known there");
    }

    /// Whether what goes between these at one point may go between others at the next.
    fn may_be_translated(from: Addresses, to: Addresses) -> bool {
        let mut paths = Paths::new(2);
        let lanes = [from, to].map(|addresses| FlowKey {
            addresses,
            ..without_ports(&key(SENDER, 1))
        });
        (0..2).for_each(|point| paths.meet(point, &lanes[point..=point], &[]));
        let flow = paths.add(0, 0);
        paths.may_be_renamed(1, 0, flow)
    }

    /// Hosts of two links report the same groups with the same bytes.
    #[test]
    fn what_stays_on_its_link_is_not_translated() {
        let host = |last: u8| {
            let mut address = [0; 16];
            (address[0], address[1], address[15]) = (0xfe, 0x80, last);
            address
        };
        let mut routers = [0; 16];
        (routers[0], routers[1], routers[15]) = (0xff, 2, 0x16);
        let report = |last: u8| Addresses::v6(host(last), routers);
        assert!(!may_be_translated(report(1), report(2)));
        assert!(may_be_translated(report(1), report(1)), "in a tunnel");
        let igmp = |last: u8| Addresses::v4([10, 0, 0, last], [224, 0, 0, 22]);
        assert!(!may_be_translated(igmp(1), igmp(2)));
        let service = |to: [u8; 4]| Addresses::v4([10, 0, 0, 1], to);
        assert!(may_be_translated(
            service([169, 254, 169, 254]),
            service([10, 0, 0, 9])
        ));
    }

    #[test]
    fn who_is_overtaken_does_not_hang_on_who_saw_it_first() {
        let mut paths = paths();
        let flow = paths.add_everywhere(|point| [0, 1][point]).unwrap();
        // What is sent as the third comes as the first; the clocks are a little wrong.
        let mut come = |point: usize, orders: [u32; 2]| {
            paths.come(flow, point, 1 << (1 - point), |point| orders[point])
        };
        assert_eq!(come(0, [2, 0]), 0);
        assert_eq!(come(1, [0, 1]), 0b01);
        assert_eq!(come(0, [1, 2]), 0b01);
        assert_eq!(come(1, [3, 3]), 0);
        // The same on the way back.
        let other = paths.add_everywhere(|point| [1, 0][point]).unwrap();
        let mut come = |point: usize, orders: [u32; 2]| {
            paths.come(other, point, 1 << (1 - point), |point| orders[point])
        };
        assert_eq!(come(1, [0, 1]), 0);
        assert_eq!(come(0, [1, 0]), 0b10);
    }

    #[test]
    fn what_comes_everywhere_is_the_next_there() {
        let mut paths = paths();
        let flow = paths.add_everywhere(|point| [0, 1][point]).unwrap();
        assert_eq!(paths.come_everywhere(flow, 2), 0);
        assert_eq!([0, 1].map(|point| paths.next_order(flow, point)), [1, 1]);
        // One that came before is seen behind now, after another.
        assert_eq!(paths.next_order(flow, 0), 2);
        assert_eq!(paths.come_everywhere(flow, 2), 0);
        let late = [2, paths.next_order(flow, 1)];
        assert_eq!(paths.come(flow, 1, 0b01, |point| late[point]), 0b01);
    }

    #[test]
    fn fragments_count_before_it_is_known_whose_they_are() {
        let mut paths = paths();
        let flow = paths.add_everywhere(|point| [0, 1][point]).unwrap();
        let base = without_ports(&key(SENDER, 1));
        paths.meet(0, &[base], &[]);
        paths.meet(1, &[base], &[(1, 3)]);
        assert!(!paths.may_have_fragments(flow));
        paths.comes_in_fragments(0, 3);
        assert!(paths.may_have_fragments(flow));
        assert_eq!(paths.base_of(0, 0), None);
        assert!(paths.base_of(1, 1).is_some_and(|base| base != flow));
    }

    #[test]
    fn fragments_elsewhere_are_known_in_whatever_tunnel() {
        let mut paths = paths();
        let flow = paths.add(0, 0);
        let inside = FlowKey {
            scope: ScopeTag(7),
            ..without_ports(&key(SENDER, 1))
        };
        paths.meet(1, &[inside, without_ports(&key(ROUTER, 1))], &[]);
        let cut_elsewhere = |paths: &Paths| paths.is_cut_elsewhere(flow, 0);
        assert!(!cut_elsewhere(&paths));
        paths.add(1, 4);
        paths.comes_in_fragments(1, 4);
        assert!(!cut_elsewhere(&paths), "these are of the router");
        paths.add(1, 3);
        assert!(!cut_elsewhere(&paths), "all of it was whole");
        paths.comes_in_fragments(1, 3);
        assert!(cut_elsewhere(&paths));
        assert!(!paths.is_cut_elsewhere(flow, 1), "that is no other point");
    }
}
