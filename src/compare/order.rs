//! In which order points lie along the path, as far as what they have in common tells.
//!
//! Of each two points it is known of some hosts how much of what goes between them came to one
//! before the other. What goes back tells as much as what goes there: it is turned around. Which
//! hosts are which way around is found from what is known already, beginning with those that
//! have most.

use crate::model::Addresses;
use std::collections::{BTreeMap, BTreeSet};

/// What goes between two hosts at two points, in bytes: more than 0 if the first point lies
/// in front on the way from the one to the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lead {
    /// By TTLs.
    by_steps: i64,
    /// By times, of what goes there and of what comes back.
    by_time: [i64; 2],
    /// How much more goes there than back.
    more: i64,
}

impl Lead {
    /// One more packet: which point is in front of the other by its TTL, and by its time, and
    /// whether it goes back.
    pub fn take(&mut self, bytes: u32, steps: i64, by_time: i64, is_turned: bool) {
        let turn = if is_turned { -1 } else { 1 };
        let bytes = i64::from(bytes);
        self.by_steps += turn * steps * bytes;
        self.more += turn * bytes;
        if steps == 0 {
            self.by_time[usize::from(is_turned)] += turn * by_time * bytes;
        }
    }

    /// By what tells most. Clocks by which everything comes late, whichever way it goes, are no
    /// help.
    fn told(&self) -> i64 {
        let [there, back] = self.by_time;
        match there.signum() * back.signum() {
            _ if self.by_steps != 0 => self.by_steps,
            -1 => 0,
            _ => there + back,
        }
    }
}

/// The same of all pairs of points, the lower number first.
pub(super) type Leads = BTreeMap<(usize, usize), BTreeMap<Addresses, Lead>>;

/// Who lies in front of whom, by all hosts.
#[derive(Debug)]
pub(super) struct Known {
    points: usize,
    /// More than 0 if the first lies in front of the second.
    told: BTreeMap<(usize, usize), i64>,
    by_steps: BTreeMap<(usize, usize), i64>,
}

impl Known {
    /// What hosts tell together: most goes from the first point to the last.
    pub fn of(points: usize, leads: &Leads) -> Self {
        let mut known = Self {
            points,
            told: BTreeMap::new(),
            by_steps: BTreeMap::new(),
        };
        let mut more = 0;
        for hosts in by_weight(leads) {
            let of_these = || {
                let pairs = leads.iter();
                pairs.filter_map(|(pair, by)| Some((*pair, by.get(&hosts)?)))
            };
            let volume: i64 = of_these().map(|(_, lead)| lead.more).sum();
            let agrees = |(pair, lead): ((usize, usize), &Lead)| {
                let known = known.told.get(&pair).copied().unwrap_or_default();
                known.signum() * lead.told()
            };
            let turn = match of_these().map(agrees).sum::<i64>() {
                0 if volume < 0 => -1,
                agreed if agreed < 0 => -1,
                _ => 1,
            };
            more += turn * volume;
            for (pair, lead) in of_these() {
                *known.told.entry(pair).or_default() += turn * lead.told();
                *known.by_steps.entry(pair).or_default() += turn * lead.by_steps;
            }
        }
        if more < 0 {
            let all = known.told.values_mut().chain(known.by_steps.values_mut());
            all.for_each(|lead| *lead = -*lead);
        }
        known
    }

    fn is_in_front(&self, one: usize, other: usize) -> bool {
        told(&self.told, one, other) > 0
    }

    /// The points in the order of the path. What cannot be told stays as it was given.
    pub fn in_order(&self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.points).collect();
        let mut order = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let in_front = |point: &usize| {
                let others = left.iter();
                others
                    .filter(|other| self.is_in_front(**other, *point))
                    .count()
            };
            // Fewest are none, as long as the points do not contradict each other.
            let next = (0..left.len()).min_by_key(|place| in_front(&left[*place]));
            order.push(left.remove(next.unwrap_or_default()));
        }
        order
    }

    /// Places in an order of points that may as well lie behind the next.
    pub fn untold(&self, order: &[usize]) -> Vec<usize> {
        let leads = next_leads(&self.told, order);
        let untold = leads.enumerate().filter(|(_, lead)| *lead == 0);
        untold.map(|(place, _)| place).collect()
    }

    /// Places in an order of points that TTLs tell to lie behind the next, where they do not tell
    /// so of all: then everything may go the other way.
    pub fn contradicted(&self, order: &[usize]) -> Vec<usize> {
        let leads = || next_leads(&self.by_steps, order);
        let are_some_right = leads().any(|lead| lead > 0);
        let wrong = leads().enumerate();
        let wrong = wrong.filter(|(_, lead)| are_some_right && *lead < 0);
        wrong.map(|(place, _)| place).collect()
    }
}

