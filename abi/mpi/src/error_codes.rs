//! Error classes and codes, their strings, and those that the program adds (MPI 5.0, sections 9.4 and 9.5).
//!
//! Numbers above `MPI_ERR_LASTCODE` are given in order, and never again after they were removed.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::abi::TextLimit;
use crate::arguments::{Output, TextPlace};
use crate::errhandler::last_detail;
use crate::error::{Class, Error, Result};

/// Error classes and codes of the program.
struct Added {
    /// Largest number so far.
    last: i32,
    codes: BTreeMap<i32, Code>,
}

struct Code {
    /// Class of the code; for a class, its own number.
    class: i32,
    /// The string; empty if there is none.
    text: Vec<u8>,
}

static ADDED: Mutex<Added> = Mutex::new(Added { last: Class::LASTCODE.0, codes: BTreeMap::new() });

impl Added {
    fn add(&mut self, class: Option<i32>) -> i32 {
        self.last += 1;
        let class = class.unwrap_or(self.last);
        self.codes.insert(self.last, Code { class, text: Vec::new() });
        self.last
    }

    /// A code or class of the program.
    fn get(&mut self, code: i32) -> Result<&mut Code> {
        self.codes.get_mut(&code).ok_or_else(|| unknown(code))
    }

    /// The class of a code.
    fn class_of(&self, code: i32) -> Result<i32> {
        let added = self.codes.get(&code).map(|code| code.class);
        let known = (0..=Class::LASTCODE.0).contains(&code).then_some(code);
        added.or(known).ok_or_else(|| unknown(code))
    }

    fn remove(&mut self, code: i32, is_class: bool) -> Result<()> {
        let is_used = self.codes.iter().any(|(other, its)| *other != code && its.class == code);
        let found = self.get(code)?;
        if (found.class == code) != is_class {
            let (is, is_not) = if is_class { ("code", "class") } else { ("class", "code") };
            return Err(Error::new(Class::ARG, format!("{code} is an error {is}, no error {is_not}")));
        }
        if is_used {
            return Err(Error::new(Class::ARG, format!("error class {code} has codes; remove them first")));
        }
        if !found.text.is_empty() {
            return Err(Error::new(Class::ARG, format!("error {code} has a string; remove that first")));
        }
        self.codes.remove(&code);
        Ok(())
    }
}

#[cold]
fn unknown(code: i32) -> Error {
    Error::new(Class::ARG, format!("{code} is no error code that the program has added"))
}

/// Value of `MPI_LASTUSEDCODE`.
pub fn last_used() -> i32 {
    ADDED.lock().last
}

/// `MPI_Add_error_class`.
pub unsafe fn add_class(errorclass: Output<i32>) -> Result<()> {
    errorclass.set(ADDED.lock().add(None));
    Ok(())
}

/// `MPI_Add_error_code`.
pub unsafe fn add_code(errorclass: i32, errorcode: Output<i32>) -> Result<()> {
    let mut added = ADDED.lock();
    if added.class_of(errorclass)? != errorclass {
        return Err(Error::new(Class::ARG, format!("{errorclass} is an error code, no error class")));
    }
    errorcode.set(added.add(Some(errorclass)));
    Ok(())
}

/// `MPI_Add_error_string`.
pub unsafe fn add_string(errorcode: i32, string: std::ffi::CString) -> Result<()> {
    ADDED.lock().get(errorcode)?.text = string.into_bytes();
    Ok(())
}

/// `MPI_Remove_error_class`.
pub unsafe fn remove_class(errorclass: i32) -> Result<()> {
    ADDED.lock().remove(errorclass, true)
}

/// `MPI_Remove_error_code`.
pub unsafe fn remove_code(errorcode: i32) -> Result<()> {
    ADDED.lock().remove(errorcode, false)
}

/// `MPI_Remove_error_string`.
pub unsafe fn remove_string(errorcode: i32) -> Result<()> {
    let mut added = ADDED.lock();
    let code = added.get(errorcode)?;
    if code.text.is_empty() {
        return Err(Error::new(Class::ARG, format!("error {errorcode} has no string")));
    }
    code.text.clear();
    Ok(())
}

/// `MPI_Error_class`.
pub unsafe fn class(errorcode: i32, errorclass: Output<i32>) -> Result<()> {
    errorclass.set(ADDED.lock().class_of(errorcode)?);
    Ok(())
}

