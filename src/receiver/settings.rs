//! What is assumed of a host.

use crate::model::{Duration, IpVersion};

/// Settings of a kernel; by default those that Linux comes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `net.ipv4.ipfrag_time`.
    pub ipfrag_time: Duration,
    /// `net.ipv4.ipfrag_high_thresh`, in bytes.
    pub ipfrag_high_thresh: u64,
    /// `net.ipv4.ipfrag_max_dist`; 0 for no limit.
    pub ipfrag_max_dist: u32,
    /// `net.ipv6.ip6frag_time`.
    pub ip6frag_time: Duration,
    /// `net.ipv6.ip6frag_high_thresh`, in bytes.
    pub ip6frag_high_thresh: u64,
    /// What a fragment is charged with.
    pub truesize: Truesize,
    /// `CONFIG_HZ`: timer interrupts a second.
    pub kernel_hz: u32,
}

/// Memory that a queued fragment is charged with (`skb->truesize`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truesize {
    /// By its length, as where sender and receiver are connected by veth.
    Modelled,
    /// So many bytes, as drivers do that give each frame a buffer of one size.
    Fixed(u32),
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ipfrag_time: Duration::from_secs(30),
            ipfrag_high_thresh: 4 << 20,
            ipfrag_max_dist: 64,
            ip6frag_time: Duration::from_secs(60),
            ip6frag_high_thresh: 4 << 20,
            truesize: Truesize::Modelled,
            kernel_hz: 250,
        }
    }
}

/// Buffers hold headers and `skb_shared_info` next to the payload.
const OVERHEAD_V4: u64 = 376;
const OVERHEAD_V6: u64 = 384;
/// Buffers for small packets have a size of their own (`skb_small_head_cache`).
const SMALL: u64 = 576;
/// `struct sk_buff`.
const SKB: u64 = 256;

impl Truesize {
    /// Of a fragment with so many bytes of IP payload. Modelled: measured with UDP over
    /// veth on Linux 6.18, 8 to 8,976 bytes; the allocator takes powers of two.
    pub(super) fn of(self, version: IpVersion, payload_bytes: u32) -> u64 {
        let overhead = match version {
            IpVersion::V4 => OVERHEAD_V4,
            IpVersion::V6 => OVERHEAD_V6,
        };
        match self {
            Self::Fixed(bytes) => bytes.into(),
            Self::Modelled => {
                let needed = u64::from(payload_bytes).saturating_add(overhead);
                let taken = if needed <= SMALL {
                    SMALL
                } else {
                    needed.next_power_of_two()
                };
                taken.saturating_add(SKB)
            }
        }
    }
}

/// The settings that hold for one version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub version: IpVersion,
    pub timeout: Duration,
    pub high_thresh: u64,
    /// 0 for no limit.
    pub max_dist: u32,
    pub truesize: Truesize,
    pub hz: u32,
}

impl Rules {
    /// What an unfinished datagram is charged by itself: `struct ipq` and `struct
    /// frag_queue`, measured on Linux 6.18.
    pub(super) fn queue_bytes(&self) -> u64 {
        match self.version {
            IpVersion::V4 => 200,
            IpVersion::V6 => 184,
        }
    }

    /// What a fragment is charged.
    pub(super) fn fragment_bytes(&self, payload_bytes: u32) -> u64 {
        self.truesize.of(self.version, payload_bytes)
    }
}

impl Settings {
    pub(super) fn rules(&self, version: IpVersion) -> Rules {
        let (timeout, high_thresh, max_dist) = match version {
            IpVersion::V4 => (
                self.ipfrag_time,
                self.ipfrag_high_thresh,
                self.ipfrag_max_dist,
            ),
            IpVersion::V6 => (self.ip6frag_time, self.ip6frag_high_thresh, 0),
        };
        Rules {
            version,
            timeout,
            high_thresh,
            max_dist,
            truesize: self.truesize,
            hz: self.kernel_hz.max(1),
        }
    }

    /// Memory for unfinished datagrams of a version of IP, in bytes.
    pub fn high_thresh(&self, version: IpVersion) -> u64 {
        self.rules(version).high_thresh
    }

    /// How long unfinished datagrams of a version of IP are kept.
    pub fn time(&self, version: IpVersion) -> Duration {
        self.rules(version).timeout
    }

    /// With so much memory for a version of IP.
    #[must_use]
    pub(super) fn with_memory(self, version: IpVersion, bytes: u64) -> Self {
        match version {
            IpVersion::V4 => Self {
                ipfrag_high_thresh: bytes,
                ..self
            },
            IpVersion::V6 => Self {
                ip6frag_high_thresh: bytes,
                ..self
            },
        }
    }

    /// With so much time for a version of IP.
    #[must_use]
    pub(super) fn with_time(self, version: IpVersion, time: Duration) -> Self {
        match version {
            IpVersion::V4 => Self {
                ipfrag_time: time,
                ..self
            },
            IpVersion::V6 => Self {
                ip6frag_time: time,
                ..self
            },
        }
    }
}
