//! What every exported function does first.
//!
//! A call is refused inside a host function, before `cuInit` and in a forked child. Then the faults of a test
//! are looked up, and calls that a stream capture prohibits are refused. A panic becomes
//! `CUDA_ERROR_UNKNOWN`, with its message on stderr.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::capture::rules;
use crate::delays;
use crate::faults::{self, Verdict};
use crate::host_thread;
use crate::loud;
use crate::settings::settings;
use crate::status::{Result, Status};

/// The process that called `cuInit`; zero before.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// In the place of the process, once the process exits.
const ENDED: u32 = u32::MAX;

/// Runs the body of the exported function `name`, whose name is given without a suffix such as `_v2`.
pub fn call(name: &'static str, body: impl FnOnce() -> Result) -> Status {
    match OWNER.load(Ordering::Acquire) {
        ENDED => return Status::DEINITIALIZED,
        owner if owner != std::process::id() => return Status::NOT_INITIALIZED,
        _ => {}
    }
    before_init(name, body)
}

/// Runs the body of a function that works before `cuInit`.
pub fn before_init(name: &'static str, body: impl FnOnce() -> Result) -> Status {
    if host_thread::is_inside() {
        loud::say(&format!("{name} was called by a host function; a host function must not call CUDA"));
        return Status::NOT_PERMITTED;
    }
    delays::pause_host();
    let (status, how) = match faults::judge(name) {
        Verdict::Run => (
            catch_unwind(AssertUnwindSafe(|| rules::check_unsafe(name).and_then(|()| body())))
                .unwrap_or(Err(Status::UNKNOWN))
                .into(),
            "",
        ),
        Verdict::Ignore => (Status::SUCCESS, ", ignored"),
        Verdict::Fail(error) => (error, ", made to fail"),
    };
    if settings().trace {
        let thread = std::thread::current().id();
        loud::say(&format!("{thread:?} {name}: {}{how}", status.0));
    }
    status
}

/// Begins the driver in this process; `false`: it has begun. A forked child of a process that has called this
/// gets an error, as with CUDA.
pub fn begin() -> Result<bool> {
    let this = std::process::id();
    match OWNER.compare_exchange(0, this, Ordering::AcqRel, Ordering::Acquire) {
        Err(owner) if owner != this => Err(Status::NOT_INITIALIZED),
        Err(_) => Ok(false),
        Ok(_) => Ok(true),
    }
}

/// Ends the driver: the process exits, and later calls are refused.
pub fn end() {
    OWNER.store(ENDED, Ordering::Release);
}
