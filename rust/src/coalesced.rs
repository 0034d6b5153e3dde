//! Collectives on lists of buffers, in few messages.

use anyccl_engine::base::{Collective, Result as EngineResult};
use anyccl_engine::comm::{CallSpec, Communicator as Engine, List, Part, Work};

use crate::collective::{Asked, check_rank};
use crate::communicator::Communicator;
use crate::element::Element;
use crate::element::sealed::Described;
use crate::error::Result;
use crate::operator::{Operator, OperatorInUse};
use crate::request::Request;

/// # Collectives on lists of buffers
///
/// Small buffers travel together, so a list costs far less than a call for each buffer. The lists have the
/// same lengths on all ranks. Forms with `start_` return at once.
impl Communicator {
    /// Reduces each buffer of a list, and replaces it by the result. The use is the gradients of a model.
    ///
    /// ```
    /// use anyccl::Op;
    ///
    /// anyccl::threads(2, |comm| {
    ///     let (mut weights, mut bias) = ([1.0f32; 6], [2.0f32; 3]);
    ///     comm.all_reduce_coalesced(&mut [&mut weights, &mut bias], Op::Avg)?;
    ///     assert_eq!((weights, bias), ([1.0; 6], [2.0; 3]));
    ///     Ok(())
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    pub fn all_reduce_coalesced<T: Element>(
        &self,
        list: &mut [&mut [T]],
        op: impl Into<Operator<T>>,
    ) -> Result<()> {
        self.run_list(&Asked::reducing(Collective::AllReduce, op), list)
    }

    /// Copies each buffer of the list of rank `root` to all ranks.
    pub fn broadcast_coalesced<T: Element>(&self, list: &mut [&mut [T]], root: usize) -> Result<()> {
        self.run_list(&Asked::rooted(Collective::Broadcast, root), list)
    }

    /// Starts an [`all_reduce_coalesced`](Communicator::all_reduce_coalesced).
    pub fn start_all_reduce_coalesced<T: Element>(
        &self,
        list: Vec<Vec<T>>,
        op: impl Into<Operator<T>>,
    ) -> Result<Request<Vec<Vec<T>>>> {
        self.start_list(Asked::reducing(Collective::AllReduce, op), list)
    }

    /// Starts a [`broadcast_coalesced`](Communicator::broadcast_coalesced).
    pub fn start_broadcast_coalesced<T: Element>(
        &self,
        list: Vec<Vec<T>>,
        root: usize,
    ) -> Result<Request<Vec<Vec<T>>>> {
        self.start_list(Asked::rooted(Collective::Broadcast, root), list)
    }

    fn run_list<T: Element>(&self, asked: &Asked, list: &mut [&mut [T]]) -> Result<()> {
        let call = name(asked);
        let outcome = self.enter(call, |engine| {
            let parts: Vec<Part> = list.iter_mut().map(|data| part(data)).collect();
            // SAFETY: the buffers are borrowed until this call has returned, and the work ends before.
            unsafe { start(engine, asked, &parts) }?.wait()
        });
        self.settle(call, asked.operator.as_ref(), outcome)
    }

    fn start_list<T: Element>(&self, asked: Asked, mut list: Vec<Vec<T>>) -> Result<Request<Vec<Vec<T>>>> {
        let call = name(&asked);
        let work = self.enter(call, |engine| {
            let parts: Vec<Part> = list.iter_mut().map(|data| part(data)).collect();
            // SAFETY: the elements stay in place when their vectors move into the request. It owns them and
            // the operator until the work has ended.
            unsafe { start(engine, &asked, &parts) }
        })?;
        Ok(Request::new(work, list, asked.operator, self, call))
    }
}

fn name(asked: &Asked) -> &'static str {
    match asked.collective {
        Collective::Broadcast => "broadcast_coalesced",
        _ => "all_reduce_coalesced",
    }
}

/// A buffer in place.
fn part<T: Element>(data: &mut [T]) -> Part {
    let (start, count) = (data.as_mut_ptr().cast::<u8>(), data.len());
    Part { send: start, recv: start, count, datatype: <T as Described>::DATATYPE }
}

/// Starts a collective on a list of buffers.
///
/// # Safety
/// Nobody else uses the buffers until the work has ended. The operator is kept as long.
unsafe fn start(engine: &Engine, asked: &Asked, parts: &[Part]) -> EngineResult<Work> {
    let root = check_rank("root", asked.root, engine.size() as usize)?;
    asked.operator.as_ref().map_or(Ok(()), OperatorInUse::check)?;
    let op = asked.operator.as_ref().map(|operator| operator.op);
    let list = List { collective: asked.collective, op, root, parts };
    let operator = asked.operator.as_ref().and_then(|operator| operator.operator.as_ref());
    // SAFETY: each part has the length that its collective reads and writes; the rest is passed on from our
    // caller.
    unsafe { engine.start(CallSpec::List(&list, operator)) }.map(Work::from)
}
