//! The status of a message: what is known of it.

use std::ffi::c_int;

use anyccl_edge::Out;
use anyccl_engine::p2p::Status;

use crate::datatype::anyccl_datatype_t;

/// What is known of a message. Its members never change.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct anyccl_message_status_t {
    /// The rank that sent it.
    pub source: c_int,
    /// The tag that it was sent with.
    pub tag: i32,
    /// The datatype that it was sent with.
    pub datatype: anyccl_datatype_t,
    /// 1: the receive was cancelled, there was no message, and the other members say nothing. Else 0.
    pub cancelled: c_int,
    /// Elements that were sent: at most what the receive has room for.
    pub count: usize,
    /// Bytes that were sent: count times the size of the datatype.
    pub bytes: usize,
}

impl From<Status> for anyccl_message_status_t {
    fn from(status: Status) -> anyccl_message_status_t {
        anyccl_message_status_t {
            source: status.source as c_int,
            tag: status.tag,
            datatype: status.datatype as anyccl_datatype_t,
            cancelled: c_int::from(status.is_cancelled),
            count: status.count as usize,
            bytes: status.bytes,
        }
    }
}

/// Where a status goes; `None`: the caller wants none.
pub type StatusPlace = Option<Out<anyccl_message_status_t>>;

/// The place of a status that C may leave out.
///
/// # Safety
/// See [`Out::new`], if it is not NULL.
pub unsafe fn status_place(status: *mut anyccl_message_status_t) -> StatusPlace {
    // SAFETY: handed on; NULL is an error, which means here that nobody wants to know.
    unsafe { Out::new(status, "status") }.ok()
}
