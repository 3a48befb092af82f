//! What is known when a diagnosis is made.

use super::causes::DAMAGE;
use super::destination::{self, Destination};
use super::reconcile::{self, Compared, Reconciled};
use super::this_host::ThisHost;
use crate::account::{Exhibits, Flow, Ledger, Loss, Losses, Lost, Tunnel};
use crate::host::Interface;
use crate::model::number;
use crate::model::{
    Addresses, Counters, FlowKey, IpVersion, ScopeTag, Timestamp, TunnelKey, Verdict,
};
use crate::receiver::{Forecast, Host};
use crate::witness::{Benchmark, KernelCounters};
use std::collections::BTreeSet;

/// What a diagnosis is made from.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// What was counted.
    pub ledger: &'a Ledger,
    /// What the receivers make of the fragments.
    pub forecasts: &'a [Forecast],
    /// Frames the capturing host says it lost, if it says.
    pub dropped_frames: Option<u64>,
    /// Whether a filter took frames away.
    pub is_filtered: bool,
    /// What a benchmark said of the same traffic.
    pub benchmark: Option<&'a Benchmark>,
    /// What the receiver's kernel counted meanwhile.
    pub kernel: Option<&'a KernelCounters>,
    /// The interfaces of the host that captures, whose kernel `kernel` is too; empty where
    /// that is not this host, as with files.
    pub interfaces: &'a [Interface],
    /// Names of those that are captured on.
    pub captured_on: &'a [String],
}

/// What is given, seen as the causes need it.
#[derive(Debug)]
pub(super) struct Known<'a> {
    pub given: Given<'a>,
    /// Flows of which there is more to say than their plain packets; sorted.
    pub odd: Vec<(&'a FlowKey, &'a Flow)>,
    /// Tunnels with what they are; sorted.
    pub tunnels: Vec<(ScopeTag, &'a TunnelKey, &'a Tunnel)>,
    /// Where fragments go to, the one that lacks most first.
    pub destinations: Vec<Destination>,
    /// The runs of the benchmark, and what the capture has of them.
    pub runs: Vec<Reconciled>,
    /// What the kernel counted, and what the capture predicts of it.
    pub counters: Vec<Compared>,
    /// Losses of all flows.
    pub losses: Losses,
    /// Counters of all that is odd, at every layer.
    pub totals: Counters,
    /// The host that captures.
    pub host: ThisHost<'a>,
    /// Sources that the capture was made beside.
    local: BTreeSet<Endpoint>,
}

/// An address within its scope.
pub(super) type Endpoint = (ScopeTag, IpVersion, [u8; 16]);

impl<'a> Known<'a> {
    pub fn of(given: Given<'a>) -> Self {
        let ledger = given.ledger;
        let host = ThisHost::of(&given);
        let mut odd: Vec<_> = ledger
            .flows
            .iter()
            .filter(|(_, flow)| flow.is_odd())
            .collect();
        odd.sort_unstable_by_key(|(key, _)| **key);
        let mut tunnels: Vec<_> = ledger
            .tunnels
            .iter()
            .filter_map(|(tag, tunnel)| {
                let scope = ledger.scopes.get(*tag)?;
                Some((*tag, scope.tunnel.as_ref()?, tunnel))
            })
            .collect();
        tunnels.sort_unstable_by_key(|(tag, ..)| *tag);
        let mut losses = Losses::default();
        let mut totals = Counters::default();
        for flow in odd
            .iter()
            .map(|(_, flow)| *flow)
            .chain(ledger.flows.beyond())
        {
            losses += flow.losses();
            totals += flow.counters();
        }
        for (_, _, tunnel) in &tunnels {
            totals += tunnel.counters();
        }
        let ends: Vec<_> = tunnels
            .iter()
            .filter_map(|(tag, key, tunnel)| {
                let around = ledger.scopes.get(*tag)?.parent;
                Some((end_of(around, key), *tunnel))
            })
            .collect();
        let span = ledger.capture.span();
        let destinations = destination::all(&odd, &ends, span, given.forecasts);
        let runs = given
            .benchmark
            .map(|benchmark| reconcile::runs(benchmark, &given, &destinations));
        let counters = given
            .kernel
            .map(|kernel| reconcile::counters(kernel, &destinations, &host));
        Self {
            losses,
            totals,
            runs: runs.unwrap_or_default(),
            counters: counters.unwrap_or_default(),
            destinations,
            local: local(ledger, &host),
            host,
            given,
            odd,
            tunnels,
        }
    }

