//! Collectives whose blocks differ in length.
//!
//! The blocks of a buffer follow one another, in rank order, and fill it. Counts are numbers of elements.

use anyccl_engine::base::{Collective, Error as EngineError, Result as EngineResult};
use anyccl_engine::comm::{CallSpec, Communicator as Engine, Graph, Places, Unequal, Work};
use anyccl_engine::plan::{Block, BlockLayout};

use crate::buffers::Input;
use crate::collective::{Asked, check_rank};
use crate::communicator::Communicator;
use crate::element::Element;
use crate::element::sealed::Described;
use crate::error::Result;
use crate::operator::{Operator, OperatorInUse};
use crate::request::Request;
use crate::sides::{RawSides, Sides};

/// The counts that a rank passes to a collective: of its input, and of its output. `None`: one block, the
/// whole buffer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts<'a> {
    pub send: Option<&'a [usize]>,
    pub recv: Option<&'a [usize]>,
    /// Set if blocks go to and come from neighbours instead of all ranks.
    pub graph: Option<&'a Graph>,
}

/// # Collectives with blocks of different lengths
///
/// The blocks of a buffer follow one another in rank order. Their counts add up to its length. Forms with
/// `start_` return at once, as those of collectives with blocks of one length.
impl Communicator {
    /// Gives every rank the inputs of all ranks. `counts` has the length of each rank's input, and is the
    /// same on all ranks.
    ///
    /// ```
    /// anyccl::threads(3, |comm| {
    ///     let mine = vec![comm.rank() as u8; comm.rank() + 1];
    ///     let mut all = [0; 6];
    ///     comm.all_gather_v(&mine, &mut all, &[1, 2, 3])?;
    ///     assert_eq!(all, [0, 1, 1, 2, 2, 2]);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    pub fn all_gather_v<T: Element>(&self, send: &[T], recv: &mut [T], counts: &[usize]) -> Result<()> {
        let counts = Counts { recv: Some(counts), ..Counts::default() };
        self.run_unequal(Asked::plain(Collective::AllGatherV), Sides::apart(send, recv), counts)
    }

    /// Gives rank `root` the inputs of all ranks. `counts` has the length of each rank's input. On the other
    /// ranks, `recv` and `counts` are not used, and may be empty.
    pub fn gather_v<T: Element>(
        &self,
        send: &[T],
        recv: &mut [T],
        counts: &[usize],
        root: usize,
    ) -> Result<()> {
        let counts = Counts { recv: Some(counts), ..Counts::default() };
        self.run_unequal(Asked::rooted(Collective::GatherV, root), Sides::apart(send, recv), counts)
    }

    /// Gives each rank its block of the input of rank `root`. `counts` has the length of each block. On the
    /// other ranks, `send` and `counts` are not used, and may be empty.
    pub fn scatter_v<T: Element>(
        &self,
        send: &[T],
        counts: &[usize],
        recv: &mut [T],
        root: usize,
    ) -> Result<()> {
        let counts = Counts { send: Some(counts), ..Counts::default() };
        self.run_unequal(Asked::rooted(Collective::ScatterV, root), Sides::apart(send, recv), counts)
    }

    /// Reduces the inputs of all ranks, and gives each rank its block of the result. `counts` has the length
    /// of each block, and is the same on all ranks.
    pub fn reduce_scatter_v<T: Element>(
        &self,
        send: &[T],
        counts: &[usize],
        recv: &mut [T],
        op: impl Into<Operator<T>>,
    ) -> Result<()> {
        let counts = Counts { send: Some(counts), ..Counts::default() };
        self.run_unequal(Asked::reducing(Collective::ReduceScatterV, op), Sides::apart(send, recv), counts)
    }

    /// Sends each rank its block of `send`, and receives a block from each. The block that a rank sends to
    /// another one has the length that the other one expects.
    pub fn all_to_all_v<T: Element>(
        &self,
        send: &[T],
        send_counts: &[usize],
        recv: &mut [T],
        recv_counts: &[usize],
    ) -> Result<()> {
        let counts = Counts { send: Some(send_counts), recv: Some(recv_counts), graph: None };
        self.run_unequal(Asked::plain(Collective::AllToAllV), Sides::apart(send, recv), counts)
    }

    /// Starts an [`all_gather_v`](Communicator::all_gather_v).
    pub fn start_all_gather_v<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        counts: &[usize],
    ) -> Result<Request<(S, Vec<T>)>> {
        let counts = Counts { recv: Some(counts), ..Counts::default() };
        self.start_unequal(Asked::plain(Collective::AllGatherV), send, recv, counts)
    }

    /// Starts a [`gather_v`](Communicator::gather_v).
    pub fn start_gather_v<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        counts: &[usize],
        root: usize,
    ) -> Result<Request<(S, Vec<T>)>> {
        let counts = Counts { recv: Some(counts), ..Counts::default() };
        self.start_unequal(Asked::rooted(Collective::GatherV, root), send, recv, counts)
    }

    /// Starts a [`scatter_v`](Communicator::scatter_v).
    pub fn start_scatter_v<T: Element, S: Input<T>>(
        &self,
        send: S,
        counts: &[usize],
        recv: Vec<T>,
        root: usize,
    ) -> Result<Request<(S, Vec<T>)>> {
        let counts = Counts { send: Some(counts), ..Counts::default() };
        self.start_unequal(Asked::rooted(Collective::ScatterV, root), send, recv, counts)
    }

    /// Starts a [`reduce_scatter_v`](Communicator::reduce_scatter_v).
    pub fn start_reduce_scatter_v<T: Element, S: Input<T>>(
        &self,
        send: S,
        counts: &[usize],
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Request<(S, Vec<T>)>> {
        let counts = Counts { send: Some(counts), ..Counts::default() };
        self.start_unequal(Asked::reducing(Collective::ReduceScatterV, op), send, recv, counts)
    }

    /// Starts an [`all_to_all_v`](Communicator::all_to_all_v).
    pub fn start_all_to_all_v<T: Element, S: Input<T>>(
        &self,
        send: S,
        send_counts: &[usize],
        recv: Vec<T>,
        recv_counts: &[usize],
    ) -> Result<Request<(S, Vec<T>)>> {
        let counts = Counts { send: Some(send_counts), recv: Some(recv_counts), graph: None };
        self.start_unequal(Asked::plain(Collective::AllToAllV), send, recv, counts)
    }

    /// Runs a collective with blocks of different lengths to its end.
    pub(crate) fn run_unequal<T: Element>(
        &self,
        asked: Asked,
        sides: Sides<'_, T>,
        counts: Counts,
    ) -> Result<()> {
        let outcome = self.enter(asked.name(), |engine| {
            let blocks = Blocks::checked(&asked, engine, sides.raw(), counts)?;
            let operator = asked.operator.as_ref().and_then(|operator| operator.operator.as_ref());
            let call = blocks.call::<T>(&asked, sides.raw());
            // SAFETY: the blocks lie within the buffers, which `sides` borrows until this call has returned.
            unsafe { engine.run(CallSpec::Unequal(&call, operator)) }
        });
        self.settle(asked.name(), asked.operator.as_ref(), outcome)
    }

    /// Starts a collective with blocks of different lengths.
    pub(crate) fn start_unequal<T: Element, S: Input<T>>(
        &self,
        asked: Asked,
        send: S,
        mut recv: Vec<T>,
        counts: Counts,
    ) -> Result<Request<(S, Vec<T>)>> {
        let sides = Sides::apart(send.elements(), &mut recv).raw();
        let work = self.enter(asked.name(), |engine| {
            let blocks = Blocks::checked(&asked, engine, sides, counts)?;
            let operator = asked.operator.as_ref().and_then(|operator| operator.operator.as_ref());
            let call = blocks.call::<T>(&asked, sides);
            // SAFETY: the blocks lie within the buffers, whose elements stay in place when they move into the
            // request. It owns them and the operator until the work has ended.
            unsafe { engine.start(CallSpec::Unequal(&call, operator)) }.map(Work::from)
        })?;
        Ok(Request::new(work, (send, recv), asked.operator, self, asked.collective.name()))
    }
}

