//! The whole path in one sentence.

use super::causes::{lost_in_host, nothing_beyond};
use super::explanation::Explanation;
use super::given::Given;
use super::pattern::Look;
use super::sums::{ends_of, is_much_unjudged, name};
use super::told;
use crate::compare::{Between, InHost};
use crate::model::number;

/// What is said of a path: segment by segment, then of what arrived, then of the way back.
pub(super) fn of(given: &Given<'_>, explained: &Explanation) -> String {
    let is_backward = explained.is_backward;
    let mut told = vec![sent(given, explained)];
    told.extend(segments(given, is_backward));
    told.push(arrived(
        explained.arrived_datagrams,
        explained.sent_datagrams,
        at(given, explained),
        explained.spoiled_datagrams,
    ));
    told.extend(lost_in_last_host(given, is_backward));
    told.extend(given.told(None, is_backward).next().map(told::sentence));
    told.extend(nothing_beyond(given, is_backward));
    if let Some(predicted) = explained.predicted_datagrams {
        told.push(delivered(explained.whole_fragmented_datagrams, predicted));
    }
    if let Some(counted) = explained.counted_datagrams {
        let who_does = match given.benchmark {
            Some(benchmark) => format!("{} counted", benchmark.program.name()),
            None => "the kernel put together".to_owned(),
        };
        told.push(format!("{who_does} {}", number::count(counted)));
    }
    if !is_backward {
        told.extend(way_back(given));
    }
    format!("{}.", told.join("; "))
}

fn sent(given: &Given<'_>, explained: &Explanation) -> String {
    let amount = match explained.sent_bits_per_second {
        Some(rate) => number::bit_rate(rate),
        None => number::bytes(explained.sent_bytes),
    };
    match explained.is_backward {
        true => {
            let last = given.outcome.points.len() - 1;
            format!("sent {amount} from {} to {}", name(last), name(0))
        }
        false => format!("sent {amount}"),
    }
}

fn arrived(arrived: u64, sent: u64, at: Option<String>, spoiled: u64) -> String {
    let at = at.map_or_else(String::new, |point| format!(" at {point}"));
    let of_no_use = match spoiled {
        0 => String::new(),
        _ => format!(", {} of them spoiled", number::count(spoiled)),
    };
    format!(
        "{} of {} arrived{at} with all that entered{of_no_use}",
        number::count(arrived),
        number::counted(sent, "datagram"),
    )
}

/// Where they arrived, if that is not the end.
fn at(given: &Given<'_>, explained: &Explanation) -> Option<String> {
    let end = match explained.is_backward {
        true => 0,
        false => given.outcome.points.len() - 1,
    };
    let is_end = explained.arrived_at == end;
    (!is_end).then(|| given.name_with_those_beside(explained.arrived_at))
}

/// Where nothing of it is found.
fn nothing_beyond(given: &Given<'_>, is_backward: bool) -> Option<String> {
    let beyond = nothing_beyond::next(given, is_backward)?;
    Some(format!("nothing of it is found in {beyond}"))
}

/// What comes to the receivers in fragments, and what they make of it. That is of other traffic
/// too, which may be more than that of the path.
fn delivered(whole: u64, predicted: u64) -> String {
    let came = number::counted(whole, "datagram");
    let is_of_others_too = predicted > whole;
    let predicted = number::count(predicted);
    match is_of_others_too {
        false => format!(
            "{came} in fragments came whole to the end, of which the receiver model delivers \
             {predicted}"
        ),
        true => format!(
            "{came} in fragments came whole to the end; of all fragments that came to these \
             hosts, other traffic included, the receiver model delivers {predicted}"
        ),
    }
}

/// What each segment does to what goes one way, in the order in which it is passed.
fn segments(given: &Given<'_>, is_backward: bool) -> Vec<String> {
    let pairs = 0..given.outcome.points.len() - 1;
    let told = |pair: usize| segment(given, pair, is_backward);
    match is_backward {
        true => pairs.rev().flat_map(told).collect(),
        false => pairs.flat_map(told).collect(),
    }
}

/// What goes back, if anything does: segment by segment if something happens to it.
fn way_back(given: &Given<'_>) -> Vec<String> {
    let way = given.sums.one_way(true);
    let Some(whole) = way.last().filter(|whole| whole.front.packets > 0) else {
        return Vec::new();
    };
    let is_clean = |between: &Between| lost(between) == 0 && !is_much_unjudged(between);
    if way.iter().all(is_clean) && way.iter().all(|between| faults(between).is_empty()) {
        return vec!["nothing is lost on the way back".to_owned()];
    }
    let mut told = segments(given, true);
    if let Some(first) = told.first_mut() {
        *first = format!("on the way back {first}");
    }
    let (came, entered) = (whole.front_passed.datagrams, whole.front.datagrams);
    told.push(arrived(came, entered, None, whole.spoiled.min(came)));
    told
}

