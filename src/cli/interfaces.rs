//! `fraglens interfaces`.

use super::Status;
use super::args::InterfacesFormat;
use super::options::InterfacesOptions;
use crate::host;
use crate::report::{json, text};
use std::io::{self, BufWriter, Write};

/// Prints the network interfaces of this host.
pub(super) fn run(options: &InterfacesOptions) -> anyhow::Result<Status> {
    let interfaces = host::interfaces()?;
    let mut out = BufWriter::new(io::stdout().lock());
    match options.format {
        InterfacesFormat::Json => json::write_interfaces(&interfaces, &mut out)?,
        InterfacesFormat::Text => text::write_interfaces(&interfaces, options.style, &mut out)?,
    }
    out.flush()?;
    Ok(Status::Done)
}
