#!/usr/bin/env python3
"""The load for the kernel scenarios: nothing but the standard library.

    traffic.py receive                                     drains port 5001, for as long as it is let
    traffic.py flood ADDRESS SIZE MBITS SECONDS            messages of SIZE bytes, paced, from a UDP socket
    traffic.py beat ADDRESS                                a small message now and then, for as long as it is let
    traffic.py serve                                       drains TCP connections to port 5001 likewise
    traffic.py stream ADDRESS BYTES                        so many bytes over TCP
    traffic.py relay DEVICE ADDRESS                        what this host gets for ADDRESS goes out of DEVICE whole
    traffic.py raw ADDRESS PATTERN TIMES QUIET             fragments made by hand, then QUIET seconds of nothing

Each prints a line when it can take traffic, or has sent all. A sender ends with one whole packet, so that the
last frame of a capture is of the moment when the line is printed.
"""

import random
import signal
import socket
import struct
import sys
import time

PORT = 5001
SO_RCVBUFFORCE = 33
RECEIVE_BUFFER = 64 << 20
LATE = 3  # seconds
SETTLE = 0.1  # for what is still on its way
SOURCE = {socket.AF_INET: "10.1.0.2", socket.AF_INET6: "fd00:1::2"}
UDP, FRAGMENT = 17, 44


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def receive():
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)  # takes IPv4 as well
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
    s.bind(("::", PORT))
    print("ready", flush=True)
    room = bytearray(65536)
    while True:
        s.recv_into(room)


def end(address):
    time.sleep(SETTLE)
    with socket.socket(family(address), socket.SOCK_DGRAM) as s:
        s.sendto(b"end", (address, PORT))


def flood(address, size, mbits, seconds):
    s = socket.socket(family(address), socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    s.connect((address, PORT))
    message = bytes(size)
    gap = size * 8 / (mbits * 1e6)
    begin = time.monotonic()
    due, sent = begin, 0
    # A host that had no time for it for a while is to send as much, if later.
    while due < begin + seconds and time.monotonic() < begin + seconds + LATE:
        s.send(message)
        sent += 1
        due += gap
        time.sleep(max(0, due - time.monotonic()))
    end(address)
    print("sent", sent, flush=True)


def beat(address):
    """Numbered, so that no two are alike. Says that it is on its way, and goes on."""
    with socket.socket(family(address), socket.SOCK_DGRAM) as s:
        s.connect((address, PORT))
        for number in range(1500):
            s.send(b"beat %8d" % number)
            time.sleep(0.02)
            if number == 10:
                print("beating", flush=True)


def serve():
    with socket.create_server(("", PORT)) as listening:
        print("ready", flush=True)
        while True:
            connection, _ = listening.accept()
            while connection.recv(1 << 20):
                pass
            connection.close()


def stream(address, size):
    """No two of its segments are alike. Ends when the other side has read everything."""
    data = random.Random(size).randbytes(size)
    with socket.create_connection((address, PORT)) as s:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        s.recv(1)
    end(address)
    print("sent", size, flush=True)


def relay(device, address):
    """A middlebox that puts fragments together: what is routed to this host although it is for ADDRESS, which its
    kernel has put together, goes on as it is, one hop further."""
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
    out = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taking:  # else the kernel would say that nobody listens
        taking.bind(("", PORT))
        print("ready", flush=True)
        while True:
            packet = bytearray(s.recv(65536))
            if packet[16:20] == socket.inet_aton(address):
                packet[8] -= 1
                packet[6:8] = bytes(2)
                out.sendto(packet, (address, 0))


class Raw:
    """Sends fragments of datagrams; a datagram is known by its id."""

    def __init__(self, address):
        self.family, self.address, self.last_id = family(address), address, 0
        kind = socket.IPPROTO_RAW  # the header is ours
        self.socket = socket.socket(self.family, socket.SOCK_RAW, kind)

    def new_id(self):
        self.last_id += 1
        return self.last_id

    def fragment(self, datagram, offset, length, more):
        """LENGTH bytes from OFFSET. Offset 0 begins with a UDP header without checksum."""
        data = bytes(length)
        if offset == 0:
            data = struct.pack("!HHHH", 40000, PORT, 0, 0) + data[8:]
        self.socket.sendto(self.header(datagram, offset, length, more) + data, (self.address, 0))

    def header(self, datagram, offset, length, more):
        addresses = [socket.inet_pton(self.family, a) for a in (SOURCE[self.family], self.address)]
        if self.family == socket.AF_INET:
            flags = (0x2000 if more else 0) | offset // 8
            return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + length, datagram, flags, 64, UDP, 0, *addresses)
        fixed = struct.pack("!IHBB16s16s", 6 << 28, 8 + length, FRAGMENT, 64, *addresses)
        return fixed + struct.pack("!BBHI", UDP, 0, offset | more, datagram)

    def pair(self):
        datagram = self.new_id()
        self.fragment(datagram, 0, 64, True)
        self.fragment(datagram, 64, 64, False)


