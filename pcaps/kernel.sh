#!/usr/bin/env bash
# Captures of the real Linux kernel: three namespaces of our own, a - router - b over veth, nothing outside them.
# Rewrites the kernel captures beside it and their part of MANIFEST.toml. Needs root and the Debian packages
# iproute2 nftables tcpdump ethtool python3 zstd gzip wireshark-common. Takes about a minute.
#
#     ./kernel.sh
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
a=fraglens-$$-a router=fraglens-$$-r b=fraglens-$$-b
A=10.1.0.2 B=10.2.0.2 A6=fd00:1::2 B6=fd00:2::2
INNER_A=172.16.0.1 INNER_B=172.16.0.2
MARK='# Below this line: written by kernel.sh.'
capture_pid= receiver_pid=

cleanup() {
    local pid namespace
    for pid in $capture_pid $receiver_pid; do kill "$pid" 2>/dev/null || true; done
    for namespace in "$a" "$router" "$b"; do ip netns del "$namespace" 2>/dev/null || true; done
    rm -rf "$work"
}
trap cleanup EXIT

for tool in ip nft tcpdump ethtool python3 zstd gzip dumpcap; do
    command -v "$tool" >/dev/null || { echo "kernel.sh: $tool is missing" >&2; exit 1; }
done

in_ns() { ip netns exec "$@"; }

# The network

# A fresh a - router - b. Neighbours are written down, so that no ARP and no discovery is in a capture.
network() { # MTU
    local namespace
    for namespace in "$a" "$router" "$b"; do
        ip netns del "$namespace" 2>/dev/null || true
        ip netns add "$namespace"
        in_ns "$namespace" sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.router_solicitations=0
        ip -n "$namespace" link set lo up
    done
    in_ns "$router" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
    cable "$a" a0 02:00:00:00:01:02 "$router" ra 02:00:00:00:01:01 1 "$1"
    cable "$b" b0 02:00:00:00:02:02 "$router" rb 02:00:00:00:02:01 2 "$1"
}

cable() { # HOST HOST-DEVICE HOST-MAC ROUTER ROUTER-DEVICE ROUTER-MAC NET MTU
    ip link add "$2" netns "$1" address "$3" mtu "$8" type veth peer name "$5" netns "$4" address "$6" mtu "$8"
    ip -n "$1" addr add "10.$7.0.2/24" dev "$2"
    ip -n "$4" addr add "10.$7.0.1/24" dev "$5"
    ip -n "$1" link set "$2" up
    ip -n "$4" link set "$5" up
    ip -n "$1" addr add "fd00:$7::2/64" dev "$2" nodad
    ip -n "$4" addr add "fd00:$7::1/64" dev "$5" nodad
    ip -n "$1" route add default via "10.$7.0.1"
    ip -n "$1" route add default via "fd00:$7::1"
    neighbour "$1" "$2" "$6" "10.$7.0.1" "fd00:$7::1"
    neighbour "$4" "$5" "$3" "10.$7.0.2" "fd00:$7::2"
}

neighbour() { # NAMESPACE DEVICE MAC ADDRESS...
    local address
    for address in "${@:4}"; do ip -n "$1" neigh replace "$address" lladdr "$3" dev "$2" nud permanent; done
}

drop_per_mille() {
    in_ns "$router" nft -f - <<RULES
table ip loss {
    counter dropped { }
    chain forward {
        type filter hook forward priority -500; policy accept;
        numgen random mod 1000 < $1 counter name dropped drop
    }
}
RULES
}

tunnel() { # MTU VXLAN-OPTION...
    overlay "$a" "$A" "$B" "$INNER_A" 02:00:00:00:03:01 "$INNER_B" 02:00:00:00:03:02 "$@"
    overlay "$b" "$B" "$A" "$INNER_B" 02:00:00:00:03:02 "$INNER_A" 02:00:00:00:03:01 "$@"
}

