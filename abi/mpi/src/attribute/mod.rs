//! Attributes: values that programs keep with an object, by key (MPI 5.0, section 7.7).
//!
//! Any object can hold [`Attributes`]. A [`Keyval`] has the program's copy and delete functions. They are
//! called without any lock, so they may call MPI. A freed key goes on working in the objects that have it.
//! [`calls`] has MPI's functions, `predefined` the attributes that communicators always have.

pub mod calls;
pub mod fortran;
mod predefined;
pub mod type_calls;
pub mod win_calls;

use std::ffi::c_void;
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use crate::arguments::{CopyFunction, DeleteFunction};
use crate::constants::{KEYVAL_INVALID, TAG_UB, UNIVERSE_SIZE, WIN_BASE, WIN_MODEL};
use crate::error::{Class, Error, Result};
use crate::table::Table;

/// Types of objects to which a key applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Communicators.
    Comm,
    /// Datatypes.
    Datatype,
    /// Windows.
    Win,
}

/// A key that the program has made.
pub struct Keyval {
    id: i32,
    kind: Kind,
    copy: CopyFunction,
    delete: DeleteFunction,
    /// The program's state, an argument of both functions.
    extra: usize,
    /// Set if a binding for another language calls the functions.
    proxies: OnceLock<Proxies>,
}

/// Functions of a binding that call the program's functions: their addresses, and how to call them.
struct Proxies {
    copy: (usize, CopyProxy),
    delete: (usize, DeleteProxy),
}

/// Calls a copy proxy. The arguments are its address, the program's function, the object, the key, the state,
/// and the value.
type CopyProxy = unsafe fn(usize, usize, (Kind, u32), i32, *mut c_void, usize) -> Result<Option<usize>>;
/// Calls a delete proxy.
type DeleteProxy = unsafe fn(usize, usize, (Kind, u32), i32, *mut c_void, usize) -> Result<()>;

static KEYVALS: Table<Keyval> = Table::new("key of attributes", Class::KEYVAL);
/// Keys that the program has freed. Some objects may have them still.
static FREED: Mutex<Vec<Weak<Keyval>>> = Mutex::new(Vec::new());

impl Keyval {
    /// Makes a key and returns its number.
    pub fn make(kind: Kind, copy: CopyFunction, delete: DeleteFunction, extra: *mut c_void) -> i32 {
        let extra = extra.expose_provenance();
        let make =
            |id: u32| Keyval { id: id.cast_signed(), kind, copy, delete, extra, proxies: OnceLock::new() };
        KEYVALS.insert_with(make).cast_signed()
    }

    /// Frees a key. A key that is freed already, but is still in use, may be freed again: a delete function
    /// that frees its own key runs once per object.
    pub fn free(keyval: i32, kind: Kind) -> Result<()> {
        let mut freed = FREED.lock();
        freed.retain(|key| key.strong_count() > 0);
        let known = Keyval::get(keyval, kind);
        if known.is_err() && freed.iter().any(|key| key.upgrade().is_some_and(|key| key.is(keyval, kind))) {
            return Ok(());
        }
        known?;
        freed.push(Arc::downgrade(&KEYVALS.remove(keyval.cast_unsigned())?));
        Ok(())
    }

