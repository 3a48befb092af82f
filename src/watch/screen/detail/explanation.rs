//! The whole explanation, and all that was counted.

use super::super::row::Tone;
use super::super::view::View;
use super::Prose;
use crate::model::number;
use crate::report::document::{Explanation, Report};

pub(super) fn page(view: &View, prose: Prose) -> Prose {
    let snapshot = &view.snapshot;
    let span = number::duration(snapshot.window_seconds.round());
    let prose = prose.title(&format!("The last {span}"), Tone::Strong);
    let prose = match &snapshot.window.explanation {
        None => prose.text("Nothing to explain: no IP packets.", Tone::Normal),
        Some(explanation) => explained(explanation, &snapshot.window, prose),
    };
    let totals = &snapshot.totals;
    let line = format!(
        "{} in {}, {} on the wire",
        number::counted(totals.frames, "packet"),
        number::duration(snapshot.elapsed_seconds.floor()),
        number::bytes(totals.bytes),
    );
    let delivered = format!(
        "{} ({})",
        number::bytes(totals.deliverable_bytes),
        number::percent(totals.deliverable_bytes, totals.bytes),
    );
    prose
        .heading("Since the start, at every IP layer")
        .field("captured", &line, Tone::Normal)
        .field("deliverable", &delivered, Tone::Normal)
        .field(
            "flows",
            &number::count(snapshot.reassembly.flows),
            Tone::Normal,
        )
        .counters(&totals.counters)
}

fn explained(explanation: &Explanation, window: &Report, prose: Prose) -> Prose {
    let sent = explanation.sent_bytes;
    let with_share = |bytes| {
        format!(
            "{} ({})",
            number::bytes(bytes),
            number::percent(bytes, sent)
        )
    };
    let missing = sent.saturating_sub(explanation.delivered_bytes);
    let mut prose = prose.text(&explanation.sentence, Tone::Normal);
    if missing == 0 {
        return prose;
    }
    let line = format!("{} of {}", with_share(missing), number::bytes(sent));
    prose = prose.field("missing", &line, Tone::Fault);
    for part in &explanation.parts {
        let mut findings = window.findings.iter();
        let title = findings.find(|finding| finding.id == part.finding);
        let title = title.map_or("", |finding| finding.title.as_str());
        let line = format!("{}  {title}", with_share(part.bytes));
        prose = prose.field(&part.finding, &line, Tone::Normal);
    }
    if explanation.undecided_bytes > 0 {
        let bytes = number::bytes(explanation.undecided_bytes);
        let line = format!("{bytes} of datagrams that these seconds begin or end within");
        prose = prose.field("undecided", &line, Tone::Normal);
    }
    if explanation.residual_bytes > 0 {
        let bytes = number::bytes(explanation.residual_bytes.unsigned_abs());
        let line = format!("{bytes} that no finding explains");
        prose = prose.field("residual", &line, Tone::Normal);
    }
    prose
}
