//! What losses look like: where in datagrams, how large, how many in a row.

use std::ops::AddAssign;

/// Parts of a datagram that fragments are counted by.
pub const PARTS: usize = 10;
/// Upper ends of the classes that IP lengths are counted by; the last is open.
pub const SIZES: [u32; 7] = [127, 255, 511, 1023, 1279, 1518, 9216];
/// Numbers of fragments in their datagrams that are counted one by one; the last is for all
/// beyond.
pub const NUMBERS: usize = 16;
/// Distances between losses that are counted one by one.
const DISTANCES: usize = 64;

/// What became of a packet between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Seen on both sides.
    Both,
    /// Seen on the side of the first point alone.
    Front,
    /// Seen on the side of the last point alone.
    Back,
}

impl Fate {
    /// The same seen from the other end.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Both => Self::Both,
            Self::Front => Self::Back,
            Self::Back => Self::Front,
        }
    }

    /// The side, of two, of what one alone saw: 0 in front, 1 behind.
    pub(super) fn side(self) -> usize {
        usize::from(self == Self::Back)
    }

    /// The same in the direction that it went.
    #[must_use]
    pub(super) fn on_its_way(self, is_backward: bool) -> Self {
        if is_backward { self.reversed() } else { self }
    }
}

/// Packets by fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fates([u64; 3]);

impl Fates {
    /// One more.
    pub fn count(&mut self, fate: Fate) {
        self.add(fate, 1);
    }

    /// Some more.
    pub(super) fn add(&mut self, fate: Fate, count: u64) {
        self.0[fate as usize] += count;
    }

    /// The others, where some were counted apart as well.
    pub(super) fn without(&self, some: &Self) -> Self {
        let both = self.0.iter().zip(some.0);
        let mut rest = Self::default();
        for (rest, (all, some)) in rest.0.iter_mut().zip(both) {
            *rest = all.saturating_sub(some);
        }
        rest
    }

    /// How many.
    pub fn of(&self, fate: Fate) -> u64 {
        self.0[fate as usize]
    }
}

impl AddAssign for Fates {
    fn add_assign(&mut self, other: Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

/// The class of an IP length, as in [`SIZES`].
#[inline]
pub(super) fn size_class(ip_bytes: u32) -> usize {
    // The first classes have numbers one bit longer each: no comparing with all.
    let bits = u32::BITS - ip_bytes.leading_zeros();
    match bits.saturating_sub(SIZES[0].count_ones()) as usize {
        doubled @ ..DOUBLED => doubled,
        _ => {
            let larger = SIZES[DOUBLED..].iter();
            DOUBLED + larger.filter(|upper| ip_bytes > **upper).count()
        }
    }
}

/// Packets of a flow that are held against nothing.
const FIRST: u64 = 2;
/// Of more, these make no difference.
const FEW: u64 = 8;

/// How many of [`SIZES`] are all ones, each a bit longer than the one before.
const DOUBLED: usize = 4;

/// Where a fragment is in its datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number, from 0.
    pub number: u32,
    /// Where it begins, and how long the datagram is; `None` if nobody saw its end.
    pub of: Option<(u32, u32)>,
    /// Whether it is the last.
    pub is_last: bool,
}

/// The shortest and the longest of some packets, by IP length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest.
    pub least: u32,
    /// The longest; less than the shortest if there are none.
    pub most: u32,
}

impl Default for Lengths {
    fn default() -> Self {
        Self {
            least: u32::MAX,
            most: 0,
        }
    }
}

impl Lengths {
    /// One more.
    #[inline]
    pub fn note(&mut self, ip_bytes: u32) {
        self.least = self.least.min(ip_bytes);
        self.most = self.most.max(ip_bytes);
    }

    /// Others too.
    fn add(&mut self, others: Self) {
        self.least = self.least.min(others.least);
        self.most = self.most.max(others.most);
    }
}

/// Losses between two points.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// By tenths of the datagram.
    pub parts: [Fates; PARTS],
    /// First, middle and last fragments.
    pub ends: [Fates; 3],
    /// Fragments by their number in the datagram.
    pub numbers: [Fates; NUMBERS],
    /// By IP length.
    pub sizes: [Fates; SIZES.len() + 1],
    /// The shortest and the longest of each [`Fate`].
    pub lengths: [Lengths; 3],
    /// Highest number of a fragment that was seen on both sides, and lowest of one that
    /// was seen on one side: in front, and behind.
    pub passed_up_to: Option<u32>,
    /// See there.
    pub lost_from: [Option<u32>; 2],
    /// Runs of losses in front, and behind.
    pub runs: [Runs; 2],
    /// Losses that are in no run, in front and behind: of packets that look like others of their
    /// flow, it is not known which are missing.
    pub alike: [u64; 2],
}