/// Of each point in an order how much tells that it lies in front of the next.
fn next_leads<'a>(
    of: &'a BTreeMap<(usize, usize), i64>,
    order: &'a [usize],
) -> impl Iterator<Item = i64> + 'a {
    order.windows(2).map(|two| told(of, two[0], two[1]))
}

fn told(of: &BTreeMap<(usize, usize), i64>, one: usize, other: usize) -> i64 {
    let lead = of.get(&(one.min(other), one.max(other)));
    let lead = lead.copied().unwrap_or_default();
    if one < other { lead } else { -lead }
}

/// Hosts, those first of which most is told.
fn by_weight(leads: &Leads) -> Vec<Addresses> {
    let mut weights: BTreeMap<Addresses, u64> = BTreeMap::new();
    for (hosts, lead) in leads.values().flatten() {
        *weights.entry(*hosts).or_default() += lead.told().unsigned_abs();
    }
    let sorted: BTreeSet<(std::cmp::Reverse<u64>, Addresses)> = weights
        .into_iter()
        .map(|(hosts, weight)| (std::cmp::Reverse(weight), hosts))
        .collect();
    sorted.into_iter().map(|(_, hosts)| hosts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(number: u8) -> Addresses {
        Addresses::v4([10, 0, 0, number], [10, 0, 1, number])
    }

    /// One packet of these hosts between each two points of a path, by TTL or by time.
    fn along(
        path: &[usize],
        number: u8,
        goes_back: bool,
        lead: impl Fn(usize, usize) -> (i64, i64),
    ) -> Leads {
        let mut leads = Leads::new();
        for (place, one) in path.iter().enumerate() {
            for other in &path[place + 1..] {
                let turn = if (one < other) != goes_back { 1 } else { -1 };
                let (steps, by_time) = lead(*one, *other);
                let pair = (*one.min(other), *one.max(other));
                let of_pair = leads.entry(pair).or_default();
                let of_hosts: &mut Lead = of_pair.entry(hosts(number)).or_default();
                of_hosts.take(100, turn * steps, turn * by_time, goes_back);
            }
        }
        leads
    }

    fn with(mut all: Leads, more: Leads) -> Leads {
        for (pair, of_pair) in more {
            all.entry(pair).or_default().extend(of_pair);
        }
        all
    }

    #[test]
    fn points_are_put_in_order_and_stay_where_nothing_is_known() {
        let path = [1, 3, 0, 2];
        for lead in [(1, 0), (0, 1)] {
            let known = Known::of(4, &along(&path, 1, false, |_, _| lead));
            assert_eq!(known.in_order(), path);
            assert!(known.untold(&path).is_empty() && known.contradicted(&path).is_empty());
        }
        let known = Known::of(4, &along(&path, 1, false, |_, _| (0, 0)));
        assert_eq!(known.in_order(), [0, 1, 2, 3]);
        assert_eq!(known.untold(&[0, 1, 2, 3]).len(), 3);
    }

    /// Only of 1 and 2 it is known which is in front; 0 and 3 stay before and behind them.
    #[test]
    fn what_is_known_of_two_moves_no_others() {
        let known = Known::of(4, &along(&[2, 1], 1, false, |_, _| (1, 0)));
        let order = known.in_order();
        assert_eq!(order, [0, 2, 1, 3]);
        assert_eq!(known.untold(&order), [0, 2]);
    }

    #[test]
    fn what_goes_back_tells_the_same_order() {
        let there = along(&[0, 1, 2], 1, false, |_, _| (1, 0));
        let back = along(&[0, 1, 2], 1, true, |_, _| (1, 0));
        let known = Known::of(3, &back);
        // Most goes from the first point to the last.
        assert_eq!(known.in_order(), [2, 1, 0]);
        let back = along(&[0, 1, 2], 2, true, |_, _| (1, 0));
        let more = along(&[0, 1, 2], 3, false, |_, _| (1, 0));
        let most = with(there, with(back, more));
        assert_eq!(Known::of(3, &most).in_order(), [0, 1, 2]);
    }

    #[test]
    fn clocks_by_which_all_is_late_tell_nothing() {
        let mut lead = Lead::default();
        lead.take(100, 0, 1, false);
        assert_eq!(lead.told(), 100);
        lead.take(40, 0, 1, true);
        assert_eq!(lead.told(), 0);
    }

    #[test]
    fn an_order_that_ttls_contradict_here_and_there_is_told() {
        let known = Known::of(4, &along(&[0, 2, 3, 1], 1, false, |_, _| (1, 0)));
        assert_eq!(known.contradicted(&[0, 1, 2, 3]), [1]);
        // All of it may go the other way.
        assert!(known.contradicted(&[1, 3, 2, 0]).is_empty());
    }
}
