//! A book in two: each half has some of the accounts, and is written in by itself.

use super::{Account, Book, Series};
use crate::compare::delay::DelaysOf;

impl Book {
    /// Takes half of the accounts out, to be written in elsewhere until they are
    /// [given back](Self::give_back).
    pub fn take_half(&mut self) -> Self {
        let mut half = Self {
            points: self.points,
            numbers: self.numbers.clone(),
            series: self.series.iter().map(Series::blank).collect(),
            delays: DelaysOf::new(self.series.len()),
            tallies: vec![Default::default(); self.points],
            ..Self::default()
        };
        self.lent = self.accounts.len().min(DelaysOf::MOST);
        half.accounts.resize_with(self.lent, Account::default);
        half.make_room();
        self.swap_half(&mut half);
        half
    }

    /// Whether the account of a flow was taken out. What shares its delays with others is not, nor
    /// is what was opened since.
    pub fn is_lent(&self, flow: u32) -> bool {
        let number = self.numbers.get(flow as usize);
        number.is_some_and(|number| (*number as usize) < self.lent && is_in_half(*number as usize))
    }

    /// Takes them back with what was written in.
    pub fn give_back(&mut self, half: Self) {
        let mut half = half;
        debug_assert_eq!(half.accounts.len(), self.lent);
        self.swap_half(&mut half);
        self.lent = 0;
        for (mine, theirs) in self.series.iter_mut().zip(half.series) {
            mine.add(theirs);
        }
        for (mine, theirs) in self.tallies.iter_mut().zip(half.tallies) {
            *mine += theirs;
        }
    }

    /// Nothing of what is swapped is beside its account then.
    fn swap_half(&mut self, other: &mut Self) {
        for number in (0..self.lent).filter(|number| is_in_half(*number)) {
            for book in [&mut *self, &mut *other] {
                book.write_alike(number);
                book.write_run(number);
            }
            std::mem::swap(&mut self.accounts[number], &mut other.accounts[number]);
            self.delays.swap(&mut other.delays, number);
        }
    }
}

fn is_in_half(number: usize) -> bool {
    number.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::book::series::Fared;
    use crate::compare::shape::Fate;
    use crate::model::{Duration, Timestamp};

    /// With accounts of so many flows, in each of which something took as long as its number.
    fn book(flows: u32) -> Book {
        let mut book = Book::new(2, Duration(10));
        for flow in 0..flows {
            write(&mut book, flow, i64::from(flow));
        }
        book
    }

    /// Notes something that took so long, at that time.
    fn write(book: &mut Book, flow: u32, took: i64) {
        let number = book.account_of(flow);
        book.accounts[number].span = Some((Timestamp(took), Timestamp(took)));
        book.took(number, 0, took);
        book.tallies[1].datagrams += 1;
        let fared = Fared::of(Fate::Both, false, 1);
        book.series[0].count(fared, Timestamp(took));
    }

    #[test]
    fn what_is_lent_comes_back_with_what_was_written_in() {
        let mut book = book(4);
        assert!((0..4).all(|flow| !book.is_lent(flow)));
        let mut half = book.take_half();
        let is_lent = [0, 1, 2, 3, 4].map(|flow| book.is_lent(flow));
        assert_eq!(is_lent, [true, false, true, false, false]);
        // Its steps are longer by then.
        write(&mut half, 2, 100_000);
        write(&mut book, 3, 7);
        // It was not there when half was lent.
        write(&mut book, 6, 8);
        assert!(!book.is_lent(6));
        book.give_back(half);
        assert_eq!(book.tallies[1].datagrams, 7);
        let spans: Vec<_> = book.accounts.iter().map(|account| account.span).collect();
        let at = |time: i64| Some((Timestamp(time), Timestamp(time)));
        assert_eq!(spans, [0, 1, 100_000, 7, 8].map(at));
        let flows = book.accounts.iter().map(|account| account.flow);
        assert!(flows.eq([0, 1, 2, 3, 6].map(Some)));
        let (accounts, series) = book.into_accounts();
        let packets = accounts.iter().map(|account| {
            let delays = account.between[0].delays.as_ref();
            delays
                .and_then(|delays| delays.figures())
                .map_or(0, |figures| figures.packets)
        });
        assert_eq!(packets.collect::<Vec<_>>(), [1, 1, 2, 2, 1]);
        let (series, _) = &series[0];
        let both: u64 = series.steps.iter().map(|step| step.of(Fate::Both)).sum();
        assert_eq!((both, series.origin), (7, Some(Timestamp(0))));
        assert!(series.width > Duration(10));
    }

    #[test]
    fn what_shares_its_delays_is_not_lent() {
        let mut book = book(DelaysOf::MOST as u32 + 4);
        let half = book.take_half();
        let last = DelaysOf::MOST as u32 - 2;
        assert_eq!(
            [last, last + 2, last + 4].map(|flow| book.is_lent(flow)),
            [true, false, false]
        );
        book.give_back(half);
        assert_eq!(book.accounts.len(), DelaysOf::MOST + 4);
        assert!(book.accounts.iter().all(|account| account.flow.is_some()));
    }
}
