//! Memory of a device that other processes can map: virtual memory of the driver, passed on as a descriptor.
//!
//! 1. The owner allocates ([`Exportable::allocate`]) and makes a descriptor ([`Exportable::export`]).
//! 2. The descriptor goes to another process through a socket, as any descriptor does.
//! 3. The other process maps the memory ([`Exportable::import`]), and closes the descriptor when it likes.
//!
//! The memory lives until every process that has it has dropped it, or has ended. A descriptor that is open
//! keeps it, too. So no process finds its mapping gone because the owner has ended.
//!
//! To allocate, and to drop, may make the driver wait for all work of the device. Nobody may do so while a
//! stream waits for a word that the same thread sets later.
//!
//! The layouts are those of `cuda.h` of CUDA 11 and 12. CUDA 13 moved a field into a union, at the same
//! place.

use std::ffi::{c_int, c_uint, c_ushort, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::OnceLock;

use super::context::Entered;
use super::driver::{CudaDriver, LIBRARY, Ordinal, driver_table};
use crate::base::{Error, Result};
use crate::sys::foreign_library::ForeignLibrary;

const PINNED: c_int = 1;
const ON_DEVICE: c_int = 1;
const DESCRIPTOR: c_int = 1;
const MINIMUM: c_int = 0;
const READ_AND_WRITE: c_int = 3;

/// A `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Location {
    kind: c_int,
    device: Ordinal,
}

/// A `CUmemAllocationProp`.
#[repr(C)]
struct Properties {
    kind: c_int,
    handle_types: c_int,
    location: Location,
    /// Only for another system.
    metadata: *mut c_void,
    compression: u8,
    rdma: u8,
    usage: c_ushort,
    reserved: [u8; 4],
}

/// A `CUmemAccessDesc`.
#[repr(C)]
struct Access {
    location: Location,
    flags: c_int,
}

driver_table! {
    granularity: c"cuMemGetAllocationGranularity", (*mut usize, *const Properties, c_int);
    create: c"cuMemCreate", (*mut u64, usize, *const Properties, u64);
    retain: c"cuMemRetainAllocationHandle", (*mut u64, *mut c_void);
    release: c"cuMemRelease", (u64);
    export: c"cuMemExportToShareableHandle", (*mut c_void, u64, c_int, u64);
    import: c"cuMemImportFromShareableHandle", (*mut u64, *mut c_void, c_int);
    reserve: c"cuMemAddressReserve", (*mut u64, usize, usize, u64, u64);
    free_addresses: c"cuMemAddressFree", (u64, usize);
    map: c"cuMemMap", (u64, usize, usize, u64, u64);
    unmap: c"cuMemUnmap", (u64, usize);
    set_access: c"cuMemSetAccess", (u64, usize, *const Access, usize);
    attribute: c"cuDeviceGetAttribute", (*mut c_int, c_uint, Ordinal);
}

impl Table {
    /// The functions, looked up at the first call. They have a table of their own, so that calls which need
    /// none of them work with a driver that lacks some.
    fn get() -> Result<&'static Table> {
        static TABLE: OnceLock<std::result::Result<Table, String>> = OnceLock::new();
        let opened = TABLE.get_or_init(|| {
            // SAFETY: the driver's own name; it is open already.
            Table::of(&unsafe { ForeignLibrary::open(LIBRARY) }?)
        });
        opened
            .as_ref()
            .map_err(|why| Error::Unsupported(format!("the CUDA driver cannot share memory: {why}")))
    }
}

/// Memory of a device, made here or mapped from another process. Dropping it unmaps it.
pub struct Exportable {
    driver: &'static CudaDriver,
    table: &'static Table,
    device: Ordinal,
    /// The driver's handle of the physical memory.
    handle: u64,
    /// Zero until the addresses are reserved.
    address: u64,
    bytes: usize,
    is_mapped: bool,
}

