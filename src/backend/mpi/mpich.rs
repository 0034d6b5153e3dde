//! The interface that MPICH, Intel MPI, MVAPICH and Cray MPI share, `libmpi.so.12`. Handles are ints whose
//! bits encode what they are.

use std::ffi::c_int;

use super::constants::{Constants, Operators, Types};

/// `MPI_IN_PLACE`, which is `(void *)-1`.
const IN_PLACE: usize = usize::MAX;

pub static CONSTANTS: Constants<c_int> = Constants {
    interface: "MPICH ABI",
    comm_world: 0x4400_0000,
    errors_return: 0x5400_0001,
    types: Types {
        int8: 0x4c00_0137,
        uint8: 0x4c00_013b,
        int16: 0x4c00_0238,
        uint16: 0x4c00_023c,
        int32: 0x4c00_0439,
        uint32: 0x4c00_043d,
        int64: 0x4c00_083a,
        uint64: 0x4c00_083e,
        float: 0x4c00_040a,
        double: 0x4c00_080b,
        c_bool: 0x4c00_013f,
        c_float_complex: 0x4c00_0840,
        c_double_complex: 0x4c00_1041,
        byte: 0x4c00_010d,
    },
    operators: Operators {
        sum: 0x5800_0003,
        prod: 0x5800_0004,
        min: 0x5800_0002,
        max: 0x5800_0001,
        band: 0x5800_0006,
        bor: 0x5800_0008,
        bxor: 0x5800_000a,
        land: 0x5800_0005,
        lor: 0x5800_0007,
        lxor: 0x5800_0009,
    },
    in_place: IN_PLACE,
    status_ignore: 1,
    any_source: -2,
    any_tag: -1,
    thread_multiple: 3,
};
