//! The data that Open MPI's predefined handles point to.
//!
//! A program that names `MPI_COMM_WORLD` has the address of `ompi_mpi_comm_world`. If it is not
//! position-independent, the loader copies the object into the program, and every library must use that copy.
//! So each object has the size that it has in Open MPI, and this library asks the loader for its address, as
//! everybody else does. Nobody reads an object: only its address counts.

use std::cell::UnsafeCell;
use std::sync::OnceLock;

use anyccl_mpi::abi::Object;
use anyccl_mpi::constants as c;

/// An object of which only address and size matter. Like a C object, it is aligned.
#[repr(C, align(16))]
pub struct Opaque<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);

// SAFETY: nothing reads or writes the bytes.
unsafe impl<const BYTES: usize> Sync for Opaque<BYTES> {}

impl<const BYTES: usize> Opaque<BYTES> {
    const fn new() -> Opaque<BYTES> {
        Opaque(UnsafeCell::new([0; BYTES]))
    }
}

/// A predefined handle.
pub struct Predefined {
    pub object: Object,
    /// The number of the standard ABI, or [`NOTHING`].
    pub number: u32,
    /// The number in Fortran, or [`NO_FORTRAN`].
    pub fortran: i32,
    address: *const u8,
}

// SAFETY: the address is compared, never followed.
unsafe impl Sync for Predefined {}

impl Predefined {
    /// The handle.
    pub fn handle(&self) -> usize {
        self.address.addr()
    }
}

/// Number that names nothing in either ABI.
pub const NOTHING: u32 = u32::MAX;
/// No number in Fortran stands for the object.
const NO_FORTRAN: i32 = -1;

/// Defines the objects. A row has the symbol, the number of the standard ABI, and that of Fortran. Rows of
/// one size and type stand together. Where two rows have the same number, the first is the handle that
/// programs get.
macro_rules! objects {
    ($($object:ident of $bytes:literal bytes { $($symbol:ident = $number:expr, $fortran:expr;)* })*) => {
        $($(
            #[doc = concat!("`", stringify!($symbol), "` of Open MPI.")]
            #[unsafe(no_mangle)]
            pub static $symbol: Opaque<$bytes> = Opaque::new();
        )*)*

        /// All predefined handles.
        pub static PREDEFINED: &[Predefined] = &[$($(Predefined {
            object: Object::$object,
            number: $number,
            fortran: $fortran,
            address: (&raw const $symbol).cast(),
        },)*)*];

        /// Symbols and sizes.
        #[cfg(test)]
        pub const SIZES: &[(&str, usize)] = &[$($((stringify!($symbol), $bytes),)*)*];
    };
}

