//! Checks of buffers, counts and roots, made before anything is sent.

use std::sync::Arc;

use crate::comm::Comm;
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};

/// Refuses a negative count.
#[inline]
pub fn check_count(count: i64) -> Result<()> {
    if count >= 0 { Ok(()) } else { Err(negative(count)) }
}

#[cold]
fn negative(count: i64) -> Error {
    Error::new(Class::COUNT, format!("the count is {count}; it is at least 0"))
}

/// Packed length of elements in bytes.
#[inline]
pub fn bytes_of(count: i64, datatype: &Datatype) -> Result<usize> {
    check_count(count)?;
    let bytes = count.checked_mul(datatype.size()).and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| too_many(count))
}

#[cold]
fn too_many(count: i64) -> Error {
    Error::new(Class::COUNT, format!("{count} elements exceed memory"))
}

/// Refuses NULL for elements with data, unless their datatype has absolute addresses (`MPI_BOTTOM`).
#[inline]
pub fn check_address(base: *const u8, count: i64, datatype: &Datatype, name: &'static str) -> Result<()> {
    if base.is_null() && count > 0 && datatype.size() > 0 && datatype.true_lb() == 0 {
        return Err(null(name, count));
    }
    Ok(())
}

#[cold]
fn null(name: &'static str, count: i64) -> Error {
    Error::new(Class::BUFFER, format!("{name} is NULL, and the count is {count}"))
}

/// Refuses two buffers that are the same, if both have data.
#[inline]
pub fn check_apart(send: *const u8, recv: *mut u8, bytes: usize) -> Result<()> {
    if send == recv.cast_const() && bytes > 0 { Err(aliased()) } else { Ok(()) }
}

#[cold]
fn aliased() -> Error {
    Error::new(
        Class::BUFFER,
        "send and receive buffer are the same memory; MPI_IN_PLACE says that they may be",
    )
}

/// Refuses a root that is no rank.
#[inline]
pub fn check_root(root: i32, size: u32, comm: &Comm) -> Result<u32> {
    if root.cast_unsigned() < size { Ok(root.cast_unsigned()) } else { Err(no_root(root, size, comm)) }
}

/// The error for a root that is no rank.
pub fn no_root(root: i32, size: u32, comm: &Comm) -> Error {
    let text = format!("root {root}; {} has ranks 0 to {}", comm.title(), i64::from(size) - 1);
    Error::new(Class::ROOT, text)
}

/// Refuses a block to this rank itself whose sent and received lengths differ, or that is sent from where it
/// is received.
#[inline]
pub fn check_own(sent: &Elements<'_>, received: &Elements<'_>) -> Result<()> {
    let (sent_bytes, received_bytes) = (sent.bytes()?, received.bytes()?);
    if sent_bytes != received_bytes {
        return Err(own_differs(sent_bytes, received_bytes));
    }
    check_apart(sent.first_byte().cast_const(), received.first_byte(), sent_bytes)
}

#[cold]
fn own_differs(sent: usize, received: usize) -> Error {
    let text = format!("{sent} bytes are sent to oneself, and {received} are received from oneself");
    Error::new(Class::TRUNCATE, text)
}

/// The error for an MPI_IN_PLACE that has no meaning.
#[cold]
pub fn not_in_place(name: &'static str) -> Error {
    Error::new(Class::BUFFER, format!("{name} is MPI_IN_PLACE, which has no meaning there"))
}

/// Elements of a datatype at an address.
#[derive(Clone, Copy)]
pub struct Elements<'a> {
    /// The address to which offsets of the datatype are relative.
    pub base: *mut u8,
    /// Number of elements.
    pub count: i64,
    /// Their datatype.
    pub datatype: &'a Arc<Datatype>,
}

impl<'a> Elements<'a> {
    /// Elements at an address that is only read.
    pub fn read(base: *const u8, count: i64, datatype: &'a Arc<Datatype>) -> Elements<'a> {
        Elements { base: base.cast_mut(), count, datatype }
    }

    /// Elements at an address that may be written.
    pub fn written(base: *mut u8, count: i64, datatype: &'a Arc<Datatype>) -> Elements<'a> {
        Elements { base, count, datatype }
    }

    /// `count` elements that begin `elements` elements behind the start of these.
    pub fn behind(self, elements: i64, count: i64) -> Elements<'a> {
        let bytes = elements.wrapping_mul(self.datatype.extent());
        Elements { base: self.base.wrapping_offset(bytes as isize), count, ..self }
    }

    /// The address of the first byte of the first element.
    fn first_byte(&self) -> *mut u8 {
        self.base.wrapping_offset(self.datatype.true_lb() as isize)
    }

    /// Packed length in bytes.
    pub fn bytes(&self) -> Result<usize> {
        bytes_of(self.count, self.datatype)
    }

    /// These elements in the form that packing and unpacking take.
    pub fn typed(self) -> crate::types::Typed {
        crate::types::Typed { base: self.base, count: self.count, datatype: Arc::clone(self.datatype) }
    }
}

#[cold]
pub(super) fn exceeds_memory() -> Error {
    Error::new(Class::COUNT, "the elements exceed memory")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::{BYTE, INT};

    #[test]
    fn a_block_to_oneself_has_one_length_and_comes_from_elsewhere() {
        let [bytes, ints] = [BYTE, INT].map(|code| Datatype::predefined(code).expect("predefined"));
        let mut memory = [0u8; 16];
        let start = memory.as_mut_ptr();
        let class =
            |sent: Elements<'_>, received: Elements<'_>| check_own(&sent, &received).map_err(|it| it.class);
        let (four, one) = (Elements::written(start, 4, bytes), Elements::written(start, 1, ints));
        assert_eq!(class(four, one), Err(Class::BUFFER));
        assert_eq!(class(four, one.behind(1, 1)), Ok(()));
        assert_eq!(class(four, one.behind(1, 2)), Err(Class::TRUNCATE));
        assert_eq!(class(Elements { count: 0, ..four }, Elements { count: 0, ..one }), Ok(()));
    }
}
