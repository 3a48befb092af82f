//! One host that fragments go to: what was sent there, and what of it can arrive.

use super::foremost::{MOST_HOSTS, foremost};
use crate::account::{Flow, Gaps, Loss, Losses, Lost, Span, Tunnel};
use crate::model::{FlowKey, IpVersion, Timestamp};
use crate::receiver::{Forecast, Host};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A host that fragments go to, within its scope.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    pub host: Host,
    /// Flows to it in which there were fragments; the first [`MOST_FLOWS`].
    pub flows: Vec<FlowKey>,
    /// Whether it is the end of a tunnel whose packets come in fragments.
    pub ends_tunnel: bool,
    /// Datagrams of flows of which nothing comes but first fragments. They are in no other
    /// figure about fragments.
    pub only_first: Lost,
    /// Those flows.
    pub only_first_flows: Vec<FlowKey>,
    /// Bytes on the wire, copies left out.
    pub sent_bytes: u64,
    /// Those of datagrams that are whole and sound.
    pub deliverable_bytes: u64,
    /// Those of them that came in fragments.
    pub deliverable_fragmented_bytes: u64,
    /// Datagrams that came in fragments, whole or not.
    pub fragmented: u64,
    /// Datagrams that came in one packet.
    pub unfragmented: u64,
    /// Fragments, copies left out.
    pub fragments: u64,
    pub gaps: Gaps,
    pub losses: Losses,
    /// Datagrams that were put together.
    pub reassembled: u64,
    /// Fragments of the largest datagrams.
    pub pieces: u64,
    /// IP length of the largest datagram.
    pub largest_datagram_bytes: u32,
    /// IP length of full-size fragments.
    pub full_bytes: u32,
    pub first: Timestamp,
    pub last: Timestamp,
    /// What its kernel makes of the fragments, if that was modelled.
    pub forecast: Option<Forecast>,
    /// Datagrams put together of flows that were over before its kernel refused anything.
    reassembled_before_full: u64,
}

/// By what rule fragments are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// All come but the first.
    NoFirst,
    /// None that shows.
    Chance,
}

/// Datagrams that it takes to call something a rule.
const FEWEST_FOR_A_RULE: u64 = 3;

/// Why datagrams are dropped that came whole.
const SPOILED: [Loss; 7] = [
    Loss::HeaderChecksum,
    Loss::OuterChecksum,
    Loss::Checksum,
    Loss::ChecksumOfWhole,
    Loss::Spliced,
    Loss::NoChecksum,
    Loss::Length,
];

/// Flows of a host that are remembered by name: those that lack most.
const MOST_FLOWS: usize = 1_000;

/// All hosts that fragments go to, the one that lacks most bytes first. Of the ends of
/// tunnels, `span` says when their packets came.
pub(super) fn all(
    flows: &[(&FlowKey, &Flow)],
    tunnels: &[(Host, &Tunnel)],
    span: Span,
    forecasts: &[Forecast],
) -> Vec<Destination> {
    let mut by_host: BTreeMap<Host, Destination> = BTreeMap::new();
    let fragmented = flows
        .iter()
        .copied()
        .filter(|(_, flow)| flow.counters().datagrams.fragmented > 0);
    let modelled = forecasts.iter().map(|forecast| forecast.host);
    let mut foremost = foremost(fragmented, modelled, MOST_HOSTS);
    // Of what nothing came but first fragments is looked at last: the rest of it may have
    // come too late, and is in another flow, without ports.
    foremost.sort_by_key(|(_, flow)| has_only_firsts(flow));
    for (key, flow) in foremost {
        destination(&mut by_host, host_of(key)).add(key, flow);
    }
    for (host, tunnel) in tunnels {
        if tunnel.counters().datagrams.fragmented > 0 {
            destination(&mut by_host, *host).add_tunnel(tunnel, span);
        }
    }
    for forecast in forecasts {
        if let Some(destination) = by_host.get_mut(&forecast.host) {
            destination.forecast = Some(forecast.clone());
        }
    }
    for (key, flow) in flows {
        let host = by_host.get_mut(&host_of(key));
        if let Some(host) = host.filter(|host| host.is_before_full(flow)) {
            host.reassembled_before_full += flow.counters().datagrams.reassembled;
        }
    }
    let mut all: Vec<Destination> = by_host.into_values().collect();
    all.sort_by_key(Destination::standing);
    all
}

