//! Whole pages, compared byte for byte.

use super::page::wrap;
use super::{Color, Style, write};
use crate::report::{escape, samples};

fn page(report: &crate::report::Report, style: Style) -> String {
    let mut out = Vec::new();
    assert!(write(report, style, &mut out).is_ok());
    String::from_utf8(out).unwrap_or_default()
}

#[test]
fn pages_at_80_columns() {
    // Findings are not laid out: text shows the figures they rest on.
    let pages = samples::all()
        .into_iter()
        .filter(|(name, _)| *name != "with_finding");
    for (name, report) in pages {
        insta::assert_snapshot!(name, page(&report, Style::PLAIN));
    }
}

#[test]
fn names_stand_beside_the_figures_where_there_is_room() {
    let style = Style {
        width: 140,
        ..Style::PLAIN
    };
    insta::assert_snapshot!("netperf_loss_wide", page(&samples::netperf_loss(), style));
}

#[test]
fn no_line_is_wider_than_the_page() {
    for (name, report) in samples::all() {
        for width in [60, 80, 100, 120, 200] {
            let text = page(
                &report,
                Style {
                    width,
                    color: Color::Plain,
                },
            );
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{name} at {width}: {line:?}");
                assert_eq!(line.trim_end(), line, "{name} at {width}");
            }
        }
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for (name, report) in samples::all() {
        let coloured = page(
            &report,
            Style {
                color: Color::Ansi,
                ..Style::PLAIN
            },
        );
        let mut plain = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            plain.push_str(before);
            rest = after.split_once('m').map_or("", |(_, text)| text);
        }
        plain.push_str(rest);
        assert_eq!(plain, page(&report, Style::PLAIN), "{name}");
    }
}

#[test]
fn hostile_text_stays_text() {
    let text = page(&samples::hostile(), Style::PLAIN);
    assert!(!text.replace('\n', "").contains(escape::is_active));
}

#[test]
fn words_are_wrapped_and_long_ones_broken() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
    assert_eq!(wrap("", 4), [""]);
    assert_eq!(wrap("x", 0), ["x"]);
}
