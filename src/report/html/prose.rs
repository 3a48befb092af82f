//! Sentences with code between backticks.

use super::bounds::clipped;
use crate::report::wrap::hold_units;
use askama::Template;

/// A text in which what stands between backticks is code.
#[derive(Debug, Template)]
#[template(
    source = "{% for piece in pieces %}{% if piece.is_code %}<code>{{ piece.text }}</code>\
              {% else %}{{ piece.text }}{% endif %}{% endfor %}",
    ext = "html",
    whitespace = "preserve"
)]
pub(in crate::report) struct Prose {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    is_code: bool,
    text: String,
}

impl Prose {
    /// A text of at most so many characters.
    pub(in crate::report) fn new(text: &str, most: usize) -> Self {
        let text = clipped(text, most);
        let pieces = text
            .split('`')
            .enumerate()
            .map(|(index, piece)| match index % 2 {
                0 => Piece {
                    is_code: false,
                    text: hold_units(piece),
                },
                // Code is copied: its spaces stay what they are.
                _ => Piece {
                    is_code: true,
                    text: piece.to_owned(),
                },
            });
        Self {
            pieces: pieces.filter(|piece| !piece.text.is_empty()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Prose;

    #[test]
    fn what_is_between_backticks_is_code() {
        assert_eq!(
            Prose::new("Run `ip -d link <dev>` there.", 99).to_string(),
            "Run <code>ip -d link &#60;dev&#62;</code> there."
        );
        assert_eq!(Prose::new("`", 99).to_string(), "");
    }
}
