//! Modules: PTX that a program loads, its functions, and their launches.
//!
//! The double does not run PTX. It reads names and parameters of the entries out of it (`ptx`). A launch
//! runs the function of that name in `cuda-double-kernels`, which is the same source compiled for the host.
//! It runs on the thread of the stream, and its accesses go through [`crate::launch::DeviceView`].
//!
//! Functions are loaded lazily, as by default since CUDA 12.2: the first launch of a function loads it, and
//! that may synchronise the device. `cuFuncLoad` loads it before; `CUDA_MODULE_LOADING=EAGER` loads all
//! functions with their module.

pub mod api;
pub mod function;
pub mod launch;
mod ptx;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_double_kernels::Kernel;
use parking_lot::Mutex;

use crate::context::{self, Context};
use crate::counts::{self, Kind};
use crate::handles::{Table, fresh};
use crate::loud;
use crate::status::{Result, Status};
use ptx::Entry;

/// A loaded module.
pub struct Module {
    context: usize,
    entries: Vec<Entry>,
    /// The handles of the functions that the program has asked for, each with its name.
    functions: Mutex<Vec<(String, usize)>>,
}

/// A function of a module.
pub struct Function {
    context: usize,
    module: usize,
    entry: Entry,
    kernel: Kernel,
    is_loaded: AtomicBool,
}

static MODULES: Table<Module> = Table::empty();
static FUNCTIONS: Table<Function> = Table::empty();

/// Whether functions are loaded with their module.
pub fn is_eager() -> bool {
    std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|mode| mode.eq_ignore_ascii_case("EAGER"))
}

/// Loads a module from PTX. An error has a sentence for the log of the program.
fn load(text: &str, call: &str) -> std::result::Result<usize, (Status, String)> {
    let context = context::current().map_err(|error| (error, String::new()))?;
    let entries = ptx::entries(text).map_err(|(error, sentence)| {
        loud::say(&format!("{call}: {sentence}"));
        (error, sentence)
    })?;
    context.device.drain(call);
    let handle = fresh();
    let module = Module { context: context.handle, entries, functions: Mutex::default() };
    MODULES.insert(handle, Arc::new(module));
    counts::add(Kind::Modules, 1);
    Ok(handle)
}

/// The function `name` of a module. Asked again, it has the same handle.
fn function_of(handle: usize, name: &str) -> Result<usize> {
    let module = MODULES.get(handle)?;
    let mut functions = module.functions.lock();
    if let Some((_, known)) = functions.iter().find(|(known, _)| known == name) {
        return Ok(*known);
    }
    let entry = module.entries.iter().find(|entry| entry.name == name).ok_or(Status::NOT_FOUND)?;
    let Some(kernel) = cuda_double_kernels::find(name) else {
        loud::say(&format!("the PTX has {name}, but the double has no host code for it"));
        return Err(Status::NOT_SUPPORTED);
    };
    let (function, is_loaded) = (fresh(), AtomicBool::new(is_eager()));
    let (context, entry) = (module.context, entry.clone());
    let object = Function { context, module: handle, entry, kernel, is_loaded };
    FUNCTIONS.insert(function, Arc::new(object));
    functions.push((name.to_owned(), function));
    Ok(function)
}

/// Ends a module and its functions. Queued work runs first.
fn unload(handle: usize, call: &str) -> Result {
    let module = MODULES.get(handle)?;
    context::get(module.context)?.device.drain_always(call);
    MODULES.remove(handle)?;
    FUNCTIONS.remove_all(|function| function.module == handle);
    counts::add(Kind::Modules, -1);
    Ok(())
}

/// Forgets the modules of a context that ends.
pub fn forget_modules_of(context: usize) {
    FUNCTIONS.remove_all(|function| function.context == context);
    let ended = MODULES.remove_all(|module| module.context == context);
    counts::add(Kind::Modules, -(ended as i64));
}

impl Function {
    /// Loads the code, unless it is loaded.
    fn load(&self, context: &Context, call: &str) {
        if !self.is_loaded.swap(true, Ordering::AcqRel) {
            context.device.drain(&format!("{call}, which loads {},", self.entry.name));
        }
    }
}