impl Exportable {
    /// Whether a device has memory that can be passed on as a descriptor.
    pub fn is_supported(device: Ordinal) -> Result<bool> {
        const VIRTUAL_MEMORY: c_uint = 102;
        const DESCRIPTORS: c_uint = 103;
        let (driver, table) = (CudaDriver::get()?, Table::get()?);
        for attribute in [VIRTUAL_MEMORY, DESCRIPTORS] {
            let mut value = 0;
            // SAFETY: writes one number.
            let result = unsafe { (table.attribute)(&mut value, attribute, device) };
            driver.check("cuDeviceGetAttribute", result)?;
            if value == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Allocates at least `bytes` bytes on a device, which may access them. Their content is undefined.
    pub fn allocate(device: Ordinal, bytes: usize) -> Result<Exportable> {
        let (driver, table) = (CudaDriver::get()?, Table::get()?);
        let _ignored = driver.ignore_captures();
        let _entered = Entered::for_device(driver, device)?;
        let properties = Properties {
            kind: PINNED,
            handle_types: DESCRIPTOR,
            location: Location { kind: ON_DEVICE, device },
            metadata: ptr::null_mut(),
            compression: 0,
            rdma: 0,
            usage: 0,
            reserved: [0; 4],
        };
        let mut granularity = 0;
        // SAFETY: writes one number; the properties are filled in.
        let result = unsafe { (table.granularity)(&mut granularity, &properties, MINIMUM) };
        driver.check("cuMemGetAllocationGranularity", result)?;
        let bytes = bytes.max(1).checked_next_multiple_of(granularity.max(1));
        let bytes = bytes.ok_or_else(|| Error::InvalidArgument { what: "bytes", got: "too many".into() })?;
        let mut handle = 0;
        // SAFETY: writes one handle; the properties are filled in.
        let result = unsafe { (table.create)(&mut handle, bytes, &properties, 0) };
        driver.check("cuMemCreate", result)?;
        Exportable { driver, table, device, handle, address: 0, bytes, is_mapped: false }.mapped()
    }

    /// Maps memory of another process, or of this one, so that `device` may access it. `bytes` is the size
    /// that its owner reports ([`Exportable::bytes`]). The descriptor stays open.
    pub fn import(device: Ordinal, descriptor: BorrowedFd, bytes: usize) -> Result<Exportable> {
        let (driver, table) = (CudaDriver::get()?, Table::get()?);
        let _ignored = driver.ignore_captures();
        let _entered = Entered::for_device(driver, device)?;
        let mut handle = 0;
        let number = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        // SAFETY: writes one handle. The number of an open descriptor stands for a pointer, and
        // the driver checks what is behind it.
        let result = unsafe { (table.import)(&mut handle, number, DESCRIPTOR) };
        driver.check("cuMemImportFromShareableHandle", result)?;
        Exportable { driver, table, device, handle, address: 0, bytes, is_mapped: false }.mapped()
    }

    /// Reserves addresses, maps the memory there, and lets its device access it. After an error, what was
    /// done is undone.
    fn mapped(mut self) -> Result<Exportable> {
        let (driver, bytes) = (self.driver, self.bytes);
        // SAFETY: writes one address. No alignment and no address are asked for.
        let result = unsafe { (self.table.reserve)(&mut self.address, bytes, 0, 0, 0) };
        driver.check("cuMemAddressReserve", result).inspect_err(|_| self.address = 0)?;
        // SAFETY: the addresses were just reserved, and the memory belongs to `self`.
        let result = unsafe { (self.table.map)(self.address, bytes, 0, self.handle, 0) };
        driver.check("cuMemMap", result)?;
        self.is_mapped = true;
        self.let_access(self.device)?;
        Ok(self)
    }

    /// Lets one more device of this process access the memory.
    pub fn let_access(&self, device: Ordinal) -> Result<()> {
        let access = Access { location: Location { kind: ON_DEVICE, device }, flags: READ_AND_WRITE };
        // SAFETY: all of the mapping, and one description.
        let result = unsafe { (self.table.set_access)(self.address, self.bytes, &access, 1) };
        self.driver.check("cuMemSetAccess", result)
    }

    /// A descriptor of the memory, for another process. It is closed on exec.
    pub fn export(&self) -> Result<OwnedFd> {
        let mut descriptor: c_int = -1;
        // SAFETY: writes one descriptor, of memory that was made to be exported.
        let result = unsafe { (self.table.export)((&raw mut descriptor).cast(), self.handle, DESCRIPTOR, 0) };
        self.driver.check("cuMemExportToShareableHandle", result)?;
        // SAFETY: the driver gave this process a descriptor of its own.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        // SAFETY: the descriptor is open; the call sets one flag of it.
        let result = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
        if result < 0 {
            return Err(Error::last_os("cannot close a descriptor on exec"));
        }
        Ok(descriptor)
    }

    /// A descriptor of memory that this process has mapped at `address`, whoever has made it.
    pub fn descriptor_at(address: u64) -> Result<OwnedFd> {
        let (driver, table) = (CudaDriver::get()?, Table::get()?);
        let mut handle = 0;
        let place = ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: writes one handle. The address is only looked up.
        let result = unsafe { (table.retain)(&mut handle, place) };
        driver.check("cuMemRetainAllocationHandle", result)?;
        // Dropping it releases the handle. The mapping belongs to the program.
        Exportable { driver, table, device: 0, handle, address: 0, bytes: 0, is_mapped: false }.export()
    }

    /// Its first byte, as the device of this process knows it.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its size, a multiple of the driver's granularity.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The device that may access it.
    pub fn device(&self) -> Ordinal {
        self.device
    }
}

impl Drop for Exportable {
    fn drop(&mut self) {
        let _ignored = self.driver.ignore_captures();
        // An error means that the device has failed, or that the process ends: nothing is left to do.
        if self.is_mapped {
            // SAFETY: all of the mapping. The owner of `self` promises that no work uses it any more.
            unsafe { (self.table.unmap)(self.address, self.bytes) };
        }
        if self.address != 0 {
            // SAFETY: the addresses that were reserved, where nothing is mapped any more.
            unsafe { (self.table.free_addresses)(self.address, self.bytes) };
        }
        // SAFETY: the handle belongs to `self`.
        unsafe { (self.table.release)(self.handle) };
    }
}