overlay() { # NAMESPACE LOCAL REMOTE ADDRESS MAC PEER PEER-MAC MTU VXLAN-OPTION...
    in_ns "$1" sysctl -qw net.ipv6.conf.default.disable_ipv6=1
    ip -n "$1" link add vx0 address "$5" type vxlan id 42 local "$2" remote "$3" "${@:9}"
    ip -n "$1" link set vx0 mtu "$8" up
    ip -n "$1" addr add "$4/24" dev vx0
    neighbour "$1" vx0 "$7" "$6"
}

# Captures. What runs in the background is started by `ip netns exec` itself, so that $! is the program's own id.

wait_for() { # FILE TEXT
    local _
    for _ in $(seq 100); do
        if grep -q "$2" "$1" 2>/dev/null; then return; fi
        sleep 0.1
    done
    echo "kernel.sh: no '$2' in:" >&2; cat "$1" >&2; exit 1
}

capture() { # NAMESPACE DEVICE FILTER TCPDUMP-OPTION...
    ip netns exec "$1" tcpdump -Z root -i "$2" -w "$work/capture" -B 65536 "${@:4}" "$3" 2>"$work/tcpdump.log" &
    capture_pid=$!
    wait_for "$work/tcpdump.log" 'listening on'
}

end_capture() {
    sleep 1
    kill -TERM "$capture_pid"
    wait "$capture_pid" || true
    capture_pid=
}

receive() { # NAMESPACE udp-receive|tcp-receive ADDRESS PORT
    : >"$work/receiver.log"
    ip netns exec "$1" python3 -B "$here/traffic.py" "${@:2}" >"$work/receiver.log" &
    receiver_pid=$!
    wait_for "$work/receiver.log" ready
}

end_receive() {
    kill -TERM "$receiver_pid" 2>/dev/null || true
    wait "$receiver_pid" || true
    receiver_pid=
}

udp() { # RECEIVER-ADDRESS SIZE COUNT MBITS
    receive "$b" udp-receive "$1" 5001
    in_ns "$a" python3 -B "$here/traffic.py" udp-send "$1" 5001 "${@:2}"
    sleep 0.3
    end_receive
}

tcp() { # RECEIVER-ADDRESS SIZE COUNT
    receive "$b" tcp-receive "$1" 5001
    in_ns "$a" python3 -B "$here/traffic.py" tcp-send "$1" 5001 "${@:2}"
    wait "$receiver_pid"
    receiver_pid=
}

# Stores the capture and its MANIFEST entry; a capture that lost packets itself is no capture.
keep() { # FILE NOTE [findings=ID,ID] PATH=NUMBER...
    if [ -s "$work/tcpdump.log" ] && ! grep -q '^0 packets dropped by kernel' "$work/tcpdump.log"; then
        echo "kernel.sh: the capture for $1 lost packets, run again" >&2; exit 1
    fi
    case $1 in
        *.zst) zstd -q -19 -f "$work/capture" -o "$work/$1" ;;
        *.gz) gzip -9nc "$work/capture" >"$work/$1" ;;
        *) cp "$work/capture" "$work/$1" ;;
    esac
    if [ "$(stat -c %s "$work/$1")" -gt 1000000 ]; then echo "kernel.sh: $1 is too large" >&2; exit 1; fi
    python3 -B "$here/tally.py" "$work/$1" "${@:2}" >>"$work/entries"
    files+=("$1")
}

snmp() { # NAMESPACE NAME: one of the kernel's counters
    in_ns "$1" awk -v name="$2" '/^Ip:|^Udp:/ { if (titles != $1) { split($0, title); titles = $1 }
        else for (i in title) if (title[i] == name) print $i }' /proc/net/snmp
}

# One function per capture

netperf_clean() {
    network 1450
    capture "$b" b0 udp
    udp "$B" 65507 20 200
    end_capture
    keep netperf-clean.pcap.gz "20 UDP messages of 65,507 bytes at MTU 1450, nothing lost: 47 fragments each." \
        totals.fragments.total=940 totals.fragments.first=20 totals.fragments.last=20 totals.fragments.full_size=920 \
        totals.datagrams.reassembled=20 totals.checksums.udp.good=20 totals.bad_length.first_fragment_artifact=20 \
        flows.0.mtu.from=1444
}

