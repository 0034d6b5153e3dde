//! Receives of descriptions, and the partitioned receives that wait for them.
//!
//! The tag of a description has room for all but the highest bit of the program's. So one [`Queue`] takes the
//! descriptions of two tags from a rank, in their order, and gives each to the first partitioned receive that
//! has its tag. A description that nobody expects yet waits there for the next receive with its tag.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Request;
use anyccl_engine::p2p::{Noncontiguous, Selector};
use parking_lot::Mutex;

use super::description::{Description, WORDS};
use super::tags::of_description;
use crate::comm::Comm;
use crate::error::{Class, Error, Result};

const BYTES: usize = WORDS * 8;

/// Memory into which a description is received.
struct Place(Mutex<[u8; BYTES]>);

impl Noncontiguous for Place {
    fn bytes(&self) -> usize {
        BYTES
    }

    unsafe fn gather(&self, position: usize, dst: *mut u8, bytes: usize) {
        let place = self.0.lock();
        let source = &place[position..position + bytes];
        // SAFETY: promised by the caller; the source was checked.
        unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), dst, bytes) };
    }

    unsafe fn scatter(&self, position: usize, src: *const u8, bytes: usize) {
        let mut place = self.0.lock();
        let target = &mut place[position..position + bytes];
        // SAFETY: promised by the caller; the target was checked. The bytes are read once.
        unsafe { std::ptr::copy_nonoverlapping(src, target.as_mut_ptr(), bytes) };
    }
}

/// A receive of a description that is under way.
struct Posted {
    request: Request,
    place: Arc<Place>,
}

impl Posted {
    fn start(comm: &Comm, from: Rank, engine_tag: i32) -> Result<Posted> {
        let place = Arc::new(Place(Mutex::new([0; BYTES])));
        let (selector, memory) = (Selector::new(Some(from), Some(engine_tag)), Arc::clone(&place));
        // SAFETY: the memory is locked for each access, and lives as long as the receive.
        let request = unsafe { comm.engine().start_receive_noncontiguous(selector, memory) }?;
        Ok(Posted { request, place })
    }

    /// The description, once it is there.
    fn poll(&mut self, engine_tag: i32) -> Option<Result<Description>> {
        match self.request.test() {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => return Some(Err(error.into())),
        }
        let bytes = self.request.status().map_or(0, |status| status.bytes);
        if bytes != BYTES {
            let text = format!("a sender describes a partitioned message in {bytes} bytes");
            return Some(Err(Error::new(Class::INTERN, text)));
        }
        let place = self.place.0.lock();
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(place.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*bytes);
        }
        Some(Description::of_words(words, engine_tag))
    }
}

/// What a partitioned receive waits for.
struct Slot {
    tag: i32,
    outcome: Mutex<Option<Result<Description>>>,
}

/// The descriptions of one rank with one tag of the engine.
#[derive(Default)]
struct Queue {
    /// In the order in which they take messages. There are no fewer than `expected` has slots.
    posted: VecDeque<Posted>,
    /// In the order in which the partitioned receives were prepared. Those that were freed meanwhile still
    /// take the descriptions that are theirs: the n-th send of a tag meets the n-th receive.
    expected: VecDeque<Arc<Slot>>,
    /// Descriptions that nobody has expected yet, in order.
    early: VecDeque<Description>,
}

impl Queue {
    /// Gives a description to the first slot that has its tag.
    fn deliver(&mut self, description: Description) {
        match self.expected.iter().position(|slot| slot.tag == description.tag) {
            Some(at) => {
                let slot = self.expected.remove(at).expect("it was just found");
                *slot.outcome.lock() = Some(Ok(description));
            }
            None => self.early.push_back(description),
        }
    }

    /// Takes in the descriptions that have come.
    fn turn(&mut self, comm: &Comm, from: Rank, engine_tag: i32) {
        while let Some(outcome) = self.posted.front_mut().and_then(|first| first.poll(engine_tag)) {
            self.posted.pop_front();
            let outcome = outcome.map(|description| self.deliver(description));
            // One that nobody has expected was received in the place of another.
            if let Err(error) = outcome.and_then(|()| self.post(comm, from, engine_tag)) {
                self.expected.drain(..).for_each(|slot| *slot.outcome.lock() = Some(Err(error.clone())));
            }
        }
    }

    fn post(&mut self, comm: &Comm, from: Rank, engine_tag: i32) -> Result<()> {
        while self.posted.len() < self.expected.len() {
            self.posted.push_back(Posted::start(comm, from, engine_tag)?);
        }
        Ok(())
    }

