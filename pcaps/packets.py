"""Packets and capture files as bytes: every header by hand, nothing but the standard library.

Checksums are right unless a caller asks for another value. Lengths and addresses are what the caller
says they are, so that wrong ones can be made as easily as right ones.
"""

import ipaddress
import random
import struct

ICMP, IPIP, TCP, UDP, SIT, ROUTING, FRAGMENT, GRE, ESP, ICMP6, DSTOPTS, SCTP, UDPLITE = (
    1, 4, 6, 17, 41, 43, 44, 47, 50, 58, 60, 132, 136)
HOPOPTS = 0
IPV4, IPV6, TEB = 0x0800, 0x86DD, 0x6558

START = 1_704_164_645_000_000_000  # 2024-01-02T03:04:05Z, in nanoseconds: the clock of every capture
MS = 1_000_000
SECOND = 1_000_000_000


def noise(length, seed=1):
    """Bytes that look like data and are the same in every run."""
    return random.Random(seed).randbytes(length)


def addr(text):
    return ipaddress.ip_address(text).packed


# Checksums


def fold(data, start=0):
    """The one's complement sum of RFC 1071, not complemented."""
    if len(data) % 2:
        data += b"\0"
    total = start + sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def pseudo(src, dst, protocol, length):
    """The folded sum of the pseudo header: what a sender leaves in the field for its NIC to finish."""
    return fold(addr(src) + addr(dst) + struct.pack(">II", length, protocol))


def finish(data, start):
    return ~fold(data, start) & 0xFFFF


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


# Internet layer