netperf_loss3() {
    local sent=1500 received dropped arrived
    network 1450
    drop_per_mille 30
    capture "$b" b0 udp -s 96
    udp "$B" 65507 "$sent" 1000
    end_capture
    received=$(awk '/^received/ { print $2 }' "$work/receiver.log")
    dropped=$(in_ns "$router" nft list counter ip loss dropped | awk '/packets/ { print $2 }')
    arrived=$((sent * 47 - dropped))
    keep netperf-loss3.pcap.zst "$sent such messages, paced for 1 Gbit/s, with 3 % of the fragments dropped at random on the way: the receiver's reassembly memory runs out. 96 bytes of each frame." \
        findings=D01,D09 \
        totals.fragments.total="$arrived" totals.checksums.ipv4.good="$arrived" \
        kernel.messages_sent="$sent" kernel.messages_received="$received" \
        kernel.fragments_sent=$((sent * 47)) kernel.fragments_dropped="$dropped" \
        kernel.ip_reasm_reqds="$(snmp "$b" ReasmReqds)" kernel.ip_reasm_oks="$(snmp "$b" ReasmOKs)" \
        kernel.ip_reasm_fails="$(snmp "$b" ReasmFails)" kernel.ip_reasm_timeout="$(snmp "$b" ReasmTimeout)" \
        kernel.udp_in_datagrams="$(snmp "$b" InDatagrams)" kernel.udp_rcvbuf_errors="$(snmp "$b" RcvbufErrors)"
}

vxlan_inner_fragments() {
    network 1500
    tunnel 1450 dstport 4789 noudpcsum
    capture "$b" b0 udp
    udp "$INNER_B" 8192 10 100
    end_capture
    keep vxlan-inner-fragments.pcap.zst "8 KiB UDP messages in VXLAN at inner MTU 1450: fragments inside whole outer packets." \
        totals.packets=120 totals.fragments.total=60 totals.datagrams.reassembled=10 totals.datagrams.unfragmented=60 \
        totals.checksums.udp.good=10 totals.checksums.udp.absent=60 tunnels.#=1 flows.0.mtu.from=1444
}

vxlan_outer_fragments() {
    network 1500
    tunnel 1500 dstport 4789 noudpcsum
    capture "$b" b0 udp
    udp "$INNER_B" 1472 20 100
    end_capture
    keep vxlan-outer-fragments.pcap.zst "1,472-byte UDP messages in VXLAN at inner and outer MTU 1500: whole packets inside fragmented outer ones." \
        findings=D26 \
        totals.packets=60 totals.fragments.total=40 totals.datagrams.reassembled=20 totals.datagrams.unfragmented=20 \
        totals.checksums.udp.good=20 totals.checksums.udp.absent=20 totals.bad_length.first_fragment_artifact=20 tunnels.#=1
}

vxlan_port_5799() {
    network 1500
    tunnel 1450 dstport 5799 noudpcsum
    capture "$b" b0 udp
    udp "$INNER_B" 1 40 1
    udp "$INNER_B" 100 5 10
    udp "$INNER_B" 1400 5 10
    end_capture
    keep vxlan-port-5799.pcap.zst "VXLAN on UDP port 5799: messages of 1, 100 and 1,400 bytes." \
        totals.packets=100 totals.datagrams.unfragmented=100 totals.checksums.udp.absent=50 flows.#=1 tunnels.#=1
}

vxlan_udpcsum_sender() {
    network 1500
    tunnel 1450 dstport 4789 udpcsum
    capture "$a" a0 udp
    udp "$INNER_B" 500 10 10
    tcp "$INNER_B" 300 5
    end_capture
    keep vxlan-udpcsum-sender.pcap.zst "VXLAN with outer checksums at the sender's underlay: inner UDP and TCP left for the NIC, so the outer checksums are not right yet." \
        totals.checksums.udp.bad=0 totals.checksums.udp.good=0 totals.checksums.tcp.bad=0 totals.checksums.tcp.good=0 tunnels.#=2
}

