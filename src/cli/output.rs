//! Where a report goes: standard output, or a file that appears whole.

use super::UsageError;
use anyhow::Context;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Stdout, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where a report goes.
pub(super) enum Output {
    /// Standard output.
    /// Not locked meanwhile: whoever has to give a terminal back writes to it too.
    Standard(BufWriter<Stdout>),
    /// A device or a pipe, which must not be replaced by a file.
    Special(BufWriter<File>),
    /// A file beside the destination, which takes its name at the end.
    Pending(BufWriter<NamedTempFile>, PathBuf),
}

impl Output {
    /// Opens the destination, before any work is done that would be lost if that
    /// is not possible.
    pub(super) fn open(path: Option<&Path>, inputs: &[PathBuf]) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Ok(Self::Standard(BufWriter::new(io::stdout())));
        };
        let shown = path.display();
        if inputs.iter().any(|input| same_file(input, path)) {
            return Err(UsageError::OutputIsInput(shown.to_string()).into());
        }
        let failed = || format!("cannot write {shown}");
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let file = File::options()
                .write(true)
                .open(path)
                .with_context(failed)?;
            return Ok(Self::Special(BufWriter::new(file)));
        }
        // A link stays one: what it points to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // As any new file: readable as the umask says, not by its owner only.
        let file = tempfile::Builder::new()
            .prefix(".fraglens-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(directory)
            .with_context(failed)?;
        Ok(Self::Pending(BufWriter::new(file), target))
    }

    /// Makes what was written visible.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Standard(mut out) => out.flush()?,
            Self::Special(mut out) => out.flush()?,
            Self::Pending(out, target) => {
                let failed = || format!("cannot write {}", target.display());
                let file = out.into_inner().map_err(io::IntoInnerError::into_error);
                file.with_context(failed)?
                    .persist(&target)
                    .with_context(failed)?;
            }
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::Special(out) => out.write(bytes),
            Self::Pending(out, _) => out.write(bytes),
        }
    }

    /// Straight to the buffer's own: a document is written in millions of pieces of a
    /// few bytes.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.write_all(bytes),
            Self::Special(out) => out.write_all(bytes),
            Self::Pending(out, _) => out.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::Special(out) => out.flush(),
            Self::Pending(out, _) => out.flush(),
        }
    }
}

/// Whether two paths lead to one file, by whatever links.
fn same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(output: Output) -> anyhow::Result<()> {
        let mut output = output;
        output.write_all(b"report")?;
        output.finish()
    }

    #[test]
    fn a_file_appears_whole() -> anyhow::Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("report.json");
        fs::write(&path, "older")?;
        let mut output = Output::open(Some(&path), &[])?;
        output.write_all(b"rep")?;
        assert_eq!(fs::read_to_string(&path)?, "older");
        drop(output);
        assert_eq!(fs::read_to_string(&path)?, "older");
        written(Output::open(Some(&path), &[])?)?;
        assert_eq!(fs::read_to_string(&path)?, "report");
        assert_eq!(fs::read_dir(directory.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn an_input_is_not_overwritten() -> anyhow::Result<()> {
        let directory = tempfile::tempdir()?;
        let (input, link) = (directory.path().join("a.pcap"), directory.path().join("b"));
        fs::write(&input, "capture")?;
        fs::hard_link(&input, &link)?;
        for path in [&input, &link] {
            let refused = Output::open(Some(path), std::slice::from_ref(&input));
            assert!(refused.is_err_and(|why| why.is::<UsageError>()));
        }
        assert_eq!(fs::read_to_string(&input)?, "capture");
        Ok(())
    }

    #[test]
    fn devices_stay_devices_and_links_stay_links() -> anyhow::Result<()> {
        written(Output::open(Some(Path::new("/dev/null")), &[])?)?;
        assert!(!fs::metadata("/dev/null")?.is_file());
        let directory = tempfile::tempdir()?;
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "older")?;
        std::os::unix::fs::symlink(&file, &link)?;
        written(Output::open(Some(&link), &[])?)?;
        assert!(fs::symlink_metadata(&link)?.is_symlink());
        assert_eq!(fs::read_to_string(&file)?, "report");
        Ok(())
    }

    #[test]
    fn a_missing_directory_is_named() {
        let path = Path::new("/nonexistent/report.json");
        let refused = Output::open(Some(path), &[]);
        assert!(
            refused.is_err_and(|why| format!("{why:#}").starts_with("cannot write /nonexistent/"))
        );
    }
}
