"""The C API for ctypes. Made from include/anyccl/anyccl.h by `python3 torch/bind_header.py`. Do not edit."""

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_ubyte, c_void_p
from enum import IntEnum

VERSION = (0, 1, 0)
__version__ = "0.1.0"
TIMEOUT_NEVER = -1
UNIQUE_ID_BYTES = 128
COLOR_NONE = -1
STORE_OK = 0
STORE_TIMEOUT = 1
STORE_MESSAGE_BYTES = 512
ADDRESS_BYTES = 46
ANY_SOURCE = -1
ANY_TAG = -1
MEM_HANDLE_BYTES = 64


class Status(IntEnum):
    SUCCESS = 0
    ERR_INVALID_ARGUMENT = 1
    ERR_INVALID_USAGE = 2
    ERR_UNSUPPORTED = 3
    ERR_PEER_LOST = 4
    ERR_TIMEOUT = 5
    ERR_MISMATCH = 6
    ERR_ABORTED = 7
    ERR_BOOTSTRAP = 8
    ERR_SYSTEM = 9
    ERR_INTERNAL = 10


class LogLevel(IntEnum):
    DEFAULT = 0
    OFF = 1
    ERROR = 2
    WARN = 3
    INFO = 4
    DEBUG = 5

LogCallback = CFUNCTYPE(None, c_int, c_char_p, c_void_p)


class Wire(IntEnum):
    DEFAULT = 0
    FULL = 1
    BF16 = 2
    F8 = 3
    INT8_BLOCK = 4


class Config(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("timeout_ms", c_int64),
        ("log_level", c_int),
        ("for_devices", c_int),
        ("interface", c_char_p),
        ("backend", c_char_p),
        ("deterministic", c_int),
        ("wire", c_int),
    ]


class UniqueId(Structure):
    _fields_ = [
        ("bytes", c_ubyte * UNIQUE_ID_BYTES),
    ]

StoreSet = CFUNCTYPE(c_int, c_void_p, c_char_p, c_void_p, c_size_t, c_void_p)

StoreGet = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int64, c_void_p, c_size_t, POINTER(c_size_t), c_void_p)


class Store(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("context", c_void_p),
        ("set", StoreSet),
        ("get", StoreGet),
    ]


class Datatype(IntEnum):
    INT8 = 0
    UINT8 = 1
    INT16 = 2
    UINT16 = 3
    INT32 = 4
    UINT32 = 5
    INT64 = 6
    UINT64 = 7
    FLOAT16 = 8
    BFLOAT16 = 9
    FLOAT32 = 10
    FLOAT64 = 11
    FLOAT8_E4M3 = 12
    FLOAT8_E5M2 = 13
    BOOL = 14
    COMPLEX64 = 15
    COMPLEX128 = 16
    BYTE = 17


class ReduceOp(IntEnum):
    SUM = 0
    PRODUCT = 1
    MIN = 2
    MAX = 3
    AVG = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    LAND = 8
    LOR = 9
    LXOR = 10


class Scalar(IntEnum):
    IMMEDIATE = 0
    DEFERRED = 1

ReduceFunction = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_int, c_void_p)


class MessageStatus(Structure):
    _fields_ = [
        ("source", c_int),
        ("tag", c_int32),
        ("datatype", c_int),
        ("cancelled", c_int),
        ("count", c_size_t),
        ("bytes", c_size_t),
    ]


class MemKind(IntEnum):
    SHARED = 0
    DEVICE = 1
    DEVICE_EXPORTABLE = 2


class MemHandle(Structure):
    _fields_ = [
        ("bytes", c_ubyte * MEM_HANDLE_BYTES),
    ]


