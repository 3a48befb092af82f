//! What stands against the comparison and its captures, and which bounds were hit.

use crate::report::comparison::Comparison;
use crate::report::text::page::Page;
use crate::report::text::problems::write_section;
use std::io::{self, Write};

pub(super) fn write(comparison: &Comparison, page: &mut Page<'_, impl Write>) -> io::Result<()> {
    let of_all = comparison.problems.iter().map(|problem| (None, problem));
    let in_files = comparison.files().flat_map(|file| {
        let problems = file.problems.iter();
        problems.map(|problem| (Some(file.path.as_str()), problem))
    });
    write_section(of_all.chain(in_files).collect(), &comparison.limits, page)
}
