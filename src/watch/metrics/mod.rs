//! What a scraper sees: metrics of the snapshot of this second, and who serves them.
//!
//! Input: a [`Snapshot`] each second. Output: OpenMetrics text
//! ([specification](https://prometheus.io/docs/specs/om/open_metrics_spec/)), as Prometheus
//! scrapes it. `docs/metrics.md` lists every metric; a test holds it to the code.
//!
//! What must hold: a counter never falls. No label has values without a bound: what there
//! is one of for each flow is given for [`Metrics::new`]'s number of flows at most. No
//! client makes anybody wait but itself, or takes memory beyond the bounds of [`Server`].

mod capture;
mod datagrams;
mod family;
mod findings;
mod flows;
mod host;
mod recorder;
mod series;
mod server;
mod traffic;

#[cfg(test)]
mod tests;

pub use server::Server;

use super::Snapshot;
use prometheus_client::encoding::text;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use series::{Latest, Series};
use server::Ends;
use std::fmt;

/// The registry and its values. Shared between who makes the snapshots and who serves them.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    latest: Latest,
    ends: Ends,
    flows: usize,
}

impl Metrics {
    /// Without a snapshot; `flows` of the worst get series of their own.
    pub fn new(flows: usize) -> Self {
        let mut registry = Registry::with_prefix("fraglens");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "What runs", build);
        let ends = Ends::default();
        registry.register_collector(Box::new(ends.clone()));
        let latest = Latest::default();
        registry.register_collector(Box::new(latest.clone()));
        Self {
            registry,
            latest,
            ends,
            flows,
        }
    }

    /// Takes over what a snapshot says. What the snapshot no longer has, as a flow that is
    /// not among the worst any more, is gone.
    pub fn update(&self, snapshot: &Snapshot) {
        let mut series = Series::default();
        traffic::gather(snapshot, &mut series);
        datagrams::gather(snapshot, &mut series);
        capture::gather(snapshot, &mut series);
        recorder::gather(snapshot, &mut series);
        host::gather(snapshot, &mut series);
        findings::gather(snapshot, &mut series);
        flows::gather(snapshot, self.flows, &mut series);
        self.latest.replace(series);
    }

    /// Writes all of it as OpenMetrics text.
    ///
    /// # Errors
    ///
    /// Only those of `out`, which has none.
    pub fn encode(&self, out: &mut String) -> fmt::Result {
        text::encode(out, &self.registry)
    }
}
