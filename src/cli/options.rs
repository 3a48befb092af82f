//! What is meant: options that are complete and fit together.

use super::UsageError;
use super::args::{
    AnalyzeArgs, ExplainArgs, ExplainFormat, Gravity, InterfacesArgs, InterfacesFormat, SortKey,
    When,
};
use super::capture::CaptureOptions;
use super::layout::Layout;
use super::terminal::Terminal;
use crate::diagnose::{self, Cause};
use crate::model::Duration;
use crate::report::document::{Severity, Sort};
use crate::report::text::{Color, Style};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Everything `fraglens analyze` needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalyzeOptions {
    /// Which files are read, and how.
    pub capture: CaptureOptions,
    /// What is in the report, and where it goes.
    pub layout: Layout,
}

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// On standard error.
    Shown,
    /// Nowhere.
    Hidden,
}

/// Everything `fraglens explain` needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainOptions {
    /// The causes asked for, in that order; none: a list of all.
    pub causes: Vec<&'static Cause>,
    /// How they are written.
    pub format: ExplainFormat,
    /// How text is laid out.
    pub style: Style,
}

/// Everything `fraglens interfaces` needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfacesOptions {
    /// How they are written.
    pub format: InterfacesFormat,
    /// How text is laid out.
    pub style: Style,
}

/// What `fraglens analyze` was asked to do.
///
/// # Errors
///
/// What was typed does not fit together.
pub fn analyze(args: AnalyzeArgs, terminal: &Terminal) -> Result<AnalyzeOptions, UsageError> {
    Ok(AnalyzeOptions {
        layout: Layout::new(args.layout, args.format, terminal),
        capture: CaptureOptions::new(args.capture, terminal)?,
    })
}

/// What `fraglens explain` was asked to do.
///
/// # Errors
///
/// Something asked for is no finding.
pub fn explain(args: &ExplainArgs, terminal: &Terminal) -> Result<ExplainOptions, UsageError> {
    let causes = args.findings.iter().map(|text| cause(text));
    Ok(ExplainOptions {
        causes: causes.collect::<Result<_, _>>()?,
        format: args.format,
        style: style(args.color, true, terminal),
    })
}

/// What `fraglens interfaces` was asked to do.
pub fn interfaces(args: &InterfacesArgs, terminal: &Terminal) -> InterfacesOptions {
    InterfacesOptions {
        format: args.format,
        style: style(args.color, true, terminal),
    }
}

fn cause(text: &str) -> Result<&'static Cause, UsageError> {
    let unknown = || {
        let near: Vec<String> = diagnose::nearest(text)
            .iter()
            .map(|cause| format!("{} ({})", cause.id, cause.name))
            .collect();
        let hint = if near.is_empty() {
            "`fraglens explain` lists all".to_owned()
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        UsageError::NoSuchFinding(text.to_owned(), hint)
    };
    diagnose::find(text).ok_or_else(unknown)
}

/// The files among the words typed, and the expression behind them or with the flag.
pub(super) fn inputs_and_filter(
    words: &[OsString],
    flag: Option<String>,
    terminal: &Terminal,
) -> Result<(Vec<PathBuf>, Option<String>), UsageError> {
    let files = words.len() - expression_words(words);
    let (files, expression) = words.split_at(files);
    if let ([], Some(first)) = (files, expression.first()) {
        return Err(UsageError::NoFile(first.to_string_lossy().into_owned()));
    }
    let mut texts = Vec::new();
    for word in expression {
        let not_text = || UsageError::FilterNotText(word.to_string_lossy().into_owned());
        texts.push(word.to_str().ok_or_else(not_text)?);
    }
    let behind_files = (!texts.is_empty()).then(|| texts.join(" "));
    // An empty expression is none, as with tcpdump.
    let behind_files = behind_files.filter(|words| !words.trim().is_empty());
    let with_flag = flag.filter(|words| !words.trim().is_empty());
    let filter = match (behind_files, with_flag) {
        (Some(_), Some(_)) => return Err(UsageError::TwoFilters),
        (filter, None) | (None, filter) => filter,
    };
    match files.iter().filter(|file| *file == "-").count() {
        2.. => return Err(UsageError::TwiceStandardInput),
        1 if terminal.input => return Err(UsageError::TerminalInput),
        _ => {}
    }
    Ok((files.iter().map(PathBuf::from).collect(), filter))
}

/// How many words at the end are a filter expression: those from the first on
/// that is no file. A missing file is not taken for one if it is the only word or
/// looks like the path of a capture; reading it will say that it is missing.
fn expression_words(words: &[OsString]) -> usize {
    if words.len() == 1 {
        return 0;
    }
    let is_file =
        |word: &OsString| word == "-" || Path::new(word).exists() || looks_like_path(word);
    words.len() - words.iter().take_while(|word| is_file(word)).count()
}

fn looks_like_path(word: &OsStr) -> bool {
    const ENDINGS: [&str; 6] = [".pcap", ".pcapng", ".cap", ".gz", ".zst", ".lz4"];
    let word = word.to_string_lossy();
    // `net 10.0.0.0/8` in one word, or `udp[4:2]/8=0`, is an expression.
    let is_formula = word.contains(|c: char| c.is_whitespace() || "[]()=<>!&|".contains(c));
    ENDINGS.iter().any(|ending| word.ends_with(ending)) || (word.contains('/') && !is_formula)
}

pub(super) fn style(color: When, to_standard_output: bool, terminal: &Terminal) -> Style {
    let on_terminal = to_standard_output && terminal.output;
    let columns = terminal.columns.filter(|_| on_terminal);
    let colored = match color {
        When::Always => true,
        When::Never => false,
        When::Auto => on_terminal && !terminal.refuses_color,
    };
    Style {
        width: columns.map_or(Style::PLAIN.width, usize::from),
        color: if colored { Color::Ansi } else { Color::Plain },
    }
}

/// Saturates; what was typed is bounded far below.
pub(super) fn span(time: std::time::Duration) -> Duration {
    Duration(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}

pub(super) fn sort(key: SortKey) -> Sort {
    match key {
        SortKey::Missing => Sort::Missing,
        SortKey::Bytes => Sort::Bytes,
        SortKey::Packets => Sort::Packets,
        SortKey::Fragments => Sort::Fragments,
        SortKey::Bad => Sort::Bad,
    }
}

pub(super) fn severity(gravity: Gravity) -> Severity {
    match gravity {
        Gravity::Info => Severity::Info,
        Gravity::Warning => Severity::Warning,
        Gravity::Error => Severity::Error,
    }
}
