#!/usr/bin/env python3
"""Writes the constructed captures: `python3 construct.py` (all) or `python3 construct.py NAME...`.

Nothing depends on the clock, the machine or chance: the same bytes come out every time. One function makes
one capture; the table at the bottom says which. What each must count is in MANIFEST.toml. The .zst and
.lz4 copies are made by the `zstd` and `lz4` commands.
"""

import gzip
import pathlib
import struct
import subprocess
import sys

from packets import *

HERE = pathlib.Path(__file__).parent

# The two ends of every flow, two tunnel endpoints, and a router.
A, B = "10.0.0.1", "10.0.0.2"
A6, B6 = "2001:db8::1", "2001:db8::2"
HOST_A, HOST_B, ROUTER = "192.0.2.1", "192.0.2.2", "192.0.2.254"
HOST_A6, HOST_B6, ROUTER6 = "2001:db8:1::1", "2001:db8:1::2", "2001:db8:1::fe"


def message(size, seed=1, **fields):
    """A UDP datagram A -> B of `size` bytes, header included; `fields` are those of `udp`."""
    return udp(A, B, 4000, 5000, noise(size - 8, seed), **fields)


def message6(size, seed=1, **fields):
    return udp(A6, B6, 4000, 5000, noise(size - 8, seed), **fields)


def part(datagram, ident, start, end, more=None):
    """A frame with one fragment A -> B of a UDP datagram."""
    return ether(piece4(A, B, UDP, datagram, ident, start, end, more))


def part6(datagram, ident, start, end, more=None):
    return ether(piece6(A6, B6, UDP, datagram, ident, start, end, more))


def packet(length=108, seed=1):
    """A small whole UDP packet A -> B."""
    return ip4(A, B, UDP, message(length, seed))


def packet6(length=108, seed=1):
    return ip6(A6, B6, UDP, message6(length, seed))


def at(*timed):
    """(seconds after the start, frame) pairs as a capture."""
    return pcap([(START + round(seconds * SECOND), frame) for seconds, frame in timed])


# Fragments that make whole datagrams


def fragments_in_order():
    return pcap(every([ether(f) for f in pieces(piece4, A, B, UDP, message(3000), 1, 1480)]))


def fragments_out_of_order():
    """Tail first, middle first, and two datagrams interleaved."""
    one, two, three, four = ([ether(f) for f in pieces(piece4, A, B, UDP, message(3000, n), n, 1480)] for n in (1, 2, 3, 4))
    interleaved = [frame for pair in zip(three, four) for frame in pair]
    return pcap(every(one[::-1] + [two[1], two[0], two[2]] + interleaved))


def fragments_8_bytes():
    return pcap(every([ether(f) for f in pieces(piece4, A, B, UDP, message(64), 1, 8)]))


def fragments_8_bytes_tcp():
    """The first piece ends inside the TCP header, behind the ports."""
    segment = tcp(A, B, 4000, 80, noise(20))
    return pcap(every([ether(f) for f in pieces(piece4, A, B, TCP, segment, 1, 8)]))


def fragments_icmp():
    echo, echo6 = b"\0\1\0\1", b"\0\1\0\2"
    v4 = pieces(piece4, A, B, ICMP, icmp4(8, 0, echo, noise(2992)), 1, 1480)
    v6 = pieces(piece6, A6, B6, ICMP6, icmp6(A6, B6, 128, 0, echo6, noise(2992)), 1, 1448)
    return pcap(every([ether(f) for f in v4 + v6]))


def duplicate_fragments():
    """An exact copy of a first fragment; then a small piece wholly inside a first fragment."""
    one, two = message(3000, 1), message(3000, 2)
    first = [part(one, 1, 0, 1480), part(one, 1, 0, 1480), part(one, 1, 1480, 2960), part(one, 1, 2960, 3000)]
    second = [part(two, 2, 0, 1480), part(two, 2, 8, 808), part(two, 2, 1480, 2960), part(two, 2, 2960, 3000)]
    return pcap(every(first + second))


def duplicates_after_completion():
    """Copies 50 ms after the end, other data with the same id 60 ms after it, copies again when 100 ms are long over."""
    old, new = message(2400, 1), message(2400, 2)
    old1, old2 = part(old, 7, 0, 1480), part(old, 7, 1480, 2400)
    new1, new2 = part(new, 7, 0, 1480), part(new, 7, 1480, 2400)
    return at((0, old1), (0.001, old2), (0.050, old1), (0.051, old2),
              (0.060, new1), (0.061, new2), (0.300, old1), (0.301, old2))


def id_reuse():
    old, new = message(2400, 1), message(2400, 2)
    return at((0, part(old, 7, 0, 1480)), (0.001, part(old, 7, 1480, 2400)),
              (0.200, part(new, 7, 0, 1480)), (0.201, part(new, 7, 1480, 2400)))


# Fragments that contradict each other


