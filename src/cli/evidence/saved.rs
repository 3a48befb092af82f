//! The bundle of what a watch recorded.

use super::args::EVIDENCE_BYTES;
use super::of;
use super::proof::{self, How};
use crate::evidence::manifest::{Host, HostInterface, Input};
use crate::evidence::{Bundle, Finished, Wanted};
use crate::host::Interface;
use crate::pipeline;
use crate::report::document;
use crate::report::{Parts, build, json};
use crate::source::{CaptureFiles, HashPolicy, Source, SourceOptions};
use crate::watch::Snapshot;
use nix::sys::utsname;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What a watch knows of itself.
#[derive(Clone)]
pub(in crate::cli) struct Watched {
    /// How it analyses.
    pub stages: pipeline::Options,
    /// The same as the report states it.
    pub effective: document::Options,
    /// The interfaces it captures on.
    pub captured_on: Vec<String>,
}

impl Watched {
    /// Writes a bundle beside a recording, under its name: what is in that recording, and
    /// the snapshot that was on the screen.
    ///
    /// # Errors
    ///
    /// The recording cannot be read, or nothing be written.
    pub fn save(&self, recording: &Path, snapshot: &Snapshot) -> anyhow::Result<Finished> {
        let mut bundle = Bundle::begin(&recording.with_extension(""))?;
        let inputs = [recording.to_owned()];
        let mut source = open(&inputs);
        let analysis =
            pipeline::analyze(&mut source, &self.stages, &|_| ControlFlow::Continue(()))?;
        let interfaces = interfaces(snapshot);
        let parts = Parts {
            interfaces,
            captured_on: &self.captured_on,
            files: &source.files(),
            ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
        };
        let report = build(&parts, self.effective.clone());
        let wanted = Wanted::of(&report);
        let how = How {
            stages: &self.stages,
            limit_bytes: EVIDENCE_BYTES,
            flow: &|| ControlFlow::Continue(()),
        };
        let excerpt = proof::excerpt(&mut open(&inputs), &wanted, &report, &how)?;
        let mut manifest = of(&report, &excerpt);
        manifest.inputs = source
            .files()
            .into_iter()
            .map(|file| Input {
                path: file.path,
                bytes: file.bytes,
                sha256: file.sha256,
                point: None,
            })
            .collect();
        manifest.host = Some(host(interfaces, &self.captured_on));
        bundle.report(&report, &excerpt.beside(false))?;
        bundle.file("snapshot.json", |out| json::write_document(snapshot, out))?;
        bundle.capture(&excerpt.kept, &super::told::of_all(&report, &excerpt))?;
        bundle.seal(manifest)?;
        Ok(bundle.place()?)
    }
}

fn open(inputs: &[PathBuf]) -> CaptureFiles {
    let reading = SourceOptions {
        hash: HashPolicy::Always,
        ..SourceOptions::default()
    };
    CaptureFiles::open(inputs, &reading)
}

fn interfaces(snapshot: &Snapshot) -> &[Interface] {
    let host = snapshot.host.as_ref();
    host.map_or(&[], |host| &host.interfaces)
}

fn host(interfaces: &[Interface], captured_on: &[String]) -> Host {
    let captured = interfaces
        .iter()
        .filter(|interface| captured_on.contains(&interface.name));
    let kernel = utsname::uname().ok();
    let text = |of: &std::ffi::OsStr| of.to_string_lossy().into_owned();
    Host {
        hostname: kernel.as_ref().map(|kernel| text(kernel.nodename())),
        kernel_release: kernel.as_ref().map(|kernel| text(kernel.release())),
        interfaces: captured
            .map(|interface| HostInterface {
                name: Some(interface.name.clone()),
                kind: interface.kind.clone(),
                mtu: interface.mtu,
            })
            .collect(),
    }
}
