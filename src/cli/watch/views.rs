//! Who is shown each snapshot: a screen or lines, a recorder, and whoever scrapes.

use super::args::{Display, WatchOptions};
use crate::cli::output::Output;
use crate::model;
use crate::report::document::Time;
use crate::report::json;
use crate::report::text::Color;
use crate::source::{Live, LiveStatus};
use crate::watch::metrics::{Metrics, Server};
use crate::watch::recorder::{InterfaceFacts, Notice, Recorder, RecorderOptions, Ring, RingLimits};
use crate::watch::{Change, Command, Event, Line, Look, Screen, Snapshot, Terminal};
use anyhow::Context;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Who is shown each snapshot.
pub(super) struct Views {
    shown: Shown,
    /// Whether the report goes elsewhere, so that lines have standard output to themselves.
    has_own_output: bool,
    recorder: Option<Recorder>,
    metrics: Option<Served>,
    latest: Option<Snapshot>,
}

/// What is seen while packets come.
enum Shown {
    Screen(Box<Screen>, Terminal),
    Lines,
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
    pub fn new(options: &WatchOptions, source: &mut Live) -> anyhow::Result<Self> {
        Ok(Self {
            shown: match options.display {
                Display::Lines => Shown::Lines,
                Display::Screen | Display::Notices => Shown::Notices,
                Display::Nothing => Shown::Nothing,
            },
            has_own_output: options.layout.output.is_some(),
            recorder: recorder(options, source)?,
            metrics: served(options)?,
            latest: None,
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
            None => return Ok(Wish::None),
        };
        if command == Some(Command::Save) {
            let saved = save(self.recorder.as_mut(), self.latest.as_ref());
            screen.say(saved);
        }
        terminal.draw(screen)?;
        Ok(match command {
            Some(Command::Quit) => Wish::Quit,
            Some(Command::Save) | None => Wish::None,
        })
    }

    /// Shows a snapshot to all.
    pub fn show(
        &mut self,
        snapshot: Snapshot,
        changes: &[Change],
        output: &mut Output,
    ) -> io::Result<()> {
        if let Some(served) = &self.metrics {
            served.metrics.update(&snapshot);
        }
        let recorder = self.recorder.as_mut();
        let notices = recorder.map(|recorder| recorder.tick(&snapshot));
        self.tell(&notices.unwrap_or_default(), snapshot.timestamp, output)?;
        match &mut self.shown {
            Shown::Screen(screen, terminal) => {
                screen.take(snapshot.clone());
                terminal.draw(screen)?;
            }
            Shown::Lines => self.lines(output, |mut out| {
                let changes = changes.iter().map(Line::Finding);
                let mut all = changes.chain([Line::Snapshot(&snapshot)]);
                all.try_for_each(|line| line.write(&mut out))
            })?,
            Shown::Notices | Shown::Nothing => {}
        }
        self.latest = Some(snapshot);
        Ok(())
    }

    /// Gives the terminal back, and ends what is being recorded.
    pub fn end(&mut self, output: &mut Output) -> io::Result<()> {
        if let Shown::Screen(..) = self.shown {
            self.shown = Shown::Notices;
        }
        let (Some(recorder), Some(latest)) = (&mut self.recorder, &self.latest) else {
            return Ok(());
        };
        let notices = recorder.finish(latest);
        let timestamp = latest.timestamp;
        self.tell(&notices, timestamp, output)
    }

    fn tell(&mut self, notices: &[Notice], at: Time, output: &mut Output) -> io::Result<()> {
        for notice in notices {
            let message = notice.to_string();
            match &mut self.shown {
                Shown::Screen(screen, _) => screen.say(message),
                Shown::Lines => self.lines(output, |mut out| {
                    let line = Line::Notice {
                        timestamp: at,
                        message: &message,
                    };
                    line.write(&mut out)
                })?,
                Shown::Notices => super::say(&message),
                Shown::Nothing => {}
            }
        }
        Ok(())
    }

    /// Lines go where the report goes, unless that is a file.
    fn lines(
        &self,
        output: &mut Output,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.has_own_output {
            write(&mut io::stdout().lock())
        } else {
            write(output)
        }
    }
}

fn save(recorder: Option<&mut Recorder>, latest: Option<&Snapshot>) -> String {
    let (Some(recorder), Some(latest)) = (recorder, latest) else {
        return "nothing to save yet".to_owned();
    };
    let saved = recorder.save_now(latest).map_err(anyhow::Error::from);
    match saved.and_then(|path| report_beside(&path, latest).map(|()| path)) {
        Ok(path) => format!("saved {}, and a report beside it", path.display()),
        Err(error) => format!("not saved: {error:#}"),
    }
}

/// Writes the report of the last seconds under the name of a recording.
fn report_beside(recording: &Path, latest: &Snapshot) -> anyhow::Result<()> {
    let mut output = Output::open(Some(&recording.with_extension("json")), &[])?;
    json::write(&latest.window, &mut output)?;
    output.finish()
}

fn served(options: &WatchOptions) -> anyhow::Result<Option<Served>> {
    let Some(address) = options.metrics else {
        return Ok(None);
    };
    let metrics = Arc::new(Metrics::new(options.metrics_flows));
    let server = Server::start(address, Arc::clone(&metrics))
        .with_context(|| format!("cannot serve metrics at {address}"))?;
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
        link_type: link_types.first().copied().unwrap_or_default(),
        snaplen: status.facts.snaplen.unwrap_or(0),
    }
}
