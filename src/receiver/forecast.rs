//! What is said of one host.

use super::memory::MemoryCurve;
use super::settings::Settings;
use crate::model::facts::{IcmpError, Layer, Transport};
use crate::model::{Addresses, FrameId, IpVersion, ScopeTag, Timestamp};
use std::net::IpAddr;

/// A host that fragments were sent to: one account of reassembly memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host {
    /// VLANs and tunnels around its packets.
    pub scope: ScopeTag,
    /// Version of its address.
    pub version: IpVersion,
    /// Its address, as in [`Addresses`].
    pub destination: [u8; 16],
}

impl Host {
    /// Its address for people.
    pub fn address(&self) -> IpAddr {
        Addresses {
            version: self.version,
            source: [0; 16],
            destination: self.destination,
        }
        .destination()
    }
}

/// A host's message that it gave up a datagram, some of whose fragments never came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The host.
    pub host: Host,
    /// The frame it is in.
    pub frame: FrameId,
    /// When it was captured.
    pub timestamp: Timestamp,
    /// IP headers around it.
    pub depth: u8,
}

impl GivenUp {
    /// What the innermost layer of a packet says, if it is that. A router may have given
    /// up a datagram too, but not those of the host.
    pub fn of(layer: &Layer, frame: FrameId, timestamp: Timestamp, depth: u8) -> Option<Self> {
        let Transport::Icmp(icmp) = &layer.transport else {
            return None;
        };
        let quoted = icmp.quoted.as_ref()?;
        let addresses = quoted.flow.addresses;
        let is_its_own = addresses.destination == layer.addresses.source;
        let is_told = quoted.error == IcmpError::ReassemblyTimeExceeded;
        (is_told && is_its_own).then_some(Self {
            host: Host {
                scope: quoted.flow.scope,
                version: addresses.version,
                destination: addresses.destination,
            },
            frame,
            timestamp,
            depth,
        })
    }
}

/// What the kernel of one host makes of the fragments sent to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The host.
    pub host: Host,
    /// What is assumed of it.
    pub settings: Settings,
    /// Times it said that it gave up a datagram; each tells when its timers fire.
    pub timeouts_told: u64,
    /// What it does.
    pub predicted: Predicted,
    /// What its unfinished datagrams hold meanwhile.
    pub memory: MemoryCurve,
    /// What it would do if something were different; from replaying the same fragments.
    pub alternatives: Vec<Alternative>,
}

impl Forecast {
    /// Bytes of reassembly memory it is assumed to have.
    pub fn high_thresh(&self) -> u64 {
        self.settings.high_thresh(self.host.version)
    }

    /// Whether nothing came to the host, and nothing is held by it.
    pub fn is_idle(&self) -> bool {
        self.timeouts_told == 0
            && self.predicted
                == Predicted {
                    memory_peak_bytes: self.predicted.memory_peak_bytes,
                    ..Predicted::default()
                }
    }

    /// Adds what became of what came afterwards.
    pub fn add_later(&mut self, later: &Self) {
        self.timeouts_told = self.timeouts_told.saturating_add(later.timeouts_told);
        self.predicted.add_later(&later.predicted);
        self.memory.add_later(&later.memory);
        for (known, later) in self.alternatives.iter_mut().zip(&later.alternatives) {
            known.change = later.change;
            known.predicted.add_later(&later.predicted);
            known.memory.add_later(&later.memory);
        }
    }
}

/// Something different, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// What is different.
    pub change: Change,
    /// The settings with that.
    pub settings: Settings,
    /// What the kernel does then.
    pub predicted: Predicted,
    /// What its unfinished datagrams hold meanwhile; empty where there are none.
    pub memory: MemoryCurve,
}

/// What may be different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A larger `ipfrag_high_thresh`.
    LargerMemory,
    /// A shorter `ipfrag_time`.
    ShorterTime,
    /// Both.
    Both,
    /// The sender sends messages that need no fragments: each fragment that came would
    /// have been a message.
    MessagesThatFit {
        /// UDP payload of the largest such message in bytes.
        largest_message_bytes: u32,
    },
}

/// What a kernel makes of fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Predicted {
    /// Fragments that reached it (`IpReasmReqds`).
    pub fragments: u64,
    /// Fragments it refused because its memory was full.
    pub rejected_fragments: u64,
    /// Wire bytes of the frames that carried those.
    pub rejected_bytes: u64,
    /// Datagrams put together (`IpReasmOKs`).
    pub reassembled: u64,
    /// Datagrams given up after the timeout (`IpReasmTimeout`).
    pub timed_out: u64,
    /// Datagrams discarded for pieces that contradict each other.
    pub overlapped: u64,
    /// Datagrams discarded because too many other fragments of their source came
    /// between two of their pieces (`ipfrag_max_dist`).
    pub too_distant: u64,
    /// Datagrams discarded for being longer than 65,535 bytes.
    pub oversized: u64,
    /// `IpReasmFails`: one for each fragment refused and each datagram lost.
    pub failed: u64,
    /// Most memory that unfinished datagrams held at once, in bytes.
    pub memory_peak_bytes: u64,
    /// When a fragment was first refused.
    pub first_full: Option<Timestamp>,
    /// Wire bytes of the frames of datagrams put together, copies left out.
    pub delivered_bytes: u64,
    /// Datagrams that were open when the capture ended.
    pub open_at_end: u64,
}

impl Predicted {
    /// Adds what became of what came afterwards.
    fn add_later(&mut self, later: &Self) {
        self.fragments += later.fragments;
        self.rejected_fragments += later.rejected_fragments;
        self.rejected_bytes += later.rejected_bytes;
        self.reassembled += later.reassembled;
        self.timed_out += later.timed_out;
        self.overlapped += later.overlapped;
        self.too_distant += later.too_distant;
        self.oversized += later.oversized;
        self.failed += later.failed;
        self.memory_peak_bytes = self.memory_peak_bytes.max(later.memory_peak_bytes);
        self.first_full = self.first_full.or(later.first_full);
        self.delivered_bytes += later.delivered_bytes;
        self.open_at_end = later.open_at_end;
    }
}
