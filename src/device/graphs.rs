//! Graphs that streams capture: what the library adds to them, and what lives as long as they do.

use std::any::Any;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::driver::{CudaDriver, LIBRARY, driver_table};
use super::handles::{CudaGraph, CudaStream};
use crate::base::{Error, Result};
use crate::sys::foreign_library::ForeignLibrary;

/// A function that a stream runs on the host.
pub(crate) type HostFunction = unsafe extern "C" fn(*mut c_void);

driver_table! {
    capture_info: c"cuStreamGetCaptureInfo_v2",
        (CudaStream, *mut c_int, *mut u64, *mut CudaGraph, *mut *const c_void, *mut usize);
    launch_host_function: c"cuLaunchHostFunc", (CudaStream, HostFunction, *mut c_void);
    object_create: c"cuUserObjectCreate", (*mut *mut c_void, *mut c_void, HostFunction, c_uint, c_uint);
    object_release: c"cuUserObjectRelease", (*mut c_void, c_uint);
    graph_retain: c"cuGraphRetainUserObject", (CudaGraph, *mut c_void, c_uint, c_uint);
}

/// A capture in which a stream is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// The driver's number, which no other capture of this process has or had.
    pub id: u64,
    graph: CudaGraph,
}

/// What graphs have given back. The thread that gives it back belongs to the driver, so it must not wait for
/// a lock under which others call the driver. Dropping takes such locks.
static GIVEN_BACK: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());

/// Drops what graphs have given back.
pub(crate) fn drop_given_back() {
    let given_back = std::mem::take(&mut *GIVEN_BACK.lock());
    drop(given_back);
}

impl CudaDriver {
    fn graphs(&self) -> Result<&'static Table> {
        static TABLE: OnceLock<std::result::Result<Table, String>> = OnceLock::new();
        // SAFETY: the driver's own name; it is open already.
        let open = || Table::of(&unsafe { ForeignLibrary::open(LIBRARY) }?);
        TABLE.get_or_init(open).as_ref().map_err(|why| Error::Unsupported(why.clone()))
    }

    /// The capture in which a stream is, if it captures. Refuses a capture that is no longer valid, and the
    /// legacy default stream while a stream captures that it would wait for.
    pub(crate) fn capture_of(&self, stream: CudaStream) -> Result<Option<Capture>> {
        const IMPLICIT: c_int = 906;
        const ACTIVE: c_int = 1;
        let graphs = self.graphs()?;
        let (mut status, mut id, mut graph) = (0, 0, CudaGraph::NONE);
        // SAFETY: a live stream; writes two numbers and a handle, and leaves out what is NULL.
        let result = unsafe {
            (graphs.capture_info)(stream, &mut status, &mut id, &mut graph, ptr::null_mut(), ptr::null_mut())
        };
        if result == IMPLICIT {
            return Err(Error::Unsupported(
                "the default stream cannot be used while a stream records a graph that it would wait for: make the call \
                 on another stream, or outside of the capture"
                    .into(),
            ));
        }
        self.check("cuStreamGetCaptureInfo", result)?;
        match status {
            0 => Ok(None),
            ACTIVE => Ok(Some(Capture { id, graph })),
            _ => Err(Error::InvalidUsage(
                "the stream records a graph, and an earlier call has made its capture invalid".into(),
            )),
        }
    }

    /// Puts a function into a stream. It must not call the driver.
    ///
    /// # Safety
    /// The function may be called with `data` on any thread, each time the stream comes to it.
    pub(crate) unsafe fn launch_host_function(
        &self,
        stream: CudaStream,
        function: HostFunction,
        data: *mut c_void,
    ) -> Result<()> {
        let graphs = self.graphs()?;
        // SAFETY: a live stream; the rest is passed on from our caller.
        let result = unsafe { (graphs.launch_host_function)(stream, function, data) };
        self.check("cuLaunchHostFunc", result)
    }

    /// Lets an object live as long as the graph of a capture, and all that is made from it. Then it is given
    /// back ([`drop_given_back`]).
    pub(crate) fn keep_with_graph<T: Send + Sync + 'static>(
        &self,
        capture: Capture,
        kept: Arc<T>,
    ) -> Result<()> {
        const NO_DESTRUCTOR_SYNC: c_uint = 1;
        const MOVE: c_uint = 1;
        let graphs = self.graphs()?;
        let mut object = ptr::null_mut();
        let data = Arc::into_raw(kept);
        // SAFETY: writes one handle. The function gets the reference that `data` stands for, once.
        let result = unsafe {
            (graphs.object_create)(&mut object, data.cast_mut().cast(), give_back::<T>, 1, NO_DESTRUCTOR_SYNC)
        };
        if let Err(error) = self.check("cuUserObjectCreate", result) {
            // SAFETY: from `into_raw`, and nobody else has it.
            drop(unsafe { Arc::from_raw(data) });
            return Err(error);
        }
        // SAFETY: the graph of a capture that goes on, and the one reference of a new object.
        let result = unsafe { (graphs.graph_retain)(capture.graph, object, 1, MOVE) };
        self.check("cuGraphRetainUserObject", result).inspect_err(|_| {
            // SAFETY: the reference, which has not moved. An error means that the object has gone.
            unsafe { (graphs.object_release)(object, 1) };
        })
    }
}

/// Takes an object back from the driver, whose thread calls this.
///
/// # Safety
/// `data` is from `Arc::into_raw`, and nobody else uses the reference that it stands for.
unsafe extern "C" fn give_back<T: Send + Sync + 'static>(data: *mut c_void) {
    // SAFETY: passed on from our caller.
    let kept = unsafe { Arc::from_raw(data.cast_const().cast::<T>()) };
    GIVEN_BACK.lock().push(Box::new(kept));
}
