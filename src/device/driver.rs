//! The table of the functions of the CUDA driver that the library calls.
//!
//! The driver (`libcuda.so.1`) is opened at run time, like every foreign library. A machine without a GPU has
//! no driver, which the error says. A driver that lacks a function is refused with the name of the function;
//! nothing panics. Types and numbers are those of NVIDIA's `cuda.h`, in every version since CUDA 11.8.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io;
use std::ptr;
use std::sync::OnceLock;

use super::handles::{CudaContext, CudaEvent, CudaStream};
use crate::base::{Error, Result};
use crate::sys::foreign_library::ForeignLibrary;
use crate::sys::shared_memory::AnonymousMapping;

pub(super) const LIBRARY: &str = "libcuda.so.1";
const SUCCESS: c_int = 0;
const NOT_READY: c_int = 600;

/// The number of a device in this process.
pub type Ordinal = c_int;

/// The identity of a device, unique among all machines.
pub type Uuid = [u8; 16];

/// Declares a table of functions, and a function that fills it from a library.
macro_rules! driver_table {
    ($($field:ident: $symbol:literal, ($($argument:ty),*);)*) => {
        /// Functions of the driver.
        struct Table {
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Table {
            fn of(library: &ForeignLibrary) -> std::result::Result<Table, String> {
                Ok(Table {
                    // SAFETY: by the driver's documentation the function of this name has this type.
                    $($field: unsafe { $crate::device::driver::function(library, $symbol) }?,)*
                })
            }
        }
    };
}

pub(super) use driver_table;

driver_table! {
    error_text: c"cuGetErrorString", (c_int, *mut *const c_char);
    init: c"cuInit", (c_uint);
    device_count: c"cuDeviceGetCount", (*mut c_int);
    device_uuid: c"cuDeviceGetUuid", (*mut Uuid, Ordinal);
    retain_primary: c"cuDevicePrimaryCtxRetain", (*mut CudaContext, Ordinal);
    context_device: c"cuCtxGetDevice", (*mut Ordinal);
    current_context: c"cuCtxGetCurrent", (*mut CudaContext);
    set_context: c"cuCtxSetCurrent", (CudaContext);
    push_context: c"cuCtxPushCurrent_v2", (CudaContext);
    pop_context: c"cuCtxPopCurrent_v2", (*mut CudaContext);
    stream_priorities: c"cuCtxGetStreamPriorityRange", (*mut c_int, *mut c_int);
    pointer_attribute: c"cuPointerGetAttribute", (*mut c_void, c_int, u64);
    stream_create: c"cuStreamCreateWithPriority", (*mut CudaStream, c_uint, c_int);
    stream_destroy: c"cuStreamDestroy_v2", (CudaStream);
    stream_query: c"cuStreamQuery", (CudaStream);
    stream_is_capturing: c"cuStreamIsCapturing", (CudaStream, *mut c_int);
    stream_wait_value: c"cuStreamWaitValue32_v2", (CudaStream, u64, u32, c_uint);
    stream_write_value: c"cuStreamWriteValue32_v2", (CudaStream, u64, u32, c_uint);
    exchange_capture_mode: c"cuThreadExchangeStreamCaptureMode", (*mut c_int);
    event_create: c"cuEventCreate", (*mut CudaEvent, c_uint);
    event_destroy: c"cuEventDestroy_v2", (CudaEvent);
    event_record: c"cuEventRecord", (CudaEvent, CudaStream);
    stream_context: c"cuStreamGetCtx", (CudaStream, *mut CudaContext);
    stream_wait_event: c"cuStreamWaitEvent", (CudaStream, CudaEvent, c_uint);
    event_query: c"cuEventQuery", (CudaEvent);
    allocate: c"cuMemAlloc_v2", (*mut u64, usize);
    free: c"cuMemFree_v2", (u64);
    host_register: c"cuMemHostRegister_v2", (*mut c_void, usize, c_uint);
    host_unregister: c"cuMemHostUnregister", (*mut c_void);
    host_device_pointer: c"cuMemHostGetDevicePointer_v2", (*mut u64, *mut c_void, c_uint);
    copy_to_host: c"cuMemcpyDtoHAsync_v2", (*mut c_void, u64, usize, CudaStream);
    copy_to_device: c"cuMemcpyHtoDAsync_v2", (u64, *const c_void, usize, CudaStream);
}

/// The opened driver. Each function is one function of the driver, with a Rust signature.
pub struct CudaDriver(Table);

impl CudaDriver {
    /// The driver of this machine, initialised. The first call opens it.
    pub fn get() -> Result<&'static CudaDriver> {
        static DRIVER: OnceLock<std::result::Result<CudaDriver, String>> = OnceLock::new();
        let opened = DRIVER.get_or_init(CudaDriver::open);
        opened.as_ref().map_err(|why| Error::Unsupported(format!("there is no usable CUDA driver: {why}")))
    }

    fn open() -> std::result::Result<CudaDriver, String> {
        // SAFETY: the driver's own name, for the system's loader.
        let library = unsafe { ForeignLibrary::open(LIBRARY) }?;
        let driver = CudaDriver(Table::of(&library)?);
        // SAFETY: the function has no condition; its only argument must be 0.
        let result = unsafe { (driver.0.init)(0) };
        if result == SUCCESS { Ok(driver) } else { Err(format!("cuInit: {}", driver.text(result))) }
    }

    /// Number of devices that this process sees.
    pub fn device_count(&self) -> Result<Ordinal> {
        let mut count = 0;
        // SAFETY: writes one number.
        let result = unsafe { (self.0.device_count)(&mut count) };
        self.check("cuDeviceGetCount", result)?;
        Ok(count)
    }

    /// The identity of a device. It does not depend on the number that this process gives it.
    pub fn uuid(&self, device: Ordinal) -> Result<Uuid> {
        let mut uuid = Uuid::default();
        // SAFETY: writes 16 bytes.
        let result = unsafe { (self.0.device_uuid)(&mut uuid, device) };
        self.check("cuDeviceGetUuid", result)?;
        Ok(uuid)
    }

    /// The context of this thread and its device, if the thread has one.
    pub fn current(&self) -> Result<Option<(CudaContext, Ordinal)>> {
        let mut context = CudaContext::NONE;
        // SAFETY: writes one handle.
        let result = unsafe { (self.0.current_context)(&mut context) };
        self.check("cuCtxGetCurrent", result)?;
        if context == CudaContext::NONE {
            return Ok(None);
        }
        let mut device = 0;
        // SAFETY: writes one number; this thread has a context.
        let result = unsafe { (self.0.context_device)(&mut device) };
        self.check("cuCtxGetDevice", result)?;
        Ok(Some((context, device)))
    }

    /// The context of a device that all users in this process share. Kept until the process ends.
    pub fn primary(&self, device: Ordinal) -> Result<CudaContext> {
        let mut context = CudaContext::NONE;
        // SAFETY: writes one handle.
        let result = unsafe { (self.0.retain_primary)(&mut context, device) };
        self.check("cuDevicePrimaryCtxRetain", result)?;
        Ok(context)
    }

    /// Makes a context current in this thread.
    pub fn set_current(&self, context: CudaContext) -> Result<()> {
        // SAFETY: a live context: the program's, or one that is kept.
        let result = unsafe { (self.0.set_context)(context) };
        self.check("cuCtxSetCurrent", result)
    }

    /// Makes a context current in this thread until [`CudaDriver::pop`].
    pub(crate) fn push(&self, context: CudaContext) -> Result<()> {
        // SAFETY: a live context: the program's, or one that is kept.
        let result = unsafe { (self.0.push_context)(context) };
        self.check("cuCtxPushCurrent", result)
    }

    /// Ends the latest [`CudaDriver::push`] of this thread.
    pub(crate) fn pop(&self) {
        let mut context = CudaContext::NONE;
        // SAFETY: writes one handle. An error means that the context has gone, and nothing is left to do.
        unsafe { (self.0.pop_context)(&mut context) };
    }

    /// An attribute of the memory at an address. `None`: the driver does not know the memory.
    pub(super) fn pointer_attribute(&self, attribute: PointerAttribute, address: usize) -> Option<u64> {
        // Attributes differ in width. The variable fits the widest, so that only its first bytes are
        // written.
        let mut value: u64 = 0;
        // SAFETY: the variable fits the value; the address is only looked up.
        let result = unsafe {
            (self.0.pointer_attribute)((&raw mut value).cast(), attribute as c_int, address as u64)
        };
        (result == SUCCESS).then_some(value)
    }

    /// The device whose memory is at an address. `None`: the driver does not know the memory.
    pub fn device_of(&self, address: usize) -> Option<Ordinal> {
        self.pointer_attribute(PointerAttribute::Device, address).map(|device| device as Ordinal)
    }

    /// Whether the memory at an address is that of a device alone: not managed, pinned or ordinary memory.
    pub fn is_on_device(&self, address: usize) -> bool {
        const DEVICE: u64 = 2;
        let is =
            |attribute, value| self.pointer_attribute(attribute, address).map(|word| word & 0xff == value);
        is(PointerAttribute::MemoryType, DEVICE) == Some(true)
            && is(PointerAttribute::IsManaged, 0) != Some(false)
    }

    /// Makes a stream of the highest priority, which waits for no default stream.
    pub(crate) fn create_stream(&self) -> Result<CudaStream> {
        self.create_stream_of(|_, highest| highest)
    }

    /// Makes a stream of the priority of a program's streams, which waits for no default stream.
    pub(super) fn create_ordinary_stream(&self) -> Result<CudaStream> {
        self.create_stream_of(|lowest, _| lowest)
    }

    fn create_stream_of(&self, priority: impl FnOnce(c_int, c_int) -> c_int) -> Result<CudaStream> {
        let (mut lowest, mut highest) = (0, 0);
        // SAFETY: writes two numbers.
        let result = unsafe { (self.0.stream_priorities)(&mut lowest, &mut highest) };
        self.check("cuCtxGetStreamPriorityRange", result)?;
        const NON_BLOCKING: c_uint = 1;
        let mut stream = CudaStream::LEGACY;
        // SAFETY: writes one handle.
        let result = unsafe { (self.0.stream_create)(&mut stream, NON_BLOCKING, priority(lowest, highest)) };
        self.check("cuStreamCreateWithPriority", result)?;
        Ok(stream)
    }

    /// Destroys a stream. What is in it still runs.
    pub(crate) fn destroy_stream(&self, stream: CudaStream) {
        // SAFETY: a stream of `create_stream`, which nobody uses any more. An error means that it has gone.
        unsafe { (self.0.stream_destroy)(stream) };
    }

    /// Whether everything in a stream has ended.
    pub fn stream_has_ended(&self, stream: CudaStream) -> Result<bool> {
        // SAFETY: a live stream.
        let result = unsafe { (self.0.stream_query)(stream) };
        self.is_over("cuStreamQuery", result)
    }

    /// Whether a stream records a graph instead of running. The legacy default stream counts as recording
    /// while a stream records that it would wait for.
    pub fn is_capturing(&self, stream: CudaStream) -> Result<bool> {
        const IMPLICIT: c_int = 906;
        let mut status = 0;
        // SAFETY: writes one number; a live stream.
        let result = unsafe { (self.0.stream_is_capturing)(stream, &mut status) };
        if result == IMPLICIT {
            return Ok(true);
        }
        self.check("cuStreamIsCapturing", result)?;
        Ok(status != 0)
    }

    /// Lets this thread allocate, query and synchronise while it, or another thread, captures a graph.
    /// Without it, such a call would fail and end the capture. What the library does so is no part of any
    /// graph.
    pub(crate) fn ignore_captures(&'static self) -> IgnoredCaptures {
        const RELAXED: c_int = 2;
        let mut mode = RELAXED;
        // SAFETY: exchanges one number. Without it, only a capture would be disturbed.
        let result = unsafe { (self.0.exchange_capture_mode)(&mut mode) };
        IgnoredCaptures { driver: self, before: (result == SUCCESS).then_some(mode) }
    }

    /// Puts a wait into a stream: until the word at `address` is at least `value`.
    pub(crate) fn wait_value(&self, stream: CudaStream, address: u64, value: u32) -> Result<()> {
        const AT_LEAST: c_uint = 0;
        // SAFETY: a live stream, and a word of memory that the driver has mapped.
        let result = unsafe { (self.0.stream_wait_value)(stream, address, value, AT_LEAST) };
        self.check("cuStreamWaitValue32", result)
    }

    /// Puts a store into a stream. All earlier work of the stream is visible to who sees the value.
    pub(crate) fn write_value(&self, stream: CudaStream, address: u64, value: u32) -> Result<()> {
        const WITH_BARRIER: c_uint = 0;
        // SAFETY: a live stream, and a word of memory that the driver has mapped.
        let result = unsafe { (self.0.stream_write_value)(stream, address, value, WITH_BARRIER) };
        self.check("cuStreamWriteValue32", result)
    }

    /// Makes an event without a time.
    pub(super) fn create_event(&self) -> Result<CudaEvent> {
        const WITHOUT_TIME: c_uint = 2;
        let mut event = CudaEvent::NONE;
        // SAFETY: writes one handle.
        let result = unsafe { (self.0.event_create)(&mut event, WITHOUT_TIME) };
        self.check("cuEventCreate", result)?;
        Ok(event)
    }

    /// Destroys an event.
    pub(super) fn destroy_event(&self, event: CudaEvent) {
        // SAFETY: an event of `create_event`, which nobody uses any more. An error means that it has gone.
        unsafe { (self.0.event_destroy)(event) };
    }

    /// Puts an event into a stream.
    pub(super) fn record(&self, event: CudaEvent, stream: CudaStream) -> Result<()> {
        // SAFETY: a live event and a live stream of one context.
        let result = unsafe { (self.0.event_record)(event, stream) };
        self.check("cuEventRecord", result)
    }

    /// The context of a stream; of a default stream, that of this thread.
    pub fn context_of(&self, stream: CudaStream) -> Result<CudaContext> {
        let mut context = CudaContext::NONE;
        // SAFETY: writes one handle; a live stream.
        let result = unsafe { (self.0.stream_context)(stream, &mut context) };
        self.check("cuStreamGetCtx", result)?;
        Ok(context)
    }

    /// Lets what is enqueued later in a stream wait for the last record of an event.
    pub(super) fn wait_event(&self, stream: CudaStream, event: CudaEvent) -> Result<()> {
        // SAFETY: a live event and a live stream.
        let result = unsafe { (self.0.stream_wait_event)(stream, event, 0) };
        self.check("cuStreamWaitEvent", result)
    }

    /// Whether the stream has passed an event.
    pub(super) fn has_passed(&self, event: CudaEvent) -> Result<bool> {
        // SAFETY: a live event.
        let result = unsafe { (self.0.event_query)(event) };
        self.is_over("cuEventQuery", result)
    }

    /// Allocates memory of the current device. It may wait for all work of the device.
    pub(super) fn allocate(&self, bytes: usize) -> Result<u64> {
        let mut address = 0;
        // SAFETY: writes one address.
        let result = unsafe { (self.0.allocate)(&mut address, bytes) };
        self.check("cuMemAlloc", result)?;
        Ok(address)
    }

    /// Frees memory of [`CudaDriver::allocate`]. It waits for all work of the device.
    pub(super) fn free(&self, address: u64) -> Result<()> {
        // SAFETY: the caller has allocated it, and no one uses it any more.
        let result = unsafe { (self.0.free)(address) };
        self.check("cuMemFree", result)
    }

    /// Allocates pinned memory of the host, which every context can use. It may wait for all work of the
    /// device. It stays memory of the host when the current context, which pins it, has gone: a thread may
    /// still look at it.
    pub(super) fn allocate_pinned(&self, bytes: usize) -> Result<AnonymousMapping> {
        const PORTABLE_AND_MAPPED: c_uint = 1 | 2;
        let memory = AnonymousMapping::new(bytes)
            .map_err(|error| Error::system("cannot allocate memory to pin", error))?;
        // SAFETY: whole pages of a mapping. If they are registered, the caller unregisters them first.
        let result = unsafe { (self.0.host_register)(memory.start().cast(), bytes, PORTABLE_AND_MAPPED) };
        self.check("cuMemHostRegister", result)?;
        Ok(memory)
    }

    /// Gives back memory of [`CudaDriver::allocate_pinned`], whose context is current. It waits for all work
    /// of the device.
    pub(super) fn free_pinned(&self, memory: AnonymousMapping) -> Result<()> {
        // SAFETY: the pages that were registered, which no one uses any more.
        let result = unsafe { (self.0.host_unregister)(memory.start().cast()) };
        self.check("cuMemHostUnregister", result).inspect_err(|_| {
            // The device may still use them.
            memory.keep();
        })
    }

    /// The address by which the current device knows pinned memory.
    pub(crate) fn device_address(&self, pinned: *mut u8) -> Result<u64> {
        let mut address = 0;
        // SAFETY: writes one address; the memory is only looked up.
        let result = unsafe { (self.0.host_device_pointer)(&mut address, pinned.cast(), 0) };
        self.check("cuMemHostGetDevicePointer", result)?;
        Ok(address)
    }

    /// Puts a copy into a stream, from a device to the host.
    ///
    /// # Safety
    /// `to` is pinned and writable for `bytes` bytes, and no one else uses it, until the stream has
    /// passed the copy.
    pub(crate) unsafe fn copy_to_host(
        &self,
        to: *mut u8,
        from: u64,
        bytes: usize,
        stream: CudaStream,
    ) -> Result<()> {
        // SAFETY: passed on from our caller. The driver checks the address on the device.
        let result = unsafe { (self.0.copy_to_host)(to.cast(), from, bytes, stream) };
        self.check("cuMemcpyDtoHAsync", result)
    }

    /// Puts a copy into a stream, from the host to a device.
    ///
    /// # Safety
    /// `from` is pinned and readable for `bytes` bytes until the stream has passed the copy. The
    /// destination belongs to the call.
    pub(crate) unsafe fn copy_to_device(
        &self,
        to: u64,
        from: *const u8,
        bytes: usize,
        stream: CudaStream,
    ) -> Result<()> {
        // SAFETY: passed on from our caller. The driver checks the address on the device.
        let result = unsafe { (self.0.copy_to_device)(to, from.cast(), bytes, stream) };
        self.check("cuMemcpyHtoDAsync", result)
    }

    /// Whether kernels in every context of the device can address the memory at an address: it is neither of
    /// a pool nor of a range of virtual addresses, which have rules of access of their own.
    pub fn is_plain_memory(&self, address: usize) -> bool {
        let capable = self.pointer_attribute(PointerAttribute::LegacyIpcCapable, address);
        capable.is_some_and(|capable| capable & 0xff != 0)
    }

    /// The number of the allocation at an address. No other allocation of this process has it, or will have
    /// it at the same address. `None`: the driver does not know the memory.
    pub fn buffer_id(&self, address: u64) -> Option<u64> {
        self.pointer_attribute(PointerAttribute::BufferId, address as usize)
    }

    fn is_over(&self, function: &str, result: c_int) -> Result<bool> {
        if result == NOT_READY {
            return Ok(false);
        }
        self.check(function, result)?;
        Ok(true)
    }

    /// Turns a result of the driver into an error that names the function.
    pub(super) fn check(&self, function: &str, result: c_int) -> Result<()> {
        if result == SUCCESS {
            return Ok(());
        }
        Err(Error::system(function, io::Error::other(self.text(result))))
    }

    fn text(&self, result: c_int) -> String {
        let mut text: *const c_char = ptr::null();
        // SAFETY: writes one pointer: NULL, or a text of the driver that stays valid.
        unsafe { (self.0.error_text)(result, &mut text) };
        if text.is_null() {
            return format!("error {result}");
        }
        // SAFETY: not NULL, and terminated.
        let text = unsafe { CStr::from_ptr(text) };
        format!("{} ({result})", text.to_string_lossy())
    }
}