def overlap_partial():
    d = message(3000)
    return pcap(every([part(d, 1, 0, 1480), part(d, 1, 2480, 3000), part(d, 1, 1000, 2480)]))


def overlap_then_more():
    """After the overlap come all the pieces that would have made the datagram whole."""
    d = message(3000)
    return pcap(every([part(d, 1, 0, 1480), part(d, 1, 1000, 2480),
                       part(d, 1, 0, 1480), part(d, 1, 1480, 2960), part(d, 1, 2960, 3000)]))


def overlap_end_before_held():
    d = message(3000)
    return pcap(every([part(d, 1, 0, 1480), part(d, 1, 1480, 2960), part(d, 1, 1480, 2000, more=False)]))


def overlap_two_ends():
    d = message(3000)
    return pcap(every([part(d, 1, 0, 1480), part(d, 1, 2000, 2600, more=False), part(d, 1, 2600, 3000)]))


def overlap_beyond_end():
    d = message(3400)
    return pcap(every([part(d, 1, 0, 1480), part(d, 1, 2000, 2600, more=False), part(d, 1, 2600, 3400, more=True)]))


def overlap_ipv6():
    d = message6(3000)
    return pcap(every([part6(d, 1, 0, 1448), part6(d, 1, 2448, 3000), part6(d, 1, 1000, 2448)]))


def ping_of_death():
    """The last piece of an echo request begins at 65,528 and so ends far beyond 65,535."""
    echo = icmp4(8, 0, b"\0\1\0\1", noise(1472))
    beyond = ip4(A, B, ICMP, noise(1480, 2), ident=1, offset=65528)
    return pcap(every([ether(ip4(A, B, ICMP, echo, ident=1, more=True)), ether(beyond)]))


def largest_datagram():
    """The largest UDP datagram IPv4 can carry: 65,507 bytes of data end exactly at IP length 65,535."""
    return pcap(every([ether(f) for f in pieces(piece4, A, B, UDP, message(65515), 1, 8968)]))


# Time


def timeout_ipv4():
    """Second halves 29 s and 31 s after the first: in time, and too late."""
    late, fine = message(2400, 1), message(2400, 2)
    return at((0, part(late, 1, 0, 1480)), (0.001, part(fine, 2, 0, 1480)),
              (29, part(fine, 2, 1480, 2400)), (31, part(late, 1, 1480, 2400)))


def timeout_ipv6():
    """The same with the 60 s of IPv6: 59 s and 61 s."""
    late, fine = message6(2400, 1), message6(2400, 2)
    return at((0, part6(late, 1, 0, 1448)), (0.001, part6(fine, 2, 0, 1448)),
              (59, part6(fine, 2, 1448, 2400)), (61, part6(late, 1, 1448, 2400)))


def incomplete():
    """First without last, last without first, and a middle alone, when the capture ends."""
    d = message(3000)
    return pcap(every([part(d, 1, 0, 1480), part(d, 2, 2960, 3000), part(d, 3, 1480, 2960)]))


# Wrong checksums


def damaged(data, where):
    return data[:where] + bytes([data[where] ^ 0x55]) + data[where + 1:]


def corruption():
    """One bit pattern flipped in flight: in UDP, TCP and ICMP data, in a fragment, and in an IPv4 header."""
    echo = icmp4(8, 0, b"\0\1\0\1", noise(56))
    whole = message(2400)
    return pcap(every([
        ether(ip4(A, B, UDP, damaged(message(108), 60))),
        ether(ip4(A, B, TCP, damaged(tcp(A, B, 4000, 80, noise(100)), 60))),
        ether(ip4(A, B, ICMP, damaged(echo, 40))),
        part(whole, 1, 0, 1480),
        part(damaged(whole, 2000), 1, 1480, 2400),
        ether(damaged(packet(), 8)),  # byte 8 is the TTL
        ether(ip4(A, B, UDP, message(108), checksum=0)),
    ]))


def splice():
    """Two datagrams with one id, the halves between them lost: the lengths fit, the data does not."""
    old, new = message(2400, 1), message(2400, 2)
    old0, new0 = message(2400, 1, checksum=0), message(2400, 2, checksum=0)
    return at((0, part(old, 9, 0, 1480)), (5, part(new, 9, 1480, 2400)),
              (6, part(old0, 10, 0, 1480)), (11, part(new0, 10, 1480, 2400)),
              (12, part(old, 11, 0, 1480)), (17, part(new, 11, 0, 1480)), (17.001, part(new, 11, 1480, 2400)))


