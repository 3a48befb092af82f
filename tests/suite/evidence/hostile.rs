//! Whoever is captured, or names files, does not get to act where a bundle is looked at.

use super::blocks::{COMMENT, INTERFACE, NAME, PACKET, SECTION, texts};
use super::{Bundle, FILES, frames};
use crate::capture_files::plain_bytes;
use crate::support::{fraglens, pcap};
use fraglens::report::escape::is_active;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What acts on a page, in a terminal, in a spreadsheet, or in Markdown. A name of a file
/// has no place for a slash.
const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "\"onload=\"alert(1)",
    "'><img src=x onerror=alert(1)>",
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m",
    "txt\u{202e}pacp\u{2066}\u{feff}",
    "two\r\nlines",
    "=cmd()|'calc'!A1",
    "`id`|cell|$(id)",
    "[click](javascript:alert(1))",
];

/// A capture in which everything that can be text is this. Kept where it is, under this name.
pub fn capture(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join(format!("{}.pcapng", text.replace('/', "")));
    let text_option = |code: u16| option(code, text.as_bytes());
    let section = [
        &[0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0][..],
        &[0xff; 8],
        // Comment, hardware, operating system, application.
        &[1, 2, 3, 4].map(text_option).concat(),
    ]
    .concat();
    let interface = [
        &[1, 0, 0, 0, 0, 0, 4, 0][..],
        // Comment, name, description, filter, operating system, hardware.
        &[1, 2, 3, 12, 15].map(text_option).concat(),
        &option(11, &[&[0][..], text.as_bytes()].concat()),
    ]
    .concat();
    let resolution = [1, 2, 3, 4].map(text_option).concat();
    let names = [
        &[1, 0, 8, 0, 10, 0, 0, 1][..],
        b"peer",
        &[0; 4],
        &resolution,
    ]
    .concat();
    let mut file = block(0x0a0d_0d0a, &section);
    file.extend(block(1, &interface));
    file.extend(block(4, &names));
    for frame in records() {
        let length = (frame.len() as u32).to_le_bytes();
        let head = [
            &[0; 4][..],
            &[0xd5, 0xc9, 5, 0],
            &[1, 2, 3, 4],
            &length,
            &length,
        ]
        .concat();
        let padding = vec![0; frame.len().next_multiple_of(4) - frame.len()];
        file.extend(block(6, &[head, frame, padding, text_option(1)].concat()));
    }
    fs::write(&path, file).unwrap();
    path
}

/// Frames with which something is wrong.
fn records() -> Vec<Vec<u8>> {
    let file = plain_bytes(&pcap("corruption.pcap"));
    let (mut records, mut rest) = (Vec::new(), &file[24..]);
    while !rest.is_empty() {
        let end = 16 + u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        records.push(rest[16..end].to_vec());
        rest = &rest[end..];
    }
    records
}

fn option(code: u16, content: &[u8]) -> Vec<u8> {
    let length = content.len() as u16;
    let mut option = [code.to_le_bytes(), length.to_le_bytes()].concat();
    option.extend(content);
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (12 + body.len() as u32).to_le_bytes();
    [&kind.to_le_bytes(), &length, body, &length].concat()
}

/// A bundle of the capture with this text in it.
fn bundle(text: &str) -> Bundle {
    let home = tempfile::tempdir().unwrap();
    let path = capture(home.path(), text);
    Bundle::fine([path.as_os_str(), OsStr::new("udp\r\n\t|| tcp || icmp")])
}

#[test]
fn every_text_of_the_capture_is_hostile() {
    let home = tempfile::tempdir().unwrap();
    let path = capture(home.path(), "mark");
    let file = fs::read(path).unwrap();
    let marks = file.windows(4).filter(|word| word == b"mark").count();
    assert_eq!(marks, 4 + 6 + 4 + records().len());
    let bundle = bundle("mark");
    let kept = frames(&[bundle.path("evidence.pcapng")]);
    assert!(kept.len() > 1 && kept.len() <= records().len());
    // Of all that, the name of the interface is kept.
    let file = bundle.bytes("evidence.pcapng");
    assert_eq!(texts(&file, INTERFACE, NAME), ["mark"]);
}

