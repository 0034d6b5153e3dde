//! The description of a partitioned message, which its sender sends once.

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Request;

use super::tags::{PARTS, of_description};
use super::whole::Extent;
use crate::comm::{Comm, agreement};
use crate::error::{Class, Error, Result};

pub(super) const WORDS: usize = 4;

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

    /// Reads a description that another process has sent with a tag of the engine. The total fits, and so do
    /// the tags.
    pub fn of_words([tag, partitions, bytes, first]: [u64; WORDS], engine_tag: i32) -> Result<Description> {
        let tag = i32::try_from(tag).ok().filter(|tag| of_description(*tag) == engine_tag);
        let total = partitions.checked_mul(bytes).filter(|total| *total <= isize::MAX as u64);
        let last = first.checked_add(partitions).filter(|last| *last <= PARTS);
        let (Some(tag), Some(_), Some(_)) = (tag, total, last) else {
            return Err(Error::new(Class::INTERN, "the sender describes an impossible partitioned message"));
        };
        let extent = Extent { partitions: partitions as usize, bytes: bytes as usize };
        Ok(Description { tag, extent, first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_with_impossible_lengths_or_another_tag_is_refused() {
        let of = |words| Description::of_words(words, of_description(7));
        assert!(of([7, 3, 8, 5]).is_ok_and(|it| it.extent.total() == 24 && it.first == 5));
        assert!(of([7 + (1 << 30), 3, 8, 5]).is_ok_and(|it| it.tag == 7 + (1 << 30)));
        for words in [
            [8, 3, 8, 5],
            [7 + (1 << 31), 3, 8, 5],
            [7, 2, u64::MAX, 0],
            [7, 3, 8, PARTS - 2],
            [7, 3, 8, u64::MAX],
        ] {
            assert!(of(words).is_err(), "{words:?}");
        }
    }
}
