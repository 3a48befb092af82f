//! What is known of the inputs, without their names.

use super::Anonymizer;
use crate::source::{FileFacts, Problem, Severity};

impl Anonymizer {
    /// Names, hashes and whatever a problem quotes of an input are dropped.
    pub fn files(&self, files: &mut [FileFacts]) {
        for (number, file) in (1..).zip(files) {
            let extension = match file.format {
                Some("pcapng") => "pcapng",
                _ => "pcap",
            };
            file.path = match file.is_live {
                true => format!("interface-{number}"),
                false => format!("capture-{number}.{extension}"),
            };
            file.sha256 = None;
            for interface in &mut file.interfaces {
                interface.name.clear();
            }
            for problem in &mut file.problems {
                *problem = Problem::new(problem.severity, without_quotes(problem.severity));
            }
        }
    }
}

/// A problem in the words of its severity alone.
fn without_quotes(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "something about it bears on the result",
        Severity::CutOff => "its end is cut off",
        Severity::Damaged => "it is damaged before its end",
        Severity::Unreadable => "it could not be read",
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::anonymize::{AnonymizeOptions, Anonymizer};
    use crate::source::{FileFacts, Problem, Severity};

    #[test]
    fn nothing_of_a_file_is_named() {
        let anonymizer = Anonymizer::new(&AnonymizeOptions::default()).unwrap();
        let mut files = vec![
            FileFacts {
                path: "/home/alice/bank.pcapng".to_owned(),
                format: Some("pcapng"),
                sha256: Some("abc".to_owned()),
                problems: vec![Problem::new(Severity::Note, "bond0 has two link types")],
                ..FileFacts::default()
            },
            FileFacts {
                path: "eth7".to_owned(),
                is_live: true,
                frames: 5,
                ..FileFacts::default()
            },
        ];
        anonymizer.files(&mut files);
        let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["capture-1.pcapng", "interface-2"]);
        assert_eq!(files[0].sha256, None);
        assert!(!files[0].problems[0].text.contains("bond0"));
        assert_eq!(files[1].frames, 5);
    }
}
