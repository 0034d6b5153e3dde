//! Tests of this door's numbers and objects against Open MPI's own header and libraries, whose numbers are in
//! `mpi-tests/ompi_constants.txt` and whose names are in `mpi-tests/ompi_names.txt`.

use anyccl_mpi::abi::{Abi, Numbers, Object};
use anyccl_mpi::error::Class;
use anyccl_mpi::status::Status;

use crate::exports;
use crate::exports::{MPI_Comm_c2f, MPI_Comm_f2c, MPI_Type_c2f, MPI_Type_f2c};
use crate::mpifh::NAMES;
use crate::objects::{PREDEFINED, SIZES, ompi_mpi_file_null};
use crate::open_mpi::{Door, RawStatus};

#[path = "../../mpi/testing/constants.rs"]
mod constants;

const TABLE: &str = include_str!("../../../mpi-tests/ompi_constants.txt");

#[test]
fn every_number_of_the_header_is_translated_in_both_directions() {
    constants::check_all::<Door>(TABLE);
}

#[test]
fn every_handle_of_the_header_is_translated_in_both_directions() {
    let mut checked = 0;
    for row in constants::rows(TABLE, "MPI_") {
        let Some(at) = SIZES.iter().position(|(symbol, _)| *symbol == row.value) else { continue };
        let object = &PREDEFINED[at];
        assert_eq!(i64::from(object.number), row.number, "{}", row.name);
        assert_eq!(Door::id(object.object, object.handle()), object.number, "{} from the program", row.name);
        assert_eq!(
            Door::handle(object.object, object.number),
            object.handle(),
            "{} for the program",
            row.name
        );
        checked += 1;
    }
    assert!(checked > 95, "{checked}");
}