fn destination(by_host: &mut BTreeMap<Host, Destination>, host: Host) -> &mut Destination {
    by_host
        .entry(host)
        .or_insert_with(|| Destination::new(host))
}

/// Whether nothing comes of the fragmented datagrams of a flow but their first fragments.
fn has_only_firsts(flow: &Flow) -> bool {
    let losses = flow.losses();
    let only_first = losses.of(Loss::OnlyFirst).datagrams;
    let others = losses.of_any(&[Loss::Gap, Loss::NoFirst]).datagrams;
    only_first >= FEWEST_FOR_A_RULE
        && only_first >= others.saturating_mul(9)
        && flow.counters().datagrams.reassembled == 0
}

pub(super) fn host_of(key: &FlowKey) -> Host {
    Host {
        scope: key.scope,
        version: key.addresses.version,
        destination: key.addresses.destination,
    }
}

impl Destination {
    fn new(host: Host) -> Self {
        Self {
            host,
            flows: Vec::new(),
            ends_tunnel: false,
            only_first: Lost::default(),
            only_first_flows: Vec::new(),
            sent_bytes: 0,
            deliverable_bytes: 0,
            deliverable_fragmented_bytes: 0,
            fragmented: 0,
            unfragmented: 0,
            fragments: 0,
            gaps: Gaps::default(),
            losses: Losses::default(),
            reassembled: 0,
            pieces: 0,
            largest_datagram_bytes: 0,
            full_bytes: 0,
            first: Timestamp::MAX,
            last: Timestamp::MIN,
            forecast: None,
            reassembled_before_full: 0,
        }
    }

    fn add(&mut self, key: &FlowKey, flow: &Flow) {
        let counters = flow.counters();
        if self.flows.len() < MOST_FLOWS {
            self.flows.push(*key);
        }
        self.sent_bytes += counters.bytes.saturating_sub(flow.duplicate_bytes());
        self.deliverable_bytes += flow.deliverable_bytes();
        self.deliverable_fragmented_bytes +=
            flow.deliverable_bytes() - flow.deliverable_unfragmented_bytes();
        self.unfragmented += counters.datagrams.unfragmented;
        self.first = self.first.min(flow.first);
        self.last = self.last.max(flow.last);
        self.full_bytes = self.full_bytes.max(flow.largest_full().ip_bytes);
        self.largest_datagram_bytes = self.largest_datagram_bytes.max(flow.sizes.largest_bytes());
        self.pieces = self.pieces.max(pieces_of(flow));
        let mut losses = flow.losses();
        if has_only_firsts(flow) && self.losses.of(Loss::Late).datagrams == 0 {
            self.only_first += losses.take(Loss::OnlyFirst);
            self.only_first_flows.push(*key);
        } else {
            self.fragmented += counters.datagrams.fragmented;
            self.fragments += counters.fragments.total - counters.fragments.duplicate;
            self.gaps += flow.gaps();
            self.reassembled += counters.datagrams.reassembled;
        }
        self.losses += losses;
    }

    /// Adds the packets of a tunnel that ends there. What of them is lost counts to the
    /// flows inside.
    fn add_tunnel(&mut self, tunnel: &Tunnel, span: Span) {
        let counters = tunnel.counters();
        self.ends_tunnel = true;
        self.sent_bytes += tunnel.reassembled_bytes;
        self.deliverable_bytes += tunnel.reassembled_bytes;
        self.deliverable_fragmented_bytes += tunnel.reassembled_bytes;
        self.fragmented += counters.datagrams.fragmented;
        self.unfragmented += counters.datagrams.unfragmented;
        self.fragments += counters.fragments.total - counters.fragments.duplicate;
        self.gaps += tunnel.gaps;
        self.reassembled += counters.datagrams.reassembled;
        self.full_bytes = self.full_bytes.max(tunnel.largest_full().ip_bytes);
        self.first = self.first.min(span.first);
        self.last = self.last.max(span.last);
    }

    /// What it is sorted by: the one that lacks most bytes is first. Names speak last, so
    /// that under others the same host leads.
    fn standing(&self) -> impl Ord + use<> {
        let missing = self.sent_bytes.saturating_sub(self.delivered_bytes());
        let fragments = Reverse((self.fragments, self.fragments_missing()));
        (
            Reverse(missing),
            Reverse(self.sent_bytes),
            fragments,
            self.first,
            self.last,
            self.host,
        )
    }

