//! What kernels need: a place in a stream, and memory that the host can read.

use std::sync::Arc;

use crate::address_space::{self, Kind, Range};
use crate::arena::ARENA;
use crate::context::{self, Context};
use crate::graph::NodeKind;
use crate::status::{Result, Status};
use crate::stream::{Defaults, Run, of_call};

/// Memory as the kernels of one context see it.
pub struct DeviceView(Arc<Context>);

impl DeviceView {
    /// Where the host can read and write the `bytes` bytes that a kernel sees at `address`.
    ///
    /// The call fails if the memory is not there, or if the kernels of this context may not access it. They
    /// may not access pageable memory, memory of another device without peer access, or a mapping without
    /// access.
    pub fn readable(&self, address: u64, bytes: u64) -> Result<*mut u8> {
        address_space::readable(address, bytes, |range| self.may_access(range))
    }

    /// What to add to an address of device memory for the one that the host can read. Pinned and registered
    /// memory has one address for both; [`DeviceView::readable`] knows which is which.
    pub fn offset(&self) -> u64 {
        ARENA.offset()
    }

    /// Whether `address` is an address of device memory, used or not.
    pub fn is_of_device(&self, address: u64) -> bool {
        ARENA.contains(address)
    }

    fn may_access(&self, range: &Range) -> bool {
        match &range.kind {
            Kind::Pinned(_) | Kind::Registered(_) | Kind::Managed => true,
            Kind::Mapped { access, .. } => access.iter().any(|(device, _)| *device == self.0.device.ordinal),
            _ => context::may_access(&self.0, range.device),
        }
    }
}

/// Puts a kernel into the stream `handle` of the current context. `kernel` runs on the thread of the stream;
/// an error corrupts the context, as an illegal access does.
pub fn enqueue_kernel(
    handle: usize,
    defaults: Defaults,
    kernel: impl Fn(&DeviceView) -> Result + Send + Sync + 'static,
) -> Result {
    let (context, stream) = of_call(handle, defaults)?;
    // A launch needs a stream of the current context.
    if stream.context != context.handle {
        return Err(Status::INVALID_HANDLE);
    }
    let work = move |run: &mut Run| {
        let outcome = kernel(&DeviceView(run.stream.context()?));
        run.random.pause();
        outcome
    };
    stream.submit(NodeKind::Kernel, work).map(drop)
}
