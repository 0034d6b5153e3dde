//! Tables of objects by the handles of a program.
//!
//! An object's number is looked up, never followed: a handle that was freed or never made is an error with a
//! sentence. Numbers have 26 bits, because an int handle of the MPICH ABI has room for these. They begin
//! above the predefined ones, and start again after the last.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyccl_edge::{HandleTable, ObjectRef, PerProcess};

use crate::error::{Class, Error, Result};

/// First number of an object that the program has made.
pub const FIRST: u32 = 0x1000;
/// All numbers are below this.
pub const END: u32 = 1 << 26;
const SLOTS: usize = 256;

/// All objects of one kind.
pub struct Table<T> {
    /// Name of the kind of object, in messages.
    what: &'static str,
    /// Error class for an invalid handle.
    class: Class,
    next: AtomicU32,
    /// The objects of this process; a child of fork begins without any.
    objects: PerProcess<HandleTable<T, SLOTS>>,
}

impl<T: Send + Sync + 'static> Table<T> {
    /// An empty table.
    pub const fn new(what: &'static str, class: Class) -> Table<T> {
        Table { what, class, next: AtomicU32::new(FIRST), objects: PerProcess::new() }
    }

    /// Adds the object that `make` makes for its number.
    pub fn insert_with(&self, make: impl FnOnce(u32) -> T) -> u32 {
        let id = self.new_id();
        self.insert_at(id, Arc::new(make(id)));
        id
    }

    /// Adds an object.
    pub fn insert(&self, object: Arc<T>) -> u32 {
        let id = self.new_id();
        self.insert_at(id, object);
        id
    }

    /// Adds an object under a number that is not in use.
    pub fn insert_at(&self, id: u32, object: Arc<T>) {
        self.table().insert(id as usize, object);
    }

    fn new_id(&self) -> u32 {
        loop {
            let next = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                Some(if next + 1 < END { next + 1 } else { FIRST })
            });
            let (Ok(id) | Err(id)) = next;
            if self.table().get(id as usize).is_none() {
                return id;
            }
        }
    }

    /// The object of a number.
    #[inline]
    pub fn get(&self, id: u32) -> Result<ObjectRef<'_, T>> {
        match self.table().get(id as usize) {
            Some(object) => Ok(object),
            None => Err(self.unknown(id)),
        }
    }

    /// Removes an object: its number is unknown from here on.
    pub fn remove(&self, id: u32) -> Result<Arc<T>> {
        match self.table().remove(id as usize, |_, _| Ok::<(), Error>(())) {
            Some(Ok(object)) => Ok(object),
            Some(Err(_)) | None => Err(self.unknown(id)),
        }
    }

    #[inline]
    fn table(&self) -> &HandleTable<T, SLOTS> {
        &self.objects.get_or(HandleTable::new).value
    }

    #[cold]
    fn unknown(&self, id: u32) -> Error {
        Error::new(self.class, format!("{id:#x} is no {}; it was freed or never was one", self.what))
    }
}
