//! The rules of the kernel, one by one, and the loads that were measured on a real one.

use super::model::Model;
use super::settings::{Settings, Truesize};
use super::timer::Wheel;
use super::*;
use crate::model::{Addresses, Duration, FrameId, IpVersion, ScopeTag, Timestamp};
use crate::reassemble::FragmentFacts;
use proptest::prelude::*;

const MS: i64 = 1_000_000;

fn fragment(id: u32, nanos: i64, offset: u32, bytes: u32, more: bool) -> FragmentFacts {
    FragmentFacts::sample(id, Timestamp(nanos), offset, bytes, more)
}

fn version_6(mut fragment: FragmentFacts) -> FragmentFacts {
    fragment.key.addresses = Addresses::v6([1; 16], [2; 16]);
    fragment
}

/// What one kernel makes of fragments, and what it would with other settings.
fn forecast(settings: &Settings, fragments: &[FragmentFacts], end_ms: i64) -> Forecast {
    let mut receivers = Receivers::new(settings);
    for fragment in fragments {
        receivers.take(fragment);
    }
    only(receivers.harvest(Timestamp(end_ms * MS)))
}

fn only(mut forecasts: Vec<Forecast>) -> Forecast {
    assert_eq!(forecasts.len(), 1);
    forecasts.remove(0)
}

fn predicted(fragments: &[FragmentFacts], end_ms: i64) -> Predicted {
    forecast(&Settings::default(), fragments, end_ms).predicted
}

#[test]
fn truesize_as_measured() {
    for (payload, charged) in [
        (8, 832),
        (200, 832),
        (208, 1280),
        (648, 1280),
        (664, 2304),
        (1400, 2304),
        (1424, 2304),
        (1480, 2304),
        (3000, 4352),
        (8000, 16_640),
        (8976, 16_640),
    ] {
        assert_eq!(
            Truesize::Modelled.of(IpVersion::V4, payload),
            charged,
            "{payload}"
        );
    }
    for (payload, charged) in [
        (192, 832),
        (200, 1280),
        (640, 1280),
        (648, 2304),
        (8952, 16_640),
    ] {
        assert_eq!(
            Truesize::Modelled.of(IpVersion::V6, payload),
            charged,
            "{payload}"
        );
    }
    assert_eq!(Truesize::Fixed(4352).of(IpVersion::V4, 8), 4352);
}

#[test]
fn timers_are_rounded_up_to_the_step_of_their_level() {
    let lateness = |seconds: i64, hz: u32| {
        let settings = Settings {
            ipfrag_time: Duration::from_secs(seconds),
            kernel_hz: hz,
            ..Settings::default()
        };
        let rules = settings.rules(IpVersion::V4);
        let mut wheel = Wheel::new(&rules);
        wheel.hear(Timestamp(0));
        let late = |at: i64| (wheel.fires(Timestamp(at)) - Timestamp(at)).0 / MS;
        let lates: Vec<i64> = (0..5000).map(|step| late(step * 777_777)).collect();
        let (least, most) = (lates.iter().min(), lates.iter().max());
        (least.copied().unwrap_or(0), most.copied().unwrap_or(0))
    };
    // 500 jiffies: steps of 8, 32 ms. 750: of 64, 256 ms. 7,500: of 512, 2.048 s.
    let (least, most) = lateness(2, 250);
    assert!(least >= 1996 && most <= 2036, "{least} {most}");
    let (least, most) = lateness(3, 250);
    assert!(
        least >= 2996 && (3200..=3260).contains(&most),
        "{least} {most}"
    );
    let (least, most) = lateness(30, 250);
    assert!(
        least >= 29_996 && (31_000..=32_052).contains(&most),
        "{least} {most}"
    );
    let (least, most) = lateness(30, 1000);
    assert!(least >= 29_999 && most <= 34_100, "{least} {most}");
}

/// Of a host whose timers take a second: 250 jiffies, in steps of 32 ms.
fn wheel_of_a_second() -> Wheel {
    let settings = Settings {
        ipfrag_time: Duration::from_secs(1),
        ..Settings::default()
    };
    Wheel::new(&settings.rules(IpVersion::V4))
}

