//! Classes of datagram size: powers of two, so that a sweep over doubling
//! message sizes falls into one class a step.

/// Number of classes: sizes 1 up to 65,535 and, in the last, super-frames beyond.
pub const SIZE_CLASSES: usize = 17;

/// The class of an IP datagram of `bytes` (header included): floor(log2(bytes)),
/// with everything from 65,536 on in class 16.
pub fn size_class(bytes: u32) -> u8 {
    (bytes.max(1).ilog2()).min(SIZE_CLASSES as u32 - 1) as u8
}

/// The smallest and largest datagram size of a class, both included. The last
/// class is open: its end is `u32::MAX`.
pub fn class_bounds(class: u8) -> (u32, u32) {
    let from = 1u32 << class;
    if usize::from(class) + 1 >= SIZE_CLASSES {
        (from, u32::MAX)
    } else {
        (from, from * 2 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_partition_the_sizes() {
        for class in 0..SIZE_CLASSES as u8 {
            let (from, to) = class_bounds(class);
            assert_eq!(size_class(from), class);
            assert_eq!(size_class(to), class);
        }
        assert_eq!(size_class(0), 0);
    }
}
