//! Times in which nothing passes, whichever flow it is of.

use super::classes::Class;
use super::{BY_CHANCE, Described, ENOUGH, Look, Losses, NEARLY_ALL, over_time, told};
use crate::compare::Series;
use crate::model::{Duration, number};

/// Beside them hardly anything is lost, or so much less.
const LESS: f64 = 5.0;

/// Steps side by side in which nearly all is lost.
#[derive(Clone, Copy, Debug)]
struct Outage {
    first: usize,
    last: usize,
    class: Class,
}

impl Losses<'_> {
    /// At least half of the losses are in outages, each longer than chance has one.
    pub(super) fn in_outages(&self) -> Option<Described> {
        let scales = over_time::scales(self.series()?);
        scales.iter().rev().find_map(|series| self.in_steps(series))
    }

    fn in_steps(&self, series: &Series) -> Option<Described> {
        let share = self.lost as f64 / self.sent as f64;
        let steps: Vec<Class> = series.steps.iter().map(Class::of).collect();
        let is_no_chance = |outage: &Outage| {
            let by_chance = share.powf(outage.class.lost as f64) * steps.len() as f64;
            outage.class.lost >= ENOUGH && by_chance < BY_CHANCE
        };
        let outages: Vec<Outage> = outages(&steps).into_iter().filter(is_no_chance).collect();
        let longest = outages.iter().max_by_key(|outage| outage.class.lost)?;
        let all = Class::sum(&steps);
        let inside = Class::sum(outages.iter().map(|outage| &outage.class));
        let outside = Class {
            sent: all.sent - inside.sent,
            lost: all.lost - inside.lost,
        };
        let is_it = inside.lost * 2 >= all.lost
            && outside.sent >= ENOUGH
            && outside.share() * LESS <= inside.share();
        is_it.then(|| {
            let first = steps.iter().position(|step| step.sent > 0).unwrap_or(0);
            let time = |steps: usize| {
                let time = Duration(series.width.0.saturating_mul(steps as i64));
                number::duration(time.as_secs_f64())
            };
            let (began, length) = (longest.first - first, longest.last + 1 - longest.first);
            let nothing = match inside.lost == inside.sent {
                true => "nothing",
                false => "hardly anything",
            };
            let when = match outages.len() {
                1 => format!(
                    "for {}, {} after the first packet",
                    time(length),
                    time(began)
                ),
                several => format!(
                    "{several} times, for {} at most, {} after the first packet",
                    time(length),
                    time(began),
                ),
            };
            let what = format!(
                "{nothing} passed {when}: {} packets were lost{}, and {} others{}",
                inside.amount(),
                inside.in_percent(),
                outside.amount(),
                outside.in_percent(),
            );
            told(Look::ByTime, None, what)
        })
    }
}

/// Steps in which nothing was sent are part of what is around them.
fn outages(steps: &[Class]) -> Vec<Outage> {
    let mut outages: Vec<Outage> = Vec::new();
    let mut is_open = false;
    for (place, step) in steps.iter().enumerate().filter(|(_, step)| step.sent > 0) {
        let is_out = step.lost as f64 >= NEARLY_ALL * step.sent as f64;
        match outages.last_mut().filter(|_| is_open && is_out) {
            Some(outage) => {
                outage.last = place;
                outage.class += *step;
            }
            None if is_out => outages.push(Outage {
                first: place,
                last: place,
                class: *step,
            }),
            None => {}
        }
        is_open = is_out;
    }
    outages
}
