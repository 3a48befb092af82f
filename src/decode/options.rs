//! What decoding needs to be told.

/// Ports that VXLAN is always expected on: IANA's, and the one Linux has used
/// since before there was that.
const VXLAN_PORTS: [u16; 2] = [4789, 8472];
/// The port that Geneve is always expected on.
const GENEVE_PORTS: [u16; 1] = [6081];

/// What decoding needs to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecodeOptions {
    /// UDP ports of VXLAN besides 4789 and 8472.
    pub vxlan_ports: Vec<u16>,
    /// UDP ports of Geneve besides 6081.
    pub geneve_ports: Vec<u16>,
    /// Whether tunnels on other ports are found by their bytes.
    pub auto_tunnel: AutoTunnel,
}

/// Whether tunnels on unknown ports are found by their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoTunnel {
    /// VXLAN and Geneve are opened on any port when the bytes are that beyond
    /// reasonable doubt.
    #[default]
    On,
    /// Only on the ports known.
    Off,
}

impl DecodeOptions {
    /// All UDP ports that VXLAN is expected on, ascending, each once.
    pub fn all_vxlan_ports(&self) -> Vec<u16> {
        ascending(&VXLAN_PORTS, &self.vxlan_ports)
    }

    /// All UDP ports that Geneve is expected on, ascending, each once.
    pub fn all_geneve_ports(&self) -> Vec<u16> {
        ascending(&GENEVE_PORTS, &self.geneve_ports)
    }
}

fn ascending(known: &[u16], given: &[u16]) -> Vec<u16> {
    let mut ports = [known, given].concat();
    ports.sort_unstable();
    ports.dedup();
    ports
}
