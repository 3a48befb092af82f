//! Network interfaces, for people: a line each, and below it what else is known.

use super::super::escape;
use super::Style;
use super::page::{Page, Tone};
use crate::host::{Encapsulation, Interface, IpTunnel, Offload, State, UdpTunnel};
use std::fmt::Display;
use std::io::{self, Write};

/// Columns between two columns.
const GAP: usize = 2;

/// How many cells a line has; the MAC address is the last.
const CELLS: usize = 7;

const HEADER: [&str; CELLS] = ["#", "name", "state", "mtu", "link", "kind", "mac"];

/// Writes a line for each interface, with lines below it for its addresses, what it
/// belongs to, the parameters of a tunnel and its offloads.
pub fn write_interfaces(
    interfaces: &[Interface],
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut page = Page::new(style, out);
    let rows: Vec<[String; CELLS]> = interfaces.iter().map(cells).collect();
    let widths = widths(&rows);
    // Names that had to be escaped may be long.
    let is_mac_beside = widths.iter().sum::<usize>() <= page.width() + GAP;
    let shown = if is_mac_beside { CELLS } else { CELLS - 1 };
    let indent = widths[0];
    let header = HEADER.map(str::to_owned);
    page.line(&line(&header[..shown], &widths), Tone::Quiet)?;
    for (interface, row) in interfaces.iter().zip(&rows) {
        page.line(&line(&row[..shown], &widths), tone(interface.state))?;
        let below = (!is_mac_beside).then(|| format!("mac {}", row[CELLS - 1]));
        for text in below.into_iter().chain(details(interface)) {
            page.paragraph(&" ".repeat(indent), indent, &text, Tone::Normal)?;
        }
    }
    Ok(())
}

fn cells(interface: &Interface) -> [String; CELLS] {
    [
        interface.index.to_string(),
        escape::line(&interface.name).into_owned(),
        interface.state.name().to_owned(),
        or_dash(interface.mtu),
        or_dash(interface.link_type),
        escape::line(&interface.kind).into_owned(),
        or_dash(interface.mac),
    ]
}

fn or_dash(value: Option<impl Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Of each column, with the gap behind it.
fn widths(rows: &[[String; CELLS]]) -> [usize; CELLS] {
    let mut widths = HEADER.map(|name| name.len() + GAP);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count() + GAP);
        }
    }
    widths
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded = cells.iter().zip(widths);
    let line: String = padded
        .map(|(cell, &width)| format!("{cell:<width$}"))
        .collect();
    line.trim_end().to_owned()
}

fn tone(state: State) -> Tone {
    match state {
        State::Up | State::Unknown => Tone::Normal,
        State::Down => Tone::Quiet,
    }
}

/// What there is to say of an interface below its line: addresses, what it belongs to,
/// the parameters of a tunnel, offloads.
pub fn details(interface: &Interface) -> impl Iterator<Item = String> {
    let addresses = listed(&interface.addresses);
    let others = [("part of", &interface.master), ("on", &interface.parent)];
    let others: Vec<String> = others
        .into_iter()
        .filter_map(|(word, name)| Some(format!("{word} {}", escape::line(name.as_deref()?))))
        .collect();
    let encapsulation = interface.encapsulation.as_ref().map(encapsulation);
    let offload = interface.offload.as_ref().map(offload);
    [addresses, listed(&others), encapsulation, offload]
        .into_iter()
        .flatten()
}

fn listed(items: &[impl ToString]) -> Option<String> {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    (!items.is_empty()).then(|| items.join(", "))
}

fn encapsulation(encapsulation: &Encapsulation) -> String {
    let (name, parameters) = match encapsulation {
        Encapsulation::Vxlan(tunnel) => ("vxlan", udp_tunnel(tunnel)),
        Encapsulation::Geneve(tunnel) => ("geneve", udp_tunnel(tunnel)),
        Encapsulation::Vlan(vlan) => ("vlan", said(&[("id", vlan.id)])),
        Encapsulation::Ip(tunnel) => ("tunnel", ip_tunnel(tunnel)),
    };
    format!("{name}: {}", parameters.join(", "))
}

fn udp_tunnel(tunnel: &UdpTunnel) -> Vec<String> {
    let external = tunnel.external.then(|| "external".to_owned());
    let mut parameters = said(&[("id", tunnel.id)]);
    parameters.extend(external);
    parameters.extend(said(&[
        ("local", tunnel.local),
        ("remote", tunnel.remote),
        ("group", tunnel.group),
    ]));
    parameters.extend(said(&[("port", tunnel.port)]));
    parameters.extend(switches(&[
        ("udpcsum", tunnel.udpcsum),
        ("udp6zerocsumtx", tunnel.udp6zerocsumtx),
        ("udp6zerocsumrx", tunnel.udp6zerocsumrx),
    ]));
    parameters
}

fn ip_tunnel(tunnel: &IpTunnel) -> Vec<String> {
    let any = || "any".to_owned();
    let [local, remote] =
        [tunnel.local, tunnel.remote].map(|end| end.map_or_else(any, |end| end.to_string()));
    vec![format!("local {local}"), format!("remote {remote}")]
}

fn said(parameters: &[(&str, Option<impl Display>)]) -> Vec<String> {
    let known = parameters.iter();
    known
        .filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?)))
        .collect()
}

/// As `ip -d link` writes them: `noudpcsum` is off.
fn switches(parameters: &[(&str, Option<bool>)]) -> Vec<String> {
    let known = parameters.iter();
    known
        .filter_map(|(name, on)| Some(format!("{}{name}", if (*on)? { "" } else { "no" })))
        .collect()
}

fn offload(offload: &Offload) -> String {
    let features = [
        ("tx checksumming", offload.tx_checksumming),
        ("TSO", offload.tso),
        ("GSO", offload.gso),
        ("GRO", offload.gro),
        ("tx-udp_tnl-segmentation", offload.tx_udp_tnl_segmentation),
        (
            "tx-udp_tnl-csum-segmentation",
            offload.tx_udp_tnl_csum_segmentation,
        ),
    ];
    let on = features.into_iter().filter(|(_, on)| *on);
    let on: Vec<&str> = on.map(|(name, _)| name).collect();
    format!(
        "offload: {}",
        listed(&on).unwrap_or_else(|| "none".to_owned())
    )
}
