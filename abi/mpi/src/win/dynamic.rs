//! Memory of dynamic windows.

use std::ffi::c_void;

use super::Win;
use super::control::PIECES;
use super::with::with;
use crate::arguments::WinHandle;
use crate::constants::WIN_FLAVOR_DYNAMIC;
use crate::error::{Class, Error, Result};
use crate::types::host_memory::check_host;

/// Begins and ends of pieces of memory, given by address and length. Pieces without a gap between them are
/// one: an access may reach from one to the next.
pub(super) fn joined(pieces: impl Iterator<Item = (u64, u64)>) -> Vec<(i128, i128)> {
    let ends = |(start, len): (u64, u64)| (i128::from(start), i128::from(start) + i128::from(len));
    let mut all: Vec<(i128, i128)> = pieces.filter(|(_, len)| *len > 0).map(ends).collect();
    all.sort_unstable();
    all.dedup_by(|next, last| {
        let follows = next.0 == last.1;
        if follows {
            last.1 = next.1;
        }
        follows
    });
    all
}

fn check_dynamic(win: &Win) -> Result<()> {
    if win.flavor == WIN_FLAVOR_DYNAMIC {
        return Ok(());
    }
    Err(Error::new(Class::RMA_FLAVOR, "memory is attached to windows of MPI_Win_create_dynamic only"))
}

/// `MPI_Win_attach`.
pub unsafe fn attach(win: WinHandle, base: *mut c_void, size: i64) -> Result<()> {
    with(win, |win| {
        check_dynamic(win)?;
        let start = base.expose_provenance();
        let len = usize::try_from(size).ok().filter(|len| start.checked_add(*len).is_some());
        let len = len.ok_or_else(|| Error::new(Class::SIZE, format!("size is {size}")))?;
        if len == 0 {
            // Nobody can access it, but it may be detached.
            win.attached.lock().push((start, 0));
            return Ok(());
        }
        if start == 0 {
            return Err(Error::new(Class::BASE, "base is NULL"));
        }
        check_host(base.cast(), len, "memory of a window, which the processor accesses")?;
        let mut attached = win.attached.lock();
        if attached.iter().any(|(its, bytes)| start < its + bytes && *its < start + len) {
            return Err(Error::new(Class::RMA_ATTACH, "some of the memory is attached already"));
        }
        let entry = (0..PIECES).find(|entry| win.control.piece(win.rank(), *entry).1 == 0);
        let text = || format!("{PIECES} pieces of memory are attached, which is the limit");
        let entry = entry.ok_or_else(|| Error::new(Class::RMA_ATTACH, text()))?;
        win.control.set_piece(win.rank(), entry, start as u64, len as u64);
        attached.push((start, len));
        Ok(())
    })
}

/// `MPI_Win_detach`.
pub unsafe fn detach(win: WinHandle, base: *const c_void) -> Result<()> {
    with(win, |win| {
        check_dynamic(win)?;
        let mut attached = win.attached.lock();
        let Some(at) = attached.iter().position(|(start, _)| *start == base.addr()) else {
            return Err(Error::new(Class::BASE, "no memory was attached at this address"));
        };
        let (start, len) = attached.swap_remove(at);
        if len == 0 {
            return Ok(());
        }
        let is_it = |entry: &usize| {
            let (its, len) = win.control.piece(win.rank(), *entry);
            len > 0 && its == start as u64
        };
        if let Some(entry) = (0..PIECES).find(is_it) {
            win.control.set_piece(win.rank(), entry, 0, 0);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn pieces_without_a_gap_are_one() {
        let pieces = [(40, 8), (10, 10), (30, 5), (20, 10), (48, 0), (36, 4)];
        assert_eq!(joined(pieces.into_iter()), [(10, 35), (36, 48)]);
    }
}
