//! `fraglens completions`.

use super::Status;
use super::args::Args;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::{self, Write};

/// Prints a completion script.
pub(super) fn run(shell: Shell) -> anyhow::Result<Status> {
    // The generator panics where writing fails, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "fraglens", &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Status::Done)
}
