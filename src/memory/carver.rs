//! The carver: finds free ranges of the arena, by first fit.
//!
//! First fit keeps the used ranges at the front, so that peers need to map little. A freed block merges with
//! its free neighbours.

use std::collections::BTreeMap;

/// Alignment and grain of small blocks: a cache line.
const SMALL_GRAIN: usize = 64;
/// Alignment and grain of larger blocks: a page.
pub(super) const LARGE_GRAIN: usize = 4096;

/// The free and the taken ranges of an arena.
#[derive(Debug)]
pub(crate) struct Carver {
    /// Free ranges: length by offset. No two of them touch.
    free: BTreeMap<usize, usize>,
    taken: BTreeMap<usize, usize>,
}

impl Carver {
    /// Makes a carver with `len` free bytes.
    pub fn new(len: usize) -> Carver {
        Carver { free: (len > 0).then_some((0, len)).into_iter().collect(), taken: BTreeMap::new() }
    }

    /// Takes the first free range for `bytes` bytes. Returns its offset, and its length rounded up to the
    /// grain.
    pub fn take(&mut self, bytes: usize) -> Option<(usize, usize)> {
        let grain = if bytes < LARGE_GRAIN { SMALL_GRAIN } else { LARGE_GRAIN };
        let bytes = bytes.max(1).checked_next_multiple_of(grain)?;
        let (start, len, offset) = self.free.iter().find_map(|(&start, &len)| {
            let offset = start.next_multiple_of(grain);
            (len >= (offset - start).checked_add(bytes)?).then_some((start, len, offset))
        })?;
        self.free.remove(&start);
        if offset > start {
            self.free.insert(start, offset - start);
        }
        if start + len > offset + bytes {
            self.free.insert(offset + bytes, start + len - offset - bytes);
        }
        self.taken.insert(offset, bytes);
        Some((offset, bytes))
    }

    /// Gives back the block at `offset` and returns its length. `None`: there is no such block.
    pub fn give_back(&mut self, offset: usize) -> Option<usize> {
        let bytes = self.taken.remove(&offset)?;
        let (mut start, mut end) = (offset, offset + bytes);
        if let Some((&before, &len)) = self.free.range(..offset).next_back()
            && before + len == offset
        {
            self.free.remove(&before);
            start = before;
        }
        if let Some(len) = self.free.remove(&end) {
            end += len;
        }
        self.free.insert(start, end - start);
        Some(bytes)
    }

    /// Whether no range is taken.
    pub fn is_unused(&self) -> bool {
        self.taken.is_empty()
    }

    /// Length of the block at `offset`.
    pub fn len_at(&self, offset: usize) -> Option<usize> {
        self.taken.get(&offset).copied()
    }

    /// Whether one block contains all these bytes.
    pub fn holds(&self, offset: usize, bytes: usize) -> bool {
        let block = self.taken.range(..=offset).next_back();
        block.is_some_and(|(start, len)| offset - start <= *len && bytes <= len - (offset - start))
    }

    /// The free ranges that begin below `limit`: offset and length.
    pub fn free_below(&self, limit: usize) -> impl Iterator<Item = (usize, usize)> {
        self.free.range(..limit).map(|(&offset, &len)| (offset, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEN: usize = 1 << 20;

    proptest! {
        #[test]
        fn blocks_never_overlap_and_all_room_becomes_free_again(
            turns in prop::collection::vec((any::<bool>(), 0usize..40_000, any::<prop::sample::Index>()), 1..200)
        ) {
            let mut carver = Carver::new(LEN);
            let mut live: Vec<(usize, usize)> = Vec::new();
            for (takes, bytes, which) in turns {
                if takes || live.is_empty() {
                    let Some((offset, len)) = carver.take(bytes) else { continue };
                    prop_assert!(len >= bytes && offset + len <= LEN);
                    prop_assert_eq!(offset % if bytes < LARGE_GRAIN { SMALL_GRAIN } else { LARGE_GRAIN }, 0);
                    prop_assert!(live.iter().all(|&(o, l)| offset + len <= o || o + l <= offset));
                    live.push((offset, len));
                } else {
                    let (offset, len) = live.swap_remove(which.index(live.len()));
                    prop_assert_eq!(carver.give_back(offset), Some(len));
                    prop_assert_eq!(carver.give_back(offset), None);
                }
            }
            for (offset, _) in live {
                carver.give_back(offset);
            }
            prop_assert!(carver.is_unused());
            prop_assert_eq!(carver.take(LEN), Some((0, LEN)));
            prop_assert!(!carver.is_unused());
        }
    }

    #[test]
    fn a_block_that_does_not_fit_is_refused_whatever_its_size() {
        let mut carver = Carver::new(LEN);
        assert_eq!(carver.take(LEN + 1), None);
        assert_eq!(carver.take(usize::MAX), None);
        assert_eq!(carver.take(0), Some((0, SMALL_GRAIN)));
        assert_eq!(carver.take(LEN), None);
    }
}
