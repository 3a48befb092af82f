//! A book in two: a share of the accounts is taken out, and written in by itself.

use super::{Account, Book, Series};
use crate::compare::delay::DelaysOf;

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
            ..Self::default()
        };
        let accounts = self.accounts.len().min(DelaysOf::MOST);
        share.accounts.resize_with(accounts, Account::default);
        share.make_room();
        self.swap_share(&mut share);
        self.is_lending = true;
        share
    }

    /// Whether something of a flow is to be written elsewhere. An account that is not there yet is
    /// opened; gives its number if it has to be [opened there](Self::open_as), too.
    pub fn lends(&mut self, flow: u32) -> (bool, Option<usize>) {
        let accounts = self.accounts.len();
        let number = self.account_of(flow);
        let is_lent = self.is_lending && is_in_share(number);
        let is_new = self.accounts.len() > accounts;
        (is_lent, (is_lent && is_new).then_some(number))
    }

    /// Opens the account of a flow in the share of a book that has it under this number.
    pub fn open_as(&mut self, flow: u32, number: usize) {
        if self.accounts.len() <= number {
            self.accounts.resize_with(number + 1, Account::default);
            self.make_room();
        }
        self.accounts[number] = self.blank(Some(flow));
        self.number(flow, number);
    }

    /// Takes them back with what was written in.
    pub fn give_back(&mut self, share: Self) {
        let mut share = share;
        self.swap_share(&mut share);
        self.is_lending = false;
        for (mine, theirs) in self.series.iter_mut().zip(share.series) {
            mine.add(theirs);
        }
        for (mine, theirs) in self.tallies.iter_mut().zip(share.tallies) {
            *mine += theirs;
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

/// Two of three accounts: who keeps the others hands out what is to be written, too. What has its
/// delays in common with others is none of them.
fn is_in_share(number: usize) -> bool {
    number < DelaysOf::MOST && !number.is_multiple_of(3)
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
        assert!((0..4).all(|flow| book.lends(flow) == (false, None)));
        let mut share = book.take_share();
        let lends = [0, 1, 2, 3].map(|flow| book.lends(flow));
        let [mine, theirs] = [(false, None), (true, None)];
        assert_eq!(lends, [mine, theirs, theirs, mine]);
        // Its steps are longer by then.
        write(&mut share, 2, 100_000);
        write(&mut book, 3, 7);
        // They were not there when it was lent.
        let [new, other] = [(true, Some(4)), (true, Some(5))];
        let lends = [6, 9, 11].map(|flow| book.lends(flow));
        assert_eq!(lends, [new, other, mine]);
        share.open_as(6, 4);
        share.open_as(9, 5);
        write(&mut share, 6, 8);
        write(&mut share, 9, 9);
        write(&mut book, 11, 10);
        book.give_back(share);
        assert_eq!(book.tallies[1].datagrams, 9);
        let spans: Vec<_> = book.accounts.iter().map(|account| account.span).collect();
        let at = |time: i64| Some((Timestamp(time), Timestamp(time)));
        assert_eq!(spans, [0, 1, 100_000, 7, 8, 9, 10].map(at));
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
        let share = book.take_share();
        let last = DelaysOf::MOST as u32 - 2;
        assert_eq!(
            [last, last + 2, last + 6].map(|flow| book.lends(flow)),
            [(true, None), (false, None), (false, None)]
        );
        book.give_back(share);
        assert_eq!(book.accounts.len(), DelaysOf::MOST + 5);
        assert!(book.accounts.iter().all(|account| account.flow.is_some()));
    }
}
