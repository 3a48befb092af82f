//! The directory of the recordings, and its bounds.

use super::name::{self, PART_END, PART_START};
use super::notice::Notice;
use crate::model::Timestamp;
use nix::fcntl::{Flock, FlockArg};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// Recordings in a directory. Deletes only what is called as recordings are.
#[derive(Debug)]
pub(super) struct Shelf {
    directory: PathBuf,
    files: usize,
    bytes: u64,
    /// The oldest first.
    kept: VecDeque<Kept>,
    deleted: Vec<PathBuf>,
}

#[derive(Debug)]
struct Kept {
    name: String,
    bytes: u64,
}

/// A file that is being written; deleted when it is let go without being published.
#[derive(Debug)]
pub(super) struct Part {
    path: TempPath,
    /// Tells other processes that this file is no leftover. Some file systems have no
    /// locks: there, none is held.
    _lock: Option<Flock<File>>,
}

impl Shelf {
    /// The directory, made if it is not there; what killed runs left in it is removed.
    pub(super) fn open(directory: PathBuf, files: usize, bytes: u64) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        let mut shelf = Self {
            directory,
            files,
            bytes,
            kept: VecDeque::new(),
            deleted: Vec::new(),
        };
        shelf.look()?;
        remove_leftovers(&shelf.directory)?;
        // Whether a file can be made is better known now than at the first finding.
        shelf.create()?;
        Ok(shelf)
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Most bytes of one recording: with another being saved meanwhile, both must fit;
    /// with more files allowed, a long one leaves some of those before it.
    pub(super) fn share(&self) -> u64 {
        self.bytes / self.files.clamp(2, 4) as u64
    }

    /// Begins a recording.
    ///
    /// The directory is not made again: where something was mounted there, what is
    /// under it is not the place.
    pub(super) fn create(&mut self) -> io::Result<(File, Part)> {
        self.look()?;
        let part = tempfile::Builder::new()
            .prefix(PART_START)
            .suffix(PART_END)
            .tempfile_in(&self.directory)?;
        let (file, path) = part.into_parts();
        let lock = Flock::lock(file.try_clone()?, FlockArg::LockExclusiveNonblock).ok();
        Ok((file, Part { path, _lock: lock }))
    }

    /// Deletes the oldest recordings until so many bytes fit beside those left.
    pub(super) fn make_room(&mut self, bytes: u64) -> io::Result<()> {
        while self.kept_bytes().saturating_add(bytes) > self.bytes {
            if !self.delete_oldest()? {
                break;
            }
        }
        Ok(())
    }

    /// Gives a complete recording its name. Nothing is written over.
    pub(super) fn publish(
        &mut self,
        part: Part,
        trigger: Timestamp,
        ids: &[String],
    ) -> io::Result<PathBuf> {
        let bytes = fs::metadata(&part.path)?.len();
        while self.kept.len() >= self.files && self.delete_oldest()? {}
        let mut source = part.path;
        for name in name::candidates(trigger, ids) {
            let path = self.directory.join(&name);
            match source.persist_noclobber(&path) {
                Ok(()) => {
                    self.kept.push_back(Kept { name, bytes });
                    return Ok(path);
                }
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                    source = error.path;
                }
                Err(error) => return Err(error.error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// What was deleted since the last call.
    pub(super) fn deleted(&mut self) -> Vec<Notice> {
        let paths = std::mem::take(&mut self.deleted).into_iter();
        paths
            .map(|path| Notice::Deleted {
                path: path.display().to_string(),
            })
            .collect()
    }

    /// Looks what recordings there are: others may have deleted some, or added.
    fn look(&mut self) -> io::Result<()> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            // Of the link itself, if it is one: what it leads to is not ours.
            if name::is_recording(&name)
                && let Ok(facts) = entry.metadata()
                && facts.is_file()
            {
                let bytes = facts.len();
                kept.push(Kept { name, bytes });
            }
        }
        // Names begin with the time.
        kept.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.kept = kept.into();
        Ok(())
    }

    fn kept_bytes(&self) -> u64 {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }

    /// `false` if there is none.
    fn delete_oldest(&mut self) -> io::Result<bool> {
        let Some(oldest) = self.kept.front() else {
            return Ok(false);
        };
        let path = self.directory.join(&oldest.name);
        match fs::remove_file(&path) {
            Ok(()) => self.deleted.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.kept.pop_front();
        Ok(true)
    }
}

/// Removes recordings that were never completed, unless somebody is writing them.
fn remove_leftovers(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_part = entry.file_name().to_str().is_some_and(name::is_part);
        if is_part && entry.file_type()?.is_file() && !is_being_written(&entry.path()) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

fn is_being_written(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock);
    matches!(lock, Err((_, nix::errno::Errno::EWOULDBLOCK)))
}
