//! The screen as text, at several sizes, and what keys make of it.

mod keys;
mod pages;
mod states;

use super::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A screen that has seen a quarter of an hour, at most.
fn after(seconds: i64, snapshot: &Snapshot) -> Screen {
    let mut screen = Screen::new(Look {
        color: false,
        can_save: true,
    });
    for second in (0..seconds).rev() {
        screen.take(states::later(snapshot, -second));
    }
    screen
}

fn frame(screen: &mut Screen, width: u16, height: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    terminal
}

/// The screen as text, without the spaces behind it.
fn text(screen: &mut Screen, width: u16, height: u16) -> String {
    let terminal = frame(screen, width, height);
    let buffer = terminal.backend().buffer();
    let cells = buffer.content.chunks(width.into());
    let lines = cells.map(|line| line.iter().map(|cell| cell.symbol()).collect::<String>());
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn press(screen: &mut Screen, code: KeyCode) -> Option<Command> {
    screen.press(key(code))
}

fn typed(screen: &mut Screen, text: &str) {
    for character in text.chars() {
        assert_eq!(press(screen, KeyCode::Char(character)), None);
    }
}