/// The blocks of one call, which lie within its buffers.
struct Blocks<'a> {
    root: u32,
    input: Vec<Block>,
    output: Vec<Block>,
    graph: Option<&'a Graph>,
}

impl<'a> Blocks<'a> {
    fn checked(
        asked: &Asked,
        engine: &Engine,
        sides: RawSides,
        counts: Counts<'a>,
    ) -> EngineResult<Blocks<'a>> {
        let (size, rank) = (engine.size() as usize, engine.rank());
        let root = check_rank("root", asked.root, size)?;
        asked.operator.as_ref().map_or(Ok(()), OperatorInUse::check)?;
        let is_root = rank == root;
        let list = |what, counts: Option<&[usize]>, blocks: usize, len: usize, is_used: bool| match counts {
            None => Ok(vec![Block { offset: 0, len }]),
            Some(_) if !is_used => Ok(Vec::new()),
            Some(counts) => adjacent(what, counts, blocks, len),
        };
        let (to, from) =
            counts.graph.map_or((size, size), |graph| (graph.destinations().len(), graph.sources().len()));
        let scatters = asked.collective == Collective::ScatterV;
        let gathers = asked.collective == Collective::GatherV;
        let input = list("send", counts.send, to, sides.send_len, is_root || !scatters)?;
        let output = list("recv", counts.recv, from, sides.recv_len, is_root || !gathers)?;
        let own = |blocks: &[Block]| blocks.get(rank as usize).copied();
        let wrong = match asked.collective {
            Collective::AllGatherV => own(&output).filter(|own| own.len != sides.send_len),
            Collective::ReduceScatterV => own(&input).filter(|own| own.len != sides.recv_len),
            _ => None,
        };
        if let Some(own) = wrong {
            let (what, len) = match asked.collective {
                Collective::AllGatherV => ("send", sides.send_len),
                _ => ("recv", sides.recv_len),
            };
            let got = format!("it has {len} elements, and the count of this rank is {}", own.len);
            return Err(EngineError::InvalidArgument { what, got });
        }
        Ok(Blocks { root, input, output, graph: counts.graph })
    }

    fn call<T: Element>(&self, asked: &Asked, sides: RawSides) -> Unequal<'_> {
        Unequal {
            collective: asked.collective,
            datatype: <T as Described>::DATATYPE,
            op: asked.operator.as_ref().map(|operator| operator.op),
            root: self.root,
            layout: BlockLayout {
                input: &self.input,
                output: &self.output,
                sources: self.graph.map_or(&[], Graph::sources),
                destinations: self.graph.map_or(&[], Graph::destinations),
                ..BlockLayout::NONE
            },
            places: Places::Buffers { send: sides.send, recv: sides.recv },
        }
    }
}

/// Blocks that follow one another and fill a buffer of `len` elements.
fn adjacent(what: &'static str, counts: &[usize], blocks: usize, len: usize) -> EngineResult<Vec<Block>> {
    let refuse = |got| Err(EngineError::InvalidArgument { what, got });
    if counts.len() != blocks {
        return refuse(format!("{} counts for {blocks} ranks", counts.len()));
    }
    let mut end = 0usize;
    let mut found = Vec::with_capacity(blocks);
    for count in counts {
        found.push(Block { offset: end, len: *count });
        end = end.saturating_add(*count);
    }
    if end != len {
        return refuse(format!("it has {len} elements, and its counts add up to {end}"));
    }
    Ok(found)
}
