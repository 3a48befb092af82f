//! `fraglens evidence`: from files to a bundle that stands in a ticket.

mod args;
mod disguise;
mod proof;
mod saved;
mod spool;
pub(in crate::cli) mod told;

pub(in crate::cli) use saved::Watched;

pub(in crate::cli) use args::{EVIDENCE_BYTES, evidence_bytes};
pub use args::{EvidenceArgs, EvidenceOptions, Hidden, options};
pub(in crate::cli) use spool::Spool;

use super::Status;
use super::interrupt::Interrupt;
use super::layout;
use super::options::Progress;
use super::output::Output;
use super::progress::Bar;
use crate::evidence::{Bundle, Excerpt, Manifest, Wanted, manifest};
use crate::model::Timestamp;
use crate::report::build;
use crate::report::document::{self, Report};
use crate::source::{FileFacts, Source};
use anyhow::Context as _;
use disguise::Disguise;
use proof::How;

/// Analyses, picks the frames that prove it, and writes both.
pub(super) fn run(options: &EvidenceOptions) -> anyhow::Result<Status> {
    let interrupt = Interrupt::listen_to_tidy_up()?;
    let failed = || format!("cannot write {}", options.folder.display());
    let mut bundle = Bundle::begin(&options.folder).with_context(failed)?;
    let archive = options.archive.as_deref();
    let archive = archive.map(|path| Output::open(Some(path), &options.capture.inputs));
    let archive = archive.transpose()?;
    let disguise = Disguise::new(options)?;
    let spool = Spool::of(&options.capture, &interrupt)?;
    let bar = Bar::new(options.capture.progress);
    let made = make(options, &spool, disguise.as_ref(), &bar, &interrupt);
    bar.clear();
    let Made {
        report,
        excerpt,
        manifest,
    } = made?;
    layout::complain(&report.capture);
    if layout::nothing_was_read(&report.capture) {
        return Ok(options.layout.status(&report));
    }
    let created = manifest.created.0;
    bundle
        .report(&report, &excerpt.beside(disguise.is_some()))
        .and_then(|()| bundle.capture(&excerpt.kept, &told::of_all(&report, &excerpt)))
        .and_then(|()| bundle.seal(manifest))
        .with_context(failed)?;
    let archive = archive.map(|archive| pack(&bundle, created, archive, options));
    let archive = archive.transpose()?;
    interrupt.check()?;
    bundle.place().with_context(failed)?;
    archive.map(Output::finish).transpose()?;
    told::differences(&excerpt);
    if options.capture.progress == Progress::Shown {
        told::written(options, &report, &excerpt);
    }
    Ok(options.layout.status(&report))
}

/// Packs the bundle before it is in its place: one without the other is neither.
fn pack(
    bundle: &Bundle,
    created: Timestamp,
    mut archive: Output,
    options: &EvidenceOptions,
) -> anyhow::Result<Output> {
    let shown = options.archive.as_deref().unwrap_or(&options.folder);
    bundle
        .pack(created, &mut archive)
        .with_context(|| format!("cannot write {}", shown.display()))?;
    Ok(archive)
}

/// All that is in a bundle.
struct Made {
    report: Report,
    excerpt: Excerpt,
    manifest: Manifest,
}

fn make(
    options: &EvidenceOptions,
    spool: &Spool,
    disguise: Option<&Disguise>,
    bar: &Bar,
    interrupt: &Interrupt,
) -> anyhow::Result<Made> {
    let capture = spool.capture();
    let mut read = capture.read(options.layout.timeline_bucket, bar, interrupt)?;
    // Half of what was asked for would be taken for all of it.
    interrupt.check()?;
    spool.rename(&mut read.files);
    let before = read.files.clone();
    let effective = effective(options);
    let original = build(&read.parts(), effective.clone());
    let wanted = Wanted::of(&original);
    let report = match disguise {
        None => original,
        Some(disguise) => disguise.report(&mut read, &original, effective)?,
    };
    let how = How {
        stages: &read.stages,
        limit_bytes: options.evidence_bytes,
        flow: &|| interrupt.flow(),
    };
    let mut again = capture.open();
    let mut excerpt = proof::excerpt(&mut again, &wanted, &report, &how)?;
    spool.same(&before, &again.files())?;
    if let Some(disguise) = disguise {
        excerpt.kept = disguise.frames(&excerpt.kept, &read.stages)?;
    }
    let mut manifest = of(&report, &excerpt);
    manifest.inputs = inputs(&report, &before, disguise.is_some());
    if let Some(disguise) = disguise {
        manifest.anonymize(disguise.mapped());
    }
    Ok(Made {
        report,
        excerpt,
        manifest,
    })
}

fn effective(options: &EvidenceOptions) -> document::Options {
    let filter = match options.anonymize {
        None => options.capture.filter.as_deref(),
        // It may name addresses.
        Some(_) => options.capture.filter.as_ref().map(|_| "(left out)"),
    };
    options.layout.effective(&options.capture.stages, filter)
}

/// What was found, and what the frames show of it.
fn of(report: &Report, excerpt: &Excerpt) -> Manifest {
    let mut manifest = Manifest::new(told::now());
    manifest.command_line = Some(told::command_line());
    manifest.capture = manifest::Span {
        first_timestamp: report.capture.first_timestamp,
        last_timestamp: report.capture.last_timestamp,
    };
    manifest.findings_repeated.clone_from(&excerpt.repeated);
    manifest
        .findings_not_repeated
        .clone_from(&excerpt.not_repeated);
    manifest
        .finding_that_leads_instead
        .clone_from(&excerpt.leads_instead);
    manifest.limits.clone_from(&report.capture.limits);
    if excerpt.left_out > 0 {
        let name = "evidence_frames_left_out".to_owned();
        manifest.limits.insert(name, excerpt.left_out);
    }
    manifest
}

/// The inputs as the report names them. By a hash, who has a file can tell that it was it.
fn inputs(report: &Report, files: &[FileFacts], is_anonymized: bool) -> Vec<manifest::Input> {
    let named = report.capture.files.iter().zip(files);
    named
        .map(|(file, facts)| manifest::Input {
            path: file.path.clone(),
            bytes: file.bytes,
            sha256: facts.sha256.clone().filter(|_| !is_anonymized),
            point: None,
        })
        .collect()
}
