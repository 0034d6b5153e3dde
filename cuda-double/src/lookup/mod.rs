//! Exported functions by name: `cuGetProcAddress`.

mod names;

use std::ffi::{c_char, c_int, c_void};

use self::names::FUNCTIONS;
use crate::argument::{In, Out};
use crate::entry::before_init;
use crate::exported::{base, plain};
use crate::settings::settings;
use crate::status::{Status, require};

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
const PER_THREAD: u64 = 2;

/// The version of the driver that first had a form, for forms whose arguments differ from the older one.
const SINCE: [(&str, c_int); 3] =
    [("cuCtxCreate_v3", 11040), ("cuCtxCreate_v4", 12050), ("cuStreamGetCaptureInfo_v3", 12030)];

/// The newest form of the function `name` that a program for `version` knows; the one for the thread's
/// default stream if there is one and it is asked.
fn find(name: &str, version: c_int, is_per_thread: bool) -> Option<*const c_void> {
    let is_known = |form: &str| SINCE.iter().all(|(new, since)| plain(form) != *new || version >= *since);
    let newest = |of_thread: bool| {
        let forms = FUNCTIONS.iter().filter(|form| base(form.name) == name && is_known(form.name));
        let forms = forms.filter(|form| (plain(form.name) != form.name) == of_thread);
        // `name_v3` comes after `name_v2`, and that after `name`.
        forms.max_by_key(|form| plain(form.name))
    };
    let found = if is_per_thread { newest(true).or_else(|| newest(false)) } else { newest(false) };
    found.map(|function| function.address)
}

fn answer(
    name: In<c_char>,
    function: Out<*const c_void>,
    version: c_int,
    flags: u64,
    status: Out<c_int>,
) -> Status {
    let found = || {
        let name = name.text()?;
        require(!function.is_null() && flags <= PER_THREAD)?;
        // A name with a suffix is not known to the driver.
        require(base(name) == name).map_err(|_| Status::NOT_FOUND)?;
        find(name, version, flags == PER_THREAD).ok_or(Status::NOT_FOUND)
    };
    let found = found();
    let code = match found {
        Ok(_) => 0,
        // `CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND`.
        Err(_) => 1,
    };
    status.set_if_asked(code);
    function.set_if_asked(found.unwrap_or(std::ptr::null()));
    found.map(drop).into()
}

/// `cuGetProcAddress`. The program gets the newest form that it can know. No function of this name is an
/// error.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetProcAddress(
    name: In<c_char>,
    function: Out<*const c_void>,
    version: c_int,
    flags: u64,
) -> Status {
    look_up(name, function, version, flags, Out::null())
}

/// `cuGetProcAddress_v2`. The program gets the newest form that it can know. If there is no function of this
/// name, the call succeeds with NULL, and the status tells.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetProcAddress_v2(
    name: In<c_char>,
    function: Out<*const c_void>,
    version: c_int,
    flags: u64,
    status: Out<c_int>,
) -> Status {
    match look_up(name, function, version, flags, status) {
        Status::NOT_FOUND => Status::SUCCESS,
        outcome => outcome,
    }
}

fn look_up(
    name: In<c_char>,
    function: Out<*const c_void>,
    version: c_int,
    flags: u64,
    status: Out<c_int>,
) -> Status {
    let mut outcome = Status::INVALID_VALUE;
    before_init("cuGetProcAddress", || {
        require(version <= settings().version)?;
        outcome = answer(name, function, version, flags, status);
        if outcome == Status::SUCCESS { Ok(()) } else { Err(outcome) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::api::{cuCtxCreate_v2, cuCtxCreate_v4};
    use crate::event::{cuEventRecord, cuEventRecord_ptsz};

    #[test]
    fn a_program_gets_the_form_that_its_version_knows() {
        assert_eq!(find("cuCtxCreate", 11000, false), Some(cuCtxCreate_v2 as *const c_void));
        assert_eq!(find("cuCtxCreate", 12080, false), Some(cuCtxCreate_v4 as *const c_void));
        assert_eq!(find("cuEventRecord", 12080, false), Some(cuEventRecord as *const c_void));
        assert_eq!(find("cuEventRecord", 12080, true), Some(cuEventRecord_ptsz as *const c_void));
        assert_eq!(find("cuCtxCreate_v2", 12080, false), None);
    }
}
