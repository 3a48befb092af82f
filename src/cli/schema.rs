//! `fraglens schema`.

use super::Status;
use crate::report::schema;
use std::io::{self, Write};

/// Prints the JSON Schema of the report.
pub(super) fn run() -> anyhow::Result<Status> {
    let mut out = io::stdout().lock();
    schema::write(&mut out)?;
    out.flush()?;
    Ok(Status::Done)
}
