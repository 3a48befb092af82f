//! Frames from the network interfaces of this host, as they come.
//!
//! The kernel writes frames into a ring of each interface (`TPACKET_V3` by way of
//! libpcap), from which whoever reads copies them into blocks laid out as a pcap file of
//! nanoseconds is: one copy, and the ring has room again.

use super::device::Device;
use super::problem::FileFacts;
use super::{Block, Progress, Source};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How interfaces are captured on.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Their names; `any` is all of them.
    pub interfaces: Vec<String>,
    /// Only frames that match this expression leave the kernel.
    pub filter: Option<String>,
    /// Size of the ring of each in bytes.
    pub buffer_bytes: u32,
    /// Most bytes that are captured of a frame.
    pub snaplen: u32,
    /// Whether frames to others are captured too.
    pub promiscuous: bool,
    /// Frames after which the capture ends.
    pub count: Option<u64>,
    /// Bytes after which a block is handed on.
    pub block_bytes: usize,
}

/// Why an interface cannot be captured on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// There is no such interface, or it must not be captured on.
    #[error("{interface}: {reason}")]
    Unavailable {
        /// Its name.
        interface: String,
        /// libpcap's words.
        reason: String,
    },
    /// libpcap does not compile the filter.
    #[error("filter \"{expression}\": {reason}")]
    Filter {
        /// The expression as given.
        expression: String,
        /// libpcap's words.
        reason: String,
    },
}

/// What is known of one interface that is captured on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveStatus {
    /// Why no frames come from it; `None` if they do.
    pub gone: Option<String>,
    /// What was read of it, and by libpcap's counters.
    pub counts: LiveCounts,
    /// What a report says of it as an input.
    pub facts: FileFacts,
}

/// Frames of one interface, since the capture began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveCounts {
    /// Read from the ring.
    pub frames: u64,
    /// Passed the filter, those dropped included.
    pub received: u64,
    /// Found the ring full.
    pub dropped: u64,
    /// Dropped by the interface or its driver.
    pub interface_dropped: u64,
}

/// What others may ask of a capture that goes on, from any thread.
#[derive(Clone, Debug, Default)]
pub struct LiveControl(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    is_stopped: AtomicBool,
    is_retry_due: AtomicBool,
    statuses: Mutex<Vec<LiveStatus>>,
}

