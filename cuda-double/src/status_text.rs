//! The names and sentences of result codes, for programs.

use std::ffi::c_char;

use crate::argument::Out;
use crate::status::{CODES, Result, Status};

fn texts(status: Status) -> Result<(&'static str, &'static str)> {
    let found = CODES.iter().find(|(number, ..)| *number == status.0);
    found.map(|&(_, name, sentence)| (name, sentence)).ok_or(Status::INVALID_VALUE)
}

/// `cuGetErrorName`; works before `cuInit`.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorName(status: Status, name: Out<*const c_char>) -> Status {
    let found = texts(status).map(|(name, _)| name.as_ptr().cast());
    answer(name, found)
}

/// `cuGetErrorString`; works before `cuInit`.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorString(status: Status, sentence: Out<*const c_char>) -> Status {
    let found = texts(status).map(|(_, sentence)| sentence.as_ptr().cast());
    answer(sentence, found)
}

/// Writes the text, or NULL for a code that does not exist.
fn answer(place: Out<*const c_char>, found: Result<*const c_char>) -> Status {
    let written = place.set(found.unwrap_or(std::ptr::null()));
    written.and(found.map(drop)).into()
}
