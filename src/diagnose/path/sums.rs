//! What all flows along a path come to.

use crate::compare::{Between, FlowFacts, Outcome};
use crate::model::IpVersion;
use crate::receiver::Forecast;
use std::collections::BTreeSet;

/// What all flows come to, but those of tunnels, whose packets are counted inside.
#[derive(Debug, Default)]
pub struct Sums {
    /// By pair of points, each flow in the direction it went; without how long packets took,
    /// which is in the [`Outcome`].
    pub pairs: Vec<Between>,
    /// The same of what goes forward alone.
    pub forward: Vec<Between>,
    /// The same of what goes back.
    pub backward: Vec<Between>,
    /// Hosts at either end of the path that flows go to, those behind the last point
    /// first.
    receivers: [BTreeSet<(IpVersion, [u8; 16])>; 2],
    /// The same of tunnels.
    carriers: [BTreeSet<(IpVersion, [u8; 16])>; 2],
}

impl Sums {
    /// Adds all up.
    pub fn of(outcome: &Outcome) -> Self {
        let mut sums = Self {
            pairs: vec![Between::default(); outcome.series.len()],
            forward: vec![Between::default(); outcome.series.len()],
            backward: vec![Between::default(); outcome.series.len()],
            ..Self::default()
        };
        for flow in &outcome.flows {
            sums.note_receiver(outcome, flow);
            if flow.account.is_carrier {
                continue;
            }
            for pair in 0..outcome.series.len() {
                let mut between = flow.between(pair);
                match flow.is_backward {
                    false => sums.forward[pair].add(&between),
                    true => sums.backward[pair].add(&between),
                }
                // How long all packets took was counted with them.
                between.delays = None;
                sums.pairs[pair].add(&between);
            }
        }
        sums
    }

    /// The same of what goes one way alone.
    pub(super) fn one_way(&self, is_backward: bool) -> &[Between] {
        match is_backward {
            true => &self.backward,
            false => &self.forward,
        }
    }

    fn note_receiver(&mut self, outcome: &Outcome, flow: &FlowFacts) {
        let (end, side) = match flow.is_backward {
            true => (0, 1),
            false => (outcome.points.len() - 1, 0),
        };
        if let Some(key) = &flow.keys[end] {
            let host = (key.addresses.version, key.addresses.destination);
            match flow.account.is_carrier {
                true => self.carriers[side].insert(host),
                false => self.receivers[side].insert(host),
            };
        }
    }

    /// What the kernels of the hosts at the ends of the path make of the fragments seen
    /// there.
    pub fn forecasts(&self, outcome: &Outcome) -> Vec<Forecast> {
        let mut chosen = self.at_end(outcome, 0, true);
        chosen.extend(self.at_end(outcome, 1, true));
        chosen
    }

    /// The same of those behind the last point, without the ends of tunnels.
    pub fn innermost(&self, outcome: &Outcome) -> Vec<Forecast> {
        self.at_end(outcome, 0, false)
    }

    fn at_end(&self, outcome: &Outcome, side: usize, with_carriers: bool) -> Vec<Forecast> {
        let point = match side {
            0 => outcome.points.last(),
            _ => outcome.points.first(),
        };
        let forecasts = point.into_iter().flat_map(|point| &point.forecasts);
        let wanted = forecasts.filter(|forecast| {
            let host = (forecast.host.version, forecast.host.destination);
            self.receivers[side].contains(&host)
                || (with_carriers && self.carriers[side].contains(&host))
        });
        wanted.cloned().collect()
    }
}

/// The points of a pair: neighbours, or the two ends.
pub fn ends_of(points: usize, pair: usize) -> (usize, usize) {
    match pair + 1 < points {
        true => (pair, pair + 1),
        false => (0, points - 1),
    }
}

/// Fewer are the first or the last packets of a capture.
const MANY: u64 = 20;

/// Whether more cannot be judged than what passes near the ends of captures: more than a
/// hundredth, too.
pub(super) fn is_much_unjudged(way: &Between) -> bool {
    let unjudged = way.outside[0];
    unjudged >= MANY && unjudged >= (way.front.packets + unjudged) / 100
}

/// `A`, `B`, … and `P27` and so on.
pub fn name(point: usize) -> String {
    match u8::try_from(point) {
        Ok(place @ 0..26) => char::from(b'A' + place).to_string(),
        _ => format!("P{}", point + 1),
    }
}

/// Of all bytes so many go back where points may be in the wrong order: less is what an exchange
/// has anyway.
const NEARLY_ALL: f64 = 0.9;

/// Whether nearly all bytes go from the last point to the first, and not because somebody in
/// front asked for them.
pub fn is_mostly_backward(outcome: &Outcome) -> bool {
    go_back(&outcome.flows)
}

fn go_back(flows: &[FlowFacts]) -> bool {
    let bytes = |is_backward: bool| -> u64 {
        let those = flows.iter().filter(|flow| flow.is_backward == is_backward);
        those.map(bytes_of).sum()
    };
    let (back, forward) = (bytes(true), bytes(false));
    back as f64 >= NEARLY_ALL * (back + forward) as f64 && back > 0 && !was_asked_for(flows)
}

fn bytes_of(flow: &FlowFacts) -> u64 {
    let at = flow.account.at.iter().map(|at| at.bytes);
    at.max().unwrap_or(0)
}

/// Whether the largest flow that goes back answers one that began before it.
fn was_asked_for(flows: &[FlowFacts]) -> bool {
    let backward = flows.iter().filter(|flow| flow.is_backward);
    let key_at_last = |flow: &FlowFacts| flow.keys.last().copied().flatten();
    let asked = |answer: &FlowFacts| {
        let question = key_at_last(answer)?.reversed();
        let mut forward = flows.iter().filter(|flow| !flow.is_backward);
        let asking = forward.find(|flow| key_at_last(flow) == Some(question))?;
        Some(asking.account.span?.0 <= answer.account.span?.0)
    };
    backward.max_by_key(|flow| bytes_of(flow)).and_then(asked) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Account, Passage};
    use crate::model::{Addresses, FlowKey, Protocol, ScopeTag, Timestamp};

    fn flow(is_backward: bool, bytes: u64, began: i64) -> FlowFacts {
        let key = FlowKey {
            addresses: Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]),
            ports: None,
            protocol: Protocol::TCP,
            scope: ScopeTag::WIRE,
        };
        let key = if is_backward { key.reversed() } else { key };
        let at = Passage {
            bytes,
            ..Passage::default()
        };
        FlowFacts {
            keys: vec![Some(key); 2],
            is_backward,
            account: Account {
                at: vec![at; 2],
                span: Some((Timestamp(began), Timestamp(began + 100))),
                ..Account::default()
            },
        }
    }

    #[test]
    fn an_exchange_and_a_download_are_in_order() {
        assert!(go_back(&[flow(true, 950, 0), flow(false, 50, 3)]));
        assert!(go_back(&[flow(true, 950, 0)]));
        let exchange = [flow(true, 550, 0), flow(false, 450, 3)];
        assert!(!go_back(&exchange));
        let download = [flow(true, 950, 3), flow(false, 50, 0)];
        assert!(!go_back(&download));
        assert!(!go_back(&[]));
    }
}
