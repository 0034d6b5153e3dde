//! The numbers of Open MPI's ABI and the corresponding ones of the standard ABI. They are facts of mpi.h,
//! equal in Open MPI 4.1 and 5.0.

use anyccl_mpi::constants as c;
use anyccl_mpi::error::Class;

/// A number of the standard ABI, and that of Open MPI's.
pub type Pair<T> = (T, i32);

/// Error classes.
pub const ERRORS: &[Pair<Class>] = &[
    (Class::SUCCESS, 0),
    (Class::BUFFER, 1),
    (Class::COUNT, 2),
    (Class::TYPE, 3),
    (Class::TAG, 4),
    (Class::COMM, 5),
    (Class::RANK, 6),
    (Class::REQUEST, 7),
    (Class::ROOT, 8),
    (Class::GROUP, 9),
    (Class::OP, 10),
    (Class::TOPOLOGY, 11),
    (Class::DIMS, 12),
    (Class::ARG, 13),
    // Open MPI has no class for a wrong error handler.
    (Class::ERRHANDLER, 13),
    (Class::UNKNOWN, 14),
    (Class::TRUNCATE, 15),
    (Class::OTHER, 16),
    (Class::INTERN, 17),
    (Class::IN_STATUS, 18),
    (Class::PENDING, 19),
    (Class::ACCESS, 20),
    (Class::AMODE, 21),
    (Class::ASSERT, 22),
    (Class::BAD_FILE, 23),
    (Class::BASE, 24),
    (Class::CONVERSION, 25),
    (Class::DISP, 26),
    (Class::DUP_DATAREP, 27),
    (Class::FILE_EXISTS, 28),
    (Class::FILE_IN_USE, 29),
    (Class::FILE, 30),
    (Class::INFO_KEY, 31),
    (Class::INFO_NOKEY, 32),
    (Class::INFO_VALUE, 33),
    (Class::INFO, 34),
    (Class::IO, 35),
    (Class::KEYVAL, 36),
    (Class::LOCKTYPE, 37),
    (Class::NAME, 38),
    (Class::NO_MEM, 39),
    (Class::NOT_SAME, 40),
    (Class::NO_SPACE, 41),
    (Class::NO_SUCH_FILE, 42),
    (Class::PORT, 43),
    (Class::QUOTA, 44),
    (Class::READ_ONLY, 45),
    (Class::RMA_CONFLICT, 46),
    (Class::RMA_SYNC, 47),
    (Class::SERVICE, 48),
    (Class::SIZE, 49),
    (Class::SPAWN, 50),
    (Class::UNSUPPORTED_DATAREP, 51),
    (Class::UNSUPPORTED_OPERATION, 52),
    (Class::WIN, 53),
    (Class::RMA_RANGE, 68),
    (Class::RMA_ATTACH, 69),
    (Class::RMA_FLAVOR, 70),
    (Class::RMA_SHARED, 71),
    (Class::PROC_ABORTED, 74),
    (Class::PROC_FAILED, 75),
    (Class::PROC_FAILED_PENDING, 76),
    (Class::REVOKED, 77),
    (Class::SESSION, 78),
    (Class::VALUE_TOO_LARGE, 79),
    (Class::T_CANNOT_INIT, 56),
    (Class::T_NOT_INITIALIZED, 55),
    (Class::T_MEMORY, 54),
    (Class::T_INVALID, 72),
    (Class::T_INVALID_INDEX, 57),
    (Class::T_INVALID_ITEM, 58),
    (Class::T_INVALID_SESSION, 62),
    (Class::T_INVALID_HANDLE, 59),
    (Class::T_INVALID_NAME, 73),
    (Class::T_OUT_OF_HANDLES, 60),
    (Class::T_OUT_OF_SESSIONS, 61),
    (Class::T_CVAR_SET_NOT_NOW, 63),
    (Class::T_CVAR_SET_NEVER, 64),
    (Class::T_PVAR_NO_WRITE, 66),
    (Class::T_PVAR_NO_STARTSTOP, 65),
    (Class::T_PVAR_NO_ATOMIC, 67),
];

