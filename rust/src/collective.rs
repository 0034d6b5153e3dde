//! How collectives with blocks of one length are checked and handed to the engine.

use std::sync::Arc;

use anyccl_engine::base::{Call, CallKind, Collective, Error as EngineError, Result as EngineResult};
use anyccl_engine::comm::{
    CallSpec, Communicator as Engine, Operation, Persistent as EnginePersistent, Work,
};

use crate::communicator::Communicator;
use crate::element::Element;
use crate::element::sealed::Described;
use crate::error::{Error, ErrorKind, Result};
use crate::operator::{Operator, OperatorInUse};
use crate::sides::{RawSides, Sides};

/// A collective that a program asks for: everything but its buffers.
pub(crate) struct Asked {
    pub collective: Collective,
    pub operator: Option<OperatorInUse>,
    pub root: usize,
}

impl Asked {
    /// A collective without operator and root.
    pub fn plain(collective: Collective) -> Asked {
        Asked { collective, operator: None, root: 0 }
    }

    /// A collective with a root.
    pub fn rooted(collective: Collective, root: usize) -> Asked {
        Asked { collective, operator: None, root }
    }

    /// A reduction.
    pub fn reducing<T>(collective: Collective, operator: impl Into<Operator<T>>) -> Asked {
        Asked { collective, operator: Some(operator.into().in_use()), root: 0 }
    }

    /// Name of the call.
    pub fn name(&self) -> &'static str {
        self.collective.name()
    }

    /// The operation for the engine, whose buffers are long enough for it.
    pub fn checked<T: Element>(&self, engine: &Engine, sides: RawSides) -> EngineResult<Operation> {
        let size = engine.size() as usize;
        let root = check_rank("root", self.root, size)?;
        self.operator.as_ref().map_or(Ok(()), OperatorInUse::check)?;
        let count = count(self.collective, engine.rank() == root, size, sides)?;
        let needed = [
            ("send", self.collective.input_elements(size, engine.rank(), root, count), sides.send_len),
            ("recv", self.collective.output_elements(size, engine.rank(), root, count), sides.recv_len),
        ];
        for (what, needed, len) in needed {
            // The call does not touch a buffer of which it needs nothing.
            if needed != 0 && needed != len {
                let name = self.name();
                let got =
                    format!("it has {len} elements, and {name} of {count} on {size} ranks takes {needed}");
                return Err(EngineError::InvalidArgument { what, got });
            }
        }
        let call = Call {
            kind: CallKind::Collective(self.collective),
            datatype: <T as Described>::DATATYPE,
            op: self.operator.as_ref().map(|operator| operator.op),
            root,
            count: count as u64,
        };
        Ok(Operation { call, send: sides.send, recv: sides.recv })
    }
}

/// The count of a call, from the buffer that tells it.
fn count(collective: Collective, is_root: bool, size: usize, sides: RawSides) -> EngineResult<usize> {
    let blocks = |len: usize| {
        if len.is_multiple_of(size) {
            return Ok(len / size);
        }
        let got = format!("its {len} elements are no blocks of one length for {size} ranks");
        Err(EngineError::InvalidArgument { what: "send", got })
    };
    match collective {
        Collective::Broadcast if is_root => Ok(sides.send_len),
        Collective::Broadcast | Collective::ReduceScatter | Collective::Scatter => Ok(sides.recv_len),
        Collective::AllToAll => blocks(sides.send_len),
        _ => Ok(sides.send_len),
    }
}

/// A rank that a program has passed.
pub(crate) fn check_rank(what: &'static str, rank: usize, size: usize) -> EngineResult<u32> {
    match u32::try_from(rank) {
        Ok(number) if rank < size => Ok(number),
        _ => {
            let got = format!("{rank}; the communicator has {size} ranks");
            Err(EngineError::InvalidArgument { what, got })
        }
    }
}

impl Communicator {
    /// Runs a collective to its end.
    pub(crate) fn run<T: Element>(&self, asked: Asked, sides: Sides<'_, T>) -> Result<()> {
        let outcome = self.enter(asked.name(), |engine| {
            let operation = asked.checked::<T>(engine, sides.raw())?;
            let Some(operator) = asked.operator.as_ref().and_then(|operator| operator.operator.as_ref())
            else {
                // SAFETY: the buffers have the length that the call reads and writes, and `sides` borrows
                // them until this call has returned. They overlap as a call in place may, or not at all. A
                // call that is late is waited for.
                let fast = unsafe { engine.run_fast_path(&operation, |late| late.wait().map(drop)) };
                return match fast {
                    Some(outcome) => outcome.map_err(|error| *error),
                    // SAFETY: as above.
                    None => unsafe { engine.run(&operation) },
                };
            };
            // SAFETY: as above.
            unsafe { engine.run(CallSpec::Collective(&operation, Some(operator))) }
        });
        self.settle(asked.name(), asked.operator.as_ref(), outcome)
    }

    /// Starts a collective.
    ///
    /// # Safety
    /// The buffers stay where they are, and nobody else uses them, until the work has ended. The operator is
    /// kept as long.
    pub(crate) unsafe fn start<T: Element>(&self, asked: &Asked, sides: RawSides) -> Result<Work> {
        self.enter(asked.name(), |engine| {
            let operation = asked.checked::<T>(engine, sides)?;
            let operator = asked.operator.as_ref().and_then(|operator| operator.operator.as_ref());
            // SAFETY: the buffers have the length that the call reads and writes; the rest is passed on from
            // our caller.
            unsafe { engine.start(CallSpec::Collective(&operation, operator)) }.map(Work::from)
        })
    }

    /// Prepares a collective.
    ///
    /// # Safety
    /// The promise of [`Communicator::start`] holds for each run. The operator is kept as long as the call.
    pub(crate) unsafe fn prepare<T: Element>(
        &self,
        asked: &Asked,
        sides: RawSides,
    ) -> Result<EnginePersistent> {
        self.enter(asked.name(), |engine| {
            let operation = asked.checked::<T>(engine, sides)?;
            let operator = asked.operator.as_ref().and_then(|operator| operator.operator.as_ref());
            // SAFETY: the buffers have the length that the call reads and writes; the rest is passed on from
            // our caller.
            unsafe {
                EnginePersistent::new(Arc::clone(self.engine()), CallSpec::Collective(&operation, operator))
            }
        })
    }

    /// The outcome of a call that has ended, unless the function of its operator has panicked.
    pub(crate) fn settle(
        &self,
        call: &str,
        operator: Option<&OperatorInUse>,
        outcome: Result<()>,
    ) -> Result<()> {
        match operator.and_then(OperatorInUse::failure) {
            None => outcome,
            // It was refused, and nothing was sent.
            Some(_) if matches!(&outcome, Err(error) if error.kind() == ErrorKind::InvalidUsage) => outcome,
            Some(panic) => {
                let text = format!("the function of the operator has panicked: {panic}");
                self.abort(&text);
                let place = format!("rank {} of \"{}\", {call}", self.rank(), self.name());
                Err(Error::new(ErrorKind::OperatorPanicked, format!("{place}: {text}")))
            }
        }
    }
}
