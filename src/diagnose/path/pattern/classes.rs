//! Whether losses are spread over classes of packets as what was sent is.

use super::{lost, sent};
use crate::compare::Fates;
use crate::model::number;
use std::ops::AddAssign;

/// Losses it takes to say that they are spread evenly: of fewer, chance alone makes what looks
/// uneven, and what is uneven looks like chance.
const ENOUGH_TO_BE_EVEN: u64 = 30;
/// Standard deviations beyond which chance is ruled out: 1 in 2,000.
const RULED_OUT: f64 = 3.3;
/// The same up to which it is taken for chance: 1 in 20 goes beyond, as two standard deviations
/// either way.
const CHANCE: f64 = 1.7;
/// Of what is lost so much more than of what is sent is in some classes: less is slight.
pub(super) const SLIGHT: f64 = 0.1;
/// Unless the shares lost are so far apart: hardly anything may be sent of what always passes.
const FAR_APART: f64 = 0.25;
/// Shares lost that differ by less than that are as good as even, however sure it is.
const AS_GOOD_AS_EVEN: f64 = 1.25;

/// Packets of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    pub sent: u64,
    pub lost: u64,
}

impl AddAssign for Class {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.lost += other.lost;
    }
}

impl Class {
    pub fn of(fates: &Fates) -> Self {
        Self {
            sent: sent(fates),
            lost: lost(fates),
        }
    }

    pub fn sum<'a>(classes: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        classes.into_iter().for_each(|class| sum += *class);
        sum
    }

    /// The share lost.
    pub fn share(self) -> f64 {
        self.lost as f64 / self.sent.max(1) as f64
    }

    /// `all 9`, `none of 9` or `4 of 9`.
    pub fn amount(self) -> String {
        let sent = number::count(self.sent);
        match self.lost {
            0 => format!("none of {sent}"),
            lost if lost == self.sent => format!("all {sent}"),
            lost => format!("{} of {sent}", number::count(lost)),
        }
    }

    /// The share in brackets, where the amount does not say it.
    pub fn in_percent(self) -> String {
        match self.lost {
            0 => String::new(),
            lost if lost == self.sent => String::new(),
            lost => format!(" ({})", number::percent(lost, self.sent)),
        }
    }
}

/// Classes that lose a larger share than all packets, and the others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contrast {
    pub is_inside: Vec<bool>,
    pub inside: Class,
    pub outside: Class,
}

impl Contrast {
    fn of(classes: &[Class], all: Class) -> Self {
        let is_inside = |class: &Class| class.share() > all.share();
        let (inside, outside): (Vec<&Class>, Vec<&Class>) =
            classes.iter().partition(|class| is_inside(class));
        Self {
            is_inside: classes.iter().map(is_inside).collect(),
            inside: Class::sum(inside),
            outside: Class::sum(outside),
        }
    }

    /// How much more of what was lost is inside than of what was sent: from 0 to 1.
    pub fn strength(&self) -> f64 {
        let all = Class::sum([&self.inside, &self.outside]);
        let part = |some: u64, of: u64| some as f64 / of.max(1) as f64;
        part(self.inside.lost, all.lost) - part(self.inside.sent, all.sent)
    }

    /// Whether it says next to nothing of what is lost.
    fn is_slight(&self) -> bool {
        self.strength() < SLIGHT && self.inside.share() - self.outside.share() < FAR_APART
    }

    fn is_as_good_as_even(&self) -> bool {
        self.inside.share() < AS_GOOD_AS_EVEN * self.outside.share()
    }

    /// Whether most losses are inside, so many times as frequent as outside.
    pub fn is_clear(&self, times: f64) -> bool {
        !self.is_slight()
            && self.inside.share() >= times * self.outside.share()
            && self.inside.lost >= self.outside.lost
    }

    /// `4 of 9 <those> were lost (44 %)<place>, and none of 5 others`.
    pub fn told(&self, those: &str, place: &str) -> String {
        format!(
            "{} {those} were lost{}{place}, and {} others{}",
            self.inside.amount(),
            self.inside.in_percent(),
            self.outside.amount(),
            self.outside.in_percent(),
        )
    }
}

/// How losses are spread over classes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spread {
    /// There is one class, or there are too few losses.
    Unknown,
    /// As what was sent is, as far as can be told.
    Even,
    /// Neither surely and clearly otherwise, nor as chance has it.
    Doubtful,
    /// In a way that is no chance.
    Uneven(Contrast),
}

impl Spread {
    /// Of losses that come in runs counts vary so many times as much as of single ones.
    pub fn of(classes: &[Class], clumped: f64) -> Self {
        let all = Class::sum(classes);
        let pools: Vec<Class> = pools(classes).iter().map(|pool| pool.class).collect();
        if pools.len() < 2 {
            return Self::Unknown;
        }
        let contrast = Contrast::of(classes, all);
        let distance = distance(&pools, all) / clumped;
        let is_within = |deviations: f64| distance <= bound(pools.len() - 1, deviations);
        if !is_within(RULED_OUT) && !contrast.is_slight() {
            return Self::Uneven(contrast);
        }
        match is_within(CHANCE) || contrast.is_as_good_as_even() {
            _ if all.lost < ENOUGH_TO_BE_EVEN => Self::Unknown,
            true => Self::Even,
            false => Self::Doubtful,
        }
    }
}

/// Classes side by side, taken as one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pool {
    pub class: Class,
    pub classes: usize,
}

