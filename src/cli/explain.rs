//! `fraglens explain`.

use super::Status;
use super::args::ExplainFormat;
use super::options::ExplainOptions;
use crate::diagnose::{self, Cause};
use crate::report::{json, text};
use std::io::{self, BufWriter, Write};

/// Prints what is known of the causes asked for, or a list of all.
pub(super) fn run(options: &ExplainOptions) -> anyhow::Result<Status> {
    let mut out = BufWriter::new(io::stdout().lock());
    let asked = &options.causes;
    let all: Vec<&Cause> = diagnose::every().collect();
    match options.format {
        ExplainFormat::Json if asked.is_empty() => json::write_causes(&all, &mut out)?,
        ExplainFormat::Json => json::write_causes(asked, &mut out)?,
        ExplainFormat::Text if asked.is_empty() => {
            text::write_list(&all, options.style, &mut out)?;
        }
        ExplainFormat::Text => text::write_causes(asked, options.style, &mut out)?,
    }
    out.flush()?;
    Ok(Status::Done)
}
