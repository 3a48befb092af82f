//! What decoding needs to be told.

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
