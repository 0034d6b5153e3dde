//! The state of MPI in this process, below everything that asks for it: its phase, the world, the host.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::time::Duration;

use anyccl_engine::comm::{self as engine, Communicator};
use anyccl_engine::config::{self, Config};

use crate::constants::{THREAD_FUNNELED, THREAD_MULTIPLE, THREAD_SERIALIZED, THREAD_SINGLE};
use crate::error::{Class, Error, Result};

/// The phase of MPI in this process.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// Before `MPI_Init`.
    NotYet,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Initialized,
    /// After `MPI_Finalize`.
    Finalized,
}

static STAGE: AtomicU8 = AtomicU8::new(Stage::NotYet as u8);
static THREAD_LEVEL: AtomicI32 = AtomicI32::new(THREAD_SINGLE);
/// The highest level that `MPI_Init_thread` or a session has given.
static HIGHEST_LEVEL: AtomicI32 = AtomicI32::new(THREAD_SINGLE);

/// The phase of MPI now.
pub fn stage() -> Stage {
    match STAGE.load(Ordering::Acquire) {
        0 => Stage::NotYet,
        1 => Stage::Initialized,
        _ => Stage::Finalized,
    }
}

/// The error if there is no `MPI_COMM_WORLD` now.
#[cold]
pub fn no_world() -> Error {
    let text = match stage() {
        Stage::NotYet => "called before MPI_Init",
        Stage::Initialized => "called in a process that was forked from one in which MPI was initialized",
        Stage::Finalized => "called after MPI_Finalize",
    };
    Error::new(Class::OTHER, text)
}

/// The engine's communicator of all processes.
pub fn world() -> Result<Arc<Communicator>> {
    engine::world().map_err(|_| no_world())
}

/// The time without progress after which an operation fails. `None`: it never does, as in MPI.
pub fn time_limit() -> Option<Duration> {
    config::raw("ANYCCL_TIMEOUT_MS")?;
    Config::from_environment().ok()?.timeout
}

/// The name of this host.
pub fn host_name() -> Result<String> {
    let mut bytes = [0u8; 257];
    // SAFETY: the call writes at most the given length, which leaves a zero at the end.
    let failed = unsafe { libc::gethostname(bytes.as_mut_ptr().cast(), bytes.len() - 1) };
    if failed != 0 {
        let error = std::io::Error::last_os_error();
        return Err(Error::new(Class::OTHER, format!("the name of this host: {error}")));
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// A level of thread support, as MPI names it.
pub fn thread_level_name(level: i32) -> &'static str {
    match level {
        THREAD_FUNNELED => "MPI_THREAD_FUNNELED",
        THREAD_SERIALIZED => "MPI_THREAD_SERIALIZED",
        THREAD_MULTIPLE => "MPI_THREAD_MULTIPLE",
        _ => "MPI_THREAD_SINGLE",
    }
}

/// Whether threads may call MPI at the same time.
pub fn is_multiple() -> bool {
    HIGHEST_LEVEL.load(Ordering::Relaxed) == THREAD_MULTIPLE
}

/// Notes that a level of thread support was given.
pub fn note_thread_level(level: i32) {
    HIGHEST_LEVEL.fetch_max(level, Ordering::Relaxed);
}

/// The level of thread support that `MPI_Init_thread` has given.
pub fn thread_level() -> i32 {
    THREAD_LEVEL.load(Ordering::Relaxed)
}

/// Notes that MPI is initialized, with a level of thread support.
pub fn note_initialized(level: i32) {
    THREAD_LEVEL.store(level, Ordering::Relaxed);
    note_thread_level(level);
    STAGE.store(Stage::Initialized as u8, Ordering::Release);
}

/// Notes that MPI is finalized.
pub fn note_finalized() {
    STAGE.store(Stage::Finalized as u8, Ordering::Release);
}
