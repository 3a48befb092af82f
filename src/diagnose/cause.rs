//! What is known of one cause.

use serde::Serialize;

/// One cause of a gap between what was sent and what arrives, or one thing in a
/// capture that only looks like a fault.
///
/// The texts are plain English, whole sentences, on one line. What stands between
/// backticks is to be typed as it is, but for words in capitals (`PEER`) and
/// examples such as `eth0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Stable name, as in `findings[].id` of a report: `D09`.
    pub id: &'static str,
    /// Stable name for people: `reassembly-memory`; lower case, no spaces.
    pub name: &'static str,
    /// How grave it is where it is certain.
    pub severity: Severity,
    /// What it is in a line of a table; no full stop.
    pub title: &'static str,
    /// What it is and why it matters; the first sentence can stand alone.
    pub meaning: &'static str,
    /// What in a capture shows it.
    pub signature: &'static str,
    /// What else speaks for it.
    pub confirms: &'static str,
    /// What speaks against it.
    pub denies: &'static str,
    /// The cheapest way to prove it wrong.
    pub disprove: &'static str,
    /// What to do about it, the likeliest first.
    pub fix: &'static [Fix],
    /// Where it is documented: `RFC 8900 section 3.4`, `owner/repository#number`,
    /// `Linux path/in/its/source`, or an address without its scheme.
    pub references: &'static [&'static str],
}

/// How grave a cause is where it is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is broken.
    Info,
    /// Something is lost or slow, or could well be.
    Warning,
    /// Something is broken, and stays so until it is repaired.
    Error,
}

impl Severity {
    /// In lower case, as in a report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing to do about a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// Where it applies: a stack, a program, or `any`.
    pub when: &'static str,
    /// Whether it can be typed.
    pub kind: FixKind,
    /// The command, or the advice where no command does it.
    pub command: &'static str,
}

/// Whether a fix can be typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FixKind {
    /// A line for a shell, without comments, so that it can be broken at spaces.
    Command,
    /// Words.
    Advice,
}
