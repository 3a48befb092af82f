//! Settings from what `sysctl -a` printed.

use super::settings::Settings;
use crate::model::Duration;

/// Why no settings come of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SysctlError {
    /// A line names a setting and gives no number for it.
    #[error("line {line}: {name} is no number: {value:?}")]
    NoNumber {
        /// Number of the line, from 1.
        line: usize,
        /// The setting.
        name: String,
        /// What stands in place of a number.
        value: String,
    },
    /// It names none.
    #[error(
        "it names no setting of reassembly, as `sysctl -a` prints them (net.ipv4.ipfrag_time = 30)"
    )]
    NoSettings,
}

impl Settings {
    /// Takes over what is named in the output of `sysctl -a`; lines about anything else
    /// are passed over.
    ///
    /// # Errors
    ///
    /// A setting that is named has no number, or none is.
    pub fn read_sysctl(&mut self, text: &str) -> Result<(), SysctlError> {
        let mut has_settings = false;
        for (index, line) in text.lines().enumerate() {
            let Some((name, value)) = line.split_once('=') else {
                continue;
            };
            let name = name.trim().replace('/', ".");
            let Some(set) = setter(&name) else {
                continue;
            };
            let value = value.trim();
            let number = value.parse().map_err(|_| SysctlError::NoNumber {
                line: index.saturating_add(1),
                name,
                value: value.to_owned(),
            })?;
            set(self, number);
            has_settings = true;
        }
        match has_settings {
            true => Ok(()),
            false => Err(SysctlError::NoSettings),
        }
    }
}

type Setter = fn(&mut Settings, u64);

fn setter(name: &str) -> Option<Setter> {
    Some(match name {
        "net.ipv4.ipfrag_time" => |settings, value| settings.ipfrag_time = seconds(value),
        "net.ipv4.ipfrag_high_thresh" => |settings, value| settings.ipfrag_high_thresh = value,
        "net.ipv4.ipfrag_max_dist" => {
            |settings, value| settings.ipfrag_max_dist = u32::try_from(value).unwrap_or(u32::MAX)
        }
        "net.ipv6.ip6frag_time" => |settings, value| settings.ip6frag_time = seconds(value),
        "net.ipv6.ip6frag_high_thresh" => |settings, value| settings.ip6frag_high_thresh = value,
        _ => return None,
    })
}

/// At most a year, as on the command line.
fn seconds(value: u64) -> Duration {
    const YEAR: u64 = 365 * 24 * 60 * 60;
    Duration::from_secs(value.min(YEAR) as i64)
}