fn lost(between: &Between) -> u64 {
    between.lost().packets
}

/// What a segment does to what goes one way.
fn segment(given: &Given<'_>, pair: usize, is_backward: bool) -> Vec<String> {
    let (front, back) = ends_of(given.outcome.points.len(), pair);
    let (from, to) = match is_backward {
        true => (back, front),
        false => (front, back),
    };
    let Some(segment) = stretch(given, from, to) else {
        let told = format!("{} and {} lie side by side", name(from), name(to));
        return vec![told].into_iter().filter(|_| !is_backward).collect();
    };
    let is_known = |point: &usize| given.outcome.points[*point].tally.matched > 0;
    if ![from, to].iter().all(is_known) {
        let is_told = nothing_beyond::next(given, is_backward).is_some();
        return match is_told {
            true => Vec::new(),
            false => vec![format!("nothing is known of {segment}")],
        };
    }
    let between = &given.sums.one_way(is_backward)[pair];
    let mut losses = losses(given, between, (pair, is_backward), to);
    if is_much_unjudged(between) {
        losses.push_str(&format!(
            ", and {} more cannot be judged, as one of the two showed nothing then",
            number::count(between.outside[0])
        ));
    }
    if let Some(apart) = apart(given, (pair, is_backward), to) {
        losses.push_str(&apart);
    }
    let does = [losses].into_iter().chain(faults(between));
    does.map(|does| format!("{segment} {does}")).collect()
}

/// `A to B`; of two that lie side by side where the first leads to, if anywhere.
fn stretch(given: &Given<'_>, from: usize, to: usize) -> Option<String> {
    let side_by_side = &given.outcome.side_by_side;
    if !side_by_side.has(from, to) {
        return Some(format!("{} to {}", name(from), name(to)));
    }
    let next = side_by_side.next(from, to < from);
    next.filter(|_| !side_by_side.is_at_end(from.min(to)))
        .map(|next| format!("{} to {}, beside {},", name(from), name(next), name(to)))
}

/// What enters and is not judged, if that is as much as a tenth of what is: of hosts of which
/// nothing leaves (it may be other traffic, or all dropped; errors that say what is dropped are
/// neither), of conversations that the capture behind lacks, and of what is made anew.
fn apart(given: &Given<'_>, (pair, is_backward): (usize, bool), to: usize) -> Option<String> {
    let between = &given.sums.one_way(is_backward)[pair];
    let apart = &between.one_sided[usize::from(is_backward)];
    let errors = given.errors_apart(pair, is_backward);
    let others = apart.of_other_hosts();
    let is_much = |packets: &u64| *packets > 0 && *packets >= between.front.packets / 10;
    let others = Some(others.saturating_sub(errors)).filter(is_much);
    let of_others = others.map(|packets| {
        let packets = number::counted(packets, "other packet");
        format!(", and has nothing of the hosts of {packets}, which may be other traffic")
    });
    let lacking = Some(apart.both_ways).filter(is_much).map(|packets| {
        let packets = number::counted(packets, "more packet");
        format!(
            ", and the capture at {} has nothing of the conversations of {packets}",
            name(to)
        )
    });
    let remade = Some(apart.remade).filter(is_much).map(|packets| {
        let packets = number::counted(packets, "more packet");
        format!(", and {packets} are of connections that are made anew in between")
    });
    let told = [of_others, lacking, remade].into_iter().flatten();
    Some(told.collect()).filter(|told: &String| !told.is_empty())
}

/// What it loses, and how.
fn losses(
    given: &Given<'_>,
    between: &Between,
    (pair, is_backward): (usize, bool),
    to: usize,
) -> String {
    let packets = lost(between);
    if packets == 0 {
        return match between.front.packets {
            0 => "shows nothing that entered".to_owned(),
            _ if is_much_unjudged(between) => {
                let judged = number::counted(between.front.packets, "packet");
                format!("loses nothing of {judged}")
            }
            _ => "loses nothing".to_owned(),
        };
    }
    format!(
        "loses {}{}{}{}{}{}",
        how_much(between),
        how(given, pair, is_backward),
        own(given, to, packets),
        unseen(given, pair, is_backward),
        in_host(given, pair, is_backward),
        dropped(given, pair, is_backward),
    )
}

