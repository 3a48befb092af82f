#!/usr/bin/env bash
# How long fraglens takes for large captures, beside dd, tcpdump and tshark, in one run.
#
#   benches/compare.sh [--quick] [--two-points] [--only NAME] [--runs N] [--slow-runs N]
#                      [--threads "1 2"] [DIR]
#
# Makes the captures in DIR (default: fraglens-captures in the directory for temporary
# files; 7 GB) unless they are there. Every figure is the wall time of a whole process,
# with the file in the page cache, and the median of N runs (5) after one that does not
# count; the tools take turns, so that what else the machine does hits all alike.
# `tcpdump -nvv` and tshark take minutes and run --slow-runs times (1) without one
# before; --quick leaves them out. With a million addresses they take more than ten
# minutes each, so there they are always left out. --two-points times `fraglens compare`
# beside `fraglens analyze` of the same two files instead of all else; the captures of the
# second points, and those for this alone, take 28 GB more. --only times the captures whose
# names contain NAME. A tool that is missing is left out and named. Memory is the most that was
# resident at once; below 20 MB it is that of this script.
#
# FRAGLENS names the program to measure; unless set, it is built.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' benches/compare.sh
    exit "$1"
}

runs=5
slow_runs=1
threads="1 2"
only=""
two_points=0
directory="${TMPDIR:-/tmp}/fraglens-captures"
while [ $# -gt 0 ]; do
    case "$1" in
        --quick) slow_runs=0 ;;
        --two-points) two_points=1 ;;
        --only) only="${2:?}"; shift ;;
        --runs) runs="${2:?}"; shift ;;
        --slow-runs) slow_runs="${2:?}"; shift ;;
        --threads) threads="${2:?}"; shift ;;
        -h | --help) usage 0 ;;
        -*) usage 2 >&2 ;;
        *) directory="$1" ;;
    esac
    shift
done

cargo build --quiet --release --example generate
if [ -z "${FRAGLENS:-}" ]; then
    cargo build --quiet --release
    FRAGLENS="${CARGO_TARGET_DIR:-target}/release/fraglens"
fi
generate="${CARGO_TARGET_DIR:-target}/release/examples/generate"

mkdir -p "$directory"
# Written under another name first: a capture that is there is whole.
make_file() {
    local file="$directory/$1"
    shift
    if [ ! -e "$file" ]; then
        echo "making $file" >&2
        "$@" >"$file.part"
        mv "$file.part" "$file"
    fi
}
make_file netperf.pcap "$generate" netperf --bytes 1086M
make_file vxlan-inner.pcap "$generate" vxlan-inner --bytes 1080M
make_file vxlan-outer.pcap "$generate" vxlan-outer --bytes 1080M
make_file small-1000.pcap "$generate" small --flows 1000 --bytes 1065M
make_file small-1000000.pcap "$generate" small --flows 1000000 --bytes 1065M
if [ "$two_points" = 1 ]; then
    mkdir -p "$directory/at-b"
    at_b() {
        make_file "at-b/$1" "$generate" "${@:2}" --later 50
    }
    make_file answered.pcap "$generate" answered --bytes 1065M --lost 30
    at_b netperf.pcap netperf --bytes 1086M
    at_b netperf-lost.pcap netperf --bytes 1086M --lost 30
    at_b vxlan-inner.pcap vxlan-inner --bytes 1080M
    at_b vxlan-inner-lost.pcap vxlan-inner --bytes 1080M --lost 30
    at_b inside-inner-lost.pcap vxlan-inner --bytes 1080M --lost 30 --inside
    make_file inside-inner.pcap "$generate" vxlan-inner --bytes 1080M --inside
    at_b inside-inner.pcap vxlan-inner --bytes 1080M --inside
    for kind in netperf vxlan-inner; do
        make_file $kind-whole.pcap "$generate" $kind --bytes 1080M --whole
        at_b $kind-whole.pcap $kind --bytes 1080M --whole
    done
    at_b vxlan-inner-whole-lost.pcap vxlan-inner --bytes 1080M --whole --lost 30
    at_b vxlan-outer.pcap vxlan-outer --bytes 1080M
    at_b inside-outer.pcap vxlan-outer --bytes 1080M --inside
    at_b small-1000.pcap small --flows 1000 --bytes 1065M
    at_b small-1000-lost.pcap small --flows 1000 --bytes 1065M --lost 30
    at_b small-1000000.pcap small --flows 1000000 --bytes 1065M
    at_b answered.pcap answered --bytes 1065M --lost 30
    make_file mixed.pcap "$generate" mixed --bytes 1080M
    at_b mixed.pcap mixed --bytes 1080M
    at_b mixed-lost.pcap mixed --bytes 1080M --lost 30
    make_file stream.pcap "$generate" stream --bytes 1060M
    make_file stream-joined.pcap "$generate" stream --bytes 1060M --joined
    at_b stream.pcap stream --bytes 1060M
    at_b stream-joined.pcap stream --bytes 1060M --joined
    at_b stream-lost.pcap stream --bytes 1060M --lost 10
    # Either end has a third of the flows for itself.
    for kind in mixed small; do
        make_file $kind-own.pcap "$generate" $kind --bytes 750M --without 0/3
        at_b $kind-own.pcap $kind --bytes 750M --without 1/3
    done
