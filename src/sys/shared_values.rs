//! Values that several owners in this process share for as long as one of them lives.
//!
//! Communicators that were made apart from each other have links of their own, often to the same processes.
//! What concerns the process at the other end, and takes a descriptor, is shared between them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::per_process::PerProcess;

/// Values by key. A child of fork begins without any.
pub struct SharedValues<K, V>(PerProcess<Mutex<HashMap<K, Weak<V>>>>);

impl<K, V> SharedValues<K, V> {
    /// No values.
    #[expect(clippy::new_without_default, reason = "for statics")]
    pub const fn new() -> SharedValues<K, V> {
        SharedValues(PerProcess::new())
    }
}

impl<K: Eq + Hash + Send, V: Send + Sync> SharedValues<K, V> {
    /// Holds the lock of the values.
    #[cfg(test)]
    pub fn hold(&self) -> impl Drop {
        self.0.get_or(Mutex::default).value.lock()
    }

    /// The value of a key, if there is one.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        self.0.get_or(Mutex::default).value.lock().get(key).and_then(Weak::upgrade)
    }

    /// The value of a key, if it is still right, or else the one that `make` makes.
    pub fn get_or<E>(
        &self,
        key: K,
        is_right: impl FnOnce(&V) -> bool,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        let mut values = self.0.get_or(Mutex::default).value.lock();
        if let Some(value) = values.get(&key).and_then(Weak::upgrade).filter(|value| is_right(value)) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        values.retain(|_, value| value.strong_count() > 0);
        values.insert(key, Arc::downgrade(&value));
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shared_while_it_lives_and_is_right() {
        static VALUES: SharedValues<u32, String> = SharedValues::new();
        let get = |is_right: bool, text: &str| {
            VALUES.get_or(7, |_| is_right, || Ok::<_, ()>(text.to_string())).unwrap()
        };
        let one = get(true, "one");
        assert!(Arc::ptr_eq(&one, &get(true, "two")));
        assert_eq!(VALUES.get(&7).as_deref(), Some(&"one".to_string()));
        let three = get(false, "three");
        assert_eq!((one.as_str(), three.as_str()), ("one", "three"));
        drop((one, three));
        assert_eq!(VALUES.get(&7), None);
        assert_eq!(get(true, "four").as_str(), "four");
        assert!(VALUES.get_or(8, |_| true, || Err(5)).is_err());
    }
}
