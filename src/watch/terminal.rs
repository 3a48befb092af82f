//! The terminal that the screen is drawn on: the only code that touches it.

use super::Screen;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, KeyEvent};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, Stdout, stdout};
use std::mem::ManuallyDrop;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What happens at a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key.
    Key(KeyEvent),
    /// It has another size, and has to be drawn anew.
    Resize,
}

/// A terminal of which every key is read at once and the whole of which is drawn on.
/// It is as before when this is dropped, and when the program panics.
pub struct Terminal {
    /// Never dropped: it would complain on standard error of a terminal that is gone, and
    /// panic if that is the same terminal.
    inner: ManuallyDrop<ratatui::Terminal<CrosstermBackend<Stdout>>>,
    _entered: Entered,
}

impl Terminal {
    /// Takes standard output over, which has to be a terminal.
    pub fn enter() -> io::Result<Self> {
        let entered = Entered::enter()?;
        let inner = ratatui::Terminal::new(CrosstermBackend::new(stdout()))?;
        Ok(Self {
            inner: ManuallyDrop::new(inner),
            _entered: entered,
        })
    }

    /// Waits for something to happen; `None` if nothing does in time, or nothing that
    /// matters.
    pub fn poll(&mut self, timeout: Duration) -> io::Result<Option<Event>> {
        if !event::poll(timeout)? {
            return Ok(None);
        }
        Ok(match event::read()? {
            event::Event::Key(key) => Some(Event::Key(key)),
            event::Event::Resize(..) => Some(Event::Resize),
            _ => None,
        })
    }

    /// Draws a screen.
    pub fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        self.inner.draw(|frame| screen.draw(frame))?;
        Ok(())
    }
}

/// That a terminal was taken over and not given back yet.
struct Entered(Arc<AtomicBool>);

impl Entered {
    fn enter() -> io::Result<Self> {
        let entered = Self(Arc::new(AtomicBool::new(true)));
        restore_on_panic(Arc::clone(&entered.0));
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen)?;
        Ok(entered)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        restore(&self.0);
    }
}

/// The message of a panic would be lost with the screen it is written on.
fn restore_on_panic(is_entered: Arc<AtomicBool>) {
    let earlier = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        restore(&is_entered);
        earlier(info);
    }));
}

/// Once only: later, somebody else may write to the terminal. What can not be restored
/// is gone, and there is nobody to tell.
fn restore(is_entered: &AtomicBool) {
    if is_entered.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let _ = execute!(stdout(), LeaveAlternateScreen, Show);
    }
}