else
    make_file netperf-loss.pcap "$generate" netperf-loss --bytes 1086M
    make_file netperf.pcap.gz gzip -1 -c "$directory/netperf.pcap"
    if command -v zstd >/dev/null; then
        make_file netperf.pcap.zst zstd -q -c "$directory/netperf.pcap"
    fi
fi

export FRAGLENS directory runs slow_runs threads only two_points
exec python3 - <<'PYTHON'
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ENV = os.environ
RUNS, SLOW_RUNS = int(ENV["runs"]), int(ENV["slow_runs"])
THREADS = [int(number) for number in ENV["threads"].split()]
FRAGLENS, DIRECTORY = ENV["FRAGLENS"], ENV["directory"]
REPORT = os.path.join(tempfile.mkdtemp(), "report.json")

# Capture, the most that is allowed: times dd, megabytes; whether slow tools can do it.
PLAIN = [
    ("netperf.pcap", 2.0, 64, True),
    ("netperf-loss.pcap", None, 64, True),
    ("vxlan-inner.pcap", 2.5, 64, True),
    ("vxlan-outer.pcap", 5.0, 64, True),
    ("small-1000.pcap", 10.0, 64, True),
    ("small-1000000.pcap", 30.0, 700, False),
]
# Capture, what only decompresses it, the most that is allowed: times that.
COMPRESSED = [("netperf.pcap.gz", "zcat", 1.2), ("netperf.pcap.zst", "zstdcat", 1.2)]

# Captures at two points, without their directories: the same length of time is in both.
TWO_POINTS = [
    ("netperf", "netperf"),
    ("netperf", "netperf-lost"),
    ("netperf", "netperf-whole"),
    ("netperf-whole", "netperf"),
    ("vxlan-inner", "vxlan-inner"),
    ("vxlan-inner", "vxlan-inner-lost"),
    ("vxlan-inner", "inside-inner-lost"),
    ("inside-inner", "vxlan-inner-whole"),
    ("inside-inner", "vxlan-inner-whole-lost"),
    ("vxlan-inner-whole", "inside-inner"),
    ("vxlan-outer", "vxlan-outer"),
    ("vxlan-outer", "inside-outer"),
    ("small-1000", "small-1000"),
    ("small-1000", "small-1000-lost"),
    ("small-1000000", "small-1000000"),
    ("answered", "answered"),
    ("mixed", "mixed"),
    ("mixed", "mixed-lost"),
    ("stream", "stream"),
    ("stream", "stream-joined"),
    ("stream-joined", "stream"),
    ("stream-joined", "stream-lost"),
    ("mixed-own", "mixed-own"),
    ("small-own", "small-own"),
]

CHECKS = [
    option
    for preference in ("ip.defragment", "ip.check_checksum", "udp.check_checksum", "tcp.check_checksum")
    for option in ("-o", preference + ":TRUE")
]


