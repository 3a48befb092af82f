//! How losses go with time, and with how much is sent.

use super::classes::{Class, Contrast, Spread, pools};
use super::spread::BETTER;
use crate::compare::Series;
use crate::model::{Duration, number};

/// Steps it takes to say how losses go with the rate.
const STEPS: usize = 8;
/// Steps it takes to say that losses are even over time.
const STEPS_TO_BE_EVEN: usize = 4;
/// From this on more is lost when more is sent.
const WITH_RATE: f64 = 0.5;

/// Lengths of steps that are looked at, the longest first: what changes within a second is not
/// seen in steps of one, and a little that is spread over all is lost among many.
const SCALES: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_millis(100),
    Duration::from_millis(10),
];

/// The same in steps of each length that is not shorter than they are.
pub(super) fn scales(series: &Series) -> Vec<Series> {
    let mut scales: Vec<Series> = SCALES.map(|least| series.in_steps_of(least)).into();
    scales.dedup_by_key(|scale| scale.width);
    scales
}

/// Steps in which something was sent.
fn used(series: &Series) -> Vec<Class> {
    let steps = series.steps.iter().map(Class::of);
    steps.filter(|step| step.sent > 0).collect()
}

/// How losses are spread over time, with words for the time they are in: in the longest steps
/// in which that is uneven, since chance makes more of shorter ones.
pub(super) fn by_time(series: &Series, clumped: f64) -> (Spread, String) {
    let scales = scales(series).into_iter();
    let spreads: Vec<_> = scales.map(|scale| in_time(&scale, clumped)).collect();
    let of = |is_it: fn(&Spread) -> bool| spreads.iter().find(|(spread, _)| is_it(spread));
    let uneven = of(|spread| matches!(spread, Spread::Uneven(_)));
    let doubtful = uneven.or_else(|| of(|spread| *spread == Spread::Doubtful));
    let told = doubtful.or_else(|| of(|spread| *spread == Spread::Even));
    told.cloned().unwrap_or((Spread::Unknown, String::new()))
}

/// The same in steps of one length.
fn in_time(series: &Series, clumped: f64) -> (Spread, String) {
    let steps = used(series);
    let pools = pools(&steps);
    let classes: Vec<Class> = pools.iter().map(|pool| pool.class).collect();
    match Spread::of(&classes, clumped) {
        Spread::Uneven(contrast) => {
            let inside = pools.iter().zip(&contrast.is_inside);
            let inside = inside.filter(|(_, is_inside)| **is_inside);
            let inside: usize = inside.map(|(pool, _)| pool.classes).sum();
            let times = format!(" in {inside} of {}", in_steps(&steps, series));
            (Spread::Uneven(contrast), times)
        }
        Spread::Even if steps.len() < STEPS_TO_BE_EVEN => (Spread::Unknown, String::new()),
        spread => (spread, String::new()),
    }
}

/// The same of steps in which much was sent, where the share lost goes with that: in the
/// longest, unless shorter ones tell clearly more.
pub(super) fn by_rate(series: &Series, clumped: f64) -> Option<(Contrast, String)> {
    let scales = scales(series).into_iter();
    let told = scales.filter_map(|scale| in_busy_steps(&scale, clumped));
    told.reduce(|best, other| {
        let is_better = other.0.strength() > best.0.strength() + BETTER;
        if is_better { other } else { best }
    })
}

/// The same in steps of one length.
fn in_busy_steps(series: &Series, clumped: f64) -> Option<(Contrast, String)> {
    correlation(series).filter(|with| *with >= WITH_RATE)?;
    let mut steps = used(series);
    steps.sort_unstable_by_key(|step| step.sent);
    let busy = |from: usize| {
        let (quiet, busy) = steps.split_at(from);
        let two = [Class::sum(quiet), Class::sum(busy)];
        match Spread::of(&two, clumped) {
            Spread::Uneven(contrast) if contrast.is_inside[1] => Some((from, contrast)),
            _ => None,
        }
    };
    let ends = (1..steps.len()).filter(|from| steps[from - 1].sent < steps[*from].sent);
    let (from, contrast) = ends
        .filter_map(busy)
        .max_by(|(_, one), (_, other)| one.strength().total_cmp(&other.strength()))?;
    let times = format!(
        " in the {} of {} in which {} or more were sent",
        steps.len() - from,
        in_steps(&steps, series),
        number::count(steps[from].sent),
    );
    Some((contrast, times))
}

fn in_steps(steps: &[Class], series: &Series) -> String {
    let width = number::duration(series.width.as_secs_f64());
    format!("{} steps of {width}", steps.len())
}

/// The correlation of the share lost with packets sent, over steps of time: the highest that
/// steps of any length have.
pub fn with_rate(series: &Series) -> Option<f64> {
    let scales = scales(series).into_iter();
    let all = scales.filter_map(|scale| correlation(&scale));
    all.max_by(f64::total_cmp)
}

/// The first and the last are mostly cut by the capture: their few packets are no low rate.
fn whole<T>(steps: &[T]) -> &[T] {
    match steps {
        [_, whole @ .., _] if whole.len() >= STEPS => whole,
        all => all,
    }
}

fn correlation(series: &Series) -> Option<f64> {
    let steps = used(series);
    if steps.len() < STEPS {
        return None;
    }
    let steps: Vec<(f64, f64)> = whole(&steps)
        .iter()
        .map(|step| (step.sent as f64, step.share()))
        .collect();
    let count = steps.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| steps.iter().map(of).sum::<f64>() / count;
    let (mean_sent, mean_share) = (mean(|step| step.0), mean(|step| step.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        steps
            .iter()
            .map(|(all, share)| of(all - mean_sent, share - mean_share))
            .sum::<f64>()
    };
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
}
