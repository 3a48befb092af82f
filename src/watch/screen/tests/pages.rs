//! Whole screens, compared byte for byte, and what holds of all of them.

use super::*;
use crate::report::escape;
use proptest::prelude::*;
use ratatui::style::Color;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

#[test]
fn overviews() {
    for (name, snapshot) in states::all() {
        for (width, height) in SIZES {
            let mut screen = after(30, &snapshot);
            let name = format!("{name}_{width}x{height}");
            insta::assert_snapshot!(name, text(&mut screen, width, height));
        }
    }
}

#[test]
fn more_room_is_used() {
    let mut screen = after(120, &states::many());
    insta::assert_snapshot!("many_200x50", text(&mut screen, 200, 50));
}

#[test]
fn details() {
    let opened = |keys: &[KeyCode]| {
        let mut screen = after(30, &states::faulty());
        for code in keys {
            press(&mut screen, *code);
        }
        screen
    };
    let pages = [
        ("flow", opened(&[KeyCode::Enter])),
        ("finding", opened(&[KeyCode::Tab, KeyCode::Enter])),
        ("explanation", opened(&[KeyCode::Char('e')])),
        ("help", opened(&[KeyCode::Char('?')])),
    ];
    for (name, mut screen) in pages {
        for (width, height) in [(80, 24), (40, 10)] {
            let name = format!("page_{name}_{width}x{height}");
            insta::assert_snapshot!(name, text(&mut screen, width, height));
        }
    }
}

#[test]
fn before_the_first_second_it_waits() {
    let mut screen = Screen::new(Look::default());
    assert!(text(&mut screen, 80, 24).contains("waiting"));
}

#[test]
fn what_is_lost_is_seen_at_any_size_that_shows_anything() {
    for (width, height) in [(200, 50), (80, 24), (80, 10), (40, 10), (40, 6)] {
        let text = text(&mut after(5, &states::faulty()), width, height);
        assert!(text.contains("993 Mbit/s were"), "{width}x{height}\n{text}");
        assert!(text.contains("error"), "{width}x{height}\n{text}");
        let (dropped, gone) = (text.contains("119 dropped"), text.contains("GONE"));
        assert!(dropped && gone, "{width}x{height}\n{text}");
    }
}

#[test]
fn what_is_lost_now_is_told_from_what_was() {
    let mut snapshot = states::faulty();
    let mut screen = after(2, &snapshot);
    assert!(!text(&mut screen, 80, 24).contains("NOW"));
    snapshot.captured[0].dropped += 31;
    screen.take(snapshot);
    assert!(text(&mut screen, 80, 24).contains("150 dropped      0 by interface  +31 NOW"));
}

#[test]
fn without_colour_there_is_none() {
    for (name, snapshot) in states::all() {
        let mut screen = after(3, &snapshot);
        for code in [KeyCode::Null, KeyCode::Enter, KeyCode::Char('?')] {
            press(&mut screen, code);
            let terminal = frame(&mut screen, 100, 30);
            let mut cells = terminal.backend().buffer().content.iter();
            let is_plain = cells.all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset);
            assert!(is_plain, "{name}");
        }
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for (name, snapshot) in states::all() {
        let mut plain = after(3, &snapshot);
        let mut coloured = plain.clone();
        coloured.look.color = true;
        assert_eq!(
            text(&mut plain, 80, 24),
            text(&mut coloured, 80, 24),
            "{name}"
        );
    }
}

#[test]
fn hostile_text_stays_text() {
    for (width, height) in [(200, 60), (80, 24), (40, 10), (20, 5)] {
        let mut screen = after(3, &states::hostile());
        for code in [
            KeyCode::Null,
            KeyCode::Tab,
            KeyCode::Enter,
            KeyCode::Char('?'),
        ] {
            press(&mut screen, code);
            let text = text(&mut screen, width, height).replace('\n', "");
            assert!(!text.contains(escape::is_active), "{text:?}");
        }
    }
}

fn any_key() -> impl Strategy<Value = KeyCode> {
    prop_oneof![
        prop::sample::select(vec![
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::Tab,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Backspace,
        ]),
        prop::sample::select("?/o<>rpseqkj 1.\u{1b}東".chars().collect::<Vec<_>>())
            .prop_map(KeyCode::Char),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_size_and_no_key_is_too_much(
        events in prop::collection::vec(
            (any_key(), 1_u16..130, 1_u16..45, prop::option::of(0_usize..6)),
            1..40,
        ),
    ) {
        let states = states::all();
        let mut screen = Screen::new(Look::default());
        for (code, width, height, state) in events {
            if let Some(state) = state {
                screen.take(states[state].1.clone());
            }
            press(&mut screen, code);
            frame(&mut screen, width, height);
            prop_assert!(screen.pages.len() < 8);
        }
    }
}

#[test]
fn every_small_size_is_drawn() {
    for (_, snapshot) in states::all() {
        let mut screen = after(2, &snapshot);
        for width in 1..45 {
            for height in 1..14 {
                frame(&mut screen, width, height);
            }
        }
    }
}
