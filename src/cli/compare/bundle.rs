//! The bundle of a comparison.

use crate::cli::evidence::{Spool, told};
use crate::cli::interrupt::Interrupt;
use crate::cli::options::Progress;
use crate::cli::progress::Bar;
use crate::decode::DecodeOptions;
use crate::evidence::{Bundle, Gathering, Manifest, PathExcerpt, Reading, manifest};
use crate::model::{escape, number};
use crate::report::comparison::Comparison;
use crate::source::{CaptureFiles, FilterSet, HashPolicy, SourceOptions};
use anyhow::Context as _;
use std::iter;
use std::path::{Path, PathBuf};

/// A bundle that is to be written, where nothing is in its way.
pub(super) struct Promised {
    bundle: Bundle,
    folder: PathBuf,
}

/// How the points are read once more.
pub(super) struct Again<'a> {
    /// Since before the first reading.
    pub spool: &'a Spool,
    /// Which of the spool's inputs each point is, in the order of the points.
    pub inputs: &'a [usize],
    /// Frames that do not match are left out, as they were before.
    pub filter: Option<FilterSet>,
    /// How frames are decoded.
    pub decode: DecodeOptions,
    /// Most bytes of the capture in the bundle.
    pub evidence_bytes: u64,
    /// Whether it is said what was written.
    pub progress: Progress,
}

impl Promised {
    /// One that will be at this place. To be called before anything is read: the work
    /// would be lost if nothing can be written there.
    ///
    /// # Errors
    ///
    /// Something is there, or nothing can be written.
    pub fn begin(folder: &Path) -> anyhow::Result<Self> {
        let bundle = Bundle::begin(folder).with_context(|| failed(folder))?;
        Ok(Self {
            bundle,
            folder: folder.to_owned(),
        })
    }

    /// Reads the points once more, and writes what was found and the frames that show it.
    ///
    /// # Errors
    ///
    /// An input changed, nothing can be written, or an end was asked for. Nothing is there
    /// then.
    pub fn write(
        mut self,
        comparison: &Comparison,
        again: &Again<'_>,
        bar: &Bar,
        interrupt: &Interrupt,
    ) -> anyhow::Result<()> {
        let excerpt = again.excerpt(comparison, bar, interrupt);
        bar.clear();
        let excerpt = excerpt?;
        let manifest = of(comparison, &excerpt);
        self.bundle
            .report(comparison, &excerpt.beside())
            .and_then(|()| self.bundle.capture(&excerpt.kept, &excerpt.comments))
            .and_then(|()| self.bundle.seal(manifest))
            .with_context(|| failed(&self.folder))?;
        interrupt.check()?;
        self.bundle.place().with_context(|| failed(&self.folder))?;
        say_what_is_not_shown(&excerpt);
        if again.progress == Progress::Shown {
            say_what_was_written(&self.folder, &excerpt);
        }
        Ok(())
    }
}

impl Again<'_> {
    fn excerpt(
        &self,
        comparison: &Comparison,
        bar: &Bar,
        interrupt: &Interrupt,
    ) -> anyhow::Result<PathExcerpt> {
        let reading = Reading {
            filter: self.filter.clone(),
            decode: self.decode.clone(),
            limit_bytes: self.evidence_bytes,
        };
        // Nobody needs another hash, and reading may end early.
        let options = SourceOptions {
            hash: HashPolicy::Never,
            ..SourceOptions::default()
        };
        let mut gathering = Gathering::new(comparison, reading);
        while let Some(point) = gathering.next_point() {
            let mut source = CaptureFiles::open(self.paths(point), &options);
            let read = gathering.read(point, &mut source, &|progress| {
                let read = progress.read;
                bar.update(read.bytes, read.total_bytes, progress.frames);
                interrupt.flow()
            });
            // An end that was asked for comes before what is missing for it.
            interrupt.check()?;
            read.context("nothing was written")?;
        }
        self.spool.unchanged()?;
        Ok(gathering.finish())
    }

    /// The capture of a point.
    fn paths(&self, point: u32) -> &[PathBuf] {
        let input = self.inputs.get(point as usize).copied();
        let paths = input.and_then(|input| self.spool.capture().inputs.get(input..=input));
        paths.unwrap_or_default()
    }
}