def udp_checksum_zero():
    """Absent over IPv4, wrong over IPv6, absent again in an IPv6 tunnel; and a computed zero sent as 0xffff."""
    data = noise(100, 3)
    zero = struct.pack(">H", finish(udp(A, B, 4000, 5000, data + b"\0\0", checksum=0), pseudo(A, B, UDP, 110)))
    carrier = udp(HOST_A6, HOST_B6, 50000, 4789, vxlan(7, ether(packet())), checksum=0)
    return pcap(every([
        ether(ip4(A, B, UDP, message(108, checksum=0))),
        ether(ip6(A6, B6, UDP, message6(108, checksum=0))),
        ether(ip6(HOST_A6, HOST_B6, UDP, carrier)),
        ether(ip4(A, B, UDP, udp(A, B, 4000, 5000, data + zero))),
    ]))


def offloaded():
    """Checksum fields as a sender leaves them for its NIC: the bare pseudo-header sum."""
    data = noise(100)
    return pcap(every([
        ether(ip4(A, B, UDP, udp_partial(A, B, 4000, 5000, data))),
        ether(ip4(A, B, TCP, tcp_partial(A, B, 4000, 80, data))),
        ether(ip6(A6, B6, UDP, udp_partial(A6, B6, 4000, 5000, data))),
        ether(ip6(A6, B6, TCP, tcp_partial(A6, B6, 4000, 80, data))),
    ]))


def outer_for(finished):
    """The outer UDP checksum that is right when the VXLAN tunnel carries the frame `finished`."""
    return struct.unpack(">H", udp(HOST_A, HOST_B, 50000, 4789, vxlan(7, finished))[6:8])[0]


def local_checksum_offload():
    """VXLAN with outer checksums at its sender: inner unfinished, outer right once the inner is; then outer just wrong."""
    data = noise(100)
    finished, partial = (ether(ip4(A, B, TCP, make(A, B, 4000, 80, data))) for make in (tcp, tcp_partial))
    outers = [outer_for(finished), outer_for(finished) ^ 0x0F0F]
    return pcap(every([
        ether(ip4(HOST_A, HOST_B, UDP, udp(HOST_A, HOST_B, 50000, 4789, vxlan(7, partial), checksum=outer)))
        for outer in outers]))


def syn_retries_63s():
    """A tunnel whose outer checksum is wrong until, after 1+2+4+8+16+32 s, a SYN gets through."""
    syn = ether(ip4(A, B, TCP, tcp(A, B, 4000, 80, ack=0, flags=0x02)))
    answer = ether(ip4(B, A, TCP, tcp(B, A, 80, 4000, ack=1001, flags=0x12)))
    wrong = udp(HOST_A, HOST_B, 50000, 4789, vxlan(7, syn), checksum=outer_for(syn) ^ 0x0F0F)
    right = udp(HOST_A, HOST_B, 50000, 4789, vxlan(7, syn), checksum=0)
    reply = udp(HOST_B, HOST_A, 50000, 4789, vxlan(7, answer), checksum=0)
    retries = [(when, ether(ip4(HOST_A, HOST_B, UDP, wrong))) for when in (0, 1, 3, 7, 15, 31)]
    return at(*retries, (63, ether(ip4(HOST_A, HOST_B, UDP, right))), (63.0002, ether(ip4(HOST_B, HOST_A, UDP, reply))))


# Wrong lengths, and lengths that only look wrong


def udp_length():
    """UDP length longer than the packet, shorter, below its own header; then a right one."""
    return pcap(every([ether(ip4(A, B, UDP, datagram)) for datagram in (
        message(108, length=208, checksum=0), message(108, length=100), message(108, length=4, checksum=0), message(108))]))


def udp_length_fragmented():
    """The same four, each cut in two fragments."""
    datagrams = (message(2000, length=2100, checksum=0), message(2000, length=1900),
                 message(2000, length=4, checksum=0), message(2000))
    return pcap(every([ether(f) for ident, d in enumerate(datagrams, 1) for f in pieces(piece4, A, B, UDP, d, ident, 1480)]))


def ip_length_beyond_frame():
    """An IP packet of 528 bytes of which the wire carried 200."""
    return pcap(every([ether(packet(508)[:200])]))


def ethernet_padding():
    """Frames filled up to 60 bytes: the rest is no part of the datagram."""
    tiny, cut = message(9), message(40)
    frames = [ether(ip4(A, B, UDP, tiny)), ether(ip4(A, B, TCP, tcp(A, B, 4000, 80, flags=0x10))),
              part(cut, 1, 0, 32), part(cut, 1, 32, 40)]
    return pcap(every([padded(frame) for frame in frames]))


def superframe_ipv4_length_0():
    """TCP segments handed to the NIC whole: longer than an IPv4 length field can say, so it says 0."""
    big, small = noise(1000) * 66, noise(1000) * 4
    return pcap(every([
        ether(ip4(A, B, TCP, tcp_partial(A, B, 4000, 80, big), length=0)),
        ether(ip4(A, B, TCP, tcp(A, B, 4000, 80, small, seq=67000), length=0)),
    ]))


