//! Contexts, distinguished from later ones that have the same handle.
//!
//! A program may reset a device, or destroy a context and make another one. What the library has kept of the
//! old one is gone then: its pinned memory, streams, events, kernels and mappings. So each cache has the key
//! of its context, and nothing of a context that has gone is used or given back.

use std::ffi::c_int;
use std::sync::OnceLock;

use super::driver::{LIBRARY, driver_table};
use super::handles::CudaContext;
use crate::sys::foreign_library::ForeignLibrary;

driver_table! {
    id: c"cuCtxGetId", (CudaContext, *mut u64);
}

/// `None`: the driver is older than CUDA 12, and handles are all that is known.
fn table() -> Option<&'static Table> {
    static TABLE: OnceLock<Option<Table>> = OnceLock::new();
    // SAFETY: the driver's own name; it is open already.
    TABLE.get_or_init(|| Table::of(&unsafe { ForeignLibrary::open(LIBRARY) }.ok()?).ok()).as_ref()
}

/// A context of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextKey {
    context: CudaContext,
    /// The driver's number, which no other context of this process has or had. `None`: the context has gone.
    id: Option<u64>,
}

impl ContextKey {
    /// The key of a context that is alive.
    pub fn of(context: CudaContext) -> ContextKey {
        let Some(table) = table() else { return ContextKey { context, id: Some(0) } };
        let mut id = 0;
        // SAFETY: writes one number. The driver looks the handle up, and refuses that of a context that has
        // gone.
        let result: c_int = unsafe { (table.id)(context, &mut id) };
        ContextKey { context, id: (result == 0).then_some(id) }
    }

    /// The handle.
    pub fn context(self) -> CudaContext {
        self.context
    }

    /// Whether the context is still there.
    pub fn is_alive(self) -> bool {
        self.id.is_some() && ContextKey::of(self.context) == self
    }
}
