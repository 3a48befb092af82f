//! Where fragments are missing is said truly, whatever takes them.

use crate::findings::capture::{Capture, MICROSECOND, SECOND};
use crate::findings::packet::{A_TO_B, ICMP, Path, Sum, TCP, UDP, cut, icmp, noise, udp};
use crate::support::{Setup, count, value};
use fraglens::report::{document, html};
use serde_json::{Value, json};

/// Payload bytes of each of 40 fragments: four begin in each tenth of the datagram.
const FRAGMENT: usize = 1_480;
const FRAGMENTS: usize = 40;
const DATAGRAMS: usize = 50;

/// Datagrams of 40 fragments, without those of which `is_lost` says so by number of the
/// datagram and of the fragment, both from 0; long enough for all to be given up.
fn capture(protocol: u8, is_lost: impl Fn(usize, usize) -> bool) -> Capture {
    let data = noise(FRAGMENT * FRAGMENTS - 8, 1);
    let mut capture = began();
    for datagram in 0..DATAGRAMS {
        let payload = udp(A_TO_B, 5000, &data, Sum::Right);
        let fragments = cut(A_TO_B, protocol, datagram as u32 + 1, &payload, 1_500);
        assert_eq!(fragments.len(), FRAGMENTS);
        let kept = fragments.iter().enumerate();
        let kept = kept.filter(|(fragment, _)| !is_lost(datagram, *fragment));
        capture = capture.packets(kept.map(|(_, packet)| packet));
    }
    capture.at(100 * SECOND).packet(&last_of_all(A_TO_B))
}

/// A capture that begins long before what is of interest, so that none of it can have begun
/// before the capture.
fn began() -> Capture {
    let capture = Capture::every(10 * MICROSECOND).packet(&last_of_all(A_TO_B));
    capture.at(SECOND)
}

/// A whole packet, so that time goes on.
fn last_of_all(path: Path) -> Vec<u8> {
    crate::findings::packet::whole(path, UDP, &udp(path, 9, &[0; 8], Sum::Right))
}

/// The flow that has them, and the whole report.
fn gaps(capture: &Capture) -> (Value, document::Report) {
    let report = Setup::default().bytes(&capture.pcap());
    let flows = value(&report)["flows"].as_array().unwrap().clone();
    let lossy = |flow: &&Value| {
        count(flow, "gaps.datagrams") + count(flow, "gaps.datagrams_unmeasured") > 0
    };
    let gaps: Vec<Value> = flows
        .iter()
        .filter(lossy)
        .map(|f| f["gaps"].clone())
        .collect();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    (gaps[0].clone(), report)
}

/// Figures of the tenths.
fn tenths(gaps: &Value, figure: &str) -> Vec<u64> {
    let positions = gaps["positions"].as_array().unwrap().iter();
    positions.map(|position| count(position, figure)).collect()
}

/// What is to be seen of losses that hit all datagrams alike.
fn assert_tenths(gaps: &Value, missing: [u64; 10]) {
    let all = DATAGRAMS as u64;
    assert_eq!(tenths(gaps, "expected"), [4 * all; 10]);
    assert_eq!(tenths(gaps, "missing"), missing.map(|each| each * all));
    let sum: u64 = tenths(gaps, "missing").iter().sum();
    assert_eq!(count(gaps, "fragments_missing"), sum);
    assert_eq!(count(gaps, "fragments_seen") + sum, 40 * all);
}