def superframe_ipv6_length_0():
    """BIG TCP: payload length 0, with the jumbo payload option and without it."""
    big, small = noise(1000) * 66, noise(1000) * 4
    segment = tcp_partial(A6, B6, 4000, 80, big)
    jumbo = struct.pack(">BBBBI", TCP, 0, 0xC2, 4, 8 + len(segment))
    return pcap(every([
        ether(ip6(A6, B6, HOPOPTS, jumbo + segment, length=0)),
        ether(ip6(A6, B6, TCP, tcp(A6, B6, 4000, 80, small, seq=67000), length=0)),
    ]))


# IP options and extension headers


def ipv4_options():
    """A source route with a hop left (the pseudo header has the last hop), one used up, and a timestamp."""
    last = message(108)  # its pseudo header says A -> B
    def route(pointer, hop):
        return struct.pack(">BBBB", 1, 131, 11, pointer) + addr(hop) + addr(B)
    timestamp = struct.pack(">BBBBI", 68, 8, 5, 0, 0)
    return pcap(every([
        ether(ip4(A, ROUTER, UDP, last, options=route(4, HOST_B))),
        ether(ip4(A, B, UDP, last, options=route(12, HOST_B))),
        ether(ip4(A, B, UDP, last, options=timestamp)),
    ]))


def fragments_with_options():
    """A source route is copied into each fragment; a record route only into the first."""
    d = message(2400)
    router_alert, record = struct.pack(">BBH", 148, 4, 0), struct.pack(">BBBB", 7, 7, 8, 10) + b"\0\0\1\0"
    return pcap(every([
        ether(piece4(A, B, UDP, d, 1, 0, 1464, options=router_alert + record)),
        ether(piece4(A, B, UDP, d, 1, 1464, 2400, options=router_alert)),
    ]))


def ipv6_extension_headers():
    """Hop-by-hop, destination options, two kinds of routing header with a segment left, an atomic fragment,
    and fragments behind a hop-by-hop header."""
    d, long = message6(108), message6(2000)
    pad = bytes((1, 4, 0, 0, 0, 0))
    routing0 = struct.pack(">BBBBI", UDP, 2, 0, 1, 0) + addr(B6)
    routing4 = struct.pack(">BBBBBBH", UDP, 4, 4, 1, 1, 0, 0) + addr(B6) + addr(HOST_B6)
    def hopped(start, end):
        piece = fragment6(UDP, 2, start, end < len(long)) + long[start:end]
        return ip6(A6, B6, HOPOPTS, bytes((FRAGMENT, 0)) + pad + piece)
    return pcap(every([ether(p) for p in (
        ip6(A6, B6, HOPOPTS, bytes((UDP, 0)) + pad + d),
        ip6(A6, B6, DSTOPTS, bytes((UDP, 0)) + pad + d),
        ip6(A6, ROUTER6, ROUTING, routing0 + d),
        ip6(A6, HOST_B6, ROUTING, routing4 + d),
        ip6(A6, B6, FRAGMENT, fragment6(UDP, 1, 0, False) + d),
        hopped(0, 1440),
        hopped(1440, 2000),
    )]))


# Messages about a flow, and other transports


def icmp_errors():
    """Fragmentation needed, reassembly time exceeded, and their IPv6 kin, each quoting the flow they are about."""
    quote, quote6 = packet(1480), packet6(1400)
    return pcap(every([ether(p) for p in (
        quote,
        ip4(ROUTER, A, ICMP, icmp4(3, 4, struct.pack(">HH", 0, 1400), quote[:576])),
        ip4(B, A, ICMP, icmp4(11, 1, bytes(4), quote[:28])),
        quote6,
        ip6(ROUTER6, A6, ICMP6, icmp6(ROUTER6, A6, 2, 0, struct.pack(">I", 1280), quote6[:1192])),
        ip6(B6, A6, ICMP6, icmp6(B6, A6, 3, 1, bytes(4), quote6[:1192])),
    )]))


def udp_lite():
    return pcap(every([ether(ip4(A, B, UDPLITE, udplite(A, B, 4000, 5000, noise(100), coverage))) for coverage in (0, 8)]))


def sctp_crc32c():
    """CRC32c right, then wrong."""
    return pcap(every([ether(ip4(A, B, SCTP, sctp(4000, 5000, noise(100), damage=damage))) for damage in (0, 1)]))


def wireguard_esp():
    initiation = struct.pack("<II", 1, 0x11223344) + noise(140, 1)
    transport = struct.pack("<IIQ", 4, 0x55667788, 0) + noise(112, 2)
    return pcap(every([
        ether(ip4(HOST_A, HOST_B, UDP, udp(HOST_A, HOST_B, 51820, 51820, initiation))),
        ether(ip4(HOST_A, HOST_B, UDP, udp(HOST_A, HOST_B, 51820, 51820, transport))),
        ether(ip4(HOST_A, HOST_B, ESP, struct.pack(">II", 0x1000, 1) + noise(120, 3))),
    ]))