/// `MPI_Error_string`: the meaning of the class, and the sentence of this thread's last error of that class.
pub unsafe fn string(errorcode: i32, string: TextPlace, length: Output<i32>) -> Result<()> {
    let own = ADDED.lock().codes.get(&errorcode).map(|code| code.text.clone());
    let text = match own {
        Some(text) => text,
        None => {
            ADDED.lock().class_of(errorcode)?;
            let class = Class(errorcode);
            let mut text = class.meaning().to_string();
            if let Some(detail) = last_detail(class) {
                text = format!("{text}. {detail}");
            }
            text.into_bytes()
        }
    };
    length.set(string.put(&text, TextLimit::ErrorString));
    Ok(())
}

impl Class {
    /// Name and meaning of the class.
    pub fn meaning(self) -> &'static str {
        let at = match self {
            Class::PROC_FAILED => return "MPIX_ERR_PROC_FAILED: a process is lost",
            Class::PROC_FAILED_PENDING => {
                return "MPIX_ERR_PROC_FAILED_PENDING: a process is lost that may have sent";
            }
            Class::REVOKED => return "MPIX_ERR_REVOKED: the communicator is revoked",
            Class(number @ FIRST_OF_TOOLS..) => {
                let at = (number - FIRST_OF_TOOLS) as usize;
                return MEANINGS_OF_TOOLS.get(at).copied().unwrap_or(UNKNOWN);
            }
            Class(number) => usize::try_from(number).unwrap_or(usize::MAX),
        };
        MEANINGS.get(at).copied().unwrap_or(UNKNOWN)
    }
}

const UNKNOWN: &str = "an error class that this library does not know";

/// The first class of the tool information interface.
const FIRST_OF_TOOLS: i32 = Class::T_CANNOT_INIT.0;

/// Names and meanings of the classes of the tool information interface, in the order of their numbers.
const MEANINGS_OF_TOOLS: [&str; 18] = [
    "MPI_T_ERR_CANNOT_INIT: the tool interface cannot be initialized",
    "MPI_T_ERR_NOT_ACCESSIBLE: not accessible now",
    "MPI_T_ERR_NOT_INITIALIZED: the tool interface is not initialized",
    "MPI_T_ERR_NOT_SUPPORTED: not supported",
    "MPI_T_ERR_MEMORY: no memory left",
    "MPI_T_ERR_INVALID: invalid use of the tool interface",
    "MPI_T_ERR_INVALID_INDEX: invalid index",
    "MPI_T_ERR_INVALID_ITEM: invalid item of an enumeration",
    "MPI_T_ERR_INVALID_SESSION: invalid session of a tool",
    "MPI_T_ERR_INVALID_HANDLE: invalid handle of a tool",
    "MPI_T_ERR_INVALID_NAME: there is no variable or category of this name",
    "MPI_T_ERR_OUT_OF_HANDLES: no handles are left",
    "MPI_T_ERR_OUT_OF_SESSIONS: no sessions are left",
    "MPI_T_ERR_CVAR_SET_NOT_NOW: the variable cannot be set now",
    "MPI_T_ERR_CVAR_SET_NEVER: the variable can never be set",
    "MPI_T_ERR_PVAR_NO_WRITE: the variable cannot be written",
    "MPI_T_ERR_PVAR_NO_STARTSTOP: the variable cannot be started or stopped",
    "MPI_T_ERR_PVAR_NO_ATOMIC: the variable cannot be read and reset at once",
];

