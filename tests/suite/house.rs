//! The house of the architecture chapter: who may use whom.

use crate::support::{in_repository, none};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Crates that one room has to itself.
const CRATES: [(&str, &[&str]); 9] = [
    ("compare", &["hdrhistogram"]),
    ("source", &["pcap", "pcap_parser"]),
    ("decode", &["etherparse"]),
    (
        "cli",
        &[
            "clap",
            "clap_complete",
            "clap_mangen",
            "anyhow",
            "caps",
            "indicatif",
        ],
    ),
    ("evidence", &["ipcrypt_rs", "pcap_file", "tar"]),
    ("pipeline", &["rayon"]),
    ("report", &["askama"]),
    (
        "host",
        &[
            "netlink_packet_core",
            "netlink_packet_generic",
            "netlink_packet_route",
            "netlink_sys",
        ],
    ),
    ("watch", &["httparse", "prometheus_client", "ratatui"]),
];

type Table = BTreeMap<String, BTreeSet<String>>;

/// The table in the docs of `src/lib.rs`, or the one here.
/// The table in the documentation of `src/lib.rs`. An entry is a room, or one item
/// of a room.
fn table() -> Table {
    let docs = fs::read_to_string(in_repository("src/lib.rs")).unwrap();
    let docs: Vec<&str> = docs
        .lines()
        .map(|line| line.trim_start_matches("//!").trim())
        .collect();
    let is_head = |line: &&str| line.replace(' ', "") == "|room|mayuse|";
    let head = docs.iter().position(is_head);
    let rows = docs[head.expect("the table of rooms in src/lib.rs")..]
        .iter()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| {
        row.split('|')
            .map(|cell| cell.replace('`', ""))
            .collect::<Vec<_>>()
    });
    let list = |cell: &str| {
        cell.split(',')
            .map(|word| word.trim().to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    };
    cells
        .map(|cells| (cells[1].trim().to_owned(), list(&cells[2])))
        .collect()
}

/// A source file without comments, strings and unit tests.
struct File {
    path: PathBuf,
    room: String,
    /// How many `super` lead from it to the crate.
    depth: usize,
    code: String,
}

fn files() -> Vec<File> {
    let root = in_repository("src");
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    assert!(files.len() > 50, "only {} source files found", files.len());
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            // Unit tests may set up what they need.
            if name != "tests" && name != "snapshots" {
                collect(root, &path, files);
            }
        } else if path.extension().is_some_and(|end| end == "rs") && name != "tests" {
            let inside = path.strip_prefix(root).unwrap();
            let first = inside.iter().next().unwrap().to_string_lossy();
            let room = first.trim_end_matches(".rs").to_owned();
            let depth = inside.iter().count() - usize::from(name == "mod");
            if !["lib", "main"].contains(&room.as_str()) {
                let code = code(&fs::read_to_string(&path).unwrap());
                files.push(File {
                    path: inside.to_owned(),
                    room,
                    depth,
                    code,
                });
            }
        }
    }
}

fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// What follows each occurrence of a word that stands alone.
fn after<'a>(code: &'a str, word: &str) -> Vec<&'a str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let starts = code.match_indices(word);
    let alone = starts.filter(|(at, _)| !code[..*at].ends_with(is_name));
    alone.map(|(at, _)| &code[at + word.len()..]).collect()
}

fn name_at(code: &str) -> &str {
    let end = code
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(code.len());
    &code[..end]
}

