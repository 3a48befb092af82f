//! A progress bar on standard error.

use super::options::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how far reading has come.
#[derive(Clone, Debug)]
pub struct Bar(ProgressBar);

/// The input's length is known.
const BAR: &str = "{bar:24} {binary_bytes} of {binary_total_bytes}  {msg}  {eta} left";

/// The input is a pipe.
const SPINNER: &str = "{spinner} {binary_bytes}  {msg}  {elapsed}";

impl Bar {
    /// A bar that is drawn, or not.
    pub fn new(progress: Progress) -> Self {
        let bar = match progress {
            // indicatif draws at most 20 times a second.
            Progress::Shown => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
            Progress::Hidden => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template(SPINNER) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Says how far reading has come: bytes as they are stored, of how many (`None`
    /// if that is not known), and frames. Cheap enough to be called every block.
    pub fn update(&self, bytes: u64, total_bytes: Option<u64>, frames: u64) {
        if self.0.is_hidden() {
            return;
        }
        if self.0.length() != total_bytes
            && let Some(total) = total_bytes
        {
            self.0.set_length(total);
            if let Ok(style) = ProgressStyle::with_template(BAR) {
                self.0.set_style(style.progress_chars("=> "));
            }
        }
        let seconds = self.0.elapsed().as_secs_f64();
        if seconds > 0.0 {
            self.0.set_message(crate::model::number::rate(
                frames as f64 / seconds,
                "packets",
            ));
        }
        self.0.set_position(bytes);
    }

    /// Removes the bar, so that what is printed next stands alone.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