/// Combiners.
pub const COMBINERS: &[Pair<i32>] = &[
    (c::COMBINER_NAMED, 0),
    (c::COMBINER_DUP, 1),
    (c::COMBINER_CONTIGUOUS, 2),
    (c::COMBINER_VECTOR, 3),
    (c::COMBINER_HVECTOR, 5),
    (c::COMBINER_INDEXED, 6),
    (c::COMBINER_HINDEXED, 8),
    (c::COMBINER_INDEXED_BLOCK, 9),
    (c::COMBINER_STRUCT, 11),
    (c::COMBINER_SUBARRAY, 12),
    (c::COMBINER_DARRAY, 13),
    (c::COMBINER_F90_REAL, 14),
    (c::COMBINER_F90_COMPLEX, 15),
    (c::COMBINER_F90_INTEGER, 16),
    (c::COMBINER_RESIZED, 17),
    (c::COMBINER_HINDEXED_BLOCK, 18),
];

/// Keys of attributes.
pub const KEYVALS: &[Pair<i32>] = &[
    (c::KEYVAL_INVALID, -1),
    (c::TAG_UB, 0),
    (c::HOST, 1),
    (c::IO, 2),
    (c::WTIME_IS_GLOBAL, 3),
    (c::APPNUM, 4),
    (c::LASTUSEDCODE, 5),
    (c::UNIVERSE_SIZE, 6),
    (c::WIN_BASE, 7),
    (c::WIN_SIZE, 8),
    (c::WIN_DISP_UNIT, 9),
    (c::WIN_CREATE_FLAVOR, 10),
    (c::WIN_MODEL, 11),
];

/// Levels of thread support.
pub const THREAD_LEVELS: &[Pair<i32>] =
    &[(c::THREAD_SINGLE, 0), (c::THREAD_FUNNELED, 1), (c::THREAD_SERIALIZED, 2), (c::THREAD_MULTIPLE, 3)];

/// Types of splits. Ranks that share a host share memory.
pub const SPLIT_TYPES: &[Pair<i32>] = &[
    (c::COMM_TYPE_SHARED, 0),
    (c::COMM_TYPE_SHARED, 9),
    (c::COMM_TYPE_HW_UNGUIDED, 12),
    (c::COMM_TYPE_HW_GUIDED, 13),
];

/// Orders of arrays.
pub const ORDERS: &[Pair<i32>] = &[(c::ORDER_C, 0), (c::ORDER_FORTRAN, 1)];

/// Distributions of arrays.
pub const DISTRIBUTIONS: &[Pair<i32>] =
    &[(c::DISTRIBUTE_BLOCK, 0), (c::DISTRIBUTE_CYCLIC, 1), (c::DISTRIBUTE_NONE, 2)];

/// Classes of datatypes.
pub const TYPE_CLASSES: &[Pair<i32>] =
    &[(c::TYPECLASS_INTEGER, 1), (c::TYPECLASS_REAL, 2), (c::TYPECLASS_COMPLEX, 3)];

/// Levels of verbosity of the variables of tools.
pub const VERBOSITIES: &[Pair<i32>] = &[
    (c::T_VERBOSITY_USER_BASIC, 0),
    (c::T_VERBOSITY_USER_DETAIL, 1),
    (c::T_VERBOSITY_USER_ALL, 2),
    (c::T_VERBOSITY_TUNER_BASIC, 3),
    (c::T_VERBOSITY_TUNER_DETAIL, 4),
    (c::T_VERBOSITY_TUNER_ALL, 5),
    (c::T_VERBOSITY_MPIDEV_BASIC, 6),
    (c::T_VERBOSITY_MPIDEV_DETAIL, 7),
    (c::T_VERBOSITY_MPIDEV_ALL, 8),
];
