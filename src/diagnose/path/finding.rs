//! One cause found along a path.

use crate::diagnose::cause::{Cause, Fix, Severity};
use crate::model::Timestamp;

/// A cause that shows along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is known of it.
    pub cause: &'static Cause,
    /// How grave it is here.
    pub severity: Severity,
    /// The pair of neighbours it is between.
    pub segment: Option<usize>,
    /// Whether all of it goes back, or all of it forward; `None` if it goes both ways, or is
    /// not of packets that went either.
    pub is_backward: Option<bool>,
    /// The point it is at.
    pub point: Option<usize>,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// What was seen, in whole sentences with figures.
    pub seen: String,
    /// Frames that show it.
    pub evidence: Vec<Evidence>,
    /// What repairs it, what fits best first.
    pub fix: Vec<&'static Fix>,
    /// Flows concerned, by place in the outcome, the worst first.
    pub flows: Vec<usize>,
    /// Bytes that did not arrive because of it: of what goes forward, and of what goes back.
    pub missing: Option<[u64; 2]>,
}

/// A frame that shows something, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Where it was captured.
    pub point: usize,
    /// Its number there.
    pub frame: u64,
    /// When, by the clock there.
    pub timestamp: Timestamp,
    /// What to look at.
    pub note: String,
}

impl Finding {
    /// A cause for which `seen` speaks, between two points.
    pub(super) fn between(
        cause: &'static Cause,
        segment: usize,
        confidence: f64,
        seen: String,
    ) -> Self {
        Self {
            cause,
            severity: cause.severity,
            segment: Some(segment),
            is_backward: None,
            point: None,
            confidence,
            seen,
            evidence: Vec::new(),
            fix: cause.fix.iter().collect(),
            flows: Vec::new(),
            missing: None,
        }
    }

    /// Bytes that did not arrive because of it, whichever way they went.
    pub fn missing_bytes(&self) -> Option<u64> {
        self.missing.map(|ways| ways.iter().sum())
    }

    /// The same at one point.
    pub(super) fn at(cause: &'static Cause, point: usize, confidence: f64, seen: String) -> Self {
        Self {
            segment: None,
            point: Some(point),
            ..Self::between(cause, 0, confidence, seen)
        }
    }
}