impl LiveControl {
    /// Ends the capture. What lies in the rings is still read.
    pub fn stop(&self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Has interfaces that are gone looked for again.
    pub fn retry(&self) {
        self.0.is_retry_due.store(true, Ordering::Relaxed);
    }

    /// How each interface is, in the order they were named.
    pub fn statuses(&self) -> Vec<LiveStatus> {
        self.lock().clone()
    }

    fn is_stopped(&self) -> bool {
        self.0.is_stopped.load(Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<LiveStatus>> {
        let statuses = self.0.statuses.lock();
        statuses.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks on as blocks are filled, in their order.
pub type Tap = Box<dyn Fn(&Block) + Send>;

/// Captures on network interfaces.
pub struct Live {
    options: LiveOptions,
    devices: Vec<Device>,
    control: LiveControl,
    tap: Option<Tap>,
    /// Who is read first: the one after who was read last.
    turn: usize,
    frames: u64,
    /// Blocks filled.
    fills: u64,
    /// Bytes read after the end was asked for.
    drained: u64,
}

/// Blocks after which the kernel's counters are asked for, and whenever nothing came: at
/// the highest rates some thirty times a second.
const FILLS_BEFORE_COUNTS: u64 = 64;
/// How long nothing may come before whoever waits looks up.
const WAIT_MS: u16 = 100;

impl Live {
    /// Opens all interfaces; afterwards no privileges are needed to read from them.
    ///
    /// # Errors
    ///
    /// One of them cannot be captured on, or libpcap does not compile the filter.
    pub fn open(options: LiveOptions) -> Result<Self, LiveError> {
        let names = options.interfaces.iter().enumerate();
        let devices: Vec<Device> = names
            .map(|(index, name)| Device::open(index as u32, name, &options))
            .collect::<Result<_, _>>()?;
        let live = Self {
            devices,
            control: LiveControl::default(),
            tap: None,
            turn: 0,
            frames: 0,
            fills: 0,
            drained: 0,
            options,
        };
        live.publish();
        Ok(live)
    }

    /// What others may ask of it.
    pub fn control(&self) -> LiveControl {
        self.control.clone()
    }

    /// Shows each block to `tap` before it is decoded.
    pub fn tap(&mut self, tap: Tap) {
        self.tap = Some(tap);
    }

    /// Fills the block from the first interface that has something.
    fn read(&mut self, block: &mut Block) -> bool {
        let left = self.left();
        if left == 0 {
            return false;
        }
        for step in 0..self.devices.len() {
            let index = (self.turn + step) % self.devices.len();
            let Some(device) = self.devices.get_mut(index) else {
                continue;
            };
            let frames = device.fill(block, self.options.block_bytes, left);
            if frames > 0 {
                self.frames = self.frames.saturating_add(frames);
                self.turn = index + 1;
                return true;
            }
        }
        false
    }

    /// Frames that may still come.
    fn left(&self) -> u64 {
        let count = self.options.count.unwrap_or(u64::MAX);
        count.saturating_sub(self.frames)
    }

    /// Whether the end was asked for, or the frames asked for were read. What lay in the
    /// rings by then is read first, as far as it can have been there.
    fn is_over(&self) -> bool {
        let rings = u64::from(self.options.buffer_bytes)
            .saturating_mul(self.devices.len().try_into().unwrap_or(u64::MAX));
        self.left() == 0 || self.control.is_stopped() && self.drained >= rings
    }

    /// Waits until some interface may have something, though not for long.
    fn wait(&self) {
        let mut fds: Vec<PollFd<'_>> = self
            .devices
            .iter()
            .filter_map(|device| Some(PollFd::new(device.capture()?.as_fd(), PollFlags::POLLIN)))
            .collect();
        // What else can come is a signal, and whoever is meant by it says so otherwise.
        let _ = poll(&mut fds, PollTimeout::from(WAIT_MS));
    }

    fn reopen_if_due(&mut self) {
        let shared = &self.control.0;
        if shared.is_retry_due.swap(false, Ordering::Relaxed) {
            for device in &mut self.devices {
                device.reopen(&self.options);
            }
        }
    }

    /// Asks for the kernel's counters, which takes several files to be read: not for each
    /// block.
    fn count(&mut self, has_frames: bool) {
        self.fills = self.fills.wrapping_add(1);
        if !has_frames || self.fills.is_multiple_of(FILLS_BEFORE_COUNTS) {
            self.devices.iter_mut().for_each(Device::count);
            self.publish();
        }
    }

    fn publish(&self) {
        let statuses = self.devices.iter().map(Device::status);
        *self.control.lock() = statuses.collect();
    }
}

impl Source for Live {
    fn fill(&mut self, block: &mut Block) -> bool {
        block.clear();
        loop {
            self.reopen_if_due();
            let has_frames = !self.is_over() && self.read(block);
            self.count(has_frames);
            if has_frames {
                if self.control.is_stopped() {
                    self.drained = self.drained.saturating_add(block.records.len() as u64);
                }
                if let Some(tap) = &self.tap {
                    tap(block);
                }
                return true;
            }
            if self.is_over() || self.control.is_stopped() {
                return false;
            }
            self.wait();
        }
    }

    fn files(&self) -> Vec<FileFacts> {
        self.devices.iter().map(Device::facts).collect()
    }

    fn progress(&self) -> Progress {
        Progress {
            bytes: self.devices.iter().map(Device::bytes).sum(),
            total_bytes: None,
        }
    }
}
