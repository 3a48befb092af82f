//! What losses look like, as rows and in words.

use crate::compare::{Fate, Fates, SIZES, Series};
use crate::diagnose::path::pattern::{self, Look, Lossy};
use crate::report::comparison::document::{Loss, Pattern, PositionLoss, SizeLoss, TimeLoss};
use crate::report::document::Time;

/// What the losses between two points look like; `None` if there are none.
pub(super) fn of(lossy: &Lossy<'_>) -> Option<Loss> {
    let (between, series) = (lossy.between, lossy.series);
    let shown = series.map(Series::as_shown);
    let sent = between.front.packets;
    let lost = sent - between.front_passed.packets;
    if lost == 0 {
        return None;
    }
    let shape = &between.shape;
    let look = pattern::of(lossy);
    let runs = &shape.runs[0];
    let has_fragments = shape.ends.iter().any(|end| position(end).sent > 0);
    Some(Loss {
        pattern: named(look.pattern),
        described: look.described.clone(),
        number: look.number,
        rate: lost as f64 / sent as f64,
        longest_burst: (runs.runs > 0).then_some(runs.longest),
        mean_burst: (runs.runs > 0).then(|| runs.losses as f64 / runs.runs as f64),
        positions: match has_fragments {
            true => shape.parts.iter().map(position).collect(),
            false => Vec::new(),
        },
        first: position(&shape.ends[0]),
        middle: position(&shape.ends[1]),
        last: position(&shape.ends[2]),
        sizes: sizes(&shape.sizes),
        times: shown.as_ref().map(times).unwrap_or_default(),
        step_seconds: shown.map(|series| series.width.as_secs_f64()),
        with_rate: series.and_then(pattern::with_rate),
    })
}

fn position(fates: &Fates) -> PositionLoss {
    let lost = fates.of(Fate::Front);
    PositionLoss {
        sent: fates.of(Fate::Both) + lost,
        lost,
    }
}

fn sizes(classes: &[Fates]) -> Vec<SizeLoss> {
    let rows = classes.iter().enumerate().map(|(place, fates)| {
        let below = place.checked_sub(1).and_then(|below| SIZES.get(below));
        let position = position(fates);
        SizeLoss {
            bytes_from: below.map_or(0, |below| below + 1),
            bytes_to: SIZES.get(place).copied(),
            sent: position.sent,
            lost: position.lost,
        }
    });
    rows.filter(|row| row.sent > 0).collect()
}

fn times(series: &Series) -> Vec<TimeLoss> {
    let Some(origin) = series.origin else {
        return Vec::new();
    };
    let steps = (0..).zip(&series.steps).map(|(number, fates)| {
        let position = position(fates);
        let since = series.width.0.saturating_mul(number);
        TimeLoss {
            timestamp: Time(origin + crate::model::Duration(since)),
            sent: position.sent,
            lost: position.lost,
        }
    });
    steps.filter(|step| step.sent > 0).collect()
}

fn named(look: Look) -> Pattern {
    match look {
        Look::Random => Pattern::Random,
        Look::OnlyFirstPasses => Pattern::OnlyFirstPasses,
        Look::FirstLost => Pattern::FirstLost,
        Look::LastLost => Pattern::LastLost,
        Look::Beyond => Pattern::Beyond,
        Look::Incomplete => Pattern::Incomplete,
        Look::ByDatagram => Pattern::ByDatagram,
        Look::EveryKth => Pattern::EveryKth,
        Look::Regular => Pattern::Regular,
        Look::Large => Pattern::Large,
        Look::Small => Pattern::Small,
        Look::ByFlow => Pattern::ByFlow,
        Look::SomeFlows => Pattern::SomeFlows,
        Look::ByPlace => Pattern::ByPlace,
        Look::BySize => Pattern::BySize,
        Look::ByRate => Pattern::ByRate,
        Look::ByTime => Pattern::ByTime,
        Look::Bursts => Pattern::Bursts,
        Look::All => Pattern::All,
        Look::FromTimeOn => Pattern::FromTimeOn,
        Look::Alike => Pattern::Alike,
        Look::TooFew => Pattern::TooFew,
    }
}
