//! What is kept of most packets that one point alone knows: what tells each from others of its flow.
//! What all of these have in common is kept once a flow. There may be millions, and most are lost
//! without anybody asking: they are written once, and read once, in the order in which they came.

use super::lately::Print;
use super::look::Look;
use super::sighting::{BLANK, Lane, Sighting, manner};
use super::strays::Newcomer;
use crate::model::{Duration, Protocol, Sum, Timestamp};
use std::mem::offset_of;

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief {
    /// When it was seen, by the clock of the first point.
    pub time: Timestamp,
    head: u64,
    pub print: Print,
    pub flow: u32,
    /// How many of its flow came to the point before.
    pub order: u32,
    /// Where the one of its flow is that was kept so before.
    pub before: u32,
    frame: u32,
    /// By how much the clock of its point is ahead, beyond what it was of the first of its flow.
    ahead: i32,
    id: u16,
    ip_bytes: u16,
    sum: Sum,
    /// As in [`Stray`](super::strays::Stray).
    pub tells_time: bool,
}

const _: () = assert!(size_of::<Brief>() == 48);

/// Where one is among those of its flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where the one before is.
    pub before: u32,
    /// As [`Common::ahead`] says.
    pub ahead: i32,
}

/// What those of one flow have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    kind: Kind,
    /// By how much the clock of their point was ahead of that of the first.
    ahead: Duration,
}

/// What they are: whole datagrams in frames of their own. What of it is held against that of others is
/// side by side, as in [`Sighting`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Kind {
    look: Look,
    protocol: Protocol,
    is_numbered: bool,
    is_renumbered: bool,
    is_fresh: bool,
    is_carrier: bool,
    lane: Lane,
    /// IP length but for the payload.
    headers: u16,
    has_sum: bool,
}

const _: () = assert!(offset_of!(Kind, is_carrier) == offset_of!(Kind, look) + 7);

impl Kind {
    fn of(sighting: &Sighting) -> Option<Self> {
        let headers = sighting.ip_bytes.checked_sub(sighting.bytes)?;
        let headers = headers.try_into().ok()?;
        sighting.is_plain().then_some(Self {
            look: sighting.look,
            protocol: sighting.protocol,
            is_numbered: sighting.is_numbered,
            is_renumbered: sighting.is_renumbered,
            is_fresh: sighting.is_fresh,
            is_carrier: sighting.is_carrier,
            lane: sighting.lane,
            headers,
            has_sum: sighting.sum.is_some(),
        })
    }

    /// Whether it is that of another, too.
    #[inline(always)]
    fn is_of(&self, sighting: &Sighting) -> bool {
        let headers = sighting.ip_bytes.wrapping_sub(sighting.bytes);
        sighting.is_plain()
            && sighting.manner() == self.manner()
            && sighting.lane == self.lane
            && headers == u32::from(self.headers)
            && sighting.sum.is_some() == self.has_sum
    }

    #[inline(always)]
    fn manner(&self) -> u64 {
        let marks = [
            self.is_numbered,
            self.is_renumbered,
            self.is_fresh,
            self.is_carrier,
        ];
        manner(self.look, self.protocol, marks)
    }
}

impl Common {
    /// What is kept of a packet beside this may be kept in brief.
    pub fn of(newcomer: &Newcomer<'_>) -> Option<Self> {
        let kind = Kind::of(newcomer.sighting)?;
        let ahead = newcomer.sighting.time - newcomer.time;
        Some(Self { kind, ahead })
    }

    /// By how much more than that the clock of its point is ahead when a packet is seen that has this in
    /// common with others; `None` if it has not, or the rest of it does not fit. Times may be as far
    /// apart as there are any.
    #[inline(always)]
    pub fn ahead(&self, newcomer: &Newcomer<'_>) -> Option<i32> {
        let sighting = newcomer.sighting;
        let fits = self.kind.is_of(sighting)
            && sighting.frame <= u32::MAX.into()
            && sighting.id <= u16::MAX.into()
            && sighting.ip_bytes <= u16::MAX.into();
        if !fits {
            return None;
        }
        let ahead = sighting.time.0.checked_sub(newcomer.time.0)?;
        ahead.checked_sub(self.ahead.0)?.try_into().ok()
    }

    /// When its point saw one, by the clock of that.
    #[inline(always)]
    pub fn seen(&self, brief: &Brief) -> Timestamp {
        self.own_time(brief.time, brief.ahead)
    }

    #[inline(always)]
    fn own_time(&self, time: Timestamp, ahead: i32) -> Timestamp {
        time + Duration(self.ahead.0.saturating_add(ahead.into()))
    }

    /// All that was seen of one.
    pub fn sighting(&self, brief: &Brief) -> Sighting {
        let Kind {
            look,
            protocol,
            is_numbered,
            is_renumbered,
            is_fresh,
            is_carrier,
            lane,
            headers,
            has_sum,
        } = self.kind;
        Sighting {
            time: self.seen(brief),
            frame: brief.frame.into(),
            head: brief.head,
            lane,
            id: brief.id.into(),
            bytes: brief.ip_bytes() - u32::from(headers),
            ip_bytes: brief.ip_bytes(),
            sum: has_sum.then_some(brief.sum),
            look,
            protocol,
            is_numbered,
            is_renumbered,
            is_fresh,
            is_carrier,
            ..BLANK
        }
    }
}

