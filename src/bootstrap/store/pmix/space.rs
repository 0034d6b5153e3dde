//! The launcher's store, in which rank 0 publishes its beacon.

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::{Arc, mpsc};
use std::time::Instant;

use super::library::{GLOBAL, Pmix, Process, STRING, Value};
use super::session;
use crate::base::{Error, Result};
use crate::bootstrap::store::beacon::BeaconChannel;
use crate::sys::clock;
use crate::sys::thread::spawn_quiet;

/// Key of the beacon.
const KEY: &CStr = c"anyccl-beacon";

/// The launcher's store.
pub(in crate::bootstrap) struct PmixSpace {
    pmix: Arc<Pmix>,
    /// Rank 0 of the job.
    first: Process,
    deadline: Instant,
    /// Whether this rank has passed the fence.
    passed: bool,
}

impl PmixSpace {
    /// Becomes a client of the launcher.
    pub fn open(deadline: Instant) -> Result<PmixSpace> {
        let pmix = Arc::new(Pmix::open()?);
        let library = Arc::clone(&pmix);
        let first = within(deadline, "the launcher's PMIx server", move || {
            let mut own = Process { job: [0; 256], rank: 0 };
            // SAFETY: a place for the name of this process, and no further wishes.
            let status = unsafe { (library.init)(&raw mut own, ptr::null(), 0) };
            library.check("PMIx_Init", status).map(|()| Process { rank: 0, ..own })
        })?;
        session::keep(Arc::clone(&pmix));
        Ok(PmixSpace { pmix, first, deadline, passed: false })
    }

    /// Waits for all ranks, once. What was put before can be got afterwards.
    fn fence(&mut self) -> Result<()> {
        if self.passed {
            return Ok(());
        }
        let pmix = Arc::clone(&self.pmix);
        within(self.deadline, "all ranks, in a fence of the launcher's PMIx", move || {
            // SAFETY: no list of processes means all of the job.
            let status = unsafe { (pmix.fence)(ptr::null(), 0, ptr::null(), 0) };
            pmix.check("PMIx_Fence", status)
        })?;
        self.passed = true;
        Ok(())
    }
}

impl BeaconChannel for PmixSpace {
    fn publish(&mut self, text: &str) -> Result<()> {
        let text = CString::new(text).map_err(|_| Error::Internal("a beacon with a zero".into()))?;
        let mut value = Value::of(&text);
        // SAFETY: a terminated key, and a value whose text lives longer than the call, which copies it.
        let status = unsafe { (self.pmix.put)(GLOBAL, KEY.as_ptr(), &raw mut value) };
        self.pmix.check("PMIx_Put", status)?;
        // SAFETY: this process is a client.
        let status = unsafe { (self.pmix.commit)() };
        self.pmix.check("PMIx_Commit", status)?;
        self.fence()
    }

    fn read(&mut self) -> Result<Vec<u8>> {
        self.fence()?;
        let (pmix, first) = (Arc::clone(&self.pmix), self.first.clone());
        within(self.deadline, "rank 0's address from the launcher's PMIx", move || {
            let mut value: *mut Value = ptr::null_mut();
            // SAFETY: a process, a terminated key, and a place for a pointer to the value.
            let status =
                unsafe { (pmix.get)(&raw const first, KEY.as_ptr(), ptr::null(), 0, &raw mut value) };
            pmix.check("PMIx_Get", status)?;
            if value.is_null() {
                return Ok(Vec::new());
            }
            // SAFETY: not NULL, so a value. Nobody else has it. It is small, and read once: it is not freed.
            let Value { kind, text, .. } = unsafe { &*value };
            if *kind != STRING || text.is_null() {
                return Ok(Vec::new());
            }
            // SAFETY: a value of this type is a terminated text.
            Ok(unsafe { CStr::from_ptr(*text) }.to_bytes().to_vec())
        })
    }

    fn name(&self) -> String {
        "the store of mpiexec (PMIx)".into()
    }
}

/// Runs a call that may wait for other ranks, at most until the deadline. A call that takes longer is left
/// behind in its thread, because nothing ends it.
fn within<T: Send + 'static>(
    deadline: Instant,
    what: &str,
    call: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = mpsc::channel();
    let start = clock::now();
    let thread = spawn_quiet("anyccl-pmix", move || {
        // Nobody listens any more after the deadline.
        let _ = sender.send(call());
    });
    thread.map_err(|error| Error::system("a thread for a call of PMIx", error))?;
    receiver.recv_timeout(clock::left(deadline)).unwrap_or_else(|_| {
        Err(Error::Timeout { waited: clock::since(start), detail: format!("waited for {what}") })
    })
}
