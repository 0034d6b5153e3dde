//! The interface of Open MPI 4 and 5, `libmpi.so.40`. A predefined handle is the address of an object in the
//! library, or in the program that is linked with it.

use std::ffi::CStr;

use super::constants::{Constants, Operators, Pointer, Types};
use crate::sys::foreign_library::ForeignLibrary;

/// The object behind `MPI_COMM_WORLD`. No other MPI has it.
pub const COMM_WORLD: &CStr = c"ompi_mpi_comm_world";

/// Finds every object. An error names the first that is missing.
pub fn constants(library: &ForeignLibrary) -> Result<Constants<Pointer>, String> {
    let object = |name: &CStr| {
        let address = library.object(name, c"MPI_Initialized").map(Pointer);
        address.ok_or_else(|| format!("it has no {}", name.to_string_lossy()))
    };
    Ok(Constants {
        interface: "Open MPI ABI",
        comm_world: object(COMM_WORLD)?,
        errors_return: object(c"ompi_mpi_errors_return")?,
        types: Types {
            int8: object(c"ompi_mpi_int8_t")?,
            uint8: object(c"ompi_mpi_uint8_t")?,
            int16: object(c"ompi_mpi_int16_t")?,
            uint16: object(c"ompi_mpi_uint16_t")?,
            int32: object(c"ompi_mpi_int32_t")?,
            uint32: object(c"ompi_mpi_uint32_t")?,
            int64: object(c"ompi_mpi_int64_t")?,
            uint64: object(c"ompi_mpi_uint64_t")?,
            float: object(c"ompi_mpi_float")?,
            double: object(c"ompi_mpi_double")?,
            c_bool: object(c"ompi_mpi_c_bool")?,
            c_float_complex: object(c"ompi_mpi_c_float_complex")?,
            c_double_complex: object(c"ompi_mpi_c_double_complex")?,
            byte: object(c"ompi_mpi_byte")?,
        },
        operators: Operators {
            sum: object(c"ompi_mpi_op_sum")?,
            prod: object(c"ompi_mpi_op_prod")?,
            min: object(c"ompi_mpi_op_min")?,
            max: object(c"ompi_mpi_op_max")?,
            band: object(c"ompi_mpi_op_band")?,
            bor: object(c"ompi_mpi_op_bor")?,
            bxor: object(c"ompi_mpi_op_bxor")?,
            land: object(c"ompi_mpi_op_land")?,
            lor: object(c"ompi_mpi_op_lor")?,
            lxor: object(c"ompi_mpi_op_lxor")?,
        },
        in_place: 1,
        status_ignore: 0,
        any_source: -1,
        any_tag: -1,
        thread_multiple: 3,
    })
}
