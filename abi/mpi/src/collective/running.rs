//! The execution of a script: at once, or in steps.

use std::sync::Arc;

use anyccl_engine::comm::Request;

use super::script::Script;
use crate::comm::Turn;
use crate::error::Result;
use crate::request::{self, Active, Steps};
use crate::status::Status;

/// A script that is being executed. A stage begins when the call of the previous one is complete and all
/// earlier calls on the communicator have begun.
pub struct Running {
    // Dropped first: dropping a request waits for it, and it uses memory of the script until then.
    current: Option<Request>,
    script: Arc<Script>,
    /// Index of the next stage, or of the one whose call is under way.
    at: usize,
    /// The turn of this call on an intercommunicator, until its last stage has begun; else `None`.
    turn: Option<Turn>,
}

impl Running {
    /// A script of which nothing has begun.
    pub(super) fn new(script: Arc<Script>) -> Running {
        let turn = script.turns_of.map(Turn::take);
        Running { current: None, script, at: 0, turn }
    }
}

impl Steps for Running {
    fn poll(&mut self) -> Option<Result<Status>> {
        loop {
            if let Some(current) = &mut self.current {
                match current.test() {
                    Ok(false) => return None,
                    Ok(true) => {}
                    Err(error) => return Some(Err(error.into())),
                }
                self.current = None;
                // SAFETY: the starter of the script keeps its buffers until it is complete.
                unsafe { self.script.stage_at(self.at).finish() };
                self.at += 1;
            }
            if self.at == self.script.stages() {
                self.turn = None;
                return Some(Ok(Status::SENT));
            }
            if self.turn.as_ref().is_some_and(|turn| !turn.has_come()) {
                return None;
            }
            let stage = self.script.stage_at(self.at);
            // SAFETY: as above.
            unsafe { stage.prepare() };
            // SAFETY: as above.
            match unsafe { stage.start() } {
                Ok(Some(started)) => self.current = Some(started),
                Ok(None) => {
                    // SAFETY: as above.
                    unsafe { stage.finish() };
                    self.at += 1;
                }
                Err(error) => {
                    self.turn = None;
                    return Some(Err(error));
                }
            }
            if self.at + 1 >= self.script.stages() {
                self.turn = None;
            }
        }
    }

    fn current(&self) -> Option<&Request> {
        self.current.as_ref()
    }
}

impl Script {
    /// Runs the script to its end.
    ///
    /// # Safety
    /// The buffers of the call are as the program has described them.
    pub unsafe fn run(self) -> Result<()> {
        if self.turns_of.is_some() {
            // SAFETY: passed on from our caller.
            let active = unsafe { self.start() }?;
            return request::run(active).map(drop);
        }
        (0..self.stages()).try_for_each(|at| {
            // SAFETY: passed on from our caller.
            unsafe { self.stage_at(at).run() }
        })
    }

    /// Starts the script.
    ///
    /// # Safety
    /// See [`Script::run`], until the script is complete.
    pub unsafe fn start(self) -> Result<Active> {
        if let Some(call) = self.plain_call() {
            // SAFETY: passed on from our caller.
            return Ok(Active::engine(unsafe { call.start() }?));
        }
        // SAFETY: passed on from our caller.
        unsafe { Arc::new(self).start_shared() }
    }

    /// Starts the script, perhaps not for the last time.
    ///
    /// # Safety
    /// See [`Script::start`]; no other run of it is under way.
    pub unsafe fn start_shared(self: Arc<Script>) -> Result<Active> {
        let mut running = Running::new(self);
        match running.poll() {
            None => Ok(Active::Steps(Box::new(running))),
            Some(outcome) => outcome.map(Active::Complete),
        }
    }
}
