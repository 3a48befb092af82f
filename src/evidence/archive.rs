//! A bundle as one file: `FILE.tar.zst`, with everything in one folder.
//!
//! The same files give the same bytes: nothing of the machine, its users or its clock
//! gets in. Whoever opens the output sees to it that it appears whole or not at all.

use crate::model::Timestamp;
use crate::model::escape::is_active;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use tar::{Builder, EntryType, Header};

/// How much effort goes into compression: near the best that takes no time to speak of
/// for the few megabytes of a bundle.
const LEVEL: i32 = 9;

/// Longest name of a folder or file: file systems have room for 255 bytes.
const MAX_NAME_BYTES: usize = 200;

/// What the folder is called where the name given is none.
const FALLBACK: &str = "evidence";

/// Packs files, in this order, into one folder. Each has the name it gets there and the
/// path that it is read from. Times are cut to seconds, those before 1970 become 1970.
pub fn pack<W: Write>(
    folder_name: &str,
    files: &[(String, PathBuf)],
    modified: Timestamp,
    out: W,
) -> io::Result<W> {
    let mut encoder = zstd::Encoder::new(out, LEVEL)?;
    // Damage on the way is noticed when it is unpacked.
    encoder.include_checksum(true)?;
    let mut archive = Builder::new(encoder);
    let folder = folder(folder_name);
    let mut header = header(EntryType::Directory, modified);
    archive.append_data(&mut header, format!("{folder}/"), io::empty())?;
    for (name, path) in files {
        append(&mut archive, &folder, name, path, modified)?;
    }
    let mut out = archive.into_inner()?.finish()?;
    out.flush()?;
    Ok(out)
}

