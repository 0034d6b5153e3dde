//! The standard interface of MPI 5.0, `libmpi_abi.so.1`. Every implementation uses the same numbers (MPI 5.0,
//! chapter 20).

use super::constants::{Constants, Operators, Pointer, Types};

pub static CONSTANTS: Constants<Pointer> = Constants {
    interface: "standard ABI",
    comm_world: Pointer::number(0x101),
    errors_return: Pointer::number(0x143),
    types: Types {
        int8: Pointer::number(0x240),
        uint8: Pointer::number(0x241),
        int16: Pointer::number(0x248),
        uint16: Pointer::number(0x249),
        int32: Pointer::number(0x250),
        uint32: Pointer::number(0x251),
        int64: Pointer::number(0x258),
        uint64: Pointer::number(0x259),
        float: Pointer::number(0x210),
        double: Pointer::number(0x214),
        c_bool: Pointer::number(0x238),
        c_float_complex: Pointer::number(0x212),
        c_double_complex: Pointer::number(0x216),
        byte: Pointer::number(0x247),
    },
    operators: Operators {
        sum: Pointer::number(0x21),
        prod: Pointer::number(0x24),
        min: Pointer::number(0x22),
        max: Pointer::number(0x23),
        band: Pointer::number(0x28),
        bor: Pointer::number(0x29),
        bxor: Pointer::number(0x2a),
        land: Pointer::number(0x30),
        lor: Pointer::number(0x31),
        lxor: Pointer::number(0x32),
    },
    in_place: 1,
    status_ignore: 0,
    any_source: -1,
    any_tag: -2,
    thread_multiple: 4096,
};
