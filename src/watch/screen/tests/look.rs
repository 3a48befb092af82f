//! The screen on a real terminal, for who wants to see it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::watch::{Event, Terminal};
use std::time::Duration;

/// `cargo test --lib look_at_it -- --ignored --nocapture`; q ends it.
#[test]
#[ignore = "for people: needs a terminal"]
fn look_at_it() {
    let wanted = std::env::var("FRAGLENS_LOOK").unwrap_or_else(|_| "many".to_owned());
    let states = states::all();
    let found = states.iter().find(|(name, _)| *name == wanted);
    let snapshot = &found.expect("a state of that name").1;
    let mut screen = after(40, snapshot);
    screen.look.color = std::env::var_os("NO_COLOR").is_none();
    let mut terminal = Terminal::enter().unwrap();
    for tenth in 0_i64.. {
        terminal.draw(&mut screen).unwrap();
        if let Some(Event::Key(key)) = terminal.poll(Duration::from_millis(100)).unwrap() {
            match screen.press(key) {
                Some(Command::Quit) => break,
                Some(Command::Save) => screen.say("would be saved".to_owned()),
                None if key.code == KeyCode::Char('!') => panic!("on purpose"),
                None => {}
            }
        }
        if tenth % 10 == 9 {
            screen.take(states::later(snapshot, tenth / 10));
        }
    }
}
