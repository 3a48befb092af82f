//! The ring: what is in it, in which order, and its bounds.

use super::*;
use proptest::prelude::*;

#[test]
fn frames_come_out_as_they_went_in() {
    let ring = ring(1 << 20);
    let mut wire = Wire::default();
    wire.block(&ring, 0.0, 3, 1500);
    wire.block_of(1, &ring, 0.5, 2, 60);
    ring.push_block(std::iter::empty());
    wire.block(&ring, 1.0, 1, 9000);
    let frames = everything(&ring);
    assert_eq!(
        frames.iter().map(number).collect::<Vec<_>>(),
        [1, 2, 3, 1, 2, 4]
    );
    assert_eq!(frames[3].link_type, 101);
    assert_eq!(frames[3].time, at(0.5));
    assert_eq!(frames[5].wire_bytes, 9001);
    assert_eq!(frames[5].data.len(), 9000);
}

#[test]
fn what_is_too_old_is_let_go_and_its_memory_filled_again() {
    let ring = ring(64 << 20);
    let mut wire = Wire::default();
    for second in 0..100 {
        wire.block(&ring, f64::from(second), 1000, 1400);
    }
    let frames = everything(&ring);
    assert!(frames[0].time <= at(89.0), "{:?}", frames[0].time);
    assert!(frames[0].time >= at(86.0), "{:?}", frames[0].time);
    let counts = ring.counts();
    assert_eq!(counts.dropped_frames, 0);
    assert!(counts.memory_bytes < 22 << 20, "{counts:?}");
    assert_eq!(ring.dropped_until(), None);
}

#[test]
fn what_has_no_room_is_dropped_and_counted() {
    let ring = ring(1 << 20);
    let mut wire = Wire::default();
    wire.block(&ring, 0.0, 2000, 1000);
    let counts = ring.counts();
    assert!(counts.memory_bytes <= 1 << 20);
    assert_eq!(counts.frames + counts.dropped_frames, 2000);
    let frames = everything(&ring);
    assert_eq!(frames.len() as u64, counts.frames);
    assert_eq!(number(&frames[0]), counts.dropped_frames + 1);
    assert_eq!(number(frames.last().unwrap()), 2000);
    // More than all the memory: dropped, and what comes after is not.
    wire.block(&ring, 1.0, 1, 2 << 20);
    wire.block(&ring, 1.0, 1, 100);
    assert_eq!(everything(&ring).len(), 1);
    assert_eq!(ring.dropped_until(), Some(at(1.0)));
}

#[test]
fn a_clock_that_jumps_does_not_empty_the_ring_for_ever() {
    let ring = ring(1 << 20);
    let mut wire = Wire::default();
    wire.block(&ring, 1e9, 10, 100);
    for second in 0..20 {
        wire.block(&ring, f64::from(second), 10, 5000);
    }
    assert!(everything(&ring).len() > 100);
}

#[test]
fn a_segment_taken_stays_what_it_was() {
    let ring = ring(64 << 10);
    let mut wire = Wire::default();
    wire.block(&ring, 0.0, 10, 100);
    let end = ring.seal();
    let taken = ring.take(0..end, 0);
    wire.block(&ring, 0.0, 1000, 1000);
    assert!(ring.take(0..end, usize::MAX).is_empty());
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].frames().count(), 10);
}

#[test]
fn threads_can_fill_it_while_it_is_read() {
    let ring = ring(32 << 20);
    std::thread::scope(|scope| {
        for file in 0..2 {
            let ring = &ring;
            scope.spawn(move || {
                let mut wire = Wire::default();
                for block in 0..200 {
                    wire.block_of(file, ring, f64::from(block) / 200.0, 100, 200);
                }
            });
        }
        for _ in 0..50 {
            everything(&ring);
        }
    });
    let counts = ring.counts();
    assert_eq!((counts.frames, counts.dropped_frames), (40_000, 0));
    let frames = everything(&ring);
    for link_type in [1, 101] {
        let numbers: Vec<u64> = frames
            .iter()
            .filter(|frame| frame.link_type == link_type)
            .map(number)
            .collect();
        assert!(numbers.into_iter().eq(1..=20_000));
    }
}

proptest! {
    /// Whatever comes: memory is bounded, the newest frames are there without a gap, and
    /// those that are not were too old or are counted.
    #[test]
    fn bounds_hold(
        limit in 0_usize..200_000,
        blocks in prop::collection::vec((0_u64..40, 0_usize..9000, 0_i64..4, any::<bool>()), 0..60),
    ) {
        let ring = ring(limit);
        let mut wire = Wire::default();
        let (mut second, mut pushed) = (0, 0);
        for (frames, bytes, pause, is_sealed) in blocks {
            second += pause;
            wire.block(&ring, second as f64, frames, bytes);
            pushed += frames;
            if is_sealed {
                ring.seal();
            }
            let counts = ring.counts();
            prop_assert!(counts.memory_bytes as usize <= limit);
            prop_assert!(counts.frames + counts.dropped_frames <= pushed);
            if second < 10 {
                prop_assert_eq!(counts.frames + counts.dropped_frames, pushed);
            }
        }
        let numbers: Vec<u64> = everything(&ring).iter().map(number).collect();
        prop_assert_eq!(numbers.len() as u64, ring.counts().frames);
        prop_assert!(numbers.is_sorted());
        if ring.counts().dropped_frames == 0 {
            prop_assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]));
            prop_assert_eq!(numbers.last().copied().unwrap_or(pushed), pushed);
        }
    }
}