# Result and arguments of every function.
FUNCTIONS = {
    "anyccl_status_string": (c_char_p, [c_int]),
    "anyccl_last_error": (c_char_p, []),
    "anyccl_version": (c_int, []),
    "anyccl_version_string": (c_char_p, []),
    "anyccl_set_log_callback": (c_int, [LogCallback, c_void_p]),
    "anyccl_get_unique_id": (c_int, [POINTER(UniqueId)]),
    "anyccl_comm_create": (c_int, [POINTER(UniqueId), c_int, c_int, POINTER(Config), POINTER(c_void_p)]),
    "anyccl_comm_split": (c_int, [c_void_p, c_int, c_int, POINTER(Config), POINTER(c_void_p)]),
    "anyccl_comm_split_by_host": (c_int, [c_void_p, POINTER(Config), POINTER(c_void_p)]),
    "anyccl_comm_dup": (c_int, [c_void_p, POINTER(Config), POINTER(c_void_p)]),
    "anyccl_comm_create_from_ranks": (c_int, [c_void_p, POINTER(c_int), c_int, POINTER(Config), POINTER(c_void_p)]),
    "anyccl_comm_rank": (c_int, [c_void_p, POINTER(c_int)]),
    "anyccl_comm_size": (c_int, [c_void_p, POINTER(c_int)]),
    "anyccl_comm_local_rank": (c_int, [c_void_p, POINTER(c_int)]),
    "anyccl_comm_local_size": (c_int, [c_void_p, POINTER(c_int)]),
    "anyccl_comm_set_stream": (c_int, [c_void_p, c_void_p]),
    "anyccl_comm_unset_stream": (c_int, [c_void_p]),
    "anyccl_comm_failure": (c_int, [c_void_p]),
    "anyccl_comm_set_timeout": (c_int, [c_void_p, c_int64]),
    "anyccl_comm_abort": (c_int, [c_void_p]),
    "anyccl_comm_abort_with": (c_int, [c_void_p, c_char_p]),
    "anyccl_comm_shrink": (c_int, [c_void_p, POINTER(Config), POINTER(c_void_p)]),
    "anyccl_comm_destroy": (c_int, [c_void_p]),
    "anyccl_init": (c_int, []),
    "anyccl_init_with": (c_int, [POINTER(Config)]),
    "anyccl_finalize": (c_int, []),
    "anyccl_is_initialized": (c_int, [POINTER(c_int)]),
    "anyccl_rank": (c_int, [POINTER(c_int)]),
    "anyccl_world_size": (c_int, [POINTER(c_int)]),
    "anyccl_local_rank": (c_int, [POINTER(c_int)]),
    "anyccl_local_size": (c_int, [POINTER(c_int)]),
    "anyccl_world": (c_int, [POINTER(c_void_p)]),
    "anyccl_comm_create_with_store": (c_int, [POINTER(Store), c_int, c_int, POINTER(Config), POINTER(c_void_p)]),
    "anyccl_unique_id_exchange_by_file": (c_int, [c_char_p, c_int, c_int, POINTER(Config), POINTER(UniqueId),
        c_void_p]),
    "anyccl_datatype_bytes": (c_size_t, [c_int]),
    "anyccl_datatype_name": (c_char_p, [c_int]),
    "anyccl_reduce_op_name": (c_char_p, [c_int]),
    "anyccl_is_supported": (c_int, [c_int, c_int, POINTER(c_int)]),
    "anyccl_op_create_premul_sum": (c_int, [c_void_p, c_int, c_int, POINTER(c_int)]),
    "anyccl_op_create": (c_int, [ReduceFunction, c_void_p, c_int, POINTER(c_int)]),
    "anyccl_op_destroy": (c_int, [c_int]),
    "anyccl_wait": (c_int, [POINTER(c_void_p)]),
    "anyccl_wait_message": (c_int, [POINTER(c_void_p), POINTER(MessageStatus)]),
    "anyccl_wait_for": (c_int, [POINTER(c_void_p), c_int64, POINTER(c_int), POINTER(MessageStatus)]),
    "anyccl_test": (c_int, [POINTER(c_void_p), POINTER(c_int)]),
    "anyccl_test_message": (c_int, [POINTER(c_void_p), POINTER(c_int), POINTER(MessageStatus)]),
    "anyccl_cancel": (c_int, [c_void_p]),
    "anyccl_set_blocking_limit": (c_int, [c_int64, POINTER(c_void_p)]),
    "anyccl_wait_all": (c_int, [c_size_t, POINTER(c_void_p)]),
    "anyccl_wait_any": (c_int, [c_size_t, POINTER(c_void_p), POINTER(c_size_t)]),
    "anyccl_wait_some": (c_int, [c_size_t, POINTER(c_void_p), POINTER(c_size_t), POINTER(c_size_t), POINTER(c_int)]),
    "anyccl_wait_ready": (c_int, [c_size_t, POINTER(c_void_p)]),
    "anyccl_test_all": (c_int, [c_size_t, POINTER(c_void_p), POINTER(c_int)]),
    "anyccl_test_any": (c_int, [c_size_t, POINTER(c_void_p), POINTER(c_size_t), POINTER(c_int)]),
    "anyccl_start": (c_int, [c_void_p]),
    "anyccl_start_all": (c_int, [c_size_t, POINTER(c_void_p)]),
    "anyccl_request_free": (c_int, [POINTER(c_void_p)]),
    "anyccl_all_reduce": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p]),
    "anyccl_iall_reduce": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_reduce_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_reduce": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_int, c_void_p]),
    "anyccl_ireduce": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_reduce_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_reduce_scatter": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p]),
    "anyccl_ireduce_scatter": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_reduce_scatter_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_scan": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p]),
    "anyccl_iscan": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_scan_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_exscan": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p]),
    "anyccl_iexscan": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_exscan_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_broadcast": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p]),
    "anyccl_ibroadcast": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_broadcast_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_gather": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "anyccl_iall_gather": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_gather_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_gather": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p]),
    "anyccl_igather": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_gather_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_scatter": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p]),
    "anyccl_iscatter": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_scatter_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_to_all": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "anyccl_iall_to_all": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_to_all_init": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_barrier": (c_int, [c_void_p]),
    "anyccl_ibarrier": (c_int, [c_void_p, POINTER(c_void_p)]),
    "anyccl_barrier_init": (c_int, [c_void_p, POINTER(c_void_p)]),
    "anyccl_all_gather_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), c_int, c_void_p]),
    "anyccl_iall_gather_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), c_int, c_void_p,
        POINTER(c_void_p)]),
    "anyccl_all_gather_v_init": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), c_int, c_void_p,
        POINTER(c_void_p)]),
    "anyccl_gather_v": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t), c_int, c_int,
        c_void_p]),
    "anyccl_igather_v": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t), c_int, c_int,
        c_void_p, POINTER(c_void_p)]),
    "anyccl_gather_v_init": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t), c_int, c_int,
        c_void_p, POINTER(c_void_p)]),
    "anyccl_scatter_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), c_size_t, c_int, c_int,
        c_void_p]),
    "anyccl_iscatter_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), c_size_t, c_int, c_int,
        c_void_p, POINTER(c_void_p)]),
    "anyccl_scatter_v_init": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), c_size_t, c_int,
        c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_reduce_scatter_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), c_int, c_int, c_void_p]),
    "anyccl_ireduce_scatter_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), c_int, c_int, c_void_p,
        POINTER(c_void_p)]),
    "anyccl_reduce_scatter_v_init": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), c_int, c_int, c_void_p,
        POINTER(c_void_p)]),
    "anyccl_all_to_all_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), POINTER(c_size_t),
        POINTER(c_size_t), c_int, c_void_p]),
    "anyccl_iall_to_all_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), POINTER(c_size_t),
        POINTER(c_size_t), c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_to_all_v_init": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t), POINTER(c_size_t),
        POINTER(c_size_t), c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_reduce_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t, c_int,
        c_int, c_void_p]),
    "anyccl_iall_reduce_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t, c_int,
        c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_reduce_coalesced_init": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t,
        c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_broadcast_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t, c_int,
        c_int, c_void_p]),
    "anyccl_ibroadcast_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t, c_int,
        c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_broadcast_coalesced_init": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t,
        c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_gather_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t, c_int,
        c_void_p]),
    "anyccl_iall_gather_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t, c_int,
        c_void_p, POINTER(c_void_p)]),
    "anyccl_all_gather_coalesced_init": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t,
        c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_reduce_scatter_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t,
        c_int, c_int, c_void_p]),
    "anyccl_ireduce_scatter_coalesced": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), c_size_t,
        c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_reduce_scatter_coalesced_init": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t),
        c_size_t, c_int, c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_gather_list": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t), c_int, c_void_p]),
    "anyccl_iall_gather_list": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t), c_int, c_void_p,
        POINTER(c_void_p)]),
    "anyccl_all_gather_list_init": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t), c_int, c_void_p,
        POINTER(c_void_p)]),
    "anyccl_all_to_all_list": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), POINTER(c_size_t),
        c_int, c_void_p]),
    "anyccl_iall_to_all_list": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t), POINTER(c_size_t),
        c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_all_to_all_list_init": (c_int, [POINTER(c_void_p), POINTER(c_void_p), POINTER(c_size_t),
        POINTER(c_size_t), c_int, c_void_p, POINTER(c_void_p)]),
    "anyccl_graph_create": (c_int, [POINTER(c_int), c_size_t, POINTER(c_int), c_size_t, c_void_p, POINTER(c_void_p)]),
    "anyccl_graph_destroy": (c_int, [c_void_p]),
    "anyccl_neighbor_all_gather_v": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t),
        c_int, c_void_p, c_void_p]),
    "anyccl_ineighbor_all_gather_v": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t),
        c_int, c_void_p, c_void_p, POINTER(c_void_p)]),
    "anyccl_neighbor_all_gather_v_init": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t),
        c_int, c_void_p, c_void_p, POINTER(c_void_p)]),
    "anyccl_neighbor_all_to_all_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t),
        POINTER(c_size_t), POINTER(c_size_t), c_int, c_void_p, c_void_p]),
    "anyccl_ineighbor_all_to_all_v": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t),
        POINTER(c_size_t), POINTER(c_size_t), c_int, c_void_p, c_void_p, POINTER(c_void_p)]),
    "anyccl_neighbor_all_to_all_v_init": (c_int, [c_void_p, c_void_p, POINTER(c_size_t), POINTER(c_size_t),
        POINTER(c_size_t), POINTER(c_size_t), c_int, c_void_p, c_void_p, POINTER(c_void_p)]),
    "anyccl_send": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p]),
    "anyccl_isend": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, POINTER(c_void_p)]),
    "anyccl_send_init": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, POINTER(c_void_p)]),
    "anyccl_ssend": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p]),
    "anyccl_issend": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, POINTER(c_void_p)]),
    "anyccl_recv": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, POINTER(MessageStatus)]),
    "anyccl_irecv": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, POINTER(c_void_p)]),
    "anyccl_recv_init": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, POINTER(c_void_p)]),
    "anyccl_try_recv": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, POINTER(c_int)]),
    "anyccl_sendrecv": (c_int, [c_void_p, c_size_t, c_int, c_int, c_int32, c_void_p, c_size_t, c_int, c_int, c_int32,
        c_void_p, POINTER(MessageStatus)]),
    "anyccl_probe": (c_int, [c_int, c_int32, c_void_p, POINTER(MessageStatus)]),
    "anyccl_iprobe": (c_int, [c_int, c_int32, c_void_p, POINTER(c_int), POINTER(MessageStatus)]),
    "anyccl_mprobe": (c_int, [c_int, c_int32, c_void_p, POINTER(c_void_p), POINTER(MessageStatus)]),
    "anyccl_improbe": (c_int, [c_int, c_int32, c_void_p, POINTER(c_void_p), POINTER(MessageStatus)]),
    "anyccl_mrecv": (c_int, [c_void_p, c_size_t, c_int, POINTER(c_void_p), POINTER(MessageStatus)]),
    "anyccl_imrecv": (c_int, [c_void_p, c_size_t, c_int, POINTER(c_void_p), POINTER(c_void_p)]),
    "anyccl_batch_begin": (c_int, []),
    "anyccl_batch_end": (c_int, []),
    "anyccl_estimate_begin": (c_int, []),
    "anyccl_estimate_end": (c_int, [POINTER(c_double)]),
    "anyccl_sync_params": (c_int, [POINTER(c_void_p), POINTER(c_size_t), POINTER(c_int), c_size_t, c_int, c_void_p]),
    "anyccl_sync_params_init": (c_int, [POINTER(c_void_p), POINTER(c_size_t), POINTER(c_int), c_size_t, c_int,
        c_void_p, POINTER(c_void_p)]),
    "anyccl_sum_grads": (c_int, [POINTER(c_void_p), POINTER(c_size_t), POINTER(c_int), c_size_t, c_void_p]),
    "anyccl_sum_grads_init": (c_int, [POINTER(c_void_p), POINTER(c_size_t), POINTER(c_int), c_size_t, c_void_p,
        POINTER(c_void_p)]),
    "anyccl_mem_alloc": (c_int, [c_size_t, POINTER(c_void_p)]),
    "anyccl_mem_alloc_kind": (c_int, [c_size_t, c_int, POINTER(c_void_p)]),
    "anyccl_mem_free": (c_int, [c_void_p]),
    "anyccl_mem_register": (c_int, [c_void_p, c_size_t, POINTER(c_int)]),
    "anyccl_mem_deregister": (c_int, [c_void_p, c_size_t]),
    "anyccl_mem_export": (c_int, [c_void_p, c_size_t, POINTER(MemHandle)]),
    "anyccl_mem_import": (c_int, [POINTER(MemHandle), POINTER(c_void_p), POINTER(c_size_t)]),
    "anyccl_mem_release": (c_int, [c_void_p]),
}

