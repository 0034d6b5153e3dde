//! The device of a thread, and its primary context.
//!
//! A thread starts with device 0 and without a context. The first call that needs one retains the primary
//! context of the thread's device and makes it current. A context that the program has made current itself,
//! by the driver, is used as it is.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::LazyLock;

use parking_lot::Mutex;

use crate::driver::Driver;
use crate::error::{Error, Result};

/// The primary contexts that this runtime has retained, by device.
static RETAINED: LazyLock<Mutex<HashMap<c_int, usize>>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The device that this thread has set.
    static DEVICE: Cell<c_int> = const { Cell::new(0) };
    /// The device and the context that this runtime has made current in this thread.
    static ENTERED: Cell<Option<(c_int, usize)>> = const { Cell::new(None) };
}

/// Makes a context current, unless one is.
pub fn enter(driver: &Driver) -> Result {
    let current = current(driver)?;
    if current == 0 || is_ended(current) { set_device(driver, DEVICE.get()) } else { Ok(()) }
}

/// The device of this thread: that of the current context, or the one that was set.
pub fn device(driver: &Driver) -> Result<c_int> {
    let current = current(driver)?;
    if current == 0 || is_ended(current) {
        return Ok(DEVICE.get());
    }
    let mut device = 0;
    (driver.cuCtxGetDevice)(&raw mut device).check()?;
    Ok(device)
}

/// Sets the device of this thread and makes its primary context current.
pub fn set_device(driver: &Driver, device: c_int) -> Result {
    let primary = primary(driver, device)?;
    (driver.cuCtxSetCurrent)(primary).check()?;
    DEVICE.set(device);
    ENTERED.set(Some((device, primary)));
    Ok(())
}

/// The primary context of a device, retained at the first use.
pub fn primary(driver: &Driver, device: c_int) -> Result<usize> {
    check_device(driver, device)?;
    let mut retained = RETAINED.lock();
    if let Some(&primary) = retained.get(&device) {
        return Ok(primary);
    }
    let mut primary = 0;
    (driver.cuDevicePrimaryCtxRetain)(&raw mut primary, device).check()?;
    retained.insert(device, primary);
    Ok(primary)
}

/// Ends the primary context of the thread's device. The next call makes a new one.
pub fn reset(driver: &Driver) -> Result {
    let device = device(driver)?;
    RETAINED.lock().remove(&device);
    (driver.cuDevicePrimaryCtxReset_v2)(device).check()?;
    (driver.cuCtxSetCurrent)(0).check()
}

/// Fails unless there is a device of this number.
pub fn check_device(driver: &Driver, device: c_int) -> Result {
    let mut count = 0;
    (driver.cuDeviceGetCount)(&raw mut count).check()?;
    if (0..count).contains(&device) { Ok(()) } else { Err(Error::INVALID_DEVICE) }
}

fn current(driver: &Driver) -> Result<usize> {
    let mut context = 0;
    (driver.cuCtxGetCurrent)(&raw mut context).check()?;
    Ok(context)
}

/// Whether this runtime has made the context current here, and another thread has reset its device since.
fn is_ended(context: usize) -> bool {
    let entered = ENTERED.get().filter(|(_, entered)| *entered == context);
    entered.is_some_and(|(device, entered)| RETAINED.lock().get(&device) != Some(&entered))
}
