//! The functions of the driver that only tools call.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use crate::base::{Error, Result};
use crate::device::driver::{LIBRARY, function};
use crate::device::handles::{CudaContext, CudaStream};
use crate::device::{CudaDriver, Ordinal};
use crate::sys::foreign_library::ForeignLibrary;

/// Declares the table, and how it is filled.
macro_rules! tool_table {
    ($($field:ident: $symbol:literal, ($($argument:ty),*);)*) => {
        /// The functions.
        pub struct Table {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Table {
            fn of(library: &ForeignLibrary) -> std::result::Result<Table, String> {
                Ok(Table {
                    // SAFETY: by the driver's documentation the function of this name has this type.
                    $($field: unsafe { function(library, $symbol) }?,)*
                })
            }
        }
    };
}

tool_table! {
    version: c"cuDriverGetVersion", (*mut c_int);
    name: c"cuDeviceGetName", (*mut c_char, c_int, Ordinal);
    total_memory: c"cuDeviceTotalMem_v2", (*mut usize, Ordinal);
    attribute: c"cuDeviceGetAttribute", (*mut c_int, c_int, Ordinal);
    bus_id: c"cuDeviceGetPCIBusId", (*mut c_char, c_int, Ordinal);
    can_access: c"cuDeviceCanAccessPeer", (*mut c_int, Ordinal, Ordinal);
    peer_attribute: c"cuDeviceGetP2PAttribute", (*mut c_int, c_int, Ordinal, Ordinal);
    enable_peer: c"cuCtxEnablePeerAccess", (CudaContext, c_uint);
    synchronize: c"cuCtxSynchronize", ();
    alloc: c"cuMemAlloc_v2", (*mut u64, usize);
    free: c"cuMemFree_v2", (u64);
    alloc_host: c"cuMemHostAlloc", (*mut *mut c_void, usize, c_uint);
    free_host: c"cuMemFreeHost", (*mut c_void);
    fill: c"cuMemsetD8_v2", (u64, u8, usize);
    write: c"cuMemcpyHtoD_v2", (u64, *const c_void, usize);
    read: c"cuMemcpyDtoH_v2", (*mut c_void, u64, usize);
    copy: c"cuMemcpyAsync", (u64, u64, usize, CudaStream);
    copy_between: c"cuMemcpyPeerAsync", (u64, CudaContext, u64, CudaContext, usize, CudaStream);
    stream_synchronize: c"cuStreamSynchronize", (CudaStream);
}

impl Table {
    /// The table. The first call opens the driver.
    pub fn get() -> Result<&'static Table> {
        static TABLE: OnceLock<std::result::Result<Table, String>> = OnceLock::new();
        // It is initialised, or there is none.
        CudaDriver::get()?;
        let open = || {
            // SAFETY: the driver's own name; it is open already.
            Table::of(&unsafe { ForeignLibrary::open(LIBRARY) }?)
        };
        TABLE.get_or_init(open).as_ref().map_err(|why| Error::Unsupported(why.clone()))
    }

    /// Turns the result of a function into an error that names it.
    pub fn check(&self, function: &str, result: c_int) -> Result<()> {
        CudaDriver::get()?.check(function, result)
    }

    /// The text that a function has written into `buffer`.
    pub fn text_of(buffer: &[u8]) -> String {
        CStr::from_bytes_until_nul(buffer).unwrap_or_default().to_string_lossy().into_owned()
    }
}
