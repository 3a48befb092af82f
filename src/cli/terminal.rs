//! What is known of the surroundings; read once, at the start.

use std::io::{IsTerminal, stderr, stdin, stdout};

/// The terminal a run was started from, if there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether standard input is a terminal.
    pub input: bool,
    /// Whether standard output is a terminal.
    pub output: bool,
    /// Whether standard error is a terminal.
    pub error: bool,
    /// Columns, if a terminal says how many it has.
    pub columns: Option<u16>,
    /// Whether `NO_COLOR` is set and not empty (no-color.org), or `TERM` is `dumb`.
    pub refuses_color: bool,
}

impl Terminal {
    /// Looks at the standard streams and the environment.
    pub fn detect() -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        Self {
            input: stdin().is_terminal(),
            output: stdout().is_terminal(),
            error: stderr().is_terminal(),
            columns: terminal_size::terminal_size().map(|(width, _)| width.0),
            refuses_color: is_set("NO_COLOR")
                || std::env::var_os("TERM").is_some_and(|term| term == "dumb"),
        }
    }
}
