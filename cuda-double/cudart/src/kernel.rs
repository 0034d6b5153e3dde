//! What programs of nvcc call around their kernels. They start, and each launch fails.
//!
//! nvcc makes an initialiser that registers the code of a program. It is accepted and forgotten, so that a
//! program that has kernels can do everything else.

use std::ffi::{c_int, c_uint, c_void};

use crate::entry::call_in_context;
use crate::error::Error;

/// A `dim3`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dimensions {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

/// `__cudaRegisterFatBinary`: a handle that nothing is behind.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(code: *mut c_void) -> *mut c_void {
    code
}

/// `__cudaRegisterFatBinaryEnd`.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut c_void) {}

/// `__cudaUnregisterFatBinary`.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(_handle: *mut c_void) {}

/// `__cudaRegisterFunction`; its arguments are not read.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFunction() {}

/// `__cudaRegisterVar`; its arguments are not read.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterVar() {}

/// `__cudaPushCallConfiguration`. Not 0: the program leaves the launch out.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(
    _grid: Dimensions,
    _block: Dimensions,
    _shared: usize,
    _stream: usize,
) -> c_uint {
    call_in_context(|_| Err(Error::NO_KERNEL_IMAGE)).0
}

/// `__cudaPopCallConfiguration`.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaPopCallConfiguration() -> Error {
    call_in_context(|_| Err(Error::NO_KERNEL_IMAGE))
}

/// `cudaLaunchKernel`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernel(
    _function: usize,
    _grid: Dimensions,
    _block: Dimensions,
    _arguments: usize,
    _shared: usize,
    _stream: usize,
) -> Error {
    call_in_context(|_| Err(Error::NO_KERNEL_IMAGE))
}

/// `cudaFuncSetAttribute`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetAttribute(_function: usize, _attribute: c_int, _value: c_int) -> Error {
    call_in_context(|_| Err(Error::NO_KERNEL_IMAGE))
}
