//! Text that came from elsewhere is made harmless before anyone looks at it.

mod markdown;

pub use markdown::{code, fenced, markdown, prose};

use std::borrow::Cow;
use std::fmt::Write;

/// Text for a terminal or a log, on one line: control characters (ANSI sequences
/// begin with one), characters that reorder or hide text, and line breaks are
/// written as `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut inert = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_active(character) {
            // Writing to a String cannot fail.
            let _ = write!(inert, "{}", character.escape_unicode());
        } else {
            inert.push(character);
        }
    }
    Cow::Owned(inert)
}

/// Text for a CSV cell. Spreadsheets run a cell that begins like a formula (OWASP, "CSV
/// Injection"), some of them also one in full-width characters or behind spaces and
/// quotes; an apostrophe in front makes it text.
pub fn cell(text: &str) -> Cow<'_, str> {
    let inert = line(text);
    let begin = inert.trim_start_matches(|c: char| c.is_whitespace() || "\"'".contains(c));
    if begin.starts_with(FORMULA) {
        Cow::Owned(format!("'{inert}"))
    } else {
        inert
    }
}

/// What a formula begins with.
const FORMULA: [char; 8] = [
    '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
];

/// Whether a character does something to the text around it instead of being seen.
pub fn is_active(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            // Zero-width characters and directional marks.
            | '\u{200b}'..='\u{200f}'
            // Line and paragraph separators, bidirectional embeddings and overrides.
            | '\u{2028}'..='\u{202e}'
            // Invisible operators, bidirectional isolates, deprecated format characters.
            | '\u{2060}'..='\u{206f}'
            // Byte order mark, interlinear annotation, tags.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_left_alone() {
        assert!(matches!(line("/data/köln 東京.pcap"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_active_gets_through() {
        assert_eq!(line("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(line("a\nb\r\t"), "a\\u{a}b\\u{d}\\u{9}");
        assert_eq!(line("\u{9b}31m"), "\\u{9b}31m");
        assert_eq!(line("txt\u{202e}pacp"), "txt\\u{202e}pacp");
        let every: String = (0..=0x10_ffff_u32).filter_map(char::from_u32).collect();
        assert!(!line(&every).contains(is_active));
    }

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(cell("@SUM(A1)"), "'@SUM(A1)");
        assert_eq!(cell("\t=1"), "\\u{9}=1");
        assert_eq!(cell("\u{ff1d}1"), "'\u{ff1d}1");
        assert_eq!(cell(" =1"), "' =1");
        assert_eq!(cell("\"=1"), "'\"=1");
        assert_eq!(cell("\u{3000}\u{ff20}x"), "'\u{3000}\u{ff20}x");
        assert_eq!(cell("10.0.0.1"), "10.0.0.1");
    }
}