objects! {
    Comm of 512 bytes {
        ompi_mpi_comm_world = c::COMM_WORLD, 0;
        ompi_mpi_comm_self = c::COMM_SELF, 1;
        ompi_mpi_comm_null = c::COMM_NULL, 2;
    }
    Group of 256 bytes {
        ompi_mpi_group_null = c::GROUP_NULL, 0;
        ompi_mpi_group_empty = c::GROUP_EMPTY, 1;
    }
    Request of 256 bytes {
        ompi_request_null = c::REQUEST_NULL, 0;
    }
    Message of 256 bytes {
        ompi_message_null = c::MESSAGE_NULL, 0;
        ompi_message_no_proc = c::MESSAGE_NO_PROC, 1;
    }
    Info of 256 bytes {
        ompi_mpi_info_null = c::INFO_NULL, 0;
        ompi_mpi_info_env = c::INFO_ENV, 1;
    }
    Win of 512 bytes {
        ompi_mpi_win_null = c::WIN_NULL, 0;
    }
    Session of 512 bytes {
        ompi_mpi_instance_null = c::SESSION_NULL, 0;
    }
    Errhandler of 1024 bytes {
        ompi_mpi_errhandler_null = c::ERRHANDLER_NULL, 0;
        ompi_mpi_errors_are_fatal = c::ERRORS_ARE_FATAL, 1;
        ompi_mpi_errors_return = c::ERRORS_RETURN, 2;
        ompi_mpi_errors_abort = c::ERRORS_ABORT, 3;
        // For programs in C++, which throw: to this library it is an unknown handler.
        ompi_mpi_errors_throw_exceptions = NOTHING, NO_FORTRAN;
    }
    Op of 2048 bytes {
        ompi_mpi_op_null = c::OP_NULL, 0;
        ompi_mpi_op_max = c::MAX, 1;
        ompi_mpi_op_min = c::MIN, 2;
        ompi_mpi_op_sum = c::SUM, 3;
        ompi_mpi_op_prod = c::PROD, 4;
        ompi_mpi_op_land = c::LAND, 5;
        ompi_mpi_op_band = c::BAND, 6;
        ompi_mpi_op_lor = c::LOR, 7;
        ompi_mpi_op_bor = c::BOR, 8;
        ompi_mpi_op_lxor = c::LXOR, 9;
        ompi_mpi_op_bxor = c::BXOR, 10;
        ompi_mpi_op_maxloc = c::MAXLOC, 11;
        ompi_mpi_op_minloc = c::MINLOC, 12;
        ompi_mpi_op_replace = c::REPLACE, 13;
        ompi_mpi_op_no_op = c::NO_OP, 14;
    }
    Datatype of 512 bytes {
        ompi_mpi_datatype_null = c::DATATYPE_NULL, 0;
        ompi_mpi_byte = c::BYTE, 1;
        ompi_mpi_packed = c::PACKED, 2;
        ompi_mpi_ub = NOTHING, 3;
        ompi_mpi_lb = NOTHING, 4;
        ompi_mpi_character = c::CHARACTER, 5;
        ompi_mpi_logical = c::LOGICAL, 6;
        ompi_mpi_integer = c::INTEGER, 7;
        ompi_mpi_integer1 = c::INTEGER1, 8;
        ompi_mpi_integer2 = c::INTEGER2, 9;
        ompi_mpi_integer4 = c::INTEGER4, 10;
        ompi_mpi_integer8 = c::INTEGER8, 11;
        ompi_mpi_integer16 = c::INTEGER16, 12;
        ompi_mpi_real = c::REAL, 13;
        ompi_mpi_real4 = c::REAL4, 14;
        ompi_mpi_real8 = c::REAL8, 15;
        ompi_mpi_real16 = c::REAL16, 16;
        ompi_mpi_dblprec = c::DOUBLE_PRECISION, 17;
        ompi_mpi_cplex = c::COMPLEX, 18;
        ompi_mpi_complex8 = c::COMPLEX8, 19;
        ompi_mpi_complex16 = c::COMPLEX16, 20;
        ompi_mpi_complex32 = c::COMPLEX32, 21;
        ompi_mpi_dblcplex = c::DOUBLE_COMPLEX, 22;
        ompi_mpi_2real = c::TWO_REAL, 23;
        ompi_mpi_2dblprec = c::TWO_DOUBLE_PRECISION, 24;
        ompi_mpi_2integer = c::TWO_INTEGER, 25;
        // Pairs of complex numbers: MPI does not have them, and no operator takes them.
        ompi_mpi_2cplex = NOTHING, 26;
        ompi_mpi_2dblcplex = NOTHING, 27;
        ompi_mpi_real2 = c::REAL2, 28;
        ompi_mpi_logical1 = c::LOGICAL1, 29;
        ompi_mpi_logical2 = c::LOGICAL2, 30;
        ompi_mpi_logical4 = c::LOGICAL4, 31;
        ompi_mpi_logical8 = c::LOGICAL8, 32;
        ompi_mpi_wchar = c::WCHAR, 33;
        ompi_mpi_char = c::CHAR, 34;
        ompi_mpi_unsigned_char = c::UNSIGNED_CHAR, 35;
        ompi_mpi_signed_char = c::SIGNED_CHAR, 36;
        ompi_mpi_short = c::SHORT, 37;
        ompi_mpi_unsigned_short = c::UNSIGNED_SHORT, 38;
        ompi_mpi_int = c::INT, 39;
        ompi_mpi_unsigned = c::UNSIGNED, 40;
        ompi_mpi_long = c::LONG, 41;
        ompi_mpi_unsigned_long = c::UNSIGNED_LONG, 42;
        ompi_mpi_long_long_int = c::LONG_LONG, 43;
        ompi_mpi_unsigned_long_long = c::UNSIGNED_LONG_LONG, 44;
        ompi_mpi_float = c::FLOAT, 45;
        ompi_mpi_double = c::DOUBLE, 46;
        ompi_mpi_long_double = c::LONG_DOUBLE, 47;
        ompi_mpi_float_int = c::FLOAT_INT, 48;
        ompi_mpi_double_int = c::DOUBLE_INT, 49;
        ompi_mpi_longdbl_int = c::LONG_DOUBLE_INT, 50;
        ompi_mpi_long_int = c::LONG_INT, 51;
        ompi_mpi_2int = c::TWO_INT, 52;
        ompi_mpi_short_int = c::SHORT_INT, 53;
        ompi_mpi_cxx_bool = c::CXX_BOOL, 54;
        ompi_mpi_cxx_cplex = c::CXX_FLOAT_COMPLEX, 55;
        ompi_mpi_cxx_dblcplex = c::CXX_DOUBLE_COMPLEX, 56;
        ompi_mpi_cxx_ldblcplex = c::CXX_LONG_DOUBLE_COMPLEX, 57;
        ompi_mpi_int8_t = c::INT8_T, 58;
        ompi_mpi_uint8_t = c::UINT8_T, 59;
        ompi_mpi_int16_t = c::INT16_T, 60;
        ompi_mpi_uint16_t = c::UINT16_T, 61;
        ompi_mpi_int32_t = c::INT32_T, 62;
        ompi_mpi_uint32_t = c::UINT32_T, 63;
        ompi_mpi_int64_t = c::INT64_T, 64;
        ompi_mpi_uint64_t = c::UINT64_T, 65;
        ompi_mpi_aint = c::AINT, 66;
        ompi_mpi_offset = c::OFFSET, 67;
        ompi_mpi_c_bool = c::C_BOOL, 68;
        ompi_mpi_c_float_complex = c::C_FLOAT_COMPLEX, 69;
        ompi_mpi_c_double_complex = c::C_DOUBLE_COMPLEX, 70;
        ompi_mpi_c_long_double_complex = c::C_LONG_DOUBLE_COMPLEX, 71;
        ompi_mpi_count = c::COUNT, 72;
        ompi_mpi_complex4 = c::COMPLEX4, 73;
        // Other names, which no macro of mpi.h stands for.
        ompi_mpi_c_complex = c::C_FLOAT_COMPLEX, NO_FORTRAN;
        ompi_mpi_ldblcplex = c::C_LONG_DOUBLE_COMPLEX, NO_FORTRAN;
        ompi_mpi_unavailable = NOTHING, NO_FORTRAN;
        // Half precision, in Open MPI 5.0.
        ompi_mpi_short_float = c::FLOAT16, NO_FORTRAN;
        ompi_mpi_c_short_float_complex = c::COMPLEX4, NO_FORTRAN;
        ompi_mpi_cxx_sfltcplex = c::COMPLEX4, NO_FORTRAN;
    }
}

