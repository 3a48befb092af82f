//! One cause found in one capture.

use super::cause::{Cause, Fix, Severity};
use super::known::Known;
use crate::account::{Exhibit, Flow};
use crate::model::FlowKey;

/// Most flows that a finding names.
const MAX_FLOWS: usize = 100;

/// A cause that shows in a capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is known of it.
    pub cause: &'static Cause,
    /// How grave it is here.
    pub severity: Severity,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// What was seen, in whole sentences with figures.
    pub seen: String,
    /// Frames that show it, in the order of the capture.
    pub evidence: Vec<Evidence>,
    /// What to do about it, for the networks in view.
    pub fix: Vec<&'static Fix>,
    /// Flows concerned, the worst first.
    pub flows: Vec<FlowKey>,
    /// Bytes not delivered because of it; `None` if that is not known.
    pub missing_bytes: Option<u64>,
}

/// A frame that shows something, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The frame.
    pub exhibit: Exhibit,
    /// What to look at.
    pub note: &'static str,
}

/// How sure something is. Nothing is ever certain from one capture.
pub(super) mod confidence {
    /// Stands in the headers, and means one thing only.
    pub const SURE: f64 = 0.95;
    /// What else could show so is rare.
    pub const LIKELY: f64 = 0.8;
    /// It fits, and so would something else.
    pub const FITS: f64 = 0.6;
    /// One of several.
    pub const POSSIBLE: f64 = 0.4;
}

impl Finding {
    /// A cause for which `seen` speaks.
    pub(super) fn new(cause: &'static Cause, confidence: f64, seen: String) -> Self {
        Self {
            cause,
            severity: cause.severity,
            confidence,
            seen,
            evidence: Vec::new(),
            fix: Vec::new(),
            flows: Vec::new(),
            missing_bytes: None,
        }
    }

    /// As grave as this.
    #[must_use]
    pub(super) fn graded(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Not delivered because of it.
    #[must_use]
    pub(super) fn missing(self, bytes: u64) -> Self {
        Self {
            missing_bytes: Some(bytes),
            ..self
        }
    }

    /// Frames that show it.
    #[must_use]
    pub(super) fn shown_by(mut self, exhibits: &[Exhibit], note: &'static str) -> Self {
        let evidence = exhibits.iter().map(|exhibit| Evidence {
            exhibit: *exhibit,
            note,
        });
        self.evidence.extend(evidence);
        self.evidence.sort_by_key(|evidence| evidence.exhibit);
        self.evidence.truncate(crate::account::MAX_EXHIBITS);
        self
    }

    /// The flows concerned: those in which `weight` finds something, the worst first.
    #[must_use]
    pub(super) fn in_flows(self, known: &Known<'_>, weight: impl Fn(&Flow) -> u64) -> Self {
        let weighed = known.odd.iter().map(|(key, flow)| (weight(flow), **key));
        self.in_these(weighed.filter(|(weight, _)| *weight > 0).collect())
    }

    /// The flows concerned, each with its weight.
    #[must_use]
    pub(super) fn in_these(self, mut flows: Vec<(u64, FlowKey)>) -> Self {
        flows.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        flows.truncate(MAX_FLOWS);
        Self {
            flows: flows.into_iter().map(|(_, key)| key).collect(),
            ..self
        }
    }
}
