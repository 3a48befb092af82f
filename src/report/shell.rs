//! Words as a shell takes them.

use crate::model::number;
use crate::report::escape::is_active;

/// A word that stands for exactly this text.
pub(in crate::report) fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,@%+=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else if text.contains(is_active) {
        ansi(text)
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The path of a file, which is never taken for an option; `-` is standard input.
pub(in crate::report) fn path(text: &str) -> String {
    if text.starts_with('-') && text != "-" {
        word(&format!("./{text}"))
    } else {
        word(text)
    }
}

/// The commands that are no longer than this, and a comment that counts the others.
pub(in crate::report) fn fitting(mut commands: Vec<String>, most_bytes: usize) -> Vec<String> {
    let all = commands.len();
    commands.retain(|command| command.len() <= most_bytes);
    let left_out = all - commands.len();
    if left_out > 0 {
        let longer = number::counted(left_out as u64, "command");
        commands.push(format!("# and {longer} with longer paths than fit here"));
    }
    commands
}

/// `$'...'` of bash, ksh and zsh: nothing in it acts on a terminal.
fn ansi(text: &str) -> String {
    let mut quoted = String::from("$'");
    for c in text.chars() {
        match c {
            '\\' | '\'' => quoted.extend(['\\', c]),
            c if is_active(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Three digits, so that none of the text behind belongs to it.
                    quoted.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    #[test]
    fn plain_words_need_no_quotes() {
        assert_eq!(word("pcaps/a-1.pcap.zst"), "pcaps/a-1.pcap.zst");
        assert_eq!(word("D09"), "D09");
        assert_eq!(word(""), "''");
        assert_eq!(word("a b"), "'a b'");
        assert_eq!(word("it's $(x)"), "'it'\\''s $(x)'");
        assert_eq!(word("~a"), "'~a'");
        assert_eq!(word("a\n'\u{202e}7"), "$'a\\012\\'\\342\\200\\2567'");
        assert_eq!(path("-rf"), "./-rf");
        assert_eq!(path("-"), "-");
    }

    #[test]
    fn a_path_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "a\u{1b}[31mb",
            "it's",
            "\"$(id)\"",
            "two\nlines",
            "txt\u{202e}pacp",
            "-rf",
            "--",
            "\\u{1b}",
            "~",
            "a b*?[c]",
            "#",
            "!1",
        ] {
            std::fs::write(folder.path().join(name), name).unwrap();
            let mut bash = Command::new("bash");
            let output = bash
                .current_dir(folder.path())
                .args(["-c", &format!("eval cat {}", word(&path(name)))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), name);
        }
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let commands = ["short", "longer than that"].map(str::to_owned);
        assert_eq!(
            fitting(commands.to_vec(), 5),
            ["short", "# and 1 command with longer paths than fit here"]
        );
        assert_eq!(fitting(commands.to_vec(), 99), commands);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn bash_reads_what_was_meant(text in "[^\0]*") {
            let script = format!("printf %s {}", word(&text));
            let output = Command::new("bash").args(["-c", &script]).output().unwrap();
            prop_assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }
}