/// Runs of losses, in the order in which packets were sent.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The last that was lost.
    latest: Option<u32>,
    /// The last of which that was known late, and how many were lost in a row up to it.
    late: Option<(u32, u64)>,
    current: u64,
    /// Losses.
    pub losses: u64,
    /// Runs.
    pub runs: u64,
    /// The longest.
    pub longest: u64,
    /// Distances between one loss and the next, by length; the last is for all longer.
    pub distances: [u32; DISTANCES],
    /// The distance that most of the longer ones have, and its lead over all others.
    far: (u32, u32),
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            latest: None,
            late: None,
            current: 0,
            losses: 0,
            runs: 0,
            longest: 0,
            distances: [0; DISTANCES],
            far: (0, 0),
        }
    }
}

impl Runs {
    /// The next that was lost had this place among those sent.
    fn lose(&mut self, order: u32) {
        self.losses += 1;
        let distance = self.latest.map(|latest| order.wrapping_sub(latest));
        // Of a datagram that is not whole it is known late what is lost, long after what was sent
        // behind it.
        if distance.is_some_and(|distance| distance as i32 <= 0) {
            self.lose_late(order);
            return;
        }
        if let Some(distance) = distance {
            let class = (distance as usize).min(DISTANCES - 1);
            self.distances[class] = self.distances[class].saturating_add(1);
            if class == DISTANCES - 1 {
                self.note_far((distance, 1));
            }
        }
        self.latest = Some(order);
        if distance == Some(1) {
            self.current += 1;
        } else {
            self.runs += 1;
            self.current = 1;
        }
        self.longest = self.longest.max(self.current);
    }

    /// One of those before the last that was lost.
    fn lose_late(&mut self, order: u32) {
        let run = match self.late {
            Some((before, run)) if order == before.wrapping_add(1) => run + 1,
            _ => 1,
        };
        self.late = Some((order, run));
        self.runs += u64::from(run == 1);
        self.longest = self.longest.max(run);
    }

    /// So many more were lost in a row behind that, up to this place.
    fn lose_in_a_row(&mut self, end: u32, count: u32) {
        debug_assert_eq!(self.latest, Some(end.wrapping_sub(count)));
        self.losses += u64::from(count);
        self.distances[1] = self.distances[1].saturating_add(count);
        self.latest = Some(end);
        self.current += u64::from(count);
        self.longest = self.longest.max(self.current);
    }

    /// The last that was lost, by its place among those sent; `None` for several flows.
    pub fn latest(&self) -> Option<u32> {
        self.latest
    }

    /// Distances too long to be counted one by one: the majority of them, by Boyer and Moore.
    fn note_far(&mut self, (distance, lead): (u32, u32)) {
        let (most, known) = self.far;
        self.far = match most == distance {
            true => (most, known.saturating_add(lead)),
            false if known < lead => (distance, lead - known),
            false => (most, known - lead),
        };
    }

    /// The distance that most losses have from the one before, as they never have by chance. Others
    /// have another where a datagram is not whole: of one whose first fragment is missing in front
    /// it is not known whose flow it is.
    pub fn period(&self) -> Option<u32> {
        let all: u64 = self.distances.iter().map(|count| u64::from(*count)).sum();
        let [near @ .., far] = &self.distances;
        let listed = near
            .iter()
            .zip(0..)
            .map(|(count, distance)| (*count, distance));
        let (distance, lead) = self.far;
        // What leads by so much has so many at least.
        let beyond = (far.saturating_add(lead) / 2, distance);
        let (count, distance) = listed
            .chain(std::iter::once(beyond))
            .max_by_key(|(count, _)| *count)?;
        // Where most losses are the only ones of their flow, distances tell of few.
        let is_told = all >= 8 && all * 2 >= self.losses;
        let is_rule = is_told && u64::from(count) * 3 >= all * 2;
        (is_rule && distance > 1).then_some(distance)
    }

    fn add(&mut self, other: &Self) {
        // Orders of several flows cannot be compared.
        (self.latest, self.late) = (None, None);
        self.losses += other.losses;
        self.runs += other.runs;
        self.longest = self.longest.max(other.longest);
        for (sum, more) in self.distances.iter_mut().zip(other.distances) {
            *sum = sum.saturating_add(more);
        }
        self.note_far(other.far);
    }
}

