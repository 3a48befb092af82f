#!/usr/bin/env python3
"""Counts a kernel capture the slow and simple way and prints its MANIFEST entry.

    tally.py CAPTURE NOTE [PATH=NUMBER...] [kernel.NAME=NUMBER...]

What the run decided (which fragments were dropped, how many TCP segments there were) has to be counted from
the file; this does it with none of fraglens's code. PATH=NUMBER are the numbers known beforehand: if one
differs from the count, nothing is printed and the run has failed. It knows what those captures hold, no more:
Ethernet and SLL2, IPv4 and IPv6, UDP, TCP and VXLAN, no duplicates later than 100 ms, nothing beyond 30 s.
"""

import collections
import pathlib
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
from packets import FRAGMENT, TCP, UDP, fold  # noqa: E402

VXLAN_PORTS = (4789, 5799)


def frames(data):
    """(link type, captured bytes, length on the wire) of a little-endian pcap or pcapng file."""
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        at = 0
        while at < len(data):
            kind, total = struct.unpack_from("<II", data, at)
            if kind == 1:
                link = struct.unpack_from("<H", data, at + 8)[0]
            if kind == 6:
                have, wire = struct.unpack_from("<II", data, at + 20)
                yield link, data[at + 28:at + 28 + have], wire
            at += total
        return
    link, at = struct.unpack_from("<I", data, 20)[0], 24
    while at < len(data):
        have, wire = struct.unpack_from("<II", data, at + 8)
        yield link, data[at + 16:at + 16 + have], wire
        at += 16 + have


class Party:
    """A flow or a tunnel: its largest payload with MF set, how often it occurred, and the IP length it had."""

    def __init__(self):
        self.largest, self.times, self.ip_length = -1, 0, None

    def with_more(self, payload, ip_length):
        if payload > self.largest:
            self.largest, self.times, self.ip_length = payload, 0, ip_length
        self.times += payload == self.largest


class Tally:
    def __init__(self):
        self.counts = collections.Counter()
        self.flows, self.tunnels = {}, {}
        self.open, self.done = {}, {}

    def count(self, path):
        self.counts["totals." + path] += 1

    def frame(self, link, data, wire):
        self.counts["capture.frames"] += 1
        self.counts["capture.truncated_frames"] += wire > len(data)
        self.internet(data[14 if link == 1 else 20:], ())

    def internet(self, data, scope):
        self.count("packets")
        if data[0] >> 4 == 4:
            ihl, length = (data[0] & 15) * 4, struct.unpack_from(">H", data, 2)[0]
            ident, word = struct.unpack_from(">HH", data, 4)
            offset, more, protocol = (word & 0x1FFF) * 8, bool(word & 0x2000), data[9]
            source, target = data[12:16], data[16:20]
            self.count("checksums.ipv4." + ("good" if fold(data[:ihl]) == 0xFFFF else "bad"))
        else:
            ihl, length, protocol = 40, 40 + struct.unpack_from(">H", data, 4)[0], data[6]
            source, target, offset, more = data[8:24], data[24:40], 0, False
            if protocol == FRAGMENT:
                protocol, word, ident = struct.unpack_from(">BxHI", data, 40)
                ihl, offset, more = 48, word & 0xFFF8, bool(word & 1)
        ends, payload, size = (source, target, protocol), data[ihl:length], length - ihl
        if not offset and not more:
            self.count("datagrams.unfragmented")
            self.transport(ends, payload, size, scope)
            return
        self.fragment((scope, ends, ident), payload, size, offset, more, length)

    def fragment(self, key, payload, size, offset, more, length):
        position = "last" if not more else "middle" if offset else "first"
        self.count("fragments." + position)
        self.count("fragments.total")
        if not offset and key[1][2] == UDP and struct.unpack_from(">H", payload, 4)[0] > size:
            self.count("bad_length.first_fragment_artifact")
        pieces = self.open.get(key)
        if pieces is None and (offset, size) in self.done.get(key, ()):
            self.count("fragments.duplicate")
            self.done[key][offset, size].append((size, length, more))
            return
        pieces = self.open.setdefault(key, {})
        copies = pieces.setdefault((offset, size), [])
        if copies:
            self.count("fragments.duplicate")
        copies.append((size, length, more) if copies else (size, length, more, payload))
        ends = [at + long for (at, long), held in pieces.items() if not held[0][2]]
        if ends and sum(long for _, long in pieces) == ends[0]:
            whole = b"".join(pieces[piece][0][3] for piece in sorted(pieces))
            self.count("datagrams.reassembled")
            self.done[key] = self.open.pop(key)
            party = self.transport(key[1], whole, ends[0], key[0])
            self.done[key]["party"] = party

    def transport(self, ends, data, size, scope):
        """Counts the checksum of one whole datagram (`data` is less than `size` when the snaplen cut it)."""
        source, target, protocol = ends
        sport, dport = struct.unpack_from(">HH", data)
        name, field = {UDP: ("udp", 6), TCP: ("tcp", 16)}[protocol]
        start = fold(source + target + struct.pack(">II", size, protocol))
        check = struct.unpack_from(">H", data, field)[0]
        if name == "udp":
            said = struct.unpack_from(">H", data, 4)[0]
            if said != size:
                self.count("bad_length.total")
        if name == "udp" and check == 0:
            verdict = "absent"
        elif len(data) < size:
            verdict = "unverifiable"
        elif fold(data, start) == 0xFFFF:
            verdict = "good"
        elif check == start:
            verdict = "offloaded"
        elif name == "udp" and dport in VXLAN_PORTS and fold(completed(data), start) == 0xFFFF:
            verdict = "offloaded"
        else:
            verdict = "bad"
        self.count(f"checksums.{name}.{verdict}")
        if name == "udp" and dport in VXLAN_PORTS:
            tunnel = scope + ((source, target, data[12:15]),)
            self.internet(data[30:], tunnel)
            return self.tunnels.setdefault(tunnel, Party())
        return self.flows.setdefault((scope, ends, sport, dport), Party())

    def finish(self):
        for key, pieces in self.open.items():
            self.count("datagrams.incomplete")
            first = next((held[0][3] for (at, _), held in pieces.items() if at == 0), None)
            ports = struct.unpack_from(">HH", first) if first else ()
            pieces["party"] = self.flows.setdefault((key[0], key[1], *ports), Party())
        for pieces in [*self.open.values(), *self.done.values()]:
            party = pieces.pop("party")
            for copies in pieces.values():
                for size, length, more, *_ in copies:
                    if more:
                        party.with_more(size, length)
        parties = [*self.flows.values(), *self.tunnels.values()]
        self.counts["totals.fragments.full_size"] = sum(party.times for party in parties)
        self.counts["totals.datagrams.fragmented"] = sum(
            self.counts["totals.datagrams." + fate] for fate in ("reassembled", "incomplete"))
        self.counts["flows.#"], self.counts["tunnels.#"] = len(self.flows), len(self.tunnels)
        only = next(iter(self.flows.values())) if len(self.flows) == 1 else Party()
        if only.ip_length:
            self.counts["flows.0.mtu.from"], self.counts["flows.0.mtu.to"] = only.ip_length, only.ip_length + 7
        return self.counts


