//! Of which packets more are lost than of others: by their place in the datagram, their size,
//! when they were sent, how much was sent then, and by flow.

use super::classes::{Class, Contrast, SLIGHT, Spread};
use super::over_time;
use super::{Described, Look, Losses, told};
use crate::compare::{Fates, NUMBERS, SIZES};
use crate::model::number;

/// Times as much as of others must be lost of some packets to be told apart by them.
const CLEARLY: f64 = 2.0;
/// The same by the rate of sending, where the share of each step was held against it too.
const CLEARLY_BY_RATE: f64 = 1.5;
/// The same by flow: of one bad link of several, the others lose nothing.
const CLEARLY_BY_FLOW: f64 = 5.0;
/// Losses that a flow would have by chance, where it tells anything that it has none: one of twenty
/// such has none.
const COULD_LOSE: f64 = 3.0;
/// So much must another way to tell them apart be better than one before it.
pub(super) const BETTER: f64 = 0.05;
/// Ordinal numbers that are listed.
const MAX_LISTED: usize = 6;

/// Packets told apart in one way.
struct Apart {
    look: Look,
    spread: Spread,
    /// Those of which more are lost, and when.
    those: String,
    times: String,
    /// If it is one number.
    number: Option<u64>,
}

impl Apart {
    fn by(look: Look, fates: &[Fates], clumped: f64, those: impl Fn(&[bool]) -> String) -> Self {
        let classes: Vec<Class> = fates.iter().map(Class::of).collect();
        let spread = Spread::of(&classes, clumped);
        let those = match &spread {
            Spread::Uneven(contrast) => those(&contrast.is_inside),
            Spread::Unknown | Spread::Even | Spread::Doubtful => String::new(),
        };
        Self {
            look,
            spread,
            those,
            times: String::new(),
            number: None,
        }
    }

    fn in_time(look: Look, spread: Spread, times: String) -> Self {
        Self {
            look,
            spread,
            those: "packets".to_owned(),
            times,
            number: None,
        }
    }

    fn told(&self, contrast: &Contrast) -> Described {
        let what = contrast.told(&self.those, &self.times);
        told(self.look, self.number, what)
    }

    /// Those of which clearly more are lost, if there are such.
    fn contrast(&self) -> Option<&Contrast> {
        let times = match self.look {
            Look::ByRate => CLEARLY_BY_RATE,
            Look::SomeFlows => CLEARLY_BY_FLOW,
            _ => CLEARLY,
        };
        match &self.spread {
            Spread::Uneven(contrast) => Some(contrast).filter(|it| it.is_clear(times)),
            Spread::Unknown | Spread::Even | Spread::Doubtful => None,
        }
    }
}

/// Losses in every way they can be told apart.
pub(super) struct Ways(Vec<Apart>);

impl Ways {
    pub fn of(losses: &Losses<'_>) -> Self {
        let clumped = losses.clumped();
        let mut ways = Self::of_places(losses);
        let of_sizes = losses.sizes_on_wire();
        ways.0
            .push(Apart::by(Look::BySize, of_sizes, clumped, sizes));
        if let Some(series) = losses.series() {
            let by_rate = over_time::by_rate(series, clumped).map(|(contrast, times)| {
                Apart::in_time(Look::ByRate, Spread::Uneven(contrast), times)
            });
            let (spread, times) = over_time::by_time(series, clumped);
            ways.0.extend(by_rate);
            ways.0.push(Apart::in_time(Look::ByTime, spread, times));
        }
        ways.0.extend(by_flow(losses, clumped));
        ways
    }

    /// By the place in the datagram alone.
    pub fn of_places(losses: &Losses<'_>) -> Self {
        let shape = &losses.lossy.between.shape;
        let clumped = losses.clumped();
        Self(vec![
            Apart::by(Look::ByPlace, &shape.ends, clumped, ends),
            by_number(&shape.numbers, clumped),
            Apart::by(Look::ByPlace, &shape.parts, clumped, tenths),
        ])
    }

    /// The way that says most.
    pub fn most(&self) -> Option<Described> {
        self.most_from(f64::MIN)
    }

    /// The same, if it tells of most of what was sent, and not of a few that always pass.
    pub fn most_of_many(&self) -> Option<Described> {
        self.most_from(SLIGHT)
    }

    fn most_from(&self, strength: f64) -> Option<Described> {
        let clear = self.0.iter().filter_map(|way| Some((way, way.contrast()?)));
        let clear = clear.filter(|(_, contrast)| contrast.strength() >= strength);
        let (way, contrast) = clear.reduce(|best, other| {
            let is_better = other.1.strength() > best.1.strength() + BETTER;
            if is_better { other } else { best }
        })?;
        let mut look = way.told(contrast);
        // Sizes are often those of flows, and it is for the reader to say which it is.
        if let Some(flows) = self.of_flows().filter(|_| way.look == Look::BySize)
            && flows.1.strength() >= contrast.strength() - BETTER
        {
            let flows = flows.0.told(flows.1).described;
            look.described = format!("{}; by flow: {flows}", look.described);
        }
        Some(look)
    }

    fn of_flows(&self) -> Option<(&Apart, &Contrast)> {
        let ways = self.0.iter().filter(|way| way.look == Look::SomeFlows);
        let mut clear = ways.filter_map(|way| Some((way, way.contrast()?)));
        clear.next()
    }