/// The time in which this thread may allocate although a graph is captured.
pub(crate) struct IgnoredCaptures {
    driver: &'static CudaDriver,
    /// The mode of the thread before. `None`: it was not changed, or it stays changed.
    before: Option<c_int>,
}

impl IgnoredCaptures {
    /// Leaves the thread as it is now: it belongs to the library.
    pub fn keep(mut self) {
        self.before = None;
    }
}

impl Drop for IgnoredCaptures {
    fn drop(&mut self) {
        if let Some(mut mode) = self.before {
            // SAFETY: as in `ignore_captures`.
            unsafe { (self.driver.0.exchange_capture_mode)(&mut mode) };
        }
    }
}

/// Attributes of memory that the driver reports.
#[derive(Clone, Copy)]
#[repr(i32)]
pub(super) enum PointerAttribute {
    /// The context in which the memory was allocated.
    Context = 1,
    /// Host memory, or that of a device.
    MemoryType = 2,
    /// A number that no other allocation of this process has or will have.
    BufferId = 7,
    /// Whether host and devices use it at the same address.
    IsManaged = 8,
    /// Number of its device.
    Device = 9,
    /// Whether other processes can map it by the older kind of handles.
    LegacyIpcCapable = 10,
    /// Bits for the kinds of handles by which other processes can map memory of virtual address ranges.
    HandleTypes = 14,
}

/// A function of the driver. Only [`driver_table`] calls it.
///
/// # Safety
/// The function of this name is of type `F`.
pub(super) unsafe fn function<F: Copy>(
    library: &ForeignLibrary,
    name: &CStr,
) -> std::result::Result<F, String> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let address =
        library.symbol(name).ok_or_else(|| format!("{LIBRARY} has no {}", name.to_string_lossy()))?;
    // SAFETY: the address of a function, which is what an `F` is, by our caller's promise; the sizes are
    // equal.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
}
