//! Where our figures are not tshark's, and why they stay so.

/// File, field, tshark's figure, ours, and why. A row that no longer differs this
/// way is an error, as is a difference that has no row.
#[rustfmt::skip]
pub const DIFFERENCES: &[(&str, &str, u64, u64, &str)] = &[
    // Time: tshark never gives a datagram up.
    ("B-incomplete__pcap-thread__v4_frag_timeout_udp.pcap", "v4_reassembled_noipck", 1, 0,
        "100 s lie between the fragments and the timeout is 30 s"),
    ("B-incomplete__pcap-thread__v4_frag_timeout_udp.pcap", "v4_groups", 1, 2,
        "the fragments after the timeout begin a datagram of their own"),
    // Contradictions: tshark puts datagrams together in spite of them.
    ("C-overlap4__zeek__fragmented-1.pcap", "v4_reassembled_noipck", 1, 0,
        "the third piece overlaps the last one and goes beyond its end"),
    ("G-overlap6__suricata-verify__frag-6.pcap", "v6_reassembled", 1, 0,
        "bytes 680 to 808 are in two fragments: RFC 5722 has the datagram discarded, whatever the bytes are"),
    ("G-overlap6__suricata-verify__frag-8.pcap", "v6_reassembled", 1, 0,
        "bytes 808 to 936 are in two fragments: RFC 5722 has the datagram discarded"),
    // Id reuse: tshark takes whatever has the id for the finished datagram.
    ("H-outerfrag__PcapFlowLab__24_geneve_outer_ipv6_fragmentation.pcap", "v6_groups", 1, 2,
        "the third fragment repeats no piece and comes a second after the datagram was whole, so it opens another"),
    // Layers: tshark counts frames that hold something, we count IP packets.
    ("E-v6frag__snabb__tcp-ipv6-2frags-bound-reverse.pcap", "ipinip", 1, 2,
        "the outer packet came in two fragments; tshark sees the tunnel in the one that completes it"),
    ("H-outerfrag__PcapFlowLab__24_geneve_outer_ipv6_fragmentation.pcap", "geneve", 1, 2,
        "the outer packet came in two fragments; tshark sees the tunnel in the one that completes it"),
    ("H-outerfrag__suricata-verify__security-8550-input.pcap", "gre", 1, 2,
        "the outer packet came in two fragments; tshark sees the tunnel in the one that completes it"),
    ("H-outerfrag__suricata-verify__security-8550-input.pcap", "v4_frag_frames", 2, 3,
        "the frame that completes the outer packet holds another fragment inside the tunnel"),
    ("H-outerfrag__suricata-verify__security-8550-input.pcap", "v4_groups", 1, 2,
        "the fragment in the tunnel has the key of the outer ones; tshark does not tell tunnels apart"),
    ("K-gre__skydive__gre-gre-icmpv4.pcap", "gre", 10, 20,
        "each of ten frames has two GRE layers"),
    ("L-ipip__zeek__6in6in6.pcap", "ipinip", 1, 2,
        "the frame has two tunnels, one in the other"),
    // Tunnels tshark sees elsewhere or not at all.
    ("I-vxlan__tcpdump__vxlan_port_8472.pcap", "vxlan", 0, 10,
        "tshark 4.0 takes port 8472 for OTV; it is the VXLAN port of Linux"),
    ("J-geneve__PcapFlowLab__07_geneve_options_length_truncated.pcap", "geneve", 1, 0,
        "the options go beyond the packet, so that no tunnel can be opened: undecoded, geneve too short"),
    // Checksums left to the NIC: tshark calls them bad.
    ("F-atomic6__zeek__ipv6-http-atomic-frag.pcap", "bad_tcp", 4, 0,
        "the four fields hold the sum of the pseudo-header"),
    ("O-offload__zeek__localhost-bad-chksum.pcap", "bad_tcp", 6, 0,
        "the six fields hold the sum of the pseudo-header"),
    ("O-offload__tcpdump__gso-ipv4-vxlan-ipv4.pcap", "bad_tcp", 1, 0,
        "the field holds the sum of the pseudo-header"),
    ("O-offload__tcpdump__gso-ipv4-vxlan-ipv4.pcap", "bad_udp", 1, 0,
        "the outer field is left to the NIC like the inner one"),
    ("T-linktype__PcapPlusPlus__null_loopback.pcap", "bad_tcp", 1, 0,
        "the field holds the sum of the pseudo-header"),
    ("T-linktype__PcapPlusPlus__raw_ip.pcap", "bad_tcp", 42, 0,
        "the 42 fields hold the sum of the pseudo-header"),
    ("T-linktype__PcapPlusPlus__raw_ip.pcap", "bad_udp", 3, 0,
        "the three fields hold the sum of the pseudo-header"),
    ("T-linktype__PcapPlusPlus__raw_ip.pcap", "bad_ip", 46, 0,
        "the 46 header checksums are 0"),
    ("R-pcapng__pcapng-test-generator__test001.pcapng", "bad_ip", 2, 0,
        "the two header checksums are 0"),
    ("R-pcapng__pcapng-test-generator__test006.pcapng", "bad_ip", 2, 0,
        "the two header checksums are 0"),
    ("R-pcapng__pcapng-test-generator__test010.pcapng", "bad_ip", 2, 0,
        "the two header checksums are 0"),
    ("R-pcapng__pcapng-test-generator__test202.pcapng", "bad_ip", 3, 0,
        "the three header checksums are 0"),
    // Lengths: tshark looks for UDP lengths beyond the end only.
    ("E-v6frag__PcapPlusPlus__ip6_fragments.pcap", "udp_len_bad", 0, 4,
        "the four datagrams go on for 4 bytes after their UDP length"),
    // Files.
    ("R-pcapng__pcapng-test-generator__test202.pcapng", "packets", 11, 8,
        "tshark shows three custom blocks as frames"),
    ("U-corrupt__suricata-verify__fuzz.pcap", "packets", 2, 1,
        "the second record claims 1.4 GB; tshark then tries a longer record header and reads one byte of it as a frame"),
    ("U-corrupt__suricata-verify__fuzz.pcap", "truncated", 1, 0,
        "that one byte, said to be of a longer frame"),
    ("U-corrupt__suricata-verify__fuzz.pcap", "bad_tcp", 0, 1,
        "with the longer record header tshark begins the first frame 8 bytes late and finds no IP in it"),
];
