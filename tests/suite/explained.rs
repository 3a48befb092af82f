//! The explanation adds up, and findings are what they should be, in every capture.

use crate::support::{Setup, all_captures, corpus, name, none, value};
use serde_json::Value;

/// Most frames that a finding shows.
const MAX_EVIDENCE: usize = 10;

/// What is wrong with the explanation and the findings of a report in which
/// nothing stays unexplained.
pub fn broken_explanation(report: &Value) -> Vec<String> {
    let mut faults = broken_findings(report);
    let explanation = &report["explanation"];
    if explanation.is_null() {
        return faults;
    }
    let of = |name: &str| explanation[name].as_i64().unwrap();
    let parts: i64 = explanation["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["bytes"].as_i64().unwrap())
        .sum();
    let difference = of("sent_bytes") - of("delivered_bytes");
    let told = parts + of("residual_bytes") + of("undecided_bytes");
    if difference != told {
        faults.push(format!("{difference} bytes missing, {told} told of"));
    }
    if parts > difference {
        faults.push(format!("{parts} bytes explained of {difference}"));
    }
    if of("residual_bytes") != 0 {
        let found = of("residual_bytes");
        faults.push(format!("{found} bytes unexplained"));
    }
    let findings = report["findings"].as_array().unwrap();
    let missing = findings.iter().map(missing);
    if missing.sum::<u64>() != parts as u64 {
        faults.push("findings and parts disagree".to_owned());
    }
    faults
}

fn missing(finding: &Value) -> u64 {
    finding["missing_bytes"].as_u64().unwrap_or(0)
}

fn broken_findings(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    let mut faults = Vec::new();
    if !findings.is_sorted_by(|one, other| missing(one) >= missing(other)) {
        faults.push("findings are not sorted by what is missing".to_owned());
    }
    for finding in findings {
        let wrong = broken_references(finding, report).into_iter();
        faults.extend(wrong.map(|fault| format!("{}: {fault}", finding["id"])));
    }
    faults
}

/// What is wrong with the flows and frames that a finding names.
fn broken_references(finding: &Value, report: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let flows = report["flows"].as_array().unwrap().len() as u64;
    let named = finding["flows"].as_array().unwrap();
    if named.iter().any(|index| index.as_u64().unwrap() >= flows) {
        faults.push(format!("names flows {named:?} of {flows}"));
    }
    let evidence = finding["evidence"].as_array().unwrap();
    if evidence.len() > MAX_EVIDENCE {
        faults.push(format!("{} frames", evidence.len()));
    }
    let place = |evidence: &Value| {
        let file = evidence["file"].as_str().unwrap().to_owned();
        (file, evidence["frame"].as_u64().unwrap())
    };
    let is_ascending = |one: &Value, other: &Value| place(one) <= place(other);
    if !evidence.is_sorted_by(is_ascending) {
        faults.push("evidence is not in the order of the capture".to_owned());
    }
    let capture = &report["capture"];
    let (first, last) = (
        capture["first_timestamp"].as_str(),
        capture["last_timestamp"].as_str(),
    );
    let is_outside = |evidence: &&Value| {
        let frame = evidence["frame"].as_u64().unwrap();
        let time = evidence["timestamp"].as_str();
        frame == 0 || frame > capture["frames"].as_u64().unwrap() || time < first || time > last
    };
    let outside = evidence.iter().filter(is_outside);
    faults.extend(outside.map(|evidence| format!("not in the capture: {evidence}")));
    faults
}

#[test]
fn every_missing_byte_is_explained_once() {
    let mut faults = Vec::new();
    for path in all_captures("every_missing_byte_is_explained") {
        let report = value(&Setup::default().files(std::slice::from_ref(&path)));
        let broken = broken_explanation(&report).into_iter();
        faults.extend(broken.map(|fault| format!("{}: {fault}", name(&path))));
    }
    none(&faults);
}

/// Third-party captures in which nothing is wrong, though something looks so.
const HEALTHY: [&str; 30] = [
    "A-v4frag__PcapPlusPlus__frag_http_req.pcap",
    "A-v4frag__PcapPlusPlus__frag_with_padding.pcap",
    "A-v4frag__fq__tcp-ipv4frag.pcap",
    "A-v4frag__snabb__tcp-ipv4-3frags-bound-reversed.pcap",
    "A-v4frag__suricata-verify__frag-eth-vlan-ip-tcp-syn.pcap",
    "A-v4frag__suricata-verify__ipv4frags.pcap",
    "A-v4frag__zeek__fragmented-syn.pcap",
    "C-overlap4__pcap-thread__v4_frag_dup_udp.pcap",
    "D-tiny-oversize__suricata-verify__frag-ip-tcp-syn.pcap",
    "E-v6frag__PcapPlusPlus__ip6_fragments.pcap",
    "F-atomic6__suricata-verify__frag-9.pcap",
    "F-atomic6__zeek__ipv6-http-atomic-frag.pcap",
    "I-vxlan__suricata-verify__vxlan-decoder-01-input.pcap",
    "I-vxlan__tcpdump__vxlan_port_8472.pcap",
    "J-geneve__zeek__geneve.pcap",
    "K-gre__packetnet__gre_all_options.pcap",
    "K-gre__skydive__gre-gre-icmpv4.pcap",
    "L-ipip__zeek__4in6.pcap",
    "L-ipip__zeek__6in6in6.pcap",
    "M-vlan__packetnet__802.1ad_vlan_ipv4.pcap",
    "N-badsum__zeek__ip6-route0-tcp-good-chksum.pcap",
    "O-offload__tcpdump__gso-ipv4-vxlan-ipv4.pcap",
    "O-offload__zeek__localhost-bad-chksum.pcap",
    "Q-truncated__skydive__icmpv4-truncated.pcap",
    "Q-truncated__zeek__icmp-payload-trunc.pcap",
    "Q-truncated__zeek__ip4-trunc.pcap",
    "R-pcapng__pcapng-test-generator__test001.pcapng",
    "T-linktype__PcapPlusPlus__null_loopback.pcap",
    "T-linktype__PcapPlusPlus__raw_ip.pcap",
    "T-linktype__PcapPlusPlus__sll2.pcap",
];

/// Ids of the findings that are more than worth knowing, sorted.
pub fn alarms(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let alarms = findings.filter(|finding| finding["severity"] != "info");
    let mut ids: Vec<String> = alarms
        .map(|finding| finding["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort_unstable();
    ids
}

#[test]
fn healthy_third_party_captures_give_no_alarm() {
    let Some(folder) = corpus("healthy_third_party_captures") else {
        return;
    };
    let mut faults = Vec::new();
    for file in HEALTHY {
        let report = value(&Setup::default().files(&[folder.join(file)]));
        let alarms = alarms(&report);
        if !alarms.is_empty() {
            faults.push(format!("{file}: {}", alarms.join(" ")));
        }
    }
    none(&faults);
}
