//! One line of the screen, and the only way text gets onto it.

use crate::report::escape;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

/// What a piece of text is, which decides how it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    /// Ordinary text.
    #[default]
    Normal,
    /// What is to be read first.
    Strong,
    /// A label, or what is no longer so.
    Quiet,
    /// A doubt.
    Doubt,
    /// A fault.
    Fault,
    /// What Enter would open.
    Chosen,
}

impl Tone {
    /// [`Tone::Fault`] if there is any.
    pub(super) fn fault_if(any: bool) -> Self {
        if any { Self::Fault } else { Self::Normal }
    }

    /// How it is shown. Nothing is said by colour alone.
    pub(super) fn style(self, color: bool) -> Style {
        let plain = Style::new();
        match self {
            Self::Normal => plain,
            Self::Strong => plain.add_modifier(Modifier::BOLD),
            Self::Quiet => plain.add_modifier(Modifier::DIM),
            Self::Chosen => plain.add_modifier(Modifier::REVERSED),
            Self::Doubt if color => plain.fg(Color::Yellow),
            Self::Fault if color => plain.fg(Color::Red).add_modifier(Modifier::BOLD),
            Self::Doubt => plain,
            Self::Fault => plain.add_modifier(Modifier::BOLD),
        }
    }
}

/// One line: pieces of text, each with its tone. What is put in becomes harmless.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pieces: Vec<(String, Tone)>,
    is_chosen: bool,
}

impl Row {
    /// A line of one piece.
    pub(super) fn of(text: &str, tone: Tone) -> Self {
        Self::default().and(text, tone)
    }

    /// With one piece more.
    pub(super) fn and(mut self, text: &str, tone: Tone) -> Self {
        self.pieces.push((escape::line(text).into_owned(), tone));
        self
    }

    /// With one piece in front.
    pub(super) fn after(mut self, text: &str, tone: Tone) -> Self {
        let piece = (escape::line(text).into_owned(), tone);
        self.pieces.insert(0, piece);
        self
    }

    /// Cut to so many columns, with an ellipsis.
    pub(super) fn cut(mut self, columns: usize) -> Self {
        let mut left = columns;
        for (text, _) in &mut self.pieces {
            *text = cut(text, left);
            left -= width(text).min(left);
        }
        self
    }

    /// What it says.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// Shown as what Enter would open, all across the screen.
    pub(super) fn chosen_if(mut self, is_chosen: bool) -> Self {
        self.is_chosen = is_chosen;
        self
    }

    /// Columns it takes.
    pub(super) fn width(&self) -> usize {
        self.pieces.iter().map(|(text, _)| width(text)).sum()
    }

    /// Writes it into the first line of an area; what does not fit is cut off.
    pub(super) fn draw(&self, area: Rect, color: bool, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let mut x = area.x;
        for (text, tone) in &self.pieces {
            let room = usize::from(area.right().saturating_sub(x));
            let cut = cut(text, room);
            (x, _) = buffer.set_stringn(x, area.y, &cut, room, tone.style(color));
            if cut.len() < text.len() {
                break;
            }
        }
        if self.is_chosen {
            let line = Rect { height: 1, ..area };
            buffer.set_style(line, Tone::Chosen.style(color));
        }
    }
}

/// Draws rows below each other, as many as there is room for.
pub(super) fn draw_all(rows: &[Row], area: Rect, color: bool, buffer: &mut Buffer) {
    for (line, row) in area.rows().zip(rows) {
        row.draw(line, color, buffer);
    }
}

/// Columns that text takes on a terminal.
pub(super) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// Text made harmless and filled up, or cut, to exactly so many columns.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let mut fitted = cut(&escape::line(text), columns);
    let missing = columns.saturating_sub(width(&fitted));
    fitted.extend(std::iter::repeat_n(' ', missing));
    fitted
}

/// Text of at most so many columns; an ellipsis says that there was more.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += width(character.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        kept.push(character);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}