impl Shape {
    /// One packet, of this IP length; `place` if it is a fragment.
    pub fn count(&mut self, fate: Fate, ip_bytes: u32, place: Option<Place>) {
        self.sizes[size_class(ip_bytes)].count(fate);
        self.lengths[fate as usize].note(ip_bytes);
        if let Some(place) = place {
            self.place(fate, place);
        }
    }

    /// One that was lost, by its place among those of its flow; in that order.
    pub fn lose(&mut self, fate: Fate, order: u32) {
        if fate != Fate::Both {
            self.runs[fate.side()].lose(order);
        }
    }

    /// One that was lost, and looks like others of its flow.
    pub(crate) fn lose_alike(&mut self, fate: Fate) {
        if fate != Fate::Both {
            self.alike[fate.side()] += 1;
        }
    }

    /// The first packets of a flow look like others, as nothing is known to hold them against. Of a
    /// flow that is over and sent few, so many at each side, these may be all.
    pub(super) fn tell_few_apart(&mut self, sent: [u64; 2]) {
        let sides = self.alike.iter_mut().zip(&mut self.runs);
        for ((alike, runs), sent) in sides.zip(sent) {
            let first = if sent <= FEW { (*alike).min(FIRST) } else { 0 };
            *alike -= first;
            runs.losses += first;
            runs.runs += first;
            runs.longest = runs.longest.max(first.min(1));
        }
    }

    /// So many behind the one that was lost last, in a row up to this place.
    pub(super) fn lose_in_a_row(&mut self, fate: Fate, end: u32, count: u32) {
        if fate != Fate::Both {
            self.runs[fate.side()].lose_in_a_row(end, count);
        }
    }

    /// Several packets, by class of their IP length, and the ends of these.
    pub(super) fn count_sizes(
        &mut self,
        fate: Fate,
        sizes: [u16; SIZES.len() + 1],
        lengths: Lengths,
    ) {
        self.lengths[fate as usize].add(lengths);
        for (fates, count) in self.sizes.iter_mut().zip(sizes) {
            fates.add(fate, count.into());
        }
    }

    fn place(&mut self, fate: Fate, place: Place) {
        let end = match (place.number, place.is_last) {
            (0, _) => 0,
            (_, true) => 2,
            (_, false) => 1,
        };
        self.ends[end].count(fate);
        self.numbers[(place.number as usize).min(NUMBERS - 1)].count(fate);
        if let Some((offset, length)) = place.of {
            let part = u64::from(offset) * PARTS as u64 / u64::from(length.max(1));
            self.parts[(part as usize).min(PARTS - 1)].count(fate);
        }
        let number = Some(place.number);
        match fate {
            Fate::Both => self.passed_up_to = self.passed_up_to.max(number),
            Fate::Front => lower(&mut self.lost_from[0], place.number),
            Fate::Back => lower(&mut self.lost_from[1], place.number),
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.parts.iter_mut().zip(other.parts) {
            *sum += more;
        }
        for (sum, more) in self.ends.iter_mut().zip(other.ends) {
            *sum += more;
        }
        for (sum, more) in self.numbers.iter_mut().zip(other.numbers) {
            *sum += more;
        }
        for (sum, more) in self.sizes.iter_mut().zip(other.sizes) {
            *sum += more;
        }
        for (sum, more) in self.lengths.iter_mut().zip(other.lengths) {
            sum.add(more);
        }
        self.passed_up_to = self.passed_up_to.max(other.passed_up_to);
        for (mine, others) in self.lost_from.iter_mut().zip(other.lost_from) {
            if let Some(number) = others {
                lower(mine, number);
            }
        }
        for (mine, others) in self.runs.iter_mut().zip(&other.runs) {
            mine.add(others);
        }
        for (sum, more) in self.alike.iter_mut().zip(other.alike) {
            *sum += more;
        }
    }
}

fn lower(known: &mut Option<u32>, number: u32) {
    *known = Some(known.map_or(number, |known| known.min(number)));
}

impl Shape {
    /// The same seen from the other end.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut other = self.clone();
        let fates = other
            .parts
            .iter_mut()
            .chain(&mut other.ends)
            .chain(&mut other.numbers)
            .chain(&mut other.sizes);
        for fates in fates {
            fates.0.swap(Fate::Front as usize, Fate::Back as usize);
        }
        other
            .lengths
            .swap(Fate::Front as usize, Fate::Back as usize);
        other.lost_from.reverse();
        other.runs.reverse();
        other.alike.reverse();
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_in_the_class_of_the_first_that_is_not_less() {
        for ip_bytes in (0..10_000).chain([u32::MAX]) {
            let less = SIZES.iter().filter(|upper| ip_bytes > **upper).count();
            assert_eq!(size_class(ip_bytes), less, "{ip_bytes}");
        }
    }

