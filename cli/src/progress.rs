//! A progress bar on standard error, for what takes more than a second. Nothing is drawn where standard error
//! is no terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What ends before this time gets no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar. It disappears when it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// The time at which it may be drawn; `None` is never.
    draw_at: Option<Instant>,
}

impl Progress {
    /// A bar that is never drawn.
    pub fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden(), draw_at: None }
    }

    /// A bar for `steps` steps of `what`.
    pub fn new(what: &str, steps: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
        bar.set_style(style.expect("the template is well formed"));
        bar.set_message(what.to_string());
        Progress { bar, draw_at: Some(Instant::now() + PATIENCE) }
    }

    /// Announces further steps.
    pub fn extend(&self, steps: usize) {
        self.bar.inc_length(steps as u64);
    }

    /// Notes that a step is done.
    pub fn step(&self) {
        if self.bar.is_hidden() && self.draw_at.is_some_and(|at| at <= Instant::now()) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Runs `write`, which writes to the terminal, while the bar is away.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
