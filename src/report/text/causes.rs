//! What is known of causes, for people: a list of all, or a page each.

use super::Style;
use super::page::{Page, Tone, wrap};
use crate::diagnose::{Cause, Fix, FixKind, Severity};
use std::io::{self, Write};

/// Columns between two columns of the list.
const GAP: usize = 2;

/// Columns in front of a command: fewer than other texts have, so that most fit on
/// a line.
const INDENT: usize = 6;

/// Columns by which the second line of a command is further in.
const HANGING: usize = 2;

/// Writes a line for each cause: id, name, severity and title.
pub fn write_list(causes: &[&Cause], style: Style, out: &mut impl Write) -> io::Result<()> {
    let width = |text: fn(&Cause) -> &str| {
        let longest = causes.iter().map(|cause| text(cause).len()).max();
        longest.unwrap_or(0) + GAP
    };
    let id = width(|cause| cause.id);
    let name = width(|cause| cause.name);
    let severity = width(|cause| cause.severity.name());
    let mut page = Page::new(style, out);
    for cause in causes {
        page.pieces(&[
            (format!("{:id$}", cause.id), Tone::Heading),
            (format!("{:name$}", cause.name), Tone::Normal),
            (
                format!("{:severity$}", cause.severity.name()),
                tone(cause.severity),
            ),
            (cause.title.to_owned(), Tone::Normal),
        ])?;
    }
    Ok(())
}

/// Writes a page for each cause.
pub fn write_causes(causes: &[&Cause], style: Style, out: &mut impl Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    for cause in causes {
        let title = format!("{} {}", cause.id, cause.title);
        let remark = format!("{}, {}", cause.name, cause.severity.name());
        page.heading(&title, &remark)?;
        prose(&mut page, "meaning", cause.meaning)?;
        prose(&mut page, "shown by", cause.signature)?;
        prose(&mut page, "confirmed", cause.confirms)?;
        prose(&mut page, "denied", cause.denies)?;
        prose(&mut page, "disproof", cause.disprove)?;
        page.line("  fix", Tone::Quiet)?;
        for fix in cause.fix {
            write_fix(&mut page, fix)?;
        }
        page.line("  see", Tone::Quiet)?;
        for reference in cause.references {
            page.paragraph("", INDENT - HANGING, reference, Tone::Normal)?;
        }
    }
    Ok(())
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Info => Tone::Quiet,
        Severity::Warning => Tone::Doubt,
        Severity::Error => Tone::Fault,
    }
}

/// A labelled text in which commands between backticks are not broken, where they
/// fit on a line.
fn prose(page: &mut Page<'_, impl Write>, label: &str, text: &str) -> io::Result<()> {
    let pieces = text.split('`').enumerate();
    let held: Vec<String> = pieces
        .map(|(index, piece)| {
            if index % 2 == 1 {
                hold(piece)
            } else {
                piece.to_owned()
            }
        })
        .collect();
    for (index, line) in wrap(&held.join("`"), page.field_width()).iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        page.field(label, &release(line), Tone::Normal)?;
    }
    Ok(())
}

/// Stands for a space where a line may not be broken.
const HELD: char = '\u{a0}';

fn hold(text: &str) -> String {
    text.replace(' ', &HELD.to_string())
}

fn release(text: &str) -> String {
    text.replace(HELD, " ")
}

fn write_fix(page: &mut Page<'_, impl Write>, fix: &Fix) -> io::Result<()> {
    let indent = INDENT - HANGING;
    let when = format!("{}:", fix.when);
    page.paragraph("", indent, &when, Tone::Quiet)?;
    let width = page.width() - INDENT;
    let lines = match fix.kind {
        FixKind::Command => continued(fix.command, width),
        FixKind::Advice => wrap(fix.command, width),
    };
    for line in lines {
        page.line(&format!("{:INDENT$}{line}", ""), Tone::Normal)?;
    }
    Ok(())
}

/// Breaks a command so that a shell puts it together again: outside quotes, with a
/// backslash at the end of a line.
fn continued(command: &str, width: usize) -> Vec<String> {
    let quoted = command.split('\'').enumerate();
    let held: Vec<String> = quoted
        .map(|(index, piece)| {
            if index % 2 == 1 {
                hold(piece)
            } else {
                piece.to_owned()
            }
        })
        .collect();
    let held = held.join("'");
    if held.chars().count() <= width {
        return vec![release(&held)];
    }
    let mut lines: Vec<String> = vec![String::new()];
    for word in held.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && line.chars().count() + word.chars().count() + 3 > width {
            line.push_str(" \\");
            lines.push(format!("{:HANGING$}{word}", ""));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| release(line)).collect()
}
