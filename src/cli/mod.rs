//! The command line: what was typed becomes ready options, a command runs, and
//! what came of it becomes an exit status.
//!
//! Only this room uses clap, reads the environment or looks at the terminal, and
//! only it sees every other room. [`args`] is what was typed, [`options`] what is
//! meant; nothing behind that border can fail for how the command was written.

pub mod analyze;
pub mod args;
pub mod capture;
pub mod compare;
mod completions;
pub mod evidence;
mod explain;
mod interfaces;
mod interrupt;
pub mod layout;
mod man;
pub mod options;
mod output;
pub mod privileges;
mod problem;
pub mod progress;
pub mod receiver;
mod schema;
mod size;
pub mod stages;
pub mod terminal;
pub mod watch;
mod witness;

#[cfg(test)]
mod tests;

use args::{Args, Command};
use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;
use terminal::Terminal;

pub use problem::UsageError;

/// What came of a run; the exit status of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The input was analysed, whatever was found in it: 0.
    Done,
    /// Input could not be read, or is damaged in the middle: 1.
    Unreadable,
    /// The command was used wrongly: 2.
    Usage,
    /// A finding is as grave as `--fail-on` asks: 3.
    FailOn,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::Unreadable => 1,
            Status::Usage => 2,
            Status::FailOn => 3,
        })
    }
}

/// Runs the command that was typed.
///
/// # Errors
///
/// [`UsageError`] if it makes no sense; anything else could not be read or written.
pub fn run(typed: impl IntoIterator<Item = OsString>) -> anyhow::Result<Status> {
    let args = match Args::try_parse_from(typed) {
        Ok(args) => args,
        // Help and version come this way too, with an exit code of 0.
        Err(told) => {
            told.print()?;
            return Ok(if told.exit_code() == 0 {
                Status::Done
            } else {
                Status::Usage
            });
        }
    };
    match args.command {
        Command::Analyze(args) => {
            let options = options::analyze(*args, &Terminal::detect())?;
            analyze::run(&options)
        }
        Command::Watch(args) => {
            let options = watch::options(*args, &Terminal::detect())?;
            watch::run(&options)
        }
        Command::Evidence(args) => {
            let options = evidence::options(*args, &Terminal::detect())?;
            evidence::run(&options)
        }
        Command::Compare(args) => {
            let options = compare::options(*args, &Terminal::detect())?;
            compare::run(&options)
        }
        Command::Explain(args) => {
            let options = options::explain(&args, &Terminal::detect())?;
            explain::run(&options)
        }
        Command::Interfaces(args) => {
            let options = options::interfaces(&args, &Terminal::detect());
            interfaces::run(&options)
        }
        Command::Schema { document } => schema::run(document),
        Command::Completions { shell } => completions::run(shell),
        Command::Man { command } => man::run(command.as_deref()),
    }
}