def payload_like_vxlan():
    """UDP data that begins like a VXLAN header, on ports that are no tunnel's, and is something else behind it."""
    beginnings = (
        b"\x08" + noise(99, 1),
        b"\x08\0\0\0" + noise(96, 2),
        b"\x08\0\0\0\0\0\x2a\0" + noise(92, 3),
        b"\x08\0\0\0\0\0\x2a\0" + MAC_B + MAC_A + b"\x08\0" + b"\x15" + noise(60, 4),
    )
    return pcap(every([ether(ip4(A, B, UDP, udp(A, B, 4000, 17000 + n, data))) for n, data in enumerate(beginnings)]))


# Tunnels


def carried(port, tunnelled, checksum=0, source=50000):
    """An outer UDP packet HOST_A -> HOST_B; without a checksum, as most tunnels send it."""
    return ip4(HOST_A, HOST_B, UDP, udp(HOST_A, HOST_B, source, port, tunnelled, checksum=checksum))


def web(data=b""):
    return ip4(A, B, TCP, tcp(A, B, 4000, 80, data))


def vxlan_plain():
    """Over IPv4 without an outer checksum, over IPv6 with one; two outer source ports are one tunnel."""
    inner6 = ether(ip6(A6, B6, TCP, tcp(A6, B6, 4000, 80, noise(100))))
    over6 = udp(HOST_A6, HOST_B6, 50000, 4789, vxlan(42, inner6))
    return pcap(every([
        ether(carried(4789, vxlan(42, ether(packet())))),
        ether(carried(4789, vxlan(42, ether(web(noise(50)))), source=50001)),
        ether(ip6(HOST_A6, HOST_B6, UDP, over6)),
    ]))


def vxlan_gpe_protocols():
    other = ip4(A, B, UDP, udp(A, B, 4001, 5001, noise(100)))
    return pcap(every([ether(carried(4790, vxlan_gpe(77, protocol, inner))) for protocol, inner in (
        (1, packet()), (2, packet6()), (3, ether(other)))]))


def geneve_ovn():
    """Without and with OVN's option, without and with an outer checksum."""
    option = ovn_option(3, 4)
    return pcap(every([
        ether(carried(6081, geneve(5, ether(packet())))),
        ether(carried(6081, geneve(5, ether(web(noise(50))), option), checksum=None)),
    ]))


def geneve_outer_fragments():
    """Inner packets that fit, outer ones that do not: cut at 1,400 bytes, the second one tail first."""
    def cut(ident):
        inner = geneve(5, ether(packet(1408, ident)), ovn_option(3, 4))
        return pieces(piece4, HOST_A, HOST_B, UDP, udp(HOST_A, HOST_B, 50000, 6081, inner, checksum=0), ident, 1376)
    return pcap(every([ether(f) for f in cut(1) + cut(2)[::-1]]))


def tunnelled4(protocol, payload):
    return pcap(every([ether(ip4(HOST_A, HOST_B, protocol, payload))]))


def gre_plain():
    """IPv4 in GRE over IPv4, and IPv6 in GRE over IPv6."""
    return pcap(every([ether(ip4(HOST_A, HOST_B, GRE, gre(IPV4, packet()))),
                       ether(ip6(HOST_A6, HOST_B6, GRE, gre(IPV6, packet6())))]))


def gre_key_checksum_sequence():
    return tunnelled4(GRE, gre(IPV4, packet(), key=1234, sequence=1, checksum=True))


def nvgre():
    return tunnelled4(GRE, gre(TEB, ether(packet()), key=5001 << 8 | 7))


def gretap():
    return tunnelled4(GRE, gre(TEB, ether(packet())))


def erspan():
    return tunnelled4(GRE, erspan2(321, ether(packet()), 1))


def ipip():
    return tunnelled4(IPIP, packet())


def sit():
    return tunnelled4(SIT, packet6())


def ip6tnl():
    """IPv4 and IPv6 in IPv6; the second behind the encapsulation limit option that Linux adds."""
    limit = bytes((SIT, 0, 4, 1, 4, 1, 1, 0))
    return pcap(every([ether(ip6(HOST_A6, HOST_B6, IPIP, packet())),
                       ether(ip6(HOST_A6, HOST_B6, DSTOPTS, limit + packet6()))]))


def nested_vxlan_in_ipip():
    """Inner fragments in VXLAN in IPIP, whose first packet had to be cut again."""
    nodes = ("198.51.100.1", "198.51.100.2")
    frames = []
    for ident, fragment in enumerate(pieces(piece4, A, B, UDP, message(2000), 1, 1480), 1):
        middle = carried(4789, vxlan(42, ether(fragment)))
        frames += [ether(f) for f in pieces(piece4, *nodes, IPIP, middle, ident, 1480)]
    return pcap(every(frames))


def interleave(wrap):
    """Two tenants with the same addresses, ports and ids, a fragment of each in turn."""
    first, second = (pieces(piece4, A, B, UDP, message(2400, seed), 1, 1480) for seed in (1, 2))
    return pcap(every([wrap(tenant, f) for pair in zip(first, second) for tenant, f in enumerate(pair, 1)]))


