//! Who is shown each snapshot: a screen or lines, a recorder, and whoever scrapes.

use super::args::{Display, WatchOptions};
use super::printer::Printer;
use super::saver::Saver;
use crate::cli::evidence::Watched;
use crate::model::{self, number::counted};
use crate::report::document::Time;
use crate::report::text::Color;
use crate::source::{Live, LiveStatus};
use crate::watch::metrics::{Metrics, Server};
use crate::watch::recorder::{InterfaceFacts, Notice, Recorder, RecorderOptions, Ring, RingLimits};
use crate::watch::{Change, Command, Event, Line, Look, Screen, Snapshot, Terminal};
use anyhow::Context;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Who is shown each snapshot.
pub(super) struct Views {
    shown: Shown,
    recorder: Option<Recorder>,
    metrics: Option<Served>,
    latest: Option<Snapshot>,
    saver: Saver,
}

/// What is seen while packets come.
enum Shown {
    Screen(Box<Screen>, Terminal),
    Lines(Printer),
    /// Only what the recorder did, on standard error.
    Notices,
    Nothing,
}

/// Metrics, and who serves them.
struct Served {
    metrics: Arc<Metrics>,
    _server: Server,
}

/// What somebody at the screen asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Nothing.
    None,
    /// To end it.
    Quit,
}

impl Views {
    /// Opens all but the screen, which comes with [`Self::show_screen`].
    ///
    /// # Errors
    ///
    /// The address is taken, or recordings cannot be written.
    pub fn new(
        options: &WatchOptions,
        watched: Watched,
        source: &mut Live,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            shown: match options.display {
                Display::Lines => Shown::Lines(Printer::start()?),
                Display::Screen | Display::Notices => Shown::Notices,
                Display::Nothing => Shown::Nothing,
            },
            recorder: recorder(options, source)?,
            metrics: served(options)?,
            latest: None,
            saver: Saver::new(watched),
        })
    }

    /// Takes the terminal, if there is to be a screen.
    pub fn show_screen(&mut self, options: &WatchOptions) -> io::Result<()> {
        if options.display == Display::Screen {
            let mut screen = Screen::new(Look {
                color: options.layout.style.color == Color::Ansi,
                can_save: self.recorder.is_some(),
            });
            let mut terminal = Terminal::enter()?;
            terminal.draw(&mut screen)?;
            self.shown = Shown::Screen(Box::new(screen), terminal);
        }
        Ok(())
    }

    /// Waits, and listens to the keys meanwhile.
    pub fn wait(&mut self, time: Duration) -> io::Result<Wish> {
        let Shown::Screen(screen, terminal) = &mut self.shown else {
            std::thread::sleep(time);
            return Ok(Wish::None);
        };
        let command = match terminal.poll(time)? {
            Some(Event::Key(key)) => screen.press(key),
            Some(Event::Resize) => None,
            None => match self.saver.told() {
                Some(told) => {
                    screen.say(told);
                    None
                }
                None => return Ok(Wish::None),
            },
        };
        if command == Some(Command::Save) {
            let saver = &mut self.saver;
            screen.say(saver.save(self.recorder.as_mut(), self.latest.as_ref()));
        }
        terminal.draw(screen)?;
        Ok(match command {
            Some(Command::Quit) => Wish::Quit,
            Some(Command::Save) | None => Wish::None,
        })
    }

    /// Shows a snapshot to all.
    pub fn show(&mut self, mut snapshot: Snapshot, changes: &[Change]) -> io::Result<()> {
        let mut notices = Vec::new();
        if let Some(recorder) = &mut self.recorder {
            notices = recorder.tick(&snapshot);
            snapshot.recorder = Some(recorder.counts());
        }
        if let Some(served) = &self.metrics {
            served.metrics.update(&snapshot);
        }
        match &mut self.shown {
            Shown::Screen(screen, terminal) => {
                screen.take(snapshot.clone());
                terminal.draw(screen)?;
            }
            Shown::Lines(printer) => {
                let changes = changes.iter().map(Line::Finding);
                let mut all = changes.chain([Line::Snapshot(&snapshot)]);
                all.try_for_each(|line| printer.print(&line))?;
            }
            Shown::Notices | Shown::Nothing => {}
        }
        self.tell(&notices, snapshot.timestamp)?;
        self.latest = Some(snapshot);
        Ok(())
    }

    /// Ends what is being recorded, and gives the terminal back.
    pub fn end(&mut self) -> io::Result<()> {
        if let Shown::Screen(..) = self.shown {
            self.shown = Shown::Notices;
        }
        if let Some(told) = self.saver.end() {
            super::say(&told);
        }
        if let (Some(recorder), Some(latest)) = (&mut self.recorder, &self.latest) {
            let notices = recorder.finish(latest);
            let timestamp = latest.timestamp;
            self.tell(&notices, timestamp)?;
        }
        let Shown::Lines(printer) = &mut self.shown else {
            return Ok(());
        };
        let left_out = printer.left_out();
        let ended = printer.end();
        if left_out > 0 {
            let lines = counted(left_out, "line");
            super::say(&format!(
                "{lines} left out, because nobody read them in time"
            ));
        }
        ended
    }

    fn tell(&mut self, notices: &[Notice], at: Time) -> io::Result<()> {
        for notice in notices {
            let message = notice.to_string();
            match &mut self.shown {
                Shown::Screen(screen, _) => screen.say(message),
                Shown::Lines(printer) => printer.print(&Line::Notice {
                    timestamp: at,
                    message: &message,
                })?,
                Shown::Notices => super::say(&message),
                // What was asked for and is not done is said all the same.
                Shown::Nothing if matches!(notice, Notice::Failed { .. }) => super::say(&message),
                Shown::Nothing => {}
            }
        }
        Ok(())
    }
}

