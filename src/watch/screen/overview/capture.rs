//! What the capture itself loses, and what it holds.

use super::super::row::{Row, Tone, fit, width};
use super::super::view::View;
use super::{LABEL, labelled};
use crate::model::number;
use crate::report::escape;
use crate::watch::{Captured, Capturing};
use ratatui::layout::Rect;

/// Columns of the longest name that is not cut.
const LONGEST_NAME: usize = 16;

/// Datagrams that are not whole, and the memory they take: here and in the host's kernel.
pub(super) fn memory(view: &View, columns: usize) -> Vec<Row> {
    let held = &view.snapshot.reassembly;
    let ours = Row::of(
        &format!("{:>5} open  ", number::short(held.open_datagrams as f64)),
        Tone::Normal,
    );
    let ours = ours.of_memory(held.memory_bytes, Some(held.memory_limit_bytes));
    let host = view.snapshot.host.as_ref();
    let used = host.and_then(|host| {
        Some((
            host.fragment_memory_bytes?,
            host.fragment_memory_limit_bytes,
        ))
    });
    let Some((bytes, limit)) = used else {
        return labelled("memory", [ours]);
    };
    if columns < 78 {
        let host = Row::default().of_memory(bytes, limit);
        let mut rows = labelled("memory", [ours]);
        rows.extend(labelled("host memory", [host]));
        return rows;
    }
    labelled(
        "memory",
        [ours.and("  host ", Tone::Quiet).of_memory(bytes, limit)],
    )
}

impl Row {
    /// With memory and the bound on it, and whether that is met.
    fn of_memory(self, bytes: u64, limit: Option<u64>) -> Self {
        let used = number::bytes(bytes);
        let Some(limit) = limit else {
            return self.and(&format!("{used:>8}"), Tone::Normal);
        };
        let text = format!("{used:>8} of {}", number::bytes(limit));
        match bytes {
            bytes if bytes >= limit && bytes > 0 => {
                self.and(&text, Tone::Fault).and(" FULL", Tone::Fault)
            }
            bytes if bytes / 8 >= limit / 10 && bytes > 0 => {
                self.and(&text, Tone::Doubt).and(" high", Tone::Doubt)
            }
            _ => self.and(&text, Tone::Normal),
        }
    }
}

/// A line for each interface that is captured on.
pub(super) fn interfaces(view: &View, columns: usize) -> Vec<Row> {
    let captured = &view.snapshot.captured;
    let names = captured.iter().map(|one| width(&escape::line(&one.name)));
    let name_columns = names.max().unwrap_or(0).min(LONGEST_NAME);
    let now = view.lost_now.iter().copied().chain(std::iter::repeat(0));
    let lines = captured.iter().zip(now);
    labelled(
        "capture",
        lines.map(|(one, now)| line(one, now, name_columns, columns)),
    )
}

fn line(captured: &Captured, now: u64, name_columns: usize, columns: usize) -> Row {
    let name = fit(&captured.name, name_columns);
    let (state, tone) = match captured.state {
        Capturing::Live => ("", Tone::Normal),
        Capturing::Down => ("DOWN  ", Tone::Fault),
        Capturing::Gone => ("GONE  ", Tone::Fault),
    };
    let row = Row::of(&format!("{name} "), tone)
        .and(state, tone)
        .and(&figures(captured, now), lost_tone(captured, now));
    match &captured.problem {
        Some(problem) => row.and(&format!("  {problem}"), tone),
        None if columns < 70 => row,
        None => {
            let received = number::short(captured.received as f64);
            row.and(&format!("  {received:>5} received"), Tone::Normal)
        }
    }
}

fn figures(captured: &Captured, now: u64) -> String {
    let short = |frames: u64| match frames {
        0..100_000 => number::count(frames),
        _ => number::short(frames as f64),
    };
    let now = match now {
        0 => String::new(),
        now => format!("  +{} NOW", short(now)),
    };
    format!(
        "{:>6} dropped {:>6} by interface{now}",
        short(captured.dropped),
        short(captured.interface_dropped),
    )
}

fn lost_tone(captured: &Captured, now: u64) -> Tone {
    match (now, captured.dropped, captured.interface_dropped) {
        (0, 0, 0) => Tone::Normal,
        (0, _, _) => Tone::Doubt,
        _ => Tone::Fault,
    }
}

/// As many lines as there is room for; the last says what those left out come to.
pub(super) fn shortened(view: &View, mut rows: Vec<Row>, area: Rect) -> Vec<Row> {
    let room = usize::from(area.height);
    let captured = &view.snapshot.captured;
    if rows.len() <= room || room == 0 {
        return rows;
    }
    rows.truncate(room - 1);
    let rest = &captured[rows.len().min(captured.len())..];
    let now = view.lost_now.iter().skip(rows.len());
    let now = now.fold(0, |all: u64, one| all.saturating_add(*one));
    let label = if rows.is_empty() { "capture" } else { "" };
    rows.push(Row::of(&format!("{label:LABEL$}"), Tone::Quiet).and_rest(rest, now));
    rows
}

impl Row {
    fn and_rest(self, rest: &[Captured], now: u64) -> Self {
        let all = rest.iter().fold(Captured::default(), |all, one| Captured {
            dropped: all.dropped.saturating_add(one.dropped),
            interface_dropped: all.interface_dropped.saturating_add(one.interface_dropped),
            ..all
        });
        let mut row = self;
        for (state, word) in [(Capturing::Gone, "GONE"), (Capturing::Down, "DOWN")] {
            let count = rest.iter().filter(|one| one.state == state).count();
            if count > 0 {
                row = row.and(&format!("{count} {word}  "), Tone::Fault);
            }
        }
        let figures = figures(&all, now);
        let words: Vec<&str> = figures.split_whitespace().collect();
        let text = format!("{} on {} interfaces", words.join(" "), rest.len());
        row.and(&text, lost_tone(&all, now))
    }
}