def completed(outer):
    """A VXLAN datagram with the checksum inside it finished, as the NIC would do it."""
    inner = outer[30:]
    ihl, field = (inner[0] & 15) * 4, {UDP: 6, TCP: 16}[inner[9]]
    length = struct.unpack_from(">H", inner, 2)[0]
    right = ~fold(inner[ihl:length]) & 0xFFFF  # the field already holds the pseudo header's share
    at = 30 + ihl + field
    return outer[:at] + struct.pack(">H", right) + outer[at + 2:]


ALWAYS = """capture.frames capture.truncated_frames totals.packets totals.fragments.total totals.datagrams.unfragmented
    totals.datagrams.fragmented totals.bad_length.total flows.# tunnels.#""".split()
FRAGMENTED = """totals.fragments.first totals.fragments.middle totals.fragments.last totals.fragments.full_size
    totals.fragments.duplicate totals.fragments.overlapping totals.datagrams.reassembled totals.datagrams.timed_out
    totals.datagrams.incomplete totals.datagrams.overlapped totals.bad_length.first_fragment_artifact""".split()


def entry(path, note, findings, known, kernel):
    data = path.read_bytes()
    if data[:4] == b"\x28\xb5\x2f\xfd" or data[:2] == b"\x1f\x8b":
        data = subprocess.run(["zstd", "-dcfq", path], capture_output=True, check=True).stdout
    tally = Tally()
    for frame in frames(data):
        tally.frame(*frame)
    counts = tally.finish()
    wrong = {name: counts[name] for name, value in known.items() if counts[name] != value}
    if wrong:
        sys.exit(f"{path.name}: counted {wrong}, known beforehand {known}")
    names = ALWAYS + (FRAGMENTED if counts["totals.fragments.total"] else [])
    for protocol in ("ipv4", "udp", "tcp"):
        verdicts = [name for name in counts if name.startswith(f"totals.checksums.{protocol}.") and counts[name]]
        if verdicts:
            names += sorted({f"totals.checksums.{protocol}.good", f"totals.checksums.{protocol}.bad", *verdicts})
    names += [name for name in sorted(counts) if name.startswith("flows.0.")]
    if counts["totals.datagrams.incomplete"] and counts["capture.truncated_frames"]:
        names = [name for name in names if not name.endswith("udp.unverifiable")]
    lines = ["[[capture]]", f'file = "{path.name}"', 'origin = "kernel"', f'note = "{note}"',
             f'frames = {counts["capture.frames"]}',
             f"findings = [{', '.join(findings)}]", "[capture.expect]"]
    lines += [f'"{name}" = {counts[name]}' for name in names]
    if kernel:
        lines += ["[capture.kernel]"] + [f"{name} = {value}" for name, value in kernel.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    numbers = dict(word.split("=") for word in sys.argv[3:])
    findings = [f'"{one}"' for one in numbers.pop("findings", "").split(",") if one]
    known = {name: int(value) for name, value in numbers.items() if not name.startswith("kernel.")}
    kernel = {name.removeprefix("kernel."): int(value) for name, value in numbers.items() if name.startswith("kernel.")}
    print(entry(pathlib.Path(sys.argv[1]), sys.argv[2], findings, known, kernel))
