//! What losses look like.

use crate::model::number;
use crate::report::comparison::document::{Loss, Pattern, PositionLoss, SizeLoss};
use crate::report::escape;

/// The pattern in words.
pub(in crate::report::comparison) fn described(loss: &Loss) -> String {
    if loss.described.is_empty() {
        return format!("{} lost: {}", number::share(loss.rate), pattern(loss));
    }
    escape::line(&loss.described).into_owned()
}

/// The pattern in a few words.
pub(in crate::report::comparison) fn pattern(loss: &Loss) -> String {
    let number = number::or_absent(loss.number, number::count);
    let words = match loss.pattern {
        Pattern::Random => "at random",
        Pattern::OnlyFirstPasses => "fragments that are not the first",
        Pattern::FirstLost => "first fragments",
        Pattern::LastLost => "last fragments",
        Pattern::Beyond => return format!("fragments beyond the first {number}"),
        Pattern::Incomplete => "datagrams that are not whole",
        Pattern::ByDatagram => "all fragments of a datagram",
        Pattern::EveryKth => return format!("one of every {number} packets"),
        Pattern::Large => "large packets",
        Pattern::Small => "small packets",
        Pattern::ByFlow => "everything of some flows",
        Pattern::SomeFlows => "some flows more than others",
        Pattern::ByPlace => "by place in the datagram",
        Pattern::BySize => "by size",
        Pattern::ByRate => "more where more is sent",
        Pattern::ByTime => "some of the time",
        Pattern::Regular => "at regular distances",
        Pattern::Bursts => "in bursts",
        Pattern::All => "everything",
        Pattern::FromTimeOn => "everything from some time on",
        Pattern::Alike => "unknown: they look like others",
        Pattern::TooFew => "too few to see a pattern",
    };
    words.to_owned()
}

/// How long runs of losses are, beside what chance makes of the same share.
pub(in crate::report::comparison) fn bursts(loss: &Loss) -> String {
    let (Some(longest), Some(mean)) = (loss.longest_burst, loss.mean_burst) else {
        return "unknown: they look like others".to_owned();
    };
    let longest = number::count(longest);
    let mut text = format!("{longest} of a flow in a row at most, {mean:.2} in the mean");
    let by_chance = 1.0 / (1.0 - loss.rate);
    if by_chance.is_finite() && by_chance >= 1.0 {
        text.push_str(&format!(" (chance has {by_chance:.2})"));
    }
    text
}

/// How losses go with the rate of sending.
pub(in crate::report::comparison) fn with_rate(loss: &Loss) -> String {
    let Some(correlation) = loss.with_rate.filter(|value| value.is_finite()) else {
        return "unknown: too few steps of time".to_owned();
    };
    let meaning = match correlation {
        high if high >= 0.5 => "more is lost when more is sent",
        low if low <= -0.5 => "less is lost when more is sent",
        _ => "no more is lost when more is sent",
    };
    format!("{meaning} (correlation {correlation:+.2})")
}

/// Losses of one kind of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report::comparison) struct LossRow {
    /// Which packets.
    pub name: String,
    /// How many were sent.
    pub sent: u64,
    /// How many of these were lost.
    pub lost: u64,
}

impl LossRow {
    /// The share lost; `None` if nothing was sent.
    pub(in crate::report::comparison) fn share(&self) -> Option<f64> {
        (self.sent > 0).then(|| self.lost as f64 / self.sent as f64)
    }
}

/// Fragments by their place in the datagram; empty where nothing was fragmented.
pub(in crate::report::comparison) fn place_rows(loss: &Loss) -> Vec<LossRow> {
    let places = [
        ("first", &loss.first),
        ("middle", &loss.middle),
        ("last", &loss.last),
    ];
    let rows = places.map(|(name, of)| row(name.to_owned(), of));
    rows.into_iter().filter(|row| row.sent > 0).collect()
}

/// The same by tenths of the datagram, of those in which fragments begin.
pub(in crate::report::comparison) fn tenth_rows(loss: &Loss) -> Vec<LossRow> {
    let tenths = loss.positions.iter().enumerate();
    let name = |index| format!("{} - {} %", index * 10, index * 10 + 10);
    let rows = tenths.map(|(index, of)| row(name(index), of));
    rows.filter(|row| row.sent > 0).collect()
}

fn row(name: String, of: &PositionLoss) -> LossRow {
    LossRow {
        name,
        sent: of.sent,
        lost: of.lost,
    }
}

/// Packets by IP length.
pub(in crate::report::comparison) fn size_rows(loss: &Loss) -> Vec<LossRow> {
    let rows = loss.sizes.iter().filter(|class| class.sent > 0);
    let row = |class: &SizeLoss| LossRow {
        name: size(class),
        sent: class.sent,
        lost: class.lost,
    };
    rows.map(row).collect()
}

fn size(class: &SizeLoss) -> String {
    let from = number::count(class.bytes_from.into());
    match class.bytes_to {
        Some(to) if to == class.bytes_from => from,
        Some(to) => format!("{from} - {}", number::count(to.into())),
        None => format!("{from} and more"),
    }
}