    /// Its address for people.
    pub fn address(&self) -> IpAddr {
        self.host.address()
    }

    /// Fragments that never came.
    pub fn fragments_missing(&self) -> u64 {
        self.gaps
            .fragments_missing
            .saturating_sub(self.gaps.fragments_late)
    }

    /// Datagrams that lack fragments.
    pub fn lacking(&self) -> Lost {
        let (never_whole, late) = (self.never_whole(), self.late());
        Lost {
            datagrams: never_whole.datagrams - late.datagrams,
            bytes: never_whole.bytes - late.bytes,
        }
    }

    /// Datagrams that timed out and whose rest came too late, without that rest. How many
    /// bytes those are is known of all that were never whole together.
    pub fn late(&self) -> Lost {
        let never_whole = self.never_whole();
        let each = never_whole.bytes.checked_div(never_whole.datagrams);
        let datagrams = never_whole
            .datagrams
            .min(self.losses.of(Loss::Late).datagrams);
        let bytes = if datagrams == never_whole.datagrams {
            never_whole.bytes
        } else {
            datagrams * each.unwrap_or(0)
        };
        Lost { datagrams, bytes }
    }

    fn never_whole(&self) -> Lost {
        self.losses
            .of_any(&[Loss::Gap, Loss::OnlyFirst, Loss::NoFirst])
    }

    /// By what rule fragments are missing, if any are.
    pub fn pattern(&self) -> Option<Pattern> {
        let lacking = self.lacking().datagrams;
        let is_nearly_all = |loss| {
            let those = self.losses.of(loss).datagrams;
            those >= FEWEST_FOR_A_RULE && those * 10 >= lacking * 9 && self.reassembled == 0
        };
        if lacking == 0 {
            None
        } else if is_nearly_all(Loss::NoFirst) {
            Some(Pattern::NoFirst)
        } else {
            Some(Pattern::Chance)
        }
    }

    /// Fragments of datagrams of which it is known what became of them, whether they came
    /// or not.
    pub fn fragments_expected(&self) -> u64 {
        let unfinished = self.gaps.fragments_unfinished;
        self.fragments.saturating_sub(unfinished) + self.fragments_missing()
    }

    /// Those datagrams: all in fragments but those that the capture begins or ends within.
    pub fn decided(&self) -> u64 {
        self.fragmented.saturating_sub(self.gaps.unfinished)
    }

    /// The share of fragments that never came.
    pub fn fragment_loss(&self) -> f64 {
        share(self.fragments_missing(), self.fragments_expected())
    }

    /// The share of datagrams of which no fragment is lost, if each is lost by chance.
    pub fn expected_whole(&self) -> f64 {
        (1.0 - self.fragment_loss()).powf(self.pieces as f64)
    }

    /// Payload of its largest messages, if they are UDP.
    pub fn message_bytes(&self) -> u32 {
        let header = match self.host.version {
            IpVersion::V4 => 20,
            IpVersion::V6 => 40,
        };
        self.largest_datagram_bytes.saturating_sub(header + 8)
    }

    /// Bytes of fragmented datagrams that are whole here, but that its kernel does not
    /// put together.
    pub fn refused_bytes(&self) -> u64 {
        let delivered = self
            .forecast
            .as_ref()
            .map(|forecast| forecast.predicted.delivered_bytes);
        delivered.map_or(0, |delivered| {
            self.deliverable_fragmented_bytes.saturating_sub(delivered)
        })
    }

    /// Those of them that its kernel gives up for fragments of others in between.
    pub fn distant_bytes(&self) -> u64 {
        let distant = self.forecast.as_ref().map_or(0, |forecast| {
            let predicted = &forecast.predicted;
            let each = self
                .deliverable_fragmented_bytes
                .checked_div(self.reassembled)
                .unwrap_or(0);
            predicted.too_distant.saturating_mul(each)
        });
        distant.min(self.refused_bytes())
    }

    /// Bytes that its kernel refuses for want of memory: those of the fragments, whatever
    /// else their datagrams lack, since memory is what it looks at first.
    pub fn memory_bytes(&self) -> u64 {
        let forecast = self.forecast.as_ref();
        let refused = forecast.map_or(0, |forecast| forecast.predicted.rejected_bytes);
        refused.min(self.chance_or_memory_bytes())
    }