    /// Whether all partitioned receives were freed that wait here.
    fn is_forgotten(&self) -> bool {
        self.expected.iter().all(|slot| Arc::strong_count(slot) == 1)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.posted.iter().for_each(|posted| posted.request.cancel());
    }
}

/// A queue of a communicator.
struct Entry {
    /// Keeps the address from being used by another communicator.
    comm: Weak<Comm>,
    from: Rank,
    engine_tag: i32,
    queue: Arc<Mutex<Queue>>,
}

static QUEUES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

fn queue(comm: &Arc<Comm>, from: Rank, engine_tag: i32) -> Arc<Mutex<Queue>> {
    let mut queues = QUEUES.lock();
    let is_it = |entry: &&Entry| {
        entry.comm.as_ptr() == Arc::as_ptr(comm) && (entry.from, entry.engine_tag) == (from, engine_tag)
    };
    if let Some(found) = queues.iter().find(is_it) {
        return Arc::clone(&found.queue);
    }
    let queue = Arc::new(Mutex::new(Queue::default()));
    queues.push(Entry { comm: Arc::downgrade(comm), from, engine_tag, queue: Arc::clone(&queue) });
    drop(queues);
    forget_those(|entry| entry.comm.strong_count() == 0);
    queue
}

/// Removes the queues for which nobody waits, of a communicator that ends, or of all. Their receives are
/// cancelled.
fn forget_those(is_of: impl Fn(&Entry) -> bool) {
    let may_end = |entry: &mut Entry| is_of(entry) && entry.queue.lock().is_forgotten();
    // Dropped without the lock.
    let ended: Vec<Entry> = QUEUES.lock().extract_if(.., may_end).collect();
    drop(ended);
}

/// Forgets the freed receives of a communicator that ends.
pub fn forget(comm: &Arc<Comm>) {
    forget_those(|entry| entry.comm.as_ptr() == Arc::as_ptr(comm));
}

/// Forgets all freed receives.
pub fn forget_all() {
    forget_those(|_| true);
}

/// The description of one partitioned message, which is to come.
pub(super) struct Expected {
    slot: Arc<Slot>,
    queue: Arc<Mutex<Queue>>,
    from: Rank,
}

impl Expected {
    /// Begins to receive the description of a message with this tag.
    pub fn post(comm: &Arc<Comm>, from: Rank, tag: i32) -> Result<Expected> {
        let engine_tag = of_description(tag);
        let shared = queue(comm, from, engine_tag);
        let slot = Arc::new(Slot { tag, outcome: Mutex::new(None) });
        let mut queue = shared.lock();
        match queue.early.iter().position(|description| description.tag == tag) {
            Some(at) => *slot.outcome.lock() = queue.early.remove(at).map(Ok),
            None => {
                queue.expected.push_back(Arc::clone(&slot));
                queue.post(comm, from, engine_tag).inspect_err(|_| drop(queue.expected.pop_back()))?;
            }
        }
        drop(queue);
        Ok(Expected { slot, queue: shared, from })
    }

    /// The description, once it is there. Gives the queue a turn, unless another thread does, or this one
    /// further up: the engine gives other operations turns while it tests one.
    pub fn poll(&self, comm: &Comm) -> Option<Result<Description>> {
        if self.slot.outcome.lock().is_none() {
            self.queue.try_lock()?.turn(comm, self.from, of_description(self.slot.tag));
        }
        self.slot.outcome.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::whole::Extent;
    use super::*;

    #[test]
    fn descriptions_of_two_tags_meet_the_first_receive_of_their_tag() {
        let of = |tag, first| Description { tag, extent: Extent { partitions: 1, bytes: 1 }, first };
        let slot = |tag| Arc::new(Slot { tag, outcome: Mutex::new(None) });
        let (low, high) = (5, 5 + (1 << 30));
        let slots = [slot(low), slot(high), slot(low)];
        let mut queue = Queue::default();
        queue.expected.extend(slots.iter().cloned());
        for description in [of(high, 1), of(high, 2), of(low, 3), of(low, 4)] {
            queue.deliver(description);
        }
        let first = |slot: &Slot| slot.outcome.lock().clone().and_then(Result::ok).map(|it| it.first);
        assert_eq!(slots.map(|slot| first(&slot)), [Some(3), Some(1), Some(4)]);
        assert!(queue.expected.is_empty() && queue.early.iter().map(|it| it.first).eq([2]));
    }
}
