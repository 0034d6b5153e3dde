//! One log line at a time: to the user's callback if one is set, else to standard error.
//!
//! A line says rank, communicator, what happened, what follows. `ANYCCL_LOG` sets the level.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::RwLock;

/// How important a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Nothing is written.
    Off = 0,
    /// Something failed.
    Error = 1,
    /// Something is odd but goes on.
    Warn = 2,
    /// One line per communicator: what is in use.
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

    /// Its name.
    pub fn name(self) -> &'static str {
        Level::NAMES[self as usize].0
    }
}

/// Receives every line at or above the level. Called on the thread that has something to say.
pub type Sink = Box<dyn Fn(Level, &str) + Send + Sync>;

static LEVEL: AtomicU8 = AtomicU8::new(Level::Warn as u8);
static SINK: RwLock<Option<Sink>> = RwLock::new(None);

/// Sets the level below which lines are dropped.
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Replaces the receiver of lines; `None` is standard error.
pub fn set_sink(sink: Option<Sink>) {
    *SINK.write() = sink;
}

/// Whether a line of this level would be written.
pub fn enabled(level: Level) -> bool {
    level as u8 <= LEVEL.load(Ordering::Relaxed)
}

/// Writes one line, if the level says so.
pub fn write(level: Level, line: fmt::Arguments<'_>) {
    if !enabled(level) {
        return;
    }
    match &*SINK.read() {
        Some(sink) => sink(level, &line.to_string()),
        // One write, so that lines of several ranks do not mix. A closed stderr is no reason to fail.
        None => {
            let text = format!("anyccl: {}: {line}\n", level.name());
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// Logs at the given level with `format!` arguments.
#[macro_export]
macro_rules! log_line {
    ($level:ident, $($arg:tt)*) => {
        $crate::observe::log::write($crate::observe::log::Level::$level, format_args!($($arg)*))
    };
}
