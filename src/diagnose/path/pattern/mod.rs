//! What losses have in common.
//!
//! First what holds for nearly all of them and for hardly anything else (`rules`), then of which
//! packets more are lost than of others (`spread`); what is left is random. That losses are
//! spread evenly over something is said where it was tested and found, never by default.

mod classes;
mod flows;
mod incomplete;
mod outages;
mod over_time;
mod rules;
mod spread;
#[cfg(test)]
mod tests;

pub use flows::FlowLoss;
pub use incomplete::{lost_as_incomplete, put_together};
pub use over_time::with_rate;

use crate::compare::{Between, Fate, Fates, Series};
use crate::model::number;
use spread::Ways;

/// What losses have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing that was found.
    Random,
    /// They are fragments that are not the first.
    OnlyFirstPasses,
    /// They are first fragments.
    FirstLost,
    /// They are last fragments.
    LastLost,
    /// They are fragments beyond some number of each datagram.
    Beyond,
    /// They are all fragments of datagrams that entered with some missing.
    Incomplete,
    /// They are all fragments of some datagrams.
    ByDatagram,
    /// Each k-th packet of a flow is one.
    EveryKth,
    /// They are further apart than chance has them.
    Regular,
    /// They are large.
    Large,
    /// They are small.
    Small,
    /// They are all there was of some flows.
    ByFlow,
    /// Most are of some flows, which do not lose everything.
    SomeFlows,
    /// Most are at some places in the datagram.
    ByPlace,
    /// Most are of some sizes.
    BySize,
    /// Most are where much was sent.
    ByRate,
    /// Most are in some of the time.
    ByTime,
    /// They come in runs.
    Bursts,
    /// They are all there was.
    All,
    /// They are all there was from some time on.
    FromTimeOn,
    /// They look like others that passed: which of them they are is not known.
    Alike,
    /// There are too few to say.
    TooFew,
}

/// What losses look like, in words too.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// What they have in common.
    pub pattern: Look,
    /// k, a size, how many fragments pass, or which is lost.
    pub number: Option<u64>,
    /// A sentence.
    pub described: String,
    /// Of random losses what they are spread evenly over, as far as that was found:
    /// `evenly over sizes and time`.
    pub evenly: Option<String>,
}

/// Losses between two points.
#[derive(Clone, Debug)]
pub struct Lossy<'a> {
    /// What was counted between them.
    pub between: &'a Between,
    /// The same over time, if that is known.
    pub series: Option<&'a Series>,
    /// What each flow loses.
    pub flows: Vec<FlowLoss>,
}

impl<'a> Lossy<'a> {
    /// What one flow loses.
    pub fn of_flow(between: &'a Between) -> Self {
        Self {
            between,
            series: None,
            flows: vec![FlowLoss::of(between)],
        }
    }
}

/// Losses it takes to say what they have in common.
const ENOUGH: u64 = 8;
/// What chance has more often is taken for it.
const BY_CHANCE: f64 = 1.0 / 2_000.0;
/// Nearly all.
const NEARLY_ALL: f64 = 0.95;

/// Losses by what they may have in common.
struct Losses<'a> {
    lossy: &'a Lossy<'a>,
    sent: u64,
    lost: u64,
}

/// What the losses between two points look like.
pub fn of(lossy: &Lossy<'_>) -> Described {
    Losses::of(lossy).described()
}

impl<'a> Losses<'a> {
    fn of(lossy: &'a Lossy<'a>) -> Self {
        Self {
            lossy,
            sent: lossy.between.front.packets,
            lost: lossy.between.lost().packets,
        }
    }

