//! The time in which this process is a client of PMIx: from the meeting of the ranks until the goodbye.
//!
//! The launcher takes a client that ends without a goodbye for a crash, and ends the job. So it is said when
//! the world is finalized, or else when the process exits.

use std::ffi::CString;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::library::Pmix;
use crate::sys::at_exit;
use crate::sys::per_process::PerProcess;

/// How long an abort or a goodbye waits for a thread that uses the session.
const PATIENCE: Duration = Duration::from_millis(200);

/// The library, while this process is a client. A child of fork is none.
static SESSION: PerProcess<Mutex<Option<Arc<Pmix>>>> = PerProcess::new();

fn session() -> &'static Mutex<Option<Arc<Pmix>>> {
    &SESSION.get_or(Mutex::default).value
}

/// Notes that this process is a client.
pub(super) fn keep(pmix: Arc<Pmix>) {
    if session().lock().replace(pmix).is_none() {
        at_exit::run(goodbye);
    }
}

/// Says goodbye, if this process is a client.
pub(in crate::bootstrap) extern "C" fn goodbye() {
    let pmix = session().try_lock_for(PATIENCE).and_then(|mut session| session.take());
    if let Some(pmix) = pmix {
        // SAFETY: pairs with the initialisation. A status would change nothing: nobody is left to hear it.
        unsafe { (pmix.finalize)(std::ptr::null(), 0) };
    }
}

/// Asks the launcher to end the job with this exit code, and to tell the reason. `false`: this process is no
/// client.
pub(in crate::bootstrap) fn abort(code: u8, reason: &str) -> bool {
    let Some(pmix) = session().try_lock_for(PATIENCE).and_then(|session| session.clone()) else {
        return false;
    };
    let reason = CString::new(reason.replace('\0', " ")).unwrap_or_default();
    // SAFETY: a terminated text; no list of processes means all of the job.
    unsafe { (pmix.abort)(code.into(), reason.as_ptr(), std::ptr::null(), 0) == 0 }
}
