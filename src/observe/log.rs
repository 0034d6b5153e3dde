//! The log: one line at a time, to the user's callback if one is set, else to standard error.
//!
//! A line says rank, communicator, what happened, what follows. `ANYCCL_LOG` sets the level.
//!
//! Standard error may be closed, or full because its reader pauses. A line that it does not take at once is
//! dropped, and the next line reports how many were.

mod sink;

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use sink::SinkCell;

use crate::sys::standard_error::write_line;

/// How important a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Nothing is written.
    Off = 0,
    /// Something failed.
    Error = 1,
    /// Something is unusual, but the program goes on.
    Warn = 2,
    /// What each communicator uses, in one line.
    Info = 3,
    /// Choices and connections.
    Debug = 4,
}

impl Level {
    /// Every level with its name.
    pub const NAMES: [(&'static str, Level); 5] = [
        ("off", Level::Off),
        ("error", Level::Error),
        ("warn", Level::Warn),
        ("info", Level::Info),
        ("debug", Level::Debug),
    ];

    /// The level with this name.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::NAMES.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
    }

    /// Name of the level.
    pub fn name(self) -> &'static str {
        Level::NAMES[self as usize].0
    }
}

/// Receiver of every line at or above the level. Called on the thread that logs.
pub type Sink = Box<dyn Fn(Level, &str) + Send + Sync>;

static LEVEL: AtomicU8 = AtomicU8::new(Level::Warn as u8);
static SINK: SinkCell<Sink> = SinkCell::new();
/// Number of lines dropped since the last line that standard error took.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Sets the level below which lines are dropped.
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Sets the receiver of lines; `None` means standard error.
pub fn set_sink(sink: Option<Sink>) {
    SINK.set(sink);
}

/// Holds the lock of the receiver, as a thread does that replaces it.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    SINK.hold()
}

/// Whether a line of this level would be written.
pub fn enabled(level: Level) -> bool {
    level as u8 <= LEVEL.load(Ordering::Relaxed)
}

/// Writes one line if its level is enabled.
pub fn write(level: Level, line: fmt::Arguments<'_>) {
    if !enabled(level) {
        return;
    }
    SINK.with(|sink| match sink {
        Some(sink) => sink(level, &line.to_string()),
        None => write_or_count(&DROPPED, &format!("anyccl: {}: {line}\n", level.name()), write_line),
    });
}

/// Writes a line, and the count of dropped ones, in one piece, so that lines of several ranks do not mix.
fn write_or_count(dropped: &AtomicU64, line: &str, write: impl Fn(&[u8]) -> bool) {
    let before = dropped.swap(0, Ordering::Relaxed);
    let taken = match before {
        0 => write(line.as_bytes()),
        1 => write(format!("anyccl: warn: a line was dropped: standard error was full\n{line}").as_bytes()),
        n => {
            write(format!("anyccl: warn: {n} lines were dropped: standard error was full\n{line}").as_bytes())
        }
    };
    if !taken {
        dropped.fetch_add(before + 1, Ordering::Relaxed);
    }
}

/// Logs at the given level with `format!` arguments.
#[macro_export]
macro_rules! log_line {
    ($level:ident, $($arg:tt)*) => {
        $crate::observe::log::write($crate::observe::log::Level::$level, format_args!($($arg)*))
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn dropped_lines_are_counted_by_the_next_one_that_is_taken() {
        let taken = RefCell::new(Vec::new());
        let take = |line: &[u8]| {
            taken.borrow_mut().push(String::from_utf8_lossy(line).into_owned());
            true
        };
        let count = AtomicU64::new(0);
        write_or_count(&count, "one\n", |_| false);
        write_or_count(&count, "two\n", |_| false);
        write_or_count(&count, "three\n", take);
        write_or_count(&count, "four\n", take);
        let dropped = "anyccl: warn: 2 lines were dropped: standard error was full\n";
        assert_eq!(*taken.borrow(), [format!("{dropped}three\n"), "four\n".to_string()]);
    }
}