/// Names and meanings of the other classes, in the order of their numbers.
const MEANINGS: [&str; 63] = [
    "MPI_SUCCESS: no error",
    "MPI_ERR_BUFFER: invalid buffer",
    "MPI_ERR_COUNT: invalid count",
    "MPI_ERR_TYPE: invalid datatype",
    "MPI_ERR_TAG: invalid tag",
    "MPI_ERR_COMM: invalid communicator",
    "MPI_ERR_RANK: invalid rank",
    "MPI_ERR_REQUEST: invalid request",
    "MPI_ERR_ROOT: invalid root",
    "MPI_ERR_GROUP: invalid group",
    "MPI_ERR_OP: invalid operator",
    "MPI_ERR_TOPOLOGY: invalid topology",
    "MPI_ERR_DIMS: invalid dimensions",
    "MPI_ERR_ARG: invalid argument",
    "MPI_ERR_UNKNOWN: unknown error",
    "MPI_ERR_TRUNCATE: message truncated",
    "MPI_ERR_OTHER: other error",
    "MPI_ERR_INTERN: internal error",
    "MPI_ERR_PENDING: the request is neither complete nor failed",
    "MPI_ERR_IN_STATUS: the error is in the status",
    "MPI_ERR_ACCESS: no permission",
    "MPI_ERR_AMODE: invalid access mode",
    "MPI_ERR_ASSERT: invalid assertion",
    "MPI_ERR_BAD_FILE: invalid file name",
    "MPI_ERR_BASE: invalid address of memory to be freed",
    "MPI_ERR_CONVERSION: a conversion function has failed",
    "MPI_ERR_DISP: invalid displacement",
    "MPI_ERR_DUP_DATAREP: the data representation is defined already",
    "MPI_ERR_FILE_EXISTS: the file exists",
    "MPI_ERR_FILE_IN_USE: the file is in use",
    "MPI_ERR_FILE: invalid file handle",
    "MPI_ERR_INFO_KEY: invalid info key",
    "MPI_ERR_INFO_NOKEY: the info object has no such key",
    "MPI_ERR_INFO_VALUE: invalid info value",
    "MPI_ERR_INFO: invalid info object",
    "MPI_ERR_IO: input or output has failed",
    "MPI_ERR_KEYVAL: invalid key of attributes",
    "MPI_ERR_LOCKTYPE: invalid kind of lock",
    "MPI_ERR_NAME: the service name is not published",
    "MPI_ERR_NO_MEM: no memory left",
    "MPI_ERR_NOT_SAME: processes have passed different arguments",
    "MPI_ERR_NO_SPACE: no space left",
    "MPI_ERR_NO_SUCH_FILE: the file does not exist",
    "MPI_ERR_PORT: invalid port name",
    "MPI_ERR_QUOTA: the quota is exceeded",
    "MPI_ERR_READ_ONLY: the file or its system is read-only",
    "MPI_ERR_RMA_ATTACH: the memory cannot be attached",
    "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window",
    "MPI_ERR_RMA_RANGE: memory outside of the window",
    "MPI_ERR_RMA_SHARED: the memory cannot be shared",
    "MPI_ERR_RMA_SYNC: wrong synchronization of a window",
    "MPI_ERR_SERVICE: invalid service name",
    "MPI_ERR_SIZE: invalid size",
    "MPI_ERR_SPAWN: processes could not be spawned",
    "MPI_ERR_UNSUPPORTED_DATAREP: unsupported data representation",
    "MPI_ERR_UNSUPPORTED_OPERATION: unsupported operation",
    "MPI_ERR_WIN: invalid window",
    "MPI_ERR_RMA_FLAVOR: wrong flavor of window",
    "MPI_ERR_PROC_ABORTED: a process has ended",
    "MPI_ERR_VALUE_TOO_LARGE: the value is too large for its type",
    "MPI_ERR_SESSION: invalid session",
    "MPI_ERR_ERRHANDLER: invalid error handler",
    "MPI_ERR_ABI: unsupported ABI",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_their_own_meanings() {
        assert!(Class::SUCCESS.meaning().starts_with("MPI_SUCCESS"));
        assert!(Class::TRUNCATE.meaning().starts_with("MPI_ERR_TRUNCATE"));
        assert!(Class::KEYVAL.meaning().starts_with("MPI_ERR_KEYVAL"));
        assert!(Class::ABI.meaning().starts_with("MPI_ERR_ABI"));
        assert!(Class::T_PVAR_NO_ATOMIC.meaning().starts_with("MPI_T_ERR_PVAR_NO_ATOMIC"));
    }

    #[test]
    fn error_codes_in_use_are_not_removed() {
        let mut added = Added { last: Class::LASTCODE.0, codes: BTreeMap::new() };
        let class = added.add(None);
        let code = added.add(Some(class));
        added.get(code).unwrap().text = b"text".to_vec();
        assert!(added.remove(class, true).is_err());
        assert!(added.remove(code, false).is_err());
        added.get(code).unwrap().text.clear();
        assert!(added.remove(code, true).is_err());
        added.remove(code, false).unwrap();
        added.remove(class, true).unwrap();
        assert!(added.remove(class, true).is_err());
        assert_eq!(added.add(None), code + 1);
    }
}
