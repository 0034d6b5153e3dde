//! Attributes: values that programs keep with an object, by key (MPI 5.0, section 7.7).
//!
//! Any object can hold an [`Attributes`]. A [`Keyval`] has the program's copy and delete functions. They are
//! called without any lock, so they may call MPI. A key that was freed goes on working in the objects that
//! have it. [`calls`] are MPI's functions, [`predefined`] the attributes that communicators always have.

pub mod calls;
mod predefined;
pub mod type_calls;

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::arguments::{CopyFunction, DeleteFunction};
use crate::constants::{KEYVAL_INVALID, TAG_UB, UNIVERSE_SIZE};
use crate::error::{Class, Error, Result};
use crate::table::Table;

/// Kinds of objects that a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Communicators.
    Comm,
    /// Datatypes.
    Datatype,
}

/// A key that the program has made.
pub struct Keyval {
    id: i32,
    kind: Kind,
    copy: CopyFunction,
    delete: DeleteFunction,
    /// An argument of both functions.
    extra: usize,
}

static KEYVALS: Table<Keyval> = Table::new("key of attributes", Class::KEYVAL);

impl Keyval {
    /// Makes a key; gives its number.
    pub fn make(kind: Kind, copy: CopyFunction, delete: DeleteFunction, extra: *mut c_void) -> i32 {
        let extra = extra.expose_provenance();
        KEYVALS.insert_with(|id| Keyval { id: id.cast_signed(), kind, copy, delete, extra }).cast_signed()
    }

    /// Gives a key back.
    pub fn free(keyval: i32, kind: Kind) -> Result<()> {
        Keyval::get(keyval, kind)?;
        KEYVALS.remove(keyval.cast_unsigned()).map(drop)
    }

    /// The key of this number, for objects of this kind.
    fn get(keyval: i32, kind: Kind) -> Result<Arc<Keyval>> {
        if keyval == KEYVAL_INVALID {
            return Err(Error::new(Class::KEYVAL, "the key is MPI_KEYVAL_INVALID"));
        }
        if is_predefined(keyval) {
            return Err(Error::new(Class::KEYVAL, "the key is predefined: it cannot be changed"));
        }
        let found = KEYVALS.get(keyval.cast_unsigned())?.share();
        if found.kind != kind {
            let text = format!("a key for objects of kind {:?}, not {kind:?}", found.kind);
            return Err(Error::new(Class::KEYVAL, text));
        }
        Ok(found)
    }

    fn extra(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.extra)
    }
}

/// Whether a key is one of MPI's own for communicators.
fn is_predefined(keyval: i32) -> bool {
    (TAG_UB..=UNIVERSE_SIZE).contains(&keyval)
}

/// An attribute.
#[derive(Clone)]
struct Attribute {
    keyval: Arc<Keyval>,
    /// A pointer of the program's, or a number.
    value: usize,
}

impl Attribute {
    /// Tells the program that it goes away from `object`.
    fn run_delete(&self, object: u32) -> Result<()> {
        let Some((function, call)) = self.keyval.delete else { return Ok(()) };
        let value = std::ptr::with_exposed_provenance_mut(self.value);
        // SAFETY: the program has made the key for such calls.
        unsafe { call(function, object, self.keyval.id, value, self.keyval.extra()) }
    }

    /// What a duplicate of `object` gets.
    fn run_copy(&self, object: u32) -> Result<Option<Attribute>> {
        let value = match self.keyval.copy {
            CopyFunction::Null => None,
            CopyFunction::Dup => Some(self.value),
            CopyFunction::Program(function, call) => {
                let value = std::ptr::with_exposed_provenance_mut(self.value);
                // SAFETY: the program has made the key for such calls.
                let copied = unsafe { call(function, object, self.keyval.id, self.keyval.extra(), value) }?;
                copied.map(|value| value.expose_provenance())
            }
        };
        Ok(value.map(|value| Attribute { keyval: Arc::clone(&self.keyval), value }))
    }
}

/// The attributes of one object, in the order in which they were set.
#[derive(Default)]
pub struct Attributes(Mutex<Vec<Attribute>>);

impl Attributes {
    /// No attributes.
    pub const fn new() -> Attributes {
        Attributes(Mutex::new(Vec::new()))
    }

    fn find(&self, keyval: i32) -> Option<Attribute> {
        self.0.lock().iter().find(|attribute| attribute.keyval.id == keyval).cloned()
    }

    fn take_out(&self, keyval: i32) {
        self.0.lock().retain(|attribute| attribute.keyval.id != keyval);
    }

    /// The value of a key.
    pub fn get(&self, keyval: i32, kind: Kind) -> Result<Option<*mut c_void>> {
        if let Some(found) = self.find(keyval) {
            return Ok(Some(std::ptr::with_exposed_provenance_mut(found.value)));
        }
        Keyval::get(keyval, kind).map(|_| None)
    }

