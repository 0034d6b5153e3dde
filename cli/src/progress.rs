//! A progress bar on standard error, for what takes more than a moment. Nothing is drawn where standard error
//! is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar. It disappears when it is dropped.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar that is never drawn.
    pub fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden() }
    }

    /// A bar for `steps` steps of `what`.
    pub fn new(what: &str, steps: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
        bar.set_style(style.expect("the template is well formed"));
        bar.set_message(what.to_string());
        Progress { bar }
    }

    /// Notes that a step is done.
    pub fn step(&self) {
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
