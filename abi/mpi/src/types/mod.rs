//! Datatypes as objects of the program: handles, names, and typed memory.
//!
//! [`crate::datatype`] defines datatypes; this module has what a program does with their handles. `construct`
//! makes them, `inquiry` answers queries, `packing` packs. [`Typed`] is a buffer: address, count and
//! datatype.

pub mod construct;
pub mod external;
pub mod host_memory;
pub mod inquiry;
pub mod memory;
pub mod packing;
pub mod removed;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::ops::Deref;
use std::sync::Arc;

use anyccl_edge::ObjectRef;
use parking_lot::Mutex;

pub use self::memory::{Typed, check_holes};
use crate::arguments::DatatypeHandle;
use crate::attribute::Attributes;
use crate::constants::DATATYPE_NULL;
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};
use crate::table::{FIRST, Table};

/// A datatype for which the program has a handle.
pub struct TypeObject {
    datatype: Arc<Datatype>,
    name: Mutex<Option<CString>>,
    attributes: Attributes,
}

/// All datatypes that the program has made.
static TYPES: Table<TypeObject> = Table::new("datatype", Class::TYPE);

/// A reference to a datatype.
pub enum TypeRef {
    /// A predefined one.
    Predefined(&'static Arc<Datatype>),
    /// One that the program has made.
    Made(ObjectRef<'static, TypeObject>),
}

impl Deref for TypeRef {
    type Target = Arc<Datatype>;

    #[inline]
    fn deref(&self) -> &Arc<Datatype> {
        match self {
            TypeRef::Predefined(datatype) => datatype,
            TypeRef::Made(object) => &object.datatype,
        }
    }
}

/// The datatype of a handle.
#[inline]
pub fn get(handle: DatatypeHandle) -> Result<TypeRef> {
    if handle.0 < FIRST {
        return match Datatype::predefined(handle.0) {
            Some(datatype) => Ok(TypeRef::Predefined(datatype)),
            None => Err(no_datatype(handle)),
        };
    }
    TYPES.get(handle.0).map(TypeRef::Made)
}

/// The datatype of a handle, for communication: it must be committed.
#[inline]
pub fn committed(handle: DatatypeHandle) -> Result<TypeRef> {
    let datatype = get(handle)?;
    if datatype.is_committed() { Ok(datatype) } else { Err(uncommitted()) }
}

/// Attributes of predefined datatypes.
static PREDEFINED_ATTRIBUTES: Mutex<BTreeMap<u32, Arc<Attributes>>> = Mutex::new(BTreeMap::new());

/// Runs a function on the attributes of a datatype.
pub fn with_attributes<T>(handle: DatatypeHandle, run: impl FnOnce(&Attributes) -> Result<T>) -> Result<T> {
    get(handle)?;
    if handle.0 >= FIRST {
        // Shared, because the program's functions may free the datatype.
        let object = TYPES.get(handle.0)?.share();
        return run(&object.attributes);
    }
    let attributes = Arc::clone(PREDEFINED_ATTRIBUTES.lock().entry(handle.0).or_default());
    run(&attributes)
}

/// Names that the program has given to predefined datatypes.
static PREDEFINED_NAMES: Mutex<BTreeMap<u32, CString>> = Mutex::new(BTreeMap::new());

/// Handles of sized Fortran types, by combiner and arguments. These types are predefined, although the
/// program asks for them by a constructor.
static SIZED: Mutex<BTreeMap<(i32, Vec<i64>), u32>> = Mutex::new(BTreeMap::new());

/// A handle to a datatype. A predefined one always has the same.
pub fn handle(datatype: Arc<Datatype>) -> DatatypeHandle {
    handle_with(datatype, Attributes::new())
}

/// Like [`handle`], for a duplicate with these attributes.
fn handle_with(datatype: Arc<Datatype>, attributes: Attributes) -> DatatypeHandle {
    if let Some(code) = datatype.code() {
        return DatatypeHandle(code);
    }
    let is_sized = datatype.is_predefined();
    let key = || (datatype.combiner(), datatype.contents().integers);
    let mut sized = is_sized.then(|| SIZED.lock());
    if let Some(known) = sized.as_ref().and_then(|sized| sized.get(&key())) {
        return DatatypeHandle(*known);
    }
    let key = is_sized.then(key);
    let id = TYPES.insert(Arc::new(TypeObject { datatype, name: Mutex::new(None), attributes }));
    if let Some((sized, key)) = sized.as_mut().zip(key) {
        sized.insert(key, id);
    }
    DatatypeHandle(id)
}

#[cold]
fn no_datatype(handle: DatatypeHandle) -> Error {
    match handle.0 {
        DATATYPE_NULL => Error::new(Class::TYPE, "the datatype is MPI_DATATYPE_NULL"),
        id => Error::new(Class::TYPE, format!("{id:#x} is no datatype")),
    }
}

#[cold]
fn uncommitted() -> Error {
    Error::new(Class::TYPE, "the datatype is not committed: call MPI_Type_commit first")
}

/// Length in bytes of the first `count` basic elements of a message of this datatype; `None` if it cannot be
/// determined.
pub fn bytes_of_elements(datatype: &Datatype, count: i64) -> Option<i64> {
    if let Some((code, _)) = datatype.basic() {
        let basic = Datatype::predefined(code)?;
        return basic.size().checked_mul(count);
    }
    let per_element = datatype.elements();
    if per_element == 0 {
        return (count == 0).then_some(0);
    }
    let whole = (count / per_element).checked_mul(datatype.size())?;
    // The end of the last element. The search is short: a datatype with several kinds of elements is small.
    (0..=datatype.size()).map(|rest| whole + rest).find(|bytes| datatype.elements_in(*bytes) == Some(count))
}
