//! The description of a partitioned message, which its sender sends once.

use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Request;
use anyccl_engine::p2p::{Noncontiguous, Selector};
use parking_lot::Mutex;

use super::tags::{PARTS, of_description};
use super::whole::Extent;
use crate::arguments::CommHandle;
use crate::comm::{Comm, agreement};
use crate::error::{Class, Error, Result};

const WORDS: usize = 4;
const BYTES: usize = WORDS * 8;

/// What a sender tells about its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Description {
    /// The program's tag.
    pub tag: i32,
    /// The sender's partitions.
    pub extent: Extent,
    /// Number of the first part, from which the tags are made.
    pub first: u64,
}

impl Description {
    /// Starts to send it.
    pub fn send(&self, comm: &Comm, to: Rank) -> Result<Request> {
        let Extent { partitions, bytes } = self.extent;
        let words = [u64::from(self.tag.cast_unsigned()), partitions as u64, bytes as u64, self.first];
        agreement::start_send(comm.engine(), to, of_description(self.tag), &words)
    }

    /// Reads a description that another process has sent. The total fits, and so do the tags.
    fn of_words(words: [u64; WORDS], tag: i32) -> Result<Description> {
        let [its_tag, partitions, bytes, first] = words;
        if its_tag != u64::from(tag.cast_unsigned()) {
            let text = format!("a partitioned send with tag {its_tag} meets a receive with tag {tag}");
            return Err(Error::new(Class::TAG, text));
        }
        let total = partitions.checked_mul(bytes).filter(|total| *total <= isize::MAX as u64);
        let last = first.checked_add(partitions).filter(|last| *last <= PARTS);
        if total.is_none() || last.is_none() {
            return Err(Error::new(Class::INTERN, "the sender describes an impossible partitioned message"));
        }
        let extent = Extent { partitions: partitions as usize, bytes: bytes as usize };
        Ok(Description { tag, extent, first })
    }
}

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

/// A receive of a description.
pub(super) struct Expected {
    /// `None` only once this is dropped.
    request: Option<Request>,
    place: Arc<Place>,
    comm: u32,
    tag: i32,
    source: i32,
}

/// Receives of descriptions whose requests were freed before they came, by communicator. The n-th send that
/// is prepared meets the n-th receive, so these still take the descriptions that are theirs.
static FORGOTTEN: Mutex<Vec<(u32, Request)>> = Mutex::new(Vec::new());

/// Cancels the receives of freed requests on a communicator that ends.
pub fn forget(comm: u32) {
    let of_comm: Vec<_> = FORGOTTEN.lock().extract_if(.., |(its_comm, _)| *its_comm == comm).collect();
    of_comm.iter().for_each(|(_, request)| request.cancel());
}

/// Cancels the receives of all freed requests.
pub fn forget_all() {
    let all = std::mem::take(&mut *FORGOTTEN.lock());
    all.iter().for_each(|(_, request)| request.cancel());
}

impl Expected {
    /// Starts to receive the description of a message with this tag.
    pub fn post(comm: &Comm, from: Rank, tag: i32) -> Result<Expected> {
        let place = Arc::new(Place(Mutex::new([0; BYTES])));
        let selector = Selector::new(Some(from), Some(of_description(tag)));
        let memory = Arc::clone(&place);
        // SAFETY: the memory is locked for each access, and lives as long as the receive.
        let request = unsafe { comm.engine().start_receive_noncontiguous(selector, memory) }?;
        Ok(Expected { request: Some(request), place, comm: comm.id, tag, source: comm.rank_of_peer(from) })
    }

    /// The description, once it is there.
    pub fn poll(&mut self) -> Option<Result<Description>> {
        let request = self.request.as_mut()?;
        match request.test() {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => return Some(Err(error.into())),
        }
        let received = request.status().map_or(0, |status| status.bytes);
        if received != BYTES {
            let text = format!("rank {} describes a partitioned message in {received} bytes", self.source);
            return Some(Err(Error::new(Class::INTERN, text)));
        }
        let place = self.place.0.lock();
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(place.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*bytes);
        }
        Some(Description::of_words(words, self.tag))
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        let Some(mut request) = self.request.take() else { return };
        if !matches!(request.test(), Ok(false)) {
            return;
        }
        if Comm::from_handle(CommHandle(self.comm)).is_err() {
            return request.cancel();
        }
        // A test may run what drops another of these, so the list is not locked meanwhile.
        let mut forgotten = std::mem::take(&mut *FORGOTTEN.lock());
        forgotten.retain_mut(|(_, request)| matches!(request.test(), Ok(false)));
        forgotten.push((self.comm, request));
        FORGOTTEN.lock().append(&mut forgotten);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_with_impossible_lengths_is_refused() {
        let of = |words| Description::of_words(words, 7);
        assert!(of([7, 3, 8, 5]).is_ok_and(|it| it.extent.total() == 24 && it.first == 5));
        for words in [[8, 3, 8, 5], [7, 2, u64::MAX, 0], [7, 3, 8, PARTS - 2], [7, 3, 8, u64::MAX]] {
            assert!(of(words).is_err(), "{words:?}");
        }
    }
}
