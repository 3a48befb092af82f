//! When what is under way is to be looked at: in the order of time, and of what was sent at one time
//! in that order. That is asked for each packet several times, and so it is one number.

use super::stray::Held;
use crate::model::Timestamp;

/// A parcel or stray to look at when its time has come: in the order in which they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(u128);

/// Makes a time a number without a sign, in the same order.
const SIGN: u64 = 1 << 63;

impl Due {
    /// Behind all that there may be.
    pub const NEVER: Self = Self(u128::MAX);

    /// Of what was first seen then; `order` is its place among those of its flow.
    #[inline(always)]
    pub fn new(since: Timestamp, order: u32, held: Held) -> Self {
        let since = since.0 as u64 ^ SIGN;
        Self(u128::from(since) << 64 | u128::from(order) << 32 | u128::from(held.bits()))
    }

    /// In front of all that was first seen then.
    #[inline(always)]
    pub fn first_of(since: Timestamp) -> Self {
        Self::new(since, 0, Held::from_bits(0))
    }

    #[inline(always)]
    pub fn since(self) -> Timestamp {
        Timestamp(((self.0 >> 64) as u64 ^ SIGN) as i64)
    }

    #[inline(always)]
    pub fn held(self) -> Held {
        Held::from_bits(self.0 as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Parts = (i64, u32, bool, u32);

    fn due((since, order, is_stray, number): Parts) -> Due {
        let held = match is_stray {
            true => Held::stray(number),
            false => Held::parcel(number),
        };
        Due::new(Timestamp(since), order, held)
    }

    fn parts() -> impl Strategy<Value = Parts> {
        let since = prop_oneof![any::<i64>(), -2..3_i64];
        let order = prop_oneof![any::<u32>(), 0..3_u32];
        (since, order, any::<bool>(), 0..u32::MAX >> 1)
    }

    proptest! {
        #[test]
        fn it_is_in_the_order_of_its_parts(one in parts(), other in parts()) {
            prop_assert_eq!(due(one).cmp(&due(other)), one.cmp(&other));
            let (since, _, is_stray, number) = one;
            prop_assert_eq!(due(one).since(), Timestamp(since));
            let held = if is_stray { Err(number) } else { Ok(number) };
            prop_assert_eq!(due(one).held().number(), held);
            let is_behind = Timestamp(other.0) <= Timestamp(since);
            prop_assert_eq!(Due::first_of(Timestamp(other.0)) <= due(one), is_behind);
        }
    }
}
