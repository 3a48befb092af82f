//! What keys do.

use super::cursor::Step;
use super::{Command, Focus, Page, Screen};
use crate::report::escape;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Characters of the longest filter.
const LONGEST_FILTER: usize = 64;

impl Screen {
    /// Takes a key. A [`Command`] is what the screen can not do by itself.
    pub fn press(&mut self, key: KeyEvent) -> Option<Command> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && key.code == KeyCode::Char('c') {
            return Some(Command::Quit);
        }
        self.message = None;
        if self.typing.is_some() {
            self.type_filter(key.code, is_control);
            return None;
        }
        if is_control {
            return None;
        }
        match key.code {
            KeyCode::Char('q') => return Some(Command::Quit),
            KeyCode::Char('s') if self.look.can_save => return Some(Command::Save),
            KeyCode::Char('s') => self.say("There is nothing to save to in this run.".to_owned()),
            KeyCode::Char('p') => self.pause(),
            KeyCode::Char('?') => self.toggle_help(),
            KeyCode::Char('e') => self.open_explanation(),
            KeyCode::Esc | KeyCode::Backspace => self.back(),
            KeyCode::Enter => self.enter(),
            code => match step(code) {
                Some(step) => self.step(step),
                None if self.pages.is_empty() => self.arrange_by(code),
                None => {}
            },
        }
        None
    }

    /// Keys of the first page alone.
    fn arrange_by(&mut self, code: KeyCode) {
        match code {
            KeyCode::Tab | KeyCode::BackTab => {
                self.focus = match self.focus {
                    Focus::Findings => Focus::Flows,
                    Focus::Flows => Focus::Findings,
                };
            }
            KeyCode::Char('/') => {
                self.typing = Some(self.wish.filter.clone());
                self.focus = Focus::Flows;
            }
            KeyCode::Char('o' | '>') => self.wish.sort = self.wish.sort.next(),
            KeyCode::Char('<') => self.wish.sort = self.wish.sort.previous(),
            KeyCode::Char('r') => self.wish.is_reversed = !self.wish.is_reversed,
            _ => return,
        }
        self.arrange();
    }

    fn type_filter(&mut self, code: KeyCode, is_control: bool) {
        let filter = &mut self.wish.filter;
        match code {
            KeyCode::Enter => self.typing = None,
            KeyCode::Esc => *filter = self.typing.take().unwrap_or_default(),
            KeyCode::Backspace => drop(filter.pop()),
            KeyCode::Char('u') if is_control => filter.clear(),
            KeyCode::Char(typed) if !is_control && !escape::is_active(typed) => {
                let room = LONGEST_FILTER.saturating_sub(filter.chars().count());
                filter.extend(typed.to_lowercase().take(room));
            }
            _ => {}
        }
        self.arrange();
    }

    fn step(&mut self, step: Step) {
        if let Some(open) = self.pages.last_mut() {
            open.scroll.scroll(step, open.lines);
            return;
        }
        let Some(view) = &self.view else { return };
        match self.focus {
            Focus::Findings => {
                self.finding_cursor.step(step, view.finding_count());
                let at = self.finding_cursor.at();
                let chosen = view.finding(at).filter(|_| at > 0);
                self.chosen_finding = chosen.map(|active| active.finding.id.clone());
            }
            Focus::Flows => {
                self.flow_cursor.step(step, view.flow_count());
                let at = self.flow_cursor.at();
                // Who stays on the first line wants the worst, whichever that is.
                let chosen = view.flow(at).filter(|_| at > 0);
                self.chosen_flow = chosen.map(|flow| flow.key.clone());
            }
        }
    }

    fn enter(&mut self) {
        let Some(view) = &self.view else { return };
        let page = match (self.pages.last().map(|open| &open.page), self.focus) {
            (None, Focus::Findings) => {
                let active = view.finding(self.finding_cursor.at());
                active.map(|active| Page::Finding(Box::new(active.clone())))
            }
            (None, Focus::Flows) => {
                let flow = view.flow(self.flow_cursor.at());
                flow.map(|flow| Page::Flow(Box::new(flow.clone())))
            }
            (Some(Page::Flow(flow)), _) => {
                let index = view.flow_of(&flow.key).map(|(index, _)| index as u64);
                let mut findings = view.snapshot.findings.iter();
                let gravest = findings.find(|active| {
                    let mut flows = active.finding.flows.iter();
                    flows.any(|flow| Some(*flow) == index)
                });
                gravest.map(|active| Page::Finding(Box::new(active.clone())))
            }
            _ => None,
        };
        if let Some(page) = page {
            self.open(page);
        }
    }

    fn toggle_help(&mut self) {
        match self.pages.last().map(|open| &open.page) {
            Some(Page::Help) => drop(self.pages.pop()),
            _ => self.open(Page::Help),
        }
    }

    fn open_explanation(&mut self) {
        let pages = self.pages.iter();
        if !pages
            .into_iter()
            .any(|open| matches!(open.page, Page::Explanation))
        {
            self.open(Page::Explanation);
        }
    }

    fn back(&mut self) {
        if self.pages.pop().is_none() && !self.wish.filter.is_empty() {
            self.wish.filter.clear();
            self.arrange();
        }
    }
}

fn step(code: KeyCode) -> Option<Step> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('k') => Step::Up,
        KeyCode::Down | KeyCode::Char('j') => Step::Down,
        KeyCode::PageUp => Step::PageUp,
        KeyCode::PageDown | KeyCode::Char(' ') => Step::PageDown,
        KeyCode::Home => Step::First,
        KeyCode::End => Step::Last,
        _ => return None,
    })
}