def two_tenants():
    return interleave(lambda tenant, fragment: ether(carried(4789, vxlan(tenant, ether(fragment)))))


def two_vlans():
    return interleave(lambda tenant, fragment: ether(fragment, tags=[(0x8100, tenant * 10)]))


# Links


def tagged(*tags):
    return pcap(every([ether(packet(), tags=tags)]))


def vlan_1q():
    return tagged((0x8100, 10))


def vlan_qinq():
    return tagged((0x88A8, 100), (0x8100, 10))


def vlan_four():
    return tagged((0x88A8, 1), (0x8100, 2), (0x8100, 3), (0x8100, 4))


def vlan_9100():
    return tagged((0x9100, 100), (0x8100, 10))


def mpls():
    """One label, and two; the bottom one has the S bit."""
    bottom, top = struct.pack(">I", 17 << 12 | 0x140), struct.pack(">I", 16 << 12 | 0x40)
    return pcap(every([ether(bottom + packet(), kind=0x8847), ether(top + bottom + packet6(), kind=0x8847)]))


def pppoe():
    def session(protocol, inner):
        return ether(struct.pack(">BBHHH", 0x11, 0, 1, 2 + len(inner), protocol) + inner, kind=0x8864)
    return pcap(every([session(0x0021, packet()), session(0x0057, packet6())]))


def ppp():
    """With address and control, and with both compressed away."""
    return pcap(every([b"\xff\x03\x00\x21" + packet(), b"\x00\x57" + packet6()]), link=9)


def bsd_null():
    """The address family in the order of whoever captured: IPv4, the IPv6 of three systems, and a big-endian one."""
    little = [struct.pack("<I", family) for family in (2, 24, 28, 30)]
    frames = [little[0] + packet()] + [head + packet6() for head in little[1:]]
    return pcap(every(frames + [struct.pack(">I", 2) + packet()]), link=0)


def bsd_loop():
    return pcap(every([struct.pack(">I", 2) + packet(), struct.pack(">I", 24) + packet6()]), link=108)


def raw_ip():
    return pcap(every([packet(), packet6()]), link=101)


def raw_ipv4():
    return pcap(every([packet()]), link=228)


def raw_ipv6():
    return pcap(every([packet6()]), link=229)


def sll():
    def cooked(inner):
        return struct.pack(">HHH8sH", 0, 1, 6, MAC_A, ethertype(inner)) + inner
    return pcap(every([cooked(packet()), cooked(packet6())]), link=113)


def sll2():
    def cooked(inner):
        return struct.pack(">HHIHBB8s", ethertype(inner), 0, 2, 1, 0, 6, MAC_A) + inner
    return pcap(every([cooked(packet()), cooked(packet6())]), link=276)


# Containers: all around the same three frames


def sample():
    """A small whole datagram and one in two fragments."""
    whole = message(2400)
    return [ether(packet()), part(whole, 1, 0, 1480), part(whole, 1, 1480, 2400)]


NANOSECONDS = START + 123_456_789


def sample_pcap():
    return pcap(every(sample()))


def big_endian():
    return pcap(every(sample()), order=">")


def nanosecond():
    return pcap(every(sample(), start=NANOSECONDS), nanosecond=True)


def nanosecond_big_endian():
    return pcap(every(sample(), start=NANOSECONDS), order=">", nanosecond=True)


def modified():
    return pcap_modified(every(sample()))


def snaplen_cut():
    """96 bytes of each frame: the lengths are there, the data is not. The third frame is short enough to be whole."""
    whole = message(2400)
    frames = [ether(packet(1008)), ether(packet(1008, 2)), ether(packet(40)),
              part(whole, 1, 0, 1480), part(whole, 1, 1480, 2400)]
    return pcap(every(frames), snaplen=96)


def empty():
    return pcap([])


def cut_mid_record():
    """What a killed capture leaves: the last record is half there."""
    return pcap(every(sample() + sample()[:1]))[:-60]


def damaged_middle():
    """The fourth of six records claims two thousand million bytes."""
    good, rest = pcap(every(sample())), every(sample(), start=START + SECOND)
    tail = bytearray(pcap(rest)[24:])
    tail[8:12] = struct.pack("<I", 0x7FFFFFFF)
    return good + bytes(tail)


def rotated_1():
    whole = message(2400)
    return at((0, ether(packet())), (0.001, part(whole, 1, 0, 1480)))


def rotated_2():
    whole = message(2400)
    return at((0.002, part(whole, 1, 1480, 2400)), (0.003, ether(packet(108, 2))))