/// Where `MPI_FILE_NULL` points.
#[unsafe(no_mangle)]
pub static ompi_mpi_file_null: Opaque<1536> = Opaque::new();

/// Slots of the table of addresses; more than four for each object, so that a search ends soon.
const SLOTS: usize = 512;
/// Bits that a slot has.
const SLOT_BITS: u32 = SLOTS.trailing_zeros();

/// A slot of the table: an address, and the index of its row. An index of [`FREE`] ends a search.
type Slot = (usize, u8);
const FREE: u8 = u8::MAX;

const _: () = assert!(PREDEFINED.len() < FREE as usize && PREDEFINED.len() * 4 < SLOTS);

/// The table of addresses. The addresses are known when the loader has bound this library.
static BY_ADDRESS: OnceLock<[Slot; SLOTS]> = OnceLock::new();

/// The slot at which the search for an address begins.
#[inline(always)]
fn first_slot(address: usize) -> usize {
    // Objects are more than 32 bytes apart; the factor spreads the bits above over all of a word.
    (address >> 5).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - SLOT_BITS)
}

#[cold]
fn table() -> [Slot; SLOTS] {
    let mut slots = [(0, FREE); SLOTS];
    for (index, row) in PREDEFINED.iter().enumerate() {
        let mut at = first_slot(row.handle());
        while slots[at].1 != FREE {
            at = (at + 1) % SLOTS;
        }
        slots[at] = (row.handle(), index as u8);
    }
    slots
}

/// The predefined object of this type with this address.
#[inline]
pub fn by_address(object: Object, address: usize) -> Option<&'static Predefined> {
    let slots = BY_ADDRESS.get_or_init(table);
    let mut at = first_slot(address);
    loop {
        let (found, index) = slots[at];
        if index == FREE {
            return None;
        }
        if found == address {
            return Some(&PREDEFINED[usize::from(index)]).filter(|row| row.object == object);
        }
        at = (at + 1) % SLOTS;
    }
}

/// Numbers of the standard ABI below this one are predefined.
const NUMBERS: usize = 0x300;

/// The row of each number of the standard ABI, or [`FREE`].
static BY_NUMBER: [u8; NUMBERS] = {
    let mut rows = [FREE; NUMBERS];
    let mut index = PREDEFINED.len();
    while index > 0 {
        index -= 1;
        let number = PREDEFINED[index].number;
        if number != NOTHING {
            rows[number as usize] = index as u8;
        }
    }
    rows
};

/// The predefined object with this number of the standard ABI.
#[inline]
pub fn by_number(number: u32) -> Option<&'static Predefined> {
    let index = *BY_NUMBER.get(number as usize)?;
    PREDEFINED.get(usize::from(index))
}

/// Indices of the first rows of the types of objects.
static FIRST: [usize; Object::Win as usize + 1] = {
    let mut first = [0; Object::Win as usize + 1];
    let mut index = PREDEFINED.len();
    while index > 0 {
        index -= 1;
        first[PREDEFINED[index].object as usize] = index;
    }
    first
};

/// The predefined object of this type with this number in Fortran. Most rows of a type are in the order of
/// these numbers.
#[inline]
pub fn by_fortran(object: Object, number: i32) -> Option<&'static Predefined> {
    let is_it = |row: &&Predefined| row.object == object && row.fortran == number && number != NO_FORTRAN;
    let likely = FIRST[object as usize].wrapping_add(number as usize);
    PREDEFINED.get(likely).filter(is_it).or_else(|| search_fortran(object, number))
}

#[cold]
fn search_fortran(object: Object, number: i32) -> Option<&'static Predefined> {
    PREDEFINED.iter().find(|row| row.object == object && row.fortran == number && number != NO_FORTRAN)
}
