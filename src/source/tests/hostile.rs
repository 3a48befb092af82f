//! Whatever the bytes are: no panic, the same frames for any block size.

use super::*;
use proptest::prelude::*;

/// Starts that get random bytes past the first check.
fn starts() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![
        "",
        "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000",
        "a1b2cd34 0002 0003 00000000 00000000 ffffffff 24000001",
        "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000",
        "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c
         00000001 00000014 0001 0000 00000000 00000014",
        "1f8b0800 00000000 0000",
        "28b52ffd",
        "04224d18",
        "02214c18",
        "502a4d18",
    ])
    .prop_map(hex)
}

/// Words small enough to be believed as lengths, types and counts.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![0_u32..48, any::<u32>(), Just(0x0a0d_0d0a)];
    let either = (word, any::<bool>()).prop_map(|(word, big)| match big {
        true => word.to_be_bytes(),
        false => word.to_le_bytes(),
    });
    prop::collection::vec(either, 0..64).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn random_bytes(start in starts(), rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let (_, facts) = read_capture(&[start, rest].concat());
        let texts = facts.problems.iter().map(|problem| &problem.text);
        prop_assert!(texts.flat_map(|text| text.chars()).all(|c| !c.is_control()));
    }

    #[test]
    fn random_words(start in starts(), rest in words()) {
        read_capture(&[start, rest].concat());
    }

    #[test]
    fn one_byte_changed(at in 0_usize..1000, to in any::<u8>()) {
        let mut capture = hex(
            "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000
             01000000 24000000 0100 0000 00000400 0900 0100 06000000 0b00 0300 00747000 24000000
             06000000 2c000000 00000000 240a0600 0140a218 03000000 3c000000 aabbcc00
                 0200 0400 41000000 2c000000
             03000000 14000000 04000000 a1a2a3a4 14000000
             05000000 24000000 00000000 00000000 00000000 0500 0800 0100000000000000 24000000",
        );
        let at = at % capture.len();
        capture[at] = to;
        read_capture(&capture);
    }
}
