//! Flows as rows, the one that lost most bytes first.

use super::{Rows, is_named, segment};
use crate::compare::{Between, FlowFacts, Outcome};
use crate::model;
use crate::report::build::rows::flow_key;
use crate::report::comparison::document::{Direction, PathFlow, SeenAs};
use crate::report::document::{FlowKey, Time};
use std::cmp::Reverse;

/// The flows in which a tunnel is, or those in which none is.
pub(super) fn rows(outcome: &Outcome, carriers: bool, top: Option<u64>) -> Rows {
    let flows = outcome.flows.iter().enumerate();
    let listed = flows
        .filter(|(_, flow)| flow.account.is_carrier == carriers && is_named(flow))
        .filter(|(_, flow)| flow.account.at.iter().any(|at| at.packets > 0));
    let ranked = listed.map(|(number, flow)| (Reverse(weight(outcome, flow)), &flow.keys, number));
    let mut chosen: Vec<_> = ranked.collect();
    chosen.sort_unstable();
    let most = top.map_or(usize::MAX, |top| usize::try_from(top).unwrap_or(usize::MAX));
    let numbers = chosen.iter().take(most).map(|(.., number)| *number);
    let numbers: Vec<usize> = numbers.collect();
    let listed = numbers
        .iter()
        .map(|number| row(outcome, &outcome.flows[*number]));
    Rows {
        listed: listed.collect(),
        total: chosen.len() as u64,
        numbers,
    }
}

/// Bytes that a flow loses over the whole path, and those that were sent; of one that does not go
/// all of that, in the segment with most of them.
fn weight(outcome: &Outcome, flow: &FlowFacts) -> (u64, u64) {
    let (segments, ends) = flow.account.between.split_at(outcome.series.len() - 1);
    let bytes = |between: &Between| {
        let (sent, passed) = match flow.is_backward {
            true => (between.back.bytes, between.back_passed.bytes),
            false => (between.front.bytes, between.front_passed.bytes),
        };
        (sent - passed, sent)
    };
    let whole = ends.first().map(bytes);
    let most = segments.iter().map(bytes).max();
    whole
        .filter(|(_, sent)| *sent > 0)
        .or(most)
        .unwrap_or_default()
}

fn row(outcome: &Outcome, flow: &FlowFacts) -> PathFlow {
    let pairs = outcome.series.len();
    let mut segments: Vec<_> = (0..pairs)
        .map(|pair| segment::of_flow(outcome, flow, pair))
        .collect();
    let path = match pairs {
        1 => segments[0].clone(),
        _ => segments.pop().unwrap_or_default(),
    };
    PathFlow {
        key: entering(outcome, flow),
        direction: Direction::of(flow.is_backward),
        seen_as: seen_as(outcome, flow),
        segments,
        path,
        first_timestamp: flow.account.span.map(|(first, _)| Time(first)),
        last_timestamp: flow.account.span.map(|(_, last)| Time(last)),
    }
}

/// The key of a flow where it enters the path.
pub(super) fn entering(outcome: &Outcome, flow: &FlowFacts) -> FlowKey {
    let mut keys = flow.keys.iter().flatten();
    let key = match flow.is_backward {
        true => keys.next_back(),
        false => keys.next(),
    };
    let none = model::FlowKey {
        addresses: model::Addresses::v4([0; 4], [0; 4]),
        ports: None,
        protocol: model::Protocol(0),
        scope: model::ScopeTag::WIRE,
    };
    flow_key(key.unwrap_or(&none), &outcome.scopes)
}

fn seen_as(outcome: &Outcome, flow: &FlowFacts) -> Vec<Option<SeenAs>> {
    let at = flow.keys.iter().zip(&flow.account.at);
    at.map(|(key, passage)| {
        let key = key.as_ref().filter(|_| passage.packets > 0)?;
        Some(SeenAs {
            key: flow_key(key, &outcome.scopes),
            packets: passage.packets,
            bytes: passage.bytes,
            hop_limit: passage.hop_limit,
        })
    })
    .collect()
}