fn append(
    archive: &mut Builder<impl Write>,
    folder: &str,
    name: &str,
    path: &PathBuf,
    modified: Timestamp,
) -> io::Result<()> {
    if name.is_empty() || component(name) != name {
        let what = format!("no file of a bundle can be called {name:?}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut header = header(EntryType::Regular, modified);
    header.set_size(bytes);
    // Exactly as many as the header says, whatever happens to the file meanwhile.
    archive.append_data(&mut header, format!("{folder}/{name}"), (&file).take(bytes))?;
    if file.stream_position()? != bytes {
        let what = format!("{name} became shorter while it was read");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
    }
    Ok(())
}

/// All that a header says beside name and length.
fn header(kind: EntryType, modified: Timestamp) -> Header {
    let mut header = Header::new_gnu();
    let is_folder = kind == EntryType::Directory;
    header.set_entry_type(kind);
    header.set_mode(if is_folder { 0o755 } else { 0o644 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    header.set_mtime(u64::try_from(modified.0 / 1_000_000_000).unwrap_or(0));
    header
}

fn folder(name: &str) -> String {
    match component(name).as_str() {
        "" => FALLBACK.to_owned(),
        name => name.to_owned(),
    }
}

/// A name that stays in the folder it is put into, whoever unpacks it: no separator, no
/// hidden name, no option, nothing that acts on a terminal. Empty if nothing is left.
fn component(name: &str) -> String {
    let is_unfit = |c: char| is_active(c) || "/\\:*?\"<>|".contains(c);
    let name = name.trim_start_matches(|c| is_unfit(c) || ".- ".contains(c));
    let mut fit = String::new();
    for c in name.chars() {
        if fit.len() + c.len_utf8() > MAX_NAME_BYTES {
            break;
        }
        fit.push(if is_unfit(c) { '_' } else { c });
    }
    fit.truncate(fit.trim_end_matches([' ', '.']).len());
    fit
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    use tar::Archive;

    const MODIFIED: Timestamp = Timestamp(1_767_323_045_123_456_789);

    /// Two files on disk, and the names they get.
    fn files(folder: &Path) -> Vec<(String, PathBuf)> {
        let names = ["report.md", "MANIFEST.json"];
        let paths = names.map(|name| (name.to_owned(), folder.join(format!("{name}.tmp"))));
        for (name, path) in &paths {
            fs::write(path, format!("content of {name}\n").repeat(1000)).unwrap();
        }
        paths.into()
    }

    /// The paths in an archive.
    fn paths(packed: &[u8]) -> Vec<String> {
        let mut archive = Archive::new(zstd::Decoder::new(packed).unwrap());
        let entries = archive.entries().unwrap().map(Result::unwrap);
        entries
            .map(|entry| String::from_utf8(entry.path_bytes().into()).unwrap())
            .collect()
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let once = pack("case-17", &files, MODIFIED, Vec::new()).unwrap();
        // Neither when nor by whom a file was made gets in.
        fs::copy(&files[0].1, folder.path().join("copy")).unwrap();
        fs::rename(folder.path().join("copy"), &files[0].1).unwrap();
        let again = pack("case-17", &files, MODIFIED, Vec::new()).unwrap();
        assert!(once == again);
        assert_eq!(
            paths(&once),
            ["case-17/", "case-17/report.md", "case-17/MANIFEST.json"]
        );
        assert!(pack("case-18", &files, MODIFIED, Vec::new()).unwrap() != once);
    }

    #[test]
    fn tar_and_zstd_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let path = folder.path().join("case.tar.zst");
        let out = File::create(&path).unwrap();
        pack("case 17 \u{2013} k\u{f6}ln", &files, MODIFIED, out).unwrap();
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program)
                .args(arguments)
                .current_dir(folder.path())
                .env("TZ", "UTC")
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{program}: {errors}");
            String::from_utf8(output.stdout).unwrap()
        };
        run("zstd", &["-q", "-t", "case.tar.zst"]);
        let listed = run(
            "tar",
            &["--zstd", "--quoting-style=literal", "-tvf", "case.tar.zst"],
        );
        let expected = "\
drwxr-xr-x 0/0               0 2026-01-02 03:04 case 17 \u{2013} k\u{f6}ln/
-rw-r--r-- 0/0           21000 2026-01-02 03:04 case 17 \u{2013} k\u{f6}ln/report.md
-rw-r--r-- 0/0           25000 2026-01-02 03:04 case 17 \u{2013} k\u{f6}ln/MANIFEST.json
";
        assert_eq!(listed, expected);
        run("tar", &["--zstd", "-xf", "case.tar.zst"]);
        let unpacked = folder.path().join("case 17 \u{2013} k\u{f6}ln/report.md");
        assert_eq!(fs::read(unpacked).unwrap(), fs::read(&files[0].1).unwrap());
    }

    #[test]
    fn no_folder_leads_out() {
        let names = [
            ("../x", "x"),
            ("/etc/cron.d", "etc_cron.d"),
            ("a/../../b", "a_.._.._b"),
            ("..", "evidence"),
            ("", "evidence"),
            ("-rf", "rf"),
            ("C:\\x", "C__x"),
            ("a\u{1b}[2J\n\0\u{202e}b", "a_[2J___b"),
            ("case. ", "case"),
        ];
        for (given, expected) in names {
            assert_eq!(folder(given), expected, "{given:?}");
        }
        assert_eq!(folder(&"\u{20ac}".repeat(100)).len(), 198);
    }

    #[test]
    fn files_with_other_names_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = files(folder.path()).remove(0).1;
        for name in ["../report.md", "/report.md", "a/b", ".", "", "a\nb"] {
            let file = (name.to_owned(), path.clone());
            let refused = pack("case", &[file], MODIFIED, Vec::new());
            assert!(
                refused.is_err_and(|error| error.kind() == io::ErrorKind::InvalidInput),
                "{name:?}"
            );
        }
        let missing = ("a".to_owned(), PathBuf::from("/nonexistent"));
        assert!(pack("case", &[missing], MODIFIED, Vec::new()).is_err());
    }

    #[test]
    fn times_before_1970_become_1970() {
        let packed = pack("case", &[], Timestamp(-5_000_000_000), Vec::new()).unwrap();
        let mut archive = Archive::new(zstd::Decoder::new(packed.as_slice()).unwrap());
        let entry = archive.entries().unwrap().next().unwrap().unwrap();
        assert_eq!(entry.header().mtime().unwrap(), 0);
    }

    proptest! {
        #[test]
        fn every_name_is_one_folder(name in any::<String>()) {
            let packed = pack(&name, &[], MODIFIED, Vec::new()).unwrap();
            let paths = paths(&packed);
            prop_assert_eq!(paths.len(), 1);
            let inside = paths[0].strip_suffix('/').unwrap();
            prop_assert!(!inside.is_empty() && !inside.starts_with('.'));
            prop_assert!(!inside.contains(|c: char| c == '/' || is_active(c)));
        }
    }
}
