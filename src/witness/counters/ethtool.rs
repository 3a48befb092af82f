//! `ethtool -S`.
//!
//! ```text
//! NIC statistics:
//!      rx_packets: 9512345
//!      rx_crc_errors: 0
//! ```
//!
//! The output does not say which interface it is about: two interfaces in one text
//! look like one before and after.

use super::super::Unreadable;
use super::{Source, Tally};

/// Whether the lines of a NIC follow.
#[derive(Default)]
pub(super) struct Section {
    is_nic: bool,
}

impl Section {
    /// Takes over a line; false if it is none of a NIC. Without the title before it
    /// only names as drivers choose them are taken, such as `rx_crc_errors`: other
    /// programs write lines of this form too.
    pub(super) fn line(&mut self, line: &str, tally: &mut Tally) -> Result<bool, Unreadable> {
        if line.trim() == "NIC statistics:" {
            self.is_nic = true;
            return Ok(true);
        }
        self.is_nic &= line.starts_with([' ', '\t']);
        let Some((name, value)) = line.trim().split_once(": ") else {
            return Ok(false);
        };
        let is_driver_name =
            || name.contains('_') && name.starts_with(|c: char| c.is_ascii_lowercase());
        if !(self.is_nic || is_driver_name()) {
            return Ok(false);
        }
        tally.add(Source::Ethtool, format!("ethtool.{name}"), value.trim())
    }
}
