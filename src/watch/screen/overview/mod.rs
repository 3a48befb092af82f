//! The first page: what must be seen at a glance, and the two lists.

mod capture;
mod findings;
mod flows;
mod head;
mod host;
mod rates;

pub(super) use findings::severity_tone;

use super::Screen;
use super::budget::{PARTS, Part, divide};
use super::row::{Row, Tone, draw_all};
use super::view::View;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Columns in front of what is said about a label.
const LABEL: usize = 12;

/// From this width on, the host stands beside the capture.
const WIDE: u16 = 160;

/// Columns between them.
const GAP: u16 = 2;

/// Draws the page; its last line is left to the keys.
pub(super) fn draw(screen: &mut Screen, view: &View, area: Rect, buffer: &mut Buffer) {
    let is_wide = area.width >= WIDE;
    let half = if is_wide {
        (area.width - GAP) / 2
    } else {
        area.width
    };
    let parts = Parts::new(screen, view, area, half);
    let given = divide(area.height, &parts.wanted(is_wide));
    let mut from = area.y;
    let mut take = |rows: u16| {
        let place = Rect {
            y: from,
            height: rows,
            ..area
        };
        from += rows;
        place
    };
    let color = screen.look.color;
    let rows = |part: Part| given[part as usize];
    draw_all(&parts.head, take(rows(Part::Head)), color, buffer);
    let sentence = take(rows(Part::Sentence));
    draw_all(
        &head::shortened(parts.sentence, sentence),
        sentence,
        color,
        buffer,
    );

    let top = take(0);
    let left = |place: Rect| Rect {
        width: half,
        ..place
    };
    rates::draw(screen, view, left(take(rows(Part::Rates))), buffer);
    draw_all(&parts.memory, left(take(rows(Part::Memory))), color, buffer);
    let capture = left(take(rows(Part::Capture)));
    draw_all(
        &capture::shortened(view, parts.capture, capture),
        capture,
        color,
        buffer,
    );
    let (host, interfaces) = (take(rows(Part::Host)), take(rows(Part::Interfaces)));
    if is_wide {
        let band = Rect {
            x: area.x + half + GAP,
            width: area.width - half - GAP,
            height: interfaces.bottom() - top.y,
            ..top
        };
        let both: Vec<Row> = parts.host.into_iter().chain(parts.interfaces).collect();
        draw_all(&both, band, color, buffer);
    } else {
        draw_all(&parts.host, host, color, buffer);
        draw_all(&parts.interfaces, interfaces, color, buffer);
    }
    findings::draw(screen, view, take(rows(Part::Findings)), buffer);
    flows::draw(screen, view, take(rows(Part::Flows)), buffer);
}

/// What there is to say, before it is known how much of it there is room for.
struct Parts {
    head: Vec<Row>,
    sentence: Vec<Row>,
    memory: Vec<Row>,
    capture: Vec<Row>,
    host: Vec<Row>,
    interfaces: Vec<Row>,
    rates: u16,
    findings: u16,
    flows: u16,
}

impl Parts {
    fn new(screen: &Screen, view: &View, area: Rect, half: u16) -> Self {
        let half = usize::from(half);
        Self {
            head: vec![head::title(screen, view, area.width.into())],
            sentence: head::sentence(view, area.width.into()),
            memory: capture::memory(view, half),
            capture: capture::interfaces(view, half),
            host: host::counters(view, half),
            interfaces: host::interfaces(view, half),
            rates: rates::wanted(area.height),
            findings: findings::wanted(view),
            flows: flows::wanted(view),
        }
    }

    fn wanted(&self, is_wide: bool) -> [u16; PARTS] {
        let lines = |rows: &[Row]| u16::try_from(rows.len()).unwrap_or(u16::MAX);
        let (memory, capture) = (lines(&self.memory), lines(&self.capture));
        let (mut host, mut interfaces) = (lines(&self.host), lines(&self.interfaces));
        if is_wide {
            // They stand beside these and need only what goes beyond.
            let beside = self.rates.saturating_add(memory).saturating_add(capture);
            interfaces = host.saturating_add(interfaces).saturating_sub(beside);
            host = 0;
        }
        let mut wanted = [0; PARTS];
        for (part, rows) in [
            (Part::Head, 1),
            (Part::Sentence, lines(&self.sentence)),
            (Part::Rates, self.rates),
            (Part::Memory, memory),
            (Part::Capture, capture),
            (Part::Host, host),
            (Part::Interfaces, interfaces),
            (Part::Findings, self.findings),
            (Part::Flows, self.flows),
            // The last line of the screen, which is not in the area.
            (Part::Keys, 0),
        ] {
            wanted[part as usize] = rows;
        }
        wanted
    }
}

/// What is said in `width` columns about a label: rows of pieces.
fn labelled(label: &str, rows: impl IntoIterator<Item = Row>) -> Vec<Row> {
    let label = |index| if index == 0 { label } else { "" };
    let rows = rows.into_iter().enumerate();
    rows.map(|(index, row)| row.after(&format!("{:LABEL$}", label(index)), Tone::Quiet))
        .collect()
}

/// The line above a list.
fn heading(title: &str, has_focus: bool) -> Row {
    let title = format!(" {title} ");
    let tone = if has_focus {
        Tone::Chosen
    } else {
        Tone::Strong
    };
    Row::of(&title, tone)
}

/// What stands in front of a line of a list.
fn mark(is_chosen: bool) -> &'static str {
    if is_chosen { "> " } else { "  " }
}
