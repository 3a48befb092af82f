//! Captures changed at random, but the same way every time.

use crate::capture_files::{Pcap, small_captures};
use crate::invariants::broken_sums;
use crate::support::{none, value};
use crate::truncation::report_without_panic;

const MUTANTS: u64 = 3_000;

/// Xorshift64 (Marsaglia 2003): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        // The values at which length and offset fields tip over come often.
        let edges = [
            0x00, 0x01, 0x07, 0x08, 0x1f, 0x20, 0x3f, 0x40, 0x45, 0x60, 0x7f, 0x80, 0xff,
        ];
        match self.below(2) {
            0 => edges[self.below(edges.len())],
            _ => self.next() as u8,
        }
    }
}

/// Headers are in the first bytes of a frame; changes there reach furthest.
const HEADERS: usize = 100;

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    let place = match random.below(4) {
        0 => random.below(length),
        _ => random.below(length.min(HEADERS)),
    };
    match random.below(8) {
        0..3 => bytes[place] = random.byte(),
        3..5 => bytes[place] ^= 1 << random.below(8),
        5 => bytes.truncate(place),
        6 => drop(bytes.drain(place..(place + 1 + random.below(8)).min(length))),
        _ => {
            let again = bytes[place..(place + 1 + random.below(40)).min(length)].to_vec();
            bytes.splice(place..place, again);
        }
    }
}

/// Changes frames, so that the file around them stays readable, or the file.
fn mutant(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let changes = 1 + random.below(6);
    let is_frames = random.below(5) > 0;
    let pcap = Pcap::parse(bytes).filter(|pcap| is_frames && pcap.longest() > 0);
    let Some(mut pcap) = pcap else {
        let mut bytes = bytes.to_vec();
        (0..changes).for_each(|_| change(&mut bytes, random));
        return bytes;
    };
    for _ in 0..changes {
        let frames = pcap.records_mut().len();
        let (one, other) = (random.below(frames), random.below(frames));
        match random.below(8) {
            0 => pcap.records_mut().swap(one, other),
            1 => {
                let again = pcap.records_mut()[one].clone();
                pcap.records_mut().insert(other, again);
            }
            _ => change(pcap.frames_mut()[one], random),
        }
    }
    pcap.to_bytes()
}

/// One of `captures`, changed: the same for the same seed.
pub fn mutant_of(seed: u64, captures: &[(String, Vec<u8>)]) -> (String, Vec<u8>) {
    // Seeds that differ in few bits start far apart.
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (name, bytes) = &captures[random.below(captures.len())];
    (format!("{name}, seed {seed}"), mutant(bytes, &mut random))
}

fn fault(seed: u64, captures: &[(String, Vec<u8>)]) -> Option<String> {
    let (of, bytes) = mutant_of(seed, captures);
    match report_without_panic(&bytes, &of) {
        Err(panic) => Some(panic),
        Ok(report) => {
            let broken = broken_sums(&value(&report));
            broken.first().map(|fault| format!("{of}: {fault}"))
        }
    }
}

#[test]
fn no_mutant_makes_a_panic_or_a_wrong_sum() {
    let captures = small_captures(20_000);
    let faults = (0..MUTANTS).filter_map(|seed| fault(seed, &captures));
    none(&faults.collect::<Vec<_>>());
}
