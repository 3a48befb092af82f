//! The last line: what is typed, what happened, or which keys there are.

use super::row::{Row, Tone, cut};
use super::{Focus, Screen};

impl Screen {
    /// The last line of the screen.
    pub(super) fn status(&self, columns: usize) -> Row {
        if self.typing.is_some() {
            let filter = format!("/{}_", self.wish.filter);
            let hint = "  Enter: keep   Esc: leave";
            return Row::of(&filter, Tone::Strong).and(hint, Tone::Quiet);
        }
        if let Some((message, _)) = &self.message {
            let message = cut(&crate::report::escape::line(message), columns);
            return Row::of(&message, Tone::Strong);
        }
        let place = self.place();
        let row = keys(&self.keys(), columns.saturating_sub(place.len() + 1));
        let gap = columns.saturating_sub(row.width() + place.len());
        row.and(&" ".repeat(gap), Tone::Normal)
            .and(&place, Tone::Quiet)
    }

    /// Which lines of a page are seen.
    fn place(&self) -> String {
        let Some(open) = self.pages.last() else {
            return String::new();
        };
        let (from, to) = open.scroll.seen(open.lines);
        let paused = if self.is_paused { "PAUSED  " } else { "" };
        format!("{paused}{from}-{to} of {}", open.lines)
    }

    fn keys(&self) -> Vec<(&'static str, &'static str)> {
        let pause = if self.is_paused { "go on" } else { "pause" };
        if self.pages.is_empty() {
            let other = match self.focus {
                Focus::Findings => "flows",
                Focus::Flows => "findings",
            };
            let mut keys = vec![
                ("?", "help"),
                ("q", "quit"),
                ("Enter", "open"),
                ("Tab", other),
                ("/", "filter"),
                ("o", "sort"),
                ("p", pause),
            ];
            if self.look.can_save {
                keys.push(("s", "save"));
            }
            keys.push(("e", "explain"));
            return keys;
        }
        let mut keys = vec![("Esc", "back"), ("q", "quit"), ("p", pause)];
        if self.look.can_save {
            keys.push(("s", "save"));
        }
        keys
    }
}

/// As many keys as there is room for.
fn keys(keys: &[(&str, &str)], columns: usize) -> Row {
    let mut row = Row::default();
    for (key, what) in keys {
        let wider = row
            .clone()
            .and(key, Tone::Strong)
            .and(&format!(" {what}"), Tone::Quiet);
        if wider.width() > columns {
            break;
        }
        row = wider.and("  ", Tone::Normal);
    }
    row
}
