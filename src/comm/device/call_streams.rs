//! The streams and events of a communicator's calls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::base::Result;
use crate::device::direct::{Kernels, give_back_ended, waiting_kernels};
use crate::device::{ContextKey, CudaContext, CudaDriver, CudaStream, Events, PoolUser};

/// The stream of a call.
#[derive(Clone)]
pub struct CallStream {
    /// The stream.
    pub stream: CudaStream,
    /// Whether it belongs to the program, and so waits for the end of the call.
    pub is_programs: bool,
    /// Events of its context.
    pub events: Arc<Events>,
    /// Set if it waits by a kernel, and work of the library is to be on a stream of the library.
    pub waiting: Option<&'static Kernels>,
}

/// What a communicator has in each context that its calls have used.
#[derive(Default)]
pub(crate) struct CallStreams {
    contexts: Mutex<Vec<InContext>>,
    /// Whether other ranks of the communicator are threads of this process, on the same device.
    are_threads: AtomicBool,
    /// Set when the communicator has made a call.
    pool_user: OnceLock<PoolUser>,
}

struct InContext {
    context: ContextKey,
    events: Arc<Events>,
    /// The library's stream, for calls to which the program gives none.
    own: Option<CudaStream>,
    /// Unset before a stream of the program was used.
    waiting: Option<Option<&'static Kernels>>,
}

impl CallStreams {
    /// Notes that other ranks of the communicator are threads of this process, on the same device.
    pub fn note_threads(&self) {
        self.are_threads.store(true, Ordering::Relaxed);
    }

    /// A call on a stream of the program.
    pub fn given(
        &self,
        driver: &'static CudaDriver,
        context: CudaContext,
        stream: CudaStream,
    ) -> Result<CallStream> {
        self.with(driver, context, |context_streams| {
            let are_threads = self.are_threads.load(Ordering::Relaxed);
            let waiting = context_streams.waiting;
            let waiting =
                waiting.unwrap_or_else(|| waiting_kernels(driver, context_streams.context, are_threads));
            context_streams.waiting = Some(waiting);
            Ok(CallStream { waiting, ..context_streams.call(stream, true) })
        })
    }

    /// A call on the library's stream of the context, which is current in this thread.
    pub fn own(&self, driver: &'static CudaDriver, context: CudaContext) -> Result<CallStream> {
        self.with(driver, context, |context_streams| {
            let stream = match context_streams.own {
                Some(stream) => stream,
                None => *context_streams.own.insert(driver.create_stream()?),
            };
            Ok(context_streams.call(stream, false))
        })
    }

    fn with<T>(
        &self,
        driver: &'static CudaDriver,
        context: CudaContext,
        action: impl FnOnce(&mut InContext) -> Result<T>,
    ) -> Result<T> {
        let context = ContextKey::of(driver, context)?;
        self.pool_user.get_or_init(PoolUser::new);
        let mut contexts = self.contexts.lock();
        let at = contexts
            .iter()
            .position(|context_streams| context_streams.context == context)
            .unwrap_or_else(|| {
                contexts.push(InContext {
                    context,
                    events: Events::new(driver, context),
                    own: None,
                    waiting: None,
                });
                contexts.len() - 1
            });
        action(&mut contexts[at])
    }
}

impl InContext {
    fn call(&self, stream: CudaStream, is_programs: bool) -> CallStream {
        CallStream { stream, is_programs, events: Arc::clone(&self.events), waiting: None }
    }
}

impl Drop for CallStreams {
    fn drop(&mut self) {
        // What could not be given back while its calls were queued.
        give_back_ended();
        let contexts = self.contexts.get_mut().drain(..).filter(|streams| !streams.context.has_gone());
        let streams: Vec<_> = contexts.filter_map(|streams| streams.own).collect();
        if streams.is_empty() {
            return;
        }
        // The driver is there: it has made the streams.
        if let Ok(driver) = CudaDriver::get() {
            streams.into_iter().for_each(|stream| driver.destroy_stream(stream));
        }
    }
}
