//! The commands that show the same again, as far as they fit.

use crate::model::number;
use crate::report::beside::Beside;
use crate::report::comparison::{Comparison, repeat};
use crate::report::markdown::page::{Page, words};

/// Longest command. What is longer, because of its paths, is left out.
const COMMAND_BYTES: usize = 4_000;

pub(super) fn write(comparison: &Comparison, beside: Option<&Beside<'_>>, page: &mut Page) {
    let shows = beside.map(Beside::path_command);
    let mut commands: Vec<String> = shows
        .into_iter()
        .chain(repeat::commands(comparison))
        .collect();
    let all = commands.len();
    commands.retain(|command| command.len() <= COMMAND_BYTES);
    if commands.len() < all {
        let longer = number::counted((all - commands.len()) as u64, "command");
        commands.push(format!("# and {longer} with longer paths than fit here"));
    }
    let shown = page.shown(&commands, usize::MAX);
    page.heading(3, "To see it again");
    if let Some(beside) = beside {
        page.paragraph(&words(&beside.path_words()));
    }
    page.commands(shown);
}
