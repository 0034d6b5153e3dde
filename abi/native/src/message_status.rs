//! The status of a message.

use std::ffi::c_int;

use anyccl_edge::Out;
use anyccl_engine::p2p::Status;

use crate::datatype::anyccl_datatype_t;

/// What is known about a message. Its members never change.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct anyccl_message_status_t {
    /// Rank of the sender.
    pub source: c_int,
    /// Tag of the message.
    pub tag: i32,
    /// Datatype of the sender.
    pub datatype: anyccl_datatype_t,
    /// 1: the receive was cancelled. There was no message, and the other members have no meaning. Otherwise
    /// 0.
    pub cancelled: c_int,
    /// Number of elements that were sent. It is at most the count of the receive.
    pub count: usize,
    /// Number of bytes that were sent: count times the size of the datatype.
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

/// Where a status is written. `None`: the caller does not want it.
pub type StatusPlace = Option<Out<anyccl_message_status_t>>;

/// The place of a status that the C caller may leave out.
///
/// # Safety
/// See [`Out::new`], if it is not NULL.
pub unsafe fn status_place(status: *mut anyccl_message_status_t) -> StatusPlace {
    // SAFETY: handed on; NULL is an error, which means here that nobody wants to know.
    unsafe { Out::new(status, "status") }.ok()
}
