//! What every command that reads capture files is told, and how they are read.

use super::UsageError;
use super::args::When;
use super::interrupt::Interrupt;
use super::options::{Progress, inputs_and_filter};
use super::progress::Bar;
use super::stages::{StageArgs, StageOptions};
use super::terminal::Terminal;
use super::witness;
use crate::compare::Pass;
use crate::model::Duration;
use crate::pipeline::{self, Analysis};
use crate::receiver::Settings;
use crate::report::Parts;
use crate::source::{
    CaptureFiles, FileFacts, Filter, FilterSet, HashPolicy, Source, SourceOptions,
};
use crate::witness::{Benchmark, KernelCounters};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Which files are read, and how.
#[derive(Args, Debug)]
pub struct CaptureArgs {
    /// Capture files, or - for standard input; then, as with tcpdump, a filter
    ///
    /// The words from the first that is no existing file on are a filter
    /// expression in the language of pcap-filter(7). What looks like the path of
    /// a capture is never taken for one.
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::AnyPath)]
    pub words: Vec<OsString>,

    /// Analyse only frames that match this expression, see pcap-filter(7)
    ///
    /// An expression that tests ports takes away all fragments but the first of
    /// each datagram: only that one holds the ports.
    #[arg(short = 'f', long, value_name = "EXPRESSION", help_heading = "Input")]
    pub filter: Option<String>,

    /// Whether files are hashed; auto: those of up to 64 MiB
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false,
        help_heading = "Input"
    )]
    pub sha256: When,

    /// How frames are decoded and reassembled
    #[command(flatten)]
    pub stages: StageArgs,

    /// Hold what netperf, iperf3 or qperf printed against the capture
    ///
    /// The file holds the output as it was printed, iperf3's also as JSON (`-J`);
    /// several runs are told apart by the size of their messages.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Witnesses (what others counted of the same traffic)")]
    pub benchmark: Option<PathBuf>,

    /// Hold what the receiver's kernel counted against the capture
    ///
    /// The file holds what `nstat -az`, `cat /proc/net/snmp /proc/net/netstat
    /// /proc/net/snmp6` or `ethtool -S` printed on the receiver. Twice, before and
    /// after, the difference counts.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Witnesses (what others counted of the same traffic)")]
    pub nstat: Option<PathBuf>,

    /// Show no progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// The same, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureOptions {
    /// The files as typed, at least one; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// BPF expression that frames have to match.
    pub filter: Option<String>,
    /// Which inputs get a SHA-256.
    pub sha256: When,
    /// How they are read.
    pub stages: StageOptions,
    /// File with what a benchmark printed.
    pub benchmark: Option<PathBuf>,
    /// File with what the receiver's kernel counted.
    pub nstat: Option<PathBuf>,
    /// Whether progress is shown.
    pub progress: Progress,
}

/// What came of the files, and of what others counted.
pub(super) struct Read {
    pub stages: pipeline::Options,
    pub analysis: Analysis,
    pub files: Vec<FileFacts>,
    warnings: Vec<String>,
    benchmark: Option<Benchmark>,
    kernel: Option<KernelCounters>,
}

impl CaptureOptions {
    /// As typed.
    ///
    /// # Errors
    ///
    /// What was typed does not fit together.
    pub(super) fn new(args: CaptureArgs, terminal: &Terminal) -> Result<Self, UsageError> {
        let (inputs, filter) = inputs_and_filter(&args.words, args.filter, terminal)?;
        Ok(Self {
            inputs,
            filter,
            sha256: args.sha256,
            stages: args.stages.into(),
            benchmark: args.benchmark,
            nstat: args.nstat,
            progress: if args.quiet || !terminal.error {
                Progress::Hidden
            } else {
                Progress::Shown
            },
        })
    }

    /// Reads, decodes and accounts: the one place that calls the pipeline for files.
    pub(super) fn read(
        &self,
        timeline_bucket: Duration,
        bar: &Bar,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Read> {
        let mut warnings = self.filter_warnings();
        let stages =
            self.stages
                .pipeline(self.filter_set()?, Settings::default(), timeline_bucket)?;
        let benchmark = witness::benchmark(self.benchmark.as_deref())?;
        let kernel = witness::kernel(self.nstat.as_deref())?;
        let mut source = self.open();
        let analysis = pipeline::analyze(&mut source, &stages, &|progress| {
            let read = progress.read;
            bar.update(read.bytes, read.total_bytes, progress.frames);
            interrupt.flow()
        })?;
        if analysis.ended_early {
            warnings.push("interrupted: this is what had been read until then".to_owned());
        }
        for link_type in &analysis.unfiltered_link_types {
            warnings.push(format!(
                "the filter does not apply to link type {link_type}: none of its frames were analysed"
            ));
        }
        Ok(Read {
            stages,
            analysis,
            files: source.files(),
            warnings,
            benchmark,
            kernel,
        })
    }

    /// The files, from their beginning.
    pub(super) fn open(&self) -> CaptureFiles {
        CaptureFiles::open(&self.inputs, &self.source_options(Pass::Whole))
    }

    /// How files are read: only who reads all of one can hash it.
    pub(super) fn source_options(&self, pass: Pass) -> SourceOptions {
        SourceOptions {
            hash: match (pass, self.sha256) {
                (Pass::Sample, _) | (_, When::Never) => HashPolicy::Never,
                (Pass::Whole, When::Auto) => SourceOptions::default().hash,
                (Pass::Whole, When::Always) => HashPolicy::Always,
            },
            ..SourceOptions::default()
        }
    }

    /// What the filter may do besides what it is for.
    pub(super) fn filter_warnings(&self) -> Vec<String> {
        let why = self.filter.as_deref().and_then(Filter::drops_fragments);
        why.map(|why| format!("the filter can take fragments away: {why}"))
            .into_iter()
            .collect()
    }

    pub(super) fn filter_set(&self) -> Result<Option<FilterSet>, UsageError> {
        let filter = self.filter.as_deref().map(FilterSet::new).transpose();
        filter.map_err(|error| UsageError::Filter(error.to_string()))
    }
}

impl Read {
    /// What a report is built from.
    pub fn parts(&self) -> Parts<'_> {
        let analysis = &self.analysis;
        Parts {
            benchmark: self.benchmark.as_ref(),
            kernel: self.kernel.as_ref(),
            files: &self.files,
            warnings: &self.warnings,
            ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
        }
    }
}
