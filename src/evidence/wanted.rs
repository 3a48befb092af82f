//! What is to be shown: the frames that findings name, and the hosts they are about.

use super::ring::Ring;
use crate::model::FrameId;
use crate::report::document::{Evidence, Report, Severity, TunnelKey};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Most flows of a finding whose hosts are looked for.
const MAX_FLOWS: usize = 100;

/// What a report names, and what of the capture has to do with it.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Ids of the findings.
    findings: BTreeSet<String>,
    /// The one that explains most, and how grave it is.
    leading: Option<(String, Severity)>,
    /// What findings say of frames, by number in the capture as a whole.
    frames: BTreeMap<u64, Named>,
    /// Frames in front of each input.
    before: Vec<u64>,
    /// Both ends of the flows concerned, and of the tunnels around them.
    hosts: BTreeSet<IpAddr>,
    /// Whether there is a finding that is about no flow, or about one that is not known: all
    /// traffic may bear on it.
    is_about_all: bool,
}

/// The finding that a report begins with, and how grave it is.
pub(super) fn leading(report: &Report) -> Option<(String, Severity)> {
    let first = report.findings.first()?;
    Some((first.id.clone(), first.severity))
}

/// What findings say of one frame.
#[derive(Clone, Debug, Default)]
struct Named {
    /// Its place among the frames of a finding, the first one where there are several.
    rank: usize,
    notes: Vec<String>,
}

impl Wanted {
    /// What a report names.
    pub fn of(report: &Report) -> Self {
        let files = &report.capture.files;
        let mut before = vec![0_u64];
        for file in files {
            let last = before.last().copied().unwrap_or(0);
            before.push(last.saturating_add(file.frames));
        }
        let mut wanted = Self {
            leading: leading(report),
            before,
            ..Self::default()
        };
        for finding in &report.findings {
            wanted.findings.insert(finding.id.clone());
            for (rank, evidence) in finding.evidence.iter().enumerate() {
                let file = files.iter().position(|file| file.path == evidence.file);
                wanted.name(file, rank, evidence, &finding.id);
            }
            if finding.evidence.is_empty() {
                // What no single frame shows, the first ones show as well as any.
                wanted.frames.entry(1).or_default();
            }
            // Flows that are not listed are not known either.
            let known = finding.flows.len() as u64;
            wanted.is_about_all |= known < finding.flows_total.clamp(1, MAX_FLOWS as u64);
            for flow in finding.flows.iter().take(MAX_FLOWS) {
                let place = usize::try_from(*flow).ok();
                if let Some(flow) = place.and_then(|place| report.flows.get(place)) {
                    wanted.hosts.extend([flow.key.src, flow.key.dst]);
                    wanted.add_ends(flow.key.tunnel.as_ref());
                }
            }
        }
        wanted
    }

    fn name(&mut self, file: Option<usize>, rank: usize, evidence: &Evidence, finding: &str) {
        let Some(before) = file.and_then(|file| self.before.get(file)) else {
            return;
        };
        let frame = self.frames.entry(before + evidence.frame);
        let named = frame.or_insert_with(|| Named {
            rank,
            notes: Vec::new(),
        });
        named.rank = named.rank.min(rank);
        named.notes.push(format!("{finding}: {}", evidence.note));
    }

    fn add_ends(&mut self, mut tunnel: Option<&TunnelKey>) {
        while let Some(key) = tunnel {
            self.hosts.extend([key.src, key.dst]);
            tunnel = key.inside.as_deref();
        }
    }

    /// Ids of the findings, in their order.
    pub fn findings(&self) -> &BTreeSet<String> {
        &self.findings
    }

    /// The finding that leads, and how grave it is; `None` if there is none.
    pub(super) fn leading(&self) -> Option<&(String, Severity)> {
        self.leading.as_ref()
    }

    /// Whether a host has to do with some finding.
    pub(super) fn is_about(&self, host: IpAddr) -> bool {
        self.is_about_all || self.hosts.contains(&host)
    }

    /// How near a frame is to one that is named; `None` if none is.
    pub(super) fn ring(&self, frame: FrameId) -> Option<Ring> {
        let number = self.number(frame);
        let behind = self.frames.range(number..).next();
        let ahead = self.frames.range(..number).next_back();
        let named = [behind, ahead].into_iter().flatten();
        let rings = named.map(|(at, named)| Ring::of(at.abs_diff(number), named.rank));
        rings.min()
    }

    /// What findings say of a frame.
    pub(super) fn notes(&self, frame: FrameId) -> &[String] {
        let named = self.frames.get(&self.number(frame));
        named.map_or(&[], |named| &named.notes)
    }

    /// Its number in the capture as a whole.
    fn number(&self, frame: FrameId) -> u64 {
        let before = self.before.get(frame.file as usize);
        before.map_or(u64::MAX, |before| before.saturating_add(frame.number))
    }
}
