//! Log lines: their levels, and the function of the program that receives them.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

use anyccl_edge::check::invalid;
use anyccl_engine::base::Result;
use anyccl_engine::observe::log::{self, Level};

use crate::status::{anyccl_status_t, edge};

/// Importance of a log line: one of enum anyccl_log_level.
pub type anyccl_log_level_t = c_int;

/// Values of anyccl_log_level_t. They never change. Each level includes the ones above it.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum anyccl_log_level {
    /// For settings only: the level of an earlier setting, else of the variable ANYCCL_LOG, else
    /// ANYCCL_LOG_WARN.
    ANYCCL_LOG_DEFAULT = 0,
    /// For settings only: no line is written.
    ANYCCL_LOG_OFF = 1,
    /// A call or a connection has failed.
    ANYCCL_LOG_ERROR = 2,
    /// Something is unusual, but works.
    ANYCCL_LOG_WARN = 3,
    /// One line for each communicator: what it uses.
    ANYCCL_LOG_INFO = 4,
    /// Decisions and connections.
    ANYCCL_LOG_DEBUG = 5,
}

use anyccl_log_level::*;

/// Function of the program that receives log lines.
///
/// \param[in] level  ANYCCL_LOG_ERROR to ANYCCL_LOG_DEBUG.
/// \param[in] line   Text without a newline. Valid during the call only.
/// \param[in] user   Pointer that was given to anyccl_set_log_callback().
///
/// The library calls it inside anyccl calls, in any thread, and in several threads at once: it must be
/// thread-safe. It must not call anyccl. It must return: an exception or a longjmp that leaves it ends the
/// process.
pub type anyccl_log_callback_t =
    Option<unsafe extern "C" fn(level: anyccl_log_level_t, line: *const c_char, user: *mut c_void)>;

/// The engine's level for a number from C. `None` is the default.
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

/// The level that a configuration has named last, as a number from C.
static NAMED: AtomicI32 = AtomicI32::new(ANYCCL_LOG_DEFAULT as c_int);

/// Sets the log level of the process for a configuration that names `number`; `unnamed` is the level of the
/// environment. A configuration that names no level leaves the level of an earlier one unchanged.
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

/// The user's pointer. It is passed between threads and never followed.
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

/// Sends every log line of this process to a function instead of standard error.
///
/// \param[in] callback  Kept until it is replaced. NULL: standard error again. When the call returns, the
///                      previous callback is not running and is not called again.
/// \param[in] user      Kept and passed to the callback. The library does not use it. May be NULL.
/// \returns ANYCCL_SUCCESS.
///
/// Local. Allowed at any time, also before anyccl_init(). ANYCCL_LOG or the settings choose the level.
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
