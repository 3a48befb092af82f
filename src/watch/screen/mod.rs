//! The screen of a capture that goes on: what is seen of a [`Snapshot`], and what keys
//! change of that.
//!
//! Pure: it is given snapshots and keys, and draws into a frame. At any size from one
//! column and one line on it shows what matters most of what there is room for.

mod budget;
mod columns;
mod cursor;
mod detail;
mod keys;
mod overview;
mod past;
mod row;
mod status;
#[cfg(test)]
mod tests;
mod view;

use super::{Active, Snapshot};
use crate::report::document::{Flow, FlowKey, Time};
use cursor::Cursor;
use past::Past;
use ratatui::Frame;
use ratatui::layout::Rect;
use row::{Row, Tone};
use view::{View, Wish};

/// Snapshots after which a message goes away by itself.
const MESSAGE_SECONDS: u8 = 10;

/// What there can be of the screen; decided by whoever knows the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Whether words may be coloured. Nothing is said by colour alone.
    pub color: bool,
    /// Whether there is something that [`Command::Save`] would save.
    pub can_save: bool,
}

/// What a key asks for that the screen can not do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// To end the capture.
    Quit,
    /// To save the frames of the last seconds, and a report.
    Save,
}

/// The list that keys move in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    Findings,
    #[default]
    Flows,
}

/// What is shown in place of the overview. A flow or a finding may go while somebody
/// reads of it: it is kept as it was last seen.
#[derive(Clone, Debug)]
enum Page {
    Help,
    Explanation,
    Flow(Box<Flow>),
    Finding(Box<Active>),
}

/// A page that is open, and how far it is scrolled.
#[derive(Clone, Debug)]
struct Open {
    page: Page,
    scroll: Cursor,
    /// Lines it had when it was last drawn.
    lines: usize,
}

/// All that is known between two frames.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    look: Look,
    past: Past,
    /// What is shown; nothing before the first second.
    view: Option<View>,
    /// The latest second, while what is shown stands still.
    waiting: Option<View>,
    is_paused: bool,
    /// Seconds that came since it stands still.
    behind: usize,
    wish: Wish,
    /// The filter before somebody began to type.
    typing: Option<String>,
    focus: Focus,
    finding_cursor: Cursor,
    flow_cursor: Cursor,
    chosen_finding: Option<String>,
    chosen_flow: Option<FlowKey>,
    /// From the overview inwards: each kind at most once, so that there is a bound.
    pages: Vec<Open>,
    message: Option<(String, u8)>,
}

impl Screen {
    /// A screen before the first second.
    pub fn new(look: Look) -> Self {
        Self {
            look,
            ..Self::default()
        }
    }

    /// Takes one more second. While it is paused, what is shown stands still.
    pub fn take(&mut self, snapshot: Snapshot) {
        let lost_now = self.past.note(&snapshot);
        let cleared = self.past.cleared().to_vec();
        let view = View::new(snapshot, cleared, lost_now, &self.wish);
        self.message = self.message.take().and_then(|(message, left)| {
            let left = left.checked_sub(1)?;
            Some((message, left))
        });
        if self.is_paused && self.view.is_some() {
            self.behind = self.behind.saturating_add(1);
            self.waiting = Some(view);
        } else {
            self.show(view);
        }
    }

    /// Says something in the last line, until a key is pressed or ten seconds later.
    pub fn say(&mut self, message: String) {
        self.message = Some((message, MESSAGE_SECONDS));
    }

    /// Draws all of it.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let buffer = frame.buffer_mut();
        let color = self.look.color;
        // On two lines there is no room for keys.
        let keys = u16::from(area.height > 2);
        let above = Rect {
            height: area.height - keys,
            ..area
        };
        let view = self.view.take();
        match &view {
            _ if !self.pages.is_empty() => detail::draw(self, view.as_ref(), above, buffer),
            Some(view) => overview::draw(self, view, above, buffer),
            None => Row::of("fraglens watch  waiting for the first second", Tone::Strong)
                .draw(above, color, buffer),
        }
        self.view = view;
        let last = Rect {
            y: above.bottom(),
            height: keys,
            ..area
        };
        self.status(area.width.into()).draw(last, color, buffer);
    }

    fn show(&mut self, view: View) {
        self.view = Some(view);
        self.waiting = None;
        self.behind = 0;
        self.refresh_pages();
        self.follow();
    }

    /// Sorts and filters anew.
    fn arrange(&mut self) {
        for view in [&mut self.view, &mut self.waiting].into_iter().flatten() {
            view.arrange(&self.wish);
        }
        self.follow();
    }

    /// Keeps what is chosen chosen, wherever it stands now.
    fn follow(&mut self) {
        let Some(view) = &self.view else { return };
        let lines = view.flow_count();
        let at = match &self.chosen_flow {
            Some(key) => view.line_of(key).unwrap_or(self.flow_cursor.at()),
            None => 0,
        };
        self.flow_cursor.go(at, lines);
        let at = match &self.chosen_finding {
            Some(id) => view.line_of_finding(id).unwrap_or(self.finding_cursor.at()),
            None => 0,
        };
        self.finding_cursor.go(at, view.finding_count());
    }

    /// Keeps what pages are about as it is now, for when it goes.
    fn refresh_pages(&mut self) {
        let Some(view) = &self.view else { return };
        for open in &mut self.pages {
            match &mut open.page {
                Page::Flow(last) => {
                    if let Some((_, flow)) = view.flow_of(&last.key) {
                        (**last).clone_from(flow);
                    }
                }
                Page::Finding(last) => {
                    let line = view.line_of_finding(&last.finding.id);
                    if let Some(active) = line.and_then(|line| view.finding(line)) {
                        (**last).clone_from(active);
                    }
                }
                Page::Help | Page::Explanation => {}
            }
        }
    }

    fn pause(&mut self) {
        self.is_paused = !self.is_paused;
        if let Some(latest) = self.waiting.take() {
            self.show(latest);
        }
    }

    /// How far what is shown is behind what is known, while it stands still.
    fn seconds_behind(&self, shown: &View) -> Option<f64> {
        if !self.is_paused {
            return None;
        }
        let elapsed = |view: &View| view.snapshot.elapsed_seconds;
        let shown = elapsed(shown);
        let latest = self.waiting.as_ref().map_or(shown, elapsed);
        Some((latest - shown).max(0.0))
    }

    fn open(&mut self, page: Page) {
        self.pages.push(Open {
            page,
            scroll: Cursor::default(),
            lines: 0,
        });
    }
}

/// The time of day, in UTC: `03:05:28`.
fn clock(time: Time) -> String {
    let text = time.to_string();
    text.get(11..19).unwrap_or(&text).to_owned()
}