    fn is(&self, keyval: i32, kind: Kind) -> bool {
        (self.id, self.kind) == (keyval, kind)
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

/// Whether a key is one of MPI's predefined keys for communicators or windows.
fn is_predefined(keyval: i32) -> bool {
    (TAG_UB..=UNIVERSE_SIZE).contains(&keyval) || (WIN_BASE..=WIN_MODEL).contains(&keyval)
}

/// The value of an attribute.
#[derive(Clone)]
enum Value {
    /// A pointer, or an integer that the program passes as one.
    Pointer(usize),
    /// An integer from another language, which C sees as a pointer to it.
    Integer(Arc<usize>),
}

impl Value {
    /// The value that C sees. The address of an integer is valid as long as the attribute exists.
    fn pointer(&self) -> *mut c_void {
        match self {
            Value::Pointer(word) => std::ptr::with_exposed_provenance_mut(*word),
            Value::Integer(word) => Arc::as_ptr(word).cast_mut().cast(),
        }
    }

    /// The value that a language without pointers sees.
    fn word(&self) -> usize {
        match self {
            Value::Pointer(word) => *word,
            Value::Integer(word) => **word,
        }
    }
}

/// An attribute.
#[derive(Clone)]
struct Attribute {
    keyval: Arc<Keyval>,
    value: Value,
}

impl Attribute {
    /// Calls the program's delete function for an attribute of `object`.
    fn run_delete(&self, object: u32) -> Result<()> {
        let Keyval { id, kind, delete, proxies, .. } = &*self.keyval;
        let Some((function, call)) = *delete else { return Ok(()) };
        let extra = self.keyval.extra();
        if let Some(Proxies { delete: (proxy, call), .. }) = proxies.get() {
            // SAFETY: the program has made the key for such calls, and a binding the proxy.
            return unsafe { call(*proxy, function, (*kind, object), *id, extra, self.value.word()) };
        }
        // SAFETY: the program has made the key for such calls.
        unsafe { call(function, object, *id, self.value.pointer(), extra) }
    }

    /// The attribute that a duplicate of `object` gets, if any.
    fn run_copy(&self, object: u32) -> Result<Option<Attribute>> {
        let Keyval { id, kind, copy, proxies, .. } = &*self.keyval;
        let extra = self.keyval.extra();
        let value = match (*copy, proxies.get()) {
            (CopyFunction::Null, _) => None,
            (CopyFunction::Dup, _) => Some(self.value.clone()),
            (CopyFunction::Program(function, _), Some(Proxies { copy: (proxy, call), .. })) => {
                // SAFETY: the program has made the key for such calls, and a binding the proxy.
                let copied =
                    unsafe { call(*proxy, function, (*kind, object), *id, extra, self.value.word()) }?;
                copied.map(|word| Value::Integer(Arc::new(word)))
            }
            (CopyFunction::Program(function, call), None) => {
                // SAFETY: the program has made the key for such calls.
                let copied = unsafe { call(function, object, *id, extra, self.value.pointer()) }?;
                copied.map(|value| Value::Pointer(value.expose_provenance()))
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
        Ok(self.get_value(keyval, kind)?.map(|value| value.pointer()))
    }

    fn get_value(&self, keyval: i32, kind: Kind) -> Result<Option<Value>> {
        if let Some(found) = self.find(keyval) {
            return Ok(Some(found.value));
        }
        Keyval::get(keyval, kind).map(|_| None)
    }

    /// Sets a value on the object with this number. The delete function is called for the previous value.
    pub fn set(&self, object: u32, keyval: i32, kind: Kind, value: *mut c_void) -> Result<()> {
        self.set_value(object, keyval, kind, Value::Pointer(value.expose_provenance()))
    }

    fn set_value(&self, object: u32, keyval: i32, kind: Kind, value: Value) -> Result<()> {
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

    /// Deletes all attributes, the latest first. Stops if the program refuses.
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

    /// The attributes that a duplicate of the object with this number gets.
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
    fn a_freed_key_is_freed_again_only_while_it_is_in_use() {
        let key = keyval(CopyFunction::Dup);
        let attributes = Attributes::default();
        attributes.set(1, key, Kind::Comm, pointer(7)).unwrap();
        Keyval::free(key, Kind::Comm).unwrap();
        Keyval::free(key, Kind::Comm).unwrap();
        assert_eq!(Keyval::free(key, Kind::Win).unwrap_err().class, Class::KEYVAL);
        attributes.delete(1, key, Kind::Comm).unwrap();
        assert_eq!(Keyval::free(key, Kind::Comm).unwrap_err().class, Class::KEYVAL);
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
