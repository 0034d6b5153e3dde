//! Queries of communicators, and their names and hints.

use std::ffi::CString;

use super::Comm;
use crate::abi::TextLimit;
use crate::arguments::{CommHandle, InfoHandle, Output, TextPlace};
use crate::constants as c;
use crate::error::{Class, Error, Result};
use crate::info::{ASSERTED_KINDS, Pairs};

/// `MPI_Comm_rank`.
pub unsafe fn rank(comm: CommHandle, rank: Output<i32>) -> Result<()> {
    rank.set(Comm::from_handle(comm)?.rank() as i32);
    Ok(())
}

/// `MPI_Comm_size`.
pub unsafe fn size(comm: CommHandle, size: Output<i32>) -> Result<()> {
    size.set(Comm::from_handle(comm)?.size() as i32);
    Ok(())
}

/// `MPI_Comm_remote_size`.
pub unsafe fn remote_size(comm: CommHandle, size: Output<i32>) -> Result<()> {
    size.set(Comm::from_handle(comm)?.intercommunicator()?.remote.size() as i32);
    Ok(())
}

/// `MPI_Comm_test_inter`.
pub unsafe fn test_inter(comm: CommHandle, flag: Output<bool>) -> Result<()> {
    flag.set(Comm::from_handle(comm)?.inter().is_some());
    Ok(())
}

/// `MPI_Comm_compare`.
pub unsafe fn compare(comm1: CommHandle, comm2: CommHandle, result: Output<i32>) -> Result<()> {
    let (one, other) = (Comm::from_handle(comm1)?, Comm::from_handle(comm2)?);
    if one.id == other.id {
        result.set(c::IDENT);
        return Ok(());
    }
    let local = one.group().compare(other.group());
    let remote = match (one.inter(), other.inter()) {
        (None, None) => c::IDENT,
        (Some(one), Some(other)) => one.remote.compare(&other.remote),
        (Some(_), None) | (None, Some(_)) => c::UNEQUAL,
    };
    // The results are numbered from MPI_IDENT to MPI_UNEQUAL. Communicators with different contexts are
    // congruent at best.
    result.set(local.max(remote).max(c::CONGRUENT));
    Ok(())
}

/// `MPI_Comm_get_parent`. No process was spawned, so there is no parent.
pub unsafe fn get_parent(parent: Output<CommHandle>) -> Result<()> {
    crate::state::world()?;
    parent.set(CommHandle::NULL);
    Ok(())
}

/// `MPI_Comm_set_name`.
pub unsafe fn set_name(comm: CommHandle, name: CString) -> Result<()> {
    if name.as_bytes().len() >= c::MAX_OBJECT_NAME {
        let text = format!(
            "a name of {} bytes; at most {} are possible",
            name.as_bytes().len(),
            c::MAX_OBJECT_NAME - 1
        );
        return Err(Error::new(Class::ARG, text));
    }
    *Comm::from_handle(comm)?.name.lock() = Some(name);
    Ok(())
}

/// `MPI_Comm_get_name`.
pub unsafe fn get_name(comm: CommHandle, name: TextPlace, length: Output<i32>) -> Result<()> {
    // MPI_COMM_NULL has a name since MPI 4.1, although it is no communicator.
    if comm.is_null() {
        length.set(name.put(b"MPI_COMM_NULL", TextLimit::ObjectName));
        return Ok(());
    }
    let comm = Comm::from_handle(comm)?;
    let set = comm.name.lock().clone();
    let text = match (&set, comm.id) {
        (Some(text), _) => text.as_bytes(),
        (None, c::COMM_WORLD) => b"MPI_COMM_WORLD",
        (None, c::COMM_SELF) => b"MPI_COMM_SELF",
        (None, _) => b"",
    };
    length.set(name.put(text, TextLimit::ObjectName));
    Ok(())
}

impl Pairs {
    /// The assertions of MPI among these hints. Other hints are ignored.
    pub(super) fn known_hints(&self) -> Pairs {
        const TRUTHS: [&str; 4] = [
            "mpi_assert_no_any_tag",
            "mpi_assert_no_any_source",
            "mpi_assert_exact_length",
            "mpi_assert_allow_overtaking",
        ];
        let mut known = Pairs::default();
        for (key, value) in self.iter() {
            let is_truth = TRUTHS.contains(&key) && matches!(value, "true" | "false");
            if is_truth || key == ASSERTED_KINDS {
                // It comes from a set of pairs, so it fits.
                let _ = known.set(key, value);
            }
        }
        known
    }
}

/// `MPI_Comm_set_info`. The assertions are kept; nothing depends on them.
pub unsafe fn set_info(comm: CommHandle, info: InfoHandle) -> Result<()> {
    let hints = Pairs::of_handle(info)?.known_hints();
    let comm = Comm::from_handle(comm)?;
    let mut kept = comm.info.lock();
    hints.iter().try_for_each(|(key, value)| kept.set(key, value))
}

/// `MPI_Comm_get_info`.
pub unsafe fn get_info(comm: CommHandle, info: Output<InfoHandle>) -> Result<()> {
    let hints = Comm::from_handle(comm)?.info.lock().clone();
    info.set(hints.with_memory_kinds().handle());
    Ok(())
}
