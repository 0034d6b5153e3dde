//! Control variables: the environment variables that the library reads, as strings.

use std::ffi::CString;

use anyccl_engine::config::{self, VARIABLES};

use super::{at, check, text};
use crate::arguments::{
    DatatypeHandle, InputOutput, Output, RecvAddress, SendAddress, TextPlace, ToolHandle,
};
use crate::constants as c;
use crate::error::{Class, Error, Result};
use crate::table::Table;

/// A handle to a variable: its value, with a zero at the end, when the handle was made.
struct Variable(Vec<u8>);

static HANDLES: Table<Variable> = Table::new("handle of a control variable", Class::T_INVALID_HANDLE);

/// `MPI_T_cvar_get_num`.
pub unsafe fn get_num(number: Option<Output<i32>>) -> Result<()> {
    check()?;
    number.iter().for_each(|number| number.set(VARIABLES.len() as i32));
    Ok(())
}

/// `MPI_T_cvar_get_info`.
pub unsafe fn get_info(
    index: i32,
    name: Option<TextPlace>,
    name_len: Option<InputOutput<i32>>,
    verbosity: Option<Output<i32>>,
    datatype: Option<Output<DatatypeHandle>>,
    enumtype: Option<Output<ToolHandle>>,
    desc: Option<TextPlace>,
    desc_len: Option<InputOutput<i32>>,
    bind: Option<Output<i32>>,
    scope: Option<Output<i32>>,
) -> Result<()> {
    check()?;
    let variable = at(VARIABLES, index, "control variable")?;
    text::put(variable.name, name, name_len);
    text::put(variable.meaning, desc, desc_len);
    verbosity.iter().for_each(|place| place.set(c::T_VERBOSITY_USER_ALL));
    datatype.iter().for_each(|place| place.set(DatatypeHandle(c::CHAR)));
    enumtype.iter().for_each(|place| place.set(ToolHandle::NULL));
    bind.iter().for_each(|place| place.set(c::T_BIND_NO_OBJECT));
    scope.iter().for_each(|place| place.set(c::T_SCOPE_READONLY));
    Ok(())
}

/// `MPI_T_cvar_get_index`.
pub unsafe fn get_index(name: CString, index: Option<Output<i32>>) -> Result<()> {
    check()?;
    let found = VARIABLES.iter().position(|variable| variable.name.as_bytes() == name.as_bytes());
    let found =
        found.ok_or_else(|| Error::new(Class::T_INVALID_NAME, "there is no variable of this name"))?;
    index.iter().for_each(|index| index.set(found as i32));
    Ok(())
}

/// `MPI_T_cvar_handle_alloc`.
pub unsafe fn handle_alloc(
    index: i32,
    _object: *mut std::ffi::c_void,
    handle: Output<ToolHandle>,
    count: Option<Output<i32>>,
) -> Result<()> {
    check()?;
    let variable = at(VARIABLES, index, "control variable")?;
    let mut value = config::raw(variable.name).unwrap_or_else(|| variable.default.into()).into_bytes();
    value.push(0);
    count.iter().for_each(|count| count.set(value.len() as i32));
    handle.set(ToolHandle(HANDLES.insert(Variable(value).into()) as usize));
    Ok(())
}

/// `MPI_T_cvar_handle_free`.
pub unsafe fn handle_free(handle: InputOutput<ToolHandle>) -> Result<()> {
    check()?;
    HANDLES.remove(handle.get().number())?;
    handle.set(ToolHandle::NULL);
    Ok(())
}

/// `MPI_T_cvar_read`.
pub unsafe fn read(handle: ToolHandle, buf: RecvAddress) -> Result<()> {
    check()?;
    let variable = HANDLES.get(handle.number())?;
    if buf.pointer().is_null() {
        return Err(Error::new(Class::T_INVALID, "buf is NULL"));
    }
    // SAFETY: the program passes memory for the number of characters that came with the handle.
    unsafe { std::ptr::copy_nonoverlapping(variable.0.as_ptr(), buf.pointer(), variable.0.len()) };
    Ok(())
}

/// `MPI_T_cvar_write`.
pub unsafe fn write(handle: ToolHandle, _buf: SendAddress) -> Result<()> {
    check()?;
    HANDLES.get(handle.number())?;
    let text = "environment variables are set before the program starts, and read when MPI does";
    Err(Error::new(Class::T_CVAR_SET_NEVER, text))
}