/// The names at the start of each path of a tree, as in `{a, b::{c, d}, self}`.
fn names(tree: &str) -> Vec<(&str, &str)> {
    let Some(inside) = tree.strip_prefix('{') else {
        let name = name_at(tree);
        return vec![(name, &tree[name.len()..])];
    };
    let (mut level, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            '{' => level += 1,
            '}' if level == 0 => {
                found.push(inside[start..at].trim());
                break;
            }
            '}' => level -= 1,
            ',' if level == 0 => {
                found.push(inside[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let named = found.into_iter().filter(|path| !path.is_empty());
    named
        .map(|path| (name_at(path), &path[name_at(path).len()..]))
        .collect()
}

/// What a file uses of other rooms, as `room::Item`; `room` alone for a module
/// that is named without an item.
fn uses(file: &File) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (room, rest) in after(&file.code, "crate::").into_iter().flat_map(names) {
        let items = rest.strip_prefix("::").map(names).unwrap_or_default();
        let mut is_module = items.is_empty();
        for (item, _) in items {
            match item {
                "self" => is_module = true,
                item => drop(used.insert(format!("{room}::{item}"))),
            }
        }
        if is_module {
            let items = after(&file.code, &format!("{room}::"));
            let named = items
                .iter()
                .map(|item| name_at(item))
                .filter(|item| !item.is_empty());
            used.extend(named.map(|item| format!("{room}::{item}")));
        }
    }
    used
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let table = table();
    let mut faults = Vec::new();
    for file in files() {
        let Some(allowed) = table.get(&file.room) else {
            faults.push(format!(
                "{}: {} is no room of the table",
                file.path.display(),
                file.room
            ));
            continue;
        };
        for used in uses(&file) {
            let room = used.split("::").next().unwrap();
            if room != file.room && !allowed.contains(room) && !allowed.contains(&used) {
                faults.push(format!("{}: uses {used}", file.path.display()));
            }
        }
    }
    none(&faults);
}

#[test]
fn rooms_are_left_through_the_front_door_only() {
    let mut faults = Vec::new();
    for file in files() {
        for climb in after(&file.code, "super::") {
            let levels = 1 + climb
                .split("super::")
                .take_while(|between| between.is_empty())
                .count();
            if levels >= file.depth {
                faults.push(format!(
                    "{}: `super` climbs out of {}",
                    file.path.display(),
                    file.room
                ));
            }
        }
    }
    none(&faults);
}

#[test]
fn the_table_only_points_backwards() {
    let table = table();
    let rooms: BTreeSet<&str> = table.keys().map(String::as_str).collect();
    let uses = |room: &str| -> BTreeSet<&str> {
        table
            .get(room)
            .into_iter()
            .flatten()
            .map(|used| used.split("::").next().unwrap())
            .collect()
    };
    // Rooms can be put in an order if one without unplaced needs is always left.
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    while placed.len() < rooms.len() {
        let next: Vec<&str> = rooms
            .difference(&placed)
            .copied()
            .filter(|room| uses(room).is_subset(&placed))
            .collect();
        assert!(
            !next.is_empty(),
            "rooms use each other in a circle: {:?}",
            rooms.difference(&placed)
        );
        placed.extend(next);
    }
    let four = BTreeSet::from(["source", "decode", "reassemble", "account"]);
    for room in rooms
        .iter()
        .filter(|room| !["pipeline", "cli"].contains(*room))
    {
        assert!(
            !four.is_subset(&uses(room)),
            "{room} sees what only the pipeline may"
        );
    }
}

#[test]
fn every_crate_is_used_by_its_room_only() {
    let mut faults = Vec::new();
    for file in files() {
        for (room, crates) in CRATES {
            for name in crates.iter().filter(|_| file.room != room) {
                if after(&file.code, &format!("{name}::"))
                    .iter()
                    .any(|item| !item.starts_with("tests"))
                {
                    faults.push(format!(
                        "{}: uses {name}, which only {room} may",
                        file.path.display()
                    ));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn uses_of_other_rooms_are_seen_however_they_are_written() {
    let code = code(
        "use crate::model::{Sum, facts::Layer};\nuse crate::{decode, source::{self, Source}};\n\
         // crate::account::Ledger\nfn f(_: decode::Options, _: source::Block) { crate::report::build() }",
    );
    let file = File {
        path: PathBuf::new(),
        room: String::new(),
        depth: 1,
        code,
    };
    let expected = [
        "decode::Options",
        "model::Sum",
        "model::facts",
        "report::build",
        "source::Block",
        "source::Source",
    ];
    assert!(uses(&file).iter().eq(expected), "{:?}", uses(&file));
}
