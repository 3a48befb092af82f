//! What is said of single frames: what findings say of them, and which fragments are
//! missing around them.

use super::gaps::{self, Piece};
use super::kept::Kept;
use super::wanted::Wanted;
use crate::decode::DecodeOptions;
use crate::model::{Duration, IpVersion, Timestamp, escape, number};
use crate::report::document::Report;

/// What remarks depend on beside the frames.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    wanted: &'a Wanted,
    decode: DecodeOptions,
    /// Of IPv4 and IPv6.
    timeouts: [Duration; 2],
    /// When the capture ended.
    end: Timestamp,
    /// Names of the inputs.
    files: Vec<String>,
}

impl<'a> Context<'a> {
    /// What a report tells of it.
    pub fn new(report: &Report, wanted: &'a Wanted, decode: &DecodeOptions) -> Self {
        let seconds = |seconds: f64| Duration((seconds * 1e9) as i64);
        let options = &report.options;
        let files = report.capture.files.iter();
        Self {
            wanted,
            decode: decode.clone(),
            timeouts: [
                seconds(options.reassembly_timeout_ipv4_seconds),
                seconds(options.reassembly_timeout_ipv6_seconds),
            ],
            end: report
                .capture
                .last_timestamp
                .map_or(Timestamp::MIN, |time| time.0),
            files: files
                .map(|file| escape::line(&file.path).into_owned())
                .collect(),
        }
    }
}

/// Writes comments on the frames. `datagrams` has the number of the datagram of each, and
/// `names` says whether inputs are named.
pub(super) fn write(kept: &mut Kept, datagrams: &[Option<u64>], context: &Context<'_>) {
    let mut remarks: Vec<Vec<String>> = vec![Vec::new(); kept.frames.len()];
    for (frame, remarks) in kept.frames.iter().zip(&mut remarks) {
        remarks.extend_from_slice(context.wanted.notes(frame.origin));
    }
    let fragments = kept.frames.iter().zip(datagrams.iter().copied());
    for pieces in gaps::by_datagram(fragments, &context.decode).values_mut() {
        let fate = fate(pieces, kept, context);
        let late = timed_out(pieces, kept, context);
        for (frame, remark) in gaps::missing(pieces, fate).into_iter().chain(late) {
            remarks[frame].push(remark);
        }
    }
    for (frame, remarks) in kept.frames.iter_mut().zip(remarks) {
        if !remarks.is_empty() {
            let file = context.files.get(frame.origin.file as usize);
            let file = file.map_or_else(String::new, |file| format!(" of {file}"));
            let frame_number = number::count(frame.origin.number);
            let origin = format!("frame {frame_number}{file}");
            frame.comment = Some(format!("{}\n({origin})", remarks.join("\n")));
        }
    }
}

/// What became of a datagram that is not whole.
fn fate(pieces: &[Piece], kept: &Kept, context: &Context<'_>) -> &'static str {
    if lasted(pieces, kept, context.end) > timeout(pieces, context) {
        "timed out"
    } else {
        "never became whole"
    }
}

/// Of a datagram whose pieces are all there, but some of them too late, what is said beside
/// the first that came.
fn timed_out(pieces: &[Piece], kept: &Kept, context: &Context<'_>) -> Option<(usize, String)> {
    let first = pieces.iter().min_by_key(|piece| piece.frame)?;
    let last = pieces.iter().map(|piece| piece.frame).max()?;
    let last = kept.frames[last].timestamp;
    (lasted(pieces, kept, last) > timeout(pieces, context)).then(|| {
        let what = format!(
            "datagram {:#06x} timed out: the rest of it came too late",
            first.id
        );
        (first.frame, what)
    })
}

/// From its first piece until then.
fn lasted(pieces: &[Piece], kept: &Kept, end: Timestamp) -> Duration {
    let times = pieces
        .iter()
        .map(|piece| kept.frames[piece.frame].timestamp);
    end - times.min().unwrap_or(Timestamp::MAX)
}

fn timeout(pieces: &[Piece], context: &Context<'_>) -> Duration {
    match pieces.first().map(|piece| piece.version) {
        Some(IpVersion::V6) => context.timeouts[1],
        _ => context.timeouts[0],
    }
}
