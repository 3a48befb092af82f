//! Strays that are whole and may come in fragments elsewhere. They are found by those who have them
//! so from the first on that looks for one: by their addresses and identification, or by how they
//! begin.

use super::begun::begin_key;
use super::{Flight, datagram_key};
use crate::compare::sighting::{Form, Sighting};
use crate::compare::strays::{Newcomer, Stray};

impl Flight {
    /// Keeps a stray, which may come in fragments elsewhere; gives its number.
    pub(super) fn keep(&mut self, stray: &Newcomer<'_>) -> u32 {
        let number = self.strays.add(stray);
        if stray.sighting.may_come_cut() {
            // Its fragments are of that, wherever they are seen.
            self.paths.base_of(stray.point, stray.sighting.lane);
            if self.aside.are_uncut_found {
                self.let_uncut_be_found(number);
            }
        }
        number
    }

    /// What other points have aside whole becomes a parcel, if a fragment of the same addresses may
    /// be of it.
    pub(super) fn call_in_uncut(&mut self, point: usize, flow: u32, fragment: &Sighting) {
        if !self.strays.has_uncut() {
            return;
        }
        self.let_all_uncut_be_found();
        while let Some(key) = self.key_of_uncut(point, flow, fragment) {
            self.call_in_found_by(key, point);
        }
    }

    fn key_of_uncut(&self, point: usize, flow: u32, fragment: &Sighting) -> Option<u64> {
        let keys = self.paths.names(flow);
        let mut keys = keys.map(|name| datagram_key(name, fragment.id));
        keys.find(|key| {
            let mut others = self.others(point);
            others.any(|other| self.strays.found_by(*key, other).next().is_some())
        })
    }

    /// The same if it begins like a fragment, whatever its addresses.
    pub(super) fn call_in_uncut_begun_alike(&mut self, point: usize, first: &Sighting) {
        if first.form != Form::Piece || !self.strays.has_uncut() {
            return;
        }
        self.let_all_uncut_be_found();
        for other in self.others(point) {
            self.call_in_found_by(begin_key(first, other), point);
        }
    }

    fn let_all_uncut_be_found(&mut self) {
        if std::mem::replace(&mut self.aside.are_uncut_found, true) {
            return;
        }
        let uncut: Vec<u32> = self.strays.uncut().collect();
        uncut
            .into_iter()
            .for_each(|number| self.let_uncut_be_found(number));
    }

    /// What is whole is found by those who have it in fragments: by its addresses and its
    /// identification, or where others may be translated by how it begins.
    fn let_uncut_be_found(&mut self, number: u32) {
        let Stray { sighting, flow, .. } = *self.strays.get(number);
        let point = self.strays.get(number).point();
        if sighting.may_be_cut()
            && let Some(base) = self.paths.base_of(point, sighting.lane)
        {
            let datagram = datagram_key(base, sighting.id);
            self.strays.be_found_by(number, datagram);
        }
        if let Some(begin) = self.key_of_begin(point, flow, &sighting) {
            self.strays.be_found_by(number, begin);
        }
    }
}
