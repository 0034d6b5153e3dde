//! Memory of a device that the leader of another process can address, through CUDA's interprocess handles.
//!
//! To allocate and to map may make the driver wait for all work of the device. So it happens when a
//! communicator is made, and never while one of its calls is in a stream.

use std::ffi::{c_int, c_uint};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::base::{Error, Result};
use crate::device::context_key::ContextKey;
use crate::device::driver::{CudaDriver, LIBRARY, driver_table};
use crate::device::handles::CudaContext;
use crate::sys::foreign_library::ForeignLibrary;

/// A `CUipcMemHandle`.
pub type IpcHandle = [u8; 64];

driver_table! {
    allocate: c"cuMemAlloc_v2", (*mut u64, usize);
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

/// Memory of this process that no communicator uses: context, address, length. It is never freed, because
/// another process may have mapped it, but the next communicator uses it again.
static SPARE: Mutex<Vec<(ContextKey, u64, usize)>> = Mutex::new(Vec::new());

/// Memory of this process, on the device of a context.
pub struct Bounce {
    driver: &'static CudaDriver,
    context: ContextKey,
    address: u64,
    bytes: usize,
}

impl Bounce {
    /// Allocates memory in the context, which is current.
    pub fn allocate(driver: &'static CudaDriver, context: CudaContext, bytes: usize) -> Result<Bounce> {
        let context = ContextKey::of(driver, context)?;
        let mut spare = SPARE.lock();
        spare.retain(|(of, ..)| !of.has_gone());
        if let Some(at) = spare.iter().position(|(of, _, length)| (*of, *length) == (context, bytes)) {
            let (_, address, _) = spare.swap_remove(at);
            return Ok(Bounce { driver, context, address, bytes });
        }
        let mut address = 0;
        // SAFETY: writes one address.
        let result = unsafe { (table()?.allocate)(&mut address, bytes) };
        driver.check("cuMemAlloc", result)?;
        Ok(Bounce { driver, context, address, bytes })
    }

    /// Its first byte, in every context of this process that may address the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The handle by which another process maps it.
    pub fn handle(&self) -> Result<IpcHandle> {
        handle_of(self.driver, self.address)
    }
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

impl Drop for Bounce {
    fn drop(&mut self) {
        SPARE.lock().push((self.context, self.address, self.bytes));
    }
}

/// A [`Bounce`] of another process, mapped into this one.
pub struct SharedBounce(Arc<Mapping>);

/// Memory of another process, mapped into this one by a handle. Dropping it unmaps the memory.
pub(super) struct Mapping {
    driver: &'static CudaDriver,
    context: ContextKey,
    handle: IpcHandle,
    address: u64,
}

/// The mappings of this process. One that no communicator uses stays until another communicator is made.
static MAPPINGS: Mutex<Vec<Arc<Mapping>>> = Mutex::new(Vec::new());

impl SharedBounce {
    /// Maps the memory of the handles into the context, which is current. Each must have `bytes` bytes. Ends
    /// mappings that no communicator uses.
    pub fn open_all(
        driver: &'static CudaDriver,
        context: CudaContext,
        handles: &[Option<IpcHandle>],
        bytes: usize,
    ) -> Result<Vec<Option<SharedBounce>>> {
        let key = ContextKey::of(driver, context)?;
        let mut mappings = MAPPINGS.lock();
        let mut open = |handle: &IpcHandle| {
            let known = mappings.iter().find(|mapping| (mapping.context, &mapping.handle) == (key, handle));
            if let Some(known) = known {
                return Ok(SharedBounce(Arc::clone(known)));
            }
            let opened = Arc::new(Mapping::open(driver, context, *handle, bytes)?);
            mappings.push(Arc::clone(&opened));
            Ok(SharedBounce(opened))
        };
        let opened = handles.iter().map(|handle| handle.as_ref().map(&mut open).transpose()).collect();
        mappings.retain(|mapping| Arc::strong_count(mapping) > 1);
        opened
    }

    /// Its first byte in this process.
    pub fn address(&self) -> u64 {
        self.0.address()
    }
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
        let mapping = Mapping { driver, context: key, handle, address };
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
