//! Handles as integers (ABI chapter of MPI 5.0): the integer of an object is its number. Also sums of
//! addresses.

use crate::arguments::{
    CommHandle, DatatypeHandle, ErrhandlerHandle, FileHandle, GroupHandle, InfoHandle, MessageHandle,
    OpHandle, RequestHandle, SessionHandle, WinHandle,
};
use crate::constants::FILE_NULL;

/// `MPI_Comm_toint`.
pub fn comm_to_int(comm: CommHandle) -> i32 {
    comm.0.cast_signed()
}

/// `MPI_Comm_fromint`.
pub fn comm_from_int(handle: i32) -> CommHandle {
    CommHandle(handle.cast_unsigned())
}

/// `MPI_Errhandler_toint`.
pub fn errhandler_to_int(errhandler: ErrhandlerHandle) -> i32 {
    errhandler.0.cast_signed()
}

/// `MPI_Errhandler_fromint`.
pub fn errhandler_from_int(handle: i32) -> ErrhandlerHandle {
    ErrhandlerHandle(handle.cast_unsigned())
}

/// `MPI_Group_toint`.
pub fn group_to_int(group: GroupHandle) -> i32 {
    group.0.cast_signed()
}

/// `MPI_Group_fromint`.
pub fn group_from_int(handle: i32) -> GroupHandle {
    GroupHandle(handle.cast_unsigned())
}

/// `MPI_Info_toint`.
pub fn info_to_int(info: InfoHandle) -> i32 {
    info.0.cast_signed()
}

/// `MPI_Info_fromint`.
pub fn info_from_int(handle: i32) -> InfoHandle {
    InfoHandle(handle.cast_unsigned())
}

/// `MPI_Message_toint`.
pub fn message_to_int(message: MessageHandle) -> i32 {
    message.0.cast_signed()
}

/// `MPI_Message_fromint`.
pub fn message_from_int(handle: i32) -> MessageHandle {
    MessageHandle(handle.cast_unsigned())
}

/// `MPI_Op_toint`.
pub fn op_to_int(op: OpHandle) -> i32 {
    op.0.cast_signed()
}

/// `MPI_Op_fromint`.
pub fn op_from_int(handle: i32) -> OpHandle {
    OpHandle(handle.cast_unsigned())
}

/// `MPI_Request_toint`.
pub fn request_to_int(request: RequestHandle) -> i32 {
    request.0.cast_signed()
}

/// `MPI_Request_fromint`.
pub fn request_from_int(handle: i32) -> RequestHandle {
    RequestHandle(handle.cast_unsigned())
}

/// `MPI_Session_toint`.
pub fn session_to_int(session: SessionHandle) -> i32 {
    session.0.cast_signed()
}

/// `MPI_Session_fromint`.
pub fn session_from_int(handle: i32) -> SessionHandle {
    SessionHandle(handle.cast_unsigned())
}

/// `MPI_Type_toint`.
pub fn type_to_int(datatype: DatatypeHandle) -> i32 {
    datatype.0.cast_signed()
}

/// `MPI_Type_fromint`.
pub fn type_from_int(handle: i32) -> DatatypeHandle {
    DatatypeHandle(handle.cast_unsigned())
}

/// `MPI_Win_toint`.
pub fn win_to_int(win: WinHandle) -> i32 {
    win.0.cast_signed()
}

/// `MPI_Win_fromint`.
pub fn win_from_int(handle: i32) -> WinHandle {
    WinHandle(handle.cast_unsigned())
}

/// `MPI_Aint_add`.
pub fn aint_add(base: i64, disp: i64) -> i64 {
    base.wrapping_add(disp)
}

/// `MPI_Aint_diff`.
pub fn aint_diff(addr1: i64, addr2: i64) -> i64 {
    addr1.wrapping_sub(addr2)
}

/// `MPI_File_toint`. No file can be opened: every handle is `MPI_FILE_NULL`.
pub fn file_to_int(_file: FileHandle) -> i32 {
    FILE_NULL.cast_signed()
}

/// `MPI_File_fromint`.
pub fn file_from_int(_handle: i32) -> FileHandle {
    FileHandle
}
