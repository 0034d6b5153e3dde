//! What an MPI communicator does for the ranks of one of ours: calls, messages, its end.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::communicator::MpiComm;
use super::constants::Handle;
use super::request::{Ending, MpiRequest};
use super::running::{OPEN, Running, is_finalized};
use super::{unequal, uniform};
use crate::backend::engine::{Exchange, ForeignComm, Started, UnequalCall, UniformCall};
use crate::base::Result;

/// The tag of every message: messages match in order.
const TAG: c_int = 1;
/// Longest message in bytes; longer ones are cut, in the same way on both sides.
const MESSAGE_BYTES: usize = 1 << 30;

impl<H: Handle> ForeignComm for MpiComm<H> {
    fn fits(&self, call: &UniformCall) -> bool {
        uniform::is_narrow(self, call) || self.running.wide_for(call.datatype).is_some()
    }

    unsafe fn run(&self, call: &UniformCall) -> Result<()> {
        // SAFETY: passed on from our caller.
        let ending = unsafe { uniform::make(self, call, None) }?;
        // SAFETY: as above; the blocking call has ended.
        unsafe { ending.apply() };
        Ok(())
    }

    unsafe fn start(&self, call: &UniformCall) -> Result<Box<dyn Started>> {
        let mut request = H::ROOM;
        // SAFETY: passed on from our caller.
        let ending = unsafe { uniform::make(self, call, Some(&mut request)) }?;
        Ok(Box::new(MpiRequest::new(Arc::clone(&self.running), request, ending, Vec::new())))
    }

    unsafe fn run_unequal(&self, call: &UnequalCall<'_>) -> Result<()> {
        // SAFETY: passed on from our caller.
        let (ending, _kept) = unsafe { unequal::make(self, call, None) }?;
        // SAFETY: as above; the blocking call has ended.
        unsafe { ending.apply() };
        Ok(())
    }

    unsafe fn start_unequal(&self, call: &UnequalCall<'_>) -> Result<Box<dyn Started>> {
        let mut request = H::ROOM;
        // SAFETY: passed on from our caller.
        let (ending, kept) = unsafe { unequal::make(self, call, Some(&mut request)) }?;
        Ok(Box::new(MpiRequest::new(Arc::clone(&self.running), request, ending, kept)))
    }

    unsafe fn exchange(&self, messages: &[Exchange]) -> Result<Box<dyn Started>> {
        let Running { core, constants, .. } = &*self.running;
        let byte = constants.types.byte;
        let mut started: Vec<Box<dyn Started>> = Vec::new();
        for message in messages {
            let whole = match message {
                Exchange::Send { bytes, .. } | Exchange::Receive { bytes, .. } => *bytes,
            };
            for at in (0..whole).step_by(MESSAGE_BYTES) {
                let (bytes, mut request) = ((whole - at).min(MESSAGE_BYTES) as c_int, H::ROOM);
                match message {
                    Exchange::Send { to, data, .. } => {
                        let data = data.wrapping_add(at).cast::<c_void>();
                        // SAFETY: readable for that many bytes until the end, by our caller's promise; room
                        // for a handle.
                        let status = unsafe {
                            (core.isend)(data, bytes, byte, *to as c_int, TAG, self.comm, &mut request)
                        };
                        self.running.check(status, "MPI_Isend")?;
                    }
                    Exchange::Receive { from, data, .. } => {
                        let data = data.wrapping_add(at).cast::<c_void>();
                        // SAFETY: writable for that many bytes until the end, by our caller's promise; room
                        // for a handle.
                        let status = unsafe {
                            (core.irecv)(data, bytes, byte, *from as c_int, TAG, self.comm, &mut request)
                        };
                        self.running.check(status, "MPI_Irecv")?;
                    }
                }
                let running = Arc::clone(&self.running);
                started.push(Box::new(MpiRequest::new(running, request, Ending::default(), Vec::new())));
            }
        }
        Ok(Box::new(started))
    }

    fn move_on(&self) {
        let constants = self.running.constants;
        let mut flag: c_int = 0;
        let ignored: *mut c_void = ptr::without_provenance_mut(constants.status_ignore);
        // SAFETY: probes the world, which exists as long as MPI is initialised; writes an int. A probe leaves
        // a message where it is. Its purpose is that MPI makes progress on everything meanwhile.
        unsafe {
            (self.running.core.iprobe)(
                constants.any_source,
                constants.any_tag,
                constants.comm_world,
                &mut flag,
                ignored,
            )
        };
    }

    fn abort(&self) {
        // MPI can only end the whole job, which nobody asked for; a call that waits inside it cannot be
        // recalled.
    }

    fn close(&self) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        // If the program has finalized MPI, the communicator is gone, and no function may be called with it.
        if !is_finalized(self.running.core.finalized) {
            let mut comm = self.comm;
            // SAFETY: MPI is not finalized. The communicator was made by `new`, is closed once, and nothing
            // is under way in it.
            unsafe { (self.running.core.comm_free)(&mut comm) };
        }
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }
}
