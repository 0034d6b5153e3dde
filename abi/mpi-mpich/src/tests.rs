//! Tests of this door's numbers against MPICH's own header, whose numbers are in
//! `mpi-tests/mpich_constants.txt`.

use std::ffi::c_int;

use anyccl_mpi::abi::{Abi, Object};

use crate::mpich::Door;

#[path = "../../mpi/testing/constants.rs"]
mod constants;

const TABLE: &str = include_str!("../../../mpi-tests/mpich_constants.txt");

#[test]
fn every_handle_of_the_header_is_translated_in_both_directions() {
    let objects = [
        (Object::Comm, "MPI_COMM_", 0x100..0x108),
        (Object::Group, "MPI_GROUP_", 0x108..0x110),
        (Object::Win, "MPI_WIN_NULL", 0x110..0x118),
        (Object::Session, "MPI_SESSION_NULL", 0x120..0x128),
        (Object::Message, "MPI_MESSAGE_", 0x128..0x130),
        (Object::Info, "MPI_INFO_", 0x130..0x138),
        (Object::Errhandler, "MPI_ERR", 0x140..0x148),
        (Object::Request, "MPI_REQUEST_NULL", 0x180..0x181),
        (Object::Op, "MPI_", 0x20..0x3e),
        (Object::Datatype, "MPI_", 0x200..0x300),
    ];
    let mut checked = 0;
    for (object, prefix, numbers) in objects {
        for row in constants::rows(TABLE, prefix) {
            let constants::Row { name, number, .. } = row;
            let raw = row.int();
            // Handles have their kind in the top bits; small numbers are not handles.
            let is_of_datatypes = raw.cast_unsigned() >> 26 & 0xf == 3;
            let is_other = matches!(object, Object::Datatype) && !is_of_datatypes;
            if !numbers.contains(&number) || raw.unsigned_abs() < 1 << 24 || is_other {
                continue;
            }
            // Names that MPICH defines as MPI_DATATYPE_NULL are missing types, and later additions are
            // missing, too.
            let is_null = raw == 0x0c00_0000 && name != "MPI_DATATYPE_NULL";
            if is_null || name == "MPI_ERRORS_ABORT" {
                continue;
            }
            assert_eq!(i64::from(Door::id(object, raw)), number, "{name} from the program");
            assert_eq!(Door::handle(object, number as u32), raw, "{name} for the program");
            checked += 1;
        }
    }
    assert!(checked > 90, "{checked}");
}

/// mpi4py's wheels use it for NumPy's `float16`. Names with `MPIX_` are not in the table of constants.
#[test]
fn half_precision_of_mpich_is_translated_in_both_directions() {
    for (raw, number) in
        [(0x4c00_0246, anyccl_mpi::constants::FLOAT16), (0x4c00_024c, anyccl_mpi::constants::BFLOAT16)]
    {
        assert_eq!(Door::id(Object::Datatype, raw), number);
        assert_eq!(Door::handle(Object::Datatype, number), raw);
    }
}

#[test]
fn every_number_of_the_header_is_translated_in_both_directions() {
    constants::check_all::<Door>(TABLE);
}

#[test]
fn objects_of_the_program_keep_their_numbers() {
    for object in [Object::Comm, Object::Datatype, Object::Group, Object::Op, Object::Request] {
        for id in [0x1000, 0x1001, (1 << 26) - 1] {
            assert_eq!(Door::id(object, Door::handle(object, id)), id);
        }
        for nonsense in [0, 1, -1, c_int::MIN, 0x1234_5678] {
            assert!(Door::id(object, nonsense) >= 1 << 26, "{object:?} {nonsense:#x}");
        }
    }
}