    /// Losses over time, if that has nearly all of them: those of flows that one side alone shows are
    /// not in it where other such flows are set apart.
    fn series(&self) -> Option<&'a Series> {
        let series = self.lossy.series?;
        let told: u64 = series.steps.iter().map(lost).sum();
        self.is_nearly_all(told).then_some(series)
    }

    fn described(&self) -> Described {
        if self.lost == self.sent {
            let what = format!("all {} were lost", number::counted(self.sent, "packet"));
            return told(Look::All, None, what);
        }
        if self.lost < ENOUGH {
            return told(Look::TooFew, None, self.few());
        }
        if let Some(look) = self.as_incomplete() {
            return look;
        }
        if self.are_alike() {
            return self.of_alike();
        }
        let rules: [fn(&Self) -> Option<Described>; 10] = [
            Self::since,
            Self::to_the_end,
            Self::by_place,
            Self::by_distance,
            Self::by_size,
            Self::by_datagram,
            Self::by_flow,
            Self::in_outages,
            Self::by_dead_flow,
            Self::in_runs,
        ];
        let rule = rules.iter().find_map(|rule| rule(self));
        let mut look = rule.unwrap_or_else(|| self.spread());
        if self.goes_with_rate(&look) {
            look.described
                .push_str("; more was lost where more was sent");
        }
        look
    }

    /// Whether so many of them look like others that nothing is known of their order.
    fn are_alike(&self) -> bool {
        let alike = self.lossy.between.shape.alike[0];
        alike as f64 > (1.0 - NEARLY_ALL) * self.lost as f64
    }

    fn of_alike(&self) -> Described {
        let rules = [
            Self::by_place,
            Self::by_size,
            Self::by_flow,
            Self::by_dead_flow,
        ];
        let rule = rules.iter().find_map(|rule| rule(self));
        // Which flow they are of is known all the same.
        let rule = rule.or_else(|| Ways::by_flow(self));
        rule.unwrap_or_else(|| {
            let what = format!(
                "{} of {} lost ({}); they look like others, so that which of them is not known",
                number::count(self.lost),
                number::counted(self.sent, "packet"),
                number::percent(self.lost, self.sent),
            );
            told(Look::Alike, None, what)
        })
    }

    /// Whether what does not say how losses go with the rate of sending should.
    fn goes_with_rate(&self, look: &Described) -> bool {
        let may = matches!(look.pattern, Look::Bursts | Look::BySize | Look::ByPlace);
        let series = self.series().filter(|_| may);
        series.is_some_and(|series| over_time::by_rate(series, self.clumped()).is_some())
    }

    fn few(&self) -> String {
        format!(
            "{} of {} lost: too few to say what they have in common",
            number::count(self.lost),
            number::counted(self.sent, "packet")
        )
    }

    /// Of which packets more are lost than of others, if that is so.
    fn spread(&self) -> Described {
        let ways = Ways::of(self);
        let apart = || self.apart().or_else(|| ways.most());
        let most = ways.most_of_many().or_else(apart);
        let mut look = most.unwrap_or_else(|| self.random(&ways));
        if let Some(period) = self.period() {
            let apart = number::ordinal(period);
            let more = format!(
                "; most of them are the {apart} packet of their flow behind the one before, as \
                 where a rate is limited"
            );
            look.described.push_str(&more);
        }
        look
    }

    fn random(&self, ways: &Ways) -> Described {
        let evenly = ways.evenly();
        let found = match &evenly {
            Some(evenly) => format!(", {evenly}"),
            None => ": nothing was found that they have in common".to_owned(),
        };
        let what = format!(
            "{} of {} lost ({}){found}",
            number::count(self.lost),
            number::counted(self.sent, "packet"),
            number::percent(self.lost, self.sent),
        );
        Described {
            evenly,
            ..told(Look::Random, None, what)
        }
    }
}

fn told(pattern: Look, number: Option<u64>, described: String) -> Described {
    Described {
        pattern,
        number,
        described,
        evenly: None,
    }
}

fn lost(fates: &Fates) -> u64 {
    fates.of(Fate::Front)
}

fn sent(fates: &Fates) -> u64 {
    fates.of(Fate::Both) + lost(fates)
}
