//! One call of MPI: by its blocking function, or by its non-blocking one where there is room for a request.

/// Calls a function of MPI and checks its status. `$request` is an `Option<&mut H>`. An error returns.
///
/// # Safety
/// By the promise of whoever uses it: MPI is initialised, the communicator is open, the types are those of
/// MPI's functions, and the buffers hold what the collective reads and writes until it has ended.
macro_rules! invoke {
    ($running:expr, $calls:expr, $request:expr, $blocking:ident, $started:ident, $name:literal, $arguments:tt) => {{
        let status = match $request {
            None => invoke!(@call ($calls.$blocking) $arguments),
            Some(request) => invoke!(@call ($calls.$started) $arguments, request),
        };
        $running.check(status, $name)
    }};
    (@call $function:tt ($($argument:expr),*) $(, $request:ident)?) => {
        // SAFETY: see the head of this macro.
        unsafe { $function($($argument,)* $($request)?) }
    };
}
pub(super) use invoke;
