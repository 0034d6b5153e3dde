//! Handles in Fortran: `MPI_Comm_c2f` and the others, which Open MPI has as functions. A predefined object
//! has the number that Fortran programs were compiled with; an object of the program has its own number.

use std::ffi::{c_int, c_void};

use anyccl_mpi::abi::{Abi, Object};
use anyccl_mpi::call::{Scope, call};
use anyccl_mpi::fortran;

use crate::objects::{by_address, by_fortran};
use crate::open_mpi::{Door, FIRST_MADE};

/// What the conversion of an unknown handle gives, as in Open MPI.
const UNKNOWN: c_int = -1;

fn to_fortran(object: Object, handle: usize) -> c_int {
    match by_address(object, handle) {
        Some(row) => row.fortran,
        None => match Door::id(object, handle) {
            number @ FIRST_MADE..0x8000_0000 => number.cast_signed(),
            _ => UNKNOWN,
        },
    }
}

/// NULL stands for a number that is no object's.
fn from_fortran(object: Object, number: c_int) -> usize {
    match by_fortran(object, number) {
        Some(row) => row.handle(),
        None if number >= FIRST_MADE.cast_signed() => Door::handle(object, number.cast_unsigned()),
        None => 0,
    }
}

macro_rules! conversions {
    ($($object:ident: $to:ident $to_twin:ident $from:ident $from_twin:ident;)*) => {$(
        conversions! { @to $object $to }
        conversions! { @to $object $to_twin }
        conversions! { @from $object $from }
        conversions! { @from $object $from_twin }
    )*};
    (@to $object:ident $name:ident) => {
        #[doc = concat!("`", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(handle: usize) -> c_int {
            to_fortran(Object::$object, handle)
        }
    };
    (@from $object:ident $name:ident) => {
        #[doc = concat!("`", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(number: c_int) -> usize {
            from_fortran(Object::$object, number)
        }
    };
}

conversions! {
    Comm: MPI_Comm_c2f PMPI_Comm_c2f MPI_Comm_f2c PMPI_Comm_f2c;
    Errhandler: MPI_Errhandler_c2f PMPI_Errhandler_c2f MPI_Errhandler_f2c PMPI_Errhandler_f2c;
    Group: MPI_Group_c2f PMPI_Group_c2f MPI_Group_f2c PMPI_Group_f2c;
    Info: MPI_Info_c2f PMPI_Info_c2f MPI_Info_f2c PMPI_Info_f2c;
    Message: MPI_Message_c2f PMPI_Message_c2f MPI_Message_f2c PMPI_Message_f2c;
    Op: MPI_Op_c2f PMPI_Op_c2f MPI_Op_f2c PMPI_Op_f2c;
    Request: MPI_Request_c2f PMPI_Request_c2f MPI_Request_f2c PMPI_Request_f2c;
    Session: MPI_Session_c2f PMPI_Session_c2f MPI_Session_f2c PMPI_Session_f2c;
    Datatype: MPI_Type_c2f PMPI_Type_c2f MPI_Type_f2c PMPI_Type_f2c;
    Win: MPI_Win_c2f PMPI_Win_c2f MPI_Win_f2c PMPI_Win_f2c;
}

/// Conversions of statuses for Fortran 2008: the bytes are the same in all forms.
macro_rules! statuses {
    ($($name:ident $twin:ident;)*) => {$(
        statuses! { @one $name }
        statuses! { @one $twin }
    )*};
    (@one $name:ident) => {
        #[doc = concat!("`", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(from: *const c_void, to: *mut c_void) -> c_int {
            call::<Door>(stringify!($name), Scope::Process, || {
                // SAFETY: the program passes two statuses.
                unsafe { fortran::status_to_fortran::<Door>(from, to) }
            })
        }
    };
}

statuses! {
    MPI_Status_c2f08 PMPI_Status_c2f08;
    MPI_Status_f082c PMPI_Status_f082c;
    MPI_Status_f082f PMPI_Status_f082f;
    MPI_Status_f2f08 PMPI_Status_f2f08;
}
