//! Contexts, distinguished from later ones that have the same handle.
//!
//! A program may reset a device, or destroy a context and make another one. What the library has kept of the
//! old one is gone then: its pinned memory, streams, events, kernels and mappings. So each cache has the key
//! of its context, and nothing of a context that has gone is used or given back.

use std::ffi::c_int;
use std::sync::OnceLock;

use super::driver::{CudaDriver, LIBRARY, driver_table};
use super::handles::CudaContext;
use crate::base::Result;
use crate::sys::foreign_library::ForeignLibrary;

driver_table! {
    id: c"cuCtxGetId", (CudaContext, *mut u64);
}

/// Answers about a handle that is not that of a context: an invalid value, a driver that has ended, an
/// invalid context, a destroyed one.
const OF_NO_CONTEXT: [c_int; 4] = [1, 4, 201, 709];

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
    /// The driver's number, which no other context of this process has or had. Zero if it gives none.
    id: u64,
}

impl ContextKey {
    /// The key of a context that is alive.
    pub fn of(driver: &CudaDriver, context: CudaContext) -> Result<ContextKey> {
        let (result, key) = ContextKey::look_up(context);
        driver.check("cuCtxGetId", result)?;
        Ok(key)
    }

    /// What the driver answers, and the key if that is 0.
    fn look_up(context: CudaContext) -> (c_int, ContextKey) {
        let Some(table) = table() else { return (0, ContextKey { context, id: 0 }) };
        let mut id = 0;
        // SAFETY: writes one number. The driver looks the handle up, and refuses that of a context that has
        // gone.
        let result = unsafe { (table.id)(context, &mut id) };
        (result, ContextKey { context, id })
    }

    /// The handle.
    pub fn context(self) -> CudaContext {
        self.context
    }

    /// Whether the context is known to have gone. If the driver fails, nothing is known.
    pub fn has_gone(self) -> bool {
        match ContextKey::look_up(self.context) {
            (0, key) => key != self,
            (result, _) => OF_NO_CONTEXT.contains(&result),
        }
    }
}