#[test]
fn timers_fire_at_the_last_moment_until_a_step_is_known() {
    let mut wheel = wheel_of_a_second();
    let opened = Timestamp(500 * MS);
    assert_eq!(wheel.fires(opened), Timestamp(1532 * MS));
    // Steps are at 1,532 ms, 1,564 ms and so on then, until the host tells better.
    wheel.fired(Timestamp(1532 * MS));
    assert_eq!(wheel.fires(Timestamp(530 * MS)), Timestamp(1532 * MS));
    assert_eq!(wheel.fires(Timestamp(540 * MS)), Timestamp(1564 * MS));
    wheel.hear(Timestamp(1540 * MS));
    assert_eq!(wheel.fires(Timestamp(530 * MS)), Timestamp(1540 * MS));
    assert_eq!(wheel.fires(Timestamp(541 * MS)), Timestamp(1572 * MS));
}

#[test]
fn messages_move_the_steps_at_once_if_early_and_slowly_if_late() {
    let mut wheel = wheel_of_a_second();
    let step_after = |wheel: &Wheel| wheel.fires(Timestamp(0)).0.rem_euclid(32 * MS);
    wheel.hear(Timestamp(3200 * MS + 4 * MS));
    assert_eq!(step_after(&wheel), 4 * MS);
    wheel.hear(Timestamp(6400 * MS));
    assert_eq!(step_after(&wheel), 0);
    // A jiffy late.
    wheel.hear(Timestamp(9600 * MS + 4 * MS));
    assert_eq!(step_after(&wheel), 4 * MS / 32);
}

/// The host of the fragments says that it gave up a datagram.
fn told(timestamp: Timestamp) -> GivenUp {
    let addresses = Addresses::v4([10, 0, 0, 1], [10, 0, 0, 2]);
    GivenUp {
        host: Host {
            scope: ScopeTag::WIRE,
            version: IpVersion::V4,
            destination: addresses.destination,
        },
        frame: FrameId::default(),
        timestamp,
        depth: 0,
    }
}

#[test]
fn what_a_host_says_ends_what_it_gave_up() {
    let settings = Settings {
        ipfrag_time: Duration::from_secs(1),
        ..Settings::default()
    };
    let forecast = |told_ms: Option<i64>, end_ms: i64| {
        let mut receivers = Receivers::new(&settings);
        receivers.take(&fragment(1, 0, 0, 8, true));
        if let Some(ms) = told_ms {
            receivers.hear(&told(Timestamp(ms * MS)));
        }
        only(receivers.harvest(Timestamp(end_ms * MS)))
    };
    let open = forecast(None, 1031);
    assert_eq!((open.predicted.timed_out, open.timeouts_told), (0, 0));
    assert_eq!(forecast(None, 1032).predicted.timed_out, 1);
    let told = forecast(Some(1010), 1010);
    assert_eq!((told.predicted.timed_out, told.timeouts_told), (1, 1));
}

#[test]
fn whole_datagrams_leave_nothing_behind() {
    let fragments = [
        fragment(1, 0, 0, 16, true),
        fragment(1, MS, 16, 8, false),
        fragment(2, 2 * MS, 8, 8, false),
        fragment(2, 3 * MS, 0, 8, true),
    ];
    let predicted = predicted(&fragments, 100_000);
    assert_eq!((predicted.reassembled, predicted.failed), (2, 0));
    assert_eq!(predicted.delivered_bytes, 16 + 8 + 8 + 8 + 4 * 34);
    assert_eq!(predicted.memory_peak_bytes, 200 + 2 * 832);
    assert_eq!(predicted.open_at_end, 0);
}

