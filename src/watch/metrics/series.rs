//! The values of one snapshot, by metric and labels.

use super::family::Family;
use crate::report::escape;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::registry::Unit;
use std::collections::BTreeMap;
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// Names and values, none twice.
type Labels = Vec<(&'static str, String)>;

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Whole(u64),
    Real(f64),
}

/// All series of one metric.
#[derive(Debug)]
struct Named {
    family: &'static Family,
    values: BTreeMap<Labels, Value>,
}

impl Named {
    fn raise(&mut self, told: &BTreeMap<Labels, Value>) {
        for (labels, value) in &mut self.values {
            if let (Value::Whole(now), Some(Value::Whole(told))) = (value, told.get(labels)) {
                *now = (*now).max(*told);
            }
        }
    }
}

/// All series of one snapshot, in the order in which they were gathered.
#[derive(Debug, Default)]
pub(super) struct Series(Vec<Named>);

impl Series {
    /// Adds a whole number.
    pub fn count<const N: usize>(
        &mut self,
        family: &'static Family,
        labels: [(&'static str, &str); N],
        value: u64,
    ) {
        self.add(family, labels, Value::Whole(value));
    }

    /// Adds one that may have a fraction; never to a counter.
    pub fn measure<const N: usize>(
        &mut self,
        family: &'static Family,
        labels: [(&'static str, &str); N],
        value: f64,
    ) {
        self.add(family, labels, Value::Real(value));
    }

    /// A scraper refuses two values of one series: the first stays.
    fn add<const N: usize>(
        &mut self,
        family: &'static Family,
        labels: [(&'static str, &str); N],
        value: Value,
    ) {
        let inert = |(name, text)| (name, escape::line(text).into_owned());
        let labels = labels.map(inert).into();
        self.of(family).entry(labels).or_insert(value);
    }

    fn of(&mut self, family: &'static Family) -> &mut BTreeMap<Labels, Value> {
        let known = self
            .0
            .iter()
            .position(|named| ptr::eq(named.family, family));
        let at = known.unwrap_or(self.0.len());
        if at == self.0.len() {
            self.0.push(Named {
                family,
                values: BTreeMap::new(),
            });
        }
        &mut self.0[at].values
    }

    /// Raises counters that are below what was told before. Prometheus takes a fall for a
    /// restart and adds the whole value once more.
    fn raise(&mut self, before: &Self) {
        let counters = before.0.iter().filter(|named| named.family.is_counter());
        for told in counters {
            let same = |now: &&mut Named| ptr::eq(now.family, told.family);
            if let Some(now) = self.0.iter_mut().find(same) {
                now.raise(&told.values);
            }
        }
    }
}

/// The series of the last snapshot, for the registry.
#[derive(Clone, Debug, Default)]
pub(super) struct Latest(Arc<Mutex<Arc<Series>>>);

impl Latest {
    /// Takes the place of the snapshot before.
    pub fn replace(&self, mut series: Series) {
        series.raise(&self.series());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(series);
    }

    /// Nobody waits for somebody who encodes.
    fn series(&self) -> Arc<Series> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Collector for Latest {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        for Named { family, values } in &self.series().0 {
            let help = format!("{}.", family.help);
            let unit = family.unit.map(Unit::from);
            let mut metric =
                encoder.encode_descriptor(family.name, &help, unit.as_ref(), family.kind)?;
            for (labels, value) in values {
                // Braces with nothing between them are no fault, but odd.
                if labels.is_empty() {
                    encode(&mut metric, family, *value)?;
                } else {
                    encode(&mut metric.encode_family(labels)?, family, *value)?;
                }
            }
        }
        Ok(())
    }
}

fn encode(metric: &mut MetricEncoder, family: &Family, value: Value) -> fmt::Result {
    match value {
        Value::Whole(value) if family.is_counter() => {
            metric.encode_counter::<NoLabelSet, _, u64>(&value, None)
        }
        Value::Whole(value) => metric.encode_gauge(&value),
        Value::Real(value) => metric.encode_gauge(&value),
    }
}