fn served(options: &WatchOptions) -> anyhow::Result<Option<Served>> {
    let Some(address) = options.metrics else {
        return Ok(None);
    };
    let metrics = Arc::new(Metrics::new(options.metrics_flows));
    let server = Server::start(address, Arc::clone(&metrics))
        .with_context(|| format!("cannot serve metrics at {address}"))?;
    if options.display != Display::Nothing {
        super::say(&format!("metrics at http://{}/metrics", server.address()));
    }
    Ok(Some(Served {
        metrics,
        _server: server,
    }))
}

fn recorder(options: &WatchOptions, source: &mut Live) -> anyhow::Result<Option<Recorder>> {
    let Some(record) = &options.record else {
        return Ok(None);
    };
    // The window of a recording is looked back at after a tick.
    let slack = i64::try_from(options.interval.as_nanos()).unwrap_or(i64::MAX);
    let ring = Arc::new(Ring::new(RingLimits {
        seconds: model::Duration(record.time.0.saturating_add(slack)),
        bytes: usize::try_from(record.memory).unwrap_or(usize::MAX),
    }));
    let names = options.live.interfaces.iter();
    let statuses = source.control().statuses();
    let interfaces = names
        .zip(&statuses)
        .map(|(name, status)| facts(name, status));
    let recorder = Recorder::new(
        RecorderOptions {
            directory: record.directory.clone(),
            seconds: record.time,
            on: record.on,
            files: usize::try_from(record.files).unwrap_or(usize::MAX),
            bytes: record.bytes,
        },
        interfaces.collect(),
        Arc::clone(&ring),
    )
    .with_context(|| format!("cannot record into {}", record.directory.display()))?;
    source.tap(Box::new(move |block| ring.push_block(block.frames())));
    Ok(Some(recorder))
}

fn facts(name: &str, status: &LiveStatus) -> InterfaceFacts {
    let link_types = &status.facts.link_types;
    InterfaceFacts {
        name: name.to_owned(),
        description: String::new(),
        link_type: link_types.first().copied().unwrap_or_default(),
        snaplen: status.facts.snaplen.unwrap_or(0),
    }
}
