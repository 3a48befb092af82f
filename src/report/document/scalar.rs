//! Values that are text in the document and stay small in memory.

use crate::model::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A moment of the capture: RFC 3339 in UTC with nanoseconds, as in
/// `2026-01-02T03:04:05.123456789Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Timestamp);

impl From<Timestamp> for Time {
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every i64 of nanoseconds is within the years 1677 to 2262, which jiff
        // can express; the other arm keeps that assumption from being a panic.
        match jiff::Timestamp::from_nanosecond(i128::from(self.0.0)) {
            Ok(moment) => write!(f, "{moment:.9}"),
            Err(_) => write!(f, "{} ns since 1970", self.0.0),
        }
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// Serialises what has a name by that name, without an allocation.
pub(super) fn display<T: fmt::Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Serialises a list of what has names as a list of names.
pub(super) fn display_all<T: fmt::Display, S: Serializer>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    struct Shown<'a, T>(&'a T);

    impl<T: fmt::Display> Serialize for Shown<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self.0)
        }
    }

    serializer.collect_seq(values.iter().map(Shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_nine_digits_and_a_z() {
        let shown = |ns| Time(Timestamp(ns)).to_string();
        assert_eq!(shown(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(
            shown(1_767_323_045_123_456_789),
            "2026-01-02T03:04:05.123456789Z"
        );
        assert_eq!(shown(-1), "1969-12-31T23:59:59.999999999Z");
    }

    #[test]
    fn hostile_times_do_not_panic() {
        assert_eq!(
            Time(Timestamp::MIN).to_string(),
            "1677-09-21T00:12:43.145224192Z"
        );
        assert_eq!(
            Time(Timestamp::MAX).to_string(),
            "2262-04-11T23:47:16.854775807Z"
        );
    }
}
