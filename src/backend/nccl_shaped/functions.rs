//! The library's functions that we call, found by name.

use std::ffi::{CString, c_char, c_int, c_void};

use super::{Dialect, outcome};
use crate::sys::foreign_library::ForeignLibrary;

/// Handle of a communicator of the library.
pub type Handle = *mut c_void;

/// The id that rank 0 makes and all ranks pass to the library, by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UniqueId<const BYTES: usize>(pub [u8; BYTES]);

/// A reduction: `(send, recv, count, datatype, operator, communicator, stream)`.
pub type Reducing =
    unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, c_int, Handle, *mut c_void) -> c_int;
/// A reduction to a root: `(send, recv, count, datatype, operator, root, communicator, stream)`.
pub type ReducingToRoot =
    unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, c_int, c_int, Handle, *mut c_void) -> c_int;
/// A movement of data: `(send, recv, count, datatype, communicator, stream)`.
pub type Moving = unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, Handle, *mut c_void) -> c_int;
/// A movement with a root: `(send, recv, count, datatype, root, communicator, stream)`.
pub type MovingWithRoot =
    unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, c_int, Handle, *mut c_void) -> c_int;
/// A message: `(buffer, count, datatype, peer, communicator, stream)`.
pub type MessageFn = unsafe extern "C" fn(*mut u8, usize, c_int, c_int, Handle, *mut c_void) -> c_int;
/// Initialisation: `(communicator out, ranks, id, rank, configuration)`. The number of ranks is an int for
/// NCCL and a size_t for oneCCL. It is passed in a register, of which an int ignores the upper half.
pub type Init<const ID: usize> =
    unsafe extern "C" fn(*mut Handle, usize, UniqueId<ID>, c_int, *mut c_void) -> c_int;

/// The table of functions. Those that a library may lack, or that later versions added, are optional.
#[allow(missing_docs)]
pub struct Functions<const ID: usize> {
    pub get_version: unsafe extern "C" fn(*mut c_int) -> c_int,
    pub get_error_text: unsafe extern "C" fn(Handle) -> *const c_char,
    pub get_unique_id: unsafe extern "C" fn(*mut UniqueId<ID>) -> c_int,
    pub init: Init<ID>,
    pub finalize: unsafe extern "C" fn(Handle) -> c_int,
    pub destroy: unsafe extern "C" fn(Handle) -> c_int,
    pub abort: Option<unsafe extern "C" fn(Handle) -> c_int>,
    pub get_async_error: Option<unsafe extern "C" fn(Handle, *mut c_int) -> c_int>,
    pub all_reduce: Reducing,
    pub reduce: ReducingToRoot,
    pub broadcast: MovingWithRoot,
    pub all_gather: Moving,
    pub reduce_scatter: Reducing,
    pub all_to_all: Option<Moving>,
    pub gather: Option<MovingWithRoot>,
    pub scatter: Option<MovingWithRoot>,
    pub group_start: unsafe extern "C" fn() -> c_int,
    pub group_end: unsafe extern "C" fn() -> c_int,
    pub send: MessageFn,
    pub recv: MessageFn,
}

impl<const ID: usize> Functions<ID> {
    /// Finds the functions. An error names a missing one, and the first NCCL version that has it.
    ///
    /// # Safety
    /// The library is the one that the dialect describes: its functions have these arguments.
    pub unsafe fn bind(library: &ForeignLibrary, dialect: &Dialect) -> Result<Functions<ID>, String> {
        let names = Names { library, prefix: dialect.prefix };
        // SAFETY: our caller's promise.
        unsafe { names.functions(dialect.all_to_all) }
    }

    /// The library's text about the last failure, of a communicator or, for NULL, of all.
    ///
    /// # Safety
    /// The handle is NULL, or that of a communicator that lives during the call.
    pub unsafe fn last_error(&self, handle: Handle) -> String {
        // SAFETY: our caller's promise.
        let pointer = unsafe { (self.get_error_text)(handle) };
        // SAFETY: NULL or terminated, by the library's documentation; it stays until the next error.
        unsafe { outcome::text(pointer) }
    }
}

/// A library, and the prefix of the names to look up.
struct Names<'a> {
    library: &'a ForeignLibrary,
    prefix: &'a str,
}

impl Names<'_> {
    /// # Safety
    /// See [`Functions::bind`].
    #[allow(
        clippy::multiple_unsafe_ops_per_block,
        reason = "one promise, of the caller, for a table of equal look-ups"
    )]
    unsafe fn functions<const ID: usize>(&self, all_to_all: &str) -> Result<Functions<ID>, String> {
        // SAFETY: our caller promises the library, and each name has the type of its field there.
        unsafe {
            Ok(Functions {
                get_version: self.required("GetVersion", "2.0")?,
                get_error_text: self.required("GetLastError", "2.13")?,
                get_unique_id: self.required("GetUniqueId", "2.0")?,
                init: self.required("CommInitRankConfig", "2.14")?,
                finalize: self.required("CommFinalize", "2.14")?,
                destroy: self.required("CommDestroy", "2.0")?,
                abort: self.optional("CommAbort"),
                get_async_error: self.optional("CommGetAsyncError"),
                all_reduce: self.required("AllReduce", "2.0")?,
                reduce: self.required("Reduce", "2.0")?,
                broadcast: self.required("Broadcast", "2.2")?,
                all_gather: self.required("AllGather", "2.0")?,
                reduce_scatter: self.required("ReduceScatter", "2.0")?,
                all_to_all: self.optional(all_to_all),
                gather: self.optional("Gather"),
                scatter: self.optional("Scatter"),
                group_start: self.required("GroupStart", "2.0")?,
                group_end: self.required("GroupEnd", "2.0")?,
                send: self.required("Send", "2.7")?,
                recv: self.required("Recv", "2.7")?,
            })
        }
    }

    /// # Safety
    /// If the library has a function of this name, it is of type `F`.
    unsafe fn optional<F: Copy>(&self, name: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let name = CString::new(format!("{}{name}", self.prefix)).ok()?;
        let address = self.library.symbol(&name)?;
        // SAFETY: the address of a function, which is what an `F` is, by our caller's promise; the sizes are
        // equal.
        Some(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
    }

    /// # Safety
    /// See [`Names::optional`].
    unsafe fn required<F: Copy>(&self, name: &str, since: &str) -> Result<F, String> {
        // SAFETY: our caller's promise.
        let found = unsafe { self.optional(name) };
        found.ok_or_else(|| format!("it has no {}{name}, which NCCL has since {since}", self.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::nccl::NCCL;

    #[test]
    fn a_library_without_them_is_refused_with_the_first_name_that_is_missing() {
        let library = ForeignLibrary::loaded("libc.so.6").expect("this program uses it");
        // SAFETY: it has none of these functions, so none is called.
        let Err(why) = (unsafe { Functions::<128>::bind(&library, &NCCL) }) else {
            panic!("libc is no NCCL")
        };
        assert_eq!(why, "it has no pncclGetVersion, which NCCL has since 2.0");
    }
}