fn failed(folder: &Path) -> String {
    format!("cannot write {}", folder.display())
}

/// What was compared and found, and what the frames show of it.
fn of(comparison: &Comparison, excerpt: &PathExcerpt) -> Manifest {
    let points = &comparison.points;
    let mut manifest = Manifest::new(told::now());
    manifest.command_line = Some(told::command_line());
    manifest.capture = manifest::Span {
        first_timestamp: points
            .iter()
            .filter_map(|point| point.first_timestamp)
            .min(),
        last_timestamp: points.iter().filter_map(|point| point.last_timestamp).max(),
    };
    let names = points.iter().map(|point| Some(point.name.clone()));
    let inputs = comparison.files().zip(names.chain(iter::repeat(None)));
    let inputs = inputs.map(|(file, point)| manifest::Input {
        path: file.path.clone(),
        bytes: file.bytes,
        sha256: file.sha256.clone(),
        point,
    });
    manifest.inputs = inputs.collect();
    manifest.findings_repeated.clone_from(&excerpt.shown);
    manifest
        .findings_not_repeated
        .clone_from(&excerpt.not_shown);
    manifest.limits.clone_from(&comparison.limits);
    if excerpt.left_out > 0 {
        let name = "evidence_frames_left_out".to_owned();
        manifest.limits.insert(name, excerpt.left_out);
    }
    manifest
}

fn say_what_is_not_shown(excerpt: &PathExcerpt) {
    if !excerpt.not_shown.is_empty() {
        let which = excerpt.not_shown.join(", ");
        told::say(&format!(
            "evidence.pcapng does not show {which}: it names more than --evidence-bytes allows, or no frames"
        ));
    }
}

