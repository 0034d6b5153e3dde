//! The incoming side of one peer: its link, and the stash of fragments that came too early.
//!
//! The fragments of one call from this peer are a *conversation*: they have the same context and sequence
//! number. Usually the fragment at the head of the link belongs to the conversation that asks, and is read in
//! place. Otherwise it may be moved to the heap (*stashed*), so that it does not hold up the fragments behind
//! it. The stash is the unexpected queue of collectives: it keeps what was sent for calls that this rank has
//! not made yet. Messages from rank to rank have an unexpected queue of their own ([`crate::p2p`]).

use std::collections::{BTreeMap, VecDeque};
use std::io;

use crate::base::Call;
use crate::sys::zeroed::{reserve, zeroed};
use crate::transport::{AnyLink, Arrival, FRAGMENT_GRAIN, Header};

/// Approximate memory that a stashed fragment takes besides its bytes.
pub(crate) const ENTRY_COST: usize = 64;

/// A stashed fragment.
struct Stashed {
    header: Header,
    data: Vec<u8>,
    consumed: usize,
}

/// Name of a conversation: context and sequence number.
type Conversation = (u32, u32);

fn conversation(header: &Header) -> Conversation {
    (header.context, header.sequence)
}

/// The place from which the bytes of a conversation are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Link,
    Stash(Conversation),
}

/// The next fragment for a conversation that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextFragment {
    Nothing,
    Mine(Source),
    /// The fragment belongs to another conversation, or the peer made another call.
    Other(Header),
}

/// The incoming side of one peer.
pub(crate) struct Inbox {
    pub link: AnyLink,
    /// The stashed fragments of each conversation, oldest first. No list is empty. There may be thousands of
    /// conversations: one for each call under way.
    stash: BTreeMap<Conversation, VecDeque<Stashed>>,
    /// Memory that the stash takes, by context. Contexts without stashed fragments are absent.
    costs: BTreeMap<u32, usize>,
}

impl Inbox {
    pub fn new(link: AnyLink) -> Inbox {
        Inbox { link, stash: BTreeMap::new(), costs: BTreeMap::new() }
    }

    /// Whether a fragment of any conversation is stashed.
    #[inline]
    pub fn has_stash(&self) -> bool {
        !self.stash.is_empty()
    }

    /// Finds the next fragment for the conversation of `header`: in the stash, or else at the head of the
    /// link.
    #[inline]
    pub fn find(&mut self, header: &Header) -> io::Result<NextFragment> {
        if !self.stash.is_empty()
            && let Some(found) = self.find_stashed(header)
        {
            return Ok(found);
        }
        Ok(match self.link.head()? {
            None => NextFragment::Nothing,
            Some(head) if head == *header => NextFragment::Mine(Source::Link),
            Some(head) => NextFragment::Other(head),
        })
    }

    fn find_stashed(&self, header: &Header) -> Option<NextFragment> {
        let at = conversation(header);
        let stashed = self.stash.get(&at)?.front()?.header;
        Some(if stashed == *header {
            NextFragment::Mine(Source::Stash(at))
        } else {
            NextFragment::Other(stashed)
        })
    }

    /// The bytes of the next fragment that can be read in place.
    #[inline]
    pub fn arrival(&mut self, source: Source) -> io::Result<Arrival> {
        match source {
            Source::Link => self.link.arrival(),
            Source::Stash(at) => {
                let stashed = self.stash.get(&at).and_then(VecDeque::front).ok_or_else(nothing_stashed)?;
                let rest = &stashed.data[stashed.consumed..];
                Ok(Arrival { data: rest.as_ptr(), bytes: rest.len(), complete: true })
            }
        }
    }

    /// Frees bytes that were read in place.
    #[inline]
    pub fn consume(&mut self, source: Source, bytes: usize) -> io::Result<()> {
        match source {
            Source::Link => return self.link.consume(bytes),
            Source::Stash(at) => {
                let fragments = self.stash.get_mut(&at).ok_or_else(nothing_stashed)?;
                let first = fragments.front_mut().ok_or_else(nothing_stashed)?;
                first.consumed += bytes;
                if first.consumed >= first.data.len() {
                    let cost = first.data.len() + ENTRY_COST;
                    fragments.pop_front();
                    if fragments.is_empty() {
                        self.stash.remove(&at);
                    }
                    self.pay_back(at.0, cost);
                }
            }
        }
        Ok(())
    }

