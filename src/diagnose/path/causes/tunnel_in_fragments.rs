//! C16, path-tunnel-fragments.

use crate::compare::{Count, FlowFacts, Passage};
use crate::diagnose::causes::MTU_OF_TUNNELS;
use crate::diagnose::path::finding::Finding;
use crate::diagnose::path::given::Given;
use crate::diagnose::path::sums::{ends_of, name};
use crate::diagnose::{Cause, Severity};
use crate::model::number;

pub(super) const CAUSE: Cause = Cause {
    id: "C16",
    name: "path-tunnel-fragments",
    title: "Tunnel packets are in fragments",
    severity: Severity::Warning,
    meaning: "What goes into a tunnel on the way is so large that with the tunnel's headers it is \
              more than the network below carries. Each full packet becomes a full fragment and a \
              small one: twice the packets for the same data, and losing either loses the packet, \
              so that the loss inside is nearly twice that of the network. VXLAN forbids its \
              endpoints to fragment, and lets receivers drop what was.",
    signature: "Outer packets of tunnels are in fragments at a point where packets that went in \
                were none.",
    confirms: "Inner packet plus overhead is a little more than the MTU below: VXLAN has 50 bytes \
               over IPv4, OVN's Geneve 58. `IpFragCreates` of the node grows.",
    denies: "The fragments are inside the tunnel: then the inner host made them.",
    disprove: "Run `ip link set dev eth0 mtu 1400` in one sending pod or VM: if outer fragments \
               stay, something else makes them.",
    fix: &MTU_OF_TUNNELS,
    references: &[
        "RFC 7348 section 4.3",
        "RFC 4459 section 3.1",
        "RFC 8900 section 3.4",
    ],
};

/// Either way, if tunnels are in fragments.
pub(super) fn judge(given: &Given<'_>) -> Vec<Finding> {
    let ways = [false, true].into_iter();
    ways.filter_map(|is_backward| finding(given, is_backward))
        .collect()
}

fn finding(given: &Given<'_>, is_backward: bool) -> Option<Finding> {
    let outer = outer_flows(given, is_backward);
    let entered = |flow: &FlowFacts| {
        let mut points = flow.account.at.iter();
        let is_there = |at: &Passage| at.packets > 0;
        match is_backward {
            false => points.position(is_there),
            true => points.rposition(is_there),
        }
    };
    let entered = outer.iter().filter_map(|flow| entered(flow));
    let point = match is_backward {
        false => entered.min(),
        true => entered.max(),
    }?;
    let at = outer.iter().map(|flow| flow.account.at[point].packets);
    let seen = format!(
        "{} of {} are at {}, whose packets do not fit into the network below{}.",
        number::counted(at.sum(), "outer fragment"),
        number::counted(outer.len() as u64, "tunnel flow"),
        name(point),
        lost(given, &outer, is_backward),
    );
    Some(Finding {
        is_backward: Some(is_backward),
        ..Finding::at(&CAUSE, point, 0.95, seen)
    })
}

fn outer_flows<'a>(given: &Given<'a>, is_backward: bool) -> Vec<&'a FlowFacts> {
    let flows: &'a [FlowFacts] = &given.outcome.flows;
    let outer = flows
        .iter()
        .filter(|flow| flow.account.is_carrier && flow.is_backward == is_backward);
    outer.collect()
}

/// What the segment that loses most makes of it.
fn lost(given: &Given<'_>, outer: &[&FlowFacts], is_backward: bool) -> String {
    let points = given.outcome.points.len();
    let neighbours = 0..points.saturating_sub(1);
    let of_pairs = neighbours.map(|pair| {
        let (mut sent, mut lost) = (Count::default(), Count::default());
        for flow in outer {
            let between = flow.between(pair);
            sent += between.front;
            lost += between.lost();
        }
        (pair, sent, lost)
    });
    let worst = of_pairs.max_by_key(|(_, _, lost)| lost.fragments);
    let Some((pair, sent, lost)) = worst.filter(|(_, _, lost)| lost.fragments > 0) else {
        return String::new();
    };
    let (front, back) = ends_of(points, pair);
    let (from, to) = if is_backward {
        (back, front)
    } else {
        (front, back)
    };
    format!(
        ". {} to {}: of {} {} are lost ({}), and with them {} of {} ({})",
        name(from),
        name(to),
        number::counted(sent.fragments, "fragment"),
        number::count(lost.fragments),
        number::percent(lost.fragments, sent.fragments),
        number::count(lost.datagrams),
        number::counted(sent.datagrams, "packet"),
        number::percent(lost.datagrams, sent.datagrams),
    )
}
