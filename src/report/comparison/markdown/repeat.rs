//! The commands that show the same again, as far as they fit.

use crate::model::number;
use crate::report::comparison::{Comparison, repeat};
use crate::report::markdown::page::Page;

/// Longest command. What is longer, because of its paths, is left out.
const COMMAND_BYTES: usize = 4_000;

pub(super) fn write(comparison: &Comparison, page: &mut Page) {
    let mut commands = repeat::commands(comparison);
    let all = commands.len();
    commands.retain(|command| command.len() <= COMMAND_BYTES);
    if commands.len() < all {
        let longer = number::counted((all - commands.len()) as u64, "command");
        commands.push(format!("# and {longer} with longer paths than fit here"));
    }
    let shown = page.shown(&commands, usize::MAX);
    page.heading(3, "To see it again");
    page.commands(shown);
}
