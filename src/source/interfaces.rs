//! What pcapng says of its interfaces beside their packets: descriptions and drop counters.

use super::bytes::ByteOrder;
use super::filter;
use super::options::options;
use super::problem::{FileFacts, InterfaceFacts, Problem, Severity};
use super::section::{Clock, Interface, PacketHeader, TRAILER};
use crate::model::{LinkType, Timestamp};

/// Option codes of interface descriptions.
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_TSRESOL: u16 = 9;
const IF_FILTER: u16 = 11;
const IF_FCSLEN: u16 = 13;
const IF_TSOFFSET: u16 = 14;
/// Option codes of interface statistics.
const ISB_STARTTIME: u16 = 2;
const ISB_ENDTIME: u16 = 3;
const ISB_IFDROP: u16 = 5;
const ISB_OSDROP: u16 = 7;
/// Option code of enhanced packets.
const EPB_DROPCOUNT: u16 = 4;

/// Microseconds, unless a description says otherwise.
const DEFAULT_RESOLUTION: u8 = 6;

/// Most filters that are reported, and link types that are listed, of one file.
const MAX_STATED: usize = 64;

/// Most interfaces of one file of which more is known than their link types.
const MAX_NAMED: usize = 1024;

/// What the interface descriptions of a file stated.
#[derive(Default)]
pub(super) struct Stated {
    link_types: Vec<LinkType>,
    snaplen: Option<u32>,
    /// Whether some interface kept whole frames.
    unlimited: bool,
    notes: Vec<Problem>,
    interfaces: Vec<InterfaceFacts>,
}

impl Stated {
    /// Reads the description of interface `number` of a section.
    pub(super) fn interface(
        &mut self,
        order: ByteOrder,
        block: &[u8],
        number: usize,
    ) -> Result<Interface, String> {
        let length = block.len();
        let body = block.get(..length.saturating_sub(TRAILER));
        let header = body.and_then(|body| body.first_chunk::<16>());
        let (Some(body), Some(header)) = (body, header) else {
            return Err(format!(
                "an interface description of {length} bytes, the least is 20"
            ));
        };
        let mut resolution = DEFAULT_RESOLUTION;
        let mut offset_seconds = 0;
        let mut fcs_bytes = 0;
        let (mut name, mut description) = (String::new(), String::new());
        for (code, value) in options(order, body.get(16..).unwrap_or_default()) {
            match (code, value) {
                (IF_NAME, _) => name = String::from_utf8_lossy(value).into_owned(),
                (IF_DESCRIPTION, _) => description = String::from_utf8_lossy(value).into_owned(),
                (IF_TSRESOL, [exponent, ..]) => resolution = *exponent,
                (IF_TSOFFSET, _) => offset_seconds = order.u64(value).unwrap_or(0) as i64,
                (IF_FCSLEN, [length, ..]) => fcs_bytes = fcs_bytes_of(*length),
                (IF_FILTER, [0, expression @ ..]) => self.filter(expression, number),
                _ => {}
            }
        }
        let interface = Interface {
            link_type: LinkType(u32::from(order.u16::<8, 16>(header))),
            snaplen: order.u32::<12, 16>(header),
            clock: Clock::new(resolution, offset_seconds),
            fcs_bytes,
        };
        self.remember(InterfaceFacts {
            name,
            description,
            link_type: interface.link_type,
            snaplen: interface.snaplen,
        });
        Ok(interface)
    }

    fn remember(&mut self, interface: InterfaceFacts) {
        let known = self.link_types.contains(&interface.link_type);
        if !known && self.link_types.len() < MAX_STATED {
            self.link_types.push(interface.link_type);
        }
        match interface.snaplen {
            0 => self.unlimited = true,
            snaplen => self.snaplen = self.snaplen.max(Some(snaplen)),
        }
        if self.interfaces.len() < MAX_NAMED {
            self.interfaces.push(interface);
        }
    }