    /// What was lost for one reason.
    pub fn lost(&self, loss: Loss) -> Lost {
        self.losses.of(loss)
    }

    /// Bytes of datagrams that the capture began or ended in the middle of.
    pub fn undecided_bytes(&self) -> u64 {
        let tunnels = self.tunnels.iter();
        let unattributed: u64 = tunnels.map(|(_, _, tunnel)| tunnel.undecided_bytes).sum();
        self.lost(Loss::Unfinished).bytes + unattributed + self.unproven_bytes()
    }

    /// Of what looks damaged beside its sender, where that proves nothing.
    fn unproven_bytes(&self) -> u64 {
        let beside = self
            .odd
            .iter()
            .filter(|(key, _)| self.is_local(key) && key.protocol.has_ports());
        let damage = beside.map(|(_, flow)| flow.losses().of_any(&DAMAGE).bytes);
        damage.sum()
    }

    /// Frames that show what there is to see.
    pub fn exhibits(&self) -> &'a Exhibits {
        &self.given.ledger.exhibits
    }

    /// What the kernel counted under a name, if it was given.
    pub fn counted(&self, name: &str) -> Option<&Compared> {
        self.counters.iter().find(|compared| compared.name == name)
    }

    /// How many of something that the kernel counted there were a second, if it is known
    /// in what time it counted them.
    pub fn a_second(&self, counted: u64) -> Option<f64> {
        let seconds = self.given.kernel?.duration?.as_secs_f64();
        (seconds > 0.0).then(|| counted as f64 / seconds)
    }

    /// The outermost addresses of the packets of a flow: only they say which host is meant,
    /// since inside a tunnel each tenant may have any. `None` if the tunnel was forgotten.
    pub fn outside(&self, key: &FlowKey) -> Option<Addresses> {
        outside(self.given.ledger, key)
    }

    /// Whether packets of a flow go to the host that captures, and not just past it.
    pub fn is_received_here(&self, key: &FlowKey) -> bool {
        let is_here = |addresses: Addresses| self.host.has(addresses.destination());
        is_here(key.addresses) && self.outside(key).is_some_and(is_here)
    }

    /// What the kernel of the host that captures refused for a wrong checksum, in a
    /// sentence, if flows go to it and it refused anything.
    pub fn refused_here<'k>(&self, mut flows: impl Iterator<Item = &'k FlowKey>) -> Option<String> {
        const COUNTERS: [&str; 3] = ["UdpInCsumErrors", "Udp6InCsumErrors", "TcpInCsumErrors"];
        let refused = COUNTERS.iter().filter_map(|name| self.counted(name));
        let worst = refused
            .filter(|counted| counted.is_difference && counted.kernel > 0)
            .max_by_key(|counted| counted.kernel)?;
        flows.any(|key| self.is_received_here(key)).then(|| {
            format!(
                "The kernel of this host refused {} for a wrong checksum meanwhile ({}).",
                number::counted(worst.kernel, "packet"),
                worst.name,
            )
        })
    }

    /// Flows to some hosts that lack fragments, each with the bytes of what lacks them.
    pub fn lacking_flows<'k>(
        &self,
        hosts: impl Iterator<Item = &'k Destination>,
    ) -> Vec<(u64, FlowKey)> {
        let bytes = |key: &FlowKey| {
            let flow = self.given.ledger.flows.get(key);
            let reasons = [Loss::Gap, Loss::OnlyFirst, Loss::NoFirst];
            flow.map_or(0, |flow| flow.losses().of_any(&reasons).bytes)
        };
        let weighed = hosts.flat_map(|host| host.flows.iter().map(|key| (bytes(key), *key)));
        weighed.filter(|(bytes, _)| *bytes > 0).collect()
    }

    /// How often ICMP told the senders of some flows that datagrams were never whole.
    pub fn told_of_timeouts(&self, flows: &[FlowKey]) -> u64 {
        let table = &self.given.ledger.flows;
        let errors = flows
            .iter()
            .filter_map(|key| Some(table.get(key)?.icmp_errors()));
        errors.map(|errors| errors.reassembly_time_exceeded).sum()
    }

    /// Whether OVN made a tunnel in view.
    pub fn has_ovn(&self) -> bool {
        self.odd.iter().any(|(_, flow)| flow.ovn_ports().is_some())
    }

    /// Flows with most packets, all of them small; the first few.
    pub fn busiest_small_flows(&self) -> Vec<(u64, FlowKey)> {
        const FEW: usize = 10;
        let flows = self.given.ledger.flows.iter();
        let mut flows: Vec<_> = flows
            .map(|(key, flow)| (flow.deliverable_datagrams(), *key))
            .collect();
        if flows.len() > FEW {
            flows.select_nth_unstable_by(FEW, |one, other| other.cmp(one));
            flows.truncate(FEW);
        }
        flows
    }

    /// Whether the capture was made beside the source of a flow: then what a NIC was to
    /// finish is unfinished in it.
    pub fn is_local(&self, key: &FlowKey) -> bool {
        self.local.contains(&source_of(key))
    }

    /// Whether the capture was made beside the source of anything inside a tunnel.
    pub fn is_local_inside(&self, inside: ScopeTag) -> bool {
        let from = (inside, IpVersion::V4, [0; 16]);
        let mut beyond = self.local.range(from..);
        beyond.next().is_some_and(|(scope, ..)| *scope == inside)
    }

    /// The tunnel around a flow.
    pub fn tunnel_around(&self, key: &FlowKey) -> Option<(&'a TunnelKey, &'a Tunnel)> {
        let at = self
            .tunnels
            .binary_search_by_key(&key.scope, |(tag, ..)| *tag)
            .ok()?;
        let (_, key, tunnel) = self.tunnels[at];
        Some((key, tunnel))
    }

    /// The flow that answers another.
    pub fn answering(&self, key: &FlowKey) -> Option<&'a Flow> {
        let ledger = self.given.ledger;
        let reversed = FlowKey {
            scope: ledger.scopes.reversed(key.scope)?,
            ..key.reversed()
        };
        ledger.flows.get(&reversed)
    }

    /// Seconds from the beginning of the capture.
    pub fn seconds_since_begin(&self, time: Timestamp) -> f64 {
        (time - self.given.ledger.capture.span().first).as_secs_f64()
    }

    /// Seconds that the capture lasts.
    pub fn seconds(&self) -> f64 {
        let span = self.given.ledger.capture.span();
        (span.last - span.first).as_secs_f64()
    }
}

