//! Calls on borrowed buffers that end before a scope does.
//!
//! As with `std::thread::scope`, the scope itself holds what was started, and waits for it before it returns.
//! So it does not matter whether the program keeps, drops or forgets the values that it gets.

use std::marker::PhantomData;
use std::mem;
use std::slice;
use std::thread;

use anyccl_engine::base::Collective;
use anyccl_engine::comm::{CallSpec, Work, wait_until_one_engine};
use parking_lot::Mutex;

use crate::call::without_unwinding;
use crate::collective::Asked;
use crate::communicator::Communicator;
use crate::element::Element;
use crate::error::Result;
use crate::messages::{Source, Status, Tag, elements_of, incoming, outgoing, room_of, selector};
use crate::operator::{Operator, OperatorInUse};
use crate::sides::Sides;

/// A scope in which calls use borrowed buffers: see [`Communicator::scope`].
pub struct Scope<'scope, 'env: 'scope> {
    comm: &'env Communicator,
    /// What was started, by its number. `None`: it was waited for.
    started: Mutex<Vec<Option<Started>>>,
    // Invariant in both, as in std::thread::Scope: buffers live as long as the scope, and neither longer nor
    // shorter.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// A call that was started in a scope. It may be waited for early; otherwise the end of the scope waits.
#[derive(Debug)]
pub struct Scoped<'scope, T> {
    scope: ScopeRef<'scope>,
    number: usize,
    output: *mut T,
    len: usize,
    borrowed: PhantomData<&'scope mut [T]>,
}

// SAFETY: it stands for the `&mut [T]` that the call has borrowed, and refers to a scope that any thread may
// use.
unsafe impl<T: Element> Send for Scoped<'_, T> {}

/// The part of a scope that its calls need.
#[derive(Clone, Copy)]
struct ScopeRef<'scope> {
    comm: &'scope Communicator,
    started: &'scope Mutex<Vec<Option<Started>>>,
}

impl std::fmt::Debug for ScopeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.comm.fmt(f)
    }
}

/// A call that was started, without its buffers.
struct Started {
    work: Work,
    operator: Option<OperatorInUse>,
    call: &'static str,
}

