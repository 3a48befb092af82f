//! What the kernels of the receivers made of the fragments.

use crate::model::IpVersion;
use crate::receiver::{self, Change, Forecast, MemoryCurve, Predicted, Settings, Truesize};
use crate::report::document::{Alternative, MemoryUse, Prediction, Receiver, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most receivers whose memory is told step by step: some 10 KiB each.
const MOST_CURVES: usize = 64;

/// The receivers, in the order of their addresses. Of the worst it is told what memory they
/// held when, of the others only how much at most.
pub(in crate::report) fn receivers(forecasts: &[Forecast]) -> Vec<Receiver> {
    let mut receivers: Vec<Receiver> = forecasts.iter().map(totals).collect();
    for place in worst(forecasts) {
        let (receiver, forecast) = (&mut receivers[place], &forecasts[place]);
        receiver.memory = memory(&forecast.memory);
        let curves = forecast.alternatives.iter().map(|other| &other.memory);
        for (other, curve) in receiver.alternatives.iter_mut().zip(curves) {
            other.memory = (!curve.is_empty()).then(|| memory(curve));
        }
    }
    receivers
}

/// Places of those at which most fails: the same, in the same order, as the page draws.
fn worst(forecasts: &[Forecast]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..forecasts.len()).collect();
    places.sort_by_key(|place| {
        let predicted = &forecasts[*place].predicted;
        Reverse((predicted.failed, predicted.first_full.is_some()))
    });
    places.truncate(MOST_CURVES);
    places
}

/// A receiver without its memory step by step.
fn totals(forecast: &Forecast) -> Receiver {
    let version = forecast.host.version;
    let assumed = settings(&forecast.settings, version);
    Receiver {
        address: forecast.host.address(),
        alternatives: forecast
            .alternatives
            .iter()
            .map(|other| alternative(other, &assumed, version))
            .collect(),
        settings: assumed,
        timeouts_told: forecast.timeouts_told,
        predicted: prediction(&forecast.predicted),
        memory: memory(&MemoryCurve::default()),
    }
}

fn alternative(
    alternative: &receiver::Alternative,
    assumed: &BTreeMap<String, u64>,
    version: IpVersion,
) -> Alternative {
    let mut settings = settings(&alternative.settings, version);
    if let Change::MessagesThatFit {
        largest_message_bytes,
    } = alternative.change
    {
        let bytes = u64::from(largest_message_bytes);
        settings.insert("largest_message_bytes".to_owned(), bytes);
    }
    let changed = settings
        .iter()
        .filter(|(name, value)| assumed.get(*name) != Some(value));
    Alternative {
        changed: changed.map(|(name, _)| name.clone()).collect(),
        settings,
        predicted: prediction(&alternative.predicted),
        memory: None,
    }
}

/// Those that matter for a version of IP, by sysctl name.
fn settings(settings: &Settings, version: IpVersion) -> BTreeMap<String, u64> {
    let seconds = |time: crate::model::Duration| time.as_secs_f64() as u64;
    let mut named = match version {
        IpVersion::V4 => vec![
            ("net.ipv4.ipfrag_time", seconds(settings.ipfrag_time)),
            ("net.ipv4.ipfrag_high_thresh", settings.ipfrag_high_thresh),
            ("net.ipv4.ipfrag_max_dist", settings.ipfrag_max_dist.into()),
        ],
        IpVersion::V6 => vec![
            ("net.ipv6.ip6frag_time", seconds(settings.ip6frag_time)),
            ("net.ipv6.ip6frag_high_thresh", settings.ip6frag_high_thresh),
        ],
    };
    named.push(("kernel_hz", settings.kernel_hz.into()));
    if let Truesize::Fixed(bytes) = settings.truesize {
        named.push(("fragment_truesize", bytes.into()));
    }
    named
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn prediction(predicted: &Predicted) -> Prediction {
    Prediction {
        fragments: predicted.fragments,
        rejected_fragments: predicted.rejected_fragments,
        rejected_bytes: predicted.rejected_bytes,
        reassembled: predicted.reassembled,
        timed_out: predicted.timed_out,
        overlapped: predicted.overlapped,
        too_distant: predicted.too_distant,
        oversized: predicted.oversized,
        open_at_end: predicted.open_at_end,
        failed: predicted.failed,
        memory_peak_bytes: predicted.memory_peak_bytes,
        first_full_timestamp: predicted.first_full.map(Time),
        delivered_bytes: predicted.delivered_bytes,
    }
}

fn memory(curve: &MemoryCurve) -> MemoryUse {
    MemoryUse {
        step_seconds: curve.width().as_secs_f64(),
        first_timestamp: curve.steps().next().map(|(start, _)| Time(start)),
        peak_bytes: curve.steps().map(|(_, peak)| peak).collect(),
    }
}
