//! Where nothing is wrong, nothing is found.

use super::stream::{Stream, netperf};
use super::told::{Beside, Told};
use crate::support::{none, pcap};

#[test]
fn clean_captures_have_no_faults() {
    let clean = [
        "netperf-clean.pcap.gz",
        "fragments-in-order.pcap",
        "fragments-out-of-order.pcap",
        "vxlan.pcap",
        "geneve-ovn.pcap",
        "ipip.pcap",
        "tcp-superframes.pcap.zst",
        "offload-sender.pcap.zst",
        "no-offload.pcap.zst",
        "sample.pcap.gz",
    ];
    let told = clean.map(|name| Told::of_file(name, &pcap(name), Beside::default()));
    let faults = told.map(|told| told.finds_no_fault().says(&["all of it can be delivered"]));
    none(&faults.map(Told::into_faults).concat());
}

/// Everything reached the receiver, and its program counts losses: 14 %, as measured once.
#[test]
fn losses_behind_the_network_are_not_the_networks() {
    let mut faults = Vec::new();
    for (message_bytes, lost) in [(65_507, 14), (2_800, 14), (1_400, 14), (1_400, 2)] {
        let stream = Stream {
            message_bytes,
            messages: 1_000,
            ..Stream::NETPERF
        };
        let (capture, sent) = stream.captured();
        let lost = sent.messages * lost / 100;
        let netperf = netperf(message_bytes, sent.messages, sent.messages - lost);
        let nstat = format!(
            "#kernel\nUdpRcvbufErrors 0 0.0\nIpReasmFails 0 0.0\n\
             #kernel\nUdpRcvbufErrors {lost} 0.0\nIpReasmFails 0 0.0\n"
        );
        for nstat in [None, Some(&*nstat)] {
            let beside = Beside {
                benchmark: Some(&netperf),
                nstat,
            };
            let is_sure = nstat.is_some();
            let case = format!("{lost} of {message_bytes} bytes, nstat {is_sure}");
            let told = Told::of_bytes(case, &capture, beside)
                .finds_first("D34")
                .finds(&[("D34", "warning", if is_sure { 0.9 } else { 0.5 })])
                .never_finds(&["D01", "D09", "D36"])
                .says(&[
                    "Not the network",
                    "all of it can be delivered",
                    &format!("{lost} lost behind this point"),
                    &format!("{lost} were lost behind this point: not by the network (D34)."),
                ])
                .holds(&[("benchmark.runs.0.unexplained_messages", lost)]);
            faults.extend(told.into_faults());
        }
    }
    none(&faults);
}
