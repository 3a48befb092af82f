//! One flow, and the findings that concern it.

use super::super::columns::missing;
use super::super::overview::severity_tone;
use super::super::row::Tone;
use super::super::view::View;
use super::Prose;
use crate::model::number;
use crate::report::document::Flow;
use crate::report::label;

/// `last` is how the flow was when it was last seen.
pub(super) fn page(last: &Flow, view: &View, prose: Prose) -> Prose {
    let now = view.flow_of(&last.key);
    let flow = now.map_or(last, |(_, flow)| flow);
    let span = number::duration(view.snapshot.window_seconds.round());
    let prose = prose.title(&label::flow_with_remarks(flow), Tone::Strong);
    let prose = match now {
        Some(_) => prose.text(&format!("The last {span}:"), Tone::Quiet),
        None => prose.text(
            &format!("Nothing of it in the last {span}. How it was last seen:"),
            Tone::Doubt,
        ),
    };
    let prose = sizes(flow, throughput(flow, prose).counters(&flow.counters));
    let index = now.map(|(index, _)| index as u64);
    findings(index, view, prose)
}

fn throughput(flow: &Flow, prose: Prose) -> Prose {
    let throughput = &flow.throughput;
    let rate = |bits| number::or_absent(bits, number::bit_rate);
    let packets = number::or_absent(throughput.packets_per_second, |rate| {
        number::rate(rate, "packets")
    });
    let datagrams = number::or_absent(throughput.datagrams_per_second, |rate| {
        number::rate(rate, "datagrams")
    });
    let offered = format!(
        "{}, {packets}, {datagrams}",
        rate(throughput.bits_per_second)
    );
    let missing = missing(flow);
    let bytes = flow.counters.bytes;
    let missed = format!(
        "{} of {} ({})",
        number::bytes(missing),
        number::bytes(bytes),
        number::percent(missing, bytes),
    );
    prose
        .field("offered", &offered, Tone::Normal)
        .field(
            "deliverable",
            &rate(throughput.deliverable_bits_per_second),
            Tone::fault_if(missing > 0),
        )
        .field("missing", &missed, Tone::fault_if(missing > 0))
}

fn sizes(flow: &Flow, prose: Prose) -> Prose {
    let range = |from, to| number::range(from, to);
    let mtu = flow.mtu.map(|mtu| range(mtu.from, mtu.to));
    let each = flow
        .fragments_per_datagram
        .map(|each| format!("{} a datagram", range(each.min, each.max)));
    let largest = flow
        .largest_datagram_bytes
        .map(|bytes| format!("{} bytes", number::count(bytes.into())));
    let gaps = (flow.gaps.fragments_missing > 0).then(|| {
        let gaps = &flow.gaps;
        format!(
            "{} of {} did not come; {} without the first, {} without the last, {} the first alone",
            number::counted(gaps.fragments_missing, "fragment"),
            number::counted(gaps.datagrams, "datagram"),
            number::count(gaps.without_first),
            number::count(gaps.without_last),
            number::count(gaps.only_first),
        )
    });
    let in_tunnel = (flow.packets_lost_in_tunnel > 0).then(|| {
        let packets = number::counted(flow.packets_lost_in_tunnel, "packet");
        format!("{packets} in tunnel packets that never became whole")
    });
    let ovn = flow
        .ovn
        .map(|ports| format!("logical port {} to {}", ports.ingress, ports.egress));
    let text = |text: Option<String>| text.unwrap_or_default();
    prose
        .field("MTU", &text(mtu), Tone::Normal)
        .field("", &text(each), Tone::Normal)
        .field("largest", &text(largest), Tone::Normal)
        .field("gaps", &text(gaps), Tone::Fault)
        .field("in tunnel", &text(in_tunnel), Tone::Fault)
        .field("OVN", &text(ovn), Tone::Normal)
}

fn findings(index: Option<u64>, view: &View, prose: Prose) -> Prose {
    let concerned = view.snapshot.findings.iter().filter(|active| {
        let mut flows = active.finding.flows.iter();
        index.is_some_and(|index| flows.any(|flow| *flow == index))
    });
    let mut prose = prose.heading("Findings that concern it");
    let before = prose.rows.len();
    for active in concerned {
        let finding = &active.finding;
        let head = format!(
            "{}  {}: {}",
            finding.id,
            finding.severity.name(),
            finding.title
        );
        let fix = finding.fix.first();
        let fix = fix.map_or_else(String::new, |fix| {
            format!("{}  ({})", fix.command, fix.when)
        });
        prose = prose
            .text(&head, severity_tone(finding.severity))
            .field("  seen", &finding.seen, Tone::Normal)
            .field("  fix", &fix, Tone::Normal);
    }
    if prose.rows.len() == before {
        return prose.text("none", Tone::Quiet);
    }
    prose
}
