//! What somebody at the screen saves: a recording, and the bundle that proves what is in
//! it.

use crate::cli::evidence::Watched;
use crate::watch::Snapshot;
use crate::watch::recorder::Recorder;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

/// Writes bundles, one after the other, while watching goes on.
pub(super) struct Saver {
    watched: Watched,
    writing: Option<JoinHandle<String>>,
}

impl Saver {
    pub fn new(watched: Watched) -> Self {
        Self {
            watched,
            writing: None,
        }
    }

    /// Saves the frames in memory, and begins a bundle; what is to be said of it.
    pub fn save(&mut self, recorder: Option<&mut Recorder>, latest: Option<&Snapshot>) -> String {
        let (Some(recorder), Some(latest)) = (recorder, latest) else {
            return "nothing to save yet".to_owned();
        };
        if self.writing.is_some() {
            return "not saved: the bundle before is still being written".to_owned();
        }
        match recorder.save_now(latest) {
            Ok(path) => {
                let shown = path.display().to_string();
                self.writing = Some(self.begin(path, latest.clone()));
                format!("saved {shown}; a bundle of it is being written")
            }
            Err(error) => format!("not saved: {error}"),
        }
    }

    /// What is to be said of a bundle that is complete, once.
    pub fn told(&mut self) -> Option<String> {
        if !self.writing.as_ref()?.is_finished() {
            return None;
        }
        self.end()
    }

    /// The same, and waits for it.
    pub fn end(&mut self) -> Option<String> {
        let writing = self.writing.take()?;
        Some(
            writing
                .join()
                .unwrap_or_else(|_| "the bundle was not written".to_owned()),
        )
    }

    fn begin(&self, recording: PathBuf, latest: Snapshot) -> JoinHandle<String> {
        let watched = self.watched.clone();
        thread::spawn(move || match watched.save(&recording, &latest) {
            Ok(bundle) => format!("wrote the bundle {}", bundle.folder.display()),
            Err(error) => format!("the bundle was not written: {error:#}"),
        })
    }
}
