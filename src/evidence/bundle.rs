//! A folder with all that stands in a ticket, which appears whole.

use super::archive;
use super::document::Document;
use super::hashed::{Hashed, HashingWriter};
use super::kept::Kept;
use super::manifest::{Manifest, Output};
use crate::model::{Timestamp, escape};
use crate::report::Beside;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The name of the capture in a bundle.
pub(super) const CAPTURE: &str = "evidence.pcapng";
/// The name of the manifest in a bundle.
const MANIFEST: &str = "MANIFEST.json";

/// A bundle that is being written, out of sight.
#[derive(Debug)]
pub struct Bundle {
    folder: TempDir,
    destination: PathBuf,
    kind: Kind,
    outputs: Vec<Output>,
}

/// What there is in the place of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    New,
    /// An empty folder. It stays what it is: the end of a link, a mounted one, or where
    /// somebody stands.
    Empty,
}

/// Something is where a bundle is to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} exists and is no empty folder; nothing was written")]
pub struct Exists(pub String);

impl Bundle {
    /// One that will be at this place.
    ///
    /// # Errors
    ///
    /// [`Exists`], as an error of its own inside the other; or nothing can be written there.
    pub fn begin(destination: &Path) -> io::Result<Self> {
        let entries = fs::read_dir(destination).map(Iterator::count);
        let kind = match entries {
            Ok(0) => Kind::Empty,
            // A link that leads nowhere is something, too.
            Err(_) if fs::symlink_metadata(destination).is_err() => Kind::New,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error),
            _ => return Err(exists(destination)),
        };
        let beside = match (kind, destination.parent()) {
            (Kind::Empty, _) => destination,
            (Kind::New, Some(parent)) if !parent.as_os_str().is_empty() => parent,
            (Kind::New, _) => Path::new("."),
        };
        let folder = tempfile::Builder::new()
            .prefix(".fraglens-")
            .tempdir_in(beside)?;
        Ok(Self {
            folder,
            destination: destination.to_owned(),
            kind,
            outputs: Vec::new(),
        })
    }

    /// Writes a document in every form; `beside` is the capture that lies with it.
    pub fn report(&mut self, document: &impl Document, beside: &Beside<'_>) -> io::Result<()> {
        self.file("report.html", |out| document.html(beside, out))?;
        self.file("report.md", |out| document.markdown(beside, out))?;
        self.file("report.json", |out| document.json(out))?;
        self.file("flows.csv", |out| document.csv(out))
    }

    /// Writes the frames that prove it.
    pub fn capture(&mut self, kept: &Kept, comments: &[String]) -> io::Result<()> {
        self.file(CAPTURE, |out| kept.write(comments, out).map(drop))
    }

    /// Writes what the bundle is made of.
    pub fn seal(&mut self, mut manifest: Manifest) -> io::Result<()> {
        manifest.outputs.clone_from(&self.outputs);
        self.file(MANIFEST, |out| manifest.write(out))
    }

    /// Packs it into a compressed archive, in which all times are this.
    pub fn pack(&self, modified: Timestamp, out: impl Write) -> io::Result<()> {
        let destination = fs::canonicalize(&self.destination);
        let destination = destination.as_ref().unwrap_or(&self.destination);
        let name = destination.file_name().unwrap_or_default();
        let files = self.outputs.iter().map(|output| {
            let path = self.folder.path().join(&output.name);
            (output.name.clone(), path)
        });
        let files: Vec<(String, PathBuf)> = files.collect();
        archive::pack(&name.to_string_lossy(), &files, modified, out).map(drop)
    }

    /// Puts it into its place.
    pub fn place(self) -> io::Result<Finished> {
        let names = self.outputs.iter().map(|output| output.name.clone());
        let finished = Finished {
            folder: self.destination.clone(),
            files: names.collect(),
        };
        match self.kind {
            Kind::New => self.take_name()?,
            Kind::Empty => self.move_in()?,
        }
        Ok(finished)
    }

    fn take_name(self) -> io::Result<()> {
        // As any new folder: readable as the umask says, not by its owner only. What the
        // umask is, the files know.
        let mode = fs::metadata(self.folder.path().join(MANIFEST))?
            .permissions()
            .mode();
        let searchable = (mode | (mode & 0o444) >> 2) & 0o777;
        fs::set_permissions(self.folder.path(), Permissions::from_mode(searchable))?;
        fs::rename(self.folder.path(), &self.destination)?;
        // Nothing is left at its first place to be deleted.
        let _ = self.folder.keep();
        Ok(())
    }

    /// The manifest comes last: what is in a folder without one is no bundle.
    fn move_in(self) -> io::Result<()> {
        if fs::read_dir(&self.destination)?.count() > 1 {
            return Err(exists(&self.destination));
        }
        let paths = self.outputs.iter().map(|output| {
            let from = self.folder.path().join(&output.name);
            (from, self.destination.join(&output.name))
        });
        let mut moved = Vec::new();
        for (from, to) in paths {
            if let Err(error) = fs::rename(from, &to) {
                moved.iter().for_each(|path| drop(fs::remove_file(path)));
                return Err(error);
            }
            moved.push(to);
        }
        self.folder.close()
    }

    /// Writes a file of this name, all of it to the disk.
    pub fn file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut HashingWriter<BufWriter<File>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let file = File::create_new(self.folder.path().join(name))?;
        let mut out = HashingWriter::new(BufWriter::new(file));
        write(&mut out)?;
        let (out, hashed): (_, Hashed) = out.finish()?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        self.outputs.push(Output::new(name, hashed));
        Ok(())
    }
}

/// A bundle that is in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Where it is.
    pub folder: PathBuf,
    /// The names of its files.
    pub files: Vec<String>,
}

fn exists(destination: &Path) -> io::Error {
    let shown = escape::line(&destination.to_string_lossy()).into_owned();
    io::Error::new(io::ErrorKind::AlreadyExists, Exists(shown))
}
