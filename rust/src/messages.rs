//! Messages from rank to rank.

use anyccl_engine::base::{Error as EngineError, Result as EngineResult};
use anyccl_engine::comm::{CallSpec, Work};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector, Status as EngineStatus};

use crate::buffers::Input;
use crate::collective::check_rank;
use crate::communicator::Communicator;
use crate::element::Element;
use crate::element::sealed::Described;
use crate::error::Result;
use crate::request::sealed::Working;
use crate::request::{Request, Waitable};

/// The senders from which a receive takes messages: one rank, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Any rank.
    Any,
    /// This rank.
    Rank(usize),
}

impl From<usize> for Source {
    fn from(rank: usize) -> Source {
        Source::Rank(rank)
    }
}

/// The tags that a receive accepts: one, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Any tag.
    Any,
    /// This tag: 0 or more.
    Is(i32),
}

impl From<i32> for Tag {
    fn from(tag: i32) -> Tag {
        Tag::Is(tag)
    }
}

/// A message as its sender described it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Rank of the sender.
    pub source: usize,
    /// Tag of the message.
    pub tag: i32,
    /// Number of elements.
    pub count: usize,
}

impl From<EngineStatus> for Status {
    fn from(status: EngineStatus) -> Status {
        Status { source: status.source as usize, tag: status.tag, count: status.count as usize }
    }
}

/// # Messages
///
/// A message has a sender, a tag of 0 or more, and elements of one type. Messages that the same receives
/// accept arrive in the order in which they were sent. A message that is longer than the receive has room
/// for, or of another type, is [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) on both ranks.
impl Communicator {
    /// Sends elements to one rank. Returns when `data` may be changed, which may be before or after the
    /// message is received. Two ranks that both send first may therefore wait for each other: see
    /// [`send_receive`](Communicator::send_receive).
    pub fn send<T: Element>(&self, data: &[T], to: usize, tag: i32) -> Result<()> {
        self.enter("send", |engine| {
            let message = outgoing(self, elements_of(data), to, tag, false)?;
            // SAFETY: `data` is borrowed until this call has returned, and is that long.
            if unsafe { engine.send_fast_path(&message) } {
                return Ok(());
            }
            // SAFETY: as above.
            unsafe { engine.send(&message) }
        })
    }

    /// Sends elements to one rank, and waits until a receive has matched the message.
    pub fn synchronous_send<T: Element>(&self, data: &[T], to: usize, tag: i32) -> Result<()> {
        self.enter("synchronous_send", |engine| {
            let message = outgoing(self, elements_of(data), to, tag, true)?;
            // SAFETY: `data` is borrowed until this call has returned, and is that long.
            unsafe { engine.send(&message) }
        })
    }