fn page(report: &document::Report) -> String {
    let mut out = Vec::new();
    html::write(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn losses_beyond_a_number_begin_there() {
    let (gaps, report) = gaps(&capture(UDP, |_, fragment| fragment >= 26));
    assert_tenths(&gaps, [0, 0, 0, 0, 0, 0, 2, 4, 4, 4]);
    assert_eq!(gaps["distances"][0], 13 * DATAGRAMS);
    assert_eq!(gaps["every_nth"], Value::Null);
    let page = page(&report);
    assert!(page.contains("60–70 %: 100 of 200, 50.0 %"));
    assert!(page.contains("70–80 %: 200 of 200, 100 %"));
}

#[test]
fn every_second_fragment_is_told_from_chance() {
    let (gaps, report) = gaps(&capture(UDP, |_, fragment| fragment % 2 == 1));
    assert_tenths(&gaps, [2; 10]);
    assert_eq!(gaps["distances"][1], 19 * DATAGRAMS);
    assert_eq!(gaps["every_nth"], 2);
    assert_eq!(count(&gaps, "without_last"), DATAGRAMS as u64);
    assert!(page(&report).contains("In 1 flow, it is nearly always the 2nd."));
    // As many, anyhow.
    let (gaps, _) = self::gaps(&capture(UDP, by_chance(2)));
    assert_eq!(gaps["every_nth"], Value::Null);
}

#[test]
fn the_last_fragment_is_in_the_last_tenth() {
    let (gaps, report) = gaps(&capture(UDP, |_, fragment| fragment == 39));
    assert_tenths(&gaps, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(gaps["distances"], json!([]));
    assert_eq!(count(&gaps, "without_last"), DATAGRAMS as u64);
    let page = page(&report);
    assert!(page.contains("90–100 %: 50 of 200, 25.0 %"));
    assert!(page.contains("last: 50 of 50, 100 %"));
    assert!(
        !page.contains("gaps-distances"),
        "one of each is behind none"
    );
}

/// Takes one in so many fragments; never the first, without which it is another flow.
fn by_chance(one_in: u64) -> impl Fn(usize, usize) -> bool {
    let chosen = noise(DATAGRAMS * FRAGMENTS, 7);
    move |datagram, fragment| {
        let byte = chosen[datagram * FRAGMENTS + fragment];
        fragment > 0 && u64::from(byte) % one_in == 0
    }
}

#[test]
fn chance_takes_all_tenths_alike() {
    let (gaps, _) = gaps(&capture(UDP, by_chance(5)));
    let expected = tenths(&gaps, "expected");
    let all = count(&gaps, "datagrams");
    assert!(all > 40, "{all} datagrams");
    assert_eq!(expected, [4 * all; 10]);
    for missing in tenths(&gaps, "missing") {
        // 40 of 200, and four standard deviations of 5.7.
        assert!((17..=63).contains(&missing), "{gaps}");
    }
    let sum: u64 = tenths(&gaps, "missing").iter().sum();
    assert_eq!(sum, count(&gaps, "fragments_missing"));
    let distances = gaps["distances"].as_array().unwrap();
    assert!(distances[0].as_u64() > distances[3].as_u64(), "{gaps}");
}

#[test]
fn of_what_nobody_can_tell_the_length_nothing_is_counted() {
    // Without UDP, the last fragment alone tells it.
    let (gaps, _) = gaps(&capture(TCP, |_, fragment| fragment == 39));
    assert_eq!(count(&gaps, "datagrams_unmeasured"), DATAGRAMS as u64);
    assert_eq!(count(&gaps, "datagrams"), 0);
    assert_eq!(gaps["positions"], json!([]));
    let (gaps, report) = self::gaps(&capture(UDP, |datagram, fragment| {
        fragment == 0 || datagram == 0 && fragment == 39
    }));
    assert_eq!(count(&gaps, "datagrams_unmeasured"), 1);
    assert_eq!(count(&gaps, "datagrams"), DATAGRAMS as u64 - 1);
    assert!(page(&report).contains("1 datagram of which nothing that came tells the length"));
}

#[test]
fn what_came_too_late_is_not_missing() {
    let mut late = Vec::new();
    let payload = icmp(8, 0, &noise(FRAGMENT * 10 - 8, 1), true);
    let mut capture = began();
    for datagram in 1..=8 {
        let fragments = cut(A_TO_B, ICMP, datagram, &payload, 1_500);
        let (held_back, rest): (Vec<_>, Vec<_>) = fragments
            .into_iter()
            .enumerate()
            .partition(|(index, _)| index % 3 == 1);
        capture = capture.packets(rest.iter().map(|(_, packet)| packet));
        // Of one datagram, they never come.
        late.extend(held_back.into_iter().filter(|_| datagram > 1));
    }
    let capture = capture.at(40 * SECOND);
    let capture = capture.packets(late.iter().map(|(_, packet)| packet));
    let (gaps, _) = gaps(&capture.at(100 * SECOND).packet(&last_of_all(A_TO_B)));
    assert_eq!(count(&gaps, "fragments_missing"), 3);
    assert_eq!(tenths(&gaps, "missing"), [0, 1, 0, 0, 1, 0, 0, 1, 0, 0]);
    assert_eq!(gaps["distances"][2], 2);
}
