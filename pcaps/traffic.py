#!/usr/bin/env python3
"""The load for kernel.sh: a UDP or TCP sender and receiver, nothing but the standard library.

    traffic.py udp-receive ADDRESS PORT                    counts until SIGTERM, then prints `received N`
    traffic.py udp-send ADDRESS PORT SIZE COUNT MBITS      sends COUNT messages of SIZE bytes, paced
    traffic.py tcp-receive ADDRESS PORT                    reads one connection to its end
    traffic.py tcp-send ADDRESS PORT SIZE COUNT            COUNT writes of SIZE bytes, 2 ms apart

Receivers print `ready` when they can take traffic. UDP comes from port 40000, TCP from 40001.
"""

import signal
import socket
import sys
import time

RECEIVE_BUFFER = 512 << 20  # far above what a run sends: the socket is never the bottleneck
SO_RCVBUFFORCE = 33
IP_MTU_DISCOVER, IP_PMTUDISC_OMIT = 10, 5
PATTERN = b"fraglens" * 8192


def sock(address, kind):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, kind)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return made


def wildcard(made):
    return "::" if made.family == socket.AF_INET6 else "0.0.0.0"


def udp_receive(address, port):
    s = sock(address, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
    s.bind((address, port))
    s.settimeout(0.2)
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
    print("ready", flush=True)
    received, room = 0, bytearray(65536)
    while True:
        try:
            s.recv_into(room)
            received += 1
        except TimeoutError:
            if stop:
                break
    print("received", received, flush=True)


def udp_send(address, port, size, count, mbits):
    s = sock(address, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    if s.family == socket.AF_INET:  # the MTU is the device's, DF stays clear: a tunnel may cut the outer packet
        s.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_OMIT)
    s.bind((wildcard(s), 40000))
    gap = size * 8 / (mbits * 1e6)
    due = time.monotonic()
    for _ in range(count):
        s.sendto(PATTERN[:size], (address, port))
        due += gap
        time.sleep(max(0, due - time.monotonic()))


def tcp_receive(address, port):
    s = sock(address, socket.SOCK_STREAM)
    s.bind((address, port))
    s.listen()
    print("ready", flush=True)
    connection, _ = s.accept()
    while connection.recv(1 << 20):
        pass


def tcp_send(address, port, size, count):
    s = sock(address, socket.SOCK_STREAM)
    s.bind((wildcard(s), 40001))
    s.connect((address, port))
    data = (PATTERN * (size // len(PATTERN) + 1))[:size]
    for _ in range(count):
        s.sendall(data)
        time.sleep(0.002)
    s.close()


if __name__ == "__main__":
    signal.alarm(60)  # nothing here runs longer
    commands = {"udp-receive": udp_receive, "udp-send": udp_send, "tcp-receive": tcp_receive, "tcp-send": tcp_send}
    name, where, *numbers = sys.argv[1:]
    commands[name](where, *map(int, numbers))
