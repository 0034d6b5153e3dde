//! Keys of attributes whose functions are written in Fortran.

use std::ffi::{c_int, c_void};

use crate::abi::{Abi, Numbers};
use crate::arguments::{CopyFunction, outcome};
use crate::attribute::Kind;
use crate::attribute::fortran::{handle, make_key};
use crate::error::{Class, Error, Result};

/// The type of an attribute in Fortran: an INTEGER in MPI 1, and since an integer of the size of an address.
pub trait Word: Copy + 'static {
    fn of(word: usize) -> Self;
    fn word(self) -> usize;
}

impl Word for c_int {
    fn of(word: usize) -> c_int {
        word as c_int
    }

    fn word(self) -> usize {
        self as isize as usize
    }
}

impl Word for isize {
    fn of(word: usize) -> isize {
        word.cast_signed()
    }

    fn word(self) -> usize {
        self.cast_unsigned()
    }
}

type Copy_<W> = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut W, *mut W, *mut W, *mut c_int, *mut c_int);
type Delete<W> = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut W, *mut W, *mut c_int);

/// # Safety
/// `function` is the address of a copy function in Fortran for attributes of type `W`.
unsafe fn copy<A: Abi<Handle = c_int>, W: Word>(
    _: usize,
    function: usize,
    of: (Kind, u32),
    keyval: i32,
    extra: *mut c_void,
    value: usize,
) -> Result<Option<usize>> {
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<usize, Copy_<W>>(function) };
    let (mut object, mut keyval) = (handle::<A>(of.0, of.1), A::raw_number(Numbers::Keyval, keyval));
    let (mut extra, mut value, mut new) = (W::of(extra.addr()), W::of(value), W::of(0));
    let (mut flag, mut code) = (0, 0);
    // SAFETY: promised by the caller; all places outlive the call.
    unsafe {
        function(
            &raw mut object,
            &raw mut keyval,
            &raw mut extra,
            &raw mut value,
            &raw mut new,
            &raw mut flag,
            &raw mut code,
        );
    }
    outcome::<A>(code, "copy function of an attribute")?;
    Ok((flag != 0).then(|| new.word()))
}

/// # Safety
/// `function` is the address of a delete function in Fortran for attributes of type `W`.
unsafe fn delete<A: Abi<Handle = c_int>, W: Word>(
    _: usize,
    function: usize,
    of: (Kind, u32),
    keyval: i32,
    extra: *mut c_void,
    value: usize,
) -> Result<()> {
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<usize, Delete<W>>(function) };
    let (mut object, mut keyval) = (handle::<A>(of.0, of.1), A::raw_number(Numbers::Keyval, keyval));
    let (mut extra, mut value, mut code) = (W::of(extra.addr()), W::of(value), 0);
    // SAFETY: promised by the caller; all places outlive the call.
    unsafe {
        function(&raw mut object, &raw mut keyval, &raw mut value, &raw mut extra, &raw mut code);
    }
    outcome::<A>(code, "delete function of an attribute")
}

/// Stands for the way in which C calls a function: such a key never uses it.
///
/// # Safety
/// None.
unsafe fn copy_in_c(_: usize, _: u32, _: i32, _: *mut c_void, _: *mut c_void) -> Result<Option<*mut c_void>> {
    Err(Error::new(Class::INTERN, "a copy function of Fortran was called as one of C"))
}

/// Stands for the way in which C calls a delete function, like [`copy_in_c`].
///
/// # Safety
/// None.
unsafe fn delete_in_c(_: usize, _: u32, _: i32, _: *mut c_void, _: *mut c_void) -> Result<()> {
    Err(Error::new(Class::INTERN, "a delete function of Fortran was called as one of C"))
}

/// Makes a key whose functions and state are Fortran's. Returns its number.
pub fn create<A: Abi<Handle = c_int>, W: Word>(
    kind: Kind,
    copy_function: usize,
    delete_function: usize,
    extra: W,
) -> Result<i32> {
    let functions =
        (CopyFunction::Program(copy_function, copy_in_c), Some((delete_function, delete_in_c as _)));
    make_key(kind, functions, extra.word(), (copy::<A, W>, delete::<A, W>))
}