/// How much is lost. Of a super-frame mostly a part is: of packets that are such, bytes say more.
fn how_much(between: &Between) -> String {
    let (lost, sent) = (between.lost(), &between.front);
    if between.segmented > 0 {
        return format!(
            "{} of bytes ({} of {} packets and super-frames lack some)",
            number::percent(lost.bytes, sent.bytes),
            number::count(lost.packets),
            number::count(sent.packets),
        );
    }
    let (lost, sent, noun) = match lost.fragments == lost.packets {
        true => (lost.fragments, sent.fragments, "fragments"),
        false => (lost.packets, sent.packets, "packets"),
    };
    format!(
        "{} of {noun} ({} of {})",
        number::percent(lost, sent),
        number::count(lost),
        number::count(sent),
    )
}

/// What the losses look like.
fn how(given: &Given<'_>, pair: usize, is_backward: bool) -> String {
    let look = given.look_one_way(pair, is_backward);
    match look.pattern {
        Look::Random => look
            .evenly
            .map_or_else(String::new, |evenly| format!(", {evenly}")),
        Look::TooFew | Look::Alike => String::new(),
        _ => format!(": {}", look.described),
    }
}

/// Whether the capture behind may be what lacks them.
fn unseen(given: &Given<'_>, pair: usize, is_backward: bool) -> String {
    let mut ways = given.ways(pair).into_iter();
    let way = ways.find(|way| way.is_backward == is_backward);
    let unseen = way.and_then(|way| given.unseen(pair, &way));
    unseen.map_or_else(String::new, |unseen| unseen.briefly())
}

/// How much of them a host has lost that shows all of its interfaces.
fn in_host(given: &Given<'_>, pair: usize, is_backward: bool) -> String {
    let lost = given.sums.one_way(is_backward)[pair].lost().bytes;
    let mut hosts = lost_in_host::lossy(given);
    let here = |host: &&InHost| host.segment == Some(pair) && host.is_backward == is_backward;
    let Some(host) = hosts.find(here) else {
        return String::new();
    };
    let inside = host.lost_bytes().min(lost);
    let at = name(host.point);
    // Headers of IP are in one of the two.
    match inside >= lost / 10 * 8 {
        true => format!(", nearly all of it inside the host of {at}"),
        false => format!(
            ", about {} of it inside the host of {at}",
            number::percent(inside, lost)
        ),
    }
}

/// The same of a host behind which there is no other capture.
fn lost_in_last_host(given: &Given<'_>, is_backward: bool) -> Option<String> {
    let mut hosts = lost_in_host::lossy(given);
    let here = |host: &&InHost| host.segment.is_none() && host.is_backward == is_backward;
    let host = hosts.find(here)?;
    let share = number::percent(host.lost_bytes(), host.came.bytes);
    let at = name(host.point);
    Some(format!(
        "inside the host of {at} {share} of what passes it are lost"
    ))
}

/// Who says to have dropped some, and why.
fn dropped(given: &Given<'_>, pair: usize, is_backward: bool) -> String {
    let told = given.told(Some(pair), is_backward).next();
    told.map_or_else(String::new, |told| {
        format!(", and {}", told::sentence(told))
    })
}

/// How many of them the capture behind may have dropped itself.
fn own(given: &Given<'_>, to: usize, lost: u64) -> String {
    match given.own_drops(to) {
        None | Some(0) => String::new(),
        Some(dropped) if dropped >= lost => {
            format!(
                ", all of which the capture at {} may have dropped",
                name(to)
            )
        }
        Some(dropped) => format!(
            ", of which the capture at {} may have dropped {}",
            name(to),
            number::count(dropped)
        ),
    }
}

/// What else happens to packets that receivers suffer from.
fn faults(between: &Between) -> Vec<String> {
    let faults = [
        ("damages", between.corrupted),
        ("breaks the checksum of", between.checksums_broken()),
        ("sends copies of", between.more_copies[1]),
    ];
    let faults = faults.iter().filter(|(_, packets)| *packets > 0);
    let faults =
        faults.map(|(does, packets)| format!("{does} {}", number::counted(*packets, "packet")));
    faults.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_super_frames_bytes_are_told() {
        let mut between = Between::default();
        (between.front.packets, between.front_passed.packets) = (593, 554);
        (between.front.bytes, between.front_passed.bytes) = (10_000_000, 9_930_000);
        assert_eq!(how_much(&between), "6.6 % of packets (39 of 593)");
        between.segmented = 280;
        let told = "0.7 % of bytes (39 of 593 packets and super-frames lack some)";
        assert_eq!(how_much(&between), told);
    }

    #[test]
    fn no_more_is_delivered_of_datagrams_than_came() {
        let all = "271 datagrams in fragments came whole to the end, of which the receiver model \
                   delivers 270";
        assert_eq!(delivered(271, 270), all);
        let with_others = "271 datagrams in fragments came whole to the end; of all fragments \
                           that came to these hosts, other traffic included, the receiver model \
                           delivers 454";
        assert_eq!(delivered(271, 454), with_others);
    }
}
