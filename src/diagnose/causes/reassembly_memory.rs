//! D09, reassembly-memory.

use crate::account::Loss;
use crate::diagnose::destination::Destination;
use crate::diagnose::finding::{Finding, confidence};
use crate::diagnose::known::Known;
use crate::diagnose::reconcile::Compared;
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use crate::model::{IpVersion, number};
use crate::receiver::{Change, Forecast};

pub(super) const CAUSE: Cause = Cause {
    id: "D09",
    name: "reassembly-memory",
    title: "The receiver's reassembly memory is full",
    severity: Severity::Error,
    meaning: "Unfinished datagrams fill the memory that the receiver has for them, and it drops \
              every further fragment. Linux keeps them in 4 MiB (net.ipv4.ipfrag_high_thresh) for \
              each network namespace. An unfinished datagram holds its share for 30 seconds. A \
              message of 65,507 bytes takes about 104 kB, so some 40 incomplete ones fill it. From \
              then on even datagrams that lost nothing are dropped: a few percent of fragment loss \
              become a loss of nearly everything, while the network delivers nearly everything.",
    signature: "Many large datagrams that never become whole within 30 seconds of each other: \
              together they need more memory than the receiver has. The fragments themselves do \
              arrive.",
    confirms: "On the receiver IpReasmFails grows by thousands a second and IpReasmTimeout hardly \
              does; `/proc/net/sockstat` shows FRAG memory near 4,194,304.",
    denies: "FRAG memory stays low. Or most fragments are already missing on the receiver's NIC.",
    disprove: "Run `grep FRAG /proc/net/sockstat` in the receiver's network namespace during the \
              test: memory far below that setting means that it is not this.",
    fix: &[
        Fix {
            when: "Linux, the receiver's own namespace",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv4.ipfrag_high_thresh=67108864 net.ipv4.ipfrag_time=5",
        },
        Fix {
            when: "Linux, IPv6",
            kind: FixKind::Command,
            command: "sysctl -w net.ipv6.ip6frag_high_thresh=67108864 net.ipv6.ip6frag_time=5",
        },
        Fix {
            when: "Kubernetes, a pod's namespace, from its node",
            kind: FixKind::Command,
            command: "nsenter -t PID -n sysctl -w net.ipv4.ipfrag_high_thresh=67108864 net.ipv4.ipfrag_time=5",
        },
        Fix {
            when: "any",
            kind: FixKind::Advice,
            command: "keep messages below the MTU: then nothing has to be kept",
        },
    ],
    references: &[
        "Linux Documentation/networking/ip-sysctl.rst",
        "Linux net/ipv4/inet_fragment.c",
        "RFC 8900 section 3.7",
    ],
};

/// The receiver's kernel refuses fragments for want of memory.
pub(super) fn judge(known: &Known<'_>) -> Option<Finding> {
    let refusing = known.destinations.iter().filter_map(|host| {
        let forecast = host.forecast.as_ref()?;
        (forecast.predicted.rejected_fragments > 0).then_some((host, forecast))
    });
    let (worst, forecast) = refusing
        .clone()
        .max_by_key(|(_, forecast)| forecast.predicted.rejected_fragments)?;
    let lost = refusing.clone().map(|(host, _)| host.memory_bytes()).sum();
    let keys = refusing.flat_map(|(host, _)| host.flows.iter().map(|key| (host.sent_bytes, *key)));
    let seen = [
        Some(what_happens(known, worst, forecast)),
        what_would_help(worst, forecast),
        what_kernel_counted(known),
        what_kernel_holds(known, worst),
    ];
    Some(
        Finding::new(
            &CAUSE,
            sureness(known),
            seen.into_iter().flatten().collect::<Vec<_>>().join(" "),
        )
        .missing(lost)
        .shown_by(
            known.exhibits().of_loss(Loss::Gap),
            "unfinished: it holds memory until it times out",
        )
        .in_these(keys.collect()),
    )
}

fn what_happens(known: &Known<'_>, host: &Destination, forecast: &Forecast) -> String {
    let predicted = &forecast.predicted;
    let since = predicted.first_full.map_or_else(String::new, |time| {
        let seconds = known.seconds_since_begin(time);
        format!(", {} after the capture began", number::duration(seconds))
    });
    format!(
        "A Linux receiver at {} with {} for unfinished datagrams is full{since}: it refuses {} of {} \
         that came, and puts together {} of {}.",
        host.address(),
        number::bytes(forecast.high_thresh()),
        number::count(predicted.rejected_fragments),
        number::counted(predicted.fragments, "fragment"),
        number::count(predicted.reassembled),
        number::counted(host.fragmented, "datagram"),
    )
}

fn what_would_help(host: &Destination, forecast: &Forecast) -> Option<String> {
    let both = forecast
        .alternatives
        .iter()
        .find(|alternative| alternative.change == Change::Both)?;
    Some(format!(
        "With {} and {} s it would put together {}.",
        number::bytes(both.settings.high_thresh(host.host.version)),
        both.settings.time(host.host.version).as_secs_f64(),
        number::count(both.predicted.reassembled),
    ))
}

const FAILS: [&str; 2] = ["IpReasmFails", "Ip6ReasmFails"];

fn what_kernel_counted(known: &Known<'_>) -> Option<String> {
    let (counted, predicted) = fails(known)?;
    Some(format!(
        "The kernel says {} {}, the capture predicts {}.",
        number::count(counted.kernel),
        counted.name,
        number::count(predicted),
    ))
}

/// What the receiver's kernel counted, and what the capture predicts of it.
fn fails<'k>(known: &'k Known<'_>) -> Option<(&'k Compared, u64)> {
    let mut counted = FAILS.iter().filter_map(|name| known.counted(name));
    counted.find_map(|counted| Some((counted, counted.capture?)))
}

/// What unfinished datagrams take at this moment, where this host receives them.
fn what_kernel_holds(known: &Known<'_>, host: &Destination) -> Option<String> {
    let name = match host.host.version {
        IpVersion::V4 => "sockstat.FRAG.memory",
        IpVersion::V6 => "sockstat.FRAG6.memory",
    };
    let held = known.given.kernel?.values.get(name)?.last;
    known.host.has(host.address()).then(|| {
        format!(
            "Its kernel holds {} of unfinished datagrams now.",
            number::bytes(held)
        )
    })
}

/// The settings are assumed: sure only if the kernel counted about the same.
fn sureness(known: &Known<'_>) -> f64 {
    match fails(known).map(|(counted, predicted)| (counted.kernel, predicted)) {
        None => confidence::LIKELY,
        Some((kernel, capture)) if kernel.abs_diff(capture) * 10 <= kernel => confidence::SURE,
        Some(_) => confidence::FITS,
    }
}
