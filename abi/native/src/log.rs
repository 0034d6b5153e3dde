//! Where log lines go.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

use anyccl_edge::check::invalid;
use anyccl_engine::base::Result;
use anyccl_engine::observe::log::{self, Level};

use crate::status::{anyccl_status_t, edge};

/// How important a log line is: one of enum anyccl_log_level.
pub type anyccl_log_level_t = c_int;

/// The values of anyccl_log_level_t. Each includes the ones above it.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum anyccl_log_level {
    /// In a configuration: what an earlier one has named, else what ANYCCL_LOG says, else ANYCCL_LOG_WARN. No
    /// line has this level.
    ANYCCL_LOG_DEFAULT = 0,
    /// In a configuration: nothing is written. No line has this level.
    ANYCCL_LOG_OFF = 1,
    /// Something failed.
    ANYCCL_LOG_ERROR = 2,
    /// Something is odd but goes on.
    ANYCCL_LOG_WARN = 3,
    /// One line per communicator: what is in use.
    ANYCCL_LOG_INFO = 4,
    /// Choices and connections.
    ANYCCL_LOG_DEBUG = 5,
}

use anyccl_log_level::*;

/// Receives one log line.
///
/// \param level  [in] ANYCCL_LOG_ERROR to ANYCCL_LOG_DEBUG.
/// \param line   [in] The text, without a newline. Valid during the call only.
/// \param user   [in] What was given to anyccl_set_log_callback.
///
/// Called on whichever thread has something to say, from inside an anyccl call, several threads at once: it
/// must be thread-safe. It must not call any anyccl function, and must return: an exception or longjmp that
/// leaves it ends the process.
pub type anyccl_log_callback_t =
    Option<unsafe extern "C" fn(level: anyccl_log_level_t, line: *const c_char, user: *mut c_void)>;

/// The engine's level for a number from C; `None` is the default.
fn level_from(number: anyccl_log_level_t) -> Result<Option<Level>> {
    const LEVELS: [(anyccl_log_level, Level); 5] = [
        (ANYCCL_LOG_OFF, Level::Off),
        (ANYCCL_LOG_ERROR, Level::Error),
        (ANYCCL_LOG_WARN, Level::Warn),
        (ANYCCL_LOG_INFO, Level::Info),
        (ANYCCL_LOG_DEBUG, Level::Debug),
    ];
    if number == ANYCCL_LOG_DEFAULT as c_int {
        return Ok(None);
    }
    match LEVELS.into_iter().find(|(known, _)| *known as c_int == number) {
        Some((_, level)) => Ok(Some(level)),
        None => invalid("log_level", format!("{number}; accepted: 0 to {}", ANYCCL_LOG_DEBUG as c_int)),
    }
}

/// What a configuration has named last, as a number from C.
static NAMED: AtomicI32 = AtomicI32::new(ANYCCL_LOG_DEFAULT as c_int);

/// Sets the level of the process for a configuration that names `number`; `unnamed` is what the environment
/// says. A configuration that names none leaves alone what another one has named.
pub fn set_level(number: anyccl_log_level_t, unnamed: Level) -> Result<()> {
    let level = match level_from(number)? {
        Some(level) => {
            NAMED.store(number, Ordering::Relaxed);
            Some(level)
        }
        None => level_from(NAMED.load(Ordering::Relaxed))?,
    };
    log::set_level(level.unwrap_or(unnamed));
    Ok(())
}

fn number_of(level: Level) -> anyccl_log_level_t {
    let level = match level {
        Level::Off => ANYCCL_LOG_OFF,
        Level::Error => ANYCCL_LOG_ERROR,
        Level::Warn => ANYCCL_LOG_WARN,
        Level::Info => ANYCCL_LOG_INFO,
        Level::Debug => ANYCCL_LOG_DEBUG,
    };
    level as anyccl_log_level_t
}

/// The user's pointer, carried between threads unread.
struct User(*mut c_void);

// SAFETY: never followed here; the callback's documentation says that it is called on any thread.
unsafe impl Send for User {}
// SAFETY: as above, and on several threads at once.
unsafe impl Sync for User {}

impl User {
    /// A method, so that a closure captures the whole `User` and not the bare pointer in it.
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// Sends every log line of this process to `callback` instead of standard error.
///
/// \param callback  [in] Kept until it is replaced; NULL goes back to standard error. When this call returns,
///                  the one before it is not running and will not be called again.
/// \param user      [in] Kept; passed to each call, never read. May be NULL.
/// \returns ANYCCL_SUCCESS.
///
/// Local. Any thread, at any time, also before anyccl_init. The level is set by ANYCCL_LOG or the
/// configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_set_log_callback(
    callback: anyccl_log_callback_t,
    user: *mut c_void,
) -> anyccl_status_t {
    edge("anyccl_set_log_callback", || {
        let user = User(user);
        log::set_sink(callback.map(|callback| -> log::Sink {
            Box::new(move |level, line| {
                let line = CString::new(line.replace('\0', "?")).unwrap_or_default();
                // SAFETY: the caller promises a function of this type that may be called on any thread;
                // `line` is terminated and lives until it returns.
                unsafe { callback(number_of(level), line.as_ptr(), user.get()) };
            })
        }));
        Ok(())
    })
}
