//! The way of every call into the engine: what is refused first, what happens to a panic, and which error
//! comes out.

use anyccl_engine::base::{Error as EngineError, Result as EngineResult};
use anyccl_engine::comm::Communicator as Engine;
use anyccl_engine::reduce::is_inside_callback;
use anyccl_engine::sys::fork;

use crate::error::{Error, Result};

/// Ends the process when it is dropped, which happens only while its thread unwinds.
///
/// The engine works on memory that it does not own: slices that a call has borrowed, vectors that a request
/// keeps. If the engine itself panicked, nobody could tell whether it still uses them, and unwinding would
/// free them. A panic there is a bug in anyccl, and safe code must not get undefined behaviour from it.
struct MustNotUnwind;

impl Drop for MustNotUnwind {
    fn drop(&mut self) {
        eprintln!("anyccl: the engine panicked while it used the program's memory: the process ends");
        std::process::abort();
    }
}

/// Runs a part of the engine that uses memory of the program. It returns, or the process ends.
pub(crate) fn without_unwinding<T>(body: impl FnOnce() -> T) -> T {
    let must_not_unwind = MustNotUnwind;
    let outcome = body();
    std::mem::forget(must_not_unwind);
    outcome
}

/// Whether a thread may enter the engine now. An operator's function runs with the engine locked, so that a
/// call from inside of it would wait for itself. A child of `fork` shares connections with its parent, which
/// it would disturb.
pub(crate) fn may_enter(epoch: u16) -> EngineResult<()> {
    if is_inside_callback() {
        let text = "called by the function of an operator, which must only combine";
        return Err(EngineError::InvalidUsage(text.into()));
    }
    if fork::last_epoch() != epoch {
        let text = "the communicator was made before a fork; only the process that made it may use it";
        return Err(EngineError::InvalidUsage(text.into()));
    }
    Ok(())
}

/// The error of a call that a rank of a communicator has made.
#[cold]
pub(crate) fn explain(engine: &Engine, call: &str, error: &EngineError) -> Error {
    Error::of_engine(error, format_args!("rank {} of \"{}\", {call}", engine.rank(), engine.name()))
}

/// Runs `body`, the part of the call `call` that enters the engine.
pub(crate) fn enter<T>(
    engine: &Engine,
    epoch: u16,
    call: &str,
    body: impl FnOnce() -> EngineResult<T>,
) -> Result<T> {
    may_enter(epoch).and_then(|()| without_unwinding(body)).map_err(|error| explain(engine, call, &error))
}