impl Communicator {
    /// Runs `body`, in which calls may be started on borrowed buffers. Waits for all of them before it
    /// returns.
    ///
    /// An error is that of `body`, else the first one of a call that was not waited for in `body`. If `body`
    /// panics, the communicator is [aborted](Communicator::abort), so that the calls end.
    ///
    /// It also serves as NCCL's group: sends and receives that are started in one scope do not wait for each
    /// other.
    ///
    /// ```
    /// use anyccl::Op;
    ///
    /// anyccl::threads(2, |comm| {
    ///     let (mut sums, mut counts) = ([1.0f32; 100], [comm.rank() as u64; 3]);
    ///     comm.scope(|scope| {
    ///         scope.all_reduce_in_place(&mut sums, Op::Sum)?;
    ///         let counts = scope.all_reduce_in_place(&mut counts, Op::Max)?;
    ///         // Something else is done here.
    ///         assert_eq!(counts.wait()?, [1; 3]);
    ///         Ok(())
    ///     })?;
    ///     assert_eq!(sums, [2.0; 100]);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    ///
    /// The scope borrows the buffers to its end:
    ///
    /// ```compile_fail,E0503
    /// # use anyccl::Op;
    /// # let comm = anyccl::Communicator::world()?;
    /// let mut sums = [1.0f32; 100];
    /// comm.scope(|scope| {
    ///     scope.all_reduce_in_place(&mut sums, Op::Sum)?;
    ///     sums[0] = 0.0; // error: use of borrowed `sums`
    ///     Ok(())
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    ///
    /// A buffer that ends before the scope is refused as well:
    ///
    /// ```compile_fail,E0597
    /// # use anyccl::Op;
    /// # let comm = anyccl::Communicator::world()?;
    /// comm.scope(|scope| {
    ///     let mut sums = [1.0f32; 100];
    ///     scope.all_reduce_in_place(&mut sums, Op::Sum)?; // error: `sums` does not live long enough
    ///     Ok(())
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    pub fn scope<'env, R, F>(&'env self, body: F) -> Result<R>
    where
        F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R>,
    {
        self.enter("scope", |_| Ok(()))?;
        let scope = Scope { comm: self, started: Mutex::default(), scope: PhantomData, env: PhantomData };
        let end = EndOfScope { comm: self, started: &scope.started };
        let result = body(&scope);
        let ended = end.wait();
        let result = result?;
        ended.map(|()| result)
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Starts an [`all_reduce`](Communicator::all_reduce).
    pub fn all_reduce<T: Element>(
        &'scope self,
        send: &'scope [T],
        recv: &'scope mut [T],
        op: impl Into<Operator<T>>,
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::reducing(Collective::AllReduce, op), Sides::apart(send, recv))
    }

    /// Starts an [`all_reduce_in_place`](Communicator::all_reduce_in_place).
    pub fn all_reduce_in_place<T: Element>(
        &'scope self,
        data: &'scope mut [T],
        op: impl Into<Operator<T>>,
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::reducing(Collective::AllReduce, op), Sides::same(data))
    }

    /// Starts a [`reduce`](Communicator::reduce).
    pub fn reduce<T: Element>(
        &'scope self,
        send: &'scope [T],
        recv: &'scope mut [T],
        op: impl Into<Operator<T>>,
        root: usize,
    ) -> Result<Scoped<'scope, T>> {
        let asked = Asked { root, ..Asked::reducing(Collective::Reduce, op) };
        self.start(asked, Sides::apart(send, recv))
    }

    /// Starts a [`broadcast`](Communicator::broadcast).
    pub fn broadcast<T: Element>(
        &'scope self,
        data: &'scope mut [T],
        root: usize,
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::rooted(Collective::Broadcast, root), Sides::same(data))
    }

    /// Starts an [`all_gather`](Communicator::all_gather).
    pub fn all_gather<T: Element>(
        &'scope self,
        send: &'scope [T],
        recv: &'scope mut [T],
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::plain(Collective::AllGather), Sides::apart(send, recv))
    }

    /// Starts a [`gather`](Communicator::gather).
    pub fn gather<T: Element>(
        &'scope self,
        send: &'scope [T],
        recv: &'scope mut [T],
        root: usize,
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::rooted(Collective::Gather, root), Sides::apart(send, recv))
    }

    /// Starts a [`scatter`](Communicator::scatter).
    pub fn scatter<T: Element>(
        &'scope self,
        send: &'scope [T],
        recv: &'scope mut [T],
        root: usize,
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::rooted(Collective::Scatter, root), Sides::apart(send, recv))
    }

    /// Starts a [`reduce_scatter`](Communicator::reduce_scatter).
    pub fn reduce_scatter<T: Element>(
        &'scope self,
        send: &'scope [T],
        recv: &'scope mut [T],
        op: impl Into<Operator<T>>,
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::reducing(Collective::ReduceScatter, op), Sides::apart(send, recv))
    }

    /// Starts an [`all_to_all`](Communicator::all_to_all).
    pub fn all_to_all<T: Element>(
        &'scope self,
        send: &'scope [T],
        recv: &'scope mut [T],
    ) -> Result<Scoped<'scope, T>> {
        self.start(Asked::plain(Collective::AllToAll), Sides::apart(send, recv))
    }

    /// Starts a [`send`](Communicator::send). The end of the scope waits for it.
    pub fn send<T: Element>(&'scope self, data: &'scope [T], to: usize, tag: i32) -> Result<()> {
        let work = self.comm.enter("send", |engine| {
            let message = outgoing(self.comm, elements_of(data), to, tag, false)?;
            // SAFETY: `data` is borrowed for the scope, which holds the work and ends it before it returns.
            unsafe { engine.start(&message) }.map(Work::from)
        })?;
        self.started.lock().push(Some(Started { work, operator: None, call: "send" }));
        Ok(())
    }

    /// Starts a [`receive`](Communicator::receive).
    pub fn receive<T: Element>(
        &'scope self,
        buffer: &'scope mut [T],
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Scoped<'scope, T>> {
        let room = room_of(buffer);
        let work = self.comm.enter("receive", |engine| {
            let selector = selector(self.comm, source.into(), tag.into())?;
            // SAFETY: `buffer` is borrowed for the scope, which holds the work and ends it before it returns.
            unsafe { engine.start(CallSpec::Receive(selector, incoming(room))) }.map(Work::from)
        })?;
        Ok(self.scoped(Started { work, operator: None, call: "receive" }, room))
    }

    fn start<T: Element>(&'scope self, asked: Asked, sides: Sides<'scope, T>) -> Result<Scoped<'scope, T>> {
        let raw = sides.raw();
        // SAFETY: the buffers are borrowed for the scope, which holds the work and the operator, and ends the
        // work before it returns.
        let work = unsafe { self.comm.start::<T>(&asked, raw) }?;
        let started = Started { work, call: asked.collective.name(), operator: asked.operator };
        Ok(self.scoped(started, (raw.recv.cast(), raw.recv_len)))
    }

    fn scoped<T: Element>(
        &'scope self,
        started: Started,
        (output, len): (*mut T, usize),
    ) -> Scoped<'scope, T> {
        let mut all = self.started.lock();
        all.push(Some(started));
        let scope = ScopeRef { comm: self.comm, started: &self.started };
        Scoped { scope, number: all.len() - 1, output, len, borrowed: PhantomData }
    }
}

