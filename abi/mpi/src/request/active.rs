//! Operations under way.

use std::collections::VecDeque;
use std::sync::Arc;

use anyccl_engine::comm as engine;

use super::generalized_operation::Generalized;
use super::steps::Steps;
use crate::error::{Error, Result};
use crate::status::Status;

/// An operation under way.
pub enum Active {
    /// The operation has completed.
    Complete(Status),
    /// The operation has failed.
    Failed(Error),
    /// A message or a collective in the engine.
    Engine(Running),
    /// Work in stages.
    Staged(Box<Staged>),
    /// An operation of several steps.
    Steps(Box<dyn Steps>),
    /// The program's own operation.
    Generalized(Arc<Generalized>),
}

/// An operation in the engine.
pub struct Running {
    pub(super) request: engine::Request,
    /// First rank of the senders in the engine's communicator, for the status of a receive.
    pub(super) first_peer: u32,
    is_receive: bool,
}

/// A stage: work on this rank, which may start an operation in the engine. Its argument is the status of the
/// operation that the previous stage started.
pub type Stage = Box<dyn FnOnce(&Status) -> Result<Option<engine::Request>> + Send>;

/// Work in stages. A stage begins when the operation of the previous one is complete.
pub struct Staged {
    current: Option<engine::Request>,
    rest: VecDeque<Stage>,
    status: Status,
    /// First rank of the senders, as in [`Running`].
    first_peer: u32,
}

impl Staged {
    /// Starts these stages; the first begins at once.
    pub fn start(stages: impl IntoIterator<Item = Stage>) -> Result<Active> {
        Staged::begin(None, 0, stages)
    }

    /// Starts these stages; the first begins after an operation in the engine. See [`Active::receive`].
    pub fn after(
        current: engine::Request,
        first_peer: u32,
        stages: impl IntoIterator<Item = Stage>,
    ) -> Result<Active> {
        Staged::begin(Some(current), first_peer, stages)
    }

    fn begin(
        current: Option<engine::Request>,
        first_peer: u32,
        stages: impl IntoIterator<Item = Stage>,
    ) -> Result<Active> {
        let rest = stages.into_iter().collect();
        let mut staged = Staged { current, rest, status: Status::SENT, first_peer };
        match staged.poll() {
            None => Ok(Active::Staged(Box::new(staged))),
            Some(outcome) => outcome.map(Active::Complete),
        }
    }

    /// Goes on as far as possible. Returns the outcome if all stages have ended.
    fn poll(&mut self) -> Option<Result<Status>> {
        loop {
            if let Some(current) = &mut self.current {
                match current.test() {
                    Ok(false) => return None,
                    Ok(true) => {}
                    Err(error) => return Some(Err(Error::from(error).among_peers_from(self.first_peer))),
                }
                if let Some(status) = current.status() {
                    self.status = Status::from(&status);
                    self.status.source -= self.first_peer.cast_signed();
                }
                self.current = None;
            }
            let Some(stage) = self.rest.pop_front() else { return Some(Ok(self.status)) };
            match stage(&self.status) {
                Ok(next) => self.current = next,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Active {
    /// A send or a collective in the engine.
    pub fn engine(request: engine::Request) -> Active {
        Active::Engine(Running { request, first_peer: 0, is_receive: false })
    }

    /// A receive in the engine. `first_peer` is the rank there of the first possible sender.
    pub fn receive(request: engine::Request, first_peer: u32) -> Active {
        Active::Engine(Running { request, first_peer, is_receive: true })
    }

    /// The outcome, if the operation has completed. Advances all operations.
    pub fn poll(&mut self) -> Option<Result<Status>> {
        match self {
            Active::Complete(status) => Some(Ok(*status)),
            Active::Failed(error) => Some(Err(error.clone())),
            Active::Engine(running) => match running.request.test() {
                Ok(false) => None,
                Ok(true) => Some(Ok(running.status())),
                Err(error) => Some(Err(Error::from(error).among_peers_from(running.first_peer))),
            },
            Active::Staged(staged) => staged.poll(),
            Active::Steps(steps) => steps.poll(),
            Active::Generalized(generalized) => generalized.poll(),
        }
    }

    /// The request in the engine to wait for next.
    pub fn current(&self) -> Option<&engine::Request> {
        match self {
            Active::Engine(running) => Some(&running.request),
            Active::Staged(staged) => staged.current.as_ref(),
            Active::Steps(steps) => steps.current(),
            Active::Complete(_) | Active::Failed(_) | Active::Generalized(_) => None,
        }
    }

    /// Cancels a receive that has met no message yet.
    pub fn cancel(&self) {
        match self {
            Active::Engine(running) if running.is_receive => running.request.cancel(),
            Active::Staged(staged) => staged.current.iter().for_each(engine::Request::cancel),
            // Sends and collectives are not cancelled: MPI 5.0, section 3.8.4, allows that.
            Active::Complete(_) | Active::Failed(_) | Active::Engine(_) | Active::Steps(_) => {}
            // MPI_Cancel asks the program.
            Active::Generalized(_) => {}
        }
    }

    /// Whether another thread may cancel or complete the operation while a thread waits for it.
    /// `is_multiple`: threads call MPI at the same time.
    pub fn concerns_others(&self, is_multiple: bool) -> bool {
        match self {
            Active::Generalized(_) => true,
            Active::Engine(running) => is_multiple && running.is_receive,
            Active::Staged(_) => is_multiple,
            Active::Complete(_) | Active::Failed(_) | Active::Steps(_) => false,
        }
    }

    /// Whether the operation needs turns from waiting threads to reach its end.
    pub fn is_staged(&self) -> bool {
        matches!(self, Active::Staged(_) | Active::Steps(_))
    }
}

impl Running {
    pub(super) fn status(&self) -> Status {
        if !self.is_receive {
            return Status::SENT;
        }
        let Some(status) = self.request.status() else { return Status::SENT };
        let mut status = Status::from(&status);
        status.source -= self.first_peer.cast_signed();
        status
    }
}
