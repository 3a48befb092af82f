//! What goes from the reader of a capture to whoever matches, and the room of its sightings
//! that comes back: that is not asked of the system twice.

use super::sighting::{Batch, Sighting};
use crate::model::Timestamp;
use crate::source::Progress;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Batches of each point that wait to be matched.
const BATCHES: usize = 8;

/// One batch, and how far its capture was read with it.
pub(super) struct Sent {
    pub batch: Batch,
    pub read: Progress,
    pub frames: u64,
    /// First frame of the capture.
    pub from: Option<Timestamp>,
}

/// The end of the reader.
pub(super) struct Giver {
    batches: SyncSender<Sent>,
    spent: Receiver<Vec<Sighting>>,
}

/// The end of whoever matches.
pub(super) struct Taker {
    batches: Receiver<Sent>,
    spent: SyncSender<Vec<Sighting>>,
}

/// Both ends.
pub(super) fn handover() -> (Giver, Taker) {
    let (give, batches) = sync_channel(BATCHES);
    // Those that wait, the one that is written and the one that is matched.
    let (give_back, spent) = sync_channel(BATCHES + 2);
    let giver = Giver {
        batches: give,
        spent,
    };
    let taker = Taker {
        batches,
        spent: give_back,
    };
    (giver, taker)
}

impl Giver {
    /// Hands a batch on once there is a place for it; `false` if nobody takes any more.
    pub fn give(&self, sent: Sent) -> bool {
        self.batches.send(sent).is_ok()
    }

    /// Room for the next batch.
    pub fn room(&self) -> Vec<Sighting> {
        self.spent.try_recv().unwrap_or_default()
    }
}

impl Taker {
    /// Waits for the next batch; `None` if there are no more.
    pub fn take(&self) -> Option<Sent> {
        self.batches.recv().ok()
    }

    /// Gives back the room of a batch that is matched.
    pub fn give_back(&self, spent: Vec<Sighting>) {
        let mut room = spent;
        room.clear();
        // Where nobody wants it, it is gone.
        drop(self.spent.try_send(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::example;

    fn sent(room: Vec<Sighting>) -> Sent {
        let mut batch = Batch {
            sightings: room,
            ..Batch::default()
        };
        batch.sightings.push(example(0));
        Sent {
            batch,
            read: Progress::default(),
            frames: 1,
            from: None,
        }
    }

    #[test]
    fn room_comes_back_empty() {
        let (giver, taker) = handover();
        assert!(giver.give(sent(Vec::with_capacity(100))));
        assert_eq!(giver.room().capacity(), 0);
        taker.give_back(taker.take().unwrap().batch.sightings);
        let room = giver.room();
        assert!(room.is_empty() && room.capacity() >= 100);
    }

    #[test]
    fn each_end_outlives_the_other() {
        let (giver, taker) = handover();
        assert!(giver.give(sent(giver.room())));
        drop(giver);
        let spent = taker.take().unwrap().batch.sightings;
        taker.give_back(spent);
        assert!(taker.take().is_none());
        let (giver, taker) = handover();
        drop(taker);
        assert!(!giver.give(sent(giver.room())));
    }

    #[test]
    fn no_more_room_is_kept_than_is_in_use() {
        let (giver, taker) = handover();
        for _ in 0..BATCHES * 4 {
            taker.give_back(Vec::with_capacity(100));
        }
        let rooms = std::iter::repeat_with(|| giver.room());
        let kept = rooms.take_while(|room| room.capacity() > 0).count();
        assert_eq!(kept, BATCHES + 2);
    }
}