    /// Sets a value on the object with this number. The program is told of the value before.
    pub fn set(&self, object: u32, keyval: i32, kind: Kind, value: *mut c_void) -> Result<()> {
        let value = value.expose_provenance();
        let old = self.find(keyval);
        let keyval = match &old {
            Some(old) => Arc::clone(&old.keyval),
            None => Keyval::get(keyval, kind)?,
        };
        if let Some(old) = old {
            old.run_delete(object)?;
        }
        let mut all = self.0.lock();
        match all.iter_mut().find(|attribute| attribute.keyval.id == keyval.id) {
            Some(attribute) => attribute.value = value,
            None => all.push(Attribute { keyval, value }),
        }
        Ok(())
    }

    /// Deletes a value of the object with this number, if the program agrees.
    pub fn delete(&self, object: u32, keyval: i32, kind: Kind) -> Result<()> {
        let Some(found) = self.find(keyval) else {
            Keyval::get(keyval, kind)?;
            return Err(Error::new(Class::KEYVAL, "the object has no attribute of this key"));
        };
        found.run_delete(object)?;
        self.take_out(keyval);
        Ok(())
    }

    /// Deletes all of them, the latest first. Stops where the program does not agree.
    pub fn delete_all(&self, object: u32) -> Result<()> {
        while let Some(last) = self.last() {
            last.run_delete(object)?;
            self.take_out(last.keyval.id);
        }
        Ok(())
    }

    fn last(&self) -> Option<Attribute> {
        self.0.lock().last().cloned()
    }

    /// What a duplicate of the object with this number gets.
    pub fn copy(&self, object: u32) -> Result<Attributes> {
        let all = self.0.lock().clone();
        let mut copies = Vec::with_capacity(all.len());
        for attribute in all {
            copies.extend(attribute.run_copy(object)?);
        }
        Ok(Attributes(Mutex::new(copies)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyval(copy: CopyFunction) -> i32 {
        Keyval::make(Kind::Comm, copy, None, std::ptr::null_mut())
    }

    fn pointer(value: usize) -> *mut c_void {
        std::ptr::without_provenance_mut(value)
    }

    #[test]
    fn a_duplicate_gets_what_the_copy_functions_say() {
        let (dup, null) = (keyval(CopyFunction::Dup), keyval(CopyFunction::Null));
        let attributes = Attributes::default();
        attributes.set(1, dup, Kind::Comm, pointer(7)).unwrap();
        attributes.set(1, null, Kind::Comm, pointer(8)).unwrap();
        let copy = attributes.copy(1).unwrap();
        assert_eq!(copy.get(dup, Kind::Comm).unwrap(), Some(pointer(7)));
        assert_eq!(copy.get(null, Kind::Comm).unwrap(), None);
    }

    #[test]
    fn a_freed_key_works_where_it_is_and_nowhere_else() {
        let key = keyval(CopyFunction::Dup);
        let attributes = Attributes::default();
        attributes.set(1, key, Kind::Comm, pointer(7)).unwrap();
        Keyval::free(key, Kind::Comm).unwrap();
        assert_eq!(attributes.get(key, Kind::Comm).unwrap(), Some(pointer(7)));
        attributes.delete(1, key, Kind::Comm).unwrap();
        assert_eq!(attributes.get(key, Kind::Comm).unwrap_err().class, Class::KEYVAL);
    }

    #[test]
    fn keys_are_for_their_kind_and_predefined_ones_stay() {
        let key = keyval(CopyFunction::Dup);
        let attributes = Attributes::default();
        let class = |result: Result<()>| result.unwrap_err().class;
        assert_eq!(class(attributes.set(1, key, Kind::Datatype, pointer(1))), Class::KEYVAL);
        assert_eq!(class(attributes.set(1, TAG_UB, Kind::Comm, pointer(1))), Class::KEYVAL);
        assert_eq!(class(attributes.delete(1, key, Kind::Comm)), Class::KEYVAL);
        assert_eq!(class(Keyval::free(KEYVAL_INVALID, Kind::Comm)), Class::KEYVAL);
    }

    /// A delete function that refuses the value 1.
    unsafe fn refuse_one(_: usize, _: u32, _: i32, value: *mut c_void, _: *mut c_void) -> Result<()> {
        if value.addr() == 1 { Err(Error::new(Class::OTHER, "one stays")) } else { Ok(()) }
    }

    #[test]
    fn an_attribute_stays_where_its_delete_function_fails() {
        let key = || Keyval::make(Kind::Comm, CopyFunction::Null, Some((0, refuse_one)), pointer(0));
        let (first, second) = (key(), key());
        let attributes = Attributes::default();
        attributes.set(1, first, Kind::Comm, pointer(1)).unwrap();
        attributes.set(1, second, Kind::Comm, pointer(2)).unwrap();
        assert_eq!(attributes.delete_all(1).unwrap_err().class, Class::OTHER);
        assert_eq!(attributes.get(first, Kind::Comm).unwrap(), Some(pointer(1)));
        assert_eq!(attributes.get(second, Kind::Comm).unwrap(), None);
        assert!(attributes.set(1, first, Kind::Comm, pointer(3)).is_err());
        assert_eq!(attributes.get(first, Kind::Comm).unwrap(), Some(pointer(1)));
    }
}
