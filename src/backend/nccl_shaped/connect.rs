//! Makes a communicator of the library.
//!
//! The library blocks until all ranks have come, and it does not notice that one never will. So a thread of
//! ours waits in the library, while the calling thread looks for lost ranks and at the clock. When it gives
//! up, the thread stays in the library. A communicator that is made after all is aborted.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use parking_lot::Mutex;

use super::communicator::Calls;
use super::dialect::Dialect;
use super::features::Features;
use super::functions::{Functions, Handle, UniqueId};
use super::outcome;
use super::stream::Stream;
use crate::backend::engine::OobExchange;
use crate::backend::inside::Inside;
use crate::base::{Error, Rank, Result};
use crate::sys::clock;
use crate::sys::thread::spawn_quiet;

/// Time between two looks for lost ranks.
const TURN: Duration = Duration::from_millis(1);

/// What the library needs to make a communicator.
pub struct Connecting<const ID: usize> {
    pub dialect: &'static Dialect,
    pub functions: Arc<Functions<ID>>,
    pub features: Features,
    pub version: c_int,
    pub stream: Box<dyn Stream>,
    pub id: UniqueId<ID>,
    pub rank: Rank,
    pub size: u32,
}

impl<const ID: usize> Connecting<ID> {
    /// Waits for all ranks of `oob`. An error: the library refuses, a rank is lost, or the time is over.
    pub fn connect(self, oob: &dyn OobExchange) -> Result<Calls<ID>> {
        let (title, prefix) = (self.dialect.title, self.dialect.prefix);
        // Without room: what was sent was received, so no communicator is lost between the two.
        let (made, wait) = mpsc::sync_channel(0);
        let body = move || {
            if let Err(mpsc::SendError(Ok(calls))) = made.send(self.init()) {
                calls.abort();
            }
        };
        spawn_quiet("anyccl-connect", body)
            .map_err(|error| Error::system(format!("cannot start a thread that waits for {title}"), error))?;
        let since = clock::now();
        loop {
            match wait.recv_timeout(TURN) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Timeout) => oob.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Internal(format!("the thread that waits for {title} has gone")));
                }
            }
            let waited = clock::since(since);
            if oob.patience().is_some_and(|limit| waited >= limit) {
                let detail = format!("{title} has not found all ranks in {prefix}CommInitRankConfig");
                return Err(Error::Timeout { waited, detail });
            }
        }
    }

    /// Calls the library, which blocks.
    fn init(self) -> Result<Calls<ID>> {
        let Connecting { dialect, functions, features, version, stream, id, rank, size } = self;
        stream.enter()?;
        let mut config = (dialect.config)(version);
        let mut handle: Handle = ptr::null_mut();
        let inside = Inside::enter();
        // SAFETY: writes one handle; id and configuration have the shape that this library and version
        // expect, and the configuration outlives the call.
        let result =
            unsafe { (functions.init)(&mut handle, size as usize, id, rank as c_int, config.as_mut_ptr()) };
        drop(inside);
        outcome::check(dialect, "CommInitRankConfig", result, || {
            // SAFETY: NULL asks in general.
            unsafe { functions.last_error(ptr::null_mut()) }
        })?;
        Ok(Calls {
            dialect,
            functions,
            features,
            handle,
            stream,
            rank,
            size,
            is_aborted: AtomicBool::new(false),
            has_let_go: AtomicBool::new(false),
            questions: Mutex::default(),
            handover: Mutex::default(),
        })
    }
}
