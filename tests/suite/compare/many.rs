//! More flows than a point tells apart.

use super::{Captures, Faults};
use crate::findings::capture::{Capture, MICROSECOND};
use crate::findings::packet::{Sum, UDP, udp, v4, whole};
use crate::support::count;

/// As many as are told apart, and some more.
const FLOWS: u32 = (1 << 18) + 1_500;
/// Flows that come last to the second point, of which it is full by then.
const LATE: u32 = 2_000;

/// A capture of these flows, a packet each.
fn of(flows: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut capture = Capture::new();
    for (place, flow) in (0_u64..).zip(flows) {
        let [_, high, middle, low] = flow.to_be_bytes();
        let path = v4([10, high, middle, low], [192, 168, 0, 1]);
        let datagram = udp(path, 53, &flow.to_be_bytes().repeat(7), Sum::Right);
        let packet = whole(path, UDP, &datagram);
        capture = capture.at(place * 3 * MICROSECOND).packet(&packet);
    }
    capture.pcap()
}

/// Which flows there is room for is another matter at each of them.
#[test]
fn what_one_point_has_no_room_for_is_not_lost() {
    let mut captures = Captures::new();
    captures.add(&of(0..FLOWS));
    captures.add(&of((LATE..FLOWS).chain(0..LATE)));
    let comparison = captures.compared(&[]);
    let path = &comparison["path"];
    let mut faults = Faults::new();
    faults.must_be("lost", &path["lost"]["packets"], 0);
    faults.must_be("appeared", &path["appeared"], 0);
    let (outside, matched) = (count(path, "outside"), count(path, "arrived.packets"));
    faults.unless(outside > 1_000 && matched > 250_000, || {
        format!("{outside} not judged, {matched} matched")
    });
    let problems = comparison["capture"]["problems"].to_string();
    let problems = problems + &comparison["problems"].to_string();
    faults.unless(problems.contains("more flows than are told apart"), || {
        format!("it is not said: {problems}")
    });
    faults.end();
}
