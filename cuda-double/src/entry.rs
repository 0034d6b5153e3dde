//! What every exported function does first.
//!
//! A call is refused inside a host function, before `cuInit` and in a forked child. Then the faults of a test
//! are looked up, and calls that a stream capture prohibits are refused. A panic becomes
//! `CUDA_ERROR_UNKNOWN`, with its message on stderr.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::capture::rules;
use crate::delays;
use crate::faults::{self, Verdict};
use crate::loud;
use crate::settings::settings;
use crate::status::{Result, Status};

/// The process that called `cuInit`; zero before.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// In the place of the process, once the process exits.
const ENDED: u32 = u32::MAX;

thread_local! {
    /// Whether this thread runs a host function of a stream.
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

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
    if IN_HOST_FUNCTION.get() {
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

/// `cuInit`. A forked child of a process that has called it gets an error, as with CUDA.
#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: u32) -> Status {
    before_init("cuInit", || {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let this = std::process::id();
        match OWNER.compare_exchange(0, this, Ordering::AcqRel, Ordering::Acquire) {
            Err(owner) if owner != this => return Err(Status::NOT_INITIALIZED),
            Err(_) => {}
            Ok(_) => crate::counts::report_at_exit(),
        }
        if crate::device::count() == 0 { Err(Status::NO_DEVICE) } else { Ok(()) }
    })
}

/// Ends the driver: the process exits, and later calls are refused.
pub fn end() {
    OWNER.store(ENDED, Ordering::Release);
}

/// Runs `function` as a host function of a stream: calls of the driver are refused meanwhile.
pub fn as_host_function(function: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    function();
    IN_HOST_FUNCTION.set(false);
}