ordinary_traffic() {
    udp "$B" 500 10 10
    udp "$B" 3000 5 10
    tcp "$B" 300 5
}

offload_sender() {
    network 1500
    capture "$a" a0 'ip proto 17 or ip proto 6'
    ordinary_traffic
    end_capture
    keep offload-sender.pcap.zst "Ordinary UDP and TCP at a sender with checksum offload: bare pseudo-header sums, except in fragmented datagrams." \
        totals.checksums.udp.offloaded=10 totals.checksums.udp.good=5 totals.checksums.udp.bad=0 \
        totals.checksums.tcp.bad=0 totals.checksums.tcp.good=0 totals.datagrams.reassembled=5 totals.fragments.total=15
}

no_offload() {
    network 1500
    in_ns "$a" ethtool -K a0 tx off >/dev/null
    in_ns "$b" ethtool -K b0 tx off >/dev/null
    capture "$a" a0 'ip proto 17 or ip proto 6'
    ordinary_traffic
    end_capture
    keep no-offload.pcap.zst "The same with checksum offload switched off: all checksums right." \
        totals.checksums.udp.good=15 totals.checksums.udp.bad=0 totals.checksums.udp.offloaded=0 \
        totals.checksums.tcp.bad=0 totals.checksums.tcp.offloaded=0 totals.datagrams.reassembled=5 totals.fragments.total=15
}

ipv6_fragments() {
    network 1500
    capture "$b" b0 'ip6[6] == 44'
    udp "$B6" 8192 10 100
    end_capture
    keep ipv6-fragments.pcap.zst "8 KiB UDP messages over IPv6 at MTU 1500: six fragments each." \
        totals.fragments.total=60 totals.fragments.full_size=50 totals.datagrams.reassembled=10 totals.checksums.udp.good=10 \
        flows.0.mtu.from=1496
}

tcp_superframes() {
    network 1500
    capture "$a" a0 tcp
    tcp "$B" 100000 4
    end_capture
    keep tcp-superframes.pcap.zst "400 kB over TCP at a sender with TSO: segments far above the MTU, nothing wrong." \
        totals.checksums.tcp.bad=0 totals.bad_length.total=0 totals.fragments.total=0 flows.#=2
}

sll2_any() {
    network 1450
    capture "$router" any ip
    udp "$B" 3000 5 10
    udp "$B" 100 5 10
    end_capture
    keep sll2-any.pcap.zst "All interfaces of a router (link type 276): everything forwarded is there twice." \
        totals.packets=40 totals.fragments.total=30 totals.fragments.duplicate=15 totals.datagrams.reassembled=5 \
        totals.datagrams.unfragmented=10 flows.#=1
}

dumpcap_nanoseconds() {
    network 1450
    ip netns exec "$b" dumpcap -q -i b0 -f udp -w "$work/capture.pcapng" 2>"$work/dumpcap.log" &
    capture_pid=$!
    wait_for "$work/dumpcap.log" 'File:'
    udp "$B" 3000 5 10
    end_capture
    mv "$work/capture.pcapng" "$work/capture"
    : >"$work/tcpdump.log"
    keep dumpcap-nanoseconds.pcapng.zst "Five fragmented messages captured by dumpcap: pcapng, nanoseconds, interface statistics." \
        totals.fragments.total=15 totals.datagrams.reassembled=5 totals.checksums.udp.good=5
}

files=()
: >"$work/entries"
for one in netperf_clean netperf_loss3 vxlan_inner_fragments vxlan_outer_fragments vxlan_port_5799 vxlan_udpcsum_sender \
    offload_sender no_offload ipv6_fragments tcp_superframes sll2_any dumpcap_nanoseconds; do
    echo "$one" >&2
    "$one"
done

# Only now, when all of them are good, are the old ones replaced.
for file in "${files[@]}"; do install -m 644 "$work/$file" "$here/$file"; done
{ sed "/^$MARK\$/,\$d" "$here/MANIFEST.toml"; echo "$MARK"; echo; cat "$work/entries"; } >"$work/manifest"
install -m 644 "$work/manifest" "$here/MANIFEST.toml"