#[test]
fn copies_are_silent_and_contradictions_fatal() {
    let copy = [
        fragment(1, 0, 0, 16, true),
        fragment(1, 0, 0, 16, true),
        fragment(1, 0, 8, 8, true),
        fragment(1, 0, 16, 8, false),
    ];
    assert_eq!(predicted(&copy, 1).failed, 0);
    assert_eq!(predicted(&copy, 1).reassembled, 1);
    let contradictions: [[FragmentFacts; 2]; 4] = [
        [fragment(1, 0, 0, 16, true), fragment(1, 0, 8, 16, true)],
        [fragment(1, 0, 16, 8, false), fragment(1, 0, 32, 8, false)],
        [fragment(1, 0, 16, 8, false), fragment(1, 0, 32, 8, true)],
        [fragment(1, 0, 32, 8, true), fragment(1, 0, 16, 8, false)],
    ];
    for fragments in contradictions {
        let predicted = predicted(&fragments, 1);
        assert_eq!((predicted.overlapped, predicted.failed), (1, 1));
        assert_eq!(predicted.open_at_end, 0);
    }
}

#[test]
fn what_is_unfinished_times_out_and_a_late_copy_too() {
    let fragments = [
        fragment(1, 0, 0, 8, true),
        fragment(2, 0, 0, 8, true),
        fragment(2, MS, 8, 8, false),
        // Forgotten by then.
        fragment(2, 2 * MS, 8, 8, false),
    ];
    let before = predicted(&fragments, 29_000);
    assert_eq!((before.timed_out, before.open_at_end), (0, 2));
    let after = predicted(&fragments, 33_000);
    assert_eq!(
        (after.timed_out, after.failed, after.open_at_end),
        (2, 2, 0)
    );
    assert_eq!(after.reassembled, 1);
}

#[test]
fn a_ragged_piece_leaves_a_hole_or_is_refused() {
    let ragged = [fragment(1, 0, 0, 15, true), fragment(1, 0, 16, 8, false)];
    assert_eq!(predicted(&ragged, 40_000).timed_out, 1);
    let refused = ragged.map(version_6);
    let predicted = forecast(&Settings::default(), &refused, 70_000).predicted;
    assert_eq!((predicted.reassembled, predicted.timed_out), (0, 1));
}

#[test]
fn too_long_a_datagram_is_discarded() {
    let mut fragments: Vec<FragmentFacts> = (0..45)
        .map(|piece| fragment(1, 0, piece * 1456, 1456, true))
        .collect();
    fragments.push(fragment(1, 0, 45 * 1456, 100, false));
    let predicted = predicted(&fragments, 1);
    assert_eq!((predicted.oversized, predicted.failed), (1, 1));
}

/// A head, `foreign` whole datagrams of two fragments, and the tail.
fn apart(foreign: u32) -> Vec<FragmentFacts> {
    let mut fragments = vec![fragment(0, 0, 0, 16, true)];
    for id in 1..=foreign {
        fragments.push(fragment(id, 0, 0, 16, true));
        fragments.push(fragment(id, 0, 16, 16, false));
    }
    fragments.push(fragment(0, 0, 16, 16, false));
    fragments
}

#[test]
fn distance_counts_fragments_of_the_source() {
    // Measured on Linux 6.18: 62 fragments between are few enough, 64 too many.
    let near = predicted(&apart(31), 1);
    assert_eq!((near.reassembled, near.failed), (32, 0));
    let far = predicted(&apart(32), 1);
    assert_eq!((far.reassembled, far.failed, far.too_distant), (32, 1, 1));
    assert_eq!(far.open_at_end, 1);
    let settings = Settings {
        ipfrag_max_dist: 0,
        ..Settings::default()
    };
    assert_eq!(
        forecast(&settings, &apart(500), 1).predicted.reassembled,
        501
    );
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// UDP messages at a rate, each fragment lost with so many thousandths.
fn load(message: u32, bits_per_second: u64, lost: u64, seconds: i64) -> Vec<FragmentFacts> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let payload = message + 8;
    let pieces = payload.div_ceil(1424);
    let gap = u64::from(message) * 8_000_000_000 / bits_per_second;
    let messages = seconds as u64 * 1_000_000_000 / gap;
    let mut fragments = Vec::new();
    for number in 0..messages {
        for piece in 0..pieces {
            if random.below(1000) < lost {
                continue;
            }
            let offset = piece * 1424;
            let bytes = (payload - offset).min(1424);
            let nanos = number * gap + u64::from(piece) * gap / u64::from(pieces);
            let id = number as u32 & 0xffff;
            fragments.push(fragment(
                id,
                nanos as i64,
                offset,
                bytes,
                piece + 1 < pieces,
            ));
        }
    }
    fragments
}