impl<'scope, T: Element> Scoped<'scope, T> {
    /// Waits for the end of the call, and gives its output back.
    pub fn wait(self) -> Result<&'scope mut [T]> {
        self.wait_with_status().map(|(output, _)| output)
    }

    /// Waits for the end of the call. Gives its output back, and after a receive the status of the message.
    pub fn wait_with_status(self) -> Result<(&'scope mut [T], Option<Status>)> {
        let ScopeRef { comm, started } = self.scope;
        comm.enter("wait", |_| Ok(()))?;
        let mut started = started.lock()[self.number].take().expect("waited for only here, and at the end");
        let outcome = started.end(comm);
        let status = started.work.status().map(Status::from);
        outcome?;
        // SAFETY: this is the output that the call has borrowed for the scope. The call has ended, and this
        // value was the only one that stands for it.
        Ok((unsafe { slice::from_raw_parts_mut(self.output, self.len) }, status))
    }
}

impl Started {
    /// Waits for the end.
    fn end(&mut self, comm: &Communicator) -> Result<()> {
        let outcome = without_unwinding(|| self.work.wait());
        let outcome = outcome.map_err(|error| comm.explain(self.call, &error));
        comm.settle(self.call, self.operator.as_ref(), outcome)
    }
}

/// Waits for what is still under way when a scope ends, also by a panic.
struct EndOfScope<'a> {
    comm: &'a Communicator,
    started: &'a Mutex<Vec<Option<Started>>>,
}

impl EndOfScope<'_> {
    fn wait(self) -> Result<()> {
        let outcome = self.wait_for_all();
        mem::forget(self);
        outcome
    }

    fn wait_for_all(&self) -> Result<()> {
        let mut all: Vec<Started> = mem::take(&mut *self.started.lock()).into_iter().flatten().collect();
        if let Err(error) = self.comm.may_enter() {
            // The scope began in this thread outside of any operator's function, and ends there. So this is a
            // child of `fork`: its memory is a copy on which no engine works, and may be used.
            mem::forget(all);
            return Err(self.comm.explain("scope", &error));
        }
        without_unwinding(|| {
            wait_until_one_engine(&mut all.iter_mut().map(|one| &mut one.work).collect::<Vec<_>>());
        });
        // All have to end, whatever the first outcome is.
        let outcomes: Vec<Result<()>> = all.iter_mut().map(|one| one.end(self.comm)).collect();
        outcomes.into_iter().collect()
    }
}

impl Drop for EndOfScope<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.comm.abort("a scope has panicked");
        }
        // The panic goes on, and the communicator keeps the error.
        let _ = self.wait_for_all();
    }
}
