//! The report for people, whole pages, byte for byte.

use crate::support::fraglens;

/// What `fraglens analyze` prints of a capture when it prints into a pipe:
/// 80 columns, no colour.
fn page(file: &str) -> String {
    let output = fraglens().args(["analyze", file]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{file}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{file}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn pages_of_shipped_captures() {
    for file in [
        "netperf-loss3.pcap.zst",
        "two-tenants.pcap",
        "overlap-partial.pcap",
        "vxlan-outer-fragments.pcap.zst",
        "empty.pcap",
        "blocks.pcapng",
    ] {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(file.split('.').next().unwrap(), page(file));
        });
    }
}