def interleave(raw, others):
    """The two pieces of one datagram, with OTHERS fragments of other datagrams between them."""
    datagram = raw.new_id()
    raw.fragment(datagram, 0, 64, True)
    for _ in range(others // 2):
        raw.pair()
    raw.fragment(datagram, 64, 64, False)
    return datagram


def near(raw):
    """As far apart as `ipfrag_max_dist` 64 allows: whole."""
    interleave(raw, 62)


def far(raw):
    """Too far: the head is forgotten, the tail stays alone."""
    interleave(raw, 64)


def far_resent(raw):
    """Too far, but the head comes again: whole after all."""
    datagram = interleave(raw, 64)
    raw.fragment(datagram, 0, 64, True)


def overlap(raw):
    """One of each: pieces that contradict each other. What comes after a discard stays open."""
    overlaps = [
        [(0, 64, True), (56, 64, True)],  # the end of what is held
        [(64, 64, True), (0, 72, True)],  # the begin of what is held
        [(8, 8, True), (0, 64, True)],  # all around what is held
        [(0, 64, True), (128, 64, False), (56, 80, True)],  # both neighbours
        [(0, 64, True), (56, 64, True), (128, 64, False)],  # more pieces come
        [(0, 64, True), (64, 64, True), (64, 8, False)],  # an end before what is held
        [(64, 64, False), (128, 64, False)],  # two ends
        [(64, 64, False), (128, 64, True)],  # beyond the end
    ]
    for pieces in overlaps:
        datagram = raw.new_id()
        for piece in pieces:
            raw.fragment(datagram, *piece)


def duplicate(raw):
    """One of each: pieces that were there before. All become whole."""
    duplicates = [
        [(0, 64, True), (0, 64, True), (64, 64, False)],  # the first again
        [(64, 64, False), (64, 64, False), (0, 64, True)],  # the last again
        [(0, 64, True), (128, 64, False), (128, 64, False), (64, 64, True)],
        [(0, 64, True), (8, 16, True), (64, 64, False)],  # inside what is held
        [(64, 64, True), (64, 8, True), (128, 64, False), (0, 64, True)],
    ]
    for pieces in duplicates:
        datagram = raw.new_id()
        for piece in pieces:
            raw.fragment(datagram, *piece)


def late(raw):
    """A copy that comes after its datagram became whole opens a new one."""
    datagram = raw.new_id()
    for piece in [(0, 64, True), (64, 64, False), (64, 64, False)]:
        raw.fragment(datagram, *piece)


def send_raw(address, pattern, times, quiet):
    patterns = {
        "distance": [near, far, far_resent],
        "overlap": [overlap],
        "duplicate": [duplicate, late],
    }
    raw = Raw(address)
    for _ in range(times):
        for send in patterns[pattern]:
            send(raw)
            time.sleep(0.002)  # no burst is longer than the backlog of a device
    time.sleep(quiet)
    end(address)
    print("sent", raw.last_id, flush=True)


if __name__ == "__main__":
    signal.alarm(30)  # nothing here runs longer
    command, *rest = sys.argv[1:]
    if command == "receive":
        receive()
    elif command == "flood":
        flood(rest[0], int(rest[1]), float(rest[2]), float(rest[3]))
    elif command == "beat":
        beat(rest[0])
    elif command == "serve":
        serve()
    elif command == "stream":
        stream(rest[0], int(rest[1]))
    elif command == "relay":
        relay(rest[0], rest[1])
    elif command == "raw":
        send_raw(rest[0], rest[1], int(rest[2]), float(rest[3]))
    else:
        sys.exit(__doc__)
