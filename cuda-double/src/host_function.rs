//! Host functions in streams (`cuLaunchHostFunc`, `cuStreamAddCallback`).
//!
//! One thread per context runs them, one after the other: a host function that waits for another one of the
//! same context waits for ever, as on a GPU. Calls of the driver inside are refused.

use std::ffi::c_void;

use crate::capture::rules;
use crate::graph::NodeKind;
use crate::status::{Status, require};
use crate::stream::{Run, both_defaults, of_call};

/// The pointer that a program gives with its function; the program answers for its use on another thread.
#[derive(Clone, Copy)]
struct UserData(*mut c_void);

// SAFETY: the double only hands the pointer through to the function of the program.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

both_defaults! {
    /// `cuLaunchHostFunc`.
    cuLaunchHostFunc, cuLaunchHostFunc_ptsz, "cuLaunchHostFunc",
    (stream: usize, function: Option<extern "C" fn(*mut c_void)>, data: *mut c_void), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        let function = function.ok_or(Status::INVALID_VALUE)?;
        let data = UserData(data);
        let work = move |run: &mut Run| {
            run.stream.context()?.host_functions.run(move || function(data.get()));
            Ok(())
        };
        stream.submit(NodeKind::Host, work).map(drop)
    }
}

both_defaults! {
    /// `cuStreamAddCallback`. A capture cannot record it.
    cuStreamAddCallback, cuStreamAddCallback_ptsz, "cuStreamAddCallback",
    (
        stream: usize,
        callback: Option<extern "C" fn(usize, Status, *mut c_void)>,
        data: *mut c_void,
        flags: u32,
    ), defaults => {
        let handle = stream;
        let (_, stream) = of_call(stream, defaults)?;
        require(flags == 0)?;
        rules::refuse(&stream)?;
        let callback = callback.ok_or(Status::INVALID_VALUE)?;
        let data = UserData(data);
        stream.enqueue(move |run| {
            let run_callback = move || callback(handle, Status::SUCCESS, data.get());
            run.stream.context()?.host_functions.run(run_callback);
            Ok(())
        });
        Ok(())
    }
}