#[test]
fn three_per_cent_of_fragments_lost_leave_a_handful_of_messages() {
    // The kernel: 1,095,732 fragments of 24,036 messages, 7 reassembled, 1,093,561 failed.
    let fragments = load(65_507, 1_050_000_000, 30, 12);
    let forecast = forecast(&Settings::default(), &fragments, 12_000);
    let predicted = forecast.predicted;
    assert!((1..=25).contains(&predicted.reassembled), "{predicted:?}");
    assert!(predicted.failed > predicted.fragments * 99 / 100);
    assert_eq!(predicted.timed_out, 0);
    let larger = &forecast.alternatives[0].predicted;
    assert!(larger.reassembled > 10 * predicted.reassembled);
    let fits = &forecast.alternatives[3];
    assert_eq!(fits.predicted.reassembled, predicted.fragments);
    let largest_message_bytes = 1422;
    assert_eq!(
        fits.change,
        Change::MessagesThatFit {
            largest_message_bytes
        }
    );
}

#[test]
fn two_fragments_a_message_hardly_suffer() {
    // The kernel: 480,860 fragments, 239,951 reassembled, 690 failed (6 s, 0.2 % lost).
    let fragments = load(2800, 900_000_000, 2, 6);
    let predicted = predicted(&fragments, 6000);
    let messages = fragments.len() as u64 / 2;
    assert!(predicted.reassembled > messages * 99 / 100);
    assert_eq!(predicted.rejected_fragments, 0);
}

#[test]
fn settings_as_sysctl_prints_them() {
    let mut settings = Settings::default();
    let text = "kernel.x = y\nnet.ipv4.ipfrag_high_thresh = 8388608\nnet/ipv4/ipfrag_time=2\nnet.ipv6.ip6frag_time = 9\nnet.ipv4.ipfrag_max_dist = 0\n";
    assert_eq!(settings.read_sysctl(text), Ok(()));
    assert_eq!(settings.ipfrag_high_thresh, 8 << 20);
    assert_eq!(settings.ipfrag_time, Duration::from_secs(2));
    assert_eq!(settings.ip6frag_time, Duration::from_secs(9));
    assert_eq!(settings.ipfrag_max_dist, 0);
    let wrong = settings.read_sysctl("a = 1\nnet.ipv4.ipfrag_time = soon");
    let text = wrong.map_err(|error| error.to_string());
    assert_eq!(
        text,
        Err("line 2: net.ipv4.ipfrag_time is no number: \"soon\"".to_owned())
    );
    for no_settings in ["", "#!/bin/sh\nrate=3\n"] {
        let none = settings.read_sysctl(no_settings);
        assert_eq!(none, Err(SysctlError::NoSettings), "{no_settings:?}");
    }
}

fn any_fragment() -> impl Strategy<Value = FragmentFacts> {
    (
        0..40u32,
        0..8000i64,
        0..12u32,
        0..5u32,
        any::<bool>(),
        0..9u32,
    )
        .prop_map(|(id, ms, offset, units, more, ragged)| {
            fragment(id, ms * MS, offset * 8, units * 8 + ragged / 8, more)
        })
}

