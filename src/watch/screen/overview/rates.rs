//! How much there is now, and was in the seconds before.

use super::super::Screen;
use super::super::row::{Row, Tone};
use super::super::view::View;
use super::LABEL;
use crate::model::number;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{RenderDirection, Sparkline, Widget};

/// Lines that it takes on a screen of a height.
pub(super) fn wanted(height: u16) -> u16 {
    if height >= 36 { 8 } else { 4 }
}

/// Draws what is offered and deliverable, both to the same scale, then figures.
pub(super) fn draw(screen: &Screen, view: &View, area: Rect, buffer: &mut Buffer) {
    let rates = &view.snapshot.rates;
    let offered = rates.offered_bits_per_second;
    let deliverable = rates.deliverable_bits_per_second;
    let tall = if area.height >= 8 { 3 } else { 1 };
    let line = |from: u16, height: u16| {
        let y = area.y.saturating_add(from);
        Rect { y, height, ..area }.intersection(area)
    };
    let share = if offered > 0.0 {
        // What is delivered now may have been offered a moment ago.
        number::share((deliverable / offered).min(1.0))
    } else {
        String::new()
    };
    let tone = Tone::fault_if(deliverable < offered * 0.99);
    let first = (offered, "offered", String::new(), Tone::Normal);
    let second = (deliverable, "deliverable", share, tone);
    for (from, (rate, label, share, tone)) in [(0, first), (tall, second)] {
        let mut row = Row::of(&format!("{label:LABEL$}"), Tone::Quiet)
            .and(&format!("{:>11}", number::bit_rate(rate)), tone);
        if area.width >= 60 {
            row = row.and(&format!("{share:>9}"), tone);
        }
        let place = line(from, tall);
        row.draw(place, screen.look.color, buffer);
        let taken = u16::try_from(row.width() + 2).unwrap_or(u16::MAX);
        let bars = Rect {
            x: place.x.saturating_add(taken),
            width: place.width.saturating_sub(taken),
            ..place
        };
        let is_offered = from == 0;
        draw_bars(screen, bars, is_offered, tone, buffer);
    }
    let rows = [now(view), totals(view)];
    for (index, row) in (2 * tall..).zip(rows) {
        row.draw(line(index, 1), screen.look.color, buffer);
    }
}

fn draw_bars(screen: &Screen, area: Rect, is_offered: bool, tone: Tone, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let seconds = screen.past.latest(screen.behind, area.width.into());
    let most = seconds
        .clone()
        .map(|second| second.offered.max(second.deliverable));
    let most = most.fold(1.0, f64::max);
    let bits: Vec<u64> = seconds
        .map(|second| {
            if is_offered {
                second.offered
            } else {
                second.deliverable
            }
        })
        .map(|bits| bits as u64)
        .collect();
    Sparkline::default()
        .data(&bits)
        .max(most as u64)
        .direction(RenderDirection::RightToLeft)
        .style(tone.style(screen.look.color))
        .render(area, buffer);
}

fn now(view: &View) -> Row {
    let rates = &view.snapshot.rates;
    let lost = rates.datagrams_lost_per_second;
    let figure = |rate: f64, what: &str| format!("{:>5} {what}/s", number::short(rate));
    let calm = [
        figure(rates.frames_per_second, "packets"),
        figure(rates.fragments_per_second, "fragments"),
        figure(rates.datagrams_completed_per_second, "whole"),
    ];
    Row::of(&format!("{:LABEL$}", "now"), Tone::Quiet)
        .and(&calm.join("  "), Tone::Normal)
        .and("  ", Tone::Normal)
        .and(&figure(lost, "lost"), Tone::fault_if(lost > 0.0))
}

fn totals(view: &View) -> Row {
    let totals = &view.snapshot.totals;
    let text = format!(
        "{} packets, {}, {} ({}) deliverable",
        number::count(totals.frames),
        number::bytes(totals.bytes),
        number::bytes(totals.deliverable_bytes),
        number::percent(totals.deliverable_bytes, totals.bytes),
    );
    Row::of(&format!("{:LABEL$}", "since start"), Tone::Quiet).and(&text, Tone::Normal)
}
