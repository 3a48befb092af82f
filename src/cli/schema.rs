//! `fraglens schema`.

use super::Status;
use super::args::Document;
use crate::report::{comparison, schema};
use std::io::{self, Write};

/// Prints the JSON Schema of a document.
pub(super) fn run(document: Document) -> anyhow::Result<Status> {
    let mut out = io::stdout().lock();
    match document {
        Document::Report => schema::write(&mut out)?,
        Document::Comparison => comparison::schema::write(&mut out)?,
    }
    out.flush()?;
    Ok(Status::Done)
}