#[test]
fn no_character_acts_on_a_terminal() {
    for hostile in HOSTILE {
        let bundle = bundle(hostile);
        for file in FILES.iter().filter(|file| **file != "evidence.pcapng") {
            let text = bundle.text(file);
            let active = text.chars().find(|c| is_active(*c) && *c != '\n');
            assert_eq!(active, None, "{hostile:?} in {file}");
        }
        let said = bundle.said();
        assert!(!said.contains(|c| is_active(c) && c != '\n'), "{said:?}");
        let file = bundle.bytes("evidence.pcapng");
        for text in texts(&file, PACKET, COMMENT) {
            // A line is one remark.
            assert!(!text.contains(|c| is_active(c) && c != '\n'), "{text:?}");
            assert!(text.lines().count() <= 3, "{text:?}");
        }
        for (kind, code) in [(SECTION, COMMENT), (INTERFACE, NAME)] {
            for text in texts(&file, kind, code) {
                assert!(!text.contains(is_active), "{text:?}");
            }
        }
    }
}

/// How often something is on a page.
fn on_page(bundle: &Bundle, what: &str) -> usize {
    bundle.text("report.html").matches(what).count()
}

#[test]
fn nothing_acts_on_a_page() {
    let harmless = bundle("harmless");
    for hostile in HOSTILE {
        let bundle = bundle(hostile);
        for what in ["<script", "<img", "onload=\"", "onerror=", "javascript:"] {
            let expected = match what {
                // As text these are harmless: no markup is around them.
                "onerror=" | "javascript:" if hostile.contains(what) => continue,
                _ => on_page(&harmless, what),
            };
            assert_eq!(on_page(&bundle, what), expected, "{what} of {hostile:?}");
        }
    }
}

#[test]
fn nothing_acts_in_markdown() {
    use comrak::nodes::NodeValue;
    let kinds = |bundle: &Bundle| -> Vec<String> {
        let arena = comrak::Arena::new();
        let mut options = comrak::Options::default();
        options.extension.table = true;
        options.extension.autolink = true;
        let markdown = bundle.text("report.md");
        let root = comrak::parse_document(&arena, &markdown, &options);
        let nodes = root
            .descendants()
            .map(|node| node.data.borrow().value.clone());
        let active = nodes.filter_map(|value| match value {
            NodeValue::HtmlBlock(html) => Some(html.literal),
            NodeValue::HtmlInline(html) => Some(html),
            NodeValue::Link(link) | NodeValue::Image(link) => Some(link.url),
            _ => None,
        });
        active.collect()
    };
    let harmless = kinds(&bundle("harmless"));
    for hostile in HOSTILE {
        assert_eq!(kinds(&bundle(hostile)), harmless, "{hostile:?}");
    }
}

#[test]
fn nothing_acts_in_a_spreadsheet() {
    for hostile in HOSTILE {
        let bundle = bundle(hostile);
        let text = bundle.bytes("flows.csv");
        let mut reader = csv::Reader::from_reader(text.as_slice());
        for row in reader.records() {
            for cell in row.unwrap().iter() {
                let is_number = cell.parse::<f64>().is_ok();
                assert!(
                    is_number || !cell.starts_with(['=', '+', '-', '@']),
                    "{cell}"
                );
            }
        }
    }
}

#[test]
fn words_of_the_command_line_are_harmless() {
    let home = tempfile::tempdir().unwrap();
    for (number, hostile) in HOSTILE.iter().enumerate() {
        let folder = home
            .path()
            .join(format!("{number}{}", hostile.replace('/', "")));
        let archive = folder.with_extension("tar.zst");
        let output = fraglens()
            .args(["evidence", "sample.pcap", "-f", "udp\r\n|| tcp", "-o"])
            .arg(&folder)
            .arg("--tar")
            .arg(&archive)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        for file in ["MANIFEST.json", "report.json", "report.md", "report.html"] {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            assert!(!text.contains(|c| is_active(c) && c != '\n'), "{file}");
        }
        let manifest = fs::read(folder.join("MANIFEST.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        let typed = super::words(&manifest["command_line"]);
        assert!(typed.contains(&folder.to_str().unwrap().to_owned()));
        assert!(archive.is_file());
    }
}