/// Classes put together until chance has some losses in each, and some that pass.
pub(super) fn pools(classes: &[Class]) -> Vec<Pool> {
    let all = Class::sum(classes);
    let rarer = all.lost.min(all.sent - all.lost) as f64;
    let share = rarer / all.sent.max(1) as f64;
    let least = (rarer / 8.0).clamp(1.5, 5.0);
    let (mut pools, mut pool) = (Vec::<Pool>::new(), Pool::default());
    for class in classes.iter().filter(|class| class.sent > 0) {
        pool.class += *class;
        pool.classes += 1;
        if pool.class.sent as f64 * share >= least {
            pools.push(std::mem::take(&mut pool));
        }
    }
    // What is left is too little to stand for itself.
    if let Some(last) = pools.last_mut() {
        last.class += pool.class;
        last.classes += pool.classes;
    }
    pools
}

/// How far counts are from what chance would have: Pearson's chi-square.
fn distance(pools: &[Class], all: Class) -> f64 {
    let share = all.share();
    let squares = pools.iter().map(|class| {
        let expected = class.sent as f64 * share;
        (class.lost as f64 - expected).powi(2) / (expected * (1.0 - share))
    });
    squares.sum()
}

/// How far chance may have them, by Wilson and Hilferty.
fn bound(freedom: usize, deviations: f64) -> f64 {
    let freedom = freedom as f64;
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + deviations * part.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(all: &[(u64, u64)]) -> Vec<Class> {
        let class = |(sent, lost): &(u64, u64)| Class {
            sent: *sent,
            lost: *lost,
        };
        all.iter().map(class).collect()
    }

    fn spread(all: &[(u64, u64)]) -> Spread {
        Spread::of(&classes(all), 1.0)
    }

    #[test]
    fn chance_is_even() {
        assert_eq!(spread(&[(300, 12), (900, 31), (300, 8)]), Spread::Even);
        assert_eq!(
            spread(&[(1_000, 300), (1_000, 330), (100, 28)]),
            Spread::Even
        );
    }

    #[test]
    fn few_losses_and_one_class_say_nothing() {
        assert_eq!(spread(&[(300, 3), (900, 7), (300, 2)]), Spread::Unknown);
        assert_eq!(spread(&[(3_000, 300), (0, 0)]), Spread::Unknown);
        assert_eq!(spread(&[]), Spread::Unknown);
        assert_eq!(spread(&[(9, 9), (9, 9)]), Spread::Unknown);
    }

    #[test]
    fn what_is_in_one_class_is_uneven_even_if_it_is_little() {
        let contrast = match spread(&[(300, 0), (300, 0), (300, 10), (300, 0)]) {
            Spread::Uneven(contrast) => Some(contrast),
            Spread::Unknown | Spread::Even | Spread::Doubtful => None,
        };
        let inside = contrast.as_ref().map(|contrast| contrast.is_inside.clone());
        assert_eq!(inside, Some(vec![false, false, true, false]));
        let clear = contrast.filter(|contrast| contrast.is_clear(2.0));
        let told = clear.map(|contrast| contrast.told("packets of a kind", ""));
        let must = "10 of 300 packets of a kind were lost (3.3 %), and none of 900 others";
        assert_eq!(told.as_deref(), Some(must));
    }

    #[test]
    fn slight_differences_are_even_however_sure_they_are() {
        let many = [(1_000_000, 30_000), (1_000_000, 33_000)];
        assert_eq!(spread(&many), Spread::Even);
    }

    #[test]
    fn what_differs_is_not_even_where_it_is_not_clearly_uneven() {
        // 3.3 and 5.7 %: by chance once in 500 times.
        assert_eq!(spread(&[(1_300, 43), (1_500, 86)]), Spread::Doubtful);
        // 6.0 and 7.9 %, surely, but hardly more of what is lost than of what is sent.
        assert_eq!(spread(&[(9_000, 540), (9_000, 711)]), Spread::Doubtful);
        // 3.3 and 4.3 %: that is chance.
        assert_eq!(spread(&[(1_300, 43), (1_500, 64)]), Spread::Even);
    }

    #[test]
    fn what_always_passes_stands_out_even_if_it_is_rare() {
        let contrast = match spread(&[(1_267, 648), (127, 0)]) {
            Spread::Uneven(contrast) => Some(contrast),
            Spread::Unknown | Spread::Even | Spread::Doubtful => None,
        };
        let clear = contrast.filter(|contrast| contrast.is_clear(2.0));
        let told = clear.map(|contrast| contrast.told("packets of a kind", ""));
        let must = "648 of 1,267 packets of a kind were lost (51.1 %), and none of 127 others";
        assert_eq!(told.as_deref(), Some(must));
    }

    #[test]
    fn runs_vary_more() {
        let some = classes(&[(100, 20), (100, 4), (100, 14), (100, 2)]);
        assert!(matches!(Spread::of(&some, 1.0), Spread::Uneven(_)));
        assert_eq!(Spread::of(&some, 3.0), Spread::Even);
    }

    #[test]
    fn steps_with_hardly_anything_in_them_are_taken_together() {
        let mut steps = vec![(10, 0); 1_000];
        steps.iter_mut().step_by(100).for_each(|step| step.1 = 1);
        let pools = pools(&classes(&steps));
        assert!((2..=8).contains(&pools.len()), "{}", pools.len());
        assert_eq!(pools.iter().map(|pool| pool.classes).sum::<usize>(), 1_000);
        assert_eq!(spread(&steps), Spread::Unknown);
    }

    /// The tables have 12.1 for 1 degree of freedom, 29.7 for 9 and 154 for 99.
    #[test]
    fn chance_is_bound_as_tables_have_it() {
        for (freedom, table) in [(1, 12.1), (9, 29.7), (99, 153.2)] {
            let is = bound(freedom, RULED_OUT);
            assert!((is / table - 1.0).abs() < 0.06, "{freedom}: {is}");
        }
    }
}
