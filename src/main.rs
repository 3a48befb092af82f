//! Runs the command, and decides the exit status and what a closed pipe means.

use fraglens::cli::{self, Status, UsageError};
use fraglens::report::escape;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let status = match cli::run(std::env::args_os()) {
        Ok(status) => status,
        // Whoever read the report has seen enough: no error.
        Err(error) if is_broken_pipe(&error) => Status::Done,
        Err(error) => {
            // Nobody is left to be told if standard error is closed.
            let text = escape::line(&format!("{error:#}")).into_owned();
            let _ = writeln!(io::stderr(), "fraglens: {text}");
            if error.is::<UsageError>() {
                Status::Usage
            } else {
                Status::Unreadable
            }
        }
    };
    status.into()
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    })
}
