//! A message of the direct path whose elements go through host memory after all: the other rank has them
//! there, or cannot address those of this one.
//!
//! Inside of the message is a staged call on the library's stream. The stream of the program waits.

use super::exchange::Next;
use crate::base::Result;
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::comm::device::staged::ranges::{Access, Touched};
use crate::comm::device::staged::{StagedCall, Step};
use crate::p2p::{MatchedMessage, OutgoingMessage, RecvBuffer, Status, Wanted};

/// See the module head.
pub struct MessageByHost {
    call: StagedCall,
    engine_call: EngineCall,
    phase: Phase,
}

/// What the engine does, with addresses of the copy.
enum EngineCall {
    Send(OutgoingMessage, Wanted),
    Receive(RecvBuffer, MatchedMessage),
}

// SAFETY: the pointers lead to the copy, which belongs to the call, on whatever thread it goes on.
unsafe impl Send for EngineCall {}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// What the engine reads is copied to the host.
    Arriving,
    /// The engine works.
    Running,
    /// What the engine has written is copied to the device.
    Leaving,
}

impl MessageByHost {
    /// Sends the elements of a message.
    pub fn send(what: &OutgoingMessage, wanted: Wanted, own: &CallStream) -> Result<MessageByHost> {
        let bytes = what.count as usize * what.datatype.bytes();
        let call = on_own_stream(what.data.addr(), bytes, Access::Read, own)?;
        let data = std::ptr::with_exposed_provenance(call.host(what.data.addr()));
        MessageByHost::enqueue(call, EngineCall::Send(OutgoingMessage { data, ..*what }, wanted))
    }

    /// Receives a claimed message of this status, which has elements.
    pub fn receive(
        buffer: &RecvBuffer,
        message: MatchedMessage,
        status: &Status,
        own: &CallStream,
    ) -> Result<MessageByHost> {
        let most = buffer.count as usize * buffer.datatype.bytes();
        let call = on_own_stream(buffer.data.addr(), most.min(status.bytes), Access::Written, own)?;
        let data = std::ptr::with_exposed_provenance_mut(call.host(buffer.data.addr()));
        // The copy is no longer than the message.
        let on_copy = match status.bytes < most {
            true => RecvBuffer { data, datatype: status.datatype, count: status.count, ..*buffer },
            false => RecvBuffer { data, ..*buffer },
        };
        MessageByHost::enqueue(call, EngineCall::Receive(on_copy, message))
    }

    fn enqueue(mut call: StagedCall, engine_call: EngineCall) -> Result<MessageByHost> {
        call.enqueue()?;
        Ok(MessageByHost { call, engine_call, phase: Phase::Arriving })
    }

    /// Goes on, after the engine has ended what it worked on, or the device may have.
    ///
    /// # Safety
    /// `self` lives until the work has ended.
    pub unsafe fn next<H: Host>(&mut self, comm: &H) -> Result<Next<H::Started>> {
        let bounced = match self.phase {
            Phase::Leaving => None,
            _ => self.call.next_of_bounced(),
        };
        let starts = match (self.phase, bounced) {
            (Phase::Leaving, _) => {
                return Ok(if self.call.has_passed()? { Next::Ended } else { Next::Device });
            }
            (_, Some(Step::Copies)) => return Ok(Next::Device),
            (_, Some(step)) => step == Step::Start,
            (Phase::Arriving, None) if !self.call.reads_nothing() && !self.call.is_ready() => {
                return Ok(Next::Device);
            }
            (phase, None) => phase == Phase::Arriving,
        };
        if starts {
            self.phase = Phase::Running;
            // SAFETY: the copy lives as long as `self`.
            return unsafe { self.start(comm) }.map(Next::Call);
        }
        self.phase = Phase::Leaving;
        self.call.end(true)?;
        Ok(Next::Device)
    }

    /// # Safety
    /// See [`MessageByHost::next`].
    unsafe fn start<H: Host>(&self, comm: &H) -> Result<H::Started> {
        match &self.engine_call {
            // SAFETY: passed on from our caller.
            EngineCall::Send(what, wanted) => unsafe { comm.start_wanted(what, *wanted) },
            // SAFETY: passed on from our caller.
            EngineCall::Receive(buffer, message) => unsafe { comm.start_claimed(*message, *buffer) },
        }
    }

    /// Looks at the copies. Returns whether anything has changed.
    pub fn look(&mut self) -> Result<bool> {
        self.call.look()
    }

    /// Whether copies may still use the buffer of the call, which has failed.
    pub fn is_in_use(&mut self) -> bool {
        self.call.is_in_flight()
            || self.call.end(false).is_ok() && matches!(self.call.has_passed(), Ok(false))
    }

    /// See [`StagedCall::check`].
    pub fn check(&self) -> Result<()> {
        self.call.check()
    }
}

/// A staged call on the library's stream, whose context is current.
fn on_own_stream(address: usize, bytes: usize, access: Access, own: &CallStream) -> Result<StagedCall> {
    let mut touched = Touched::default();
    touched.add(address, bytes, access);
    StagedCall::new(&touched, None, |_, _| Ok(own.clone()), |_, _| Ok(own.clone()))
}
