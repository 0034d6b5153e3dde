//! Messages from rank to rank.
//!
//! - `send` and `receive` run and start messages, `probe` looks for them, `exchange` does both at the same
//!   time.
//! - `buffered` implements buffered sends, `persistent` prepares messages that are started often,
//!   `partitioned` those that are sent in parts.
//!
//! The engine sees bytes: a receive takes every message, whatever type its sender gave it. If a message is
//! too long, its end is dropped with MPI_ERR_TRUNCATE. Memory that is not one run is packed on its way.

pub mod buffered;
pub mod exchange;
pub mod partitioned;
pub mod persistent;
pub mod probe;
pub mod receive;
pub mod send;

use anyccl_engine::base;
use anyccl_engine::p2p::Selector;

use crate::comm::Comm;
use crate::constants::{ANY_SOURCE, ANY_TAG};
use crate::error::{Class, Error, Result};

/// The messages that a receive or a probe accepts; `None` for `MPI_PROC_NULL`.
#[inline]
fn selector(comm: &Comm, source: i32, tag: i32) -> Result<Option<Selector>> {
    let source = if source == ANY_SOURCE { Some(None) } else { comm.peer(source)?.map(Some) };
    let tag = if tag == ANY_TAG { None } else { Some(checked_tag(tag)?) };
    Ok(source.map(|source: Option<base::Rank>| Selector::new(source, tag)))
}

#[inline]
fn checked_tag(tag: i32) -> Result<i32> {
    if tag >= 0 { Ok(tag) } else { Err(bad_tag(tag)) }
}

#[cold]
fn bad_tag(tag: i32) -> Error {
    Error::new(Class::TAG, format!("tag {tag}; a tag is at least 0"))
}
