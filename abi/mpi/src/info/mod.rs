//! Info objects: keys with values, in the order in which the keys were first set (MPI 5.0, chapter 10).
//!
//! [`calls`] has MPI's functions; `start` has the contents of `MPI_INFO_ENV`, `memory_kinds` a key that the
//! hints of most objects have. Everything works before `MPI_Init` and after `MPI_Finalize`.

pub mod calls;
mod memory_kinds;
mod pairs;
mod start;

use std::sync::Arc;

pub use memory_kinds::ASSERTED_KINDS;
pub use pairs::Pairs;
use parking_lot::Mutex;

use crate::arguments::InfoHandle;
use crate::constants::{INFO_ENV, INFO_NULL};
use crate::error::{Class, Error, Result};
use crate::table::Table;

/// An info object.
struct Info(Mutex<Pairs>);

static INFOS: Table<Info> = Table::new("info object", Class::INFO);

impl Pairs {
    /// The present pairs of the object of a handle. `MPI_INFO_NULL` has none.
    pub fn of_handle_or_null(handle: InfoHandle) -> Result<Pairs> {
        if handle.0 == INFO_NULL { Ok(Pairs::default()) } else { Pairs::of_handle(handle) }
    }

    /// The present pairs of the object of a handle.
    pub fn of_handle(handle: InfoHandle) -> Result<Pairs> {
        match handle.0 {
            INFO_ENV => Ok(start::of_this_process()),
            _ => object(handle).map(|info| info.0.lock().clone()),
        }
    }

    /// Makes a new object with these pairs.
    pub fn handle(self) -> InfoHandle {
        InfoHandle(INFOS.insert(Arc::new(Info(Mutex::new(self)))))
    }
}

/// The object of a handle, to be changed.
fn object(handle: InfoHandle) -> Result<Arc<Info>> {
    match handle.0 {
        INFO_NULL => Err(Error::new(Class::INFO, "the info object is MPI_INFO_NULL")),
        INFO_ENV => Err(Error::new(Class::INFO, "MPI_INFO_ENV cannot be changed; duplicate it")),
        id => INFOS.get(id).map(|info| info.share()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_in_which_they_were_first_set() {
        let mut pairs = Pairs::default();
        for (key, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
            pairs.set(key, value).unwrap();
        }
        assert_eq!(pairs.iter().collect::<Vec<_>>(), [("b", "3"), ("a", "2")]);
        pairs.remove("b").unwrap();
        assert_eq!(pairs.remove("b").unwrap_err().class, Class::INFO_NOKEY);
        assert_eq!((pairs.get("a"), pairs.get("b")), (Some("2"), None));
    }

    #[test]
    fn keys_and_values_that_are_too_long_are_refused() {
        let mut pairs = Pairs::default();
        assert_eq!(pairs.set("", "").unwrap_err().class, Class::INFO_KEY);
        assert_eq!(pairs.set(&"k".repeat(256), "").unwrap_err().class, Class::INFO_KEY);
        assert_eq!(pairs.set("k", &"v".repeat(1025)).unwrap_err().class, Class::INFO_VALUE);
        pairs.set(&"k".repeat(255), &"v".repeat(1024)).unwrap();
    }

    #[test]
    fn the_start_of_this_process_is_known_and_cannot_be_changed() {
        let pairs = Pairs::of_handle(InfoHandle(INFO_ENV)).unwrap();
        assert!(pairs.get("command").is_some() && pairs.get("wdir").is_some());
        assert!(object(InfoHandle(INFO_ENV)).is_err());
    }
}
