//! The search for an MPI library. It takes the one that the user names, else the one that the program has
//! initialised, else what the loader finds.

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use super::constants::{Constants, Handle};
use super::engine::Mpi;
use super::{identity, mpich, open_mpi, standard};
use crate::backend::engine::ForeignEngine;
use crate::backend::library::open_first;
use crate::base::Result;
use crate::config::{self, BackendName};
use crate::sys;
use crate::sys::foreign_library::ForeignLibrary;

/// Names for the loader. The standard interface comes first: it is the same for all implementations.
const NAMES: [&str; 4] = ["libmpi_abi.so.1", "libmpi.so.12", "libmpich.so.12", "libmpi.so.40"];

/// Opens MPI. It is neither initialised nor adopted yet.
pub fn open() -> Result<Arc<dyn ForeignEngine>> {
    let named = config::raw("ANYCCL_MPI_LIB").or_else(sys::mpi::initialized);
    let names = named.map_or_else(|| NAMES.map(String::from).to_vec(), |name| vec![name]);
    open_first(BackendName::Mpi, &names, bind)
}

/// Determines which interface a library has, and finds its functions.
fn bind(library: ForeignLibrary) -> std::result::Result<Arc<dyn ForeignEngine>, String> {
    identity::check(&library)?;
    if library.symbol(open_mpi::COMM_WORLD).is_some() {
        let constants = open_mpi::constants(&library)?;
        return engine(&library, Box::leak(Box::new(constants)));
    }
    if abi_version(&library).is_some_and(|major| major > 0) {
        return match abi_version(&library) {
            Some(1) => engine(&library, &standard::CONSTANTS),
            other => Err(format!("it has version {other:?} of the standard ABI; version 1 is known")),
        };
    }
    engine(&library, &mpich::CONSTANTS)
}

fn engine<H: Handle>(
    library: &ForeignLibrary,
    constants: &'static Constants<H>,
) -> std::result::Result<Arc<dyn ForeignEngine>, String> {
    Ok(Arc::new(Mpi::new(library, constants)?))
}

/// Version of the standard interface; `None` or below 1 for a library with another interface.
fn abi_version(library: &ForeignLibrary) -> Option<c_int> {
    const NAME: &CStr = c"MPI_Abi_get_version";
    let address = library.symbol(NAME)?;
    // SAFETY: MPI 5.0 gives the function of this name this type; it may be called before MPI is initialised.
    let function: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int =
        unsafe { std::mem::transmute::<*mut c_void, _>(address) };
    let (mut major, mut minor) = (0, 0);
    // SAFETY: room for two ints.
    let status = unsafe { function(&mut major, &mut minor) };
    (status == 0).then_some(major)
}