    /// A filter at capture time explains what is missing from the file.
    fn filter(&mut self, expression: &[u8], number: usize) {
        let expression = String::from_utf8_lossy(expression);
        let why = filter::may_drop_fragments(&expression)
            .map(|reason| format!("; {reason}"))
            .unwrap_or_default();
        let text = format!("interface {number} was captured with the filter \"{expression}\"{why}");
        let note = Problem::new(Severity::Note, text);
        if self.notes.len() < MAX_STATED && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds it to the facts of the file.
    pub(super) fn describe(&self, facts: &mut FileFacts) {
        facts.link_types.clone_from(&self.link_types);
        facts.snaplen = self.snaplen.filter(|_| !self.unlimited);
        facts.interfaces.clone_from(&self.interfaces);
        facts.problems.extend(self.notes.iter().cloned());
    }
}

/// The specification says bits, its example and Wireshark say bytes. No frame check
/// sequence is of 16 bytes or more, and none of 8 bits or less.
fn fcs_bytes_of(length: u8) -> u32 {
    match length {
        0..=15 => u32::from(length),
        bits => u32::from(bits) / 8,
    }
}

/// What the file says was lost while it was captured.
#[derive(Default)]
pub(super) struct Losses {
    /// By interface of the current section.
    current: Vec<Loss>,
    /// Of the sections before.
    before: Option<u64>,
}

/// Two ways to say the same of one interface.
#[derive(Clone, Copy, Default)]
struct Loss {
    /// By its latest statistics block, which counts from the start of the capture.
    stated: Option<u64>,
    /// By its packets, each of which counts from the packet before.
    counted: Option<u64>,
}

/// When capturing began and ended, as interface statistics say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Captured {
    from: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Captured {
    /// Takes in a statistics block of one of the interfaces of its section.
    pub(super) fn statistics(&mut self, order: ByteOrder, block: &[u8], interfaces: &[Interface]) {
        let Some((number, list)) = statistics(order, block) else {
            return;
        };
        let Some(interface) = interfaces.get(number as usize) else {
            return;
        };
        for (code, value) in options(order, list) {
            let Some(value) = value.first_chunk::<8>() else {
                continue;
            };
            let (high, low) = (order.u32::<0, 8>(value), order.u32::<4, 8>(value));
            let time = Some(stated_time(interface.clock, high, low));
            match code {
                ISB_STARTTIME => self.from = self.from.min(time).or(time),
                ISB_ENDTIME => self.until = self.until.max(time),
                _ => {}
            }
        }
    }

    /// The beginning, and the end.
    pub(super) fn span(&self) -> [Option<Timestamp>; 2] {
        [self.from, self.until]
    }
}

/// A time of a statistics block. dumpcap counts microseconds there, whatever ticks packets of
/// the interface have: what would be long before there were captures is read so.
fn stated_time(clock: Clock, high: u32, low: u32) -> Timestamp {
    const YEARS_AGO: Timestamp = Timestamp(10 * 365 * 86_400 * 1_000_000_000);
    let by_the_interface = clock.timestamp(high, low);
    let in_microseconds = Clock::new(DEFAULT_RESOLUTION, 0).timestamp(high, low);
    match by_the_interface < YEARS_AGO && in_microseconds > YEARS_AGO {
        true => in_microseconds,
        false => by_the_interface,
    }
}

/// The number of the interface that a statistics block is of, and its options.
fn statistics(order: ByteOrder, block: &[u8]) -> Option<(u32, &[u8])> {
    const HEADER: usize = 20;
    let body = block.get(..block.len().saturating_sub(TRAILER))?;
    let (header, list) = body.split_first_chunk::<HEADER>()?;
    Some((order.u32::<8, HEADER>(header), list))
}

impl Losses {
    /// The next blocks are of another section, with other interfaces.
    pub(super) fn new_section(&mut self) {
        self.before = self.total();
        self.current.clear();
    }

    /// Frames lost, over all interfaces that say so; `None` if none does.
    pub(super) fn total(&self) -> Option<u64> {
        let current = self.current.iter();
        // A count by packets cannot know what was lost after the last of them.
        let losses = current.map(|loss| loss.stated.max(loss.counted));
        losses
            .chain([self.before])
            .flatten()
            .reduce(u64::saturating_add)
    }

    /// Takes in a statistics block.
    pub(super) fn statistics(&mut self, order: ByteOrder, block: &[u8]) {
        let Some((number, list)) = statistics(order, block) else {
            return;
        };
        let counters = options(order, list)
            .filter(|(code, _)| matches!(*code, ISB_IFDROP | ISB_OSDROP))
            .filter_map(|(_, value)| order.u64(value))
            // How some writers say that they do not know.
            .filter(|counter| *counter != u64::MAX);
        let dropped = counters.reduce(u64::saturating_add);
        if let Some(loss) = self.interface(number) {
            loss.stated = dropped.or(loss.stated);
        }
    }

    /// Takes in what a packet block says was lost before it.
    #[cold]
    pub(super) fn packet(&mut self, order: ByteOrder, header: &PacketHeader, block: &[u8]) {
        let dropped = match header.drops {
            Some(drops) => Some(u64::from(drops)),
            None => options(order, header.options(block))
                .find(|(code, _)| *code == EPB_DROPCOUNT)
                .and_then(|(_, value)| order.u64(value)),
        };
        let (Some(dropped), Some(loss)) = (dropped, self.interface(header.interface)) else {
            return;
        };
        loss.counted = Some(loss.counted.unwrap_or(0).saturating_add(dropped));
    }

    fn interface(&mut self, number: u32) -> Option<&mut Loss> {
        let number = number as usize;
        if number >= self.current.len() && number < super::pcapng::MAX_INTERFACES {
            self.current.resize(number + 1, Loss::default());
        }
        self.current.get_mut(number)
    }
}