def ip4(src, dst, protocol, payload, *, ident=0, offset=0, more=False, ttl=64, options=b"", length=None, checksum=None):
    ihl = 20 + len(options)
    length = ihl + len(payload) if length is None else length
    word = offset // 8 | (0x2000 if more else 0)
    head = struct.pack(">BBHHHBBH", 0x40 | ihl // 4, 0, length, ident, word, ttl, protocol, 0)
    head += addr(src) + addr(dst) + options
    checksum = finish(head, 0) if checksum is None else checksum
    return head[:10] + struct.pack(">H", checksum) + head[12:] + payload


def ip6(src, dst, following, payload, *, length=None, hops=64):
    length = len(payload) if length is None else length
    return struct.pack(">IHBB", 0x60000000, length, following, hops) + addr(src) + addr(dst) + payload


def ip(src, dst, protocol, payload):
    return (ip6 if ":" in src else ip4)(src, dst, protocol, payload)


def piece4(src, dst, protocol, datagram, ident, start, end, more=None, options=b""):
    """Bytes start..end of a datagram as a fragment; MF is set when bytes are left, unless `more` says otherwise."""
    more = end < len(datagram) if more is None else more
    return ip4(src, dst, protocol, datagram[start:end], ident=ident, offset=start, more=more, options=options)


def piece6(src, dst, protocol, datagram, ident, start, end, more=None):
    more = end < len(datagram) if more is None else more
    return ip6(src, dst, FRAGMENT, fragment6(protocol, ident, start, more) + datagram[start:end])


def fragment6(following, ident, offset, more):
    return struct.pack(">BBHI", following, 0, offset | bool(more), ident)


def pieces(cut, src, dst, protocol, datagram, ident, size):
    """The datagram cut in pieces of `size` bytes, in order. `cut` is piece4 or piece6."""
    starts = range(0, len(datagram), size)
    return [cut(src, dst, protocol, datagram, ident, at, min(at + size, len(datagram))) for at in starts]


# Transport layer


def udp(src, dst, sport, dport, data, *, length=None, checksum=None):
    """`length` replaces the length field; the checksum covers that many bytes, as a receiver would check it."""
    length = 8 + len(data) if length is None else length
    head = struct.pack(">HHH", sport, dport, length)
    if checksum is None:
        covered = (head + b"\0\0" + data)[:length]
        checksum = finish(covered, pseudo(src, dst, UDP, length)) or 0xFFFF
    return head + struct.pack(">H", checksum) + data


def udp_partial(src, dst, sport, dport, data):
    return udp(src, dst, sport, dport, data, checksum=pseudo(src, dst, UDP, 8 + len(data)))


def tcp(src, dst, sport, dport, data=b"", *, seq=1000, ack=1, flags=0x18, checksum=None):
    head = struct.pack(">HHIIBBH", sport, dport, seq, ack, 0x50, flags, 502)
    if checksum is None:
        checksum = finish(head + b"\0\0\0\0" + data, pseudo(src, dst, TCP, 20 + len(data)))
    return head + struct.pack(">HH", checksum, 0) + data


def tcp_partial(src, dst, sport, dport, data=b"", **fields):
    return tcp(src, dst, sport, dport, data, checksum=pseudo(src, dst, TCP, 20 + len(data)), **fields)


def icmp4(kind, code, rest, data, checksum=None):
    head = struct.pack(">BB", kind, code)
    checksum = finish(head + b"\0\0" + rest + data, 0) if checksum is None else checksum
    return head + struct.pack(">H", checksum) + rest + data


def icmp6(src, dst, kind, code, rest, data):
    head, body = struct.pack(">BB", kind, code), rest + data
    checksum = finish(head + b"\0\0" + body, pseudo(src, dst, ICMP6, 4 + len(body)))
    return head + struct.pack(">H", checksum) + body


def sctp(sport, dport, data, *, damage=0):
    chunk = struct.pack(">BBHIHHI", 0, 3, 16 + len(data), 1, 0, 0, 0) + data
    head = struct.pack(">HHI", sport, dport, 0xCAFE)
    checksum = crc32c(head + b"\0\0\0\0" + chunk) ^ damage
    return head + struct.pack("<I", checksum) + chunk


def udplite(src, dst, sport, dport, data, coverage):
    """RFC 3828: the pseudo header has the whole length, the sum covers only `coverage` bytes (0: all)."""
    head = struct.pack(">HHH", sport, dport, coverage)
    covered = (head + b"\0\0" + data)[:coverage or None]
    checksum = finish(covered, pseudo(src, dst, UDPLITE, 8 + len(data)))
    return head + struct.pack(">H", checksum) + data


# Link layer

MAC_A, MAC_B = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")


def ethertype(packet):
    return IPV6 if packet[0] >> 4 == 6 else IPV4


def ether(packet, *, tags=(), kind=None):
    """`tags` are (EtherType, VLAN id), outermost first."""
    kind = ethertype(packet) if kind is None else kind
    stack = b"".join(struct.pack(">HH", tpid, vlan) for tpid, vlan in tags)
    return MAC_B + MAC_A + stack + struct.pack(">H", kind) + packet


def padded(frame):
    return frame.ljust(60, b"\0")


# Tunnels: the header and what it carries


def vxlan(vni, frame):
    return struct.pack(">II", 0x08000000, vni << 8) + frame


def vxlan_gpe(vni, protocol, packet):
    return struct.pack(">BHBI", 0x0C, 0, protocol, vni << 8) + packet


def geneve(vni, frame, options=b""):
    critical = 0x40 if options else 0
    return struct.pack(">BBHI", len(options) // 4, critical, TEB, vni << 8) + options + frame


def ovn_option(ingress, egress):
    """The one option Open Virtual Network puts on every packet: class 0x0102, type 0 with the critical bit."""
    return struct.pack(">HBBHH", 0x0102, 0x80, 1, ingress, egress)


def gre(protocol, payload, *, key=None, sequence=None, checksum=False):
    flags = (0x8000 if checksum else 0) | (0x2000 if key is not None else 0) | (0x1000 if sequence is not None else 0)
    head = struct.pack(">HH", flags, protocol)
    rest = b"" if key is None else struct.pack(">I", key)
    rest += b"" if sequence is None else struct.pack(">I", sequence)
    if checksum:
        rest = struct.pack(">HH", finish(head + b"\0\0\0\0" + rest + payload, 0), 0) + rest
    return head + rest + payload


def erspan2(session, frame, sequence):
    head = struct.pack(">HHI", 0x1000, session, 0)
    return gre(0x88BE, head + frame, sequence=sequence)


# Capture files


def every(frames, step=MS, start=START):
    """Frames with a time each, `step` nanoseconds apart."""
    return [(start + index * step, frame) for index, frame in enumerate(frames)]


def pcap(timed, *, link=1, order="<", nanosecond=False, snaplen=262_144):
    """`timed` is (nanoseconds, frame) or (nanoseconds, captured bytes, length on the wire)."""
    magic = 0xA1B23C4D if nanosecond else 0xA1B2C3D4
    unit = 1 if nanosecond else 1000
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)
    for when, frame, *wire in timed:
        wire = wire[0] if wire else len(frame)
        frame = frame[:snaplen]
        out += struct.pack(order + "IIII", when // SECOND, when % SECOND // unit, len(frame), wire) + frame
    return out


def pcap_modified(timed):
    """The format of Alexey Kuznetzov's patch: magic 0xa1b2cd34, eight more bytes in each record."""
    out = struct.pack("<IHHiIII", 0xA1B2CD34, 2, 4, 0, 0, 262_144, 1)
    for when, frame in timed:
        out += struct.pack("<IIII", when // SECOND, when % SECOND // 1000, len(frame), len(frame))
        out += struct.pack("<IHBB", 2, ethertype(frame[14:]), 0, 0) + frame
    return out


class Section:
    """One pcapng section, block by block."""

    def __init__(self, order="<"):
        self.order = order
        self.bytes = b""
        self.block(0x0A0D0D0A, self.pack("IHHq", 0x1A2B3C4D, 1, 0, -1))

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def options(self, *pairs):
        """(code, value) pairs, each padded to four bytes, and the end mark."""
        if not pairs:
            return b""
        body = b"".join(self.pack("HH", code, len(value)) + pad4(value) for code, value in pairs)
        return body + self.pack("HH", 0, 0)

    def block(self, kind, body):
        total = self.pack("I", 12 + len(body))
        self.bytes += self.pack("I", kind) + total + body + total

    def interface(self, link, *options, snaplen=262_144):
        self.block(1, self.pack("HHI", link, 0, snaplen) + self.options(*options))

    def packet(self, interface, ticks, frame, *options, wire=None):
        wire = len(frame) if wire is None else wire
        body = self.pack("IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), wire)
        self.block(6, body + pad4(frame) + self.options(*options))

    def simple_packet(self, frame):
        self.block(3, self.pack("I", len(frame)) + pad4(frame))

    def obsolete_packet(self, interface, ticks, frame):
        body = self.pack("HHIIII", interface, 0, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), len(frame))
        self.block(2, body + pad4(frame))

    def statistics(self, interface, ticks, *options):
        self.block(5, self.pack("III", interface, ticks >> 32, ticks & 0xFFFFFFFF) + self.options(*options))


def pad4(data):
    return data + bytes(-len(data) % 4)
