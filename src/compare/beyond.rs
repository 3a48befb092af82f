//! Who is known to be on the other side of two neighbours: hosts of which something passes, those
//! who answer to what passes, and services of which nearly everything does.
//!
//! A host is what one point calls it, in the network of its tenant. One that is called otherwise
//! at the other point proves nothing of others: behind a translator all pods have the address of
//! their node, and those of one service have its. Nor does what goes to all. But what answers a
//! flow that passes goes back the way that came, by whatever name; and where so much of what goes
//! to a service passes, no other host has a share of it.

use super::flight::Flight;
use super::names::Name;
use super::outcome::FlowFacts;
use crate::model::{FlowKey, IpVersion, Network, ScopeSet};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Flows of a service that must pass to say that all do.
const ENOUGH: u64 = 16;
/// For each that ends on this side so many must pass: of two hosts behind it each has a half.
const TIMES: u64 = 3;

/// What is known of the other side, from that in front and from that behind.
#[derive(Default)]
pub(super) struct Beyond([Side; 2]);

/// What is known of one side, as the other calls it.
#[derive(Default)]
struct Side {
    /// Of how many more flows that pass hosts are the end there than of such that end here: of
    /// some it is not known well which way they go.
    hosts: HashMap<Host, i64, RandomState>,
    /// Flows that end here, by the names of those that they answer, and whether these pass.
    answered: HashMap<(Network, Name), bool, RandomState>,
    /// Services by how many flows go to them, end here and pass.
    services: HashMap<Host, Passing, RandomState>,
}

#[derive(Clone, Copy, Default)]
struct Passing {
    ends: u64,
    passes: u64,
}

type Host = (Network, IpVersion, [u8; 16]);

impl Beyond {
    /// It will be asked about a flow that one side alone knows.
    pub fn ask(&mut self, side: usize, key: &FlowKey, scopes: &ScopeSet) {
        let side = &mut self.0[side];
        let answered = (scopes.network(key.scope), Name::answered(key));
        side.answered.insert(answered, false);
        let service = side.services.entry(host(key, true, scopes));
        service.or_default().ends += 1;
    }

    /// Finds out from flows of which something passes. Of those that have no account of their own
    /// it is taken to do so where both sides know them.
    pub fn find(&mut self, flight: &Flight, front: usize, flows: &[FlowFacts], scopes: &ScopeSet) {
        let passes = |flow: &&FlowFacts| {
            let between = &flow.account.between[front];
            let has_passed = between.front_passed.packets + between.back_passed.packets > 0;
            has_passed && !flow.stays_on_link(front)
        };
        for flow in flows.iter().filter(passes) {
            let keys = [front, front + 1].map(|point| flow.keys[point].as_ref());
            self.take(keys, flow.is_backward, scopes);
        }
        if flows.iter().any(|flow| flow.account.flow.is_none()) {
            for flow in 0..flight.paths.count() as u32 {
                let keys = [front, front + 1].map(|point| flight.paths.key_at(flow, point));
                if !flight.paths.is_part(flow) && keys.iter().all(Option::is_some) {
                    self.take(keys, flight.is_backward(flow), scopes);
                }
            }
        }
    }

    /// Takes a flow that passes and is known at both points.
    fn take(&mut self, keys: [Option<&FlowKey>; 2], is_backward: bool, scopes: &ScopeSet) {
        let [Some(front), Some(back)] = keys else {
            return;
        };
        let is_to_all =
            |key: &FlowKey| key.addresses.are_of_one_link() || key.addresses.are_to_many();
        if is_to_all(front) || is_to_all(back) {
            return;
        }
        let is_service = address(front, true) != address(back, true);
        for (number, (side, key)) in self.0.iter_mut().zip([front, back]).enumerate() {
            side.note_passing(key, is_service, scopes);
            for is_destination in [true, false] {
                if address(front, is_destination) == address(back, is_destination) {
                    let is_there = is_destination == (is_backward == (number == 1));
                    let flows = side.hosts.entry(host(key, is_destination, scopes));
                    *flows.or_insert(0) += if is_there { 1 } else { -1 };
                }
            }
        }
    }

    /// Whether a flow that one side alone knows goes to somebody on the other, or comes from there.
    pub fn has(&self, side: usize, key: &FlowKey, scopes: &ScopeSet) -> bool {
        let side = &self.0[side];
        let mut ends = [true, false].map(|end| host(key, end, scopes)).into_iter();
        ends.any(|host| side.hosts.get(&host).is_some_and(|flows| *flows > 0))
            || side.has_asked(key, scopes)
            || side.has_service(key, scopes)
    }
}

impl Side {
    /// Something passes that is called so here, and goes to a service if it goes to another
    /// address there. Of what nobody asks about nothing is kept.
    fn note_passing(&mut self, key: &FlowKey, is_service: bool, scopes: &ScopeSet) {
        let name = (scopes.network(key.scope), Name::of(key));
        if let Some(passes) = self.answered.get_mut(&name) {
            *passes = true;
        }
        if let Some(service) = self.services.get_mut(&host(key, true, scopes)) {
            service.passes += u64::from(is_service);
        }
    }

    /// Whether a flow answers one that passes.
    fn has_asked(&self, key: &FlowKey, scopes: &ScopeSet) -> bool {
        let answered = (scopes.network(key.scope), Name::answered(key));
        self.answered.get(&answered) == Some(&true)
    }

    /// Whether nearly all that goes where a flow goes passes.
    fn has_service(&self, key: &FlowKey, scopes: &ScopeSet) -> bool {
        let service = self.services.get(&host(key, true, scopes));
        service.is_some_and(|flows| flows.passes >= ENOUGH.max(TIMES * flows.ends))
    }
}

/// One end of a flow: the one it goes to, or the one it comes from.
fn host(key: &FlowKey, is_destination: bool, scopes: &ScopeSet) -> Host {
    let (version, address) = address(key, is_destination);
    (scopes.network(key.scope), version, address)
}

fn address(key: &FlowKey, is_destination: bool) -> (IpVersion, [u8; 16]) {
    let address = match is_destination {
        true => key.addresses.destination,
        false => key.addresses.source,
    };
    (key.addresses.version, address)
}
