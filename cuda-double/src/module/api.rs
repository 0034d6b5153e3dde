//! Functions on modules (`cuModule*`).

use std::ffi::c_char;

use super::{FUNCTIONS, MODULES, function_of, is_eager, load, unload};
use crate::argument::{In, Out};
use crate::context;
use crate::entry::call;
use crate::status::{Result, Status, require};

/// `CU_JIT_ERROR_LOG_BUFFER`.
const ERROR_LOG_BUFFER: u32 = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
const ERROR_LOG_BUFFER_SIZE: u32 = 6;
/// First bytes of ELF and of fat binaries.
const BINARIES: [[u8; 4]; 2] = [*b"\x7fELF", 0xBA55_ED50_u32.to_le_bytes()];

/// Options of a JIT compilation: numbers, and one value each.
struct Options {
    count: u32,
    numbers: In<u32>,
    values: In<usize>,
}

impl Options {
    const NONE: Options = Options { count: 0, numbers: In::null(), values: In::null() };

    fn value(&self, wanted: u32) -> Result<Option<usize>> {
        for index in 0..self.count as usize {
            if self.numbers.element(index)? == wanted {
                return self.values.element(index).map(Some);
            }
        }
        Ok(None)
    }
}

/// Loads an image, and writes the sentence of an error into the program's log.
fn load_image(module: Out<usize>, image: In<c_char>, options: &Options, name: &str) -> Result {
    require(!module.is_null())?;
    let first: Vec<u8> = (0..4)
        .map_while(|at| image.element(at).ok().filter(|byte| *byte != 0))
        .map(|byte| byte as u8)
        .collect();
    if BINARIES.iter().any(|magic| first == magic) {
        return Err(Status::NO_BINARY_FOR_GPU);
    }
    match load(image.text().map_err(|_| Status::INVALID_IMAGE)?, name) {
        Ok(handle) => module.set(handle),
        Err((error, sentence)) => {
            let (buffer, size) = (options.value(ERROR_LOG_BUFFER)?, options.value(ERROR_LOG_BUFFER_SIZE)?);
            if let (Some(buffer), Some(size)) = (buffer, size) {
                let _ = Out::<c_char>::at(buffer).write_text(&sentence, size);
            }
            Err(error)
        }
    }
}

/// `cuModuleLoadData`. Only PTX is taken.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleLoadData(module: Out<usize>, image: In<c_char>) -> Status {
    call("cuModuleLoadData", || load_image(module, image, &Options::NONE, "cuModuleLoadData"))
}

/// `cuModuleLoadDataEx`. Only PTX is taken; of the options only the log of errors has an effect.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleLoadDataEx(
    module: Out<usize>,
    image: In<c_char>,
    count: u32,
    numbers: In<u32>,
    values: In<usize>,
) -> Status {
    let options = Options { count, numbers, values };
    call("cuModuleLoadDataEx", || load_image(module, image, &options, "cuModuleLoadDataEx"))
}

/// `cuModuleUnload`.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleUnload(module: usize) -> Status {
    call("cuModuleUnload", || {
        context::current()?;
        unload(module, "cuModuleUnload")
    })
}

/// `cuModuleGetFunction`.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetFunction(function: Out<usize>, module: usize, name: In<c_char>) -> Status {
    call("cuModuleGetFunction", || {
        context::current()?;
        require(!function.is_null())?;
        function.set(function_of(module, name.text()?)?)
    })
}

/// `cuModuleGetFunctionCount`.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetFunctionCount(count: Out<u32>, module: usize) -> Status {
    call("cuModuleGetFunctionCount", || {
        context::current()?;
        count.set(MODULES.get(module)?.entries.len() as u32)
    })
}

/// `cuModuleGetGlobal`. No module of the double has a global variable.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetGlobal_v2(
    address: Out<u64>,
    size: Out<usize>,
    module: usize,
    name: In<c_char>,
) -> Status {
    call("cuModuleGetGlobal", || {
        context::current()?;
        MODULES.get(module)?;
        require(!(address.is_null() && size.is_null()))?;
        name.text().and(Err(Status::NOT_FOUND))
    })
}

/// `cuModuleGetLoadingMode`.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleGetLoadingMode(mode: Out<u32>) -> Status {
    // `CU_MODULE_EAGER_LOADING` and `CU_MODULE_LAZY_LOADING`.
    call("cuModuleGetLoadingMode", || mode.set(if is_eager() { 1 } else { 2 }))
}

/// `cuFuncGetModule`.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetModule(module: Out<usize>, function: usize) -> Status {
    call("cuFuncGetModule", || {
        context::current()?;
        module.set(FUNCTIONS.get(function)?.module)
    })
}
