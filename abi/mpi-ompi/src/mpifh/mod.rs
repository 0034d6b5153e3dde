//! MPI for Fortran, in the ABI of Open MPI: what its libmpi_mpifh.so.40 has. Here the functions are in
//! libmpi.so.40 itself, because they need its objects, and libmpi_mpifh.so.40 only leads to it.

mod functions;
mod names;

#[cfg(test)]
pub use names::NAMES;

use std::ffi::c_int;

use anyccl_mpi::abi::Object;
use anyccl_mpi::fortran::{InFortran, Sentinels};

use crate::fortran as common;
use crate::objects::{NOTHING, by_fortran, by_number};
use crate::open_mpi::{Door, FIRST_MADE};

impl InFortran for Door {
    fn of_fortran(object: Object, integer: c_int) -> u32 {
        if integer >= FIRST_MADE.cast_signed() {
            return integer.cast_unsigned();
        }
        by_fortran(object, integer).map_or(NOTHING, |row| row.number)
    }

    fn fortran(object: Object, id: u32) -> c_int {
        if id >= FIRST_MADE {
            return id.cast_signed();
        }
        by_number(id).filter(|row| row.object == object).map_or(-1, |row| row.fortran)
    }

    fn sentinels() -> Sentinels {
        Sentinels {
            bottom: (&raw const common::mpi_fortran_bottom_).addr(),
            in_place: (&raw const common::mpi_fortran_in_place_).addr(),
            status_ignore: (&raw const common::mpi_fortran_status_ignore_).addr(),
            statuses_ignore: (&raw const common::mpi_fortran_statuses_ignore_).addr(),
            unweighted: (&raw const common::mpi_fortran_unweighted_).addr(),
            weights_empty: (&raw const common::mpi_fortran_weights_empty_).addr(),
            buffer_automatic: 0,
        }
    }
}