    /// Flows of which clearly more is lost than of others, if that is so.
    pub fn by_flow(losses: &Losses<'_>) -> Option<Described> {
        let ways = Self(by_flow(losses, losses.clumped()).into_iter().collect());
        let (way, contrast) = ways.of_flows()?;
        Some(way.told(contrast))
    }

    /// `evenly over positions in the datagram and sizes`: what was tested and holds.
    pub fn evenly(&self) -> Option<String> {
        let names = [
            (Look::ByPlace, "positions in the datagram"),
            (Look::BySize, "sizes"),
            (Look::ByTime, "time"),
        ];
        let even = names.into_iter().filter(|(look, _)| self.is_even(*look));
        let even: Vec<String> = even.map(|(_, name)| name.to_owned()).collect();
        (!even.is_empty()).then(|| format!("evenly over {}", listed(&even, "and")))
    }

    fn is_even(&self, look: Look) -> bool {
        let ways = self.0.iter().filter(|way| way.look == look);
        let spreads: Vec<&Spread> = ways.map(|way| &way.spread).collect();
        let may_be_even = |spread: &&Spread| matches!(spread, Spread::Unknown | Spread::Even);
        spreads.contains(&&Spread::Even) && spreads.iter().all(may_be_even)
    }
}

/// By flow, if some lose and others could. What these differ in besides, as size, says as much and
/// is told instead.
fn by_flow(losses: &Losses<'_>, clumped: f64) -> Option<Apart> {
    let flows = losses.lossy.flows.iter();
    let classes: Vec<Class> = flows
        .map(|flow| Class {
            sent: flow.sent,
            lost: flow.lost,
        })
        .collect();
    let share = Class::sum(&classes).share();
    let spread = Spread::of(&classes, clumped);
    let Spread::Uneven(contrast) = &spread else {
        return None;
    };
    // Of those that sent little, none may be lost by chance, and of many such it is of some.
    let is_enough = |class: &&Class| class.sent as f64 * share >= COULD_LOSE;
    let enough: Vec<Class> = classes.iter().filter(is_enough).copied().collect();
    if !matches!(Spread::of(&enough, clumped), Spread::Uneven(_)) {
        return None;
    }
    let inside = contrast.is_inside.iter().filter(|is_inside| **is_inside);
    let those = format!(
        "packets of {} of {} flows",
        number::count(inside.count() as u64),
        number::count(classes.len() as u64)
    );
    Some(Apart {
        look: Look::SomeFlows,
        those,
        spread,
        times: String::new(),
        number: None,
    })
}

fn by_number(fates: &[Fates; NUMBERS], clumped: f64) -> Apart {
    let mut way = Apart::by(Look::ByPlace, fates, clumped, numbers);
    if let Spread::Uneven(contrast) = &way.spread {
        let inside: Vec<usize> = places(&contrast.is_inside).collect();
        way.number = match inside[..] {
            [one] if one + 1 < NUMBERS => Some(one as u64 + 1),
            _ => None,
        };
    }
    way
}

fn places(are_inside: &[bool]) -> impl Iterator<Item = usize> {
    let numbered = are_inside.iter().enumerate();
    numbered.filter_map(|(place, is_inside)| is_inside.then_some(place))
}

fn ends(are_inside: &[bool]) -> String {
    let names = places(are_inside).map(|end| ["first", "middle", "last"][end.min(2)].to_owned());
    format!("{} fragments", listed(&names.collect::<Vec<_>>(), "and"))
}

fn numbers(are_inside: &[bool]) -> String {
    let names: Vec<String> = places(are_inside)
        .map(|place| match place + 1 < NUMBERS {
            true => number::ordinal(place as u64 + 1),
            false => format!("{} or a later one", number::ordinal(NUMBERS as u64)),
        })
        .collect();
    format!("fragments that are the {} of their datagram", some(&names))
}

fn tenths(are_inside: &[bool]) -> String {
    let names: Vec<String> = places(are_inside)
        .map(|place| number::ordinal(place as u64 + 1))
        .collect();
    format!(
        "fragments that begin in the {} tenth of their datagram",
        some(&names)
    )
}

fn sizes(are_inside: &[bool]) -> String {
    let ranges: Vec<String> = ranges(are_inside).into_iter().map(size).collect();
    format!("packets of {} bytes", listed(&ranges, "and"))
}

/// Classes side by side are one, from the first to the last.
fn ranges(are_inside: &[bool]) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for class in places(are_inside) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == class => *last = class,
            _ => ranges.push((class, class)),
        }
    }
    ranges
}

/// Classes of IP lengths.
fn size((first, last): (usize, usize)) -> String {
    let below = first.checked_sub(1).and_then(|below| SIZES.get(below));
    match (below, SIZES.get(last)) {
        (None, Some(upper)) => format!("up to {}", number::count((*upper).into())),
        (Some(below), Some(upper)) => {
            let ends = [below + 1, *upper].map(|end| number::count(end.into()));
            format!("{} to {}", ends[0], ends[1])
        }
        (below, None) => {
            let below = below.copied().unwrap_or_default();
            format!("more than {}", number::count(below.into()))
        }
    }
}

/// The first of many.
fn some(names: &[String]) -> String {
    match names.split_at_checked(MAX_LISTED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} or one of {} others", first.join(", "), rest.len())
        }
        _ => listed(names, "or"),
    }
}

/// `a, b and c`.
fn listed(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}
