//! Elements: values that are passed alone, behind a pointer, or in an array.

use std::ffi::c_void;
use std::marker::PhantomData;

use super::kind::{Kind, null};
use super::places::{InputOutput, InputOutputs, Inputs, Output, Outputs};
use crate::abi::Abi;
use crate::error::Result;

/// A value that can be translated in both directions.
pub trait Element<A: Abi> {
    /// Its type in C.
    type C: Copy;
    /// The value for functions of this crate.
    type Value;

    /// Translates a value of the program.
    fn value(raw: Self::C) -> Self::Value;
    /// Translates a value for the program.
    fn raw(value: Self::Value) -> Self::C;
}

/// # Safety
/// `place` points to an element.
unsafe fn read<A: Abi, E: Element<A>>(place: *const c_void) -> E::Value {
    // SAFETY: promised by the caller.
    E::value(unsafe { place.cast::<E::C>().read() })
}

/// # Safety
/// `place` points to memory for an element.
unsafe fn write<A: Abi, E: Element<A>>(place: *mut c_void, value: E::Value) {
    // SAFETY: promised by the caller.
    unsafe { place.cast::<E::C>().write(E::raw(value)) }
}

/// # Safety
/// `place` points to an array with an element at this position.
unsafe fn read_at<A: Abi, E: Element<A>>(place: *const c_void, at: usize) -> E::Value {
    let place = place.cast::<E::C>().wrapping_add(at);
    // SAFETY: promised by the caller.
    E::value(unsafe { place.read() })
}

/// # Safety
/// `place` points to an array with memory for an element at this position.
unsafe fn write_at<A: Abi, E: Element<A>>(place: *mut c_void, at: usize, value: E::Value) {
    let place = place.cast::<E::C>().wrapping_add(at);
    // SAFETY: promised by the caller.
    unsafe { place.write(E::raw(value)) }
}

/// A pointer to which an element is written.
pub struct Out<E>(PhantomData<E>);

impl<A: Abi, E: Element<A>> Kind<A> for Out<E> {
    type C = *mut E::C;
    type Value = Output<E::Value>;

    #[inline(always)]
    unsafe fn value(raw: *mut E::C, name: &'static str) -> Result<Output<E::Value>> {
        // SAFETY: the program passes a pointer to such an element.
        unsafe { Output::new(raw.cast(), name, write::<A, E>) }
    }
}

/// A pointer to an element that is read and written.
pub struct InOut<E>(PhantomData<E>);

impl<A: Abi, E: Element<A>> Kind<A> for InOut<E> {
    type C = *mut E::C;
    type Value = InputOutput<E::Value>;

    #[inline(always)]
    unsafe fn value(raw: *mut E::C, name: &'static str) -> Result<InputOutput<E::Value>> {
        // SAFETY: the program passes a pointer to such an element.
        unsafe { InputOutput::new(raw.cast(), name, read::<A, E>, write::<A, E>) }
    }
}

/// An array of elements that are read. NULL is refused if its length is more than 0.
pub struct Array<E>(PhantomData<E>);

impl<A: Abi, E: Element<A>> Kind<A> for Array<E> {
    type C = *const E::C;
    type Value = Inputs<E::Value>;

    #[inline(always)]
    unsafe fn value(raw: *const E::C, name: &'static str) -> Result<Inputs<E::Value>> {
        // SAFETY: the program passes an array of such elements, as long as MPI documents.
        Ok(unsafe { Inputs::new(raw.cast(), name, read_at::<A, E>) })
    }
}

/// An array into which elements are written.
pub struct OutArray<E>(PhantomData<E>);

impl<A: Abi, E: Element<A>> Kind<A> for OutArray<E> {
    type C = *mut E::C;
    type Value = Outputs<E::Value>;

    #[inline(always)]
    unsafe fn value(raw: *mut E::C, name: &'static str) -> Result<Outputs<E::Value>> {
        // SAFETY: the program passes an array of such elements, as long as MPI documents.
        Ok(unsafe { Outputs::new(raw.cast(), name, write_at::<A, E>) })
    }
}

/// An array of elements that are read and written.
pub struct InOutArray<E>(PhantomData<E>);

impl<A: Abi, E: Element<A>> Kind<A> for InOutArray<E> {
    type C = *mut E::C;
    type Value = InputOutputs<E::Value>;

    #[inline(always)]
    unsafe fn value(raw: *mut E::C, name: &'static str) -> Result<InputOutputs<E::Value>> {
        // SAFETY: the program passes an array of such elements, as long as MPI documents.
        Ok(unsafe { InputOutputs::new(raw.cast(), name, read_at::<A, E>, write_at::<A, E>) })
    }
}

/// Like [`Out`]; NULL if the program does not want the value.
pub struct OutOrNull<E>(PhantomData<E>);

impl<A: Abi, E: Element<A>> Kind<A> for OutOrNull<E> {
    type C = *mut E::C;
    type Value = Option<Output<E::Value>>;

    unsafe fn value(raw: *mut E::C, name: &'static str) -> Result<Option<Output<E::Value>>> {
        // SAFETY: passed on from our caller.
        (!raw.is_null()).then(|| unsafe { <Out<E> as Kind<A>>::value(raw, name) }).transpose()
    }
}

/// Like [`InOut`]; NULL if the program does not want the value.
pub struct InOutOrNull<E>(PhantomData<E>);

impl<A: Abi, E: Element<A>> Kind<A> for InOutOrNull<E> {
    type C = *mut E::C;
    type Value = Option<InputOutput<E::Value>>;

    unsafe fn value(raw: *mut E::C, name: &'static str) -> Result<Option<InputOutput<E::Value>>> {
        // SAFETY: passed on from our caller.
        (!raw.is_null()).then(|| unsafe { <InOut<E> as Kind<A>>::value(raw, name) }).transpose()
    }
}

impl<A: Abi, E: Element<A>> super::Returned<A> for Out<E> {
    type C = E::C;
    type Value = E::Value;

    fn raw(value: E::Value) -> E::C {
        E::raw(value)
    }
}

/// Refuses NULL.
#[inline]
pub(super) fn present<T>(raw: *mut T, name: &'static str) -> Result<*mut T> {
    if raw.is_null() { Err(null(name)) } else { Ok(raw) }
}