# Place and name of each argument that is a number.
NUMBERS = {
    "anyccl_status_string": {0: "status"},
    "anyccl_comm_create": {1: "size", 2: "rank"},
    "anyccl_comm_split": {1: "color", 2: "key"},
    "anyccl_comm_create_from_ranks": {2: "count"},
    "anyccl_comm_set_timeout": {1: "timeout_ms"},
    "anyccl_comm_create_with_store": {1: "size", 2: "rank"},
    "anyccl_unique_id_exchange_by_file": {1: "size", 2: "rank"},
    "anyccl_op_create": {2: "commutative"},
    "anyccl_wait_for": {1: "timeout_ms"},
    "anyccl_set_blocking_limit": {0: "limit_ms"},
    "anyccl_wait_all": {0: "count"},
    "anyccl_wait_any": {0: "count"},
    "anyccl_wait_some": {0: "count"},
    "anyccl_wait_ready": {0: "count"},
    "anyccl_test_all": {0: "count"},
    "anyccl_test_any": {0: "count"},
    "anyccl_start_all": {0: "count"},
    "anyccl_all_reduce": {2: "count"},
    "anyccl_iall_reduce": {2: "count"},
    "anyccl_all_reduce_init": {2: "count"},
    "anyccl_reduce": {2: "count", 5: "root"},
    "anyccl_ireduce": {2: "count", 5: "root"},
    "anyccl_reduce_init": {2: "count", 5: "root"},
    "anyccl_reduce_scatter": {2: "recv_count"},
    "anyccl_ireduce_scatter": {2: "recv_count"},
    "anyccl_reduce_scatter_init": {2: "recv_count"},
    "anyccl_scan": {2: "count"},
    "anyccl_iscan": {2: "count"},
    "anyccl_scan_init": {2: "count"},
    "anyccl_exscan": {2: "count"},
    "anyccl_iexscan": {2: "count"},
    "anyccl_exscan_init": {2: "count"},
    "anyccl_broadcast": {2: "count", 4: "root"},
    "anyccl_ibroadcast": {2: "count", 4: "root"},
    "anyccl_broadcast_init": {2: "count", 4: "root"},
    "anyccl_all_gather": {2: "send_count"},
    "anyccl_iall_gather": {2: "send_count"},
    "anyccl_all_gather_init": {2: "send_count"},
    "anyccl_gather": {2: "send_count", 4: "root"},
    "anyccl_igather": {2: "send_count", 4: "root"},
    "anyccl_gather_init": {2: "send_count", 4: "root"},
    "anyccl_scatter": {2: "recv_count", 4: "root"},
    "anyccl_iscatter": {2: "recv_count", 4: "root"},
    "anyccl_scatter_init": {2: "recv_count", 4: "root"},
    "anyccl_all_to_all": {2: "count_per_rank"},
    "anyccl_iall_to_all": {2: "count_per_rank"},
    "anyccl_all_to_all_init": {2: "count_per_rank"},
    "anyccl_gather_v": {2: "send_count", 6: "root"},
    "anyccl_igather_v": {2: "send_count", 6: "root"},
    "anyccl_gather_v_init": {2: "send_count", 6: "root"},
    "anyccl_scatter_v": {4: "recv_count", 6: "root"},
    "anyccl_iscatter_v": {4: "recv_count", 6: "root"},
    "anyccl_scatter_v_init": {4: "recv_count", 6: "root"},
    "anyccl_all_reduce_coalesced": {3: "buffers"},
    "anyccl_iall_reduce_coalesced": {3: "buffers"},
    "anyccl_all_reduce_coalesced_init": {3: "buffers"},
    "anyccl_broadcast_coalesced": {3: "buffers", 5: "root"},
    "anyccl_ibroadcast_coalesced": {3: "buffers", 5: "root"},
    "anyccl_broadcast_coalesced_init": {3: "buffers", 5: "root"},
    "anyccl_all_gather_coalesced": {3: "buffers"},
    "anyccl_iall_gather_coalesced": {3: "buffers"},
    "anyccl_all_gather_coalesced_init": {3: "buffers"},
    "anyccl_reduce_scatter_coalesced": {3: "buffers"},
    "anyccl_ireduce_scatter_coalesced": {3: "buffers"},
    "anyccl_reduce_scatter_coalesced_init": {3: "buffers"},
    "anyccl_graph_create": {1: "source_count", 3: "destination_count"},
    "anyccl_neighbor_all_gather_v": {2: "send_count"},
    "anyccl_ineighbor_all_gather_v": {2: "send_count"},
    "anyccl_neighbor_all_gather_v_init": {2: "send_count"},
    "anyccl_send": {1: "count", 3: "peer", 4: "tag"},
    "anyccl_isend": {1: "count", 3: "peer", 4: "tag"},
    "anyccl_send_init": {1: "count", 3: "peer", 4: "tag"},
    "anyccl_ssend": {1: "count", 3: "peer", 4: "tag"},
    "anyccl_issend": {1: "count", 3: "peer", 4: "tag"},
    "anyccl_recv": {1: "count", 3: "source", 4: "tag"},
    "anyccl_irecv": {1: "count", 3: "source", 4: "tag"},
    "anyccl_recv_init": {1: "count", 3: "source", 4: "tag"},
    "anyccl_try_recv": {1: "count", 3: "source", 4: "tag"},
    "anyccl_sendrecv": {1: "send_count", 3: "peer", 4: "send_tag", 6: "recv_count", 8: "source", 9: "recv_tag"},
    "anyccl_probe": {0: "source", 1: "tag"},
    "anyccl_iprobe": {0: "source", 1: "tag"},
    "anyccl_mprobe": {0: "source", 1: "tag"},
    "anyccl_improbe": {0: "source", 1: "tag"},
    "anyccl_mrecv": {1: "count"},
    "anyccl_imrecv": {1: "count"},
    "anyccl_sync_params": {3: "number", 4: "root"},
    "anyccl_sync_params_init": {3: "number", 4: "root"},
    "anyccl_sum_grads": {3: "number"},
    "anyccl_sum_grads_init": {3: "number"},
    "anyccl_mem_alloc": {0: "bytes"},
    "anyccl_mem_alloc_kind": {0: "bytes"},
    "anyccl_mem_register": {1: "bytes"},
    "anyccl_mem_deregister": {1: "bytes"},
    "anyccl_mem_export": {1: "bytes"},
}
