//! Whole frames in, facts out.
//!
//! The facts of a packet are compared as one line of text, layer after layer, so
//! that a table of frames stays readable: see [`story`].

mod frames;
mod hostile;
mod layers;
pub(crate) mod made;
mod plain;
mod reassembled;
mod verdicts;

use super::{AutoTunnel, DecodeOptions, Decoder};
use crate::model::facts::{Carries, Fragment, IcmpError, Layer, Packet, Transport, Udp, UdpLength};
use crate::model::{Frame, FrameId, LinkType, Timestamp, Verdict};
use frames::Literal;

/// A decoder that knows the usual ports only, and looks for others.
fn decoder() -> Decoder {
    Decoder::new(&DecodeOptions::default())
}

/// A decoder that opens no tunnel on unknown ports.
fn decoder_of_known_ports() -> Decoder {
    Decoder::new(&DecodeOptions {
        auto_tunnel: AutoTunnel::Off,
        ..DecodeOptions::default()
    })
}

/// A frame as it was on the wire.
fn frame<'a>(link_type: u32, data: &'a [u8]) -> Frame<'a> {
    Frame {
        id: FrameId::default(),
        timestamp: Timestamp::default(),
        wire_bytes: data.len() as u32,
        link_type: LinkType(link_type),
        interface: 0,
        data,
    }
}

/// The facts of a literal frame.
fn facts(decoder: &mut Decoder, literal: &Literal) -> Packet {
    let bytes = literal.bytes();
    let mut packet = Packet::default();
    decoder.frame(&frame(literal.link_type, &bytes), &mut packet);
    packet
}

/// The story of a literal frame.
fn told(literal: &Literal) -> String {
    let mut decoder = decoder();
    let packet = facts(&mut decoder, literal);
    story(&decoder, &packet)
}

/// The facts of a packet in one line. Each layer: VLANs, version, what is
/// remarkable of the header (a good header checksum is not), transport with
/// verdict, tunnel.
fn story(decoder: &Decoder, packet: &Packet) -> String {
    let mut parts: Vec<String> = packet
        .layers
        .iter()
        .map(|layer| layer_story(decoder, layer))
        .collect();
    if let Some(stop) = packet.stop {
        parts.push(format!(
            "! {:?} at {}: {:?}",
            stop.layer, stop.offset, stop.why
        ));
    }
    parts.join(" > ")
}

fn layer_story(decoder: &Decoder, layer: &Layer) -> String {
    let mut words = Vec::new();
    if let Some(scope) = decoder.scopes().get(layer.scope)
        && !scope.vlans.is_empty()
    {
        words.push(format!("vlans {:?}", scope.vlans.ids()));
    }
    words.push(format!("{:?}", layer.addresses.version).to_lowercase());
    if let Some(verdict @ (Verdict::Bad | Verdict::Offloaded)) = layer.header_checksum {
        words.push(format!("header-{verdict:?}").to_lowercase());
    }
    for (holds, word) in [(layer.super_frame, "super"), (layer.ip_longer, "ip-longer")] {
        if holds {
            words.push(word.into());
        }
    }
    match layer.fragment {
        Fragment::No => {}
        Fragment::Atomic => words.push("atomic".into()),
        Fragment::Piece(piece) => {
            let end = piece.offset + layer.payload_bytes;
            let more = if piece.more { "+" } else { "" };
            words.push(format!(
                "piece {}..{end}{more} of {}",
                piece.offset, layer.protocol
            ));
        }
    }
    words.extend(transport_story(layer));
    words.extend(carries_story(decoder, layer));
    words.join(" ")
}

fn transport_story(layer: &Layer) -> Option<String> {
    Some(match layer.transport {
        Transport::None => return None,
        Transport::Udp(Udp {
            ports,
            checksum,
            length,
            is_unsummed: _,
        }) => {
            let length = match length {
                UdpLength::Right => String::new(),
                wrong => format!(" {wrong:?}").to_lowercase(),
            };
            let port = ports.destination;
            format!("{}/{port} {}{length}", layer.protocol, word(checksum))
        }
        Transport::Tcp(tcp) => {
            format!(
                "tcp/{} {} +{}",
                tcp.ports.destination,
                word(tcp.checksum),
                tcp.segment.payload_bytes
            )
        }
        Transport::Icmp(icmp) => {
            let about = icmp.quoted.map(|quote| match quote.error {
                IcmpError::FragmentationNeeded { mtu } | IcmpError::PacketTooBig { mtu } => {
                    format!(" mtu {mtu} about {}", quote.flow.protocol)
                }
                IcmpError::ReassemblyTimeExceeded => {
                    format!(" too late about {}", quote.flow.protocol)
                }
                IcmpError::Other => format!(" {}/{}", icmp.kind, icmp.code),
            });
            format!(
                "{} {}{}",
                layer.protocol,
                word(icmp.checksum),
                about.unwrap_or_default()
            )
        }
        Transport::Sctp { ports, checksum } => {
            format!("sctp/{} {}", ports.destination, word(checksum))
        }
        Transport::Gre { checksum } => match checksum {
            Some(verdict) => format!("gre {}", word(verdict)),
            None => "gre".into(),
        },
        Transport::Cut { ports, checksum } => {
            format!(
                "{}/{} cut {}",
                layer.protocol,
                ports.destination,
                word(checksum)
            )
        }
    })
}

fn carries_story(decoder: &Decoder, layer: &Layer) -> Option<String> {
    let tunnel = match layer.carries {
        Carries::Flow => return None,
        Carries::WireGuard => return Some("(wireguard)".into()),
        Carries::Esp => return Some("(esp)".into()),
        Carries::Tunnel(tag) => decoder.scopes().get(tag)?.tunnel?,
    };
    let id = tunnel.id.map(|id| format!(" {id}")).unwrap_or_default();
    Some(format!("[{}{id}]", tunnel.kind.name()))
}

fn word(verdict: Verdict) -> String {
    format!("{verdict:?}").to_lowercase()
}
