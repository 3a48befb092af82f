//! A book in two: a share of the accounts is taken out, and written in by itself.

use super::{Account, Book, MAX_ACCOUNTS, Series};
use crate::compare::delay::DelaysOf;

/// What of a book somebody has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Part {
    #[default]
    All,
    /// All but a share.
    Lending,
    /// A share, and how many accounts there are in all.
    Share { accounts: usize },
}

impl Book {
    /// Takes a share of the accounts out, to be written in elsewhere until they are
    /// [given back](Self::give_back).
    pub fn take_share(&mut self) -> Self {
        let mut share = Self {
            points: self.points,
            numbers: self.numbers.clone(),
            series: self.series.iter().map(Series::blank).collect(),
            delays: DelaysOf::new(self.series.len()),
            tallies: vec![Default::default(); self.points],
            missed: vec![Default::default(); self.points],
            ..Self::default()
        };
        let accounts = self.accounts.len().min(DelaysOf::MOST);
        share.accounts.resize_with(accounts, Account::default);
        share.make_room();
        self.swap_share(&mut share);
        let accounts = self.accounts.len();
        share.part = Part::Share { accounts };
        self.part = Part::Lending;
        share
    }

    /// Whether what is of a flow is to be written here, of a book and its share. Both are asked about
    /// all flows in the same order: an account that is not there yet is opened where it belongs, and gets
    /// the same number in both, which is that in a book of which nothing is lent.
    #[inline(always)]
    pub fn is_for(&mut self, flow: u32) -> bool {
        match self.part {
            Part::All => {
                self.account_of(flow);
                true
            }
            Part::Lending => !is_in_share(self.account_of(flow)),
            Part::Share { .. } => is_in_share(self.account_in_share(flow)),
        }
    }

    #[inline(always)]
    fn account_in_share(&mut self, flow: u32) -> usize {
        match self.known(flow) {
            Some(number) => number,
            None => self.open_in_share(flow),
        }
    }

    #[cold]
    fn open_in_share(&mut self, flow: u32) -> usize {
        let Part::Share { accounts } = &mut self.part else {
            return self.account_of(flow);
        };
        let number = (*accounts).min(MAX_ACCOUNTS);
        *accounts = number + 1;
        if is_in_share(number) {
            self.accounts.resize_with(number + 1, Account::default);
            self.make_room();
            self.accounts[number] = self.blank(Some(flow));
        }
        self.number(flow, number);
        number
    }

    /// Takes them back with what was written in.
    pub fn give_back(&mut self, share: Self) {
        let mut share = share;
        self.swap_share(&mut share);
        self.part = Part::All;
        for (mine, theirs) in self.series.iter_mut().zip(share.series) {
            mine.add(theirs);
        }
        for (mine, theirs) in self.tallies.iter_mut().zip(share.tallies) {
            *mine += theirs;
        }
        for (mine, theirs) in self.missed.iter_mut().zip(&share.missed) {
            mine.add(theirs);
        }
    }

    /// Nothing of what is swapped is beside its account then.
    fn swap_share(&mut self, other: &mut Self) {
        let accounts = self.accounts.len().min(other.accounts.len());
        for number in (0..accounts).filter(|number| is_in_share(*number)) {
            for book in [&mut *self, &mut *other] {
                book.write_alike(number);
                book.write_run(number);
            }
            std::mem::swap(&mut self.accounts[number], &mut other.accounts[number]);
            self.delays.swap(&mut other.delays, number);
        }
    }
}

/// Every second account. What has its delays in common with others is none of them.
fn is_in_share(number: usize) -> bool {
    number < DelaysOf::MOST && !number.is_multiple_of(2)
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
        assert!((0..4).all(|flow| book.is_for(flow)));
        let mut share = book.take_share();
        let mut are_lent = |flows: &[u32]| {
            let are_lent = flows.iter().map(|flow| {
                let is_lent = share.is_for(*flow);
                assert_ne!(book.is_for(*flow), is_lent);
                is_lent
            });
            are_lent.collect::<Vec<_>>()
        };
        assert_eq!(are_lent(&[0, 1, 2, 3]), [false, true, false, true]);
        // They were not there when it was lent.
        assert_eq!(are_lent(&[6, 9, 11]), [false, true, false]);
        // Its steps are longer by then.
        write(&mut share, 3, 100_000);
        write(&mut book, 2, 7);
        write(&mut book, 6, 8);
        write(&mut share, 9, 9);
        write(&mut book, 11, 10);
        book.give_back(share);
        assert_eq!(book.tallies[1].datagrams, 9);
        let spans: Vec<_> = book.accounts.iter().map(|account| account.span).collect();
        let at = |time: i64| Some((Timestamp(time), Timestamp(time)));
        assert_eq!(spans, [0, 1, 7, 100_000, 8, 9, 10].map(at));
        let flows = book.accounts.iter().map(|account| account.flow);
        assert!(flows.eq([0, 1, 2, 3, 6, 9, 11].map(Some)));
        let (accounts, series) = book.into_accounts();
        let packets = accounts.iter().map(|account| {
            let delays = account.between[0].delays.as_ref();
            delays
                .and_then(|delays| delays.figures())
                .map_or(0, |figures| figures.packets)
        });
        assert_eq!(packets.collect::<Vec<_>>(), [1, 1, 2, 2, 1, 1, 1]);
        let (series, _) = &series[0];
        let both: u64 = series.steps.iter().map(|step| step.of(Fate::Both)).sum();
        assert_eq!((both, series.origin), (9, Some(Timestamp(0))));
        assert!(series.width > Duration(10));
    }

    #[test]
    fn what_shares_its_delays_is_not_lent() {
        let mut book = book(DelaysOf::MOST as u32 + 4);
        let mut share = book.take_share();
        let last = DelaysOf::MOST as u32 - 1;
        for (flow, is_lent) in [(last, true), (last + 2, false), (last + 6, false)] {
            assert_eq!((book.is_for(flow), share.is_for(flow)), (!is_lent, is_lent));
        }
        book.give_back(share);
        assert_eq!(book.accounts.len(), DelaysOf::MOST + 5);
        assert!(book.accounts.iter().all(|account| account.flow.is_some()));
    }
}
