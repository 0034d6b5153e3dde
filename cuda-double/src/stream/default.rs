//! The default streams, and their order against others.
//!
//! The legacy default stream (NULL or 1) is one per context. Its work runs after all earlier work of the
//! blocking streams of the context, and later work of these streams runs after it. The per-thread default
//! stream (2, or NULL in the functions that end in `_ptsz` and `_ptds`) is an ordinary blocking stream of the
//! thread. Streams made with `CU_STREAM_NON_BLOCKING` are ordered with none of them.

use std::sync::Arc;

use super::{Marker, STREAMS, Stream, StreamKind};
use crate::context::Context;
use crate::status::Result;

/// What NULL means where a stream is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// The legacy default stream.
    Legacy,
    /// The default stream of the thread.
    PerThread,
}

/// The stream that a program means by `handle`.
pub fn resolve(context: &Arc<Context>, handle: usize, defaults: Defaults) -> Result<Arc<Stream>> {
    match (handle, defaults) {
        (1, _) | (0, Defaults::Legacy) => Ok(Arc::clone(&context.legacy)),
        (2, _) | (0, Defaults::PerThread) => Ok(context.per_thread_stream()),
        _ => STREAMS.get(handle),
    }
}

impl Stream {
    /// What the next operation must run after without being told. The device's submission lock is held.
    pub(super) fn implicit_order(&self) -> Vec<Marker> {
        let before = match self.kind {
            StreamKind::NonBlocking => return Vec::new(),
            StreamKind::Blocking => StreamKind::Legacy,
            StreamKind::Legacy => StreamKind::Blocking,
        };
        let streams = self.device.streams.lock();
        let streams = streams.iter().filter_map(|stream| stream.upgrade());
        let others = streams.filter(|other| other.context == self.context && other.kind == before);
        others.map(|other| other.end()).filter(|end| !end.is_reached()).collect()
    }
}