    #[test]
    fn losses_in_a_row_are_the_same_however_many_are_told_at_once() {
        let [mut at_once, mut plain] = [Shape::default(), Shape::default()];
        for (order, behind) in [
            (3, 0),
            (4, 5),
            (20, 1),
            (90, 200),
            (1 << 31, 0),
            (u32::MAX, 3),
        ] {
            at_once.lose(Fate::Back, order);
            at_once.lose_in_a_row(Fate::Back, order.wrapping_add(behind), behind);
            (0..=behind).for_each(|more| plain.lose(Fate::Back, order.wrapping_add(more)));
        }
        let told = |shape: &Shape| {
            let [_, runs] = &shape.runs;
            (
                runs.losses,
                runs.runs,
                runs.longest,
                runs.latest,
                runs.distances,
                runs.far,
            )
        };
        assert_eq!(told(&at_once), told(&plain));
        assert_eq!(at_once.runs[1].longest, 201);
    }

    /// Losses so far from each other, of one flow and then of another.
    fn apart(distances: [u32; 2]) -> Runs {
        let [mut all, mut more] = [Runs::default(), Runs::default()];
        (0..20).for_each(|number| all.lose(number * distances[0]));
        (0..20).for_each(|number| more.lose(number * distances[1]));
        all.add(&more);
        all
    }

    #[test]
    fn the_first_of_a_few_are_not_alike() {
        let told = |lost: u64, sent: u64| {
            let mut shape = Shape::default();
            (0..lost).for_each(|_| shape.lose_alike(Fate::Front));
            shape.tell_few_apart([sent, 0]);
            let [runs, none] = &shape.runs;
            assert_eq!(none.losses, 0);
            (shape.alike[0], runs.losses, runs.runs, runs.longest)
        };
        assert_eq!(told(1, 1), (0, 1, 1, 1));
        assert_eq!(told(5, 8), (3, 2, 2, 1));
        assert_eq!(told(5, 9), (5, 0, 0, 0));
        assert_eq!(told(0, 3), (0, 0, 0, 0));
    }

    #[test]
    fn what_is_known_late_changes_no_distance() {
        let mut runs = Runs::default();
        for number in 0..20 {
            runs.lose(40 * number);
            // Of a datagram that was sent long before, two in a row.
            if number % 4 == 3 {
                runs.lose(40 * number - 90);
                runs.lose(40 * number - 89);
            }
        }
        assert_eq!((runs.losses, runs.runs, runs.longest), (30, 25, 2));
        assert_eq!((runs.distances[40], runs.period()), (19, Some(40)));
    }

    #[test]
    fn a_period_is_found_where_a_third_has_another() {
        let period = |others: u32| {
            let mut runs = Runs::default();
            let mut order = 0;
            for number in 0..31 {
                runs.lose(order);
                order += if number < others { 38 } else { 40 };
            }
            runs.period()
        };
        assert_eq!([period(10), period(11)], [Some(40), None]);
    }

    #[test]
    fn a_period_is_found_however_long_it_is() {
        for distance in [2, 62, 63, 64, 1_000, 90_000] {
            assert_eq!(apart([distance; 2]).period(), Some(distance), "{distance}");
        }
        for distances in [[64, 65], [2, 3], [2, 1_000], [1, 1]] {
            assert_eq!(apart(distances).period(), None, "{distances:?}");
        }
    }

    #[test]
    fn a_period_is_found_among_a_few_other_distances() {
        let mut runs = Runs::default();
        let mut order = 0;
        for number in 0..100 {
            runs.lose(order);
            order += if number % 20 == 7 { 333 } else { 100 };
        }
        assert_eq!(runs.period(), Some(100));
    }

    #[test]
    fn lengths_are_those_of_the_other_side_seen_from_there() {
        let mut shape = Shape::default();
        for (fate, ip_bytes) in [
            (Fate::Both, 900),
            (Fate::Front, 1_400),
            (Fate::Front, 1_430),
        ] {
            shape.count(fate, ip_bytes, None);
        }
        let [both, front, back] = shape.lengths;
        assert_eq!((both.least, both.most), (900, 900));
        assert_eq!((front.least, front.most), (1_400, 1_430));
        assert_eq!(shape.reversed().lengths, [both, back, front]);
    }
}
