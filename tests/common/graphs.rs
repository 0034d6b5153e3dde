//! Graphs that streams of the driver record.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::device::{Stream, check, double};

type Handle = *mut c_void;

/// Which calls a capture prohibits.
#[derive(Clone, Copy, Debug)]
pub enum CaptureMode {
    /// Unsafe calls of all threads.
    Global,
    /// Unsafe calls of its own thread.
    ThreadLocal,
}

impl Stream {
    /// Begins to record a graph.
    pub fn begin_capture(&self, mode: CaptureMode) {
        let begin: unsafe extern "C" fn(Handle, c_int) -> c_int =
            double().function("cuStreamBeginCapture_v2");
        // SAFETY: a live stream.
        check(unsafe { begin(self.0, mode as c_int) }, "cuStreamBeginCapture");
    }

    /// Ends the recording. The error is the driver's.
    pub fn end_capture(&self) -> std::result::Result<Graph, c_int> {
        let end: unsafe extern "C" fn(Handle, *mut Handle) -> c_int = double().function("cuStreamEndCapture");
        let mut graph = ptr::null_mut();
        // SAFETY: a live stream; writes one handle.
        match unsafe { end(self.0, &mut graph) } {
            0 => Ok(Graph(graph)),
            error => Err(error),
        }
    }

    /// Lets what is enqueued later wait for what is in another stream by now. If that one captures, so does
    /// this one.
    pub fn follow(&self, other: &Stream) {
        let create: unsafe extern "C" fn(*mut Handle, u32) -> c_int = double().function("cuEventCreate");
        let record: unsafe extern "C" fn(Handle, Handle) -> c_int = double().function("cuEventRecord");
        let wait: unsafe extern "C" fn(Handle, Handle, u32) -> c_int = double().function("cuStreamWaitEvent");
        let destroy: unsafe extern "C" fn(Handle) -> c_int = double().function("cuEventDestroy_v2");
        let mut event = ptr::null_mut();
        // SAFETY: writes one handle.
        check(unsafe { create(&mut event, 2) }, "cuEventCreate");
        // SAFETY: live objects.
        check(unsafe { record(event, other.0) }, "cuEventRecord");
        // SAFETY: live objects.
        check(unsafe { wait(self.0, event, 0) }, "cuStreamWaitEvent");
        // SAFETY: a live event; the driver keeps it for the wait.
        check(unsafe { destroy(event) }, "cuEventDestroy");
    }
}

/// A graph that was recorded.
pub struct Graph(Handle);

impl Graph {
    /// Number of its nodes.
    pub fn nodes(&self) -> usize {
        let get: unsafe extern "C" fn(Handle, *mut Handle, *mut usize) -> c_int =
            double().function("cuGraphGetNodes");
        let mut nodes = 0;
        // SAFETY: a live graph; writes one number.
        check(unsafe { get(self.0, ptr::null_mut(), &mut nodes) }, "cuGraphGetNodes");
        nodes
    }

    /// Runs it once, as part of a stream.
    pub fn launch(&self, stream: &Stream) {
        self.executable().launch(stream);
    }

    /// An executable graph made from it.
    pub fn executable(&self) -> Executable {
        let instantiate: unsafe extern "C" fn(*mut Handle, Handle, u64) -> c_int =
            double().function("cuGraphInstantiateWithFlags");
        let mut executable = ptr::null_mut();
        // SAFETY: a live graph; writes one handle.
        check(unsafe { instantiate(&mut executable, self.0, 0) }, "cuGraphInstantiate");
        Executable(executable)
    }
}

/// A graph that can be launched.
pub struct Executable(Handle);

impl Executable {
    /// Launches it, as part of a stream.
    pub fn launch(&self, stream: &Stream) {
        let launch: unsafe extern "C" fn(Handle, Handle) -> c_int = double().function("cuGraphLaunch");
        // SAFETY: live objects.
        check(unsafe { launch(self.0, stream.0) }, "cuGraphLaunch");
    }

    /// Takes over what a graph of the same shape does.
    pub fn update(&self, graph: &Graph) {
        let update: unsafe extern "C" fn(Handle, Handle, *mut [usize; 3]) -> c_int =
            double().function("cuGraphExecUpdate_v2");
        let mut result = [0; 3];
        // SAFETY: live objects; writes a number and two handles.
        check(unsafe { update(self.0, graph.0, &mut result) }, "cuGraphExecUpdate");
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        let destroy: unsafe extern "C" fn(Handle) -> c_int = double().function("cuGraphExecDestroy");
        // SAFETY: a live object; its launches go on.
        unsafe { destroy(self.0) };
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let destroy: unsafe extern "C" fn(Handle) -> c_int = double().function("cuGraphDestroy");
        // SAFETY: a live graph, which nobody uses any more.
        unsafe { destroy(self.0) };
    }
}
