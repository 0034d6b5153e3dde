//! The few functions of the CUDA driver that NCCL's calls need around them.
//!
//! The driver is opened at run time, like every foreign library. A machine without a GPU has no driver, which
//! the error says.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use crate::base::{Error, Result};
use crate::sys::foreign_library::ForeignLibrary;

const LIBRARY: &str = "libcuda.so.1";
const SUCCESS: c_int = 0;
const NOT_READY: c_int = 600;

/// A context of the driver.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Context(*mut c_void);

/// The identity of a device, unique among all machines.
pub type Uuid = [u8; 16];

/// The opened driver.
pub struct Driver {
    device_count: unsafe extern "C" fn(*mut c_int) -> c_int,
    device_uuid: unsafe extern "C" fn(*mut Uuid, c_int) -> c_int,
    context_device: unsafe extern "C" fn(*mut c_int) -> c_int,
    current: unsafe extern "C" fn(*mut Context) -> c_int,
    set_current: unsafe extern "C" fn(Context) -> c_int,
    retain_primary: unsafe extern "C" fn(*mut Context, c_int) -> c_int,
    stream_query: unsafe extern "C" fn(*mut c_void) -> c_int,
    error_text: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int,
}

impl Driver {
    /// The driver of this machine, initialised.
    pub fn get() -> Result<&'static Driver> {
        static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
        let opened = DRIVER.get_or_init(Driver::open);
        opened
            .as_ref()
            .map_err(|why| Error::Unsupported(format!("NCCL needs CUDA, and there is no CUDA driver: {why}")))
    }

    fn open() -> std::result::Result<Driver, String> {
        // SAFETY: the driver's own name, for the system's loader.
        let library = unsafe { ForeignLibrary::open(LIBRARY) }?;
        // SAFETY: by the driver's documentation these functions have these types, in every version since CUDA
        // 11.4.
        #[allow(clippy::multiple_unsafe_ops_per_block, reason = "equal look-ups with one argument")]
        let driver = unsafe {
            Driver {
                device_count: function(&library, c"cuDeviceGetCount")?,
                device_uuid: function(&library, c"cuDeviceGetUuid")?,
                context_device: function(&library, c"cuCtxGetDevice")?,
                current: function(&library, c"cuCtxGetCurrent")?,
                set_current: function(&library, c"cuCtxSetCurrent")?,
                retain_primary: function(&library, c"cuDevicePrimaryCtxRetain")?,
                stream_query: function(&library, c"cuStreamQuery")?,
                error_text: function(&library, c"cuGetErrorString")?,
            }
        };
        // SAFETY: as above.
        let start = unsafe { function::<unsafe extern "C" fn(u32) -> c_int>(&library, c"cuInit") }?;
        // SAFETY: the function has no condition; its only argument must be 0.
        let result = unsafe { start(0) };
        if result == SUCCESS { Ok(driver) } else { Err(format!("cuInit: {}", driver.text(result))) }
    }

    /// Number of devices that this process sees.
    pub fn device_count(&self) -> Result<c_int> {
        let mut count = 0;
        // SAFETY: writes one number.
        let result = unsafe { (self.device_count)(&mut count) };
        self.check("cuDeviceGetCount", result)?;
        Ok(count)
    }

    /// The identity of a device. It does not depend on the number that this process gives it.
    pub fn uuid(&self, device: c_int) -> Result<Uuid> {
        let mut uuid = Uuid::default();
        // SAFETY: writes 16 bytes.
        let result = unsafe { (self.device_uuid)(&mut uuid, device) };
        self.check("cuDeviceGetUuid", result)?;
        Ok(uuid)
    }

    /// The context of this thread and its device, if the thread has one.
    pub fn current(&self) -> Result<Option<(Context, c_int)>> {
        let mut context = Context(ptr::null_mut());
        // SAFETY: writes one handle.
        let result = unsafe { (self.current)(&mut context) };
        self.check("cuCtxGetCurrent", result)?;
        if context.0.is_null() {
            return Ok(None);
        }
        let mut device = 0;
        // SAFETY: writes one number; this thread has a context.
        let result = unsafe { (self.context_device)(&mut device) };
        self.check("cuCtxGetDevice", result)?;
        Ok(Some((context, device)))
    }

    /// The context of a device that all users in this process share. Kept until the process ends.
    pub fn primary(&self, device: c_int) -> Result<Context> {
        let mut context = Context(ptr::null_mut());
        // SAFETY: writes one handle.
        let result = unsafe { (self.retain_primary)(&mut context, device) };
        self.check("cuDevicePrimaryCtxRetain", result)?;
        Ok(context)
    }

    /// Makes a context current in this thread.
    pub fn set_current(&self, context: Context) -> Result<()> {
        // SAFETY: a live context: the program's, or one that is kept.
        let result = unsafe { (self.set_current)(context) };
        self.check("cuCtxSetCurrent", result)
    }

    /// Whether everything in the default stream of this thread's context has ended.
    pub fn default_stream_has_ended(&self) -> Result<bool> {
        // SAFETY: NULL is the default stream.
        let result = unsafe { (self.stream_query)(ptr::null_mut()) };
        if result == NOT_READY {
            return Ok(false);
        }
        self.check("cuStreamQuery", result)?;
        Ok(true)
    }

    fn check(&self, function: &str, result: c_int) -> Result<()> {
        if result == SUCCESS {
            return Ok(());
        }
        Err(Error::system(function, std::io::Error::other(self.text(result))))
    }

    fn text(&self, result: c_int) -> String {
        let mut text: *const c_char = ptr::null();
        // SAFETY: writes one pointer: NULL, or a text of the driver that stays valid.
        unsafe { (self.error_text)(result, &mut text) };
        if text.is_null() {
            return format!("error {result}");
        }
        // SAFETY: not NULL, and terminated.
        let text = unsafe { CStr::from_ptr(text) };
        format!("{} ({result})", text.to_string_lossy())
    }
}

/// # Safety
/// The function of this name is of type `F`.
unsafe fn function<F: Copy>(library: &ForeignLibrary, name: &CStr) -> std::result::Result<F, String> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let address =
        library.symbol(name).ok_or_else(|| format!("{LIBRARY} has no {}", name.to_string_lossy()))?;
    // SAFETY: the address of a function, which is what an `F` is, by our caller's promise; the sizes are
    // equal.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
}
