//! Where on its way traffic is captured.

use super::random::Random;
use super::record::Time;
use std::collections::VecDeque;
use std::str::FromStr;

/// A place behind the senders, as it differs from where they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point {
    /// How long packets take to get here, in microseconds.
    pub later: u64,
    /// Of 1,000 frames, those that are lost on the way here: where senders are, these are answers.
    pub lost_per_mille: u64,
    /// Whether tunnels end in front of it: what they carry is captured.
    pub is_inside: bool,
    /// Whether fragments are put together in front of it, where tunnels have ended: messages are
    /// captured whole.
    pub is_put_together: bool,
    /// Whether segments are captured before a NIC cuts them, or after one joined them.
    pub is_joined: bool,
    /// Flows that do not come by here.
    pub without: Option<Part>,
}

/// One of so many parts of all flows.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub number: usize,
    pub of: usize,
}

/// `N/M`: the first is 0.
impl FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, of) = text.split_once('/').ok_or("not N/M")?;
        let [number, of] = [number, of].map(|digits| digits.parse().map_err(|_| "not a number"));
        let (number, of) = (number?, of?);
        match number < of {
            true => Ok(Self { number, of }),
            false => Err("there are not so many parts"),
        }
    }
}

/// What arrives there.
#[derive(Debug)]
pub(super) struct Arrivals {
    point: Point,
    random: Random,
    /// What is on its way, when it arrives, in order.
    under_way: VecDeque<(Time, Vec<u8>)>,
    /// Rooms of what has arrived.
    spare: Vec<Vec<u8>>,
}

impl Arrivals {
    pub(super) fn at(point: Point) -> Self {
        Self {
            point,
            // Not that of the traffic: it is the same, wherever it is captured.
            random: Random::new(0x7061_7468 ^ point.later),
            under_way: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    pub(super) fn is_inside(&self) -> bool {
        self.point.is_inside || self.point.is_put_together
    }

    pub(super) fn are_put_together(&self) -> bool {
        self.point.is_put_together
    }

    /// Whether several segments are one frame here, and whether that is there once the first of them
    /// was sent.
    pub(super) fn joined(&self) -> Option<bool> {
        self.point.is_joined.then_some(self.point.later == 0)
    }

    /// Whether a flow comes by here.
    pub(super) fn has(&self, flow: usize) -> bool {
        self.point
            .without
            .is_none_or(|part| flow % part.of != part.number)
    }

    /// Whether the next frame is lost.
    pub(super) fn loses(&mut self, is_answer: bool) -> bool {
        let lost = self.point.lost_per_mille;
        let comes_here = is_answer == (self.point.later == 0);
        comes_here && lost > 0 && self.random.below(1000) < lost
    }

    /// Appends a frame in the order of time. An answer is sent from behind the point: it
    /// is here before it is where the others are captured.
    pub(super) fn add(
        &mut self,
        sent: Time,
        is_answer: bool,
        put: impl FnOnce(Time, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        self.arrive_before(sent, out);
        if is_answer || self.point.later == 0 {
            return put(sent, out);
        }
        // Twice as late as those that come from there.
        let time = sent.later(2 * self.point.later);
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        put(time, &mut bytes);
        self.under_way.push_back((time, bytes));
    }

    fn arrive_before(&mut self, now: Time, out: &mut Vec<u8>) {
        while self.under_way.front().is_some_and(|(time, _)| *time <= now) {
            self.arrive(out);
        }
    }

    /// Appends the first of what is under way; says whether there was anything.
    pub(super) fn arrive(&mut self, out: &mut Vec<u8>) -> bool {
        let Some((_, bytes)) = self.under_way.pop_front() else {
            return false;
        };
        out.extend_from_slice(&bytes);
        self.spare.push(bytes);
        true
    }
}
