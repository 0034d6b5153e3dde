//! Collectives that return at once and give a request, with blocks of one length.

use anyccl_engine::base::Collective;

use crate::buffers::Input;
use crate::collective::Asked;
use crate::communicator::Communicator;
use crate::element::Element;
use crate::error::Result;
use crate::operator::Operator;
use crate::request::Request;
use crate::sides::{RawSides, Sides};

/// # Collectives that return at once
///
/// Each is the collective without `start_`. It takes its buffers, and the [`Request`] gives them back when
/// the call has ended. All ranks start their collectives in the same order, blocking or not.
///
/// ```
/// use anyccl::Op;
///
/// anyccl::threads(3, |comm| {
///     let request = comm.start_all_reduce_in_place(vec![comm.rank() as i64; 4], Op::Sum)?;
///     // Something else is done here.
///     let sums = request.wait()?;
///     assert_eq!(sums, [3; 4]);
///     Ok(())
/// })?;
/// # Ok::<(), anyccl::Error>(())
/// ```
///
/// While a request owns a buffer, the program cannot use it:
///
/// ```compile_fail,E0382
/// # use anyccl::Op;
/// # let comm = anyccl::Communicator::world()?;
/// let data = vec![1.0; 4];
/// let request = comm.start_all_reduce_in_place(data, Op::Sum)?;
/// println!("{}", data[0]); // error: borrow of moved value
/// # Ok::<(), anyccl::Error>(())
/// ```
impl Communicator {
    /// Starts a [`barrier`](Communicator::barrier).
    pub fn start_barrier(&self) -> Result<Request<()>> {
        let sides = Sides::<u8>::same(&mut []).raw();
        // SAFETY: a barrier touches no buffer.
        unsafe { self.started::<u8, _>(Asked::plain(Collective::Barrier), sides, ()) }
    }

    /// Starts an [`all_reduce`](Communicator::all_reduce).
    pub fn start_all_reduce<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::reducing(Collective::AllReduce, op), send, recv)
    }

    /// Starts an [`all_reduce_in_place`](Communicator::all_reduce_in_place).
    pub fn start_all_reduce_in_place<T: Element>(
        &self,
        data: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Request<Vec<T>>> {
        self.start_in_place(Asked::reducing(Collective::AllReduce, op), data)
    }

    /// Starts a [`reduce`](Communicator::reduce).
    pub fn start_reduce<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
        root: usize,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked { root, ..Asked::reducing(Collective::Reduce, op) }, send, recv)
    }

    /// Starts a [`broadcast`](Communicator::broadcast).
    pub fn start_broadcast<T: Element>(&self, data: Vec<T>, root: usize) -> Result<Request<Vec<T>>> {
        self.start_in_place(Asked::rooted(Collective::Broadcast, root), data)
    }

    /// Starts an [`all_gather`](Communicator::all_gather).
    pub fn start_all_gather<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::plain(Collective::AllGather), send, recv)
    }

    /// Starts a [`gather`](Communicator::gather).
    pub fn start_gather<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        root: usize,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::rooted(Collective::Gather, root), send, recv)
    }

    /// Starts a [`scatter`](Communicator::scatter).
    pub fn start_scatter<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        root: usize,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::rooted(Collective::Scatter, root), send, recv)
    }

    /// Starts a [`reduce_scatter`](Communicator::reduce_scatter).
    pub fn start_reduce_scatter<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::reducing(Collective::ReduceScatter, op), send, recv)
    }

    /// Starts an [`all_to_all`](Communicator::all_to_all).
    pub fn start_all_to_all<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::plain(Collective::AllToAll), send, recv)
    }

    /// Starts a [`scan`](Communicator::scan).
    pub fn start_scan<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::reducing(Collective::Scan, op), send, recv)
    }

    /// Starts an [`exscan`](Communicator::exscan).
    pub fn start_exscan<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Request<(S, Vec<T>)>> {
        self.start_apart(Asked::reducing(Collective::Exscan, op), send, recv)
    }

    fn start_apart<T: Element, S: Input<T>>(
        &self,
        asked: Asked,
        send: S,
        mut recv: Vec<T>,
    ) -> Result<Request<(S, Vec<T>)>> {
        let sides = Sides::apart(send.elements(), &mut recv).raw();
        // SAFETY: the elements of an input and of a vector stay in place when both move into the request.
        unsafe { self.started::<T, _>(asked, sides, (send, recv)) }
    }

    fn start_in_place<T: Element>(&self, asked: Asked, mut data: Vec<T>) -> Result<Request<Vec<T>>> {
        let sides = Sides::same(&mut data[..]).raw();
        // SAFETY: the elements of a vector stay in place when it moves into the request.
        unsafe { self.started::<T, _>(asked, sides, data) }
    }

    /// Starts a collective and makes its request.
    ///
    /// # Safety
    /// `sides` is memory that `buffers` own, and that stays in place when they move.
    unsafe fn started<T: Element, B>(&self, asked: Asked, sides: RawSides, buffers: B) -> Result<Request<B>> {
        // SAFETY: the request owns the buffers and the operator, gives the buffers back only when the work
        // has ended, and never frees them if it is forgotten.
        let work = unsafe { self.start::<T>(&asked, sides) }?;
        Ok(Request::new(work, buffers, asked.operator, self, asked.collective.name()))
    }
}
