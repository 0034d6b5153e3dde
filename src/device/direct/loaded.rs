//! The kernels of the library, loaded into a context.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::base::{Datatype, Error, ReduceOp, Result};
use crate::device::context_key::ContextKey;
use crate::device::driver::{CudaDriver, LIBRARY, driver_table};
use crate::device::handles::{CudaContext, CudaStream};
use crate::device::kernels::{COPY, Shape, WAIT, WaitArguments, ptx, reduction};
use crate::sys::foreign_library::ForeignLibrary;

/// A `CUmodule`, as a number.
type Module = usize;
/// A `CUfunction`, as a number.
type Function = usize;

driver_table! {
    load: c"cuModuleLoadData", (*mut Module, *const c_char);
    function: c"cuModuleGetFunction", (*mut Function, Module, *const c_char);
    load_function: c"cuFuncLoad", (Function);
    launch: c"cuLaunchKernel", (
        Function, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint,
        CudaStream, *const *const c_void, *const *const c_void
    );
    attribute: c"cuDeviceGetAttribute", (*mut c_int, c_uint, c_int);
}

fn table() -> Result<&'static Table> {
    static TABLE: OnceLock<std::result::Result<Table, String>> = OnceLock::new();
    let opened = TABLE.get_or_init(|| {
        // SAFETY: the driver's own name; it is open already.
        Table::of(&unsafe { ForeignLibrary::open(LIBRARY) }?)
    });
    opened.as_ref().map_err(|why| Error::Unsupported(format!("the CUDA driver cannot load kernels: {why}")))
}

/// The kernels in one context. They stay loaded until the context ends.
pub struct Kernels {
    driver: &'static CudaDriver,
    table: &'static Table,
    multiprocessors: u32,
    functions: HashMap<&'static CStr, Function>,
}

/// The kernels of all contexts that have some.
static LOADED: Mutex<Vec<(ContextKey, &'static Kernels)>> = Mutex::new(Vec::new());

impl Kernels {
    /// The kernels in the context, which is current. The first time, the driver compiles them for its device,
    /// which may take seconds; it keeps the result for later processes.
    pub fn of(driver: &'static CudaDriver, context: CudaContext, device: c_int) -> Result<&'static Kernels> {
        let context = ContextKey::of(driver, context)?;
        let mut loaded = LOADED.lock();
        if let Some((_, kernels)) = loaded.iter().find(|(known, _)| *known == context) {
            return Ok(kernels);
        }
        let table = table()?;
        let text = ptx()?;
        let mut module = 0;
        // SAFETY: writes one handle; a terminated text.
        let result = unsafe { (table.load)(&mut module, text.as_ptr()) };
        driver.check("cuModuleLoadData", result)?;
        const MULTIPROCESSORS: c_uint = 16;
        let mut count = 0;
        // SAFETY: writes one number.
        let result = unsafe { (table.attribute)(&mut count, MULTIPROCESSORS, device) };
        driver.check("cuDeviceGetAttribute", result)?;
        let multiprocessors = u32::try_from(count).unwrap_or(1).max(1);
        let mut kernels = Kernels { driver, table, multiprocessors, functions: HashMap::new() };
        kernels.load_all(module)?;
        let kernels: &'static Kernels = Box::leak(Box::new(kernels));
        loaded.push((context, kernels));
        Ok(kernels)
    }

    /// Multiprocessors of the device.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// Loads every function that calls may need. The driver would do so at a first launch, and may wait for
    /// all work of the device then, while a stream waits for that launch.
    fn load_all(&mut self, module: Module) -> Result<()> {
        let made = ReduceOp::ALL.into_iter().chain(ReduceOp::MADE);
        let pairs = made.flat_map(|op| Datatype::ALL.map(|datatype| (datatype, op)));
        let entries = pairs.filter_map(|(datatype, op)| Some(reduction(datatype, op)?.entry));
        for entry in entries.chain([COPY, WAIT]) {
            if self.functions.contains_key(entry) {
                continue;
            }
            let mut function = 0;
            // SAFETY: writes one handle; a loaded module and a terminated name.
            let result = unsafe { (self.table.function)(&mut function, module, entry.as_ptr()) };
            self.driver.check("cuModuleGetFunction", result)?;
            // SAFETY: a function of that module.
            let result = unsafe { (self.table.load_function)(function) };
            self.driver.check("cuFuncLoad", result)?;
            self.functions.insert(entry, function);
        }
        Ok(())
    }

    /// The function of an entry.
    pub fn function(&self, entry: &'static CStr) -> Result<Function> {
        let function = self.functions.get(entry).copied();
        function.ok_or_else(|| Error::Internal(format!("no kernel {}", entry.to_string_lossy())))
    }

    /// Puts a launch of one thread into a stream of the current context. It waits for a word, and sets
    /// another one.
    pub fn wait(&self, arguments: &WaitArguments, stream: CudaStream) -> Result<()> {
        let function = self.function(WAIT)?;
        // SAFETY: the kernel takes these arguments, which name words of pinned memory.
        unsafe { self.launch_with(function, Shape { grid: [1; 3], block: [1; 3] }, arguments, stream) }
    }

    /// Puts a launch into a stream of the current context. The kernel reads its table at `arguments`.
    ///
    /// # Safety
    /// When the stream comes to it, a table of the entry lies at `arguments`, and what it names may be read
    /// and written.
    pub unsafe fn launch(
        &self,
        function: Function,
        shape: Shape,
        arguments: u64,
        stream: CudaStream,
    ) -> Result<()> {
        // SAFETY: passed on from our caller.
        unsafe { self.launch_with(function, shape, &arguments, stream) }
    }

    /// Puts a launch with these parameters into a stream of the current context.
    ///
    /// # Safety
    /// The function takes a `T`, and what it names may be used as the kernel does.
    unsafe fn launch_with<T: Copy>(
        &self,
        function: Function,
        shape: Shape,
        arguments: &T,
        stream: CudaStream,
    ) -> Result<()> {
        let parameters: [*const c_void; 1] = [ptr::from_ref(arguments).cast()];
        let ([x, y, z], [threads, rows, layers]) = (shape.grid, shape.block);
        // SAFETY: one parameter, which the call copies; the rest is passed on from our caller.
        let result = unsafe {
            (self.table.launch)(
                function,
                x,
                y,
                z,
                threads,
                rows,
                layers,
                0,
                stream,
                parameters.as_ptr(),
                ptr::null(),
            )
        };
        self.driver.check("cuLaunchKernel", result)
    }
}