def pcapng_sections(order):
    section = Section(order)
    section.interface(1)
    for when, frame in every(sample()):
        section.packet(0, when // 1000, frame)
    return section.bytes


def two_sections():
    """A little-endian and a big-endian section; the second repeats the first, 1 s later and with other data."""
    second = Section(">")
    second.interface(1, (9, b"\x09"))
    for when, frame in zip(range(START + SECOND, START + 2 * SECOND, MS), (
            ether(packet(108, 3)), part(message(2400, 4), 2, 0, 1480), part(message(2400, 4), 2, 1480, 2400))):
        second.packet(0, when, frame)
    return pcapng_sections("<") + second.bytes


def interfaces():
    """Three interfaces that agree in nothing: link type, snaplen, unit of time, and where time begins.
    The first frame is at .123456789 s, the last 1.5 s later."""
    section = Section()
    section.interface(1, (2, b"eth0"), (9, b"\x09"), snaplen=0)
    section.interface(101, (2, b"tun0"), (9, b"\x94"), snaplen=96)
    section.interface(1, (2, b"eth1"), (14, section.pack("q", 1_704_000_000)))
    one, two, three = sample()
    section.packet(0, NANOSECONDS, one)
    section.packet(1, (START // SECOND << 20) + (1 << 19), packet(1008)[:96], wire=1028)
    section.packet(2, (START + SECOND) // 1000 - 1_704_000_000 * 1_000_000, two)
    section.packet(0, NANOSECONDS + 1500 * MS, three)
    return section.bytes


def blocks():
    """Every kind of block, in one section: enhanced, simple and obsolete packets, names, statistics,
    comments, a custom and an unknown block."""
    section = Section()
    section.interface(1, (1, b"a comment on an interface"), (9, b"\x06"))
    section.interface(1)
    one, two, three = sample()
    section.packet(0, START // 1000, one, (1, b"a comment on a packet"))
    section.block(4, section.pack("HH", 1, 14) + pad4(addr(A) + b"client.ex\0") + section.pack("HH", 0, 0))
    section.block(0xBAD, section.pack("I", 32473) + b"anything at all!")
    section.obsolete_packet(0, START // 1000 + 1000, two)
    section.block(0x0BADCAFE, b"nobody knows this block.")
    section.packet(0, START // 1000 + 2000, three)
    section.simple_packet(ether(packet(108, 2)))
    section.statistics(0, START // 1000 + 3000, (4, section.pack("Q", 20)), (5, section.pack("Q", 3)))
    section.statistics(1, START // 1000 + 3000, (5, section.pack("Q", 0)), (7, section.pack("Q", 0)))
    section.statistics(0, START // 1000 + 4000, (4, section.pack("Q", 30)), (5, section.pack("Q", 4)), (7, section.pack("Q", 5)))
    return section.bytes


def damaged_block():
    """The block after the third packet claims a length that is no multiple of four and beyond the file."""
    return pcapng_sections("<") + struct.pack("<II", 6, 0x7FFFFFF1) + noise(200)


def gzipped():
    return gzip.compress(sample_pcap(), mtime=0)


def piped(*command, data=None):
    data = sample_pcap() if data is None else data
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def lz4():
    return piped("lz4", "-9", "-c")


def zstd():
    return piped("zstd", "-19", "-c")


def zstd_of(data):
    return piped("zstd", "-19", "-c", data=data)


# One path, captured at three points


POD_A, POD_B = "10.244.1.7", "10.244.2.9"
US = 1000


def path_fragments():
    """120 messages of 8,192 bytes from pod to pod, six fragments each, 10 us apart: (nanoseconds, number, packet)."""
    number = 0
    for ident in range(120):
        datagram = udp(POD_A, POD_B, 40000, 5001, bytes(8192))
        for place, fragment in enumerate(pieces(piece4, POD_A, POD_B, UDP, datagram, 1000 + ident, 1424)):
            yield START + ident * 5 * MS + place * 10 * US, number, fragment
            number += 1


def path_pod():
    """At the sender's pod: everything."""
    return zstd_of(pcap([(when, ether(packet)) for when, _, packet in path_fragments()], nanosecond=True))


def path_node():
    """At the receiver's node, inside VXLAN, 60 us later: the capture itself misses numbers 100 to 104."""
    seen = [(when + 60 * US + number % 7 * US, packet) for when, number, packet in path_fragments()
            if not 100 <= number <= 104]
    return zstd_of(pcap([(when, ether(carried(4789, vxlan(42, ether(packet))))) for when, packet in seen],
                        nanosecond=True))


def path_receiver():
    """In the receiver's pod, 20 us later by a clock that is 2.5 s ahead: every 31st fragment was lost behind the
    node."""
    seen = [(when + 2 * SECOND + 500 * MS + 80 * US + number % 5 * US, packet)
            for when, number, packet in path_fragments() if number % 31 != 30]
    return zstd_of(pcap([(when, ether(packet)) for when, packet in seen], nanosecond=True))


CAPTURES = {
    "path-pod.pcap.zst": path_pod,
    "path-node.pcap.zst": path_node,
    "path-receiver.pcap.zst": path_receiver,
    "fragments-in-order.pcap": fragments_in_order,
    "fragments-out-of-order.pcap": fragments_out_of_order,
    "fragments-8-bytes.pcap": fragments_8_bytes,
    "fragments-8-bytes-tcp.pcap": fragments_8_bytes_tcp,
    "fragments-icmp.pcap": fragments_icmp,
    "fragments-with-options.pcap": fragments_with_options,
    "duplicate-fragments.pcap": duplicate_fragments,
    "duplicates-after-completion.pcap": duplicates_after_completion,
    "id-reuse.pcap": id_reuse,
    "largest-datagram.pcap": largest_datagram,
    "overlap-partial.pcap": overlap_partial,
    "overlap-then-more.pcap": overlap_then_more,
    "overlap-end-before-held.pcap": overlap_end_before_held,
    "overlap-two-ends.pcap": overlap_two_ends,
    "overlap-beyond-end.pcap": overlap_beyond_end,
    "overlap-ipv6.pcap": overlap_ipv6,
    "ping-of-death.pcap": ping_of_death,
    "timeout-ipv4.pcap": timeout_ipv4,
    "timeout-ipv6.pcap": timeout_ipv6,
    "incomplete.pcap": incomplete,
    "corruption.pcap": corruption,
    "splice.pcap": splice,
    "udp-checksum-zero.pcap": udp_checksum_zero,
    "offloaded.pcap": offloaded,
    "local-checksum-offload.pcap": local_checksum_offload,
    "syn-retries-63s.pcap": syn_retries_63s,
    "udp-length.pcap": udp_length,
    "udp-length-fragmented.pcap": udp_length_fragmented,
    "ip-length-beyond-frame.pcap": ip_length_beyond_frame,
    "ethernet-padding.pcap": ethernet_padding,
    "superframe-ipv4-length-0.pcap": superframe_ipv4_length_0,
    "superframe-ipv6-length-0.pcap": superframe_ipv6_length_0,
    "ipv4-options.pcap": ipv4_options,
    "ipv6-extension-headers.pcap": ipv6_extension_headers,
    "icmp-errors.pcap": icmp_errors,
    "udp-lite.pcap": udp_lite,
    "sctp-crc32c.pcap": sctp_crc32c,
    "wireguard-esp.pcap": wireguard_esp,
    "payload-like-vxlan.pcap": payload_like_vxlan,
    "vxlan.pcap": vxlan_plain,
    "vxlan-gpe.pcap": vxlan_gpe_protocols,
    "geneve-ovn.pcap": geneve_ovn,
    "geneve-outer-fragments.pcap": geneve_outer_fragments,
    "gre.pcap": gre_plain,
    "gre-key-checksum-sequence.pcap": gre_key_checksum_sequence,
    "nvgre.pcap": nvgre,
    "gretap.pcap": gretap,
    "erspan2.pcap": erspan,
    "ipip.pcap": ipip,
    "sit.pcap": sit,
    "ip6tnl.pcap": ip6tnl,
    "nested-vxlan-in-ipip.pcap": nested_vxlan_in_ipip,
    "two-tenants.pcap": two_tenants,
    "two-vlans.pcap": two_vlans,
    "vlan-1q.pcap": vlan_1q,
    "vlan-qinq.pcap": vlan_qinq,
    "vlan-four.pcap": vlan_four,
    "vlan-9100.pcap": vlan_9100,
    "mpls.pcap": mpls,
    "pppoe.pcap": pppoe,
    "ppp.pcap": ppp,
    "bsd-null.pcap": bsd_null,
    "bsd-loop.pcap": bsd_loop,
    "raw-ip.pcap": raw_ip,
    "raw-ipv4.pcap": raw_ipv4,
    "raw-ipv6.pcap": raw_ipv6,
    "sll.pcap": sll,
    "sll2.pcap": sll2,
    "sample.pcap": sample_pcap,
    "sample.pcap.gz": gzipped,
    "sample.pcap.lz4": lz4,
    "sample.pcap.zst": zstd,
    "big-endian.pcap": big_endian,
    "nanosecond.pcap": nanosecond,
    "nanosecond-big-endian.pcap": nanosecond_big_endian,
    "modified.pcap": modified,
    "snaplen-cut.pcap": snaplen_cut,
    "empty.pcap": empty,
    "cut-mid-record.pcap": cut_mid_record,
    "damaged-middle.pcap": damaged_middle,
    "damaged-block.pcapng": damaged_block,
    "rotated-1.pcap": rotated_1,
    "rotated-2.pcap": rotated_2,
    "two-sections.pcapng": two_sections,
    "interfaces.pcapng": interfaces,
    "blocks.pcapng": blocks,
}


def main(names):
    for name in names or CAPTURES:
        (HERE / name).write_bytes(CAPTURES[name]())


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(sys.argv[1:])