fn say_what_was_written(folder: &Path, excerpt: &PathExcerpt) {
    let folder = folder.to_string_lossy();
    let folder = escape::line(&folder);
    let frames = number::counted(excerpt.kept.frames.len() as u64, "frame");
    let points = number::counted(excerpt.kept.interfaces.len() as u64, "point");
    told::say(&format!(
        "{folder}: report.html, report.md, report.json, flows.csv, evidence.pcapng ({frames} at {points})"
    ));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use crate::cli::args::{Args, Command};
    use crate::cli::compare::options;
    use crate::cli::terminal::Terminal;
    use crate::evidence::path_tests::{Sample, comparison, three, whole};
    use clap::Parser;
    use serde_json::Value;
    use std::fs;
    use tempfile::TempDir;

    const FILES: [&str; 6] = [
        "MANIFEST.json",
        "evidence.pcapng",
        "flows.csv",
        "report.html",
        "report.json",
        "report.md",
    ];

    fn spool(inputs: &[PathBuf; 2]) -> Spool {
        let words = ["fraglens", "compare"].map(PathBuf::from);
        let typed = Args::try_parse_from(words.iter().chain(inputs)).unwrap();
        let Command::Compare(args) = typed.command else {
            panic!("{typed:?}");
        };
        let options = options(*args, &Terminal::default()).unwrap();
        Spool::of(&options.capture, &Interrupt::deaf()).unwrap()
    }

    /// Two captures, and a place for a bundle.
    struct Scene {
        home: TempDir,
        sample: Sample,
        spool: Spool,
        interrupt: Interrupt,
    }

    impl Scene {
        /// The files are given the other way round than they lie on the path.
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            let sample = comparison(2).naming(&[(0, 4), (1, 2)]);
            let mut frames = three(7).to_vec();
            frames.insert(0, whole(1, 100));
            let paths = ["b.pcap", "a.pcap"].map(|name| home.path().join(name));
            fs::write(&paths[0], sample.capture(1, &frames[1..])).unwrap();
            fs::write(&paths[1], sample.capture(0, &frames)).unwrap();
            Self {
                spool: spool(&paths),
                home,
                sample,
                interrupt: Interrupt::deaf(),
            }
        }

        fn write(&self) -> anyhow::Result<()> {
            let again = Again {
                spool: &self.spool,
                inputs: &[1, 0],
                filter: None,
                decode: DecodeOptions::default(),
                evidence_bytes: 1 << 20,
                progress: Progress::Hidden,
            };
            let bar = Bar::new(Progress::Hidden);
            let promised = Promised::begin(&self.home.path().join("bundle"))?;
            promised.write(&self.sample.document, &again, &bar, &self.interrupt)
        }

        fn names(&self, folder: &str) -> Vec<String> {
            let entries = fs::read_dir(self.home.path().join(folder)).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name());
            let mut names: Vec<String> = names
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        }

        fn assert_nothing_was_written(&self, why: &anyhow::Result<()>, told: &str) {
            let why = why.as_ref().err().map(|why| format!("{why:#}"));
            assert!(
                why.as_ref().is_some_and(|why| why.contains(told)),
                "{why:?}"
            );
            assert_eq!(self.names("."), ["a.pcap", "b.pcap"]);
        }
    }

    #[test]
    fn a_bundle_has_all_points() {
        let scene = Scene::new();
        scene.write().unwrap();
        assert_eq!(scene.names("bundle"), FILES);
        let folder = scene.home.path().join("bundle");
        let manifest = fs::read(folder.join("MANIFEST.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let points = manifest["inputs"].as_array().unwrap().iter();
        let points: Vec<(&Value, &Value)> = points
            .map(|input| (&input["point"], &input["path"]))
            .collect();
        let expected = [("A", "a.pcap"), ("B", "b.pcap")].map(|(a, b)| (a.into(), b.into()));
        let expected: Vec<(&Value, &Value)> = expected.iter().map(|(a, b)| (a, b)).collect();
        assert_eq!(points, expected);
        assert_eq!(manifest["findings_repeated"], serde_json::json!(["C01"]));
        let outputs = manifest["outputs"].as_array().unwrap();
        assert_eq!(outputs.len(), FILES.len() - 1);
        for output in outputs {
            let path = folder.join(output["name"].as_str().unwrap());
            let hashed = crate::evidence::sha256_of(&path).unwrap();
            assert_eq!(output["sha256"], hashed.sha256);
        }
        let report = fs::read(folder.join("report.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["kind"], "comparison");
    }

    #[test]
    fn frames_are_those_of_their_points() {
        let scene = Scene::new();
        scene.write().unwrap();
        let capture = scene.home.path().join("bundle/evidence.pcapng");
        let mut source = CaptureFiles::open(&[capture], &SourceOptions::default());
        let mut block = crate::source::Block::default();
        let mut interfaces = Vec::new();
        while crate::source::Source::fill(&mut source, &mut block) {
            interfaces.extend(block.frames().map(|frame| frame.interface));
        }
        assert_eq!(interfaces, [1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn what_changed_or_is_there_is_left_alone() {
        let scene = Scene::new();
        let path = scene.home.path().join("b.pcap");
        let bytes = fs::read(&path).unwrap();
        // Nothing of what is named is in what was added.
        fs::write(&path, [&bytes[..], &bytes[24..]].concat()).unwrap();
        scene.assert_nothing_was_written(&scene.write(), "b.pcap changed while it was read");
        fs::write(&path, &bytes[..24]).unwrap();
        scene.assert_nothing_was_written(&scene.write(), "b.pcap changed while it was read");
        let scene = Scene::new();
        let bundle = scene.home.path().join("bundle");
        fs::write(&bundle, "mine").unwrap();
        assert!(scene.write().is_err());
        assert_eq!(fs::read(&bundle).unwrap(), b"mine");
    }

    #[test]
    fn an_interrupt_leaves_nothing() {
        let mut scene = Scene::new();
        scene.interrupt = Interrupt::asked();
        scene.assert_nothing_was_written(&scene.write(), "interrupted: nothing was written");
    }
}