    /// Bytes of datagrams that lack fragments by chance; those refused left out.
    pub fn chance_bytes(&self) -> u64 {
        self.chance_or_memory_bytes() - self.memory_bytes()
    }

    fn chance_or_memory_bytes(&self) -> u64 {
        let by_chance = match self.pattern() {
            Some(Pattern::Chance) => self.lacking().bytes,
            Some(Pattern::NoFirst) | None => 0,
        };
        by_chance + self.refused_bytes() - self.distant_bytes()
            + self.unfinished_but_refused_bytes()
    }

    /// Of datagrams that the capture began or ended within, what was refused all the same.
    fn unfinished_but_refused_bytes(&self) -> u64 {
        let unfinished = self.losses.of(Loss::Unfinished).bytes;
        let refused = self.forecast.as_ref().map_or(0.0, |forecast| {
            let predicted = &forecast.predicted;
            share(predicted.rejected_fragments, predicted.fragments)
        });
        (unfinished as f64 * refused) as u64
    }

    /// Bytes of datagrams of which nobody can say what became of them.
    pub fn undecided_bytes(&self) -> u64 {
        self.losses.of(Loss::Unfinished).bytes - self.unfinished_but_refused_bytes()
    }

    /// The share of the datagrams put together here that its kernel puts together.
    pub fn delivered_share(&self) -> f64 {
        let forecast = self.forecast.as_ref();
        forecast.map_or(1.0, |forecast| {
            let predicted = forecast.predicted.reassembled.min(self.reassembled);
            if self.reassembled == 0 {
                1.0
            } else {
                share(predicted, self.reassembled)
            }
        })
    }

    /// The same of one of its flows: one that was over before memory ran out lost nothing
    /// by that.
    pub fn delivered_share_of(&self, flow: &Flow) -> f64 {
        let Some(forecast) = self.forecast.as_ref() else {
            return 1.0;
        };
        let rest = self
            .reassembled
            .saturating_sub(self.reassembled_before_full);
        if forecast.predicted.first_full.is_none() {
            self.delivered_share()
        } else if self.is_before_full(flow) || rest == 0 {
            1.0
        } else {
            let delivered = forecast.predicted.reassembled.min(self.reassembled);
            share(delivered.saturating_sub(self.reassembled_before_full), rest)
        }
    }

    fn is_before_full(&self, flow: &Flow) -> bool {
        let forecast = self.forecast.as_ref();
        let full = forecast.and_then(|forecast| forecast.predicted.first_full);
        full.is_some_and(|full| flow.last < full)
    }

    /// Whether its datagrams are of many sizes, so that the largest do not stand for all.
    pub fn is_mixed(&self) -> bool {
        let all = self.decided().saturating_mul(self.pieces);
        self.fragments_expected().saturating_mul(10) < all.saturating_mul(8)
    }

    /// Bytes that its applications can get.
    pub fn delivered_bytes(&self) -> u64 {
        self.deliverable_bytes.saturating_sub(self.refused_bytes())
    }

    /// Datagrams that its applications can get.
    pub fn delivered_datagrams(&self) -> u64 {
        let reassembled = self
            .forecast
            .as_ref()
            .map_or(self.reassembled, |forecast| forecast.predicted.reassembled);
        let spoiled = self.losses.of_any(&SPOILED).datagrams;
        (self.unfragmented + reassembled).saturating_sub(spoiled)
    }

    /// Bits a second that `bytes` are, over the time that its flows last.
    pub fn bit_rate(&self, bytes: u64) -> Option<f64> {
        let seconds = (self.last - self.first).as_secs_f64();
        (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds)
    }
}

/// Fragments of the largest datagrams of a flow: as counted, or as its sizes say.
fn pieces_of(flow: &Flow) -> u64 {
    let counted = flow.fragments_per_datagram().map_or(0, |(_, most)| most);
    let full = u64::from(flow.largest_full().payload_bytes);
    let header = flow
        .largest_full()
        .ip_bytes
        .saturating_sub(flow.largest_full().payload_bytes);
    let payload = u64::from(flow.sizes.largest_bytes().saturating_sub(header));
    let computed = payload.div_ceil(full.max(1));
    if full == 0 {
        counted
    } else {
        counted.max(computed)
    }
}

/// A part of a whole; 0 of nothing.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
