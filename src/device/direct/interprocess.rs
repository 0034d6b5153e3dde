//! Memory of a device that another process can address, through CUDA's interprocess handles.

use std::ffi::{c_int, c_uint};
use std::sync::OnceLock;

use crate::base::{Error, Result};
use crate::device::context_key::ContextKey;
use crate::device::driver::{CudaDriver, LIBRARY, driver_table};
use crate::device::handles::CudaContext;
use crate::sys::foreign_library::ForeignLibrary;

/// A `CUipcMemHandle`.
pub type IpcHandle = [u8; 64];

driver_table! {
    range: c"cuMemGetAddressRange_v2", (*mut u64, *mut usize, u64);
    get_handle: c"cuIpcGetMemHandle", (*mut IpcHandle, u64);
    open_handle: c"cuIpcOpenMemHandle_v2", (*mut u64, IpcHandle, c_uint);
    close_handle: c"cuIpcCloseMemHandle", (u64);
    enable_peer: c"cuCtxEnablePeerAccess", (CudaContext, c_uint);
}

fn table() -> Result<&'static Table> {
    static TABLE: OnceLock<std::result::Result<Table, String>> = OnceLock::new();
    let opened = TABLE.get_or_init(|| {
        // SAFETY: the driver's own name; it is open already.
        Table::of(&unsafe { ForeignLibrary::open(LIBRARY) }?)
    });
    opened.as_ref().map_err(|why| Error::Unsupported(format!("the CUDA driver cannot share memory: {why}")))
}

/// The handle by which another process maps the allocation at an address.
pub(super) fn handle_of(driver: &CudaDriver, address: u64) -> Result<IpcHandle> {
    let mut handle = [0; 64];
    // SAFETY: writes one handle. The driver looks the address up.
    let result = unsafe { (table()?.get_handle)(&mut handle, address) };
    driver.check("cuIpcGetMemHandle", result)?;
    Ok(handle)
}

/// Start and length of the allocation at an address.
pub(super) fn range_of(driver: &CudaDriver, address: u64) -> Result<(u64, usize)> {
    let (mut start, mut length) = (0, 0);
    // SAFETY: writes two numbers. The driver looks the address up.
    let result = unsafe { (table()?.range)(&mut start, &mut length, address) };
    driver.check("cuMemGetAddressRange", result)?;
    Ok((start, length))
}

/// Memory of another process, mapped into this one by a handle. Dropping it unmaps the memory.
pub(super) struct Mapping {
    driver: &'static CudaDriver,
    context: ContextKey,
    address: u64,
}

impl Mapping {
    /// Maps memory of at least `bytes` bytes into the context, which is current.
    pub fn open(
        driver: &'static CudaDriver,
        context: CudaContext,
        handle: IpcHandle,
        bytes: usize,
    ) -> Result<Mapping> {
        const LAZY_ENABLE_PEER_ACCESS: c_uint = 1;
        let (table, key) = (table()?, ContextKey::of(driver, context)?);
        let mut address = 0;
        // SAFETY: writes one address. The driver checks the handle, which another process has sent.
        let result = unsafe { (table.open_handle)(&mut address, handle, LAZY_ENABLE_PEER_ACCESS) };
        driver.check("cuIpcOpenMemHandle", result)?;
        let mapping = Mapping { driver, context: key, address };
        let (start, length) = range_of(driver, address)?;
        let length = (start + length as u64).saturating_sub(address);
        if length >= bytes as u64 {
            return Ok(mapping);
        }
        Err(Error::Mismatch(format!("a rank shares {length} bytes of a device instead of {bytes}")))
    }

    /// Its first byte in this process.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let Ok(table) = table() else { return };
        if !self.context.has_gone() && self.driver.push(self.context.context()).is_ok() {
            // SAFETY: an address of `open`, which no call uses any more.
            unsafe { (table.close_handle)(self.address) };
            self.driver.pop();
        }
    }
}

/// Lets kernels in the current context address memory of another context of this process.
pub fn enable_peer(driver: &CudaDriver, peer: CudaContext) -> Result<()> {
    const ALREADY_ENABLED: c_int = 704;
    // SAFETY: a live context of this process. The other argument must be 0.
    let result = unsafe { (table()?.enable_peer)(peer, 0) };
    if result == ALREADY_ENABLED { Ok(()) } else { driver.check("cuCtxEnablePeerAccess", result) }
}
