//! Queries about windows: name, group, hints and predefined attributes.

use std::ffi::{CString, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Win;
use super::with::with;
use crate::abi::{Abi, Numbers, TextLimit};
use crate::arguments::{GroupHandle, InfoHandle, Output, TextPlace, WinHandle};
use crate::constants as c;
use crate::error::{Class, Error, Result};
use crate::info::{ASSERTED_KINDS, Pairs};

/// Keys that the standard reserves. Other keys are ignored. All are kept; those that change something
/// do so when the window is made.
const KNOWN: [&str; 9] = [
    "no_locks",
    "accumulate_ordering",
    "accumulate_ops",
    "same_size",
    "same_disp_unit",
    "alloc_shared_noncontig",
    "mpi_accumulate_granularity",
    "mpi_minimum_memory_alignment",
    ASSERTED_KINDS,
];

/// Hints that every window has, with the standard's defaults.
const DEFAULTS: [(&str, &str); 2] =
    [("accumulate_ordering", "rar,raw,war,waw"), ("accumulate_ops", "same_op_no_op")];

/// The hints of a new window.
pub(super) fn first_hints(given: &Pairs) -> Pairs {
    let mut hints = Pairs::default();
    for (key, value) in DEFAULTS.into_iter().chain(given.iter().filter(|(key, _)| KNOWN.contains(key))) {
        // Those that are given were set before, so they are not too long.
        let _ = hints.set(key, value);
    }
    hints
}

/// The hints of the standard among these.
pub(super) fn known_hints(given: &Pairs) -> Pairs {
    let mut known = Pairs::default();
    for (key, value) in given.iter().filter(|(key, _)| KNOWN.contains(key)) {
        // They were set before, so they are not too long.
        let _ = known.set(key, value);
    }
    known
}

/// `MPI_Win_get_group`.
pub unsafe fn get_group(win: WinHandle, group: Output<GroupHandle>) -> Result<()> {
    with(win, |win| {
        group.set(Arc::clone(&win.group).handle());
        Ok(())
    })
}

/// `MPI_Win_get_info`.
pub unsafe fn get_info(win: WinHandle, info: Output<InfoHandle>) -> Result<()> {
    with(win, |win| {
        info.set(win.info.lock().clone().with_memory_kinds().handle());
        Ok(())
    })
}

/// `MPI_Win_set_info`.
pub unsafe fn set_info(win: WinHandle, info: InfoHandle) -> Result<()> {
    with(win, |win| {
        let given = known_hints(&Pairs::of_handle_or_null(info)?);
        let mut hints = win.info.lock();
        given.iter().try_for_each(|(key, value)| hints.set(key, value))
    })
}

/// `MPI_Win_set_name`.
pub unsafe fn set_name(win: WinHandle, name: CString) -> Result<()> {
    with(win, |win| {
        let bytes = name.as_bytes().len();
        if bytes >= c::MAX_OBJECT_NAME {
            let text = format!("a name of {bytes} bytes; at most {} are possible", c::MAX_OBJECT_NAME - 1);
            return Err(Error::new(Class::ARG, text));
        }
        *win.name.lock() = Some(name);
        Ok(())
    })
}

/// `MPI_Win_get_name`.
pub unsafe fn get_name(win: WinHandle, name: TextPlace, length: Output<i32>) -> Result<()> {
    // MPI_WIN_NULL has a name since MPI 4.1, although it is no window.
    if win.is_null() {
        length.set(name.put(b"MPI_WIN_NULL", TextLimit::ObjectName));
        return Ok(());
    }
    with(win, |win| {
        let set = win.name.lock().clone();
        length.set(name.put(set.as_ref().map_or(b"", |name| name.as_bytes()), TextLimit::ObjectName));
        Ok(())
    })
}

impl Win {
    /// The value of a predefined key as a number. `None`: the key is not predefined.
    pub fn predefined_word<A: Abi>(&self, keyval: i32) -> Option<usize> {
        let own = &self.targets[self.rank() as usize];
        Some(match keyval {
            c::WIN_BASE => self.base,
            c::WIN_SIZE => own.bytes as usize,
            c::WIN_DISP_UNIT => own.disp_unit as usize,
            c::WIN_CREATE_FLAVOR => A::raw_number(Numbers::WinFlavor, self.flavor) as usize,
            c::WIN_MODEL => A::raw_number(Numbers::WinModel, c::WIN_UNIFIED) as usize,
            _ => return None,
        })
    }

    /// The value of a predefined key, as C gets it: the memory, or the address of a number. `None`: the key
    /// is not predefined.
    pub fn predefined<A: Abi>(&self, keyval: i32) -> Option<*mut c_void> {
        let word = self.predefined_word::<A>(keyval)?;
        let place = match keyval {
            c::WIN_BASE => return Some(std::ptr::with_exposed_provenance_mut(word)),
            c::WIN_SIZE => {
                self.values.size.store(word as isize, Ordering::Relaxed);
                return Some(self.values.size.as_ptr().cast());
            }
            c::WIN_DISP_UNIT => &self.values.disp_unit,
            c::WIN_CREATE_FLAVOR => &self.values.flavor,
            _ => &self.values.model,
        };
        place.store(i32::try_from(word).unwrap_or(i32::MAX), Ordering::Relaxed);
        Some(place.as_ptr().cast())
    }
}