def once(command):
    """Wall seconds and megabytes of one run."""
    begin = time.monotonic()
    process = subprocess.Popen(
        command, shell=isinstance(command, str), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    # grep found nothing: not an error here.
    if process.returncode != 0 and not isinstance(command, str):
        sys.exit(f"compare: status {process.returncode} from {command}")
    return seconds, usage.ru_maxrss / 1000


def measure(tools, runs, warm):
    """Median seconds and largest memory of each tool, the tools taking turns."""
    samples = {name: [] for name in tools}
    for turn in range(runs + warm):
        for name, command in tools.items():
            sample = once(command)
            if turn >= warm:
                samples[name].append(sample)
    return {
        name: (statistics.median(s for s, _ in taken), max(m for _, m in taken))
        for name, taken in samples.items()
        if taken
    }


def fraglens(path):
    return {
        f"fraglens, {threads} thread{'s' * (threads > 1)}": [
            FRAGLENS, "analyze", "--quiet", "--format", "json", "--threads", str(threads), "-o", REPORT, path,
        ]
        for threads in THREADS
    }


# A process of its own: what is resident in this one counts as memory of those it starts.
CHECK = """
import json, sys
report = json.load(open(sys.argv[1]))
bad = sum(counts["bad"] for counts in report["totals"]["checksums"].values())
frames = report["capture"]["frames"]
print(f"{frames} frames, {bad} bad checksums")
"""


def check():
    """What the last report counted, in short."""
    return subprocess.check_output([sys.executable, "-c", CHECK, REPORT], text=True).strip()


def present(tools):
    missing = [name for name, command in tools.items()
               if not shutil.which(command[0] if isinstance(command, list) else command.split()[0])]
    for name in missing:
        print(f"left out, not installed: {name}")
    return {name: command for name, command in tools.items() if name not in missing}


def table(rows, base, limits):
    """Prints what was measured as times of `base`; `limits`: times it, megabytes."""
    most_times, most_megabytes = limits
    times = rows[base][0]
    print(f"\n| tool | seconds | times {base} | peak MB |\n| --- | ---: | ---: | ---: |")
    for name, (seconds, megabytes) in rows.items():
        print(f"| {name} | {seconds:.3f} | {seconds / times:.2f} | {megabytes:.0f} |")
    ours = {name: row for name, row in rows.items() if name.startswith("fraglens")}
    best = min(ours.values())
    memory = max(megabytes for _, megabytes in ours.values())
    print()
    if most_times:
        verdict = "holds" if best[0] <= most_times * times else "MISSED"
        print(f"- limit {most_times} x {base}: {verdict}, {best[0] / times:.2f} x")
    if most_megabytes:
        verdict = "holds" if memory <= most_megabytes else "MISSED"
        print(f"- limit {most_megabytes} MB: {verdict}, {memory:.0f} MB")
    for name, (seconds, _) in rows.items():
        if name != base and name not in ours:
            print(f"- {seconds / best[0]:.1f} x faster than {name}")
    if len(ours) > 1:
        seconds = [row[0] for row in ours.values()]
        print(f"- {list(ours)[-1]} over {list(ours)[0]}: {seconds[0] / seconds[-1]:.2f} x")


with open("/proc/cpuinfo") as file:
    models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
print(f"{len(models)} x {models[0] if models else 'unknown processor'}, "
      f"load {os.getloadavg()[0]:.2f}, median of {RUNS}")

for one, other in TWO_POINTS if ENV["two_points"] == "1" else []:
    if ENV["only"] not in one + other:
        continue
    paths = [os.path.join(DIRECTORY, one + ".pcap"), os.path.join(DIRECTORY, "at-b", other + ".pcap")]
    options = ["--quiet", "--format", "json", "-o", REPORT]
    rows = measure({
        "analyze": [FRAGLENS, "analyze", *options, *paths],
        "fraglens compare": [FRAGLENS, "compare", *options, *paths],
    }, RUNS, 1)
    print(f"\n## {one}.pcap, at-b/{other}.pcap, {sum(map(os.path.getsize, paths)) / 1e9:.2f} GB")
    table(rows, "analyze", (2.0, None))
    sys.stdout.flush()
if ENV["two_points"] == "1":
    sys.exit()

for name, most_times, most_megabytes, for_slow_tools in PLAIN:
    if ENV["only"] not in name:
        continue
    path = os.path.join(DIRECTORY, name)
    fast = present({
        "dd": ["dd", f"if={path}", "of=/dev/null", "bs=1M"],
        "tcpdump -w": ["tcpdump", "-r", path, "-w", "/dev/null"],
        **fraglens(path),
    })
    slow = present({
        "tcpdump -nvv": f"tcpdump -nvv -r '{path}' | grep -c 'length 1444'",
        "tshark": ["tshark", "-n", "-r", path, *CHECKS],
    } if SLOW_RUNS and for_slow_tools else {})
    print(f"\n## {name}, {os.path.getsize(path) / 1e9:.2f} GB", flush=True)
    rows = measure(fast, RUNS, 1)
    rows.update(measure(slow, SLOW_RUNS, 0))
    table(rows, "dd", (most_times, most_megabytes))
    print(f"- {check()}", flush=True)

for name, tool, most_times in COMPRESSED:
    if ENV["only"] not in name:
        continue
    path = os.path.join(DIRECTORY, name)
    base = present({tool: [tool, path]})
    if not base or not os.path.exists(path):
        continue
    print(f"\n## {name}, {os.path.getsize(path) / 1e9:.2f} GB", flush=True)
    rows = measure({**base, **fraglens(path)}, RUNS, 1)
    table(rows, tool, (most_times, 64))
    print(f"- {check()}", flush=True)

shutil.rmtree(os.path.dirname(REPORT))
PYTHON
