//! A cache of the values built for calls, so that a repeated call builds nothing.
//!
//! The cache is bounded: when it is full, the least recently used entry is dropped. The entry used last is
//! looked at first, because programs repeat the same call; such a hit costs one comparison of a small key.
//! Eviction looks at all entries, which is cheap next to building a plan.
//!
//! It is not shared between threads: each communicator owns one.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// The `capacity` values that were used last, by key.
#[derive(Debug)]
pub struct Cache<K, T> {
    capacity: usize,
    /// Counts look-ups in `entries`; an entry carries the count at its latest one. Repeats of the latest key
    /// do not count.
    clock: u64,
    latest: Option<(K, Arc<T>)>,
    entries: HashMap<K, Entry<T>>,
}

#[derive(Debug)]
struct Entry<T> {
    value: Arc<T>,
    used: u64,
}

impl<K: Copy + Eq + Hash, T> Cache<K, T> {
    /// An empty cache for `capacity` values, at least one.
    pub fn new(capacity: usize) -> Cache<K, T> {
        Cache { capacity: capacity.max(1), clock: 0, latest: None, entries: HashMap::new() }
    }

    /// The value for `key`. `build` makes it if it is not there; an error of `build` is passed on.
    #[inline]
    pub fn get_or_build<E>(&mut self, key: K, build: impl FnOnce() -> Result<T, E>) -> Result<&Arc<T>, E> {
        let is_latest = self.latest.as_ref().is_some_and(|(latest, _)| *latest == key);
        if !is_latest {
            let value = self.find_or_build(key, build)?;
            self.latest = Some((key, value));
        }
        Ok(&self.latest.as_ref().expect("set above").1)
    }

    /// Number of values held.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Drops all values.
    pub fn clear(&mut self) {
        self.latest = None;
        self.entries.clear();
    }

    fn find_or_build<E>(&mut self, key: K, build: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        self.clock += 1;
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.used = self.clock;
            return Ok(entry.value.clone());
        }
        let value = Arc::new(build()?);
        if self.entries.len() == self.capacity {
            let least_recent = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| *key);
            least_recent.and_then(|key| self.entries.remove(&key));
        }
        self.entries.insert(key, Entry { value: value.clone(), used: self.clock });
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn get(cache: &mut Cache<usize, usize>, count: usize, built: &mut bool) -> usize {
        let build = || {
            *built = true;
            Ok::<_, Infallible>(count)
        };
        **cache.get_or_build(count, build).unwrap()
    }

    proptest! {
        #[test]
        fn the_cache_holds_exactly_the_values_used_latest(
            capacity in 1usize..6,
            uses in proptest::collection::vec(0usize..9, 0..200),
        ) {
            let mut cache = Cache::new(capacity);
            // The model: counts by latest use, the latest last.
            let mut model: Vec<usize> = Vec::new();
            for count in uses {
                let known = model.iter().position(|&held| held == count);
                let mut built = false;
                prop_assert_eq!(get(&mut cache, count, &mut built), count);
                prop_assert_eq!(built, known.is_none());
                known.map(|index| model.remove(index));
                model.push(count);
                if model.len() > capacity {
                    model.remove(0);
                }
                prop_assert_eq!(cache.len(), model.len());
            }
        }
    }

    #[test]
    fn a_failed_build_leaves_no_entry() {
        let mut cache = Cache::<usize, u8>::new(2);
        assert_eq!(cache.get_or_build(1, || Err("no")).map(|v| **v), Err("no"));
        assert!(cache.is_empty());
        assert_eq!(cache.get_or_build(1, || Ok::<_, &str>(7)).map(|v| **v), Ok(7));
    }

    #[test]
    fn a_cleared_cache_builds_again() {
        let mut cache = Cache::new(2);
        let mut built = false;
        get(&mut cache, 1, &mut built);
        cache.clear();
        built = false;
        get(&mut cache, 1, &mut built);
        assert!(built && cache.len() == 1);
    }
}