    /// Copies up to `bytes` bytes of the next fragment to `dst` and frees them. Returns how many.
    ///
    /// # Safety
    /// `dst` is writable for `bytes` bytes and outside of the link's memory and the stash.
    #[inline]
    pub unsafe fn take(
        &mut self,
        source: Source,
        dst: *mut u8,
        bytes: usize,
        streamed: bool,
    ) -> io::Result<usize> {
        if source == Source::Link {
            // SAFETY: the caller vouches for `dst`.
            return unsafe { self.link.take(dst, bytes, streamed) };
        }
        let arrival = self.arrival(source)?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` stashed bytes; the caller vouches for `dst`.
        unsafe { std::ptr::copy_nonoverlapping(arrival.data, dst, n) };
        self.consume(source, n)?;
        Ok(n)
    }

    /// Moves the bytes that have arrived of a fragment to the stash, in whole elements. The caller has just
    /// found it at the head of the link. Returns whether anything moved, or another look is due.
    pub fn stash_head(&mut self, header: &Header) -> io::Result<bool> {
        // On a link with lanes, another one may have come to the head since.
        let head = self.link.head()?;
        let Some(header) = head.filter(|head| head == header) else { return Ok(head.is_some()) };
        let arrival = self.link.arrival()?;
        // The stash must not split an element, so the bytes of an incomplete one stay in the link until more
        // arrives.
        let odd = if arrival.complete { 0 } else { arrival.bytes % FRAGMENT_GRAIN };
        let n = arrival.bytes - odd;
        if n == 0 && !arrival.complete {
            return Ok(false);
        }
        let mut data = zeroed(n)?;
        let may_grow = |stashed: &&mut Stashed| stashed.header == header && !stashed.data.is_empty() && n > 0;
        // Room is made first: what was taken out of the link cannot be put back.
        let last = self.stash.get_mut(&conversation(&header)).and_then(|fragments| fragments.back_mut());
        if let Some(stashed) = last.filter(may_grow) {
            reserve(&mut stashed.data, n)?;
        }
        // SAFETY: a new vector is writable for its length, and no one else uses it.
        let taken = unsafe { self.link.take(data.as_mut_ptr(), n, false) }?;
        data.truncate(taken);
        // An empty message stays an entry of its own, because bytes appended to it would hide it.
        let fragments = self.stash.entry(conversation(&header)).or_default();
        match fragments.back_mut().filter(|s| s.header == header && !s.data.is_empty() && taken > 0) {
            Some(stashed) => stashed.data.extend(data),
            None => {
                fragments.push_back(Stashed { header, data, consumed: 0 });
                *self.costs.entry(header.context).or_default() += ENTRY_COST;
            }
        }
        *self.costs.entry(header.context).or_default() += taken;
        Ok(true)
    }

    /// Subtracts `cost` from the memory that the stash of a context takes.
    fn pay_back(&mut self, context: u32, cost: usize) {
        if let Some(all) = self.costs.get_mut(&context) {
            *all = all.saturating_sub(cost);
            if *all == 0 {
                self.costs.remove(&context);
            }
        }
    }

    /// Memory that the stash of a context takes: its bytes, and [`ENTRY_COST`] for each fragment.
    pub fn stashed_cost(&self, context: u32) -> usize {
        self.costs.get(&context).copied().unwrap_or(0)
    }

    /// Drops the bytes that have arrived of a fragment, because no call needs them any more. The caller has
    /// just found it at the head of the link. Returns whether there were any, or another look is due.
    pub fn discard_head(&mut self, header: &Header) -> io::Result<bool> {
        let head = self.link.head()?;
        if head == Some(*header) { self.link.discard() } else { Ok(head.is_some()) }
    }

    /// Drops the stash of a context.
    pub fn forget(&mut self, context: u32) {
        self.stash.retain(|at, _| at.0 != context);
        self.costs.remove(&context);
    }

    /// The oldest stashed fragment of the first conversation of a context.
    pub fn first_stashed(&self, context: u32) -> Option<(Source, Header)> {
        let (at, fragments) = self.stash.range((context, 0)..=(context, u32::MAX)).next()?;
        Some((Source::Stash(*at), fragments.front()?.header))
    }

    /// The header of the first stashed fragment of this conversation, if it shows that the peer made a call
    /// that contradicts this rank's.
    pub fn stashed_contradiction(&self, header: &Header) -> Option<Header> {
        match self.find_stashed(header) {
            Some(NextFragment::Other(other)) if !Call::agree(other.call, header.call) => Some(other),
            _ => None,
        }
    }

    /// The header of the first stashed fragment of this conversation.
    pub fn first_of_call(&self, header: &Header) -> Option<Header> {
        match self.find_stashed(header)? {
            NextFragment::Mine(_) => Some(*header),
            NextFragment::Other(other) => Some(other),
            NextFragment::Nothing => None,
        }
    }
}

fn nothing_stashed() -> io::Error {
    io::Error::other("a fragment that is not stashed")
}
