//! `fraglens man`.

use super::args::Args;
use super::{Status, UsageError};
use clap::CommandFactory;
use clap_mangen::Man;
use std::io::{self, Write};

/// Prints the manual page of a command, or of fraglens itself.
pub(super) fn run(command: Option<&str>) -> anyhow::Result<Status> {
    let mut out = io::stdout().lock();
    out.write_all(&page(command)?)?;
    out.flush()?;
    Ok(Status::Done)
}

/// A manual page in roff.
pub(super) fn page(name: Option<&str>) -> anyhow::Result<Vec<u8>> {
    let mut command = Args::command();
    // Gives the commands their full names.
    command.build();
    if let Some(name) = name {
        let known: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        let unknown = || UsageError::NoSuchCommand(name.to_owned(), known.join(", "));
        command = command.find_subcommand(name).ok_or_else(unknown)?.clone();
    }
    let mut roff = Vec::new();
    Man::new(command)
        .manual("fraglens manual")
        .render(&mut roff)?;
    Ok(roff)
}