#[test]
fn every_object_has_the_size_that_programs_copy() {
    let sizes = include_str!("../../../mpi-tests/ompi_names.txt").lines();
    let sizes = sizes.filter_map(|line| line.split_once(' ')).filter(|(name, _)| *name != "#");
    let mut checked = 0;
    for (name, bytes) in sizes.filter(|(name, _)| *name != "ompi_mpi_file_null") {
        let own = SIZES.iter().find(|(symbol, _)| *symbol == name);
        assert_eq!(own.map(|(_, size)| size.to_string()).as_deref(), Some(bytes), "{name}");
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
    assert_eq!(size_of_val(&ompi_mpi_file_null), 1536);
}

#[test]
fn a_handle_is_known_for_its_own_type_only() {
    for row in PREDEFINED {
        let other = if row.object == Object::Comm { Object::Group } else { Object::Comm };
        assert_eq!(Door::id(other, row.handle()), u32::MAX);
    }
}

#[test]
fn objects_of_the_program_keep_their_numbers() {
    for object in [Object::Comm, Object::Datatype, Object::Group, Object::Op, Object::Request, Object::Win] {
        for id in [0x1000, 0x1001, (1 << 31) - 1] {
            let handle = Door::handle(object, id);
            assert_eq!(Door::id(object, handle), id);
            // No address of a program is so large.
            assert!(handle >> 47 == 0x1_ffff, "{handle:#x}");
        }
        for nonsense in [0, 1, 2, usize::MAX, 0x4040_4040, Door::handle(object, 0x1000) & !0xffff_f000] {
            assert_eq!(Door::id(object, nonsense), u32::MAX, "{object:?} {nonsense:#x}");
        }
    }
    assert_eq!(Door::id(Object::Group, Door::handle(Object::Comm, 0x1000)), u32::MAX);
}

#[test]
fn handles_become_the_numbers_of_fortran_and_back() {
    for row in PREDEFINED.iter().filter(|row| row.object == Object::Datatype && row.fortran >= 0) {
        assert_eq!(MPI_Type_c2f(row.handle()), row.fortran);
        assert_eq!(MPI_Type_f2c(row.fortran), row.handle());
    }
    let made = Door::handle(Object::Comm, 0x1234);
    assert_eq!(MPI_Comm_f2c(MPI_Comm_c2f(made)), made);
    for nonsense in [-1, 3, 999, i32::MIN] {
        assert_eq!(MPI_Comm_f2c(nonsense), 0, "{nonsense}");
    }
    assert_eq!(MPI_Comm_c2f(0), -1);
}

#[test]
fn a_status_keeps_its_error_unless_the_call_tells_one() {
    let told =
        Status { error: Some(Class::TRUNCATE), bytes: i64::MAX, is_cancelled: true, ..Status::PROC_NULL };
    let raw = Door::raw_status(&told, &Door::raw_status(&Status::EMPTY, &ZERO));
    assert_eq!(Door::status(&raw), told);
    let next = Door::raw_status(&Status { error: None, ..Status::EMPTY }, &raw);
    assert_eq!(Door::status(&next).error, Some(Class::TRUNCATE));
}

#[test]
fn a_status_with_any_error_can_be_read() {
    for error in [i32::MIN, -1, 54, 93, i32::MAX] {
        let raw = Door::raw_status(&Status { error: Some(Class(error)), ..Status::EMPTY }, &ZERO);
        for raw in [raw, RawStatus::with_error(error)] {
            assert_eq!(Door::status(&raw).bytes, 0, "{error}");
        }
    }
}

const ZERO: RawStatus = RawStatus::with_error(0);

/// Keys of the standard ABI are no keys of Open MPI's, and codes of programs are above its last one.
#[test]
fn numbers_of_the_standard_mean_nothing_here() {
    for key in [501, 601, 100] {
        assert_eq!(Door::number(Numbers::Keyval, key), anyccl_mpi::constants::KEYVAL_INVALID);
    }
    assert_eq!(Door::number(Numbers::Keyval, 0x1000), 0x1000);
    // A number of no class here, and MPIX_ERR_REVOKED, which the standard does not have.
    for raw in [85, 77] {
        assert_eq!(Door::raw_number(Numbers::ErrorCode, Door::number(Numbers::ErrorCode, raw)), raw);
    }
    assert_eq!(Door::raw_number(Numbers::ErrorCode, Class::REVOKED.0), 77);
    assert_eq!(Door::raw_number(Numbers::ErrorCode, Class::LASTCODE.0 + 1), 93);
    assert_eq!(Door::number(Numbers::ErrorCode, 93), Class::LASTCODE.0 + 1);
}

/// Every function of the tables has its names in Fortran, apart from those that Open MPI does not have there.
#[test]
fn every_function_has_the_names_that_compilers_for_fortran_give_it() {
    let tables = [
        exports::ATTRIBUTES,
        exports::COLLECTIVES,
        exports::COMMUNICATORS,
        exports::DATATYPES,
        exports::ENVIRONMENT,
        exports::ERRORS,
        exports::FILES,
        exports::GROUPS,
        exports::INFO,
        exports::NEIGHBORHOOD,
        exports::OPERATORS,
        exports::P2P,
        exports::PROCESSES,
        exports::REQUESTS,
        exports::TOPOLOGIES,
        exports::WINDOWS,
    ];
    for function in tables.into_iter().flatten().filter(|function| !function.name.ends_with("_c")) {
        let is_given_back = function.name.ends_with("_detach_buffer");
        let found = NAMES.iter().any(|(name, _)| *name == function.name);
        assert_eq!(found, !is_given_back, "{}", function.name);
    }
    for (function, names) in NAMES {
        let lower = function.to_lowercase();
        let of = |prefix: &str| {
            let name = format!("{prefix}{lower}");
            [format!("{name}_"), name.clone(), format!("{name}__"), name.to_uppercase()]
        };
        let wanted: Vec<String> = of("").into_iter().chain(of("p")).chain([format!("o{lower}_f")]).collect();
        assert_eq!(names[..9], wanted, "{function}");
    }
}
