//! Text as Markdown that shows this text and does nothing else.
//!
//! Beside CommonMark and GitHub's additions to it, there is what GitHub, GitLab and Jira
//! do to text afterwards: they make links of addresses, of `@name`, `#12`, `!12`, `KEY-12`
//! and hashes of commits, and pictures of `:name:`. No backslash prevents that, but all
//! of them leave code alone. So ordinary words stay as they are, and any other word
//! becomes a code span.

use super::line;

/// Text from elsewhere, to stand in a paragraph, a heading or the cell of a table. Spaces
/// around it are left out.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    push_words(&mut out, line(text).trim_matches(' '));
    out
}

/// A text of our own, in which what is between backticks is code.
pub fn prose(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return markdown(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (index, piece) in pieces.into_iter().enumerate() {
        match (index % 2, piece) {
            (_, "") => {}
            (1, piece) => {
                // Backticks side by side would be one longer fence.
                if out.ends_with('`') {
                    out.push(' ');
                }
                out.push_str(&code(piece));
            }
            (_, piece) => push_words(&mut out, &line(piece)),
        }
    }
    out.trim_matches(' ').to_owned()
}

/// Text as a code span, not to stand in a table: that is cut at pipes, even in code.
pub fn code(text: &str) -> String {
    let text = line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    let is_blank = text.trim_matches(' ').is_empty();
    // One space on both sides is not shown.
    let pad = if text.starts_with('`')
        || text.ends_with('`')
        || (text.starts_with(' ') && text.ends_with(' ') && !is_blank)
        || text.is_empty()
    {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Lines as a block of code in this language, with a line break after it.
pub fn fenced<'a>(language: &str, lines: impl Iterator<Item = &'a str>) -> String {
    let mut body = String::new();
    for text in lines {
        body.push_str(&line(text));
        body.push('\n');
    }
    let fence = "`".repeat(longest_run(&body).max(2) + 1);
    format!("{fence}{language}\n{body}{fence}\n")
}

/// Length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

fn push_words(out: &mut String, text: &str) {
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        // No code span holds these two everywhere.
        let mut rest = word;
        while let Some(at) = rest.find(['|', '`']) {
            push_run(out, &rest[..at]);
            out.push('\\');
            out.push_str(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        push_run(out, rest);
    }
}

/// Characters in front of a word that are no part of it.
const BEFORE: [char; 3] = ['(', '"', '\''];

/// Characters behind a word that are no part of it.
const BEHIND: [char; 9] = ['.', ',', ';', ':', ')', '"', '\'', '!', '?'];

/// A word without spaces, pipes and backticks, and the punctuation around it.
fn push_run(out: &mut String, run: &str) {
    let headless = run.trim_start_matches(BEFORE);
    let word = without_end(headless);
    let is_start = out.is_empty();
    if word.is_empty() || (is_ordinary(run, word) && !(is_start && begins_block(run))) {
        out.push_str(run);
        return;
    }
    let tail = &headless[word.len()..];
    out.push_str(&run[..run.len() - headless.len()]);
    out.push_str(&code(word));
    out.push_str(tail);
}

/// A word without the punctuation behind it; `f(x)` is whole.
fn without_end(word: &str) -> &str {
    let mut word = word;
    while let Some(shorter) = word.strip_suffix(BEHIND) {
        if word.ends_with(')') && word.matches('(').count() >= word.matches(')').count() {
            break;
        }
        word = shorter;
    }
    word
}

/// Whether no renderer does anything to a word.
fn is_ordinary(run: &str, word: &str) -> bool {
    let mut characters = word.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let is_inert = match c {
            '.' | ',' | ';' | ':' | '\'' | '"' | '(' | ')' | '/' | '-' | '+' | '?' | '>' => true,
            // No tag begins with a digit; `!12` and `%12` are references.
            '<' => next.is_ascii_digit(),
            '!' | '%' => !next.is_alphanumeric(),
            '=' => word == "=",
            c => !c.is_ascii() || c.is_ascii_alphanumeric(),
        };
        if !is_inert {
            return false;
        }
    }
    let is_path_or_option =
        word.starts_with(['/', ':']) || (word.len() > 1 && word.starts_with('-'));
    let is_address = word.contains("://") || run.to_ascii_lowercase().contains("www.");
    // `:name:` is a picture, and `:1234:` too: as in many IPv6 addresses.
    let is_picture = run.matches(':').count() > 1;
    let is_reference = word
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .any(is_reference);
    !(is_path_or_option || is_address || is_picture || is_reference)
}

/// Whether it may be the hash of a commit, or the key of an issue: `KEY-12`.
fn is_reference(token: &str) -> bool {
    let is_hash = |part: &str| part.len() >= 7 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let begins_with = |part: &str, fits: fn(&u8) -> bool| part.as_bytes().first().is_some_and(fits);
    let mut parts = token.split('-').peekable();
    while let Some(part) = parts.next() {
        let next = parts.peek().copied().unwrap_or("");
        let is_key =
            begins_with(part, u8::is_ascii_uppercase) && begins_with(next, u8::is_ascii_digit);
        if is_key || is_hash(part) {
            return true;
        }
    }
    false
}

/// Whether a line that begins with this may be something else than a paragraph.
fn begins_block(run: &str) -> bool {
    let digits = run.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = digits.len() < run.len() && [".", ")"].contains(&digits);
    is_number || run.starts_with(['-', '+', '=', '>'])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use comrak::nodes::NodeValue;
    use comrak::{Arena, Options, parse_document};
    use proptest::prelude::*;

    /// What a reader sees of inline Markdown, and of it what a forge looks at. Fails if
    /// there is anything but text and code.
    fn seen(markdown: &str) -> Result<(String, String), String> {
        let mut options = Options::default();
        let extension = &mut options.extension;
        extension.table = true;
        extension.autolink = true;
        extension.strikethrough = true;
        extension.tasklist = true;
        extension.footnotes = true;
        extension.superscript = true;
        extension.underline = true;
        extension.math_dollars = true;
        extension.math_code = true;
        let arena = Arena::new();
        let root = parse_document(&arena, markdown, &options);
        let (mut all, mut text) = (String::new(), String::new());
        for node in root.descendants() {
            match &node.data().value {
                NodeValue::Document
                | NodeValue::Paragraph
                | NodeValue::Table(_)
                | NodeValue::TableRow(_)
                | NodeValue::TableCell => {}
                NodeValue::Text(found) => {
                    all.push_str(found);
                    text.push_str(found);
                }
                NodeValue::Code(code) => {
                    all.push_str(&code.literal);
                    text.push('\n');
                }
                other => return Err(format!("{other:?} in {markdown:?}")),
            }
        }
        Ok((all, text))
    }

    /// The words of a text, as spaces side by side are shown as one.
    fn words(text: &str) -> Vec<&str> {
        text.split(' ').filter(|word| !word.is_empty()).collect()
    }

    fn is_inert(text: &str) -> Result<(), String> {
        let expected = line(text);
        let inert = markdown(text);
        let (all, plain) = seen(&inert)?;
        if words(&all) != words(&expected) {
            return Err(format!("{text:?} became {inert:?}, shown as {all:?}"));
        }
        let links = ["://", "www.", "@", "#", "$", "[", "{", "~", "&"];
        if let Some(link) = links.iter().find(|link| plain.contains(**link)) {
            return Err(format!("{link} in {inert:?}"));
        }
        // In the first cell of a row, and after other text.
        let table = format!("| a | b |\n| --- | --- |\n| {inert} | 7 |\n");
        let (all, _) = seen(&table)?;
        let told = all.strip_prefix("ab").and_then(|all| all.strip_suffix('7'));
        if told.is_none_or(|told| words(told) != words(&expected)) {
            return Err(format!("{text:?} in a table: {all:?}"));
        }
        Ok(())
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "993 Mbit/s were offered to 10.2.0.2, in 65,507-byte messages (>99.9 %).",
            "10.1.0.2:40000 > 10.2.0.2:5001 udp",
            "Old tcpdump (4.7-4.9.3) prints \"bad length\"; so what? Well!",
            "k\u{f6}ln \u{2192} \u{6771}\u{4eac} <0.1 %",
        ] {
            assert_eq!(markdown(text), text);
            assert_eq!(is_inert(text), Ok(()));
        }
    }

    #[test]
    fn what_may_be_acted_upon_is_code() {
        for (text, expected) in [
            ("see (ip[6:2]),", "see (`ip[6:2]`),"),
            ("(=f(x)).", "(`=f(x)`)."),
            ("ask @root or #12!", "ask `@root` or `#12`!"),
            ("on 2001:db8:1234::1.", "on `2001:db8:1234::1`."),
            ("ipfrag_time in /proc", "`ipfrag_time` in `/proc`"),
            ("<b>a|b`c", "`<b>a`\\|b\\`c"),
            ("www.example.com http://x", "`www.example.com` `http://x`"),
            ("GH-12 deadbee 3.", "`GH-12` `deadbee` 3."),
            ("a\nb", "`a\\u{a}b`"),
            ("1. x", "`1`. x"),
            ("- x", "`-` x"),
            ("--- x ---", "`---` x `---`"),
        ] {
            assert_eq!(markdown(text), expected);
            assert_eq!(is_inert(text), Ok(()));
        }
    }

    #[test]
    fn attacks_stay_text() {
        for text in [
            "![x](http://evil.example/x.png)",
            "[click](javascript:alert(1))",
            "<script>alert(1)</script> <img src=x onerror=alert(1)>",
            "a|b|c\\|d`|`e",
            "```\n# owned\n```",
            "**bold** _it_ ~~gone~~ $x^2$ $`x`$ ^up^ __u__",
            "# heading",
            "> quote",
            "+ list",
            "1) list",
            "=====",
            ":-:",
            ":---",
            "***",
            "\t# code",
            "    code",
            "a  ",
            "a\\",
            "\\",
            "`",
            "``",
            "&lt;b&gt; &#64;name",
            "a@b.example",
            "mailto:a@b.example",
            "[^1]: note",
            "[x]: http://x",
            "/close",
            "/label ~bug",
            ":100:",
            "fe80:100:1",
            "[~admin]",
            "{code}",
            "JIRA-1",
            "<!-- x",
            "<http://x.example>",
            "\u{ff20}name",
            "\u{1b}[2J\u{202e}x\r\n\r\n# y",
            "HTTPS://x.example/y)",
            "(www.x.example)",
            "ftp://x.example",
        ] {
            assert_eq!(is_inert(text), Ok(()));
        }
    }

    #[test]
    fn code_holds_any_text() {
        for text in [
            "a", "`", "``x`", " x ", "a\\", "x|y", "\\|", "<b>", " ` `` ",
        ] {
            assert_eq!(seen(&code(text)), Ok((text.to_owned(), "\n".to_owned())));
        }
        assert_eq!(code(""), "`  `");
        assert_eq!(code("a\nb"), "`a\\u{a}b`");
    }

    #[test]
    fn a_block_of_code_cannot_be_left() {
        let lines = ["a", "```", "````x", "\u{1b}[2J\n```"];
        assert_eq!(
            fenced("sh", lines.into_iter()),
            "`````sh\na\n```\n````x\n\\u{1b}[2J\\u{a}```\n`````\n"
        );
        assert_eq!(fenced("sh", ["a"].into_iter()), "```sh\na\n```\n");
    }

    #[test]
    fn texts_of_our_own_keep_their_code() {
        assert_eq!(
            prose("Run `grep FRAG /proc/net/sockstat` in it: memory_max means `a|b`."),
            "Run `grep FRAG /proc/net/sockstat` in it: `memory_max` means `a|b`."
        );
        assert_eq!(prose("one ` alone"), "one \\` alone");
        assert_eq!(prose("`a``b`"), "`a` `b`");
    }

    proptest! {
        #[test]
        fn any_text_stays_text(text in any::<String>()) {
            prop_assert_eq!(is_inert(&text), Ok(()));
        }

        #[test]
        fn any_punctuation_stays_text(text in "[ -/:-@\\[-`{-~a-cA1w\n]{0,24}") {
            prop_assert_eq!(is_inert(&text), Ok(()));
        }

        #[test]
        fn any_mixture_of_attacks_stays_text(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "www.", "http://", "x.y", "a", "1", "@", "#", "`", "``", "|", "\\", "[", "](", ")", "!",
                    "<", ">", "&#64;", " ", "  ", "\n", ":", "*", "_", "~~", "-", "$", "=", "+", ".", "/",
                ]),
                0..12,
            ),
        ) {
            let text = parts.concat();
            prop_assert_eq!(is_inert(&text), Ok(()));
            let (all, plain) = seen(&code(&text)).map_err(TestCaseError::fail)?;
            prop_assert!(all == line(&text) || text.is_empty());
            prop_assert_eq!(plain, "\n");
        }
    }
}
