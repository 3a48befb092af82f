//! BPF expressions as tcpdump takes them, compiled by libpcap for each link type.

mod fragments;
mod program;

pub use fragments::may_drop_fragments;

use crate::model::{Frame, LinkType};
use pcap::{BpfProgram, Capture, Linktype};
use program::{Instruction, Program};
use std::sync::{Mutex, PoisonError};

/// libpcap's compiler keeps global state before version 1.8, and name look-ups do still.
static COMPILER: Mutex<()> = Mutex::new(());

/// Why an expression was not compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("filter \"{expression}\" for link type {link_type}: {reason}")]
pub struct FilterError {
    /// The expression as given.
    pub expression: String,
    /// What it was to be compiled for.
    pub link_type: LinkType,
    /// What libpcap says.
    pub reason: String,
}

/// An expression compiled for one link type.
pub struct Filter {
    compiled: BpfProgram,
    /// The same program, if it looks at the packet length.
    by_length: Option<Program>,
    drops_fragments: bool,
}

impl Filter {
    /// Has libpcap compile an expression.
    pub fn compile(expression: &str, link_type: LinkType) -> Result<Self, FilterError> {
        let error = |reason: String| FilterError {
            expression: expression.to_owned(),
            link_type,
            reason,
        };
        let compiled = {
            let _one_at_a_time = COMPILER.lock().unwrap_or_else(PoisonError::into_inner);
            Capture::dead(data_link_type(link_type))
                .and_then(|capture| capture.compile(expression, true))
                .map_err(|reason| error(reason_of(&reason)))?
        };
        let instructions = compiled.get_instructions().iter();
        let program: Program = instructions
            .filter_map(|instruction| Instruction::parse(&instruction.to_string()))
            .collect();
        Ok(Self {
            drops_fragments: program.tests_fragment_offset(),
            by_length: program.loads_length().then_some(program),
            compiled,
        })
    }

    /// Whether the frame is one the expression asks for.
    pub fn matches(&self, frame: &Frame<'_>) -> bool {
        match &self.by_length {
            // The pcap crate passes the captured length for the length on the wire,
            // so that `greater 1000` would find nothing in a capture cut to 96 bytes.
            Some(program) if frame.is_truncated() => program.matches(frame.data, frame.wire_bytes),
            _ => self.compiled.filter(frame.data),
        }
    }

    /// Whether the program tests the fragment offset, as libpcap has it do before
    /// it looks at ports or at the payload of a transport.
    pub fn tests_fragment_offset(&self) -> bool {
        self.drops_fragments
    }
}

/// libpcap's words without the crate's prefix.
pub(super) fn reason_of(error: &pcap::Error) -> String {
    match error {
        pcap::Error::PcapError(text) => super::problem::printable(text),
        other => super::problem::printable(&other.to_string()),
    }
}

/// The number libpcap's compiler knows a link type by. Files and compiler number
/// most alike; raw IP is the exception that matters (pcap/dlt.h).
fn data_link_type(link_type: LinkType) -> Linktype {
    const DLT_RAW: i32 = if cfg!(target_os = "openbsd") { 14 } else { 12 };
    match link_type {
        LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD => Linktype(DLT_RAW),
        LinkType(number) => Linktype(i32::try_from(number).unwrap_or(i32::MAX)),
    }
}

/// One expression for frames of any link type; compiled when the first frame of a
/// link type comes. Each worker has a clone of its own.
pub struct FilterSet {
    expression: String,
    /// `None`: libpcap does not compile it for that link type.
    filters: Vec<(LinkType, Option<Filter>)>,
}

impl Clone for FilterSet {
    /// Compiled programs are not shared; the clone compiles its own.
    fn clone(&self) -> Self {
        Self {
            expression: self.expression.clone(),
            filters: Vec::new(),
        }
    }
}

impl FilterSet {
    /// Checks an expression. It need not make sense on every link type: `vlan` does
    /// not on raw IP, `inbound` does not on Ethernet.
    pub fn new(expression: &str) -> Result<Self, FilterError> {
        let compile = |link_type| Filter::compile(expression, link_type).map(|_| ());
        let on_ethernet = compile(LinkType::ETHERNET);
        on_ethernet
            .or_else(|error| compile(LinkType::LINUX_SLL).map_err(|_| error.clone()))
            .or_else(|error| compile(LinkType::RAW).map_err(|_| error))?;
        Ok(Self {
            expression: expression.to_owned(),
            filters: Vec::new(),
        })
    }

    /// Whether the frame is one the expression asks for. Where libpcap cannot
    /// compile it for the frame's link type, it is not; see [`Self::refused`].
    pub fn matches(&mut self, frame: &Frame<'_>) -> bool {
        self.filter(frame.link_type)
            .is_some_and(|filter| filter.matches(frame))
    }

    /// Link types met so far for which the expression could not be compiled: all
    /// their frames were taken not to match.
    pub fn refused(&self) -> impl Iterator<Item = LinkType> + '_ {
        let refused = self.filters.iter().filter(|(_, filter)| filter.is_none());
        refused.map(|(link_type, _)| *link_type)
    }

    fn filter(&mut self, link_type: LinkType) -> Option<&Filter> {
        let known = self
            .filters
            .iter()
            .position(|(known, _)| *known == link_type);
        let index = known.unwrap_or_else(|| {
            let filter = Filter::compile(&self.expression, link_type).ok();
            self.filters.push((link_type, filter));
            self.filters.len() - 1
        });
        self.filters.get(index)?.1.as_ref()
    }
}

#[cfg(test)]
mod tests;
