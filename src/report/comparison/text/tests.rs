//! Whole pages, compared byte for byte.

use super::write;
use crate::report::comparison::{Comparison, samples};
use crate::report::escape;
use crate::report::text::{Color, Style};

fn page(comparison: &Comparison, style: Style) -> String {
    let mut out = Vec::new();
    assert!(write(comparison, style, &mut out).is_ok());
    String::from_utf8(out).unwrap_or_default()
}

fn plain(width: usize) -> Style {
    Style {
        width,
        color: Color::Plain,
    }
}

#[test]
fn pages_at_80_columns() {
    for (name, comparison) in samples::all() {
        insta::assert_snapshot!(name, page(&comparison, Style::PLAIN));
    }
}

#[test]
fn both_ways_stand_side_by_side_where_there_is_room() {
    insta::assert_snapshot!("lossy_wide", page(&samples::lossy(), plain(120)));
}

#[test]
fn faults_are_coloured() {
    let style = Style {
        color: Color::Ansi,
        ..Style::PLAIN
    };
    insta::assert_snapshot!("lossy_coloured", page(&samples::lossy(), style));
}

/// What they said, and nothing of a capture that it was held against.
#[test]
fn witnesses_are_heard() {
    let text = page(&samples::witnessed(), plain(80));
    let told = "Benchmark  iperf3\n  8,192 B      sent 1,526 (20.0 Mbit/s), received 966\n";
    assert!(text.contains(told), "{text}");
    let counted = "  IpReasmOKs       the kernel says 966, the capture 967\n";
    assert!(text.contains(counted), "{text}");
    assert!(!text.contains("looks like it"), "{text}");
}

#[test]
fn no_line_is_wider_than_the_page() {
    for (name, comparison) in samples::all() {
        for width in [60, 80, 100, 120, 200] {
            for line in page(&comparison, plain(width)).lines() {
                assert!(line.chars().count() <= width, "{name} at {width}: {line:?}");
                assert_eq!(line.trim_end(), line, "{name} at {width}");
            }
        }
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for (name, comparison) in samples::all() {
        let style = Style {
            color: Color::Ansi,
            ..Style::PLAIN
        };
        let coloured = page(&comparison, style);
        let mut plain = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            plain.push_str(before);
            rest = after.split_once('m').map_or("", |(_, text)| text);
        }
        plain.push_str(rest);
        assert_eq!(plain, page(&comparison, Style::PLAIN), "{name}");
    }
}

#[test]
fn hostile_text_stays_text() {
    let text = page(&samples::hostile(), Style::PLAIN);
    assert!(!text.replace('\n', "").contains(escape::is_active));
}

#[test]
fn no_number_of_points_breaks_the_path() {
    for points in 0..6 {
        let mut comparison = samples::lossy();
        let point = comparison.points[0].clone();
        comparison.points = vec![point; points];
        for segments in [0, 1, 9] {
            comparison.directions.clear();
            comparison.segments = vec![comparison.path.clone(); segments];
            assert!(!page(&comparison, Style::PLAIN).is_empty());
        }
    }
}