impl Brief {
    /// Of what is seen, which [fits](Common::ahead) there.
    #[inline(always)]
    pub fn of(newcomer: &Newcomer<'_>, print: Print, Place { before, ahead }: Place) -> Self {
        let sighting = newcomer.sighting;
        Self {
            time: newcomer.time,
            head: sighting.head,
            print,
            flow: newcomer.flow,
            order: newcomer.order,
            before,
            frame: sighting.frame as u32,
            ahead,
            id: sighting.id as u16,
            ip_bytes: sighting.ip_bytes as u16,
            sum: sighting.sum.unwrap_or(Sum(0)),
            tells_time: newcomer.tells_time,
        }
    }

    #[inline(always)]
    pub fn ip_bytes(&self) -> u32 {
        self.ip_bytes.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sighting::{Form, Share, example};
    use proptest::prelude::*;

    fn print() -> Print {
        Print::of_hash(7)
    }

    /// What is known of a packet that is kept in brief beside another, if it may be: each was seen
    /// at some time by the clock of the first point, and at another by that of its own.
    fn kept_beside(
        (first, first_time): (&Sighting, i64),
        (next, time): (&Sighting, i64),
    ) -> Option<Sighting> {
        let newcomer = |sighting, time| Newcomer::new(sighting, 1, Timestamp(time), 3, 9);
        let common = Common::of(&newcomer(first, first_time))?;
        let next = newcomer(next, time);
        let ahead = common.ahead(&next)?;
        let brief = Brief::of(&next, print(), Place { before: 4, ahead });
        assert_eq!((brief.time, brief.flow, brief.order), (next.time, 3, 9));
        Some(common.sighting(&brief))
    }

    proptest! {
        #[test]
        fn nothing_is_missing_of_what_is_kept_in_brief(
            (time, ahead, apart) in (any::<i64>(), any::<i64>(), any::<i32>()),
            (frame, head, id) in (any::<u32>(), any::<u64>(), any::<u16>()),
            (bytes, headers) in (0..60_000_u32, 20..60_u32),
            sum in prop::option::of(any::<u16>()),
            is_numbered in any::<bool>(),
        ) {
            let sum = sum.map(Sum);
            let first = Sighting {
                time: Timestamp(ahead),
                ip_bytes: 100 + headers,
                is_numbered,
                sum: sum.map(|_| Sum(0)),
                ..example(1)
            };
            let next = Sighting {
                time: Timestamp(time).min(Timestamp(i64::MAX / 2)) + Duration(apart.into()),
                frame: frame.into(),
                head,
                id: id.into(),
                bytes,
                ip_bytes: bytes + headers,
                sum,
                ..first
            };
            let kept = kept_beside((&first, 0), (&next, time.saturating_sub(ahead)));
            let known = kept.as_ref().map(|kept| format!("{kept:?}"));
            if let Some(known) = known {
                prop_assert_eq!(known, format!("{next:?}"));
            }
            let is_near = time.unsigned_abs() < 1 << 60 && ahead.unsigned_abs() < 1 << 60;
            let is_far_apart = apart.unsigned_abs() > 1 << 30;
            prop_assert!(kept.is_some() || !is_near || is_far_apart);
        }
    }

    #[test]
    fn what_has_less_in_common_is_not_kept_so() {
        let first = example(1);
        let is_kept = |next: Sighting| kept_beside((&first, 0), (&next, 0)).is_some();
        assert!(is_kept(example(2)));
        let look = Look::new(63, 0, None, false);
        let others = [
            Sighting { lane: 1, ..first },
            Sighting { look, ..first },
            Sighting {
                ip_bytes: 124,
                ..first
            },
            Sighting {
                is_numbered: false,
                ..first
            },
            Sighting {
                is_renumbered: true,
                ..first
            },
            Sighting {
                is_fresh: true,
                ..first
            },
            Sighting {
                is_carrier: true,
                ..first
            },
            Sighting {
                protocol: Protocol::TCP,
                ..first
            },
            Sighting {
                more: true,
                ..first
            },
            Sighting {
                is_control: true,
                ..first
            },
            Sighting { offset: 8, ..first },
            Sighting {
                sum: Some(Sum(1)),
                ..first
            },
            Sighting {
                form: Form::Segment,
                ..first
            },
            Sighting {
                share: Share::Begin,
                ..first
            },
            Sighting { ported: 2, ..first },
            Sighting {
                frame: 1 << 32,
                ..first
            },
            Sighting {
                id: 1 << 16,
                ..first
            },
            Sighting {
                bytes: 1 << 16,
                ip_bytes: (1 << 16) + 20,
                ..first
            },
            Sighting {
                time: Timestamp(1 << 31),
                ..first
            },
        ];
        for other in others {
            assert!(!is_kept(other), "{other:?}");
        }
    }
}
