//! How connections to the server ended.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use std::fmt;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// What it asked for was sent.
    Answered,
    /// It asked for something that is not there, or did not speak HTTP.
    Refused,
    /// It was too slow.
    TimedOut,
    /// It was the oldest when there were too many.
    Displaced,
    /// It broke off.
    Failed,
}

/// Connections by their end. A family of the library would list them in no order.
#[derive(Clone, Debug, Default)]
pub(in crate::watch::metrics) struct Ends {
    answered: Counter,
    refused: Counter,
    timed_out: Counter,
    displaced: Counter,
    failed: Counter,
}

impl Ends {
    pub(super) fn count(&self, end: End) {
        match end {
            End::Answered => &self.answered,
            End::Refused => &self.refused,
            End::TimedOut => &self.timed_out,
            End::Displaced => &self.displaced,
            End::Failed => &self.failed,
        }
        .inc();
    }
}

impl Collector for Ends {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let help = "Connections to the metrics server by how they ended.";
        let kind = MetricType::Counter;
        let mut metric = encoder.encode_descriptor("scrape_connections", help, None, kind)?;
        for (end, counter) in [
            ("answered", &self.answered),
            ("displaced", &self.displaced),
            ("failed", &self.failed),
            ("refused", &self.refused),
            ("timed_out", &self.timed_out),
        ] {
            counter.encode(metric.encode_family(&[("end", end)])?)?;
        }
        Ok(())
    }
}
