//! Shared libraries of others, opened at run time and kept until the end of the process.

use std::ffi::{CStr, CString, c_void};
use std::ptr;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};

/// An opened library. It is never closed, because its own threads may run in it until the end of the process.
pub struct ForeignLibrary {
    handle: *mut c_void,
    name: String,
}

// SAFETY: a handle of the loader is only read, and the loader has a lock of its own.
unsafe impl Send for ForeignLibrary {}
// SAFETY: as above.
unsafe impl Sync for ForeignLibrary {}

/// A library has symbols of its own, which it prefers to others. Sanitizers replace functions of the C
/// library everywhere, and refuse to open a library that keeps its own.
const OPEN_FLAGS: libc::c_int =
    RTLD_LAZY | RTLD_LOCAL | if cfg!(sanitizer) { 0 } else { libc::RTLD_DEEPBIND };

impl ForeignLibrary {
    /// Opens a file, or the library that the loader finds under a name, with symbols of its own. The library
    /// prefers its own functions to others of the same name, and no one else finds its functions by accident.
    /// An error is the text of the loader.
    ///
    /// # Safety
    /// The initialisers of the library run, whatever they are. The user has named the file, or the system's
    /// loader has found it.
    pub unsafe fn open(name: &str) -> Result<ForeignLibrary, String> {
        // SAFETY: passed on to our caller.
        let library = unsafe { Library::open(Some(name), OPEN_FLAGS) };
        let library = library.map_err(|error| describe(&error))?;
        Ok(ForeignLibrary { handle: library.into_raw(), name: name.to_string() })
    }

    /// The library of that name, if it is already in this process.
    pub fn loaded(name: &str) -> Option<ForeignLibrary> {
        let text = CString::new(name).ok()?;
        // SAFETY: a terminated name; NOLOAD runs no code.
        let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then(|| ForeignLibrary { handle, name: name.to_string() })
    }

    /// Name by which it was opened: a file, or a name for the loader.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Address of a function or an object, if the library has it.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: a handle that was opened and is never closed, and a terminated name.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }

    /// Address of a function in the version of that name, if the library has it.
    pub fn versioned_symbol(&self, name: &CStr, version: &CStr) -> Option<*mut c_void> {
        // SAFETY: a handle that was opened and is never closed, and terminated names.
        let address = unsafe { libc::dlvsym(self.handle, name.as_ptr(), version.as_ptr()) };
        (!address.is_null()).then_some(address)
    }

    /// Address of an object as the library itself sees it. A program that is linked with the library may hold
    /// the object in place of the library (a copy relocation), and the library then uses the program's.
    /// `function` is some function of the library.
    pub fn object(&self, name: &CStr, function: &CStr) -> Option<*mut c_void> {
        let own = self.symbol(name)?;
        let is_linked = self.symbol(function).is_some_and(|address| in_program(function) == Some(address));
        Some(if is_linked { in_program(name).unwrap_or(own) } else { own })
    }

    /// The file that contains a symbol of the library. If the loader does not know it, the name by which the
    /// library was opened.
    pub fn path(&self, symbol: &CStr) -> String {
        self.symbol(symbol).and_then(file_of).unwrap_or_else(|| self.name.clone())
    }
}

/// The address to which the program's own references to a symbol lead.
fn in_program(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a terminated name, which is looked up in the loader's default scope.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// The file that the code or data at an address was loaded from.
pub(crate) fn file_of(address: *mut c_void) -> Option<String> {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: asks about an address, whatever is there; writes one record, which outlives the call.
    let found = unsafe { libc::dladdr(address, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: not NULL, so a terminated text that the loader owns.
    Some(unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned())
}

fn describe(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { desc } => format!("{desc:?}").trim_matches('"').to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_named_with_the_loaders_reason() {
        // SAFETY: there is no such file.
        let refused = unsafe { ForeignLibrary::open("libno_such_engine.so.7") };
        let Err(reason) = refused else { panic!("it was opened") };
        assert!(reason.contains("libno_such_engine.so.7") && reason.contains("No such file"), "{reason}");
        assert!(ForeignLibrary::loaded("libno_such_engine.so.7").is_none());
    }

    #[test]
    fn the_c_library_is_loaded_and_says_where_it_is() {
        let library = ForeignLibrary::loaded("libc.so.6").expect("this program uses it");
        assert!(library.symbol(c"no_such_function").is_none());
        assert!(library.object(c"environ", c"getenv").is_some());
        assert!(library.path(c"malloc").contains("libc.so"), "{}", library.path(c"malloc"));
    }
}
