//! Text broken into lines.

/// Breaks text between words into lines of at most `width` characters; a word that
/// is longer than a line is broken too. A number and its unit are one word.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut filled = 0;
    for word in words(text) {
        let mut rest: Vec<char> = word.chars().collect();
        let space = usize::from(filled > 0);
        if filled > 0 && filled + space + rest.len() > width {
            lines.push(String::new());
            filled = 0;
        }
        let Some(mut line) = lines.pop() else { break };
        if filled > 0 {
            line.push(' ');
            filled += 1;
        }
        while filled + rest.len() > width {
            let tail = rest.split_off(width - filled);
            line.extend(rest);
            lines.push(std::mem::take(&mut line));
            rest = tail;
            filled = 0;
        }
        filled += rest.len();
        line.extend(rest);
        lines.push(line);
    }
    lines.iter_mut().for_each(|line| {
        line.truncate(line.trim_end().len());
    });
    lines
}

/// The same text, to be broken into lines by somebody else: a number and its unit are
/// held together by a space that is not broken.
pub fn hold_units(text: &str) -> String {
    let held = words(text)
        .into_iter()
        .map(|word| word.replace(' ', "\u{a0}"));
    held.collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(number) if is_unit(word) && number.ends_with(|c: char| c.is_ascii_digit()) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Whether a word is a unit as `number` writes them, whatever punctuation follows.
fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 14] = [
        "%", "s", "ms", "us", "min", "h", "KiB", "MiB", "GiB", "bit/s", "kbit/s", "Mbit/s",
        "Gbit/s", "Tbit/s",
    ];
    UNITS.contains(&word.trim_end_matches(['.', ',', ';', ':', ')']))
}

#[cfg(test)]
mod tests {
    use super::{hold_units, wrap};

    #[test]
    fn a_number_stays_with_its_unit() {
        assert_eq!(wrap("it is 2.9 % now", 9), ["it is", "2.9 % now"]);
        assert_eq!(wrap("after 0.3 s, so", 9), ["after", "0.3 s, so"]);
        assert_eq!(wrap("4 messages", 5), ["4", "messa", "ges"]);
        assert_eq!(wrap("% s", 2), ["%", "s"]);
        assert_eq!(hold_units("it is 2.9 % now"), "it is 2.9\u{a0}% now");
    }
}
