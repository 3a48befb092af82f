//! A command that makes no sense.

use crate::witness::Unreadable;

/// Why what was typed cannot be run; every message names the argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// Words were given, but no file in front of them.
    #[error(
        "no capture file: `{0}` is no existing file; give the files, or - for standard input, before the expression"
    )]
    NoFile(String),
    /// An expression behind the files and another with the flag.
    #[error("two filter expressions: give it behind the files or with --filter, not both")]
    TwoFilters,
    /// An expression that is not UTF-8, which libpcap does not read either.
    #[error("the filter expression `{0}` is not UTF-8")]
    FilterNotText(String),
    /// libpcap does not compile the expression.
    #[error(
        "the filter expression is not valid (words behind the files that name no file are one): {0}"
    )]
    Filter(String),
    /// libpcap does not compile the expression behind the options.
    #[error("the filter expression is not valid: {0}")]
    Expression(String),
    /// `-` more than once.
    #[error("- (standard input) can be read only once")]
    TwiceStandardInput,
    /// `-` where somebody would have to type a capture.
    #[error(
        "- is standard input, which is a terminal: pipe a capture into it, as in `tcpdump -w - | fraglens analyze -`"
    )]
    TerminalInput,
    /// A path has two ends.
    #[error(
        "two captures at least, made at several points of a path; `fraglens analyze` reports on one"
    )]
    OnePoint,
    /// More captures than are compared.
    #[error("at most {0} captures can be compared at once")]
    TooManyPoints(usize),
    /// A figure that is a multiple of another, and is not.
    #[error("--window {0} must be at least twice --interval {1}")]
    WindowTooShort(String, String),
    /// `-o` names something that is being read.
    #[error("--output {0} is one of the inputs; it would be overwritten")]
    OutputIsInput(String),
    /// `--output` and `--tar` are one and the same.
    #[error("--output and --tar are both {0}")]
    OneOutput(String),
    /// `--benchmark` or `--nstat` names a file with something else in it.
    #[error("{0}: {1}")]
    Witness(String, Unreadable),
    /// `--anonymize-key` names a file with something else in it.
    #[error("{0}: no key, which is 32 bytes or 64 hexadecimal digits")]
    NoKey(String),
    /// `man` of something that is no command.
    #[error("no manual page for `{0}`: the commands are {1}")]
    NoSuchCommand(String, String),
    /// `explain` of something that is no finding.
    #[error("there is no finding `{0}`: {1}")]
    NoSuchFinding(String, String),
}