    /// Receives elements. A message may be shorter than `buffer`; elements that it does not fill do not
    /// change.
    ///
    /// ```
    /// use anyccl::{Source, Tag};
    ///
    /// anyccl::threads(2, |comm| {
    ///     if comm.rank() == 0 {
    ///         comm.send(&[1.5f64, 2.5], 1, 7)?;
    ///     } else {
    ///         let mut buffer = [0f64; 10];
    ///         let status = comm.receive(&mut buffer, Source::Any, Tag::Any)?;
    ///         assert_eq!((status.source, status.tag, status.count), (0, 7, 2));
    ///         assert_eq!(buffer[..2], [1.5, 2.5]);
    ///     }
    ///     Ok(())
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    pub fn receive<T: Element>(
        &self,
        buffer: &mut [T],
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Status> {
        self.enter("receive", |engine| {
            let selector = selector(self, source.into(), tag.into())?;
            // SAFETY: `buffer` is borrowed until this call has returned, and is that long.
            unsafe { engine.receive(selector, incoming(room_of(buffer))) }
        })
        .map(Status::from)
    }

    /// Receives a message whose length is not known before. Makes a vector of that length.
    pub fn receive_vec<T: Element>(
        &self,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<(Vec<T>, Status)> {
        let (message, status) = self.enter("receive_vec", |engine| {
            engine.matched_probe(selector(self, source.into(), tag.into())?)
        })?;
        let mut data = zeros::<T>(status.count).map_err(|error| self.explain("receive_vec", &error))?;
        self.enter("receive_vec", |engine| {
            // SAFETY: the vector lives until the request has ended, which is before this function returns.
            unsafe { engine.start_matched_receive(message, incoming(room_of(&mut data))) }?.wait()
        })?;
        Ok((data, status.into()))
    }

    /// Sends elements to one rank and receives elements from one, at the same time. Ranks may make it in a
    /// ring, or any two ranks to each other, without waiting for ever.
    ///
    /// ```
    /// anyccl::threads(3, |comm| {
    ///     let (right, left) = ((comm.rank() + 1) % 3, (comm.rank() + 2) % 3);
    ///     let mut got = [0u32];
    ///     comm.send_receive(&[comm.rank() as u32], right, 0, &mut got, left, 0)?;
    ///     assert_eq!(got[0] as usize, left);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), anyccl::Error>(())
    /// ```
    pub fn send_receive<T: Element, U: Element>(
        &self,
        data: &[T],
        to: usize,
        send_tag: i32,
        buffer: &mut [U],
        source: impl Into<Source>,
        receive_tag: impl Into<Tag>,
    ) -> Result<Status> {
        self.enter("send_receive", |engine| {
            let message = outgoing(self, elements_of(data), to, send_tag, false)?;
            let selector = selector(self, source.into(), receive_tag.into())?;
            // SAFETY: `data` is borrowed until this call has returned, and the request ends before.
            let mut sending = unsafe { engine.start(&message) }?;
            // SAFETY: `buffer` is borrowed until this call has returned, and is that long.
            let received = unsafe { engine.receive(selector, incoming(room_of(buffer))) };
            let sent = sending.wait();
            received.and_then(|status| sent.map(|()| status))
        })
        .map(Status::from)
    }

    /// Waits for a message that a receive would get, and leaves it there.
    pub fn probe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Status> {
        self.enter("probe", |engine| engine.probe(selector(self, source.into(), tag.into())?))
            .map(Status::from)
    }

    /// The message that a receive would get now, if there is one. It stays there.
    pub fn try_probe(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Option<Status>> {
        self.enter("try_probe", |engine| engine.try_probe(selector(self, source.into(), tag.into())?))
            .map(|found| found.map(Status::from))
    }

    /// Starts a [`send`](Communicator::send). The request ends when the elements may be changed.
    pub fn start_send<T: Element, S: Input<T>>(&self, data: S, to: usize, tag: i32) -> Result<Request<S>> {
        self.start_message("start_send", data, to, tag, false)
    }

    /// Starts a [`synchronous_send`](Communicator::synchronous_send).
    pub fn start_synchronous_send<T: Element, S: Input<T>>(
        &self,
        data: S,
        to: usize,
        tag: i32,
    ) -> Result<Request<S>> {
        self.start_message("start_synchronous_send", data, to, tag, true)
    }

    fn start_message<T: Element, S: Input<T>>(
        &self,
        call: &'static str,
        data: S,
        to: usize,
        tag: i32,
        is_synchronous: bool,
    ) -> Result<Request<S>> {
        let work = self.enter(call, |engine| {
            let message = outgoing(self, elements_of(data.elements()), to, tag, is_synchronous)?;
            // SAFETY: the elements stay in place when `data` moves into the request, which owns it until the
            // work has ended.
            unsafe { engine.start(&message) }.map(Work::from)
        })?;
        Ok(Request::new(work, data, None, self, call))
    }

    /// Starts a [`receive`](Communicator::receive).
    pub fn start_receive<T: Element>(
        &self,
        mut buffer: Vec<T>,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<ReceiveRequest<T>> {
        let work = self.enter("start_receive", |engine| {
            let selector = selector(self, source.into(), tag.into())?;
            // SAFETY: the elements stay in place when the vector moves into the request, which owns it until
            // the work has ended.
            unsafe { engine.start(CallSpec::Receive(selector, incoming(room_of(&mut buffer)))) }
                .map(Work::from)
        })?;
        Ok(ReceiveRequest { request: Request::new(work, buffer, None, self, "start_receive") })
    }
}

/// A receive that was started. It owns the buffer, like any [`Request`].
#[derive(Debug)]
#[must_use = "a request that is dropped waits for its call"]
pub struct ReceiveRequest<T> {
    request: Request<Vec<T>>,
}

impl<T: Element> ReceiveRequest<T> {
    /// Waits for the message. The vector keeps its length; the status tells how many elements have arrived.
    pub fn wait(mut self) -> Result<(Vec<T>, Status)> {
        let (buffer, outcome, status) = self.request.end();
        outcome?;
        let status = status.expect("a receive that has succeeded has a status");
        Ok((buffer.expect("a call that has succeeded has ended"), status.into()))
    }

    /// Ends the receive if no message has matched it yet. `None`: there was no message, and the buffer is
    /// unchanged.
    pub fn cancel(mut self) -> Result<(Vec<T>, Option<Status>)> {
        self.request.cancel();
        let (buffer, outcome, status) = self.request.end();
        outcome?;
        let status = status.filter(|status| !status.is_cancelled);
        Ok((buffer.expect("a call that has succeeded has ended"), status.map(Status::from)))
    }

    /// Whether the receive has ended: see [`Request::test`].
    pub fn test(&mut self) -> bool {
        self.request.test()
    }

    /// Waits for at most `time`: see [`Request::wait_for`].
    pub fn wait_for(&mut self, time: std::time::Duration) -> bool {
        self.request.wait_for(time)
    }
}

impl<T: Element> Waitable for ReceiveRequest<T> {}

impl<T: Element> Working for ReceiveRequest<T> {
    fn work(&mut self) -> Option<(&mut Work, &Communicator)> {
        self.request.work()
    }
}

/// A message of `count` elements from `data`.
pub(crate) fn outgoing<T: Element>(
    comm: &Communicator,
    (data, count): (*const T, usize),
    to: usize,
    tag: i32,
    is_synchronous: bool,
) -> EngineResult<OutgoingMessage> {
    Ok(OutgoingMessage {
        to: check_rank("receiver", to, comm.size())?,
        tag: check_tag(tag)?,
        datatype: <T as Described>::DATATYPE,
        count: count as u64,
        data: data.cast(),
        is_synchronous,
    })
}

/// Memory at `data` for a message of at most `count` elements.
pub(crate) fn incoming<T: Element>((data, count): (*mut T, usize)) -> RecvBuffer {
    let datatype = <T as Described>::DATATYPE;
    RecvBuffer { data: data.cast(), datatype, count: count as u64, is_lenient: false }
}

pub(crate) fn elements_of<T>(data: &[T]) -> (*const T, usize) {
    (data.as_ptr(), data.len())
}

pub(crate) fn room_of<T>(buffer: &mut [T]) -> (*mut T, usize) {
    (buffer.as_mut_ptr(), buffer.len())
}

/// The messages that a receive or a probe accepts.
pub(crate) fn selector(comm: &Communicator, source: Source, tag: Tag) -> EngineResult<Selector> {
    let source = match source {
        Source::Any => None,
        Source::Rank(rank) => Some(check_rank("source", rank, comm.size())?),
    };
    let tag = match tag {
        Tag::Any => None,
        Tag::Is(tag) => Some(check_tag(tag)?),
    };
    Ok(Selector::new(source, tag))
}

fn check_tag(tag: i32) -> EngineResult<i32> {
    if tag >= 0 {
        return Ok(tag);
    }
    Err(EngineError::InvalidArgument { what: "tag", got: format!("{tag}; a tag is 0 or more") })
}

/// A vector of zeros for a message of that many elements.
fn zeros<T: Element>(count: u64) -> EngineResult<Vec<T>> {
    let mut data = Vec::new();
    let reserved = usize::try_from(count).is_ok_and(|count| data.try_reserve_exact(count).is_ok());
    if !reserved {
        let text = format!("there is no memory for a message of {count} elements");
        return Err(EngineError::Unsupported(text));
    }
    // SAFETY: every pattern of bits is a value of an element, zeros too.
    data.resize(count as usize, unsafe { std::mem::zeroed() });
    Ok(data)
}