#[test]
fn hosts_that_are_idle_make_room_for_others() {
    let mut receivers = Receivers::new(&Settings::default());
    let sent_to = |receivers: &mut Receivers, hosts: std::ops::Range<u32>| {
        for host in hosts {
            for (offset, more) in [(0, true), (8, false)] {
                let mut piece = fragment(host, 0, offset, 8, more);
                piece.key.addresses.destination[..4].copy_from_slice(&host.to_be_bytes());
                receivers.take(&piece);
            }
        }
    };
    let end = Timestamp(MS);
    sent_to(&mut receivers, 0..600);
    assert_eq!(receivers.harvest(end).len(), 512);
    let beyond = receivers.take_not_modelled().fragments;
    assert_eq!(beyond, 2 * 88);
    // All were sent something since, so all stay; then none was.
    assert_eq!(receivers.harvest(end).len(), 512);
    sent_to(&mut receivers, 1000..1100);
    assert_eq!(receivers.take_not_modelled().fragments, 0);
    let met = receivers.harvest(end);
    assert_eq!(met.len(), 100);
    assert!(
        met.iter()
            .all(|forecast| forecast.predicted.reassembled == 1)
    );
}

proptest! {
    #[test]
    fn forks_equal_kernels_that_ran_so_from_the_start(
        mut fragments in prop::collection::vec(any_fragment(), 0..600),
        is_sorted in any::<bool>(),
        // One: by how much more a second moves the steps depends on how long they are.
        told_before in prop::option::of(1..600usize),
        high_thresh in prop_oneof![Just(4000u64), Just(20_000), Just(1 << 22)],
    ) {
        if is_sorted {
            fragments.sort_by_key(|fragment| fragment.timestamp);
        }
        let settings = Settings { ipfrag_high_thresh: high_thresh, ..Settings::default() };
        let mut receivers = Receivers::new(&settings);
        for (index, fragment) in fragments.iter().enumerate() {
            if told_before == Some(index) {
                receivers.hear(&told(fragment.timestamp));
            }
            receivers.take(fragment);
        }
        let end = Timestamp(100_000 * MS);
        for forecast in receivers.harvest(end) {
            prop_assert_eq!(forecast.predicted.fragments, fragments.len() as u64);
            prop_assert_eq!(forecast.predicted.open_at_end, 0);
            for alternative in &forecast.alternatives[..3] {
                let mut model = Model::new(alternative.settings.rules(IpVersion::V4));
                let mut clock = Timestamp::MIN;
                for (index, fragment) in fragments.iter().enumerate() {
                    clock = clock.max(fragment.timestamp);
                    if told_before == Some(index) {
                        model.hear(clock);
                    }
                    model.take(fragment, clock);
                }
                let (predicted, memory) = model.harvest(end);
                prop_assert_eq!(&alternative.predicted, &predicted);
                prop_assert_eq!(&alternative.memory, &memory);
            }
        }
    }

    #[test]
    fn what_is_harvested_piece_by_piece_adds_up(
        fragments in prop::collection::vec(any_fragment(), 1..300),
        cuts in prop::collection::btree_set(0usize..300, 0..6),
        high_thresh in prop::sample::select(vec![0u64, 4_000, 40_000]),
    ) {
        let settings = Settings { ipfrag_high_thresh: high_thresh, ..Settings::default() };
        let end = Timestamp(100_000 * MS);
        let all = forecast(&settings, &fragments, 100_000);
        let mut receivers = Receivers::new(&settings);
        let mut sum: Option<Forecast> = None;
        let mut clock = Timestamp::MIN;
        let mut harvest = |receivers: &mut Receivers, at| {
            for later in receivers.harvest(at) {
                match &mut sum {
                    Some(sum) => sum.add_later(&later),
                    None => sum = Some(later),
                }
            }
        };
        for (index, fragment) in fragments.iter().enumerate() {
            if cuts.contains(&index) {
                harvest(&mut receivers, clock);
            }
            clock = clock.max(fragment.timestamp);
            receivers.take(fragment);
        }
        harvest(&mut receivers, end);
        prop_assert_eq!(sum, Some(all));
    }

    #[test]
    fn memory_comes_back(fragments in prop::collection::vec(any_fragment(), 0..300)) {
        let mut model = Model::new(Settings::default().rules(IpVersion::V4));
        let mut clock = Timestamp::MIN;
        for fragment in &fragments {
            clock = clock.max(fragment.timestamp);
            model.take(fragment, clock);
        }
        model.advance(Timestamp(100_000 * MS));
        prop_assert_eq!(model.memory(), 0);
    }
}
