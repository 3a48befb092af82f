#!/usr/bin/env bash
# What `fraglens watch` and `tcpdump -w /dev/null` make of the same traffic, one after the
# other, between two network namespaces that are made for it: frames offered, captured and
# dropped, and the processor time of each. Needs root, iproute2, iperf3, jq, qperf and
# tcpdump. FRAGLENS names the program to measure; unless set, it is built.
#
#   benches/live.sh [SECONDS]      seconds of each load; 5 unless told otherwise
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-5}
sender=fraglens-live-$$-a
receiver=fraglens-live-$$-b
folder=$(mktemp -d)

clean_up() {
    local name pid
    for name in "$sender" "$receiver"; do
        for pid in $(ip netns pids "$name" 2>/dev/null); do
            kill -KILL "$pid" 2>/dev/null || true
        done
        ip netns del "$name" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap clean_up EXIT

ip netns add "$sender"
ip netns add "$receiver"
ip link add a0 netns "$sender" mtu 1450 type veth peer name b0 netns "$receiver"
ip -n "$sender" addr add 10.1.0.1/24 dev a0
ip -n "$receiver" addr add 10.1.0.2/24 dev b0
for end in "$sender a0" "$receiver b0" "$sender lo" "$receiver lo"; do
    # shellcheck disable=SC2086
    set -- $end
    ip -n "$1" link set "$2" up
done

if [ -z "${FRAGLENS:-}" ]; then
    cargo build --quiet --release
    FRAGLENS=$PWD/target/release/fraglens
fi

offered() {
    ip netns exec "$receiver" cat /sys/class/net/b0/statistics/rx_packets
}

# Sends one load; everything it starts has ended afterwards.
load() {
    case $1 in
    1-byte)
        ip netns exec "$receiver" timeout $((seconds + 10)) qperf >/dev/null 2>&1 &
        local server=$!
        sleep 0.3
        ip netns exec "$sender" timeout $((seconds + 5)) \
            qperf -m 1 -t "$seconds" 10.1.0.2 udp_bw >/dev/null 2>&1 || true
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
        ;;
    *)
        ip netns exec "$receiver" timeout $((seconds + 10)) iperf3 -s -1 >/dev/null 2>&1 &
        local server=$!
        sleep 0.3
        ip netns exec "$sender" timeout $((seconds + 5)) \
            iperf3 -u -l 65507 -b "$1" -t "$seconds" -c 10.1.0.2 >/dev/null 2>&1 || true
        wait "$server" 2>/dev/null || true
        ;;
    esac
}

# Runs a capture program while a load is sent: frames offered meanwhile, and the
# processor seconds of the program. It is asked to end once its buffers are read.
beside() {
    local what=$1
    shift
    TIMEFORMAT='%U %S'
    { time ip netns exec "$receiver" "$@" >"$folder/out" 2>"$folder/err"; } 2>"$folder/time" &
    local timed=$! before after pid
    sleep 1
    before=$(offered)
    load "$what"
    after=$(offered)
    sleep 2
    pid=$(pgrep -P "$timed" | head -n 1)
    kill -INT "${pid:-$timed}"
    wait "$timed" || true
    frames=$((after - before))
    cpu=$(awk '{ printf "%.2f", $1 + $2 }' "$folder/time")
}

row() {
    printf '%-8s %-24s %10s %10s %10s %8s\n' "$@"
}

row load program offered captured dropped 'CPU s'
# 0 is as fast as iperf3 can.
for what in 1G 2G 4G 0 1-byte; do
    for buffer in '' '-B 262144'; do
        # shellcheck disable=SC2086
        beside "$what" tcpdump -Z root -i b0 $buffer -w /dev/null
        captured=$(awk '/packets captured/ { print $1 }' "$folder/err")
        dropped=$(awk '/dropped by kernel/ { print $1 }' "$folder/err")
        row "$what" "tcpdump $buffer" "$frames" "$captured" "$dropped" "$cpu"
    done
    beside "$what" "$FRAGLENS" watch -i b0 --quiet --format json
    read -r captured dropped < <(
        jq -r '"\(.capture.frames) \(.capture.dropped_frames)"' "$folder/out"
    )
    row "$what" 'fraglens watch' "$frames" "$captured" "$dropped" "$cpu"
done
