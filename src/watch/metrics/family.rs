//! What a metric is, whatever its values.

use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// The base units of Prometheus that occur.
#[derive(Clone, Copy, Debug)]
pub(super) enum BaseUnit {
    Bytes,
    Seconds,
}

impl From<BaseUnit> for Unit {
    fn from(unit: BaseUnit) -> Self {
        match unit {
            BaseUnit::Bytes => Self::Bytes,
            BaseUnit::Seconds => Self::Seconds,
        }
    }
}

/// One metric: all series of one name. Its full name is `fraglens_`, `name`, `unit` if
/// there is one, and `total` for a counter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    pub name: &'static str,
    /// The last part of its name.
    pub unit: Option<BaseUnit>,
    pub kind: MetricType,
    /// One sentence without its full stop, which the library adds for its own metrics.
    pub help: &'static str,
}

impl Family {
    /// What only grows while fraglens runs.
    pub const fn counter(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            unit: None,
            kind: MetricType::Counter,
            help,
        }
    }

    /// What rises and falls.
    pub const fn gauge(name: &'static str, help: &'static str) -> Self {
        Self {
            kind: MetricType::Gauge,
            ..Self::counter(name, help)
        }
    }

    /// The same in bytes.
    pub const fn bytes(self) -> Self {
        Self {
            unit: Some(BaseUnit::Bytes),
            ..self
        }
    }

    /// The same in seconds.
    pub const fn seconds(self) -> Self {
        Self {
            unit: Some(BaseUnit::Seconds),
            ..self
        }
    }

    /// Whether its values may only grow.
    pub const fn is_counter(&self) -> bool {
        matches!(self.kind, MetricType::Counter)
    }
}