/// The host at the end of a tunnel, whose packets are in the scope `around`.
fn end_of(around: ScopeTag, tunnel: &TunnelKey) -> Host {
    Host {
        scope: around,
        version: tunnel.endpoints.version,
        destination: tunnel.endpoints.destination,
    }
}

fn source_of(key: &FlowKey) -> Endpoint {
    let addresses = &key.addresses;
    (key.scope, addresses.version, addresses.source)
}

/// Sources of packets that the capturing host says it sent, or, where it does not say,
/// that come from an address of its own or were left for a NIC to finish.
fn local(ledger: &Ledger, host: &ThisHost<'_>) -> BTreeSet<Endpoint> {
    let is_sent_here = |key: &FlowKey| {
        host.is_known() && outside(ledger, key).is_some_and(|ends| host.has(ends.source()))
    };
    let is_local = |key: &FlowKey, flow: &Flow| {
        let ways = flow.directions;
        if ways.incoming == ways.outgoing {
            (flow.is_odd() && checksums(flow, Verdict::Offloaded) > 0) || is_sent_here(key)
        } else {
            ways.outgoing
        }
    };
    let local = ledger
        .flows
        .iter()
        .filter(|(key, flow)| is_local(key, flow));
    local.map(|(key, _)| source_of(key)).collect()
}

/// The outermost addresses of the packets of a flow.
fn outside(ledger: &Ledger, key: &FlowKey) -> Option<Addresses> {
    let (mut addresses, mut around) = (key.addresses, key.scope);
    while around != ScopeTag::WIRE {
        let scope = ledger.scopes.get(around)?;
        addresses = scope.tunnel.map_or(addresses, |tunnel| tunnel.endpoints);
        around = scope.parent;
    }
    Some(addresses)
}

/// Transport checksums with a verdict, over UDP, TCP and SCTP.
pub(super) fn checksums(flow: &Flow, verdict: Verdict) -> u64 {
    let sums = flow.counters().checksums;
    let of = |counts: crate::model::VerdictCounts| match verdict {
        Verdict::Good => counts.good,
        Verdict::Bad => counts.bad,
        Verdict::Offloaded => counts.offloaded,
        Verdict::Absent => counts.absent,
        Verdict::Unverifiable => counts.unverifiable,
    };
    of(sums.udp) + of(sums.tcp) + of(sums.sctp)
}
